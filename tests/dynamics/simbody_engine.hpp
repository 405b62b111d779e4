#pragma once

#include <Eigen/Core>
#include <vector>

/// Simbody behind plain data. Its headers are not C++20, so what stands here is C++17 and includes nothing of
/// Rigor's.
namespace rigor::test {

/// A body and its mobilizer, in Simbody's conventions: F is fixed in the parent, M in the body, joints turn
/// about z of F or slide along x of F (universal: x, then y; planar: angle, x, y; free: turn, then position).
struct SimbodyBody {
  enum class Joint { kFree, kWeld, kPin, kSlider, kCylinder, kScrew, kUniversal, kBall, kPlanar };

  int parent{-1};  // index of an earlier body; -1 is the ground
  Joint joint{Joint::kWeld};
  Eigen::Vector3d p_PF, p_BM;
  Eigen::Matrix3d R_PF, R_BM;
  double pitch{0.0};  // screw, m/rad

  double mass{0.0};
  Eigen::Vector3d center;
  Eigen::Matrix3d inertia;          // about the centre of mass
  std::vector<double> q, u, force;  // coordinates, speeds, forces along the speeds
};

struct SimbodyAnswer {
  Eigen::MatrixXd M;                           // body by body in the order given
  std::vector<Eigen::Matrix<double, 6, 1>> A;  // of each body: α and acceleration of the centre of mass
};

/// Forward dynamics under gravity and the given forces.
[[nodiscard]] SimbodyAnswer compute_with_simbody(const std::vector<SimbodyBody>& bodies,
                                                 const Eigen::Vector3d& gravity);

}  // namespace rigor::test
