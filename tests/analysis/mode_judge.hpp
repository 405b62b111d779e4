#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "rigor/solvers/acceleration/acceleration_problem.hpp"
#include "tests/support/simplex.hpp"

/// All solutions of small problems by brute force: every choice of modes is a linear program of the tests.
/// Knows the problem's matrices and nothing of the library's analysis. Cones in space are polygons, inside or
/// around the disk.
namespace rigor::test {

/// What a contact does.
enum class JudgedMode { kOpen, kHold, kForward, kBackward };

/// Which law is judged.
struct Law {
  bool coulomb{false};    // contacts at rest may begin to slip, and tangents of open ones are free
  bool unlimited{false};  // friction of sticking contacts has no limit
  bool closed{false};     // nothing opens
  int sides{0};           // polygons for cones in space
  bool outer{false};
};

struct Hull {
  Eigen::VectorXd low, high;
  void widen(Eigen::Index i, double a, double b) {
    low[i] = std::min(low[i], a);
    high[i] = std::max(high[i], b);
  }
  [[nodiscard]] double width(Eigen::Index first, Eigen::Index count) const {
    return count > 0 ? (high - low).segment(first, count).maxCoeff() : 0.0;
  }
};

/// The solutions with given modes as one linear program: columns ≥ 0 of forces, of slacks, and ± a.
class ModeProgram {
 public:
  ModeProgram(const AccelerationProblem& problem, const Law& law, const std::vector<JudgedMode>& modes,
              const std::vector<int>& signs)
      : problem_(problem), law_(law) {
    const Eigen::Index n = problem.size();
    for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
      const AccelerationContact& contact = problem.contacts[i];
      first_.push_back(size_);
      size_ += 1 + contact.tangents();
      if (modes[i] == JudgedMode::kOpen) {
        add_row(contact.normal, contact.normal_bias, true);
        if (!law.coulomb) hold_tangents(contact);
        if (!law.coulomb && law.unlimited && !contact.slides()) add_free_tangents(i);
        continue;
      }
      add_row(contact.normal, contact.normal_bias, false);
      add_forces(i, modes[i], signs[i]);
    }
    const auto rows = n + static_cast<Eigen::Index>(rows_.size());
    const auto slacks = static_cast<Eigen::Index>(std::count(is_slack_.begin(), is_slack_.end(), 1));
    const auto forces = static_cast<Eigen::Index>(columns_.size());
    A_ = Eigen::MatrixXd::Zero(rows, forces + slacks + 2 * n);
    b_ = Eigen::VectorXd::Zero(rows);
    b_.head(n) = problem.F;
    for (Eigen::Index j = 0; j < forces; ++j) A_.col(j).head(n) = columns_[static_cast<std::size_t>(j)];
    Eigen::Index slack = forces;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const Eigen::Index row = n + static_cast<Eigen::Index>(r);
      A_.row(row).segment(forces + slacks, n) = rows_[r].transpose();
      b_[row] = -biases_[r];
      if (is_slack_[r]) A_(row, slack++) = -1.0;
    }
    A_.block(0, forces + slacks, n, n) = -problem.M;
    A_.rightCols(n) = -A_.middleCols(forces + slacks, n);
    // values: accelerations, then all forces
    value_ = Eigen::MatrixXd::Zero(n + size_, A_.cols());
    value_.block(0, forces + slacks, n, n).setIdentity();
    value_.block(0, forces + slacks + n, n, n) = -Eigen::MatrixXd::Identity(n, n);
    for (std::size_t j = 0; j < own_.size(); ++j)
      value_.col(static_cast<Eigen::Index>(j)).segment(n + first_[own_[j].first], own_[j].second.size()) =
          own_[j].second;
  }

  /// By a point that solves the given equations: the tableau's own word is good to about 1e-6.
  [[nodiscard]] bool is_feasible() const {
    const SimplexResult result = solve_simplex(A_, b_, Eigen::VectorXd::Zero(A_.cols()));
    return result.status == SimplexResult::kOptimal &&
           (A_.rows() == 0 || (A_ * result.x - b_).cwiseAbs().maxCoeff() <= 1e-9 * (1.0 + b_.norm())) &&
           (result.x.size() == 0 || result.x.minCoeff() >= -1e-9);
  }
  /// [min, max] of acceleration or force i.
  [[nodiscard]] std::pair<double, double> range(Eigen::Index i) const {
    const Eigen::VectorXd c = value_.row(i).transpose();
    const auto end = [&](double sign) {
      const SimplexResult result = solve_simplex(A_, b_, sign * c);
      return result.status == SimplexResult::kOptimal ? sign * result.value
                                                      : -sign * std::numeric_limits<double>::infinity();
    };
    return {end(1.0), end(-1.0)};
  }
  [[nodiscard]] Eigen::Index values() const { return value_.rows(); }

 private:
  void add_row(const Eigen::VectorXd& row, double bias, bool may_exceed) {
    rows_.push_back(row);
    biases_.push_back(bias);
    is_slack_.push_back(may_exceed ? 1 : 0);
  }
  void hold_tangents(const AccelerationContact& contact) {
    if (contact.slides()) return;
    for (Eigen::Index k = 0; k < contact.tangents(); ++k)
      add_row(contact.tangent.row(k).transpose(), contact.tangent_bias[k], false);
  }
  // A column with (λn, λt) per unit of it.
  void add_force(std::size_t i, double normal, const Eigen::VectorXd& tangential) {
    const AccelerationContact& contact = problem_.contacts[i];
    Eigen::VectorXd column = normal * contact.normal;
    if (contact.tangents() > 0) column += contact.tangent.transpose() * tangential;
    Eigen::VectorXd value(1 + contact.tangents());
    value << normal, tangential;
    columns_.push_back(column);
    own_.push_back({i, value});
  }
  void add_free_tangents(std::size_t i) {
    const Eigen::Index k = problem_.contacts[i].tangents();
    for (Eigen::Index t = 0; t < k; ++t)
      for (const double s : {1.0, -1.0}) add_force(i, 0.0, s * Eigen::VectorXd::Unit(k, t));
  }
  void add_forces(std::size_t i, JudgedMode mode, int sign) {
    const AccelerationContact& contact = problem_.contacts[i];
    const Eigen::Index k = contact.tangents();
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(k);
    const bool has_friction = k > 0 && contact.mu > 0.0;
    const std::vector<double> sides = contact.is_unilateral() ? std::vector<double>{1.0}
                                      : sign != 0             ? std::vector<double>{double(sign)}
                                                              : std::vector<double>{1.0, -1.0};
    const bool slips = contact.slides() || mode == JudgedMode::kForward || mode == JudgedMode::kBackward;
    if (slips && has_friction) {
      const Eigen::VectorXd slip =
          contact.slides()
              ? contact.slip
              : Eigen::VectorXd(Eigen::VectorXd::Constant(1, mode == JudgedMode::kForward ? 1.0 : -1.0));
      for (const double s : sides) add_force(i, s, -contact.mu * slip);
      if (!contact.slides())
        add_row(slip[0] * contact.tangent.row(0).transpose(), slip[0] * contact.tangent_bias[0], true);
      return;
    }
    if (slips || (law_.coulomb && !has_friction)) {
      for (const double s : sides) add_force(i, s, none);
      return;
    }
    hold_tangents(contact);
    if (law_.unlimited || !has_friction) {
      for (const double s : sides) add_force(i, s, none);
      if (law_.unlimited) add_free_tangents(i);
      return;
    }
    for (const double s : sides)
      if (k == 1) {
        for (const double t : {1.0, -1.0}) add_force(i, s, Eigen::VectorXd::Constant(1, t * contact.mu));
      } else {
        const double radius = contact.mu * (law_.outer ? 1.0 / std::cos(std::numbers::pi / law_.sides) : 1.0);
        for (int c = 0; c < law_.sides; ++c) {
          const double angle = 2.0 * std::numbers::pi * c / law_.sides;
          add_force(i, s, radius * Eigen::Vector2d(std::cos(angle), std::sin(angle)));
        }
      }
  }

  const AccelerationProblem& problem_;
  Law law_;
  Eigen::Index size_{0};
  std::vector<Eigen::Index> first_;
  std::vector<Eigen::VectorXd> rows_, columns_;
  std::vector<double> biases_;
  std::vector<char> is_slack_;
  std::vector<std::pair<std::size_t, Eigen::VectorXd>> own_;
  Eigen::MatrixXd A_, value_;
  Eigen::VectorXd b_;
};

