#include "rigor/collision/convex_hull.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "rigor/base/require.hpp"
#include "rigor/math/portable.hpp"

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace rigor {
namespace {

// Relative to its extent: a thinner hull has no volume that double precision could tell.
constexpr double kFlat = 1e-10;

// Moved to their mean and scaled to extent 1: neither a far origin nor a tiny size may cost digits.
struct Scaled {
  std::vector<Eigen::Vector3d> points;
  Eigen::Vector3d mean{Eigen::Vector3d::Zero()};
  double extent{0.0};
};

Scaled scale(const std::vector<Eigen::Vector3d>& points) {
  Scaled out;
  for (const Eigen::Vector3d& p : points) out.mean += p / static_cast<double>(points.size());
  for (const Eigen::Vector3d& p : points)
    out.extent = std::max(out.extent, (p - out.mean).cwiseAbs().maxCoeff());
  require(out.extent > 0.0,
          "hull: all {} points coincide; it needs 4 points that are not in one plane. Use a point.",
          points.size());
  for (const Eigen::Vector3d& p : points) out.points.push_back((p - out.mean) / out.extent);
  return out;
}

void require_thickness(const std::vector<Eigen::Vector3d>& points) {
  // The widest triangle's normal: the point farthest from the first, then from that line, spans the plane.
  const auto farthest = [&](auto&& measure) {
    return *std::max_element(points.begin(), points.end(),
                             [&](const auto& a, const auto& b) { return measure(a) < measure(b); });
  };
  const Eigen::Vector3d& o = points[0];
  const Eigen::Vector3d far = farthest([&](const Eigen::Vector3d& p) { return (p - o).norm(); });
  const Eigen::Vector3d u = (far - o).normalized();
  const Eigen::Vector3d side = farthest([&](const Eigen::Vector3d& p) { return (p - o).cross(u).norm(); });
  const double width = (side - o).cross(u).norm();
  require(width > kFlat,
          "hull: its {} points lie on a line (width {:.3g} of the length), must have a volume. "
          "Use a capsule.",
          points.size(), width);
  const Eigen::Vector3d n = u.cross(side - o).normalized();
  const double height =
      std::abs(n.dot(farthest([&](const Eigen::Vector3d& p) { return std::abs(n.dot(p - o)); }) - o));
  require(height > kFlat,
          "hull: its {} points lie in a plane (thickness {:.3g} of the extent), must have a volume. "
          "Use a thin box, or move a point out of the plane.",
          points.size(), height);
}

// Owns a run of qhull; errors come back as a code, nothing is printed.
class Qhull {
 public:
  explicit Qhull(std::vector<double>& coordinates) {
    qh_zero(&qh_, nullptr);
    char command[] = "qhull Pp";
    status_ = qh_new_qhull(&qh_, 3, static_cast<int>(coordinates.size() / 3), coordinates.data(), False,
                           command, nullptr, nullptr);
  }
  ~Qhull() {
    qh_freeqhull(&qh_, !qh_ALL);
    int current = 0, total = 0;
    qh_memfreeshort(&qh_, &current, &total);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;

  [[nodiscard]] int status() const { return status_; }
  qhT* get() { return &qh_; }

 private:
  qhT qh_{};
  int status_{0};
};

// Corner indices of each facet, put in order by their angle about the facet's outward normal.
std::vector<std::vector<int>> find_loops(Qhull& run, const std::vector<Eigen::Vector3d>& points) {
  qhT* qh = run.get();
  std::vector<std::vector<int>> loops;
  facetT* facet = nullptr;
  FORALLfacets {
    const Eigen::Vector3d n(facet->normal[0], facet->normal[1], facet->normal[2]);
    std::vector<int> loop;
    vertexT *vertex = nullptr, **vertexp = nullptr;
    FOREACHvertex_(facet->vertices) loop.push_back(qh_pointid(qh, vertex->point));
    Eigen::Vector3d middle = Eigen::Vector3d::Zero();
    for (const int v : loop) middle += points[static_cast<std::size_t>(v)] / static_cast<double>(loop.size());
    const Eigen::Vector3d x = (points[static_cast<std::size_t>(loop[0])] - middle).normalized(),
                          y = n.cross(x);
    const auto angle = [&](int v) {
      const Eigen::Vector3d d = points[static_cast<std::size_t>(v)] - middle;
      return portable::atan2(y.dot(d), x.dot(d));
    };
    std::sort(loop.begin(), loop.end(), [&](int a, int b) { return angle(a) < angle(b); });
    loops.push_back(std::move(loop));
  }
  return loops;
}

// Keeps the corners only, in the order of the caller's points, so that indices do not depend on qhull.
void renumber(std::vector<std::vector<int>>& loops, std::vector<int>& corners) {
  for (const auto& loop : loops) corners.insert(corners.end(), loop.begin(), loop.end());
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  for (auto& loop : loops) {
    for (int& v : loop)
      v = static_cast<int>(std::lower_bound(corners.begin(), corners.end(), v) - corners.begin());
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  }
  std::sort(loops.begin(), loops.end());
}

}  // namespace

Polytope make_convex_hull(const std::vector<Eigen::Vector3d>& points) {
  require(points.size() >= 4, "hull: has {} points, must have at least 4.", points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    require(points[i].allFinite(), "hull: point {} is not finite. Check the data it came from.", i);
  const Scaled scaled = scale(points);
  require_thickness(scaled.points);

  std::vector<double> coordinates;
  for (const Eigen::Vector3d& p : scaled.points) coordinates.insert(coordinates.end(), {p.x(), p.y(), p.z()});
  Qhull run(coordinates);
  require(run.status() == 0,
          "hull: qhull found no hull of the {} points (its code {}); they are too flat. "
          "Move points apart, or use a box.",
          points.size(), run.status());

  std::vector<std::vector<int>> loops = find_loops(run, scaled.points);
  std::vector<int> corners;
  renumber(loops, corners);
  std::vector<Eigen::Vector3d> vertices;
  for (const int v : corners) vertices.push_back(points[static_cast<std::size_t>(v)]);
  Polytope hull = make_polytope(std::move(vertices), loops);
  for (const PolytopeEdge& edge : hull.edges)
    require(edge.f1 >= 0,
            "hull: the faces found do not close (points too flat or too close). Move points apart.");
  return hull;
}

}  // namespace rigor
