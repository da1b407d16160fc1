// Finding where a function of the fraction of a step crosses zero, from samples of it.
#pragma once

#include <optional>

namespace plumb {

// A function of the fraction theta of a step, by reference: no allocation, valid during the call only.
class StepFunction {
 public:
  template <class F>
  explicit StepFunction(F& f)
      : object_(&f), call_([](void* o, double theta) { return (*static_cast<F*>(o))(theta); }) {}
  double operator()(double theta) const { return call_(object_, theta); }

 private:
  void* object_;
  double (*call_)(void*, double);
};

// The same for a function of time and state.
class StateFunction {
 public:
  template <class F>
  StateFunction(const F& f)
      : object_(&f),
        call_([](const void* o, double t, const double* y) { return (*static_cast<const F*>(o))(t, y); }) {}
  double operator()(double t, const double* y) const { return call_(object_, t, y); }

 private:
  const void* object_;
  double (*call_)(const void*, double, const double*);
};

inline constexpr int samples_per_step = 8;

inline int sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

// Where between low and high the absolute value is smallest, by golden sections; or another place where the function
// has changed its sign.
double least_magnitude(const StepFunction& f, double low, double high);

// A root between two places where f has different signs.
double root_between(const StepFunction& f, double low, double high);

struct Bracket {
  double low, high;
};
// Where a function that is positive at the start first falls through zero. A dip below zero between two samples is
// found too: where the function heads for zero and then away from it, its extremum is sought.
std::optional<Bracket> first_fall(const StepFunction& f);

}  // namespace plumb