/// What brute force knows of a problem.
struct Judgement {
  bool exists{false};
  Hull hull;                            // accelerations, then forces, over all solutions
  bool has_continuum{false};            // some modes have more than a point
  std::vector<Eigen::VectorXd> points;  // the different solutions where every mode has a point
};

class ModeJudge {
 public:
  ModeJudge(const AccelerationProblem& problem, const Law& law, bool with_ranges)
      : problem_(problem),
        law_(law),
        with_ranges_(with_ranges),
        modes_(problem.contacts.size()),
        signs_(problem.contacts.size(), 0) {}

  Judgement run() {
    search(0);
    return judgement_;
  }

 private:
  void search(std::size_t i) {
    if (i == modes_.size()) return try_modes();
    const AccelerationContact& contact = problem_.contacts[i];
    const bool has_friction = contact.tangents() > 0 && contact.mu > 0.0 && !law_.unlimited;
    std::vector<JudgedMode> modes{JudgedMode::kHold};
    if (contact.is_unilateral() && !law_.closed) modes.push_back(JudgedMode::kOpen);
    if (law_.coulomb && has_friction && !contact.slides())
      modes.insert(modes.end(), {JudgedMode::kForward, JudgedMode::kBackward});
    for (const JudgedMode mode : modes) {
      modes_[i] = mode;
      const bool needs_sign = !contact.is_unilateral() && has_friction;
      for (const int sign : needs_sign ? std::vector<int>{1, -1} : std::vector<int>{0}) {
        signs_[i] = sign;
        search(i + 1);
      }
    }
  }

