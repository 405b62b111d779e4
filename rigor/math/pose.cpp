#include "rigor/math/pose.hpp"

#include <cmath>
#include <limits>

#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

// Dividing by the length leaves ‖v‖² within a few units of rounding of 1, inside this band.
bool is_unit(const auto& v) {
  constexpr double kBand = 8.0 * std::numeric_limits<double>::epsilon();
  return std::abs(v.squaredNorm() - 1.0) <= kBand;
}

// v / ‖v‖, scaled by its largest entry first: squares of tiny and of huge entries must not vanish or
// overflow.
auto unit(const auto& v) {
  const auto scaled = (v / v.cwiseAbs().maxCoeff()).eval();
  return (scaled / scaled.norm()).eval();
}

}  // namespace

Eigen::Quaterniond quaternion_from_axis_angle(const Eigen::Vector3d& axis, double angle) {
  const Eigen::Vector3d v = portable::sin(0.5 * angle) * axis;
  return normalized_once(Eigen::Quaterniond(portable::cos(0.5 * angle), v.x(), v.y(), v.z()));
}

Eigen::Quaterniond quaternion_from_rpy(double roll, double pitch, double yaw) {
  const auto about = [](const Eigen::Vector3d& axis, double angle) {
    return quaternion_from_axis_angle(axis, angle);
  };
  return normalized_once(about(Eigen::Vector3d::UnitZ(), yaw) * about(Eigen::Vector3d::UnitY(), pitch) *
                         about(Eigen::Vector3d::UnitX(), roll));
}

Eigen::Quaterniond normalized_once(const Eigen::Quaterniond& q) {
  return is_unit(q.coeffs()) ? q : Eigen::Quaterniond(Eigen::Vector4d(unit(q.coeffs())));
}

Eigen::Vector3d normalized_once(const Eigen::Vector3d& v) {
  return is_unit(v) ? v : Eigen::Vector3d(unit(v));
}

}  // namespace rigor
