#include "rigor/collision/contact_feature.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <cmath>

#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Form = ContactFeature::Form;

constexpr double kOnIt = 1e-9;  // relative: a direction or a point is taken to be exactly there

void start(ContactFeature& out, Form form) {
  out.form = form;
  out.corners.clear();
  out.corner_labels.clear();
  out.edge_labels.clear();
}

void add_corner(ContactFeature& out, const Vector3d& corner, std::uint32_t label, std::uint32_t edge) {
  out.corners.push_back(corner);
  out.corner_labels.push_back(label);
  out.edge_labels.push_back(edge);
}

bool contains(const Polytope& p, const PolytopeFace& face, int vertex) {
  for (int k = 0; k < face.count; ++k)
    if (p.loop[static_cast<std::size_t>(face.first + k)] == vertex) return true;
  return false;
}

// The face that faces d most, among those at the furthest vertex.
std::size_t find_facing_face(const Convex& shape, const Vector3d& d_S) {
  const Polytope& p = *shape.polytope;
  if (shape.kind == CoreKind::kBox) {  // faces come in pairs, lower side first
    int axis = 0;
    d_S.cwiseAbs().maxCoeff(&axis);
    return static_cast<std::size_t>(2 * axis + (d_S[axis] > 0.0 ? 1 : 0));
  }
  const int support = p.find_support(d_S);
  std::size_t best = p.faces.size();
  for (std::size_t f = 0; f < p.faces.size(); ++f)
    if ((best == p.faces.size() || p.faces[f].normal.dot(d_S) > p.faces[best].normal.dot(d_S)) &&
        contains(p, p.faces[f], support))
      best = f;
  return best;
}

void facing_polytope(const Convex& shape, const Matrix3d& R, const Vector3d& p_S, const Vector3d& d_S,
                     ContactFeature& out) {
  const Polytope& p = *shape.polytope;
  if (p.faces.empty()) {
    start(out, p.vertices.size() == 1 ? Form::kPoint : Form::kSegment);
    out.label = p.vertices.size() == 1 ? 0 : kEdgeLabel;
    for (std::size_t v = 0; v < p.vertices.size(); ++v)
      add_corner(out, R * p.vertices[v] + p_S, static_cast<std::uint32_t>(v), kEdgeLabel);
    return;
  }
  const std::size_t best = find_facing_face(shape, d_S);
  const PolytopeFace& face = p.faces[best];
  start(out, Form::kPolygon);
  out.label = kFaceLabel + static_cast<std::uint32_t>(best);
  out.normal = R * face.normal;
  for (int k = 0; k < face.count; ++k) {
    const auto at = static_cast<std::size_t>(face.first + k);
    const int v = p.loop[at];
    add_corner(out, R * p.vertices[static_cast<std::size_t>(v)] + p_S, static_cast<std::uint32_t>(v),
               kEdgeLabel + static_cast<std::uint32_t>(p.loop_edges[at]));
  }
}

// Labels of round shapes: rims 0 (below) and 1, the tip 2, the side an edge, the caps faces 0 (below) and 1.
void facing_round(const Convex& shape, const Matrix3d& R, const Vector3d& p_S, const Vector3d& d_S,
                  ContactFeature& out) {
  const double across = portable::hypot(d_S.x(), d_S.y()), l = shape.half_length;
  const Vector3d u = across > 0.0 ? Vector3d(d_S.x() / across, d_S.y() / across, 0.0) : Vector3d::UnitX();
  const bool cone = shape.kind == CoreKind::kCone;
  // a cone's base is below; its side faces sideways and up
  const bool cap = cone ? d_S.z() < 0.0 && -d_S.z() > across : std::abs(d_S.z()) > across;
  if (cap) {
    const double side = d_S.z() < 0.0 ? -1.0 : 1.0;
    start(out, Form::kDisk);
    out.label = kFaceLabel + (side > 0.0 ? 1u : 0u);
    out.normal = side * R.col(2);
    out.center = p_S + side * l * R.col(2);
    out.radius = shape.radius;
    return;
  }
  start(out, Form::kSegment);
  out.label = kEdgeLabel;
  add_corner(out, p_S + R * (shape.radius * u - l * Vector3d::UnitZ()), 0, kEdgeLabel);
  add_corner(out, p_S + R * ((cone ? 0.0 : shape.radius) * u + l * Vector3d::UnitZ()), cone ? 2 : 1,
             kEdgeLabel);
}

SurfacePoint flat(std::uint32_t label, const Vector3d& d) {
  return {FeatureKind::kFace, label, {d.unitOrthogonal(), 0.0, 0.0}};
}
SurfacePoint vertex(std::uint32_t label, const Vector3d& d) {
  return {
      FeatureKind::kVertex, label, {d.unitOrthogonal(), SurfaceCurvature::kSharp, SurfaceCurvature::kSharp}};
}
SurfacePoint edge(std::uint32_t label, const Vector3d& along, const Vector3d& d, double curvature) {
  const Vector3d tangent = (along - d * d.dot(along)).stableNormalized();
  return {FeatureKind::kEdge, label, {tangent, curvature, SurfaceCurvature::kSharp}};
}

