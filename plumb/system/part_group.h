// Constraint parts of one kind whose ends are of the same kinds, evaluated in one loop without branches.
//
// A part that shares no body with any other constraint stands alone: its multipliers follow from its own rows,
// and need no matrix. Groups of such parts solve for them on the spot.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "plumb/solver/ldl_kernels.h"
#include "plumb/spatial/rotation.h"
#include "plumb/system/inverse_mass.h"
#include "plumb/system/parts/row_place.h"

namespace plumb {

// What all groups of one Dynamics read and write.
struct Workplace {
  const Placement& at;
  const InverseMass& inverse_mass;
  Jacobian J;
  double* frames;  // those of `at`
};

class PartGroup {
 public:
  explicit PartGroup(const Workplace& work) : work_(work) {}
  virtual ~PartGroup() = default;

  virtual void residual(double* g) const = 0;                     // g
  virtual void linearise(double* g) const = 0;                    // G and g
  virtual void update(const double* a, double* out) const = 0;    // G, and out = G a + gamma in the same pass
  virtual void multiply(const double* v, double* out) const = 0;  // out = G v
  virtual void push(const double* lambda, double* a) const = 0;   // a += M⁻¹ Gᵀ lambda
  virtual void drive(double* g_t) const = 0;                      // g_t
  // Parts that stand alone: x <- S⁻¹ x, and everything at once: G, lambda = -S⁻¹ (G a + gamma), a += M⁻¹ Gᵀ lambda.
  virtual void solve_alone(double* x) const = 0;
  virtual void accelerate_alone(double* lambda, double* a) const = 0;
  // Moves the state y at which the system is placed onto g = 0 and G v + g_t = 0: Newton's method until |g| is
  // below `target`. Keeps the placement up to date; returns the largest |g| left.
  virtual double project_alone(double* y, double target) const = 0;

 protected:
  const Workplace& work_;
};

template <class Part, EndKind F, EndKind T>
class PartGroupOf final : public PartGroup {
 public:
  PartGroupOf(const Workplace& work, std::vector<Part> parts) : PartGroup(work), parts_(std::move(parts)) {}

  void residual(double* g) const override {
    for (const Part& p : parts_) p.template residual<F, T>(work_.at, g + p.place.row);
  }

  void linearise(double* g) const override {
    const Jacobian J = work_.J;
    for (const Part& p : parts_) {
      p.template residual<F, T>(work_.at, g + p.place.row);
      p.template jacobian<F, T>(work_.at, J);
    }
  }

  void update(const double* a, double* out) const override {
    const Jacobian J = work_.J;
    for (const Part& p : parts_) {
      double gamma[Part::rows], y[Part::rows];
      p.template jacobian<F, T>(work_.at, J);
      p.template bias<F, T>(work_.at, J, gamma);
      multiply_one(p, J, a, y);
      for (int r = 0; r < Part::rows; ++r) out[p.place.row + r] = y[r] + gamma[r];
    }
  }

  void multiply(const double* v, double* out) const override {
    for (const Part& p : parts_) multiply_one(p, work_.J, v, out + p.place.row);
  }

  void push(const double* lambda, double* a) const override {
    for (const Part& p : parts_) push_one(p, work_.J, work_.inverse_mass, lambda + p.place.row, a);
  }

  void drive(double* g_t) const override {
    for (const Part& p : parts_) p.drive(work_.at, work_.J, g_t + p.place.row);
  }

  void solve_alone(double* x) const override {
    for (const Part& p : parts_) solve_one(p, work_.J, work_.inverse_mass, x + p.place.row);
  }

  void accelerate_alone(double* lambda, double* a) const override {
    const Jacobian J = work_.J;
    for (const Part& p : parts_) {
      double gamma[Part::rows], x[Part::rows];
      p.template jacobian<F, T>(work_.at, J);
      p.template bias<F, T>(work_.at, J, gamma);
      multiply_one(p, J, a, x);
      for (int r = 0; r < Part::rows; ++r) x[r] = -(x[r] + gamma[r]);
      solve_one(p, J, work_.inverse_mass, x);
      for (int r = 0; r < Part::rows; ++r) lambda[p.place.row + r] = x[r];
      push_one(p, J, work_.inverse_mass, x, a);
    }
  }

