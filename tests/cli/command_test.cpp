// The command as a user types it: exit codes, what goes to which stream, files, JSON.
#include "command.h"

#include <cmath>

namespace {

const char* const pendulum = R"toml(
title = "A pendulum"
[parameters]
a = "60 deg"
l = 0.7
[bodies.bob]
mass = 2
position = ["l*sin(a)", 0, "-l*cos(a)"]
[joints.rod]
type = "rod"
from = "ground"
to = "bob"
from_point = [0, 0, 0]
[events.down]
zero_of = "bob.x"
[simulation]
duration = 3
)toml";

TEST_F(Command, RunPrintsAnAuditedSummary) {
  const Output o = plumb("run " + write("p.toml", pendulum));
  EXPECT_EQ(o.code, 0);
  for (const char* text : {"A pendulum", "completed at t = 3 s", "energy drift", "position violation",
                           "velocity violation", "down", "final state", "bob"})
    EXPECT_NE(o.out.find(text), std::string::npos) << text;
  EXPECT_EQ(o.err, "");
}

TEST_F(Command, JsonIsAloneOnStandardOutput) {
  const Output o = plumb("run " + write("p.toml", pendulum) + " --json --error");
  EXPECT_EQ(o.code, 0);
  const json j = json::parse(o.out);
  EXPECT_EQ(j["outcome"], "completed");
  EXPECT_EQ(j["method"], "projected/dop853");
  EXPECT_LT(j["energy"]["max_drift"].get<double>(), 1e-7);
  EXPECT_LT(j["violation"]["position"].get<double>(), 1e-14);
  EXPECT_GT(j["error"]["max"].get<double>(), 0);
  EXPECT_LT(j["error"]["max"].get<double>(), 1e-7);
  EXPECT_EQ(j["error"]["final"].size(), 1u);
  EXPECT_GE(j["events"].size(), 3u);
}

TEST_F(Command, OptionsOverrideTheModel) {
  const std::string p = write("p.toml", pendulum);
  json j = json::parse(
      plumb("run " + p + " --json --method projected/rk4 --step 0.01 --duration 1 --set l=2 --set 'a=30 deg'").out);
  EXPECT_EQ(j["method"], "projected/rk4");
  EXPECT_EQ(j["steps"], 100);
  EXPECT_EQ(j["time"], 1.0);
  const auto x = j["final"]["bob"]["position"];
  EXPECT_NEAR(std::hypot(x[0].get<double>(), x[2].get<double>()), 2, 1e-14);
  j = json::parse(plumb("run " + p + " --json --tolerance 1e-6").out);
  EXPECT_EQ(j["tolerance"], 1e-6);
}

TEST_F(Command, WithoutOutNothingIsWritten) {
  const std::string p = write("p.toml", pendulum);
  plumb("run " + p);
  int files = 0;
  for (const auto& e : fs::directory_iterator(folder_)) files += e.path().filename() != "stderr";
  EXPECT_EQ(files, 1);
}

TEST_F(Command, OutGetsTheResultFiles) {
  const std::string p = write("p.toml", pendulum), out = (folder_ / "results/deep").string();
  const Output o = plumb("run " + p + " --out " + out + " --format iftomm --output-every 0.5");
  EXPECT_EQ(o.code, 0);
  EXPECT_NE(o.out.find("results in " + out), std::string::npos);
  for (const char* name : {"trajectory.csv", "events.csv", "summary.json", "iftomm.txt"})
    EXPECT_TRUE(fs::exists(fs::path(out) / name)) << name;
  const std::string csv = read(fs::path(out) / "trajectory.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 8);  // header, 0 … 3
  EXPECT_EQ(json::parse(read(fs::path(out) / "summary.json"))["outcome"], "completed");
}

TEST_F(Command, QuietPrintsNothing) {
  const Output o = plumb("run " + write("p.toml", pendulum) + " --quiet");
  EXPECT_EQ(o.out + o.err, "");
  EXPECT_EQ(o.code, 0);
}

TEST_F(Command, BadInputExitsWithTwoAndOverwritesNothing) {
  const std::string good = write("p.toml", pendulum), out = (folder_ / "results").string();
  ASSERT_EQ(plumb("run " + good + " --out " + out + " --quiet").code, 0);
  const std::string before = read(fs::path(out) / "trajectory.csv");
  const std::string bad = write("bad.toml", std::string(pendulum) + "tolerence = 1\n");
  const Output o = plumb("run " + bad + " --out " + out);
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.out, "");
  EXPECT_NE(o.err.find("bad.toml:18: simulation: unknown key 'tolerence'; did you mean 'tolerance'?"),
            std::string::npos)
      << o.err;
  EXPECT_EQ(read(fs::path(out) / "trajectory.csv"), before);
}

