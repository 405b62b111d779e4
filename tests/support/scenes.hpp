#pragma once

#include <string>

#include "rigor/model/scene.hpp"

namespace rigor::test {

/// A body with mass [kg], centre of mass and principal inertia [kg m²] on a joint.
[[nodiscard]] Body make_body(const std::string& name, double mass, const Eigen::Vector3d& center,
                             const Eigen::Vector3d& inertia, const Joint& joint = {});

[[nodiscard]] Joint make_joint(JointType type, const Eigen::Vector3d& axis = Eigen::Vector3d::UnitZ(),
                               const std::string& parent = kWorld);

[[nodiscard]] Constraint make_constraint(const std::string& name, const ConstraintGeometry& geometry,
                                         const std::string& a, const std::string& b = kWorld);

/// A rotation about the y axis, positive from x towards z as in the plane xz.
inline const Eigen::Vector3d kMinusY{0.0, -1.0, 0.0};

/// A four-bar linkage in the plane xz: ground, crank, coupler, rocker [m], each a uniform rod of 1 kg/m,
/// assembled with the crank at `angle` [rad] from the ground; the last hinge is the constraint "pin".
[[nodiscard]] Scene make_four_bar(double ground, double crank, double coupler, double rocker, double angle);

}  // namespace rigor::test
