#pragma once

#include <Eigen/Core>
#include <cmath>
#include <string>

#include "rigor/math/random.hpp"
#include "rigor/solvers/acceleration/acceleration_problem.hpp"

/// Mechanical systems at rest as plain matrices, with answers on paper.
namespace rigor::test {

inline AccelerationContact make_contact(const Eigen::VectorXd& normal, const Eigen::MatrixXd& tangent,
                                        double mu) {
  AccelerationContact contact;
  contact.normal = normal;
  contact.tangent = tangent;
  contact.tangent_bias = Eigen::VectorXd::Zero(tangent.rows());
  contact.mu = mu;
  return contact;
}

/// Bodies in the plane, coordinates (x, y, θ) each, and their contacts.
struct PlanarSystem {
  AccelerationProblem problem;
  std::vector<Eigen::Vector2d> centers;

  explicit PlanarSystem(const std::vector<Eigen::Vector2d>& at, double mass = 1.0, double inertia = 0.1,
                        double gravity = 9.81)
      : centers(at) {
    const auto n = static_cast<Eigen::Index>(3 * at.size());
    problem.M = Eigen::MatrixXd::Zero(n, n);
    problem.F = Eigen::VectorXd::Zero(n);
    for (std::size_t b = 0; b < at.size(); ++b) {
      const auto i = static_cast<Eigen::Index>(3 * b);
      problem.M.diagonal().segment(i, 3) << mass, mass, inertia;
      problem.F[i + 1] = mass * gravity;
    }
  }

  /// The row of velocities of body a's point along `direction`, less that of body b's (−1: the world).
  [[nodiscard]] Eigen::VectorXd row(int a, int b, const Eigen::Vector2d& point,
                                    const Eigen::Vector2d& direction) const {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(problem.F.size());
    const auto add = [&](int body, double sign) {
      if (body < 0) return;
      const Eigen::Vector2d arm = point - centers[static_cast<std::size_t>(body)];
      row.segment(3 * body, 3) += sign * Eigen::Vector3d(direction.x(), direction.y(),
                                                         arm.x() * direction.y() - arm.y() * direction.x());
    };
    add(a, 1.0);
    add(b, -1.0);
    return row;
  }

  /// The normal points from b to a.
  void touch(int a, int b, const Eigen::Vector2d& point, const Eigen::Vector2d& normal, double mu) {
    const Eigen::Vector2d tangent(normal.y(), -normal.x());
    problem.contacts.push_back(
        make_contact(row(a, b, point, normal), row(a, b, point, tangent).transpose(), mu));
    problem.contacts.back().name = "contact " + std::to_string(problem.contacts.size());
  }
};

/// Example 1 of [BKA]: block of width L and height l on both corners.
inline AccelerationProblem make_block(double m, double L, double l, double Fx, double Fy, double mu1,
                                      double mu2) {
  AccelerationProblem problem;
  problem.M = Eigen::Vector3d(m, m, m * (l * l + L * L) / 12.0).asDiagonal();
  problem.F = Eigen::Vector3d(Fx, Fy, 0.0);
  const Eigen::RowVector3d tangent(1.0, 0.0, l / 2);
  problem.contacts.push_back(make_contact(Eigen::Vector3d(0.0, 1.0, L / 2), tangent, mu1));
  problem.contacts.push_back(make_contact(Eigen::Vector3d(0.0, 1.0, -L / 2), tangent, mu2));
  problem.contacts[0].name = "A1";
  problem.contacts[1].name = "A2";
  return problem;
}

/// Case E: rows of disks of radius ½ that exactly touch.
inline PlanarSystem make_planar_cannonballs(int rows, double mu) {
  std::vector<Eigen::Vector2d> centers;
  std::vector<std::vector<int>> index;
  for (int r = 0; r < rows; ++r) {
    index.emplace_back();
    for (int k = 0; k < rows - r; ++k) {
      index.back().push_back(static_cast<int>(centers.size()));
      centers.emplace_back(k + 0.5 * r, 0.5 + r * std::sqrt(0.75));
    }
  }
  PlanarSystem system(centers, 1.0, 0.125);
  const auto touch = [&](int a, int b) {
    const Eigen::Vector2d d = centers[static_cast<std::size_t>(a)] - centers[static_cast<std::size_t>(b)];
    system.touch(a, b, 0.5 * (centers[static_cast<std::size_t>(a)] + centers[static_cast<std::size_t>(b)]),
                 d.normalized(), mu);
  };
  for (int r = 0; r < rows; ++r)
    for (int k = 0; k < rows - r; ++k) {
      const int own = index[static_cast<std::size_t>(r)][static_cast<std::size_t>(k)];
      if (r == 0) system.touch(own, -1, {centers[static_cast<std::size_t>(own)].x(), 0.0}, {0.0, 1.0}, mu);
      if (k + 1 < rows - r) touch(index[static_cast<std::size_t>(r)][static_cast<std::size_t>(k + 1)], own);
      if (r > 0)
        for (const int below : {k, k + 1})
          touch(own, index[static_cast<std::size_t>(r - 1)][static_cast<std::size_t>(below)]);
    }
  return system;
}

/// A half circle of voussoirs between radii 1 and 1 + thickness, unit density, on two abutments; each joint
/// touches at its two ends.
inline PlanarSystem make_arch(int stones, double thickness, double mu) {
  const double inner = 1.0, outer = 1.0 + thickness, pi = 3.14159265358979323846;
  const double step = pi / stones;
  // centroid of an annular sector of half angle a: 2 sin a (R³ − r³) / (3 a (R² − r²))
  const double a = 0.5 * step;
  const double radius = 2.0 * std::sin(a) * (std::pow(outer, 3) - std::pow(inner, 3)) /
                        (3.0 * a * (outer * outer - inner * inner));
  std::vector<Eigen::Vector2d> centers;
  for (int k = 0; k < stones; ++k) {
    const double angle = (k + 0.5) * step;
    centers.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
  }
  PlanarSystem system(centers);
  for (int k = 0; k <= stones; ++k) {
    const double angle = k * step;
    const Eigen::Vector2d along(std::cos(angle), std::sin(angle)), normal(-std::sin(angle), std::cos(angle));
    for (const double r : {inner, outer})
      if (k < stones)
        system.touch(k, k - 1, r * along, normal, mu);
      else
        system.touch(k - 1, -1, r * along, -normal, mu);
  }
  return system;
}

}  // namespace rigor::test