TEST_F(Command, BadCommandLinesExitWithTwo) {
  const std::string p = write("p.toml", pendulum);
  for (const std::string& arguments :
       {std::string("run"), std::string("rum x"), std::string(""), "run " + p + " --stop 1",
        "run " + p + " --step 1e-3 --tolerance 1e-3", "run " + p + " --step -1", "run " + p + " --set l",
        "run " + p + " --set q=1", "run " + p + " --method euler", "run " + p + " --format pdf",
        "run " + p + " --format iftomm", "run " + folder_.string(), std::string("run nothere.toml"),
        std::string("validate nonesuch")}) {
    const Output o = plumb(arguments);
    EXPECT_EQ(o.code, 2) << arguments;
    EXPECT_FALSE(o.err.empty()) << arguments;
  }
}

TEST_F(Command, ContradictoryJointsAreBadInput) {
  const std::string text = std::string(pendulum) + R"([joints.other]
type = "rod"
from = "ground"
to = "bob"
from_point = [5, 0, 0]
length = 1
)";
  const std::string p = write("two.toml", text), out = (folder_ / "none").string();
  const Output o = plumb("run " + p + " --out " + out);
  EXPECT_EQ(o.code, 2);
  EXPECT_NE(o.err.find("inconsistent start: joint '"), std::string::npos) << o.err;
  EXPECT_NE(o.err.find("two.toml:"), std::string::npos) << o.err;
  EXPECT_FALSE(fs::exists(out));
  const Output c = plumb("check " + p);
  EXPECT_EQ(c.code, 2);
  EXPECT_NE(c.err.find("inconsistent start"), std::string::npos);
}

TEST_F(Command, ANumericalFailureExitsWithOneAndKeepsThePart) {
  const std::string p =
      write("nan.toml",
            std::string(pendulum) + "[forces.f]\ntype = \"force\"\non = \"bob\"\nforce = [\"sqrt(1 - t)\", 0, 0]\n");
  const std::string out = (folder_ / "part").string();
  const Output o = plumb("run " + p + " --out " + out + " --method projected/rk4 --step 0.01");
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("non-finite: body 'bob'"), std::string::npos) << o.err;
  EXPECT_EQ(json::parse(read(fs::path(out) / "summary.json"))["partial"], true);
  EXPECT_GT(read(fs::path(out) / "trajectory.csv").size(), 1000u);
}

TEST_F(Command, StartsThatWereMovedAreSaidOnStandardError) {
  const Output o = plumb(
      "run " +
      write("m.toml", std::string(pendulum).replace(std::string(pendulum).find("from_point"), 0, "length = 0.8\n")) +
      " --json");
  EXPECT_EQ(o.code, 0);
  EXPECT_NE(o.err.find("body 'bob' was moved by 0.1 m onto the joints"), std::string::npos) << o.err;
  EXPECT_EQ(json::parse(o.out)["messages"].size(), 1u);
}

TEST_F(Command, CheckReportsFreedomAndRedundancy) {
  const Output o = plumb("check " PLUMB_SOURCE_DIR "/cases/pinned-bar/prism.toml");
  EXPECT_EQ(o.code, 0);
  for (const char* text : {"degrees of freedom", "1 redundant", "pin1, pin2"})
    EXPECT_NE(o.out.find(text), std::string::npos) << text;
  const json j = json::parse(plumb("check --json " PLUMB_SOURCE_DIR "/cases/pinned-bar/prism.toml").out);
  EXPECT_EQ(j["degrees_of_freedom"], 1);
  EXPECT_EQ(j["rank"], 5);
  EXPECT_EQ(j["redundancies"][0], json({"pin1", "pin2"}));
}