  void try_modes() {
    const ModeProgram program(problem_, law_, modes_, signs_);
    if (!program.is_feasible()) return;
    const Eigen::Index size = program.values();
    if (!judgement_.exists && with_ranges_) {
      judgement_.hull.low = Eigen::VectorXd::Constant(size, std::numeric_limits<double>::infinity());
      judgement_.hull.high = -judgement_.hull.low;
    }
    judgement_.exists = true;
    if (!with_ranges_) return;
    Eigen::VectorXd low(size), high(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      const auto [a, b] = program.range(i);
      low[i] = a;
      high[i] = b;
      judgement_.hull.widen(i, a, b);
    }
    const double largest = std::max(low.cwiseAbs().maxCoeff(), high.cwiseAbs().maxCoeff());
    if (std::isinf(largest) || (high - low).maxCoeff() > 1e-6 * std::max(1.0, largest)) {
      judgement_.has_continuum = true;
      return;
    }
    for (const Eigen::VectorXd& point : judgement_.points)
      if ((point - low).norm() <= 1e-5 * std::max(1.0, largest)) return;
    judgement_.points.push_back(low);
  }

  const AccelerationProblem& problem_;
  Law law_;
  bool with_ranges_;
  std::vector<JudgedMode> modes_;
  std::vector<int> signs_;
  Judgement judgement_;
};

inline Judgement judge_modes(const AccelerationProblem& problem, const Law& law, bool with_ranges = true) {
  return ModeJudge(problem, law, with_ranges).run();
}

}  // namespace rigor::test
