// Constraint parts of one kind whose ends are of the same kinds, evaluated in one loop without branches.
//
// A part that shares no body with any other constraint stands alone: its multipliers follow from its own rows,
// and need no matrix. Groups of such parts solve for them on the spot.
#pragma once

#include <memory>
#include <vector>

#include "plumb/solver/ldl_kernels.h"
#include "plumb/system/inverse_mass.h"
#include "plumb/system/parts/row_place.h"

namespace plumb {

// What all groups of one Dynamics read and write.
struct Workplace {
  const Placement& at;
  const InverseMass& inverse_mass;
  Jacobian J;
};

class PartGroup {
 public:
  explicit PartGroup(const Workplace& work) : work_(work) {}
  virtual ~PartGroup() = default;

  virtual void residual(double* g) const = 0;                         // g
  virtual void linearise(double* g) const = 0;                        // G and g
  virtual void update(const double* a, double* out) const = 0;        // G, and out = G a + gamma in the same pass
  virtual void multiply(const double* v, double* out) const = 0;      // out = G v
  virtual void push(const double* lambda, double* a) const = 0;       // a += M⁻¹ Gᵀ lambda
  virtual void drive(double* g_t) const = 0;                          // g_t
  // Parts that stand alone: x <- S⁻¹ x, and everything at once: G, lambda = -S⁻¹ (G a + gamma), a += M⁻¹ Gᵀ lambda.
  virtual void solve_alone(double* x) const = 0;
  virtual void accelerate_alone(double* lambda, double* a) const = 0;

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

 private:
  // S = G M⁻¹ Gᵀ of one part, factored and solved.
  static void solve_one(const Part& p, const Jacobian& J, const InverseMass& inverse_mass, double* x) {
    constexpr int M = Part::rows;
    double S[M * M], d[M], none[M] = {};
    double inverse = 0;
    if (!is_ground<F>(p.from)) inverse += inverse_mass.mass(p.from.body);
    if (!is_ground<T>(p.to)) inverse += inverse_mass.mass(p.to.body);
    for (int r = 0; r < M; ++r)
      for (int s = 0; s <= r; ++s) {
        double dot = 0;
        if constexpr (Part::linear_form == LinearForm::identity) dot = r == s ? 1 : 0;
        if constexpr (Part::linear_form == LinearForm::general)
          dot = kernel::dot(J.linear + p.place.linear + 3 * r, J.linear + p.place.linear + 3 * s);
        S[r * M + s] = inverse * dot;
      }
    const auto add = [&](const double* A, const double* inverse_moments) {
      for (int r = 0; r < M; ++r)
        for (int s = 0; s <= r; ++s)
          for (int i = 0; i < 3; ++i) S[r * M + s] += A[3 * r + i] * inverse_moments[i] * A[3 * s + i];
    };
    if (is_rigid<F>(p.from)) add(J.angular + p.place.from, inverse_mass.moments(p.from.body));
    if (is_rigid<T>(p.to)) add(J.angular + p.place.to, inverse_mass.moments(p.to.body));
    factor_block<M>(S, d, none);
    forward<M>(S, x);
    scale_by_pivots<M>(S, x);
    backward<M>(S, x);
  }

  static void multiply_one(const Part& p, const Jacobian& J, const double* v, double* out) {
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

  static void push_one(const Part& p, const Jacobian& J, const InverseMass& inverse_mass, const double* lambda, double* a) {
    double l[Part::rows];
    for (int r = 0; r < Part::rows; ++r) l[r] = lambda[r];
    if constexpr (Part::linear_form != LinearForm::none) {
      double force[3];
      if constexpr (Part::linear_form == LinearForm::identity) kernel::copy(force, l);
      else
        for (int i = 0; i < 3; ++i) force[i] = l[0] * J.linear[p.place.linear + i];  // one row
      if (!is_ground<T>(p.to)) kernel::add_scaled(a + p.to.v, inverse_mass.mass(p.to.body), force);
      if (!is_ground<F>(p.from)) kernel::add_scaled(a + p.from.v, -inverse_mass.mass(p.from.body), force);
    }
    if (is_rigid<F>(p.from)) turn(l, J.angular + p.place.from, inverse_mass.moments(p.from.body), a + p.from.v + 3);
    if (is_rigid<T>(p.to)) turn(l, J.angular + p.place.to, inverse_mass.moments(p.to.body), a + p.to.v + 3);
  }

  // a += J⁻¹ Aᵀ lambda
  static void turn(const double* l, const double* A, const double* inverse_moments, double* a) {
    double torque[3] = {0, 0, 0};
    for (int r = 0; r < Part::rows; ++r) kernel::add_scaled(torque, l[r], A + 3 * r);
    for (int i = 0; i < 3; ++i) a[i] += inverse_moments[i] * torque[i];
  }

  std::vector<Part> parts_;
};

// Sorts parts by the kinds of their ends; parts with a moving anchor go into a group that decides at run time.
template <class Part>
void make_groups(const Workplace& work, const std::vector<Part>& parts, std::vector<std::unique_ptr<PartGroup>>& groups) {
  const auto kind = [](const Part& p, const End& e) {
    return p.from.motion >= 0 || p.to.motion >= 0 ? EndKind::any : static_cast<EndKind>(e.kind);
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
  pick_from.template operator()<EndKind::ground>();
  pick_from.template operator()<EndKind::point>();
  pick_from.template operator()<EndKind::rigid>();
  pick.template operator()<EndKind::any, EndKind::any>();
}

}  // namespace plumb