TEST_F(Command, StaticFindsTheRestAndModesTheFrequency) {
  const std::string model = write("p.toml", pendulum);
  const Output rest = plumb("run " + model + " --static --json");
  ASSERT_EQ(rest.code, 0) << rest.err;
  const json e = json::parse(rest.out);
  EXPECT_TRUE(e["stable"].get<bool>());
  EXPECT_NEAR(e["final"]["bob"]["position"][2].get<double>(), -0.7, 1e-12);
  EXPECT_NEAR(e["reactions"]["rod"]["force"][2].get<double>(), 2 * 9.81, 1e-9);
  const Output swing = plumb("modes " + model + " --static --json");
  ASSERT_EQ(swing.code, 0) << swing.err;
  const json m = json::parse(swing.out)["modes"];
  ASSERT_EQ(m.size(), 2u);  // in two directions
  EXPECT_NEAR(m[0]["frequency"].get<double>(), std::sqrt(9.81 / 0.7) / (2 * M_PI), 1e-9);
  // About the start, which is not at rest, it says so.
  EXPECT_NE(plumb("modes " + model).out.find("neither at rest nor in steady motion"), std::string::npos);
}

TEST_F(Command, DrivesThatFightAreBadInput) {
  const std::string crank = R"toml(
[bodies.bar]
box = [0.1, 0.1, 1]
mass = 1
position = [0, 0, -0.5]
[joints.one]
type = "revolute"
from = "ground"
to = "bar"
point = [0, 0, 0]
axis = [0, 1, 0]
angle = "2*t"
[joints.two]
type = "revolute"
from = "ground"
to = "bar"
point = [0, 0, 0]
axis = [0, 1, 0]
angle = "3*t"
[simulation]
duration = 1
)toml";
  const std::string model = write("fight.toml", crank);
  for (const std::string command : {"run ", "check "}) {
    const Output o = plumb(command + model);
    EXPECT_EQ(o.code, 2) << command;
    EXPECT_NE(o.err.find("fight.toml:"), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("velocities that cannot all be had"), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("'one'"), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("'two'"), std::string::npos) << o.err;
  }
}

TEST_F(Command, ConvertListsWhatItLeavesOutAndOverwritesNothing) {
  const std::string urdf = write("r.urdf", R"(<robot name="r"><link name="base"/><link name="arm"><visual/>
<inertial><origin xyz="0 0 -0.5"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.01"/></inertial></link>
<joint name="pin" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>)");
  const std::string out = (folder_ / "r.toml").string();
  const Output o = plumb("convert " + urdf + " -o " + out);
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("r.urdf:1: not converted: link 'arm': <visual>"), std::string::npos) << o.err;
  EXPECT_NE(read(out).find("# Not converted: line 1: link 'arm': <visual>"), std::string::npos);
  EXPECT_EQ(plumb("run " + out + " --quiet").code, 0);
  EXPECT_EQ(plumb("convert " + urdf + " -o " + out).code, 2);
  const Output bad = plumb("convert " + write("bad.urdf", "<robot>\n<joint name='j'/></robot>"));
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("bad.urdf:"), std::string::npos) << bad.err;
}

TEST_F(Command, MethodsListTheGrid) {
  const json j = json::parse(plumb("methods --json").out);
  EXPECT_EQ(j.size(), 27u);
  const Output o = plumb("methods");
  for (const char* name :
       {"index1/euler", "baumgarte/midpoint", "projected/dop853", "index1/radau5", "rattle", "moreau", "trapezoidal"})
    EXPECT_NE(o.out.find(name), std::string::npos) << name;
}

TEST_F(Command, ValidateFollowsTheContract) {
  const Output o = plumb("validate pinned-bar --json");
  EXPECT_EQ(o.code, 0);
  const json j = json::parse(o.out);
  EXPECT_EQ(j["passed"], true);
  const json& q = j["cases"][0]["quantities"][0];
  for (const char* key : {"name", "unit", "target", "published", "value", "ratio", "tolerance", "passed"})
    EXPECT_TRUE(q.contains(key)) << key;
  EXPECT_NEAR(q["ratio"].get<double>(), 1, 1e-9);
}

TEST_F(Command, AMissedTargetExitsWithThree) {
  // A copy of the cases with one target moved.
  fs::copy(PLUMB_SOURCE_DIR "/cases", folder_ / "cases", fs::copy_options::recursive);
  std::string text = read(folder_ / "cases/pinned-bar/case.toml");
  text.replace(text.find("2.11564871008266307"), 19, "2.11564870008266307");
  std::ofstream(folder_ / "cases/pinned-bar/case.toml") << text;
  setenv("PLUMB_CASES", (folder_ / "cases").c_str(), 1);
  const Output o = plumb("validate pinned-bar");
  unsetenv("PLUMB_CASES");
  EXPECT_EQ(o.code, 3);
  EXPECT_NE(o.out.find("MISSED"), std::string::npos);
}