  double project_alone(double* y, double target) const override {
    const Jacobian J = work_.J;
    double* const v = y + (work_.at.v - work_.at.q);
    double worst = 0;
    for (const Part& p : parts_) {
      double x[Part::rows], size = 0, last = std::numeric_limits<double>::infinity();
      for (;;) {
        p.template residual<F, T>(work_.at, x);
        p.template jacobian<F, T>(work_.at, J);
        size = 0;
        for (double& g : x) size = std::max(size, std::abs(g)), g = -g;
        if (!(size > target && size < 0.5 * last)) break;
        last = size;
        solve_one(p, J, work_.inverse_mass, x);
        displace_one(p, J, x, y);
      }
      worst = std::max(worst, size);
      double g_t[Part::rows] = {};
      multiply_one(p, J, v, x);
      if (p.is_driven()) p.drive(work_.at, J, g_t);
      for (int r = 0; r < Part::rows; ++r) x[r] = -(x[r] + g_t[r]);
      solve_one(p, J, work_.inverse_mass, x);
      push_one(p, J, work_.inverse_mass, x, v);
    }
    return worst;
  }

 private:
  // q <- q + M⁻¹ Gᵀ lambda for the bodies of one part, and their rotation matrices.
  void displace_one(const Part& p, const Jacobian& J, const double* lambda, double* q) const {
    double move[12] = {};
    Part local = p;  // the same part with its two bodies' velocities at 0 and 6
    local.from.v = 0;
    local.to.v = 6;
    push_one(local, J, work_.inverse_mass, lambda, move);
    const auto turn_frame = [&](const End& e) { kernel::rotation_matrix(q + e.q + 3, work_.frames + 9 * e.frame); };
    if (!is_ground<F>(p.from)) kernel::add(q + p.from.q, move);
    if (!is_ground<T>(p.to)) kernel::add(q + p.to.q, move + 6);
    if (is_rigid<F>(p.from)) turn_quaternion(move + 3, q + p.from.q + 3), turn_frame(p.from);
    if (is_rigid<T>(p.to)) turn_quaternion(move + 9, q + p.to.q + 3), turn_frame(p.to);
  }

  // S = G M⁻¹ Gᵀ of one part, factored and solved.
  PLUMB_INLINE static void solve_one(const Part& p, const Jacobian& J, const InverseMass& inverse_mass, double* x) {
    constexpr int M = Part::rows;
    double S[M * M], d[M], none[M] = {};
    const double to = is_ground<T>(p.to) ? 0 : inverse_mass.mass(p.to.body);
    const double from = is_ground<F>(p.from) ? 0 : inverse_mass.mass(p.from.body);
    const double inverse = F == EndKind::ground ? to : T == EndKind::ground ? from : to + from;
    for (int r = 0; r < M; ++r)
      for (int s = 0; s <= r; ++s) {
        S[r * M + s] = 0;
        if constexpr (Part::linear_form == LinearForm::identity) S[r * M + s] = r == s ? inverse : 0;
        if constexpr (Part::linear_form == LinearForm::general)
          S[r * M + s] = inverse * kernel::dot(J.linear + p.place.linear + 3 * r, J.linear + p.place.linear + 3 * s);
      }
    const auto add = [&](const double* A, const double* inverse_moments) {
      for (int r = 0; r < M; ++r)
        for (int s = 0; s <= r; ++s)
          for (int i = 0; i < 3; ++i) S[r * M + s] += A[3 * r + i] * inverse_moments[i] * A[3 * s + i];
    };
    if (is_rigid<F>(p.from)) add(J.angular + p.place.from, inverse_mass.moments(p.from.body));
    if (is_rigid<T>(p.to)) add(J.angular + p.place.to, inverse_mass.moments(p.to.body));
    if constexpr (M == 1) {
      x[0] /= S[0];
      return;
    }
    factor_block<M>(S, d, none);
    forward<M>(S, x);
    scale_by_pivots<M>(S, x);
    backward<M>(S, x);
  }

