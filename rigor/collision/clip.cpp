#include "rigor/collision/clip.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;
using Form = ContactFeature::Form;

constexpr std::uint32_t kSampleLabel = 0x20000000u;  // places on a rim
constexpr std::uint32_t kCrossLabel = 0x30000000u;   // crossings of a rim with a side
// Relative to the length of a side: a corner this near to a side is on it, so that edges which coincide to
// rounding keep their names from step to step.
constexpr double kOnSide = 1e-9;

double cross(const Vector2d& a, const Vector2d& b) {
  return a.x() * b.y() - a.y() * b.x();
}

// Coordinates across n, and heights along it.
struct View {
  Vector3d x, y, n;

  View(const Vector3d& normal, const Vector3d& tangent) : n(normal) {
    Vector3d t = tangent - n * n.dot(tangent);
    if (t.norm() < 0.1) t = n.unitOrthogonal();
    x = t.normalized();
    y = n.cross(x);
  }
  [[nodiscard]] Vector2d flat(const Vector3d& p) const { return {x.dot(p), y.dot(p)}; }
  [[nodiscard]] Vector3d lift(const Vector2d& p) const { return p.x() * x + p.y() * y; }
};

// Height of the feature's plane, or of its segment, over a place. A plane seen edge-on has none: then that
// of its corner.
double height(const ContactFeature& f, const View& view, const Vector2d& at) {
  switch (f.form) {
    case Form::kPoint:
      return view.n.dot(f.corners[0]);
    case Form::kSegment: {
      const Vector2d a = view.flat(f.corners[0]), b = view.flat(f.corners[1]);
      const double t = std::clamp((at - a).dot(b - a) / std::max((b - a).squaredNorm(), 1e-300), 0.0, 1.0);
      return view.n.dot(f.corners[0]) * (1.0 - t) + view.n.dot(f.corners[1]) * t;
    }
    default: {
      const Vector3d& p = f.form == Form::kDisk ? f.center : f.corners[0];
      const double facing = f.normal.dot(view.n);
      if (std::abs(facing) < 1e-12) return view.n.dot(p);
      return f.normal.dot(p - view.lift(at)) / facing;
    }
  }
}

struct Sink {
  const ContactFeature &ref, &inc;
  const View& view;
  std::vector<OverlapPoint>& out;

  void add(const Vector2d& at, std::uint32_t label_ref, std::uint32_t label_inc) const {
    out.push_back({view.lift(at), height(ref, view, at), height(inc, view, at), label_ref, label_inc});
  }
  // at a corner of the incident feature its own height is exact
  void add_corner(std::size_t k, std::uint32_t label_ref) const {
    const Vector2d at = view.flat(inc.corners[k]);
    out.push_back(
        {view.lift(at), height(ref, view, at), view.n.dot(inc.corners[k]), label_ref, inc.corner_labels[k]});
  }
};

// ------------------------------------------------------------------------------------------- polygons

// The reference's corners seen along n, counter-clockwise.
void set_reference(const ContactFeature& f, const View& view, std::vector<Vector2d>& out) {
  out.clear();
  for (const Vector3d& c : f.corners) out.push_back(view.flat(c));
}

// Turns by which the sides of the reference are counter-clockwise seen along n: A's face looks against n.
double turn(const ContactFeature& f, const View& view) {
  return f.normal.dot(view.n) < 0.0 ? -1.0 : 1.0;
}

void clip_by_side(ClipScratch& s, const Vector2d& a, const Vector2d& b, double sign, int side) {
  s.clipped.clear();
  const double on_side = kOnSide * (b - a).squaredNorm();
  const auto inside = [&](const Vector2d& p) {
    const double d = sign * cross(b - a, p - a);
    return std::abs(d) <= on_side ? 0.0 : d;
  };
  const std::size_t n = s.polygon.size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto &here = s.polygon[i], &next = s.polygon[(i + 1) % n];
    const double d0 = inside(here.p), d1 = inside(next.p);
    const Vector2d crossing = here.p + (next.p - here.p) * (d0 == d1 ? 0.0 : d0 / (d0 - d1));
    if (d0 >= 0.0) {
      s.clipped.push_back(here);
      if (d1 < 0.0) {
        if (d0 > 0.0)
          s.clipped.push_back({crossing, here.out, -1 - side});
        else
          s.clipped.back().out = -1 - side;
      }
    } else if (d1 > 0.0) {
      s.clipped.push_back({crossing, -1 - side, here.out});
    }
  }
  s.polygon.swap(s.clipped);
}

