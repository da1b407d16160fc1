// How the command says whether a result can be trusted, and what it leaves when it is stopped.
#include <fcntl.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "command.h"

namespace {

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n'), begin = text.find_last_of('\n', end) + 1;
  return text.substr(begin, end + 1 - begin);
}

TEST_F(Command, TheLastLineIsTheVerdict) {
  const std::string p = write("a.toml", R"toml(
[bodies.a]
box = [0.3, 0.2, 0.1]
mass = 2
position = [0, 0, 0.45]
[contacts.floor]
plane = { point = [0, 0, 0], normal = [0, 0, 1] }
friction = 0.4
[simulation]
duration = 0.6
)toml");
  const Output o = plumb("run " + p);
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(last_line(o.out), "verdict: trusted");
  EXPECT_NE(o.out.find("penetration"), std::string::npos);
  EXPECT_NE(o.out.find("in impacts"), std::string::npos);
  EXPECT_EQ(o.out.find("dampers"), std::string::npos) << "an impact alone took the energy";
  const json j = json::parse(plumb("run " + p + " --json").out);
  EXPECT_EQ(j["verdict"]["grade"], "trusted");
  EXPECT_TRUE(j["verdict"]["reasons"].empty());
  EXPECT_LT(j["penetration"].get<double>(), 1e-12);
  EXPECT_NEAR(j["energy"]["lost_in_impacts"].get<double>(), 2 * 9.81 * 0.4, 1e-12);
}

// Steps that are too long lose energy: at first it is worth a look, then it is an outcome of its own.
const char* const swing = R"toml(
[bodies.m]
mass = 1
position = [1, 0, 0]
[joints.r]
type = "rod"
from = "ground"
to = "m"
from_point = [0, 0, 0]
[simulation]
duration = 2
method = "projected/midpoint"
)toml";

TEST_F(Command, CoarseStepsAreWorthALookAndStrictSaysNo) {
  const std::string p = write("s.toml", swing);
  const Output look = plumb("run " + p + " --step 0.05");
  EXPECT_EQ(look.code, 0);
  EXPECT_EQ(last_line(look.out).find("verdict: look – "), 0u) << last_line(look.out);
  EXPECT_NE(last_line(look.out).find("shorter steps"), std::string::npos);
  EXPECT_EQ(plumb("run " + p + " --step 0.05 --strict").code, 1);
  EXPECT_EQ(plumb("run " + p + " --step 0.001 --strict").code, 0);
  const Output quiet = plumb("run " + p + " --step 0.05 --quiet");
  EXPECT_EQ(quiet.out, "");
  EXPECT_NE(quiet.err.find("verdict: look"), std::string::npos);
}

TEST_F(Command, AnOpenAccountOfEnergyIsNotCompleted) {
  const std::string p = write("s.toml", swing);
  const Output o = plumb("run " + p + " --step 0.25 --out " + (folder_ / "out").string());
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("audit failed: energy: "), std::string::npos) << o.err;
  EXPECT_EQ(last_line(o.out).find("verdict: do not use – "), 0u) << o.out;
  const json j = json::parse(read(folder_ / "out" / "summary.json"));
  EXPECT_EQ(j["outcome"], "audit failed");
  EXPECT_EQ(j["verdict"]["grade"], "do not use");
  EXPECT_TRUE(fs::exists(folder_ / "out" / "trajectory.csv"));
}

TEST_F(Command, OverlapsNobodyDeclaredAreNamedOnce) {
  const Output o = plumb("run " + write("c.toml", R"toml(
[bodies.crank]
box = [0.4, 0.1, 0.1]
mass = 1
position = [0.2, 0, 0]
[bodies.block]
sphere = 0.1
mass = 1
position = [0, 0, -0.4]
[joints.pin]
type = "revolute"
from = "ground"
to = "crank"
point = [0, 0, 0]
axis = [0, 1, 0]
[joints.held]
type = "fixed"
from = "ground"
to = "block"
point = [0, 0, -0.4]
[simulation]
duration = 1
)toml"));
  EXPECT_EQ(o.code, 0);
  const std::size_t at = o.err.find("'crank' and 'block' overlap by ");
  ASSERT_NE(at, std::string::npos) << o.err;
  EXPECT_NE(o.err.find("no contact is declared", at), std::string::npos);
  EXPECT_EQ(o.err.find("overlap by", at + 30), std::string::npos);
}

// A run that would take hours, stopped after its beginning: what was computed is there and can be read.
TEST_F(Command, StoppedBySignalsItKeepsWhatWasComputed) {
  const std::string p = write("s.toml", swing), out = (folder_ / "out").string();
  for (const int signal : {SIGINT, SIGTERM}) {
    fs::remove_all(out);
    const pid_t child = fork();
    if (child == 0) {
      const int nowhere = open("/dev/null", O_WRONLY);
      dup2(nowhere, 1);
      dup2(nowhere, 2);
      execl(PLUMB_COMMAND, "plumb", "run", p.c_str(), "--step", "1e-6", "--duration", "90", "--out", out.c_str(),
            static_cast<char*>(nullptr));
      _exit(127);
    }
    const fs::path part = folder_ / "out" / "trajectory.csv.part";
    while (!fs::exists(part)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1);
    const json j = json::parse(read(folder_ / "out" / "summary.json"));
    EXPECT_EQ(j["outcome"], "cancelled");
    EXPECT_LT(j["time"].get<double>(), 90);
    EXPECT_EQ(plumb("plot " + out + " m.x -o " + (folder_ / "x.svg").string()).code, 0);
  }
}

}  // namespace
