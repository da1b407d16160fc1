// The derivation as documents, and the C it ends in, compiled and run against the library.
#include "plumb/equations/derivation.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "plumb/equations/c_code.h"
#include "plumb/study/validation.h"
#include "plumb/trajectory/result.h"
#include "equations/equation_models.h"

namespace plumb {
namespace {

using testing::parsed;
using testing::with_method;

Model worksheet() {
  Model m = with_method(parsed(testing::cartesian_pendulum), "index0/midpoint");
  m.simulation.tolerance.reset();
  m.simulation.step = 0.01;
  m.simulation.omega = 20;
  return m;
}

TEST(Derivation, ShowsEveryStep) {
  const std::string text = as_text(derive(worksheet()));
  for (const char* part :
       {"x^2 + y^2 = l^2", "2*u*x + 2*v*y = 0", "differentiated 3 times", "Structural index 3, 2 degrees of freedom",
        "omega^3", "mu' = ", "x_H = ", "mu_H = ", "mu_N = ", "half step", "full step"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Derivation, IsTheSameEveryTime) { EXPECT_EQ(as_text(derive(worksheet())), as_text(derive(worksheet()))); }

// Every opening tag has its closing one, in order.
void expect_well_formed(const std::string& html) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = html.find('<', at)) != std::string::npos;) {
    const std::size_t end = html.find('>', at);
    ASSERT_NE(end, std::string::npos);
    const std::string tag = html.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(tag[0] == '/', tag.find_first_of(" >", 1) - (tag[0] == '/'));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      ASSERT_EQ(open.back(), name);
      open.pop_back();
    } else if (tag[0] != '!' && name != "meta" && tag.back() != '/') {
      open.push_back(name);
    }
    at = end;
  }
  EXPECT_TRUE(open.empty());
}

TEST(Derivation, PagesAreWellFormedAndSelfContained) {
  for (const Model& m : {worksheet(), with_method(parsed(testing::second_order_pendulum), "ggl/rk4")}) {
    const std::string html = as_html(derive(m));
    expect_well_formed(html);
    EXPECT_EQ(html.find("http"), std::string::npos);
    EXPECT_EQ(html.find("src="), std::string::npos);
    EXPECT_NE(html.find("<math"), std::string::npos);
  }
}

TEST(Derivation, LatexIsBalanced) {
  const std::string latex = as_latex(derive(worksheet()));
  int depth = 0, lefts = 0;
  for (std::size_t i = 0; i < latex.size(); ++i) {
    if (latex[i] == '{' && (i == 0 || latex[i - 1] != '\\')) ++depth;
    if (latex[i] == '}' && (i == 0 || latex[i - 1] != '\\')) --depth;
    ASSERT_GE(depth, 0);
    if (latex.compare(i, 6, "\\left(") == 0) ++lefts;
    if (latex.compare(i, 7, "\\right)") == 0) --lefts;
  }
  EXPECT_EQ(depth, 0);
  EXPECT_EQ(lefts, 0);
  EXPECT_NE(latex.find("\\dot{\\mu}"), std::string::npos);
}

// Compiled as strict C89 without a warning, loaded, and stepped beside the library.
class CompiledC {
 public:
  explicit CompiledC(const std::string& code) {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("plumb-c-{}-{}", ::getpid(), count_++);
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "step.c") << code;
    const std::string command = fmt::format(
        "cc -std=c89 -pedantic -Wall -Wextra -Werror -Wno-overlength-strings -O2 -shared -fPIC -o {0}/step.so "
        "{0}/step.c -lm 2>{0}/log",
        folder_.string());
    compiled_ = std::system(command.c_str()) == 0;
    if (compiled_) library_ = dlopen((folder_ / "step.so").c_str(), RTLD_NOW);
  }
  ~CompiledC() {
    if (library_) dlclose(library_);
    std::filesystem::remove_all(folder_);
  }
  bool is_good() const { return library_ != nullptr; }
  std::string log() const {
    std::ifstream in(folder_ / "log");
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void step(double t, double h, double* y) const {
    reinterpret_cast<void (*)(double, double, double*)>(dlsym(library_, "plumb_step"))(t, h, y);
  }

 private:
  static inline int count_ = 0;
  std::filesystem::path folder_;
  bool compiled_ = false;
  void* library_ = nullptr;
};

void expect_same_trajectory(const Model& m, double tolerance) {
  const std::string code = c_code(m);
  const CompiledC c(code);
  ASSERT_TRUE(c.is_good()) << c.log();
  EquationSimulation s(m);
  ASSERT_FALSE(s.outcome()) << s.outcome()->describe();
  std::vector<double> y(s.state(), s.state() + s.flow().size());
  const double h = *m.simulation.step;
  double worst = 0;
  while (s.step()) {
    c.step(s.time() - h, h, y.data());
    for (std::size_t i = 0; i < y.size(); ++i)
      worst = std::max(worst, std::abs(y[i] - s.state()[i]) / (1 + std::abs(y[i])));
  }
  EXPECT_TRUE(s.outcome()->is_success()) << s.outcome()->describe();
  EXPECT_LT(worst, tolerance) << m.simulation.method;
  EXPECT_GT(s.steps(), 50);
}

TEST(CCode, StepsLikeTheLibraryInEveryForm) {
  for (const char* method :
       {"index0/midpoint", "index0/collatz-printed", "index1/rk4", "projected/rk4", "ggl/heun", "projected/dop853"}) {
    Model m = worksheet();
    m.simulation.method = method;
    expect_same_trajectory(m, 1e-10);
    Model second = with_method(parsed(testing::second_order_pendulum), method);
    second.simulation.tolerance.reset();
    second.simulation.step = 0.01;
    second.simulation.omega = 5;
    expect_same_trajectory(second, 1e-10);
  }
}

TEST(CCode, NonlinearAndDrivenSystems) {
  Model m = parsed(R"toml(
[parameters]
k = 0.3
[equations]
differential = ["x' = -z + k*sin(t)*min(x, 2)", "y'^3 + y' = x - atan2(y, 2)"]
algebraic = ["z + z^3 = x"]
[initial]
x = 1.9
[simulation]
duration = 2
method = "index1/rk4"
step = 0.01
)toml");
  expect_same_trajectory(m, 1e-12);
}

TEST(CCode, AndrewsSqueezer) {
  Model m = read_model((find_cases() / "andrews-equations/model.toml").string(), {});
  m.simulation.method = "projected/rk4";
  m.simulation.tolerance.reset();
  m.simulation.step = 2e-5;
  m.simulation.duration = 0.003;
  expect_same_trajectory(m, 1e-9);
}

}  // namespace
}  // namespace plumb
