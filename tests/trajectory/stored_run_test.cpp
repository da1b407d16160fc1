// Results come back as they were written; anything else is refused with its place.
#include "plumb/trajectory/stored_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "plumb/model/reader.h"
#include "plumb/trajectory/writers.h"

namespace plumb {
namespace fs = std::filesystem;
namespace {

const char* const text = R"(
title = "Stored"
[parameters]
l = 1
[bodies.bob]
mass = 1
position = ["l", 0, 0]
[joints.rod]
type = "rod"
from = "ground"
to = "bob"
from_point = [0, 0, 0]
[simulation]
duration = 0.5
output_every = 0.1
)";

class Stored : public ::testing::Test {
 protected:
  Stored() : folder_(fs::temp_directory_path() / ("plumb-stored-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    const Model m = parse_model(text, "stored.toml", {{"l", "0.7"}});
    std::unique_ptr<ResultDirectory> directory;
    RunOptions options;
    options.on_columns = [&](const auto& columns) {
      directory = std::make_unique<ResultDirectory>(folder_);
      directory->begin_trajectory(columns);
    };
    options.on_row = [&](auto row) { directory->write_row(row); };
    result_ = simulate(m, options);
    directory->finish(result_);
  }
  ~Stored() override { fs::remove_all(folder_); }

  std::string read(const char* name) const {
    std::ifstream in(folder_ / name);
    std::stringstream s;
    s << in.rdbuf();
    return s.str();
  }
  void write(const char* name, const std::string& content) const { std::ofstream(folder_ / name) << content; }
  std::string fault() const {
    try {
      read_results(folder_);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }

  fs::path folder_;
  Result result_;
};

TEST_F(Stored, ComesBackBitForBit) {
  const StoredRun run = read_results(folder_);
  ASSERT_EQ(run.trajectory.columns(), result_.trajectory.columns());
  ASSERT_EQ(run.trajectory.rows(), result_.trajectory.rows());
  for (std::size_t r = 0; r < run.trajectory.rows(); ++r)
    for (std::size_t c = 0; c < run.trajectory.columns().size(); ++c)
      EXPECT_EQ(run.trajectory.row(r)[c], result_.trajectory.row(r)[c]);
  ASSERT_TRUE(run.model);
  EXPECT_EQ(run.model->bodies[0].position.x(), 0.7);  // with what was set from outside
  EXPECT_EQ(run.summary, summary(result_));
}

TEST_F(Stored, RefusesWhatIsNotThere) {
  EXPECT_THROW(read_results(folder_ / "nowhere"), InputError);
  EXPECT_THROW(read_results(folder_ / "summary.json"), InputError);
  fs::remove(folder_ / "summary.json");
  EXPECT_NE(fault().find("holds no results"), std::string::npos) << fault();
}

TEST_F(Stored, RefusesOtherVersionsNamingBoth) {
  std::string s = read("summary.json");
  s.replace(s.find("\"format\": 1"), 11, "\"format\": 9");
  write("summary.json", s);
  EXPECT_NE(fault().find("layout 9"), std::string::npos) << fault();
  EXPECT_NE(fault().find("reads layout 1"), std::string::npos) << fault();
}

TEST_F(Stored, RefusesForeignAndTruncatedFiles) {
  const std::string good = read("summary.json");
  write("summary.json", good.substr(0, good.size() / 2));
  EXPECT_NE(fault().find("cut off"), std::string::npos) << fault();
  write("summary.json", "{\"name\": \"something else\"}");
  EXPECT_NE(fault().find("was not written by"), std::string::npos) << fault();
  write("summary.json", good);

  const std::string rows = read("trajectory.csv");
  write("trajectory.csv", rows.substr(0, rows.size() - 30));
  EXPECT_NE(fault().find("trajectory.csv:7: the file is cut off"), std::string::npos) << fault();
  write("trajectory.csv", rows.substr(0, rows.rfind('\n', rows.size() - 2) + 1));  // one whole row less
  EXPECT_NE(fault().find("has 5 rows where summary.json says 6"), std::string::npos) << fault();
  write("trajectory.csv", "time;x;y\n1;2;3\n");
  EXPECT_NE(fault().find("not a trajectory of plumb"), std::string::npos) << fault();
  std::string words = rows;
  words.replace(rows.find('\n') + 1, 1, "x");
  write("trajectory.csv", words);
  EXPECT_NE(fault().find("trajectory.csv:2: value 1"), std::string::npos) << fault();
  write("trajectory.csv", rows);
  EXPECT_EQ(fault(), "");
}

TEST_F(Stored, RefusesAModelThatWasChangedSince) {
  write("model.toml", read("model.toml") + "\n# edited\n");
  EXPECT_NE(fault().find("has been changed since the run"), std::string::npos) << fault();
}

}  // namespace
}  // namespace plumb
