// A01 written out by hand for this one problem: the floor the general engine is measured against.
#pragma once

#include <algorithm>
#include <cmath>

#include "plumb/integrator/tableau.h"

namespace plumb::bench {

constexpr double gravity = 9.81;

// Classical RK4 on (sin theta, cos theta, omega): no trigonometric functions.
struct TrigFreeRk4 {
  static constexpr const char* name = "RK4 on (sin, cos, omega)";
  double s = -1, c = 0, w = 0;

  void step(double h) {
    const auto f = [](double s_, double c_, double w_, double& ds, double& dc, double& dw) {
      ds = c_ * w_;
      dc = -s_ * w_;
      dw = -gravity * s_;
    };
    double s1, c1, w1, s2, c2, w2, s3, c3, w3, s4, c4, w4;
    f(s, c, w, s1, c1, w1);
    f(s + h / 2 * s1, c + h / 2 * c1, w + h / 2 * w1, s2, c2, w2);
    f(s + h / 2 * s2, c + h / 2 * c2, w + h / 2 * w2, s3, c3, w3);
    f(s + h * s3, c + h * c3, w + h * w3, s4, c4, w4);
    s += h / 6 * (s1 + 2 * (s2 + s3) + s4);
    c += h / 6 * (c1 + 2 * (c2 + c3) + c4);
    w += h / 6 * (w1 + 2 * (w2 + w3) + w4);
  }
  double energy() const { return w * w / 2 - gravity * c; }
};

// Classical RK4 on (theta, omega).
struct AngleRk4 {
  static constexpr const char* name = "RK4 on (theta, omega)";
  double q = -1.5707963267948966, w = 0;

  void step(double h) {
    const double a1 = -gravity * std::sin(q);
    const double w2 = w + h / 2 * a1, a2 = -gravity * std::sin(q + h / 2 * w);
    const double w3 = w + h / 2 * a2, a3 = -gravity * std::sin(q + h / 2 * w2);
    const double w4 = w + h * a3, a4 = -gravity * std::sin(q + h * w3);
    q += h / 6 * (w + 2 * (w2 + w3) + w4);
    w += h / 6 * (a1 + 2 * (a2 + a3) + a4);
  }
  double energy() const { return w * w / 2 - gravity * std::cos(q); }
};

// Dormand-Prince 8 on (theta, omega), the coefficients unrolled.
struct AngleDop853 {
  static constexpr const char* name = "DOP853 on (theta, omega)";
  double q = -1.5707963267948966, w = 0;

  void step(double h) {
    static const Coefficients k;
    double dq[12], dw[12];
    dq[0] = w;
    dw[0] = -gravity * std::sin(q);
    for (int s = 1; s < 12; ++s) {
      double x = 0, v = 0;
      for (int j = 0; j < s; ++j) {
        x += k.a[s][j] * dq[j];
        v += k.a[s][j] * dw[j];
      }
      dq[s] = w + h * v;
      dw[s] = -gravity * std::sin(q + h * x);
    }
    double x = 0, v = 0;
    for (int j = 0; j < 12; ++j) {
      x += k.b[j] * dq[j];
      v += k.b[j] * dw[j];
    }
    q += h * x;
    w += h * v;
  }
  double energy() const { return w * w / 2 - gravity * std::cos(q); }

 private:
  struct Coefficients {
    double a[12][12] = {}, b[12];
    Coefficients() {
      const Tableau t = dop853_tableau();
      for (int s = 0; s < 12; ++s) {
        for (int j = 0; j < s; ++j) a[s][j] = t.a[s][j];
        b[s] = t.b[s];
      }
    }
  };
};

template <class Pendulum>
double energy_drift(int steps) {
  Pendulum p;
  const double reference = p.energy();
  double drift = 0;
  for (int i = 0; i < steps; ++i) {
    p.step(10.0 / steps);
    drift = std::max(drift, std::abs(p.energy() - reference));
  }
  return drift;
}

// Fewest steps over 10 s that keep the energy within the benchmark's 5e-5 J.
template <class Pendulum>
int cheapest_steps() {
  int n = 16;
  while (!(energy_drift<Pendulum>(n) < 5e-5)) ++n;
  return n;
}

}  // namespace plumb::bench
