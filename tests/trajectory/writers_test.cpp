#include "plumb/trajectory/writers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <nlohmann/json.hpp>

#include "models.h"

namespace plumb {
namespace fs = std::filesystem;
namespace {

class Writers : public ::testing::Test {
 protected:
  Writers() : folder_(fs::temp_directory_path() / ("plumb-writers-" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
  }
  ~Writers() override { fs::remove_all(folder_); }

  Result run(const Model& m) {
    std::unique_ptr<ResultDirectory> directory;
    RunOptions options;
    options.on_columns = [&](const auto& columns) {
      directory = std::make_unique<ResultDirectory>(folder_);
      directory->begin_trajectory(columns);
    };
    options.on_row = [&](auto row) { directory->write_row(row); };
    Result r = simulate(m, options);
    directory->finish(r);
    return r;
  }

  std::string text(const char* name) const {
    std::ifstream in(folder_ / name);
    std::stringstream s;
    s << in.rdbuf();
    return s.str();
  }

  fs::path folder_;
};

TEST_F(Writers, CsvHoldsEveryBit) {
  Model m = testing::pendulum(1.0);
  m.add(Event{.name = "down", .zero_of = "bob.x"});
  m.simulation.output_every = 0.1;
  const Result r = run(m);
  std::istringstream in(text("trajectory.csv"));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line.substr(0, 45), "t,bob.x,bob.y,bob.z,bob.vx,bob.vy,bob.vz,ener");
  std::size_t rows = 0;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (double x : r.trajectory.row(rows)) {
      ASSERT_TRUE(std::getline(cells, cell, ','));
      EXPECT_EQ(std::stod(cell), x);
    }
    ++rows;
  }
  EXPECT_EQ(rows, 11u);
  EXPECT_EQ(rows, r.trajectory.rows());
  EXPECT_EQ(text("events.csv").substr(0, 17), "name,direction,t,");
  EXPECT_NE(text("events.csv").find("down,falling,0."), std::string::npos);
}

TEST_F(Writers, SummaryFollowsTheContract) {
  Model m = testing::chain(2, "revolute");
  m.add(Event{.name = "down", .zero_of = "link0.vz + 1"});
  run(m);
  const auto j = nlohmann::json::parse(text("summary.json"));
  EXPECT_EQ(j["outcome"], "completed");
  for (const char* key : {"time", "method", "steps", "evaluations", "cpu_seconds", "energy", "violation", "events",
                          "final", "version", "model_hash"})
    EXPECT_TRUE(j.contains(key)) << key;
  for (const char* key : {"initial", "final", "max_drift"}) EXPECT_TRUE(j["energy"][key].is_number()) << key;
  EXPECT_TRUE(j["violation"]["position"].is_number());
  EXPECT_EQ(j["final"]["link1"]["position"].size(), 3u);
  EXPECT_EQ(j["events"][0]["name"], "down");
  EXPECT_EQ(j["events"][0]["kind"], "event");
  EXPECT_FALSE(j.contains("partial"));
}

TEST_F(Writers, NothingHalfWrittenRemains) {
  run(testing::pendulum(1.0));
  for (const auto& entry : fs::directory_iterator(folder_))
    EXPECT_EQ(entry.path().extension().string().find("part"), std::string::npos) << entry.path();
}

TEST_F(Writers, FailedRunsAreKeptAndMarked) {
  Model m = testing::pendulum(1.0);
  m.add(Force{.name = "bad", .type = "force", .on = "bob", .force = Point{"1/(0.5 - t > 0 ? 1 : 0)", 0.0, 0.0}});
  m.simulation.method = "projected/rk4";
  m.simulation.step = 0.01;
  const Result r = run(m);
  const auto j = nlohmann::json::parse(text("summary.json"));
  EXPECT_EQ(j["outcome"], "non-finite");
  EXPECT_EQ(j["partial"], true);
  EXPECT_EQ(text("trajectory.csv").find("nan"), std::string::npos);
  EXPECT_GT(r.trajectory.rows(), 400u);
}

TEST_F(Writers, SixColumns) {
  Model m = testing::pendulum(1.0);
  m.simulation.output_every = 0.25;
  const Result r = simulate(m);
  const std::string six = six_columns(r.trajectory, "bob.x", "bob.z");
  std::istringstream in(six);
  std::string line;
  int rows = 0;
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    double t, x, z, e, g, v;
    ASSERT_TRUE(cells >> t >> x >> z >> e >> g >> v);
    EXPECT_NEAR(t, 0.25 * rows, 1e-12);
    EXPECT_NEAR(x, r.trajectory["bob.x"][rows], 1e-15);
    EXPECT_LT(std::abs(e), 1e-8);  // energy relative to the start
    ++rows;
  }
  EXPECT_EQ(rows, 5);
}

TEST_F(Writers, ADirectoryThatCannotBeMadeIsSaid) {
  std::ofstream(folder_.string() + "-file").close();
  EXPECT_THROW(ResultDirectory(folder_.string() + "-file/x"), InputError);
  fs::remove(folder_.string() + "-file");
}

TEST(Trajectory, UnknownChannelsOfferTheNearest) {
  const Result r = simulate(testing::pendulum(1.0));
  try {
    r.trajectory.column("bob.vxx");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "there is no channel 'bob.vxx'; did you mean 'bob.vx'?");
  }
}

}  // namespace
}  // namespace plumb
