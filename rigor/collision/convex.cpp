#include "rigor/collision/convex.hpp"

#include <cmath>

namespace rigor {

Eigen::Vector3d find_support(const Convex& shape, const Eigen::Vector3d& d) {
  switch (shape.kind) {
    case CoreKind::kPoint:
      return shape.polytope->vertices[0];
    case CoreKind::kSegment:
      return {0.0, 0.0, std::copysign(shape.half_length, d.z())};
    case CoreKind::kBox:
      return {std::copysign(shape.radii.x(), d.x()), std::copysign(shape.radii.y(), d.y()),
              std::copysign(shape.radii.z(), d.z())};
    case CoreKind::kPolytope:
      return shape.polytope->vertices[static_cast<std::size_t>(shape.polytope->find_support(d))];
    case CoreKind::kCylinder: {
      const double across = d.head<2>().norm();
      const double scale = across > 0.0 ? shape.radius / across : 0.0;
      return {scale * d.x(), scale * d.y(), std::copysign(shape.half_length, d.z())};
    }
    case CoreKind::kCone: {
      // the tip, or the rim's furthest point
      const double across = d.head<2>().norm();
      if (2.0 * shape.half_length * d.z() >= shape.radius * across) return {0.0, 0.0, shape.half_length};
      const double scale = across > 0.0 ? shape.radius / across : 0.0;
      return {scale * d.x(), scale * d.y(), -shape.half_length};
    }
    case CoreKind::kEllipsoid: {
      const Eigen::Vector3d stretched = shape.radii.cwiseProduct(d);
      const double length = stretched.norm();
      if (!(length > 0.0)) return {shape.radii.x(), 0.0, 0.0};
      return shape.radii.cwiseProduct(stretched / length);
    }
  }
  return Eigen::Vector3d::Zero();
}

Extent compute_extent(const Convex& shape, const Eigen::Matrix3d& R) {
  Extent out{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  switch (shape.kind) {
    case CoreKind::kPoint:
      out.middle = R * shape.center;
      break;
    case CoreKind::kSegment:
      out.half = R.col(2).cwiseAbs() * shape.half_length;
      break;
    case CoreKind::kBox:
      out.half = R.cwiseAbs() * shape.radii;
      break;
    case CoreKind::kEllipsoid:
      for (int i = 0; i < 3; ++i) out.half[i] = R.row(i).transpose().cwiseProduct(shape.radii).norm();
      break;
    case CoreKind::kCylinder:
      for (int i = 0; i < 3; ++i)
        out.half[i] = shape.radius * R.row(i).head<2>().norm() + shape.half_length * std::abs(R(i, 2));
      break;
    case CoreKind::kCone:
    case CoreKind::kPolytope:
      for (int i = 0; i < 3; ++i) {
        const Eigen::Vector3d d = R.row(i);
        const double high = d.dot(find_support(shape, d)), low = d.dot(find_support(shape, -d));
        out.middle[i] = 0.5 * (high + low);
        out.half[i] = 0.5 * (high - low);
      }
      break;
  }
  out.half.array() += shape.rounding;
  return out;
}

ConvexPair::ConvexPair(const Convex& shape_a, const Pose& X_WA, const Convex& shape_b, const Pose& X_WB)
    : a(&shape_a), b(&shape_b) {
  const Eigen::Matrix3d R_WA = X_WA.rotation.toRotationMatrix();
  R_AB.noalias() = R_WA.transpose() * X_WB.rotation.toRotationMatrix();
  p_AB.noalias() = R_WA.transpose() * (X_WB.position - X_WA.position);
}

}  // namespace rigor
