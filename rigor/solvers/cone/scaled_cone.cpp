#include "rigor/solvers/cone/scaled_cone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/index.hpp"

namespace rigor {
void ScaledCone::set(ConeMatrix& matrix, const Eigen::VectorXd& q_given, const Eigen::VectorXd& mu_given,
                     const std::vector<RowBounds>& bounds_given) {
  W = &matrix;
  bounds.assign(bounds_given.begin(), bounds_given.end());
  for (std::size_t i = 0; i < bounds.size(); ++i)
    bounds[i] = bounds[i].times(1.0 / matrix.scale()[static_cast<Eigen::Index>(i)]);
  mu = mu_given;
  q.resize(q_given.size());
  const int n = matrix.contacts();
  local.resize(at(n));
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 3; ++k) q[3 * i + k] = matrix.scale()[i] * q_given[3 * i + k];
    const Block3& own = matrix.diagonal()[at(i)];
    double rows[9];
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) rows[3 * r + c] = own(r, c);
    local[at(i)].prepare(block(i), rows, 3);
  }
}

void ScaledCone::compute_velocity(const Eigen::VectorXd& r, Eigen::VectorXd& u) const {
  u = q;
  W->add_product(r, u);
}

double ScaledCone::residual(const Eigen::VectorXd& r, const Eigen::VectorXd& u) const {
  double sum = 0.0, size = 0.0;
  const double* const scale = W->scale().data();
  for (int i = 0; i < contacts(); ++i) {
    const double *const own_r = r.data() + 3 * i, *const own_u = u.data() + 3 * i;
    // a contact that opens without an impulse is right, whatever its units
    const bool opens = own_r[0] == 0.0 && own_r[1] == 0.0 && own_r[2] == 0.0 && own_u[0] >= 0.0;
    if (opens && !associated && bounds.empty() && std::isfinite(own_u[0] + own_u[1] + own_u[2])) continue;
    const double to_r = impulse_unit * scale[i], to_u = 1.0 / scale[i];
    double given_r[3], given_u[3];
    for (int k = 0; k < 3; ++k) {
      given_r[k] = to_r * own_r[k];
      given_u[k] = to_u * own_u[k];
      size += given_r[k] * given_r[k];
    }
    ConeBlock given = block(i);
    if (given.size == 1) given.bounds = given.bounds.times(to_r);
    sum += squared_block_residual(given, associated, given_r, given_u);
  }
  // as relative_cone_residual(): never far below the rounding of r
  const double floor = 1e-3 * std::numeric_limits<double>::epsilon() * std::sqrt(size);
  const double residual = std::max(std::sqrt(sum), floor) / divisor;
  return std::isfinite(residual) ? residual : std::numeric_limits<double>::infinity();
}

void ScaledCone::project(Eigen::VectorXd& r) const {
  for (int i = 0; i < contacts(); ++i) project_on_cone(block(i), r.data() + 3 * i);
}

void ScaledCone::to_given(const Eigen::VectorXd& r, Eigen::VectorXd& given) const {
  given.resize(r.size());
  for (int i = 0; i < contacts(); ++i) given.segment<3>(3 * i) = W->scale()[i] * r.segment<3>(3 * i);
}

void ScaledCone::from_given(const Eigen::VectorXd& given, Eigen::VectorXd& r) const {
  r.resize(given.size());
  for (int i = 0; i < contacts(); ++i) r.segment<3>(3 * i) = given.segment<3>(3 * i) / W->scale()[i];
}

}  // namespace rigor