SurfacePoint on_polytope(const Polytope& p, const Vector3d& on, const Vector3d& d, double size) {
  // the corners that support d, to rounding, decide
  const double tolerance = kOnIt * size;
  const double height = d.dot(p.vertices[static_cast<std::size_t>(p.find_support(d))]);
  const auto supports = [&](int v) {
    return d.dot(p.vertices[static_cast<std::size_t>(v)]) > height - tolerance;
  };
  for (std::size_t f = 0; f < p.faces.size(); ++f)
    if (p.faces[f].normal.dot(d) > 1.0 - kOnIt &&
        supports(p.loop[static_cast<std::size_t>(p.faces[f].first)])) {
      const auto& face = p.faces[f];
      for (int k = 0; k < face.count; ++k) {
        const int v = p.loop[static_cast<std::size_t>(face.first + k)];
        if ((p.vertices[static_cast<std::size_t>(v)] - on).norm() < tolerance)
          return vertex(static_cast<std::uint32_t>(v), d);
      }
      return flat(kFaceLabel + static_cast<std::uint32_t>(f), d);
    }
  for (std::size_t e = 0; e < p.edges.size(); ++e) {
    if (!supports(p.edges[e].v0) || !supports(p.edges[e].v1)) continue;
    const Vector3d &a = p.vertices[static_cast<std::size_t>(p.edges[e].v0)],
                   &b = p.vertices[static_cast<std::size_t>(p.edges[e].v1)];
    if ((a - on).norm() < tolerance || (b - on).norm() < tolerance) break;
    return edge(kEdgeLabel + static_cast<std::uint32_t>(e), b - a, d, 0.0);
  }
  return vertex(static_cast<std::uint32_t>(p.find_support(d)), d);
}

SurfacePoint on_round(const Convex& shape, const Vector3d& on, const Vector3d& d) {
  const double across = portable::hypot(d.x(), d.y()), l = shape.half_length, r = shape.radius;
  const bool cone = shape.kind == CoreKind::kCone;
  const double rho = portable::hypot(on.x(), on.y());
  const Vector3d around(-d.y(), d.x(), 0.0);
  const bool inner = std::abs(on.z()) < l * (1.0 - kOnIt);
  if (across < kOnIt && (!cone || d.z() < 0.0)) {
    const std::uint32_t side = d.z() > 0.0 ? 1 : 0;
    if (rho < r * (1.0 - kOnIt)) return flat(kFaceLabel + side, d);
    return vertex(side, d);  // a place of the rim that moves with the material
  }
  if (inner) {  // the side: straight along the generator, round across
    const double slope = cone ? portable::hypot(r, 2.0 * l) / (2.0 * l) : 1.0;
    const Vector3d tangent = around.normalized();
    return {FeatureKind::kSmooth, kEdgeLabel, {tangent, 1.0 / (rho * slope), 0.0}};
  }
  if (cone && on.z() > 0.0) return vertex(2, d);
  return edge(on.z() > 0.0 ? 1 : 0, around, d, across / r);
}

SurfacePoint on_ellipsoid(const Convex& shape, const Vector3d& d) {
  // radii of curvature: the second derivative of √(dᵀQd), on the tangent plane
  const Vector3d r2 = shape.radii.cwiseAbs2(), Qd = r2.cwiseProduct(d);
  const double h = std::sqrt(d.dot(Qd));
  const Vector3d u = d.unitOrthogonal(), v = d.cross(u);
  const auto bend = [&](const Vector3d& x, const Vector3d& y) {
    return x.cwiseProduct(r2).dot(y) / h - x.dot(Qd) * y.dot(Qd) / (h * h * h);
  };
  Eigen::Matrix2d B;
  B << bend(u, u), bend(u, v), bend(u, v), bend(v, v);
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen;
  eigen.computeDirect(B);
  const Eigen::Vector2d axis = eigen.eigenvectors().col(0);
  return {FeatureKind::kSmooth,
          0,
          {(axis.x() * u + axis.y() * v).normalized(), 1.0 / eigen.eigenvalues()[0],
           1.0 / eigen.eigenvalues()[1]}};
}

// A ball swept over the core adds its radius to both radii of curvature.
SurfacePoint rounded(SurfacePoint point, double rounding) {
  if (rounding == 0.0) return point;
  const auto grown = [&](double k) {
    return k == SurfaceCurvature::kSharp ? 1.0 / rounding : k / (1.0 + k * rounding);
  };
  point.curvature.first = grown(point.curvature.first);
  point.curvature.second = grown(point.curvature.second);
  if (point.kind != FeatureKind::kFace) point.kind = FeatureKind::kSmooth;
  return point;
}

}  // namespace

void find_facing_feature(const Convex& shape, const Matrix3d& R, const Vector3d& p, const Vector3d& d,
                         ContactFeature& out) {
  const Vector3d d_S = R.transpose() * d;
  if (shape.is_polytope()) return facing_polytope(shape, R, p, d_S, out);
  if (shape.kind != CoreKind::kEllipsoid) return facing_round(shape, R, p, d_S, out);
  start(out, Form::kPoint);
  out.label = 0;
  add_corner(out, p + R * find_support(shape, d_S), 0, 0);
}

SurfacePoint find_surface_point(const Convex& shape, const Vector3d& on, const Vector3d& d) {
  SurfacePoint point;
  if (shape.is_polytope())
    point = on_polytope(*shape.polytope, on, d, shape.size);
  else if (shape.kind == CoreKind::kEllipsoid)
    point = on_ellipsoid(shape, d);
  else
    point = on_round(shape, on, d);
  return rounded(point, shape.rounding);
}

SurfacePoint find_surface_point(const Convex& shape, std::uint32_t label, const Vector3d& d) {
  SurfacePoint point;
  if (label >= kFaceLabel) {
    point = flat(label, d);
  } else if (label >= kEdgeLabel) {
    const PolytopeEdge& e = shape.polytope->edges[label - kEdgeLabel];
    const auto& v = shape.polytope->vertices;
    point = edge(label, v[static_cast<std::size_t>(e.v1)] - v[static_cast<std::size_t>(e.v0)], d, 0.0);
  } else {
    point = vertex(label, d);
  }
  return rounded(point, shape.rounding);
}

}  // namespace rigor