void polygon_polygon(const Sink& sink, ClipScratch& s) {
  const ContactFeature &ref = sink.ref, &inc = sink.inc;
  set_reference(ref, sink.view, s.reference);
  s.polygon.clear();
  const int count = static_cast<int>(inc.corners.size());
  for (int k = 0; k < count; ++k)
    s.polygon.push_back(
        {sink.view.flat(inc.corners[static_cast<std::size_t>(k)]), (k + count - 1) % count, k});
  const double sign = turn(ref, sink.view);
  const std::size_t sides = s.reference.size();
  for (std::size_t k = 0; k < sides && !s.polygon.empty(); ++k)
    clip_by_side(s, s.reference[k], s.reference[(k + 1) % sides], sign, static_cast<int>(k));
  const auto next_corner = [](int x, int y, int n) {  // the corner that sides x and y share
    return (x + 1) % n == y ? y : (y + 1) % n == x ? x : std::max(x, y);
  };
  for (const auto& corner : s.polygon) {
    if (corner.in >= 0 && corner.out >= 0) {
      sink.add_corner(static_cast<std::size_t>(next_corner(corner.in, corner.out, count)), ref.label);
    } else if (corner.in < 0 && corner.out < 0) {
      const int k = next_corner(-1 - corner.in, -1 - corner.out, static_cast<int>(sides));
      sink.add(corner.p, ref.corner_labels[static_cast<std::size_t>(k)], inc.label);
    } else {
      const int side_inc = std::max(corner.in, corner.out), side_ref = -1 - std::min(corner.in, corner.out);
      sink.add(corner.p, ref.edge_labels[static_cast<std::size_t>(side_ref)],
               inc.edge_labels[static_cast<std::size_t>(side_inc)]);
    }
  }
}

bool is_inside_polygon(const std::vector<Vector2d>& polygon, double sign, const Vector2d& p) {
  for (std::size_t k = 0; k < polygon.size(); ++k)
    if (sign * cross(polygon[(k + 1) % polygon.size()] - polygon[k], p - polygon[k]) < 0.0) return false;
  return true;
}

// ----------------------------------------------------------------------------------------------- disks

// A disk seen along n: p = center + u cos φ + v sin φ, with φ = 0 its furthest place towards the other shape.
struct SeenDisk {
  Vector2d center, u, v;

  SeenDisk(const ContactFeature& f, const View& view, double towards) : center(view.flat(f.center)) {
    // tilted: the rim leans furthest along ± n at the projection of n on the disk's plane
    Vector3d lean = towards * (view.n - f.normal * f.normal.dot(view.n));
    if (lean.norm() < 1e-9) lean = view.x - f.normal * f.normal.dot(view.x);
    lean.normalize();
    u = view.flat(f.radius * lean);
    v = view.flat(f.radius * f.normal.cross(lean));
  }
  [[nodiscard]] Vector2d at(double c, double s) const { return center + c * u + s * v; }
  // cos φ and sin φ of the place, both larger than they should be outside
  [[nodiscard]] Vector2d coordinates(const Vector2d& p) const {
    const Vector2d d = p - center;
    return Vector2d(cross(d, v), cross(u, d)) / cross(u, v);
  }
  [[nodiscard]] bool contains(const Vector2d& p) const { return coordinates(p).squaredNorm() <= 1.0; }
  [[nodiscard]] Vector2d on_rim(const Vector2d& p) const {
    const Vector2d c = coordinates(p).normalized();
    return at(c.x(), c.y());
  }
};

constexpr std::array<std::array<double, 2>, 4> kQuarters{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};

