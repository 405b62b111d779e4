#pragma once

#include <Eigen/Core>

#include "rigor/collision/contact_point.hpp"
#include "rigor/model/model.hpp"

namespace rigor {

/// A point where two bodies touch or are about to, at the beginning of a step.
///
/// The first column of the frame is the normal n, from B to A, the others are the tangents. u = frameᵀ (v_A −
/// v_B) is the relative velocity of the two bodies' material points at `point`; the impulse p acts on A along
/// the frame and −p on B.
struct Contact {
  int shape_a{0}, shape_b{0};  // in Model::shapes, shape_a < shape_b
  BodyIndex a{0}, b{0};
  FeatureId id{};
  Eigen::Vector3d point{Eigen::Vector3d::Zero()};  // m, on the smooth surface, else on the larger shape's
  Eigen::Matrix3d frame{Eigen::Matrix3d::Identity()};
  double gap{0.0};  // m
  int rows{3};      // 2 in a planar scene: the normal and the tangent in the plane
  SurfaceCurvature curvature_a, curvature_b;

  double mu{0.0};                  // along the first tangent
  double mu_ratio{1.0};            // across: mu_ratio · mu along the second
  bool is_rigid{true};             // else the normal gives way:
  double stiffness{0.0};           // N/m
  double damping{0.0};             // N s/m
  double slip_speed{0.0};          // m/s: laws with a switch let it stick below
  double friction_stiffness{0.0};  // of bristles, N/m; 0 is rigid
  double friction_damping{0.0};    // N s/m
};

}  // namespace rigor
