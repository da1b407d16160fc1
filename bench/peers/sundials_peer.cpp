// SUNDIALS CVODE with rootfinding: the double pendulum written by hand in its two angles, the impact law too.
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <numbers>

#include "wall.h"

namespace plumb::bench {
namespace {

constexpr double pi = std::numbers::pi;

double* data(N_Vector y) { return N_VGetArrayPointer(y); }

// y = two angles from the vertical, their rates; unit masses and lengths.
int rates(realtype, N_Vector state, N_Vector rate, void*) {
  const double* y = data(state);
  double* f = data(rate);
  const double c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]), det = 2 - c * c;
  const double r1 = -s * y[3] * y[3] - 2 * gravity * std::sin(y[0]), r2 = s * y[2] * y[2] - gravity * std::sin(y[1]);
  f[0] = y[2];
  f[1] = y[3];
  f[2] = (r1 - c * r2) / det;
  f[3] = (2 * r2 - c * r1) / det;
  return 0;
}

int gaps(realtype, N_Vector state, realtype* g, void*) {
  const double* y = data(state);
  g[0] = std::sin(y[0]);
  g[1] = g[0] + std::sin(y[1]);
  return 0;
}

// Newton's law for the mass that strikes (one at a time in this motion).
void strike(double* y, int mass) {
  const double c = std::cos(y[0] - y[1]), det = 2 - c * c;
  const double w[2] = {std::cos(y[0]), mass == 0 ? 0 : std::cos(y[1])};
  const double m[2] = {(w[0] - c * w[1]) / det, (2 * w[1] - c * w[0]) / det};
  const double p = -(1 + wall::restitution) * (w[0] * y[2] + w[1] * y[3]) / (w[0] * m[0] + w[1] * m[1]);
  y[2] += m[0] * p;
  y[3] += m[1] * p;
}

class DoublePendulum {
 public:
  DoublePendulum() {
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(4, context_);
    solver_ = CVodeCreate(CV_ADAMS, context_);
    reset();
    CVodeInit(solver_, rates, 0, y_);
    CVodeSStolerances(solver_, 1e-10, 1e-10);
    fixed_point_ = SUNNonlinSol_FixedPoint(y_, 0, context_);
    CVodeSetNonlinearSolver(solver_, fixed_point_);
    CVodeRootInit(solver_, 2, gaps);
    int falling[2] = {-1, -1};
    CVodeSetRootDirection(solver_, falling);
    CVodeSetNoInactiveRootWarn(solver_);
    CVodeSetMaxNumSteps(solver_, 100000);
  }
  ~DoublePendulum() {
    CVodeFree(&solver_);
    SUNNonlinSolFree(fixed_point_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }
  DoublePendulum(const DoublePendulum&) = delete;

  void run(double tolerance, std::vector<double>& times) {
    reset();
    CVodeReInit(solver_, 0, y_);
    CVodeSStolerances(solver_, tolerance, tolerance);
    CVodeSetStopTime(solver_, wall::duration);
    double t = 0;
    while (t < wall::duration) {
      const int flag = CVode(solver_, wall::duration, y_, &t, CV_NORMAL);
      if (flag < 0 || times.size() > 20) return;
      if (flag != CV_ROOT_RETURN) continue;
      int roots[2];
      CVodeGetRootInfo(solver_, roots);
      times.push_back(t);
      strike(data(y_), roots[0] ? 0 : 1);
      CVodeReInit(solver_, t, y_);
    }
  }

 private:
  void reset() {
    double* y = data(y_);
    y[0] = pi / 3, y[1] = pi / 5, y[2] = y[3] = 0;
  }
  SUNContext context_;
  N_Vector y_;
  void* solver_;
  SUNNonlinearSolver fixed_point_;
};

}  // namespace
}  // namespace plumb::bench

int main() {
  using namespace plumb::bench;
  return drive("SUNDIALS", [] {
    DoublePendulum p;
    measure_wall("CVODE by hand", [&](double tolerance, std::vector<double>& times) { p.run(tolerance, times); });
  });
}
