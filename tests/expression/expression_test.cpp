#include "plumb/expression/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

namespace plumb {
namespace {

constexpr double pi = std::numbers::pi;

class TestNames : public Names {
 public:
  std::optional<Meaning> find(std::string_view name) const override {
    static const std::map<std::string, Meaning, std::less<>> known = {{"t", {std::nullopt, 0}},
                                                                      {"bob.x", {std::nullopt, 1}},
                                                                      {"a-b.x", {std::nullopt, 2}},
                                                                      {"k", {3.0}},
                                                                      {"stiffness", {7.0}}};
    const auto it = known.find(name);
    return it == known.end() ? std::nullopt : std::optional(it->second);
  }
  std::vector<std::string> all() const override { return {"t", "bob.x", "a-b.x", "k", "stiffness"}; }
};

double value(const std::string& text) {
  const double slots[] = {0.5, 2.0, 10.0};
  return Expression::parse(text, TestNames()).evaluate(slots);
}

std::string fault(const std::string& text) {
  try {
    value(text);
  } catch (const ExpressionError& e) {
    return e.what();
  }
  return {};
}

TEST(Expression, Arithmetic) {
  EXPECT_DOUBLE_EQ(value("2 - cos(pi/3)"), 1.5);
  EXPECT_DOUBLE_EQ(value("1 + 2*3"), 7);
  EXPECT_DOUBLE_EQ(value("(1 + 2)*3"), 9);
  EXPECT_DOUBLE_EQ(value("8/4/2"), 1);
  EXPECT_DOUBLE_EQ(value("7 - 4 - 2"), 1);
  EXPECT_DOUBLE_EQ(value(" 1e-3 * 2.5E+2 "), 0.25);
  EXPECT_DOUBLE_EQ(value(".5 + 5."), 5.5);
}

TEST(Expression, PowersBindTighterThanSignsAndToTheRight) {
  EXPECT_DOUBLE_EQ(value("-2^2"), -4);
  EXPECT_DOUBLE_EQ(value("2^3^2"), 512);
  EXPECT_DOUBLE_EQ(value("2^-1"), 0.5);
  EXPECT_DOUBLE_EQ(value("2**3"), 8);
  EXPECT_DOUBLE_EQ(value("-2*-3"), 6);
}

TEST(Expression, DegreesAsSuffixAndAsConstant) {
  EXPECT_DOUBLE_EQ(value("30 deg"), pi / 6);
  EXPECT_DOUBLE_EQ(value("-90 deg + pi"), pi / 2);
  EXPECT_DOUBLE_EQ(value("sin(30 deg)"), 0.5);
  EXPECT_DOUBLE_EQ(value("2*45*deg"), pi / 2);
}

TEST(Expression, FunctionsAndConditions) {
  EXPECT_DOUBLE_EQ(value("atan2(1, -1)"), 3 * pi / 4);
  EXPECT_DOUBLE_EQ(value("max(2, min(5, 3))"), 3);
  EXPECT_DOUBLE_EQ(value("mod(-1, 3)"), 2);
  EXPECT_DOUBLE_EQ(value("hypot(3, 4)"), 5);
  EXPECT_DOUBLE_EQ(value("log10(1000)"), 3);
  EXPECT_DOUBLE_EQ(value("t > 0.4 ? 1 : 2"), 1);
  EXPECT_DOUBLE_EQ(value("t >= 0.6 || k == 3 ? 1 : 2"), 1);
  EXPECT_DOUBLE_EQ(value("!(t < 0.6) && 1 ? 1 : 2"), 2);
  EXPECT_DOUBLE_EQ(value("if(k != 3, 1, 2)"), 2);
  EXPECT_DOUBLE_EQ(value("sign(-0.3) + abs(-2) + floor(1.7) + ceil(1.2)"), 4);
}

TEST(Expression, NamesOfParametersAndChannels) {
  EXPECT_DOUBLE_EQ(value("-k*bob.x + t"), -5.5);
  EXPECT_DOUBLE_EQ(value("k-bob.x"), 1);     // a difference: no body is called k-bob
  EXPECT_DOUBLE_EQ(value("a-b.x + 1"), 11);  // a name with a hyphen
}

TEST(Expression, ConstantsAreFolded) {
  EXPECT_TRUE(Expression::parse("2*pi + sin(k)^2", TestNames()).is_constant());
  EXPECT_FALSE(Expression::parse("2*t", TestNames()).is_constant());
  EXPECT_TRUE(Expression::parse("2*t", TestNames()).uses(0));
  EXPECT_FALSE(Expression::parse("2*t", TestNames()).uses(1));
}

TEST(Expression, FaultsSayWhatAndWhere) {
  EXPECT_EQ(fault("stifness*2"), "unknown name 'stifness'; did you mean 'stiffness'?");
  EXPECT_EQ(fault("bob.y"), "unknown name 'bob.y'; did you mean 'bob.x'?");
  EXPECT_EQ(fault("sinn(1)"), "unknown function 'sinn'; did you mean 'sin'?");
  EXPECT_EQ(fault("1 + "), "the expression ends where a value is expected");
  EXPECT_EQ(fault("(1 + 2"), "')' is expected here");
  EXPECT_EQ(fault("1 2"), "unexpected '2'");
  EXPECT_EQ(fault("atan2(1)"), "',' is expected here");
  EXPECT_EQ(fault(""), "an expression is expected, the text is empty");
  EXPECT_EQ(fault("2 $ 3"), "unexpected '$'");
  try {
    value("1 + stifness");
    FAIL();
  } catch (const ExpressionError& e) {
    EXPECT_EQ(e.position, 4u);
  }
}

TEST(Expression, NoTextOverflowsTheParser) {
  EXPECT_EQ(fault(std::string(100000, '(')), "the expression is nested too deeply");
  EXPECT_EQ(fault(std::string(100000, '-') + "1"), "the expression is nested too deeply");
  std::string tower = "2";
  for (int i = 0; i < 1000; ++i) tower += "^(t";
  EXPECT_FALSE(fault(tower).empty());
  std::string sum = "t";
  for (int i = 0; i < 10000; ++i) sum += "+t";  // long, not deep
  EXPECT_DOUBLE_EQ(value(sum), 10001 * 0.5);
}

}  // namespace
}  // namespace plumb