// Crossings of the rim with the side from a to b: cross(b − a, p − a) = 0 is A cos φ + B sin φ = C.
template <class Visit>
void cross_rim(const SeenDisk& disk, const Vector2d& a, const Vector2d& b, Visit visit) {
  const Vector2d d = b - a;
  const double A = cross(d, disk.u), B = cross(d, disk.v), C = -cross(d, disk.center - a);
  const double length = portable::hypot(A, B);
  if (!(length > std::abs(C))) return;
  const double middle = portable::atan2(B, A), half = portable::acos(C / length);
  for (int k = 0; k < 2; ++k) {
    const double phi = middle + (k ? half : -half);
    const Vector2d p = disk.at(portable::cos(phi), portable::sin(phi));
    const double t = d.dot(p - a) / d.squaredNorm();
    if (t > 0.0 && t < 1.0) visit(p, k);
  }
}

// ref and inc: one is the disk, the other the polygon.
void disk_polygon(const Sink& sink, ClipScratch& s, bool disk_is_ref) {
  const ContactFeature &disk = disk_is_ref ? sink.ref : sink.inc,
                       &polygon = disk_is_ref ? sink.inc : sink.ref;
  // A's features face −n, B's face n: the deep side of the disk is the one that it faces
  const SeenDisk seen(disk, sink.view, disk.normal.dot(sink.view.n) > 0.0 ? 1.0 : -1.0);
  set_reference(polygon, sink.view, s.reference);
  const double sign = turn(polygon, sink.view);
  const auto add = [&](const Vector2d& p, std::uint32_t on_disk, std::uint32_t on_polygon) {
    disk_is_ref ? sink.add(p, on_disk, on_polygon) : sink.add(p, on_polygon, on_disk);
  };
  for (std::uint32_t k = 0; k < 4; ++k) {
    const Vector2d p = seen.at(kQuarters[k][0], kQuarters[k][1]);
    if (is_inside_polygon(s.reference, sign, p)) add(p, kSampleLabel + k, polygon.label);
  }
  const std::size_t count = polygon.corners.size();
  for (std::size_t k = 0; k < count; ++k) {
    if (seen.contains(s.reference[k])) {
      if (disk_is_ref)
        sink.add_corner(k, disk.label);
      else
        add(s.reference[k], disk.label, polygon.corner_labels[k]);
    }
    cross_rim(seen, s.reference[k], s.reference[(k + 1) % count], [&](const Vector2d& p, int which) {
      add(p, kCrossLabel + static_cast<std::uint32_t>(which), polygon.edge_labels[k]);
    });
  }
}

void disk_disk(const Sink& sink) {
  const auto towards = [&](const ContactFeature& f) { return f.normal.dot(sink.view.n) > 0.0 ? 1.0 : -1.0; };
  const SeenDisk ref(sink.ref, sink.view, towards(sink.ref)), inc(sink.inc, sink.view, towards(sink.inc));
  for (std::uint32_t k = 0; k < 4; ++k) {
    const Vector2d p = inc.at(kQuarters[k][0], kQuarters[k][1]), q = ref.at(kQuarters[k][0], kQuarters[k][1]);
    if (ref.contains(p)) sink.add(p, sink.ref.label, kSampleLabel + k);
    if (inc.contains(q)) sink.add(q, kSampleLabel + k, sink.inc.label);
  }
  // the rims cross as circles do; a tilt moves the crossing along the incident rim by its square, and disks
  // that are tilted more touch in one point anyway
  if (std::abs(sink.inc.normal.dot(sink.view.n)) < 1.0 - 1e-4) return;
  const Vector2d d = inc.center - ref.center;
  const double distance = d.norm(), r = sink.ref.radius, R = sink.inc.radius;
  if (!(distance > std::abs(r - R)) || !(distance < r + R)) return;
  const double along = (distance * distance + r * r - R * R) / (2.0 * distance);
  const double side = std::sqrt(std::max(0.0, r * r - along * along));
  const Vector2d w = d / distance, v(-w.y(), w.x());
  for (std::uint32_t k = 0; k < 2; ++k)
    sink.add(inc.on_rim(ref.center + along * w + (k ? -side : side) * v), kCrossLabel + k, kCrossLabel + k);
}

// -------------------------------------------------------------------------------------------- segments