TEST_F(Command, VersionAndHelp) {
  EXPECT_EQ(plumb("--version").out, "plumb 0.1.0\n");
  const Output o = plumb("run --help");
  EXPECT_EQ(o.code, 0);
  EXPECT_NE(o.out.find("--tolerance"), std::string::npos);
}

#ifdef PLUMB_EQUATIONS
const char* const equations = R"toml(
title = "Equations"
[parameters]
g = 9.81
[equations]
differential = ["x' = u", "y' = v", "u' = -x*mu", "v' = -y*mu - g"]
algebraic    = ["x^2 + y^2 = 1"]
[initial]
x = 0.8
y = -0.6
[watch]
energy = "(u^2 + v^2)/2 + g*y"
[events.bottom]
zero_of = "x"
[simulation]
duration = 2
tolerance = 1e-10
)toml";

TEST_F(Command, EquationsRunLikeAnyModel) {
  const std::string model = write("equations.toml", equations);
  const Output o = plumb("run " + model + " --json --out " + (folder_ / "results").string());
  ASSERT_EQ(o.code, 0) << o.err;
  const json summary = json::parse(o.out);
  EXPECT_EQ(summary["outcome"], "completed");
  EXPECT_LT(summary["energy"]["max_drift"], 1e-7);
  EXPECT_LT(summary["violation"]["position"], 1e-14);
  EXPECT_LT(summary["watch"]["energy"]["max_change"], 1e-7);
  EXPECT_TRUE(summary["final"]["mu"].is_number());
  EXPECT_GE(summary["events"].size(), 2u);
  const std::string csv = read(folder_ / "results/trajectory.csv");
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "t,x,y,u,v,mu,energy,violation.position,violation.velocity,violation.acceleration");
}

TEST_F(Command, WhatEquationsCannotDoIsRefused) {
  const std::string model =
      write("vdp.toml", "[equations]\ndifferential = [\"x' = v\", \"v' = -x\"]\n[simulation]\nduration = 1\n");
  for (const std::string& command :
       {"modes " + model, "modes --static " + model, "run --static " + model, "run --static --json " + model}) {
    const Output r = plumb(command);
    EXPECT_EQ(r.code, 2) << command;
    EXPECT_NE(r.err.find("vdp.toml:1: equations: this is for mechanisms"), std::string::npos) << r.err;
    EXPECT_TRUE(r.out.empty());
  }
}

