#include "rigor/collision/convex_contact.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/collision/axis.hpp"
#include "rigor/collision/reduce_points.hpp"
#include "rigor/collision/sat.hpp"

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Form = ContactFeature::Form;

constexpr double kAligned = 1e-12;  // 1 − cos: a face is perpendicular to the normal
constexpr double kParallel = 0.05;  // sine: two generators touch along a line

bool is_aligned_face(const ContactFeature& f, const Vector3d& d) {
  return (f.form == Form::kPolygon || f.form == Form::kDisk) && f.normal.dot(d) > 1.0 - kAligned;
}

// A plane polygon that faces d within a small angle.
bool is_near_face(const ContactFeature& f, const Vector3d& d) {
  return f.form == Form::kPolygon && f.normal.dot(d) > kCosParallel;
}

// The edge of a polytope whose two ends both support d; the feature becomes that segment.
void narrow_to_edge(const Convex& shape, const Vector3d& d, ContactFeature& f) {
  if (f.form != Form::kPolygon) return;
  const double tolerance = 1e-9 * shape.size;
  double top = -std::numeric_limits<double>::infinity();
  for (const Vector3d& c : f.corners) top = std::max(top, d.dot(c));
  const std::size_t n = f.corners.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t next = (k + 1) % n;
    if (d.dot(f.corners[k]) < top - tolerance || d.dot(f.corners[next]) < top - tolerance) continue;
    const Vector3d a = f.corners[k], b = f.corners[next];
    const std::uint32_t la = f.corner_labels[k], lb = f.corner_labels[next], edge = f.edge_labels[k];
    f.form = Form::kSegment;
    f.corners.assign({a, b});
    f.corner_labels.assign({la, lb});
    f.edge_labels.assign({edge, edge});
    f.label = edge;
    return;
  }
}

bool are_parallel(const ContactFeature& a, const ContactFeature& b, const Vector3d& n) {
  if (a.form != Form::kSegment || b.form != Form::kSegment) return false;
  const Vector3d u = (a.corners[1] - a.corners[0]).normalized(),
                 v = (b.corners[1] - b.corners[0]).normalized();
  return u.cross(v).norm() < kParallel && std::abs(u.dot(n)) < kParallel && std::abs(v.dot(n)) < kParallel;
}

// What all points of a manifold share.
struct Shared {
  const ConvexPair& pair;
  Matrix3d R_WA;
  Vector3d p_WA;
  Vector3d n, n_W, tangent_W;  // A's frame, world, and any direction across it

  Shared(const ConvexPair& p, const Pose& X_WA, const Vector3d& normal)
      : pair(p), R_WA(X_WA.rotation.toRotationMatrix()), p_WA(X_WA.position), n(normal), n_W(R_WA * normal) {
    tangent_W = n_W.unitOrthogonal();
  }
};

// A vertex or a face of a polytope without rounding has the same curvature in all directions: no search is
// needed.
bool set_plain(const Convex& shape, std::uint32_t label, const Vector3d& tangent, FeatureKind& kind,
               SurfaceCurvature& curvature) {
  const bool face = label >= kFaceLabel;
  if (!shape.is_polytope() || shape.rounding > 0.0 || (!face && label >= kEdgeLabel)) return false;
  kind = face ? FeatureKind::kFace : FeatureKind::kVertex;
  const double k = face ? 0.0 : SurfaceCurvature::kSharp;
  curvature = {tangent, k, k};
  return true;
}

// Surfaces at a finished point: kinds, curvatures, and labels where the point brought none.
void describe(const Shared& shared, const Vector3d& on_a, const Vector3d& on_b, bool labelled,
              ContactPoint& point) {
  const ConvexPair& pair = shared.pair;
  const Vector3d& n = shared.n;
  if (!labelled || !set_plain(*pair.a, point.id.a, shared.tangent_W, point.kind_a, point.curvature_a)) {
    const SurfacePoint a = labelled && pair.a->is_polytope() ? find_surface_point(*pair.a, point.id.a, -n)
                                                             : find_surface_point(*pair.a, on_a, -n);
    if (!labelled) point.id.a = a.label;
    point.kind_a = a.kind;
    point.curvature_a = a.curvature;
    point.curvature_a.direction = shared.R_WA * a.curvature.direction;
  }
  if (!labelled || !set_plain(*pair.b, point.id.b, shared.tangent_W, point.kind_b, point.curvature_b)) {
    const Vector3d d_B = pair.R_AB.transpose() * n;
    const SurfacePoint b = labelled && pair.b->is_polytope()
                               ? find_surface_point(*pair.b, point.id.b, d_B)
                               : find_surface_point(*pair.b, pair.R_AB.transpose() * (on_b - pair.p_AB), d_B);
    if (!labelled) point.id.b = b.label;
    point.kind_b = b.kind;
    point.curvature_b = b.curvature;
    point.curvature_b.direction = shared.R_WA * (pair.R_AB * b.curvature.direction);
  }
  point.normal = shared.n_W;
  point.on_a = shared.p_WA + shared.R_WA * (on_a - pair.a->rounding * n);
  point.on_b = shared.p_WA + shared.R_WA * (on_b + pair.b->rounding * n);
}

bool has_faces(const Convex& shape) {
  return shape.kind == CoreKind::kBox || shape.kind == CoreKind::kPolytope;
}

// A point of each core at the distance of the axis from each other proves that no axis has more.
bool proves(const Manifold& points, const Axis& axis, const ConvexPair& pair) {
  return std::any_of(points.begin(), points.end(), [&](const ContactPoint& point) {
    return point.gap <= axis.separation - pair.rounding() + 1e-14 * pair.scale();
  });
}

