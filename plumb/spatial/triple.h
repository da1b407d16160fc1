// 3-vectors over any scalar: plain numbers for places, jets (expression/jet.h) for places that move.
#pragma once

#include <cmath>

#include "plumb/spatial/rotation.h"

namespace plumb {

template <class T>
struct Triple {
  T x{}, y{}, z{};

  Triple() = default;
  Triple(const T& a, const T& b, const T& c) : x(a), y(b), z(c) {}
  explicit Triple(const Vec3& v) : x(v.x()), y(v.y()), z(v.z()) {}
};

template <class T>
Triple<T> operator+(const Triple<T>& a, const Triple<T>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
Triple<T> operator-(const Triple<T>& a, const Triple<T>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
Triple<T> operator*(const T& s, const Triple<T>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class T>
T dot(const Triple<T>& a, const Triple<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
Triple<T> cross(const Triple<T>& a, const Triple<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
T norm(const Triple<T>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

}  // namespace plumb
