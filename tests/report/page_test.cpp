// What a page carries: all numbers, the scene, nothing that could break out of it.
#include "plumb/report/page.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "plumb/model/reader.h"
#include "plumb/report/packed_columns.h"
#include "plumb/report/sliders.h"
#include "plumb/report/standard_plots.h"
#include "models.h"

namespace plumb {
namespace {

std::vector<unsigned char> from_base64(const std::string& text) {
  std::vector<unsigned char> out;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bits = bits << 6 | static_cast<std::uint32_t>(letters.find(c));
    have += 6;
    if (have >= 8) have -= 8, out.push_back(static_cast<unsigned char>(bits >> have));
  }
  return out;
}

// The reading side, written independently of web/.
std::vector<std::vector<double>> unpacked(const nlohmann::ordered_json& table) {
  const std::size_t rows = table["rows"];
  std::size_t varying = 0;
  for (const auto& c : table["columns"]) varying += !c.contains("constant");
  std::vector<unsigned char> bytes(8 * rows * varying + 1);
  uLongf size = bytes.size();
  const auto packed = from_base64(table["data"]);
  EXPECT_EQ(uncompress(bytes.data(), &size, packed.data(), packed.size()), Z_OK);
  EXPECT_EQ(size, 8 * rows * varying);
  std::vector<std::vector<double>> columns;
  std::size_t at = 0;
  for (const auto& c : table["columns"]) {
    std::vector<double> v(rows, c.value("constant", 0.0));
    if (!c.contains("constant")) {
      for (std::size_t r = 0; r < rows; ++r) {
        unsigned char number[8];
        for (std::size_t k = 0; k < 8; ++k) number[k] = bytes[at + k * rows + r];
        std::memcpy(&v[r], number, 8);
      }
      at += 8 * rows;
    }
    columns.push_back(v);
  }
  return columns;
}

TEST(Page, CarriesEveryBitOfEveryChannel) {
  Model m = testing::chain(3, "revolute");
  const Result r = simulate(m);
  const auto data = page_data(stored(m, r));
  const auto columns = unpacked(data["table"]);
  ASSERT_EQ(columns.size(), r.trajectory.columns().size());
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t row = 0; row < r.trajectory.rows(); ++row)
      ASSERT_EQ(columns[c][row], r.trajectory.row(row)[c]) << r.trajectory.columns()[c];
}

TEST(Page, ThinsLongRunsButKeepsFirstLastAndExtremes) {
  Model m = testing::pendulum(1.0);
  m.simulation.duration = 10;
  m.simulation.output_every = 0.001;
  const Result r = simulate(m);
  const StoredRun run = stored(m, r);
  PageOptions options;
  options.max_values = 10000;
  const auto rows = displayed_rows(run.trajectory, options);
  EXPECT_LT(rows.size(), 2000u);
  EXPECT_EQ(rows.front(), 0u);
  EXPECT_EQ(rows.back(), run.trajectory.rows() - 1);
  const auto data = page_data(run, options);
  const auto x = run.trajectory["bob.x"];
  for (const auto& c : data["table"]["columns"])
    if (c["name"] == "bob.x") {
      EXPECT_EQ(c["max"].get<double>(), *std::ranges::max_element(x));
      EXPECT_EQ(c["min"].get<double>(), *std::ranges::min_element(x));
    }
}

TEST(Page, AnchorsAreWhereTheJointsAre) {
  // An inertia with products: principal axes are not body axes, and anchors must come out in body axes.
  const Model m = parse_model(R"toml(
[bodies.plate]
mass = 2
inertia = [0.3, 0.4, 0.5, 0.05, -0.04, 0.03]
position = [0.3, 0.1, -0.2]
rotation = { axis = [1, 2, 3], angle = 0.7 }
[joints.hook]
type = "spherical"
from = "ground"
to = "plate"
point = [0, 0, 0]
[joints.moving]
type = "rod"
from = "ground"
to = "plate"
from_point = [2, 0, "0.1*sin(t)"]
[simulation]
duration = 1
output_every = 0.25
)toml",
                              "plate.toml");
  const Result r = simulate(m);
  const auto data = page_data(stored(m, r));
  const auto& hook = data["scene"]["joints"][0]["to"];
  ASSERT_EQ(hook["body"], 0);
  const auto columns = unpacked(data["table"]);
  for (std::size_t row = 0; row < r.trajectory.rows(); ++row) {
    const auto value = [&](const std::string& name) { return r.trajectory.row(row)[r.trajectory.column(name)]; };
    const Quaternion q{value("plate.qw"), value("plate.qx"), value("plate.qy"), value("plate.qz")};
    const Vec3 s(hook["at"][0].get<double>(), hook["at"][1].get<double>(), hook["at"][2].get<double>());
    const Vec3 p = Vec3(value("plate.x"), value("plate.y"), value("plate.z")) + q.matrix() * s;
    EXPECT_LT(p.norm(), 1e-10) << row;
    const std::size_t track = data["scene"]["joints"][1]["from"]["track"];
    EXPECT_DOUBLE_EQ(columns[track][row], 2);
    EXPECT_NEAR(columns[track + 2][row], 0.1 * std::sin(value("t")), 1e-15);
  }
}

