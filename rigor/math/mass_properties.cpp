#include "rigor/math/mass_properties.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace rigor {
namespace {

// Inertia of a unit point mass at r: |r|² 1 − r rᵀ
Eigen::Matrix3d point_inertia(const Eigen::Vector3d& r) {
  return r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose();
}

}  // namespace

MassProperties transform(const Pose& X_AB, const MassProperties& in_B) {
  const Eigen::Matrix3d R_AB = X_AB.rotation.toRotationMatrix();
  return {in_B.mass, X_AB.position + R_AB * in_B.center, R_AB * in_B.inertia * R_AB.transpose()};
}

MassProperties combine(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (mass == 0.0) return {0.0, a.center, a.inertia + b.inertia};
  const Eigen::Vector3d center = (a.mass * a.center + b.mass * b.center) / mass;
  return {mass, center,
          a.inertia + a.mass * point_inertia(a.center - center) + b.inertia +
              b.mass * point_inertia(b.center - center)};
}

MassProperties scale_to_mass(const MassProperties& body, double mass) {
  return {mass, body.center, body.inertia * (mass / body.mass)};
}

double inertia_defect(const Eigen::Matrix3d& inertia) {
  const double trace = inertia.trace();
  if (inertia.isZero(0.0)) return 0.0;
  if (!(trace > 0.0)) return 1.0;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia / trace, Eigen::EigenvaluesOnly);
  const Eigen::Vector3d& I = solver.eigenvalues();  // ascending, sum 1
  return std::max({-I[0], I[2] - I[1] - I[0], 0.0});
}

}  // namespace rigor
