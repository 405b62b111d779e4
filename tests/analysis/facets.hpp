#pragma once

#include <numbers>

#include "rigor/solvers/acceleration/acceleration_problem.hpp"
#include "tests/support/simplex.hpp"

/// All-sticking problems as linear programs of the tests: cones in the plane as they are, cones in space by
/// polygons inside or around their disks. Shares nothing with the library's solvers.
namespace rigor::test {

class FacetProgram {
 public:
  /// `closed` per contact, empty: all; `signs` of bilateral contacts with friction. Other rows hold of what
  /// sticks, forces of what is not closed are zero.
  FacetProgram(const AccelerationProblem& problem, int sides, bool outer, const std::vector<int>& signs = {},
               const std::vector<char>& closed = {})
      : problem_(problem) {
    const Eigen::Index n = problem.size();
    rows_ = n;
    const auto is_closed = [&](std::size_t i) {
      return closed.empty() || closed[i] || !problem.contacts[i].is_unilateral();
    };
    for (std::size_t i = 0; i < problem.contacts.size(); ++i)
      rows_ += (is_closed(i) ? 1 : 0) + (problem.contacts[i].slides() ? 0 : problem.contacts[i].tangents());
    rhs_.assign(static_cast<std::size_t>(rows_), 0.0);
    for (Eigen::Index i = 0; i < n; ++i) rhs_[static_cast<std::size_t>(i)] = problem.F[i];
    Eigen::MatrixXd of_a = Eigen::MatrixXd::Zero(rows_, n);
    of_a.topRows(n) = -problem.M;
    Eigen::Index at = n;
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const AccelerationContact& contact = problem.contacts[i];
      normals_.emplace_back();
      if (is_closed(i)) {
        of_a.row(at) = contact.normal.transpose();
        rhs_[static_cast<std::size_t>(at++)] = -contact.normal_bias;
      }
      if (!contact.slides())
        for (Eigen::Index k = 0; k < contact.tangents(); ++k) {
          of_a.row(at) = contact.tangent.row(k);
          rhs_[static_cast<std::size_t>(at++)] = -contact.tangent_bias[k];
        }
      if (is_closed(i)) add_forces(i, signs.empty() ? 0 : signs[i], sides, outer);
    }
    for (Eigen::Index j = 0; j < n; ++j) {
      add_column(of_a.col(j));
      add_column(-of_a.col(j));
    }
  }

  /// Actuators with their bounds, and bounds of the normal forces.
  void add_actuators() {
    for (const Actuator& actuator : problem_.actuators) {
      const auto j = static_cast<Eigen::Index>(columns_.size());
      add_force(actuator.force);
      add_force(-actuator.force);
      actuators_.push_back(j);
      if (std::isfinite(actuator.max)) add_bound({{j, 1.0}, {j + 1, -1.0}}, actuator.max, 1.0);
      if (std::isfinite(actuator.min)) add_bound({{j, 1.0}, {j + 1, -1.0}}, actuator.min, -1.0);
    }
    for (std::size_t i = 0; i < problem_.contacts.size(); ++i) {
      std::vector<std::pair<Eigen::Index, double>> sum;
      for (const Eigen::Index j : normals_[i]) sum.emplace_back(j, 1.0);
      if (sum.empty()) continue;
      if (std::isfinite(problem_.contacts[i].normal_max))
        add_bound(sum, problem_.contacts[i].normal_max, 1.0);
      if (problem_.contacts[i].normal_min > 0.0) add_bound(sum, problem_.contacts[i].normal_min, -1.0);
    }
  }

  [[nodiscard]] bool is_feasible() const { return solve({}).status == SimplexResult::kOptimal; }

  /// min √(Σ w u²) by cutting planes of the ball: max over unit d of d·√w u. Infinite where infeasible.
  [[nodiscard]] double find_least_change() const {
    const auto k = static_cast<Eigen::Index>(actuators_.size());
    std::vector<Eigen::VectorXd> cuts;
    for (Eigen::Index j = 0; j < k; ++j)
      for (const double side : {1.0, -1.0}) cuts.emplace_back(side * Eigen::VectorXd::Unit(k, j));
    double least = 0.0;
    int idle = 0;
    for (int round = 0; round < 60 && idle < 8; ++round) {
      const SimplexResult result = solve(cuts);
      if (result.status != SimplexResult::kOptimal) {
        // cuts do not make a program infeasible: rounding among many of them does
        if (round > 0) break;
        return std::numeric_limits<double>::infinity();
      }
      if (residual_ > 1e-11) break;
      Eigen::VectorXd u(k);
      for (Eigen::Index j = 0; j < k; ++j) {
        const Eigen::Index at = actuators_[static_cast<std::size_t>(j)];
        u[j] = (result.x[at] - result.x[at + 1]) *
               std::sqrt(problem_.actuators[static_cast<std::size_t>(j)].weight);
      }
      idle = result.value - least <= 1e-9 * (1.0 + least) ? idle + 1 : 0;
      least = result.value;
      if (u.norm() - least <= 1e-9 * (1e-9 + u.norm())) break;
      cuts.emplace_back(u.normalized());
    }
    return least;
  }