ContactPoint make_witness(const Shared& shared, const Axis& axis) {
  ContactPoint point;
  point.gap = axis.separation - shared.pair.rounding();
  describe(shared, axis.on_a, axis.on_b, false, point);
  return point;
}

}  // namespace

void make_manifold(const ConvexPair& pair, const Axis& axis, const Pose& X_WA, double margin,
                   CollisionScratch& scratch, Manifold& out) {
  out.clear();
  const Vector3d& n = axis.n;
  const double rounding = pair.rounding();
  if (axis.separation - rounding > margin) return;
  const Shared shared(pair, X_WA, n);

  // what faces the other shape: a face perpendicular to the normal is the reference, B's before A's; else,
  // with a normal across two edges, B's face where both faces are nearly perpendicular
  ContactFeature &fa = scratch.feature_a, &fb = scratch.feature_b;
  find_facing_feature(*pair.a, Matrix3d::Identity(), Vector3d::Zero(), -n, fa);
  find_facing_feature(*pair.b, pair.R_AB, pair.p_AB, n, fb);
  bool a_is_ref = false;
  scratch.overlap.clear();
  if (is_aligned_face(fb, n) || (is_near_face(fb, n) && is_near_face(fa, -n) && !is_aligned_face(fa, -n))) {
    find_overlap(fb, fa, n, pair.R_AB.col(0), scratch.clip, scratch.overlap);
  } else if (is_aligned_face(fa, -n)) {
    a_is_ref = true;
    find_overlap(fa, fb, n, Vector3d::UnitX(), scratch.clip, scratch.overlap);
  } else {
    narrow_to_edge(*pair.a, -n, fa);
    narrow_to_edge(*pair.b, n, fb);
    a_is_ref = true;
    if (are_parallel(fa, fb, n)) find_segment_overlap(fa, fb, n, scratch.overlap);
  }

  // each corner of the overlap that is near enough is a point
  std::vector<ContactPoint>& points = scratch.points;
  points.clear();
  double smallest = std::numeric_limits<double>::infinity();
  for (const OverlapPoint& corner : scratch.overlap) {
    const double height_a = a_is_ref ? corner.height_ref : corner.height_inc;
    const double height_b = a_is_ref ? corner.height_inc : corner.height_ref;
    const double gap = height_a - height_b - rounding;
    if (gap > margin) continue;
    smallest = std::min(smallest, gap);
    ContactPoint& point = points.emplace_back();
    point.gap = gap;
    point.id.a = a_is_ref ? corner.label_ref : corner.label_inc;
    point.id.b = a_is_ref ? corner.label_inc : corner.label_ref;
    describe(shared, corner.at + height_a * n, corner.at + height_b * n, true, point);
  }
  // the nearest pair itself, where no corner is it
  const bool proved = axis.residual < 1e-7 * pair.scale();
  const bool has_witness = axis.residual < std::numeric_limits<double>::infinity();
  if ((points.empty() && has_witness) ||
      (proved && smallest > axis.separation - rounding + 1e-9 * pair.scale()))
    points.push_back(make_witness(shared, axis));
  reduce_points(points, Manifold::kCapacity);
  for (const ContactPoint& point : points) out.add(point);
}

void collide_convex(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB, double margin,
                    const Vector3d& plane, CollisionScratch& scratch, Manifold& out) {
  out.clear();
  // bounding balls decide most pairs
  const double reach = a.reach + b.reach + margin;
  if ((X_WA.position - X_WB.position).squaredNorm() > reach * reach) return;
  ConvexPair pair(a, X_WA, b, X_WB);
  if (!plane.isZero(0.0)) pair.plane = X_WA.rotation.conjugate() * plane;
  const double stop_above = margin + pair.rounding();
  // boxes that are apart: a corner of the overlap as near as the best axis says proves the axis, and no
  // search is needed
  if (a.kind == CoreKind::kBox && b.kind == CoreKind::kBox) {
    Axis axis;
    find_axis_boxes(pair, stop_above, axis);
    if (axis.separation > stop_above) return;
    if (axis.separation > 0.0) {
      axis.residual = std::numeric_limits<double>::infinity();
      make_manifold(pair, axis, X_WA, margin, scratch, out);
      if (proves(out, axis, pair)) return;
    } else {
      return make_manifold(pair, axis, X_WA, margin, scratch, out);
    }
  }
  // the same for other polytopes that touch, or nearly
  if (has_faces(a) && has_faces(b) && plane.isZero(0.0)) {
    Vector3d rough;
    Axis axis = find_unproved_axis(pair, stop_above, rough);
    make_manifold(pair, axis, X_WA, margin, scratch, out);
    if (rough.isZero(0.0) || proves(out, axis, pair)) return;
    prove_axis(pair, rough, axis);
    return make_manifold(pair, axis, X_WA, margin, scratch, out);
  }
  const Axis axis = find_axis(pair, stop_above);
  make_manifold(pair, axis, X_WA, margin, scratch, out);
}

ContactPoint find_nearest(const Convex& a, const Pose& X_WA, const Convex& b, const Pose& X_WB,
                          const Vector3d& plane, CollisionScratch& scratch) {
  const double infinity = std::numeric_limits<double>::infinity();
  ConvexPair pair(a, X_WA, b, X_WB);
  if (!plane.isZero(0.0)) pair.plane = X_WA.rotation.conjugate() * plane;
  const Axis axis = find_axis(pair, infinity);
  if (axis.residual <= 1e-12 * pair.scale()) return make_witness(Shared(pair, X_WA, axis.n), axis);
  Manifold manifold;
  make_manifold(pair, axis, X_WA, infinity, scratch, manifold);
  return *std::min_element(manifold.begin(), manifold.end(),
                           [](const ContactPoint& x, const ContactPoint& y) { return x.gap < y.gap; });
}

}  // namespace rigor
