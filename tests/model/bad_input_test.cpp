// Every mistake a file can hold gets one message with file, line, element and what would be right.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "plumb/model/reader.h"
#include "plumb/simulation/simulation.h"

namespace plumb {
namespace {

struct Mistake {
  std::string name;
  std::string text;
  std::vector<std::string> says;  // fragments of the message
};

// A good pendulum, line by line; mistakes replace one line or add some at the end (from line 16 on).
const std::vector<std::string> good = {
    /* 1 */ "[parameters]",
    /* 2 */ "l = 1.0",
    /* 3 */ "[bodies.bob]",
    /* 4 */ "mass = 1.0",
    /* 5 */ "position = [1, 0, 0]",
    /* 6 */ "[joints.rod]",
    /* 7 */ "type = \"rod\"",
    /* 8 */ "from = \"ground\"",
    /* 9 */ "to = \"bob\"",
    /* 10 */ "from_point = [0, 0, 0]",
    /* 11 */ "[simulation]",
    /* 12 */ "duration = 1",
    /* 13 */ "method = \"projected/dop853\"",
    /* 14 */ "tolerance = 1e-9",
    /* 15 */ ""};

std::string with(int line, const std::string& replacement, const std::string& appended = "") {
  std::string text;
  for (int i = 1; i <= static_cast<int>(good.size()); ++i) text += (i == line ? replacement : good[i - 1]) + "\n";
  return text + appended;
}

std::string plus(const std::string& appended) { return with(0, "", appended); }

const std::string bar = "[bodies.bar]\nbox = [1, 0.1, 0.1]\nmass = 2\n";

// Two wheels on parallel axles.
const std::string wheels = R"([bodies.w1]
sphere = 0.1
mass = 1
position = [3, 0, 0]
[bodies.w2]
sphere = 0.1
mass = 1
position = [4, 0, 0]
[joints.h1]
type = "revolute"
from = "ground"
to = "w1"
point = [3, 0, 0]
axis = [0, 0, 1]
[joints.h2]
type = "revolute"
from = "ground"
to = "w2"
point = [4, 0, 0]
axis = [0, 0, 1]
)";

std::vector<Mistake> mistakes() {
  return {
      {"UnknownKey", with(4, "mas = 1.0"), {"bad.toml:4:", "body 'bob'", "unknown key 'mas'", "did you mean 'mass'?"}},
      {"UnknownSection",
       plus("[body.x]\nmass = 1\n"),
       {"bad.toml:16:", "unknown key 'body'", "did you mean 'bodies'?"}},
      {"UnknownJointKey",
       with(10, "from_pont = [0, 0, 0]"),
       {"bad.toml:10:", "joint 'rod'", "did you mean 'from_point'?"}},
      {"KeyOfAnotherJoint", with(10, "axis = [0, 0, 1]"), {"bad.toml:10:", "joint 'rod'", "unknown key 'axis'"}},
      {"UnknownJointType",
       with(7, "type = \"revolut\""),
       {"bad.toml:7:", "unknown joint type 'revolut'", "did you mean 'revolute'?"}},
      {"MissingType", with(7, ""), {"bad.toml:6:", "joint 'rod'", "give type"}},
      {"MissingBody", with(9, "to = \"bobb\""), {"bad.toml:6:", "joint 'rod'", "to = \"bobb\"", "did you mean 'bob'?"}},
      {"MissingFrom", with(8, ""), {"bad.toml:6:", "a rod joint needs the key 'from'"}},
      {"GroundWithoutPoint", with(10, ""), {"bad.toml:6:", "from is the ground: give from_point"}},
      {"DuplicateName", plus("[bodies.bob]\nmass = 2\n"), {"bad.toml:16:", "not a TOML file", "bob"}},
      {"NegativeMass", with(4, "mass = -1.0"), {"bad.toml:3:", "body 'bob'", "mass = -1 kg must be positive"}},
      {"ZeroMass", with(4, "mass = 0"), {"bad.toml:3:", "mass = 0 kg must be positive"}},
      {"NoMass", with(4, ""), {"bad.toml:3:", "body 'bob'", "give mass"}},
      {"ImpossibleInertia",
       plus("[bodies.disc]\nmass = 1\ninertia = [1, 1, 3]\n"),
       {"bad.toml:16:", "body 'disc'", "no body has them"}},
      {"NegativeInertia",
       plus("[bodies.disc]\nmass = 1\ninertia = [1, 1, -1]\n"),
       {"bad.toml:16:", "must be positive"}},
      {"InertiaOfFour",
       plus("[bodies.disc]\nmass = 1\ninertia = [1, 1, 1, 0]\n"),
       {"bad.toml:18:", "inertia must be [xx, yy, zz]"}},
      {"ZeroLengthRod", with(10, "from_point = [1, 0, 0]"), {"bad.toml:6:", "joint 'rod'", "length zero"}},
      {"NegativeLength",
       with(10, "from_point = [0, 0, 0]\nlength = -2"),
       {"bad.toml:6:", "length = -2 m must be positive"}},
      {"ZeroAxis",
       plus(bar +
            "[joints.pin]\ntype = \"revolute\"\nfrom = \"ground\"\nto = \"bar\"\npoint = [0,0,0]\naxis = [0, 0, 0]\n"),
       {"bad.toml:19:", "joint 'pin'", "axis = [0, 0, 0] has no direction"}},
      {"ZeroRotationAxis",
       plus("[bodies.bar]\nbox = [1, 0.1, 0.1]\nmass = 2\nrotation = { axis = [0, 0, 0], angle = 1 }\n"),
       {"bad.toml:19:", "has no direction"}},
      {"NotANumber",
       with(5, "position = [nan, 0, 0]"),
       {"bad.toml:5:", "body 'bob'", "position", "not a finite number"}},
      {"Infinite", with(12, "duration = inf"), {"bad.toml:12:", "duration", "not a finite number"}},
      {"NotANumberByExpression", with(5, "position = [\"sqrt(-1)\", 0, 0]"), {"bad.toml:5:", "not a finite number"}},
      {"TwoComponents", with(5, "position = [1, 0]"), {"bad.toml:5:", "position must be a list of 3 numbers"}},
      {"TextForNumber", with(4, "mass = true"), {"bad.toml:4:", "mass must be a number or an expression in quotes"}},
      {"NotToml", with(4, "mass = = 1"), {"bad.toml:4:", "not a TOML file"}},
      {"Unclosed", with(5, "position = [1, 0, 0"), {"bad.toml:", "not a TOML file"}},
      {"UnknownParameter",
       with(4, "mass = \"2*ll\""),
       {"bad.toml:4:", "body 'bob': mass", "unknown name 'll'", "did you mean 'l'?", "^"}},
      {"CircularParameters", with(2, "l = \"2*m\"\nm = \"l/2\""), {"bad.toml:", "parameter", "in a circle"}},
      {"TimeInAPosition", with(5, "position = [\"t\", 0, 0]"), {"bad.toml:5:", "unknown name 't'"}},
      {"UnknownChannel",
       plus("[forces.f]\ntype = \"force\"\non = \"bob\"\nforce = [\"-bob.vy2\", 0, 0]\n"),
       {"bad.toml:19:", "force 'f'", "unknown name 'bob.vy2'", "did you mean 'bob.vy'?"}},
      {"ReactionInAForce",
       plus("[forces.f]\ntype = \"force\"\non = \"bob\"\nforce = [\"rod.fx\", 0, 0]\n"),
       {"bad.toml:19:", "unknown name 'rod.fx'"}},
      {"UnknownEventChannel",
       plus("[events.e]\nzero_of = \"bop.x\"\n"),
       {"bad.toml:16:", "event 'e'", "did you mean 'bob.x'?"}},
      {"BadDirection",
       plus("[events.e]\nzero_of = \"bob.x\"\ndirection = \"up\"\n"),
       {"bad.toml:18:", "must be one of: both, rising, falling"}},
      {"UnknownMethod",
       with(13, "method = \"projected/rk5\""),
       {"bad.toml:11:", "unknown method 'projected/rk5'", "did you mean"}},
      {"NoDuration", with(12, ""), {"bad.toml:11:", "give duration"}},
      {"StepAndTolerance",
       with(14, "tolerance = 1e-9\nstep = 0.01"),
       {"bad.toml:11:", "both step (fixed) and tolerance (adaptive)"}},
      {"ToleranceOfAFixedStepMethod", with(13, "method = \"projected/rk4\""), {"bad.toml:11:", "needs a fixed step"}},
      {"ToleranceOutOfRange", with(14, "tolerance = 1e-30"), {"bad.toml:11:", "must lie between 1e-15 and 0.1"}},
      {"JointWithItself", with(8, "from = \"bob\""), {"bad.toml:6:", "from and to are both 'bob'"}},
      {"AnchorOffAPointMass",
       with(10, "from_point = [0, 0, 0]\nto_point = [2, 0, 0]"),
       {"bad.toml:6:", "'bob' is a point mass", "has no extent"}},
      {"RevoluteOnAPointMass",
       plus("[joints.pin]\ntype = \"revolute\"\nfrom = \"ground\"\nto = \"bob\"\npoint = [1,0,0]\naxis = [0, 0, 1]\n"),
       {"bad.toml:16:", "'bob' is a point mass and has no axes"}},
      {"SphericalWithoutPoint",
       plus(bar + "[joints.ball]\ntype = \"spherical\"\nfrom = \"ground\"\nto = \"bar\"\n"),
       {"bad.toml:19:", "give point"}},
      {"PointAndLocal",
       with(10, "from_point = [0, 0, 0]\nfrom_local = [0, 0, 0]"),
       {"bad.toml:6:", "both from_point and from_local"}},
      {"TorsionOnARod",
       plus("[forces.f]\ntype = \"torsion\"\njoint = \"rod\"\nstiffness = 1\n"),
       {"bad.toml:16:", "needs a revolute joint"}},
      {"TorsionOnNothing",
       plus("[forces.f]\ntype = \"torsion\"\njoint = \"rood\"\nstiffness = 1\n"),
       {"bad.toml:16:", "there is no such joint", "did you mean 'rod'?"}},
      {"NegativeStiffness",
       plus("[forces.f]\ntype = \"spring\"\nfrom = \"ground\"\nto = \"bob\"\nfrom_point = [0,0,0]\nstiffness = -5\n"),
       {"bad.toml:16:", "stiffness = -5 must not be negative"}},
      {"ForceOnTheGround",
       plus("[forces.f]\ntype = \"force\"\non = \"ground\"\nforce = [1, 0, 0]\n"),
       {"bad.toml:16:", "moves nothing"}},
      {"GearsThatLock",
       plus(wheels + "[joints.g1]\ntype = \"gear\"\njoints = [\"h1\", \"h2\"]\nratio = -2\n"
                     "[joints.g2]\ntype = \"gear\"\njoints = [\"h2\", \"h1\"]\nratio = -0.4\n"),
       {"bad.toml:", "joint 'g2'", "the gears lock", "'h1'", "-0.4"}},
      {"GearOnARod",
       plus("[joints.g1]\ntype = \"gear\"\njoints = [\"rod\", \"rood\"]\nratio = -2\n"),
       {"bad.toml:16:", "joint 'rod' is rod", "angle or a displacement"}},
      {"GearWithoutRatio",
       plus(wheels + "[joints.g1]\ntype = \"gear\"\njoints = [\"h1\", \"h2\"]\n"),
       {"bad.toml:", "needs the key 'ratio'"}},
      {"PinionThatDoesNotTurn",
       plus(wheels + "[joints.s]\ntype = \"prismatic\"\nfrom = \"ground\"\nto = \"bob\"\naxis = [1,0,0]\n"
                     "[joints.r]\ntype = \"rack-and-pinion\"\njoints = [\"s\", \"h1\"]\nradius = 1\n"),
       {"joint 'r'", "'s' does not turn"}},
      {"CurveThatStandsStill",
       plus("[joints.c]\ntype = \"point-on-curve\"\nfrom = \"ground\"\nto = \"bob\"\ncurve = [\"1\", 0, 0]\n"),
       {"bad.toml:16:", "the curve stands still"}},
      {"CurveOfAnUnknownName",
       plus("[joints.c]\ntype = \"point-on-curve\"\nfrom = \"ground\"\nto = \"bob\"\ncurve = [\"cos(u)\", 0, 0]\n"),
       {"bad.toml:20:", "unknown name 'u'"}},
      {"UniversalWithParallelAxes",
       plus(wheels + "[joints.u]\ntype = \"universal\"\nfrom = \"w1\"\nto = \"w2\"\npoint = [0,0,0]\naxis = "
                     "[0,0,1]\naxis_to = [0,0,1]\n"),
       {"joint 'u'", "nearly) parallel"}},
      {"RateOfAVelocity",
       plus(wheels +
            "[joints.d]\ntype = \"prismatic\"\nfrom = \"w1\"\nto = \"w2\"\naxis = [1,0,0]\nrate = \"w1.vx\"\n"),
       {"joint 'd': rate", "unknown name 'w1.vx'"}},
      {"TableThatGoesBack",
       plus("[forces.f]\ntype = \"spring\"\nfrom = \"ground\"\nto = \"bob\"\nfrom_point = [0,0,0]\ntable = "
            "[[0,0],[2,1],[1,3]]\n"),
       {"bad.toml:16:", "first column must increase"}},
      {"LimitsTheWrongWayRound",
       plus(wheels + "[joints.d]\ntype = \"prismatic\"\nfrom = \"w1\"\nto = \"w2\"\naxis = [1,0,0]\nlimits = [2, 1]\n"),
       {"joint 'd'", "limits must be [least, largest]"}},
      {"BodyCalledGround", plus("[bodies.ground]\nmass = 1\n"), {"bad.toml:16:", "cannot be the name of a body"}},
      {"BadName", plus("[bodies.\"b ad\"]\nmass = 1\n"), {"bad.toml:16:", "the name 'b ad' cannot be used"}},
      {"NoBodies", "[simulation]\nduration = 1\n", {"bad.toml:", "the model has no bodies"}},
      {"BodyNotATable", "bodies = 3\n", {"bad.toml:1:", "bodies must be a table"}},
      {"SpinningPoint",
       with(5, "angular_velocity = [1, 0, 0]"),
       {"bad.toml:3:", "a point mass has no extent and does not rotate"}},
      {"DeepNesting", with(4, "mass = \"" + std::string(5000, '(') + "1\""), {"bad.toml:4:", "nested too deeply"}},
  };
}

std::string message_of(const std::string& text) {
  try {
    Simulation simulation(parse_model(text, "bad.toml"));
  } catch (const InputError& e) {
    return e.what();
  }
  return "no complaint";
}

class BadInput : public ::testing::TestWithParam<Mistake> {};

TEST_P(BadInput, IsNamedWithFileLineAndElement) {
  const std::string message = message_of(GetParam().text);
  for (const std::string& fragment : GetParam().says)
    EXPECT_NE(message.find(fragment), std::string::npos) << "missing '" << fragment << "' in: " << message;
}

std::string test_name(const ::testing::TestParamInfo<Mistake>& mistake) { return mistake.param.name; }

INSTANTIATE_TEST_SUITE_P(Files, BadInput, ::testing::ValuesIn(mistakes()), test_name);

TEST(BadInputFiles, TheGoodModelIsGood) { EXPECT_EQ(message_of(plus("")), "no complaint"); }

TEST(BadInputFiles, OverridesOfUnknownParametersNameTheKnownOnes) {
  try {
    parse_model(plus(""), "bad.toml", {{"L", "2"}});
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("the model has no parameter 'L'; did you mean 'l'?"), std::string::npos)
        << e.what();
  }
}

TEST(BadInputFiles, DirectoriesMissingAndHugeFiles) {
  const auto says = [](const std::string& path, const std::string& fragment) {
    try {
      read_model(path);
      FAIL() << path;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(fragment), std::string::npos) << e.what();
    }
  };
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("plumb-bad-input-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  says(folder.string(), "is a directory");
  says((folder / "none.toml").string(), "there is no such file");
  std::ofstream(folder / "empty.toml").close();
  says((folder / "empty.toml").string(), "the file is empty");
  std::ofstream huge(folder / "huge.toml");
  huge.close();
  std::filesystem::resize_file(folder / "huge.toml", std::size_t{100} << 20);
  says((folder / "huge.toml").string(), "100 MiB are too many");
  std::filesystem::remove_all(folder);
}

TEST(BadInputFiles, ModelsBuiltInCodeAreCheckedToo) {
  Model m;
  m.add(Body{.name = "b", .mass = 1.0});
  m.add(Body{.name = "b", .mass = 2.0});
  m.simulation.duration = 1;
  try {
    Simulation simulation(m);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "body 'b': another body has this name; names must differ");
  }
}

}  // namespace
}  // namespace plumb
