#include "rigor/collision/reduce_points.hpp"

#include <Eigen/Geometry>
#include <algorithm>

namespace rigor {
namespace {

using Eigen::Vector2d;

struct Seen {
  Vector2d p;
  std::size_t index;
};

double turn(const Vector2d& a, const Vector2d& b, const Vector2d& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

// Andrew's monotone chain: the outline counter-clockwise, without points on its sides.
void find_outline(std::vector<Seen>& points, std::vector<Seen>& outline) {
  std::sort(points.begin(), points.end(), [](const Seen& a, const Seen& b) {
    return a.p.x() != b.p.x()   ? a.p.x() < b.p.x()
           : a.p.y() != b.p.y() ? a.p.y() < b.p.y()
                                : a.index < b.index;
  });
  outline.clear();
  const auto chain = [&](const Seen& next, std::size_t base) {
    while (outline.size() >= base + 2 && turn(outline[outline.size() - 2].p, outline.back().p, next.p) <= 0.0)
      outline.pop_back();
    outline.push_back(next);
  };
  for (const Seen& next : points) chain(next, 0);
  const std::size_t base = outline.size() - 1;
  for (std::size_t i = points.size() - 1; i-- > 0;) chain(points[i], base);
  outline.pop_back();
}

void see(const ContactPoint* points, std::size_t count, const Eigen::Vector3d& n, std::vector<Seen>& out) {
  const Eigen::Vector3d x = n.unitOrthogonal(), y = n.cross(x);
  out.clear();
  for (std::size_t i = 0; i < count; ++i)
    out.push_back({{x.dot(points[i].on_b - points[0].on_b), y.dot(points[i].on_b - points[0].on_b)}, i});
}

}  // namespace

double support_area(const ContactPoint* points, std::size_t count, const Eigen::Vector3d& normal) {
  if (count < 3) return 0.0;
  std::vector<Seen> seen, outline;
  see(points, count, normal, seen);
  find_outline(seen, outline);
  double twice = 0.0;
  for (std::size_t i = 1; i + 1 < outline.size(); ++i)
    twice += turn(outline[0].p, outline[i].p, outline[i + 1].p);
  return 0.5 * twice;
}

void reduce_points(std::vector<ContactPoint>& points, std::size_t limit) {
  if (points.size() <= limit) return;
  thread_local std::vector<Seen> seen, outline;
  thread_local std::vector<char> kept;
  see(points.data(), points.size(), points[0].normal, seen);
  find_outline(seen, outline);
  const auto by_gap = [](const ContactPoint& a, const ContactPoint& b) { return a.gap < b.gap; };
  const auto [low, high] = std::minmax_element(points.begin(), points.end(), by_gap);
  kept.assign(points.size(), 0);
  const std::size_t extremes[2] = {static_cast<std::size_t>(low - points.begin()),
                                   static_cast<std::size_t>(high - points.begin())};
  for (const std::size_t i : extremes) kept[i] = 1;

  // room for corners beside the two extremes, where these are not corners
  std::size_t room = limit;
  for (std::size_t k = 0; k < 2; ++k) {
    const bool corner =
        std::any_of(outline.begin(), outline.end(), [&](const Seen& s) { return s.index == extremes[k]; });
    if (!corner && (k == 0 || extremes[1] != extremes[0])) --room;
  }
  // the corner that costs the least area goes, until there is room for the rest
  while (outline.size() > room) {
    std::size_t worst = outline.size();
    double least = 0.0;
    for (std::size_t i = 0; i < outline.size(); ++i) {
      if (kept[outline[i].index]) continue;
      const double area = turn(outline[(i + outline.size() - 1) % outline.size()].p, outline[i].p,
                               outline[(i + 1) % outline.size()].p);
      if (worst == outline.size() || area < least) least = area, worst = i;
    }
    outline.erase(outline.begin() + static_cast<std::ptrdiff_t>(worst));
  }
  for (const Seen& s : outline) kept[s.index] = 1;
  std::size_t to = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (kept[i]) points[to++] = points[i];
  points.resize(to);
}

}  // namespace rigor