 private:
  struct Bound {
    std::vector<std::pair<Eigen::Index, double>> terms;
    double value, slack;
  };

  void add_column(const Eigen::VectorXd& column) { columns_.push_back(column); }
  void add_force(const Eigen::VectorXd& force) {
    Eigen::VectorXd column = Eigen::VectorXd::Zero(rows_);
    column.head(problem_.size()) = force;
    columns_.push_back(column);
  }
  void add_bound(std::vector<std::pair<Eigen::Index, double>> terms, double value, double slack) {
    bounds_.push_back({std::move(terms), value, slack});
  }

  void add_forces(std::size_t i, int sign, int sides, bool outer) {
    const AccelerationContact& contact = problem_.contacts[i];
    const double s = contact.is_unilateral() ? 1.0 : sign;
    const bool has_friction = contact.tangents() > 0 && contact.mu > 0.0;
    const auto add = [&](const Eigen::VectorXd& force) {
      normals_[i].push_back(static_cast<Eigen::Index>(columns_.size()));
      add_force(force);
    };
    if (!contact.is_unilateral() && !has_friction) {
      add_force(contact.normal);
      add_force(-contact.normal);
    } else if (contact.slides()) {
      add(s * contact.normal - contact.mu * contact.tangent.transpose() * contact.slip);
    } else if (!has_friction) {
      add(contact.normal);
    } else if (contact.tangents() == 1) {
      for (const double side : {1.0, -1.0})
        add(s * contact.normal + side * contact.mu * contact.tangent.row(0).transpose());
    } else {
      const double radius = contact.mu * (outer ? 1.0 / std::cos(std::numbers::pi / sides) : 1.0);
      for (int k = 0; k < sides; ++k) {
        const double angle = 2.0 * std::numbers::pi * k / sides;
        add(s * contact.normal +
            radius * contact.tangent.transpose() * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
      }
    }
  }

  // columns, slacks of the bounds, then t and the slacks of the cuts
  [[nodiscard]] SimplexResult solve(const std::vector<Eigen::VectorXd>& cuts) const {
    const auto own = static_cast<Eigen::Index>(columns_.size()),
               limits = static_cast<Eigen::Index>(bounds_.size()),
               planes = static_cast<Eigen::Index>(cuts.size());
    Eigen::MatrixXd A =
        Eigen::MatrixXd::Zero(rows_ + limits + planes, own + limits + (planes ? 1 + planes : 0));
    Eigen::VectorXd b = Eigen::VectorXd::Zero(A.rows()), c = Eigen::VectorXd::Zero(A.cols());
    for (Eigen::Index j = 0; j < own; ++j) A.col(j).head(rows_) = columns_[static_cast<std::size_t>(j)];
    for (Eigen::Index i = 0; i < rows_; ++i) b[i] = rhs_[static_cast<std::size_t>(i)];
    for (Eigen::Index i = 0; i < limits; ++i) {
      const Bound& bound = bounds_[static_cast<std::size_t>(i)];
      for (const auto& [j, value] : bound.terms) A(rows_ + i, j) = value;
      A(rows_ + i, own + i) = bound.slack;
      b[rows_ + i] = bound.value;
    }
    for (Eigen::Index i = 0; i < planes; ++i) {
      const Eigen::VectorXd& d = cuts[static_cast<std::size_t>(i)];
      for (Eigen::Index j = 0; j < d.size(); ++j) {
        const Eigen::Index at = actuators_[static_cast<std::size_t>(j)];
        const double unit = std::sqrt(problem_.actuators[static_cast<std::size_t>(j)].weight);
        A(rows_ + limits + i, at) = -d[j] * unit;
        A(rows_ + limits + i, at + 1) = d[j] * unit;
      }
      A(rows_ + limits + i, own + limits) = 1.0;
      A(rows_ + limits + i, own + limits + 1 + i) = -1.0;
    }
    if (planes > 0) c[own + limits] = 1.0;
    const SimplexResult result = solve_simplex(A, b, c);
    residual_ = result.status == SimplexResult::kOptimal ? (A * result.x - b).cwiseAbs().maxCoeff() : 0.0;
    return result;
  }

  const AccelerationProblem& problem_;
  Eigen::Index rows_{0};
  std::vector<Eigen::VectorXd> columns_;
  std::vector<double> rhs_;
  std::vector<std::vector<Eigen::Index>> normals_;  // per contact: columns whose sum is |λn|
  std::vector<Eigen::Index> actuators_;
  std::vector<Bound> bounds_;
  mutable double residual_{0.0};  // of the last program solved
};

}  // namespace rigor::test