TEST(Page, ABodyWithoutAShapeIsShownAsABoxOfTheSameInertia) {
  const Box box{{0.3, 0.2, 0.1}};
  const Vec3 moments = 5 * unit_inertia(Shape{box}).moments;
  Model m;
  m.add(Body{.name = "b", .mass = 5.0, .inertia = Inertia{moments, Vec3::Zero()}});
  m.simulation.duration = 0.1;
  const auto shape = page_data(stored(m, simulate(m)))["scene"]["bodies"][0]["shape"];
  EXPECT_EQ(shape["type"], "box");
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(shape["size"][k].get<double>(), box.size[k], 1e-12);
}

TEST(Page, NoTextOfTheModelCanEndTheScript) {
  Model m = testing::pendulum(0.1);
  m.title = "</script><script>alert('x')</script><!-- \xE2\x80\xA8 \"";
  const Result r = simulate(m);
  const std::string page = result_page(stored(m, r));
  // Two scripts of our own, closed once each.
  std::size_t closed = 0;
  for (std::size_t at = page.find("</script"); at != std::string::npos; at = page.find("</script", at + 1)) ++closed;
  EXPECT_EQ(closed, 2u);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  EXPECT_NE(page.find("<title>&lt;/script&gt;&lt;script&gt;alert(&#39;x&#39;)"), std::string::npos);
  const auto data = nlohmann::json::parse(embedded_json(page_data(stored(m, r))));
  EXPECT_EQ(data["summary"]["title"], m.title);
  for (const char* loading : {"<link rel=\"stylesheet\"", "src=\"http", "@import", "url(http"})
    EXPECT_EQ(page.find(loading), std::string::npos) << loading;
}

TEST(StandardPlots, NameTheNearestChannel) {
  const Model m = testing::pendulum(0.5);
  const StoredRun run = stored(m, simulate(m));
  try {
    figure_of(run, {"", {"bob.xx"}});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("bob.x"), std::string::npos) << e.what();
  }
  const Figure f = figure_of(run, {"", {"bob.x"}});
  EXPECT_EQ(f.x.label, "t (s)");
  EXPECT_EQ(f.y.label, "bob.x (m)");
  EXPECT_EQ(figure_of(run, {"", {"bob.x", "bob.vx"}}).curves[1].name, "bob.vx (m/s)");
}

TEST(StandardPlots, ARunWithoutBodiesShowsItsUnknownsAndTheirPhase) {
  StoredRun run;
  run.trajectory = Trajectory({"t", "x", "y", "watch.e"});
  for (int i = 0; i < 3; ++i) run.trajectory.append(std::vector<double>{0.1 * i, std::cos(i), std::sin(i), 1});
  run.summary = {{"title", "Equations"}, {"events", nlohmann::ordered_json::array()}};
  const auto plots = standard_plots(run);
  ASSERT_EQ(plots.size(), 2u);
  EXPECT_EQ(plots[0].channels, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(plots[1].x, "x");
  const auto data = page_data(run);
  EXPECT_TRUE(data["scene"].is_null());
  EXPECT_FALSE(data.contains("derivation"));
  EXPECT_EQ(figure_of(run, plots[1]).x.label, "x");
}

#ifdef PLUMB_EQUATIONS
TEST(Page, AModelOfEquationsShowsItsDerivation) {
  const Model model = parse_model(R"(
title = "a </script> b"
[equations]
differential = ["x' = u", "y' = v", "u' = -x*mu", "v' = -y*mu - 9.81"]
algebraic    = ["x^2 + y^2 = 1"]
[initial]
x = 1
[simulation]
duration = 0.1
)",
                                  "test.toml", {});
  const std::string text = page_data(stored(model, simulate(model)))["derivation"];
  EXPECT_NE(text.find("<details open><summary>Equations</summary>"), std::string::npos) << text;
  EXPECT_NE(text.find("<msup><mrow><mi>x</mi></mrow><mrow><mn>2</mn></mrow></msup>"), std::string::npos);
  EXPECT_EQ(text.find("script"), std::string::npos);
}
#endif

const char* const spring = R"(
[parameters]
k = 40
c = "60 deg"
half = "k/2"
[bodies.a]
mass = 1
position = [1, 0, 0]
[bodies.b]
sphere = 0.1
mass = 1
position = [2, 0, 0]
[forces.f]
type = "spring"
from = "a"
to = "b"
stiffness = "half"
[simulation]
duration = 1
)";

TEST(Sliders, AreThePlainParametersAndTheStart) {
  const Model m = parse_model(spring, "spring.toml");
  std::vector<std::string> names;
  for (const Slider& s : parameter_sliders(m)) {
    names.push_back(s.name);
    EXPECT_LT(s.low, s.value);
    EXPECT_GT(s.high, s.value);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"c", "k"}));  // half follows from k
  EXPECT_EQ(start_sliders(m).size(), 6u + 9u);
}

TEST(Sliders, MoveTheModel) {
  const Model m = parse_model(spring, "spring.toml");
  const Model n = moved(m, {{"k", 10}, {"a.vx", 3}, {"b.wz", -2}, {"b.y", 0.5}});
  EXPECT_EQ(*n.forces[0].stiffness, 5);
  EXPECT_EQ(*n.bodies[0].velocity, Vec3(3, 0, 0));
  EXPECT_EQ(*n.bodies[1].angular_velocity, Vec3(0, 0, -2));
  EXPECT_EQ(n.bodies[1].position, Vec3(2, 0.5, 0));
  EXPECT_NE(model_hash(n), model_hash(m));
  EXPECT_THROW(moved(m, {{"kk", 1}}), InputError);
  EXPECT_THROW(moved(m, {{"k", std::nan("")}}), InputError);
}

}  // namespace
}  // namespace plumb
