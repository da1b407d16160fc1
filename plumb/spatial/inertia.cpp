#include "plumb/spatial/inertia.h"

#include <fmt/format.h>

#include <numbers>
#include <Eigen/Eigenvalues>

#include "plumb/spatial/polyhedron.h"

namespace plumb {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

constexpr double pi = std::numbers::pi;

}  // namespace

double volume(const Shape& shape) {
  return std::visit(
      Overloaded{[](const Box& b) { return b.size.x() * b.size.y() * b.size.z(); },
                 [](const Sphere& s) { return 4.0 / 3.0 * pi * s.radius * s.radius * s.radius; },
                 [](const Cylinder& c) { return pi * c.radius * c.radius * c.height; },
                 [](const Capsule& c) { return pi * c.radius * c.radius * (c.height + 4.0 / 3.0 * c.radius); },
                 [](const Hull& h) { return solid_properties(convex_hull(h.points)).volume; }},
      shape);
}

Vec3 centroid(const Shape& shape) {
  const auto* hull = std::get_if<Hull>(&shape);
  return hull ? solid_properties(convex_hull(hull->points)).centroid : Vec3::Zero();
}

Inertia unit_inertia(const Shape& shape) {
  if (const auto* hull = std::get_if<Hull>(&shape)) {
    const Mat3 I = solid_properties(convex_hull(hull->points)).inertia;
    return {I.diagonal(), {I(0, 1), I(0, 2), I(1, 2)}};
  }
  const Vec3 moments = std::visit(
      Overloaded{[](const Box& b) {
                   const Vec3 s = b.size.cwiseProduct(b.size) / 12;
                   return Vec3(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
                 },
                 [](const Sphere& s) { return Vec3(Vec3::Constant(0.4 * s.radius * s.radius)); },
                 [](const Cylinder& c) {
                   const double r2 = c.radius * c.radius, across = r2 / 4 + c.height * c.height / 12;
                   return Vec3(across, across, r2 / 2);
                 },
                 [](const Capsule& c) {
                   // Cylinder and two half spheres, each by its share of the volume; the centre of a half
                   // sphere lies 3r/8 beyond the flat face.
                   const double r = c.radius, h = c.height, r2 = r * r;
                   const double caps = 4.0 / 3.0 * r / (h + 4.0 / 3.0 * r), tube = 1 - caps;
                   const double across = tube * (r2 / 4 + h * h / 12) + caps * (0.4 * r2 + h * h / 4 + 0.375 * h * r);
                   return Vec3(across, across, tube * r2 / 2 + caps * 0.4 * r2);
                 },
                 [](const Hull&) { return Vec3(Vec3::Zero()); }},
      shape);
  return {moments, Vec3::Zero()};
}

Mat3 Inertia::matrix() const {
  Mat3 I;
  I << moments.x(), products.x(), products.y(),  //
      products.x(), moments.y(), products.z(),   //
      products.y(), products.z(), moments.z();
  return I;
}

std::string inertia_fault(const Inertia& inertia) {
  const Vec3 p = principal(inertia).moments;
  if (!(p.minCoeff() > 0))
    return fmt::format("principal moments {:g}, {:g}, {:g} kg m²: all three must be positive", p.x(), p.y(), p.z());
  // Each moment is an integral of the sum of two squared coordinates: none exceeds the sum of the others.
  const double largest = p.maxCoeff(), others = p.sum() - largest;
  if (largest > others * (1 + 1e-9))
    return fmt::format(
        "principal moments {:g}, {:g}, {:g} kg m²: no body has them, the largest must not exceed the sum of the other "
        "two",
        p.x(), p.y(), p.z());
  return {};
}

PrincipalInertia principal(const Inertia& inertia) {
  if (inertia.products.isZero(0)) return {inertia.moments, {}};
  Eigen::SelfAdjointEigenSolver<Mat3> eigen(inertia.matrix());
  Mat3 axes = eigen.eigenvectors();
  if (axes.determinant() < 0) axes.col(2) *= -1;
  return {eigen.eigenvalues(), Quaternion::from_matrix(axes)};
}

}  // namespace plumb