// The part [low, high] of a segment that lies in the reference, as a fraction of its length.
void segment_in(const Sink& sink, ClipScratch& s) {
  const Vector2d a = sink.view.flat(sink.inc.corners[0]), d = sink.view.flat(sink.inc.corners[1]) - a;
  double low = 0.0, high = 1.0;
  std::uint32_t label_low = sink.ref.label, label_high = sink.ref.label;
  if (sink.ref.form == Form::kPolygon) {
    set_reference(sink.ref, sink.view, s.reference);
    const double sign = turn(sink.ref, sink.view);
    for (std::size_t k = 0; k < s.reference.size(); ++k) {
      const Vector2d side = s.reference[(k + 1) % s.reference.size()] - s.reference[k];
      const double at0 = sign * cross(side, a - s.reference[k]), slope = sign * cross(side, d);
      if (slope == 0.0 && at0 < 0.0) return;
      const double t = slope == 0.0 ? 0.0 : -at0 / slope;
      if (slope > 0.0 && t > low) low = t, label_low = sink.ref.edge_labels[k];
      if (slope < 0.0 && t < high) high = t, label_high = sink.ref.edge_labels[k];
    }
  } else {
    const Vector2d from = a - sink.view.flat(sink.ref.center);
    const double dd = d.squaredNorm(), half = from.dot(d) / std::max(dd, 1e-300);
    const double root =
        half * half - (from.squaredNorm() - sink.ref.radius * sink.ref.radius) / std::max(dd, 1e-300);
    if (root < 0.0) return;
    if (-half - std::sqrt(root) > low) low = -half - std::sqrt(root), label_low = kCrossLabel;
    if (-half + std::sqrt(root) < high) high = -half + std::sqrt(root), label_high = kCrossLabel + 1;
  }
  if (low > high) return;
  if (low == 0.0)
    sink.add_corner(0, sink.ref.label);
  else
    sink.add(a + low * d, label_low, sink.inc.label);
  if (high == 1.0)
    sink.add_corner(1, sink.ref.label);
  else
    sink.add(a + high * d, label_high, sink.inc.label);
}

void point_in(const Sink& sink, ClipScratch& s) {
  const Vector2d p = sink.view.flat(sink.inc.corners[0]);
  if (sink.ref.form == Form::kPolygon) {
    set_reference(sink.ref, sink.view, s.reference);
    if (!is_inside_polygon(s.reference, turn(sink.ref, sink.view), p)) return;
  } else if ((p - sink.view.flat(sink.ref.center)).norm() > sink.ref.radius) {
    return;
  }
  sink.add_corner(0, sink.ref.label);
}

}  // namespace

void find_overlap(const ContactFeature& reference, const ContactFeature& incident, const Vector3d& n,
                  const Vector3d& tangent, ClipScratch& scratch, std::vector<OverlapPoint>& out) {
  out.clear();
  const View view(n, tangent);
  const Sink sink{reference, incident, view, out};
  const bool disk = reference.form == Form::kDisk;
  switch (incident.form) {
    case Form::kPoint:
      return point_in(sink, scratch);
    case Form::kSegment:
      return segment_in(sink, scratch);
    case Form::kPolygon:
      return disk ? disk_polygon(sink, scratch, true) : polygon_polygon(sink, scratch);
    case Form::kDisk:
      return disk ? disk_disk(sink) : disk_polygon(sink, scratch, false);
  }
}

void find_segment_overlap(const ContactFeature& a, const ContactFeature& b, const Vector3d& n,
                          std::vector<OverlapPoint>& out) {
  out.clear();
  const View view(n, a.corners[1] - a.corners[0]);
  const Sink sink{a, b, view, out};
  const Vector2d a0 = view.flat(a.corners[0]), a1 = view.flat(a.corners[1]);
  const Vector2d u = (a1 - a0).normalized();
  // fractions along A of B's ends
  const double length = (a1 - a0).norm();
  double t[2] = {u.dot(view.flat(b.corners[0]) - a0), u.dot(view.flat(b.corners[1]) - a0)};
  const std::size_t first = t[0] <= t[1] ? 0 : 1, last = 1 - first;
  if (t[last] < 0.0 || t[first] > length) return;
  if (t[first] >= 0.0)
    sink.add_corner(first, a.label);
  else
    sink.add(a0, a.corner_labels[0], b.label);
  if (t[last] <= length)
    sink.add_corner(last, a.label);
  else
    sink.add(a1, a.corner_labels[1], b.label);
}

}  // namespace rigor