TEST_F(Command, EquationsAreCheckedAndFixed) {
  std::string text = equations;
  const std::string bad = write("bad.toml", text.replace(text.find("y = -0.6"), 8, "y = -0.7"));
  const Output refused = plumb("run " + bad + " --out " + (folder_ / "none").string());
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("constraint 1: the start violates it by 0.13"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--fix-start"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "none"));
  EXPECT_EQ(plumb("run " + bad + " --fix-start").code, 0);
  const Output checked = plumb("check " + bad + " --json");
  EXPECT_EQ(checked.code, 2);
  EXPECT_EQ(json::parse(checked.out)["index"], 3);
  EXPECT_EQ(json::parse(checked.out)["degrees_of_freedom"], 2);
}

// The order of GiNaC's terms depends on addresses, which differ from run to run; nothing of ours may.
TEST_F(Command, EquationsGiveTheSameBitsInEveryProcess) {
  const std::string model = write("equations.toml", equations);
  const auto once = [&] {
    plumb("run " + model + " --quiet --out " + (folder_ / "again").string());
    return read(folder_ / "again/trajectory.csv") + plumb("derive " + model + " --method index0/midpoint").out +
           plumb("derive --c " + model).out;
  };
  const std::string first = once();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(first, once());
}

TEST_F(Command, MechanismsBecomeEquations) {
  const std::string file = (folder_ / "as-equations.toml").string();
  const Output o = plumb("derive --toml " + write("pendulum.toml", pendulum) + " -o " + file);
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(plumb("run " + file).code, 0);
}
#endif

// Pages and plots: what is written, and that nothing is written or overwritten when something is wrong.

TEST_F(Command, WritesAPageAndTheSameFromStoredResults) {
  const std::string model = write("p.toml", pendulum), results = (folder_ / "r").string();
  const Output o = plumb("run " + model + " --html " + (folder_ / "p.html").string() + " --out " + results);
  EXPECT_EQ(o.code, 0) << o.err;
  const std::string page = read(folder_ / "p.html");
  EXPECT_EQ(page.substr(0, 15), "<!doctype html>");
  EXPECT_NE(page.find("A pendulum"), std::string::npos);
  EXPECT_EQ(plumb("view " + results + " --html " + (folder_ / "again.html").string()).code, 0);
  EXPECT_EQ(read(folder_ / "again.html"), page);
  EXPECT_EQ(plumb("view " + results).code, 0);
  EXPECT_TRUE(fs::exists(folder_ / "r/result.html"));
}

TEST_F(Command, PlotsChannelsAsSvgAndPng) {
  const std::string results = (folder_ / "r").string();
  ASSERT_EQ(plumb("run " + write("p.toml", pendulum) + " --quiet --out " + results).code, 0);
  const auto plot = [&](const std::string& rest) { return plumb("plot " + results + " " + rest); };
  EXPECT_EQ(plot("bob.x bob.z --title Swing -o " + (folder_ / "a.svg").string()).code, 0);
  const std::string svg = read(folder_ / "a.svg");
  EXPECT_EQ(svg.substr(0, 4), "<svg");
  for (const char* text : {"Swing", "bob.x", "bob.z", "t (s)", "(m)"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  EXPECT_EQ(plot("--x bob.x --y bob.z -o " + (folder_ / "b.png").string()).code, 0);
  EXPECT_EQ(read(folder_ / "b.png").substr(1, 3), "PNG");
  EXPECT_GT(fs::file_size(folder_ / "b.png"), 5000u);

  const Output unknown = plot("bob.zz -o " + (folder_ / "c.svg").string());
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("there is no channel 'bob.zz'"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("bob.z"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "c.svg"));
  EXPECT_EQ(plot("bob.x -o " + (folder_ / "a.pdf").string()).code, 2);
  EXPECT_EQ(plot("-o " + (folder_ / "a.svg").string()).code, 2);
  EXPECT_EQ(plot("bob.x --width 1e9 -o " + (folder_ / "a.svg").string()).code, 2);
  EXPECT_EQ(read(folder_ / "a.svg"), svg);
}

TEST_F(Command, RefusesPlacesItCannotWriteBeforeItRuns) {
  const std::string model = write("p.toml", pendulum);
  const Output missing = plumb("run " + model + " --html " + (folder_ / "no/such/p.html").string());
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("there is no directory"), std::string::npos) << missing.err;
  EXPECT_EQ(missing.out, "");
  const Output directory = plumb("run " + model + " --html " + folder_.string());
  EXPECT_EQ(directory.code, 2);
  EXPECT_NE(directory.err.find("is a directory"), std::string::npos) << directory.err;
  EXPECT_EQ(plumb("validate pinned-bar --report " + model + "/report").code, 2);
}

TEST_F(Command, RefusesResultsThatAreNoneOfItsOwn) {
  fs::create_directories(folder_ / "other");
  const Output none = plumb("view " + (folder_ / "other").string());
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("holds no results"), std::string::npos) << none.err;
  std::ofstream(folder_ / "other/summary.json") << "{\"outcome\": \"completed\", \"version\": \"9.9\", \"format\": 7}";
  const Output newer = plumb("plot " + (folder_ / "other").string() + " a -o " + (folder_ / "a.svg").string());
  EXPECT_EQ(newer.code, 2);
  EXPECT_NE(newer.err.find("plumb 9.9 in layout 7"), std::string::npos) << newer.err;
  EXPECT_FALSE(fs::exists(folder_ / "other/result.html"));
}

TEST_F(Command, ValidationWritesAReport) {
  const Output o = plumb("validate pinned-bar --report " + (folder_ / "report").string());
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("report in"), std::string::npos);
  const std::string index = read(folder_ / "report/index.html");
  for (const char* text : {"Pinned bar", "<svg", "pinned-bar-1.html#embed", "all targets met", "g++"})
    EXPECT_NE(index.find(text), std::string::npos) << text;
  EXPECT_TRUE(fs::exists(folder_ / "report/pinned-bar-1.html"));
}

}  // namespace