  PLUMB_INLINE static void multiply_one(const Part& p, const Jacobian& J, const double* v, double* out) {
    double y[Part::rows] = {};
    if constexpr (Part::linear_form != LinearForm::none) {
      double d[3] = {0, 0, 0};
      if (!is_ground<T>(p.to)) kernel::copy(d, v + p.to.v);
      if (!is_ground<F>(p.from)) kernel::subtract(d, v + p.from.v);
      for (int r = 0; r < Part::rows; ++r)
        y[r] = Part::linear_form == LinearForm::identity ? d[r] : kernel::dot(J.linear + p.place.linear + 3 * r, d);
    }
    if (is_rigid<F>(p.from))
      for (int r = 0; r < Part::rows; ++r) y[r] += kernel::dot(J.angular + p.place.from + 3 * r, v + p.from.v + 3);
    if (is_rigid<T>(p.to))
      for (int r = 0; r < Part::rows; ++r) y[r] += kernel::dot(J.angular + p.place.to + 3 * r, v + p.to.v + 3);
    for (int r = 0; r < Part::rows; ++r) out[r] = y[r];
  }

  PLUMB_INLINE static void push_one(const Part& p, const Jacobian& J, const InverseMass& inverse_mass,
                                    const double* lambda, double* a) {
    double l[Part::rows];
    for (int r = 0; r < Part::rows; ++r) l[r] = lambda[r];
    if constexpr (Part::linear_form != LinearForm::none) {
      double force[3];
      if constexpr (Part::linear_form == LinearForm::identity)
        kernel::copy(force, l);
      else
        for (int i = 0; i < 3; ++i) {
          force[i] = l[0] * J.linear[p.place.linear + i];
          for (int r = 1; r < Part::rows; ++r) force[i] += l[r] * J.linear[p.place.linear + 3 * r + i];
        }
      if (!is_ground<T>(p.to)) kernel::add_scaled(a + p.to.v, inverse_mass.mass(p.to.body), force);
      if (!is_ground<F>(p.from)) kernel::add_scaled(a + p.from.v, -inverse_mass.mass(p.from.body), force);
    }
    if (is_rigid<F>(p.from)) turn(l, J.angular + p.place.from, inverse_mass.moments(p.from.body), a + p.from.v + 3);
    if (is_rigid<T>(p.to)) turn(l, J.angular + p.place.to, inverse_mass.moments(p.to.body), a + p.to.v + 3);
  }

  // a += J⁻¹ Aᵀ lambda
  PLUMB_INLINE static void turn(const double* l, const double* A, const double* inverse_moments, double* a) {
    double torque[3] = {0, 0, 0};
    for (int r = 0; r < Part::rows; ++r) kernel::add_scaled(torque, l[r], A + 3 * r);
    for (int i = 0; i < 3; ++i) a[i] += inverse_moments[i] * torque[i];
  }

  std::vector<Part> parts_;
};

// Sorts parts by the kinds of their ends; parts with a moving anchor go into a group that decides at run time.
template <class Part>
void make_groups(const Workplace& work, const std::vector<Part>& parts,
                 std::vector<std::unique_ptr<PartGroup>>& groups) {
  // Parts that are rare or costly by themselves have no loops of their own for every kind of ends.
  constexpr bool rare = requires { Part::rare; };
  const auto kind = [](const Part& p, const End& e) {
    return rare || p.from.motion >= 0 || p.to.motion >= 0 ? EndKind::any : static_cast<EndKind>(e.kind);
  };
  const auto pick = [&]<EndKind F, EndKind T>() {
    std::vector<Part> chosen;
    for (const Part& p : parts)
      if (kind(p, p.from) == F && kind(p, p.to) == T) chosen.push_back(p);
    if (!chosen.empty()) groups.push_back(std::make_unique<PartGroupOf<Part, F, T>>(work, std::move(chosen)));
  };
  const auto pick_from = [&]<EndKind F>() {
    pick.template operator()<F, EndKind::ground>();
    pick.template operator()<F, EndKind::point>();
    pick.template operator()<F, EndKind::rigid>();
  };
  if constexpr (!rare) {
    pick_from.template operator()<EndKind::ground>();
    pick_from.template operator()<EndKind::point>();
    pick_from.template operator()<EndKind::rigid>();
  }
  pick.template operator()<EndKind::any, EndKind::any>();
}

}  // namespace plumb
