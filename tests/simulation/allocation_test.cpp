// The step loop allocates nothing: counted, for small and large systems and every method.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "plumb/audit/audit.h"
#include "plumb/simulation/simulation.h"
#include "plumb/time_stepping/method.h"
#ifdef PLUMB_EQUATIONS
#include "plumb/equations/equation_simulation.h"
#include "equations/equation_models.h"
#endif
#include "models.h"

namespace {
long allocations = 0;

void* counted(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace plumb {
namespace {

long allocations_in(Run& s, int steps) {
  s.step();
  const long before = allocations;
  for (int i = 0; i < steps; ++i) s.step();
  return allocations - before;
}

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  std::vector<double> v(10);
  EXPECT_EQ(allocations - before, 1);
}

TEST(Allocation, NoneInThousandStepsOfAPendulum) {
  for (const Method& m : methods()) {
    Model model = testing::pendulum(1.0);
    model.simulation.method = m.name;
    model.simulation.step = 1e-3;
    model.simulation.duration = 100;
    Simulation s(model);
    EXPECT_EQ(allocations_in(s, 1000), 0) << m.name;
  }
}

TEST(Allocation, NoneInThousandStepsOfAHundredLinkChain) {
  for (const char* joint : {"spherical", "revolute"})
    for (const char* method : {"projected/rk4", "projected/dop853", "rattle"}) {
      Model model = testing::chain(100, joint);
      model.simulation.method = method;
      model.simulation.step = 1e-4;
      model.simulation.duration = 100;
      Simulation s(model);
      EXPECT_EQ(allocations_in(s, 1000), 0) << joint << " " << method;
    }
}

TEST(Allocation, NoneWithAdaptiveStepsForcesEventsAndAudit) {
  Model model = testing::chain(5, "revolute");
  model.add(
      Force{.name = "push", .type = "force", .on = "link4", .force = Point{"sin(t) - link4.vx", 0.0, "joint2.angle"}});
  model.add(Force{.name = "spring", .type = "torsion", .joint = "joint1", .stiffness = 3.0, .damping = 0.1});
  model.add(Event{.name = "never", .zero_of = "link0.x - 5"});
  model.simulation.duration = 1000;
  model.simulation.tolerance = 1e-8;
  Simulation s(model);
  Audit audit(s.measurement());
  s.watch(audit);
  EXPECT_EQ(allocations_in(s, 1000), 0);
}

TEST(Allocation, NoneWithRedundantJoints) {
  Model model;
  model.add(Body{.name = "bar", .mass = 1.0, .shape = Box{{1, 0.1, 0.1}}, .position = {0.3, 0, 0}});
  for (const double y : {0.1, -0.1, 0.2})
    model.add(Joint{.name = "pin" + std::to_string(static_cast<int>(100 * y + 50)),
                    .type = "spherical",
                    .from = "ground",
                    .to = "bar",
                    .point = Point{0.0, y, 0.0}});
  model.simulation.method = "projected/rk4";
  model.simulation.step = 1e-3;
  model.simulation.duration = 100;
  Simulation s(model);
  EXPECT_EQ(allocations_in(s, 1000), 0);
}

#ifdef PLUMB_EQUATIONS
TEST(Allocation, NoneInThousandStepsOfEquations) {
  for (const std::string& text : {testing::cartesian_pendulum, testing::second_order_pendulum})
    for (const FormInfo& form : forms())
      for (const char* integrator : {"midpoint", "dop853"}) {
        Model model = testing::parsed(text);
        model.simulation.method = std::string(form.name) + "/" + integrator;
        model.simulation.tolerance.reset();
        model.simulation.step = 1e-3;
        model.simulation.duration = 100;
        EquationSimulation s(model);
        Audit audit(s.gauge());
        s.watch(audit);
        EXPECT_EQ(allocations_in(s, 1000), 0) << model.simulation.method;
      }
}
#endif

}  // namespace
}  // namespace plumb
