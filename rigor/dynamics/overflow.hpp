#pragma once

#include <string>

#include "rigor/dynamics/constrained_system.hpp"

namespace rigor {

/// Numbers beyond this, and those that are none, are not computed with: a product of three of them is still a double,
/// and no sum of energies or residuals turns into infinity or NaN further on, where nobody could say whence it came.
inline constexpr double kLargestNumber = 1e100;

/// Whether every |x_i| ≤ kLargestNumber; false for NaN.
[[nodiscard]] inline bool is_bounded(const Eigen::VectorXd& x) {
  // mostly one sum tells of all of them
  if (x.size() == 0 || x.lpNorm<1>() <= kLargestNumber) return true;
  const double* const begin = x.data();
  bool is_bounded = true;
  for (Eigen::Index i = 0; i < x.size(); ++i)
    is_bounded &= begin[i] <= kLargestNumber && begin[i] >= -kLargestNumber;
  return is_bounded;
}
/// The same of the rows of an island: their Jacobian, targets, biases and forces.
[[nodiscard]] bool is_bounded(const IslandRows& rows);

/// worst = max(worst, x), where a NaN is worse than anything: std::max(worst, NaN) would hide it.
inline void raise_worst(double& worst, double x) {
  if (!(x <= worst)) worst = x;
}

/// Names the first force, motor, motion, constraint or spring, or else the body of the largest of the speeds v, whose
/// value is beyond kLargestNumber or none: "force \"f\" on \"crate\" is 1e+300 N at t = 1 s". Forces are looked at
/// at t, t + h/2 and t + h, motions at t + h; the rows are those of the last compute_rows().
[[nodiscard]] std::string describe_overflow(const ConstrainedSystem& system, double t, double h,
                                            const Eigen::VectorXd& v);
/// The same of positions: the body whose coordinates are beyond kLargestNumber.
[[nodiscard]] std::string describe_far(const Model& model, const Eigen::VectorXd& q);

}  // namespace rigor
