#include "plumb/spatial/polyhedron.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace plumb {

Polyhedron polyhedron(std::vector<Vec3> corners, std::vector<std::vector<int>> loops) {
  Polyhedron p;
  p.corners = std::move(corners);
  std::map<std::pair<int, int>, int> edge_of;
  for (std::vector<int>& loop : loops) {
    const int face = static_cast<int>(p.faces.size());
    Vec3 area = Vec3::Zero(), middle = Vec3::Zero();
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int a = loop[i], b = loop[(i + 1) % loop.size()];
      area += (p.corners[a] - p.corners[loop[0]]).cross(p.corners[b] - p.corners[loop[0]]);
      middle += p.corners[a] / static_cast<double>(loop.size());
      const auto [at, is_new] = edge_of.try_emplace(std::minmax(a, b), static_cast<int>(p.edges.size()));
      if (is_new) p.edges.push_back({std::min(a, b), std::max(a, b), {-1, -1}});
      int* const sides = p.edges[at->second].faces;
      sides[sides[0] < 0 ? 0 : 1] = face;
    }
    const Vec3 normal = area.normalized();
    // Pieces that were joined are plane up to rounding only; the outermost corner counts.
    double offset = normal.dot(p.corners[loop[0]]);
    for (int a : loop) offset = std::max(offset, normal.dot(p.corners[a]));
    p.faces.push_back({normal, offset, std::move(loop), middle});
  }
  return p;
}

Polyhedron box_polyhedron(const Vec3& size) {
  std::vector<Vec3> corners;
  for (double x : {-0.5, 0.5})
    for (double y : {-0.5, 0.5})
      for (double z : {-0.5, 0.5}) corners.push_back(size.cwiseProduct(Vec3(x, y, z)));
  return polyhedron(std::move(corners),
                    {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}});
}

Polyhedron convex_hull(const std::vector<Vec3>& points) {
  if (points.size() < 4) throw std::invalid_argument(fmt::format("{} points enclose no volume", points.size()));
  std::vector<double> coordinates;
  for (const Vec3& x : points) coordinates.insert(coordinates.end(), {x.x(), x.y(), x.z()});
  const auto close = [](std::FILE* f) { std::fclose(f); };
  const std::unique_ptr<std::FILE, decltype(close)> silence(std::fopen("/dev/null", "w"), close);
  qhT state;
  qhT* const qh = &state;
  qh_zero(qh, silence.get());
  char command[] = "qhull Qx";
  const int fault = qh_new_qhull(qh, 3, static_cast<int>(points.size()), coordinates.data(), False, command,
                                 silence.get(), silence.get());
  std::vector<Vec3> corners;
  std::vector<std::vector<int>> loops;
  if (fault == qh_ERRnone) {
    std::map<int, int> number;  // of those points that are corners
    facetT* facet;
    vertexT *vertex, **vertexp;
    FORALLfacets {
      setT* const around = qh_facet3vertex(qh, facet);
      std::vector<int> loop;
      FOREACHvertex_(around) {
        const int point = qh_pointid(qh, vertex->point);
        const auto [at, is_new] = number.try_emplace(point, static_cast<int>(corners.size()));
        if (is_new) corners.push_back(points[point]);
        loop.push_back(at->second);
      }
      loops.push_back(std::move(loop));
      setT* used = around;
      qh_settempfree(qh, &used);
    }
  }
  qh_freeqhull(qh, qh_ALL);
  int current = 0, total = 0;
  qh_memfreeshort(qh, &current, &total);
  if (fault != qh_ERRnone)
    throw std::invalid_argument("the points lie in one plane, or so nearly that there is no volume");
  // Counterclockwise from outside, whichever way the library turns.
  Vec3 inside = Vec3::Zero();
  for (const Vec3& c : corners) inside += c / static_cast<double>(corners.size());
  for (std::vector<int>& loop : loops) {
    const Vec3 &a = corners[loop[0]], &b = corners[loop[1]], &c = corners[loop[2]];
    if ((b - a).cross(c - a).dot(a - inside) < 0) std::ranges::reverse(loop);
  }
  return polyhedron(std::move(corners), std::move(loops));
}

// Sums over tetrahedra from one corner: volume V, first moments V (a+b+c+d)/4, second moments by the exact formula.
SolidProperties solid_properties(const Polyhedron& p) {
  const Vec3 origin = p.corners[0];
  double volume = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  for (const Polyhedron::Face& f : p.faces)
    for (std::size_t i = 1; i + 1 < f.loop.size(); ++i) {
      const Vec3 a = p.corners[f.loop[0]] - origin, b = p.corners[f.loop[i]] - origin,
                 c = p.corners[f.loop[i + 1]] - origin, sum = a + b + c;
      const double v = a.dot(b.cross(c)) / 6;
      volume += v;
      first += v / 4 * sum;
      second += v / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
    }
  const Vec3 from_corner = first / volume;
  const Mat3 about = second / volume - from_corner * from_corner.transpose();
  return {volume, origin + from_corner, Mat3(about.trace() * Mat3::Identity() - about)};
}

}  // namespace plumb
