#pragma once

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "rigor/analysis/sticking.hpp"
#include "tests/support/simplex.hpp"

/// Witnesses of verdicts checked from a problem's own matrices, sharing nothing with the code that found
/// them.
namespace rigor::test {

/// Forces and accelerations of an answer "yes": how far they are from all laws, relative.
inline double check_sticking(const AccelerationProblem& problem, const StickingAnswer& answer,
                             const std::vector<char>& closed = {}) {
  const Eigen::VectorXd& a = answer.acceleration;
  Eigen::VectorXd balance = problem.M * a + problem.F;
  // what the balance adds up, terms that cancel included
  double size = std::max(1e-300, problem.F.norm()), force_size = 1e-300, worst = 0.0;
  if (problem.size() > 0) size = std::max(size, problem.M.cwiseAbs().maxCoeff() * a.norm());
  for (const Eigen::VectorXd& force : answer.forces) force_size = std::max(force_size, force.norm());
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    const Eigen::VectorXd& force = answer.forces[i];
    const Eigen::VectorXd tangential = force.tail(contact.tangents());
    const Eigen::VectorXd acting = contact.normal * force[0] + contact.tangent.transpose() * tangential;
    balance -= acting;
    size = std::max(
        {size, contact.normal.norm() * std::abs(force[0]), contact.tangent.norm() * tangential.norm()});
    const bool is_closed = closed.empty() || closed[i] || !contact.is_unilateral();
    const double scale = contact.normal.norm() * a.norm() + std::abs(contact.normal_bias) + 1e-9;
    if (is_closed)
      worst = std::max(worst, std::abs(contact.normal.dot(a) + contact.normal_bias) / scale);
    else
      worst = std::max(worst, force.norm() / force_size);
    if (contact.is_unilateral()) worst = std::max(worst, -force[0] / force_size);
    if (contact.tangents() == 0) continue;
    if (contact.slides())
      worst =
          std::max(worst, (tangential + contact.mu * std::abs(force[0]) * contact.slip).norm() / force_size);
    else
      worst = std::max({worst, (tangential.norm() - contact.mu * std::abs(force[0])) / force_size,
                        (contact.tangent * a + contact.tangent_bias).norm() /
                            (contact.tangent.norm() * a.norm() + contact.tangent_bias.norm() + 1e-9)});
  }
  return std::max(worst, balance.norm() / size);
}

/// The motion y of an answer "no" with all contacts closed, signs of bilateral friction aside: M y = Jᵀ w,
/// all contacts let y pass, and F·y − w·bias < 0. Returns the worst violation over that power.
inline double check_motion(const AccelerationProblem& problem, const Eigen::VectorXd& y) {
  std::vector<Eigen::VectorXd> rows;
  std::vector<double> biases;
  double worst = 0.0;
  for (const AccelerationContact& contact : problem.contacts) {
    rows.push_back(contact.normal);
    biases.push_back(contact.normal_bias);
    const double normal = contact.normal.dot(y);
    if (!contact.is_unilateral()) {
      worst = std::max(worst, std::abs(normal));
      continue;
    }
    if (contact.slides()) {
      worst = std::max(worst, contact.mu * contact.slip.dot(contact.tangent * y) - normal);
      continue;
    }
    worst = std::max(worst, contact.mu * (contact.tangent * y).norm() - normal);
  }
  for (const AccelerationContact& contact : problem.contacts) {
    if (contact.slides()) continue;
    for (Eigen::Index k = 0; k < contact.tangents(); ++k) {
      rows.emplace_back(contact.tangent.row(k).transpose());
      biases.push_back(contact.tangent_bias[k]);
    }
  }
  Eigen::MatrixXd Jt(problem.size(), static_cast<Eigen::Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) Jt.col(static_cast<Eigen::Index>(r)) = rows[r];
  const Eigen::VectorXd w = Jt.completeOrthogonalDecomposition().solve(problem.M * y);
  worst = std::max(worst, (Jt * w - problem.M * y).norm());
  double power = problem.F.dot(y);
  for (std::size_t r = 0; r < biases.size(); ++r) power -= w[static_cast<Eigen::Index>(r)] * biases[r];
  return power < 0.0 ? worst / -power : 1e300;
}

/// Whether forces exist in a problem in the plane whose contacts are all closed, by the simplex method:
/// unknowns are corners of the cones, free ones are differences. `signs` of bilateral contacts with friction.
inline bool sticks_by_simplex(const AccelerationProblem& problem, const std::vector<int>& signs) {
  std::vector<Eigen::VectorXd> columns;  // over (balance, accelerations)
  const Eigen::Index n = problem.size();
  Eigen::Index rows = n;
  for (const AccelerationContact& contact : problem.contacts)
    rows += 1 + (contact.slides() ? 0 : contact.tangents());
  Eigen::VectorXd b = Eigen::VectorXd::Zero(rows);
  b.head(n) = problem.F;
  Eigen::MatrixXd of_a = Eigen::MatrixXd::Zero(rows, n);
  of_a.topRows(n) = -problem.M;
  Eigen::Index at = n;
  const auto add = [&](const Eigen::VectorXd& force) {
    Eigen::VectorXd column = Eigen::VectorXd::Zero(rows);
    column.head(n) = force;
    columns.push_back(column);
  };
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    of_a.row(at) = contact.normal.transpose();
    b[at++] = -contact.normal_bias;
    if (!contact.slides())
      for (Eigen::Index k = 0; k < contact.tangents(); ++k) {
        of_a.row(at) = contact.tangent.row(k);
        b[at++] = -contact.tangent_bias[k];
      }
    const double sign = contact.is_unilateral() ? 1.0 : signs[i];
    if (!contact.is_unilateral() && contact.tangents() == 0) {
      add(contact.normal);
      add(-contact.normal);
    } else if (contact.slides()) {
      add(sign * contact.normal - contact.mu * contact.tangent.transpose() * contact.slip);
    } else if (contact.tangents() == 0) {
      add(contact.normal);
    } else {
      for (const double side : {1.0, -1.0})
        add(sign * contact.normal + side * contact.mu * contact.tangent.row(0).transpose());
    }
  }
  Eigen::MatrixXd A(rows, static_cast<Eigen::Index>(columns.size()) + 2 * n);
  for (std::size_t j = 0; j < columns.size(); ++j) A.col(static_cast<Eigen::Index>(j)) = columns[j];
  A.middleCols(static_cast<Eigen::Index>(columns.size()), n) = of_a;
  A.rightCols(n) = -of_a;
  return solve_simplex(A, b, Eigen::VectorXd::Zero(A.cols())).status == SimplexResult::kOptimal;
}

}  // namespace rigor::test
