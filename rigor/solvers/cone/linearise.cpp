#include "rigor/solvers/cone/linearise.hpp"

#include <cmath>

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

Block3 diagonal(double value) {
  return {{value, 0, 0, 0, 0, value, 0, 0, 0, 0, value, 0}};
}

// One contact of (1); returns ‖F‖².
double linearise_contact(double mu, const double* r, const double* s, double rho, double alpha, Block3& D,
                         double* t) {
  const double normal = r[0] - rho * s[0];
  if (normal <= 0.0) {
    D = Block3::zero();
    for (int k = 0; k < 3; ++k) t[k] = -r[k];
    return r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
  }
  const double x = r[1] - rho * s[1], y = r[2] - rho * s[2], radius = mu * normal;
  const double squared = x * x + y * y, over = 1.0 / alpha;
  if (squared <= radius * radius) {
    D = diagonal(over);
    for (int k = 0; k < 3; ++k) t[k] = -over * s[k];
    return rho * rho * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
  }
  const double length = std::sqrt(squared), dx = x / length, dy = y / length, kappa = radius / length;
  const double along = dx * r[1] + dy * r[2], across = dx * r[2] - dy * r[1];
  const double turn = 1.0 / (1.0 - kappa + kappa * rho * alpha), give = kappa * rho * turn;
  const double t_N = -over * s[0], t_d = mu * (t_N + r[0]) - along, t_e = -turn * across;
  t[0] = t_N;
  t[1] = t_d * dx - t_e * dy;
  t[2] = t_d * dy + t_e * dx;
  const double xy = -give * dx * dy;
  D = {{over, mu * over * dx, mu * over * dy, 0, 0, give * dy * dy, xy, 0, 0, xy, give * dx * dx, 0}};
  const double F_x = r[1] - radius * dx, F_y = r[2] - radius * dy;
  return rho * rho * s[0] * s[0] + F_x * F_x + F_y * F_y;
}

double linearise_row(const RowBounds& bounds, const double* r, const double* s, double rho, double alpha,
                     Block3& D, double* t) {
  const double target = r[0] - rho * s[0];
  const bool is_between = target > bounds.lower && target < bounds.upper;
  D = Block3::zero();
  t[1] = -r[1];
  t[2] = -r[2];
  const double rest = r[1] * r[1] + r[2] * r[2];
  if (!is_between) {
    t[0] = bounds.clamp(target) - r[0];
    return t[0] * t[0] + rest;
  }
  D(0, 0) = 1.0 / alpha;
  t[0] = -s[0] / alpha;
  return rho * rho * s[0] * s[0] + rest;
}

// Derivative of the projection on K at t; `p` is the projection.
void differentiate_projection(double mu, const double* t, const double* p, double length, Block3& D) {
  // t_N is tested too: without friction an open contact has length = mu t_N as well
  if (t[0] > 0.0 && length <= mu * t[0]) {
    D = Block3::identity();
    return;
  }
  D = Block3::zero();
  if (mu * length <= -t[0]) return;
  const double dx = t[1] / length, dy = t[2] / length, c = 1.0 / (1.0 + mu * mu);
  const double turn = mu * p[0] / length, along = c * mu * mu - turn;
  D(0, 0) = c;
  D(0, 1) = D(1, 0) = c * mu * dx;
  D(0, 2) = D(2, 0) = c * mu * dy;
  D(1, 1) = along * dx * dx + turn;
  D(2, 2) = along * dy * dy + turn;
  D(1, 2) = D(2, 1) = along * dx * dy;
}

void resize(const ScaledCone& cone, LinearLaw& law) {
  law.D.resize(at(cone.contacts()));
  law.t.resize(3 * cone.contacts());
}

}  // namespace

double linearise_coulomb(const ScaledCone& cone, const Eigen::VectorXd& r, const Eigen::VectorXd& s,
                         double rho, const Eigen::VectorXd& alpha, LinearLaw& law) {
  resize(cone, law);
  double sum = 0.0;
  for (int i = 0; i < cone.contacts(); ++i) {
    const double *const r_i = r.data() + 3 * i, *const s_i = s.data() + 3 * i;
    double* const t = law.t.data() + 3 * i;
    Block3& D = law.D[at(i)];
    if (cone.has_bounds(i))
      sum += linearise_row(cone.bounds[at(i)], r_i, s_i, rho, alpha.data()[i], D, t);
    else
      sum += linearise_contact(cone.mu.data()[i], r_i, s_i, rho, alpha.data()[i], D, t);
  }
  return std::sqrt(sum);
}

double linearise_associated(const ScaledCone& cone, const Eigen::VectorXd& r, const Eigen::VectorXd& s,
                            const Eigen::VectorXd& alpha, LinearLaw& law) {
  resize(cone, law);
  for (int i = 0; i < cone.contacts(); ++i) {
    const double over = 1.0 / alpha.data()[i], mu = cone.mu.data()[i];
    double target[3], p[3];
    for (int k = 0; k < 3; ++k) p[k] = target[k] = r.data()[3 * i + k] - over * s.data()[3 * i + k];
    project_on_cone({0, 3, mu}, p);
    for (int k = 0; k < 3; ++k) law.t.data()[3 * i + k] = p[k] - r.data()[3 * i + k];
    Block3& D = law.D[at(i)];
    differentiate_projection(mu, target, p, std::sqrt(target[1] * target[1] + target[2] * target[2]), D);
    for (double& value : D.v) value *= over;
  }
  return law.t.norm();
}

void linearise_marked(const std::vector<char>& marked, const Eigen::VectorXd& alpha, std::vector<Block3>& D) {
  D.resize(marked.size());
  for (std::size_t i = 0; i < marked.size(); ++i)
    D[i] = marked[i] ? diagonal(1.0 / alpha.data()[i]) : Block3::zero();
}

}  // namespace rigor
