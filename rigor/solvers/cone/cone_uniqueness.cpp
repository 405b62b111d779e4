#include "rigor/solvers/cone/cone_uniqueness.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/math/magnitude.hpp"
#include "rigor/solvers/cone/cone_local.hpp"

namespace rigor {
namespace {

constexpr double kLeastPivot = 1e-10;  // pivot ratio from which W counts as positive definite
constexpr double kClearly = 1e-6;      // (2) must hold by more than rounding
constexpr double kWell = 1e8;          // tr W tr W⁻¹: its columns are far from depending on each other
constexpr Eigen::Index kLargestProof = 48;  // rows: (2) costs a full inverse
constexpr Eigen::Index kLargest = 400;      // rows: (1) costs an orthogonal factor

double bound_norm(const Eigen::MatrixXd& A) {
  return std::min(A.cwiseAbs().rowwise().sum().maxCoeff(), A.norm());
}

}  // namespace

std::string_view to_string(VelocityVerdict verdict) {
  constexpr std::string_view kNames[] = {"unknown", "continuum", "isolated", "unique"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view describe(VelocityVerdict verdict) {
  constexpr std::string_view kSentences[] = {"not known whether it is unique",
                                             "not unique, others are near by",
                                             "isolated, others may be far away", "unique, proved"};
  return kSentences[static_cast<std::size_t>(verdict)];
}

void ConeUniqueness::judge(const ConeProblem& problem, const Eigen::VectorXd& r, const Eigen::VectorXd& u,
                           bool modes_are_clear) {
  const Eigen::Index n = problem.q.size();
  force_freedom_ = 0;
  velocity_ = VelocityVerdict::kUnknown;
  if (n == 0) return;
  const double mean = problem.W.diagonal().mean();
  mean_ = mean > 0.0 ? mean : 1.0;
  find_modes(problem, r, u);
  is_symmetric_ = is_symmetric(problem);
  is_factored_ = is_symmetric_ && n <= kLargestProof && factor(problem);
  if (!modes_are_clear && !is_well_conditioned(problem)) force_freedom_ = count_force_freedom(problem, u);
  if (is_proved(problem))
    velocity_ = VelocityVerdict::kUnique;
  else if (modes_are_clear)
    velocity_ = VelocityVerdict::kIsolated;
  else if (n <= kLargest && std::none_of(modes_.begin(), modes_.end(), [](Mode mode) {
             return mode == Mode::kGrazing || mode == Mode::kAtLimit;
           }))
    velocity_ = !slides_nowhere() && count_freedom(problem, r, u) > force_freedom_
                    ? VelocityVerdict::kContinuum
                    : VelocityVerdict::kIsolated;
  else if (n <= kLargestProof && loads_grazing_blocks(problem, r, u))
    velocity_ = VelocityVerdict::kContinuum;
}

bool ConeUniqueness::is_symmetric(const ConeProblem& problem) const {
  const double asymmetry = (problem.W - problem.W.transpose()).cwiseAbs().maxCoeff();
  return asymmetry <= 1e-14 * problem.W.cwiseAbs().maxCoeff();
}

bool ConeUniqueness::factor(const ConeProblem& problem) {
  const Eigen::Index n = problem.q.size();
  auto A = cholesky_.start(n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = i; j < n; ++j) A(i, j) = problem.W(i, j);
  if (!cholesky_.factor() || cholesky_.pivot_ratio() < kLeastPivot) return false;
  inverse_.setZero(n, n);
  for (const ConeBlock& block : problem.blocks) {
    column_.setZero(n);
    column_[block.first] = 1.0;
    cholesky_.solve_in_place(column_);
    inverse_.col(block.first) = column_;
  }
  return true;
}

// Whether no forces can leave u as it is, whatever the modes: ‖W x‖ ≥ ‖x‖/tr W⁻¹, beside columns of at most tr W.
bool ConeUniqueness::is_well_conditioned(const ConeProblem& problem) {
  if (!is_factored_) return false;
  const double trace = problem.W.trace();
  double inverse_trace = 0.0;
  for (const auto& [first, size, mu, bounds] : problem.blocks) {
    inverse_trace += inverse_(first, first);
    if (!(trace * inverse_trace < kWell)) return false;
    for (int i = first + 1; i < first + size; ++i) {
      column_.setZero(problem.q.size());
      column_[i] = 1.0;
      cholesky_.solve_in_place(column_);
      inverse_trace += column_[i];
    }
  }
  return trace * inverse_trace < kWell;
}

// Nothing slides, and W is YᵀY: (1) lacks what Y lacks on the loaded rows, as the forces do.
bool ConeUniqueness::slides_nowhere() const {
  return is_symmetric_ && std::find(modes_.begin(), modes_.end(), Mode::kSlide) == modes_.end();
}

// Blocks that touch without load while they slip: where others carry less, they may carry some. (1) with them
// as sliding blocks without load has then one direction of change more than equations that depend on each
// other whatever r is: a curve of answers through r, on which all of them get loads > 0 on one side.
bool ConeUniqueness::loads_grazing_blocks(const ConeProblem& problem, const Eigen::VectorXd& r,
                                          const Eigen::VectorXd& u) {
  const Eigen::Index n = problem.q.size();
  const double slip_scale = kNothing * (largest(u) + largest(problem.q));
  grazing_.clear();
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    if (modes_[k] == Mode::kAtLimit) return false;
    if (modes_[k] != Mode::kGrazing) continue;
    const auto& [first, size, mu, bounds] = problem.blocks[k];
    if (size == 1 || u.segment(first + 1, size - 1).norm() <= 1e3 * slip_scale) return false;
    grazing_.push_back(first);
    modes_[k] = Mode::kSlide;
  }
  // the equations u = 0 of (1), which are linear: how many depend on the others
  matrix_.setZero(n, n);
  int rows = 0;
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    const auto& [first, size, mu, bounds] = problem.blocks[k];
    const int count = modes_[k] == Mode::kStick ? size : modes_[k] == Mode::kSlide ? 1 : 0;
    for (int i = first; i < first + count; ++i) matrix_.col(i) = problem.W.row(i).transpose();
    rows += count;
  }
  factor_.compute_rank(matrix_);
  if (rows - static_cast<int>(factor_.rank()) != 1 || count_freedom(problem, r, u) != 1) return false;
  // the direction: what the row space of (1) lacks of a unit vector
  factor_.compute(matrix_);
  const Eigen::Index pivot = factor_.pivots()[static_cast<std::size_t>(n - 1)];
  column_ = matrix_.col(pivot);
  factor_.solve(column_, tangents_);
  tangents_ = -tangents_;
  tangents_[pivot] += 1.0;
  const double length = tangents_.norm();
  column_.noalias() = problem.W * tangents_;
  if (!(column_.norm() > 1e-6 * mean_ * length)) return false;
  const double side = tangents_[grazing_.front()] > 0.0 ? 1.0 : -1.0;
  return std::all_of(grazing_.begin(), grazing_.end(),
                     [&](int first) { return side * tangents_[first] > 1e-6 * length; });
}

void ConeUniqueness::find_modes(const ConeProblem& problem, const Eigen::VectorXd& r,
                                const Eigen::VectorXd& u) {
  const double load_scale = kNothing * largest(r);
  const double slip_scale = kNothing * (largest(u) + largest(problem.q));
  modes_.clear();
  for (const auto& [first, size, mu, bounds] : problem.blocks) {
    if (size == 1) {
      const bool at_bound = r[first] <= bounds.lower + load_scale || r[first] >= bounds.upper - load_scale;
      modes_.push_back(!at_bound                          ? Mode::kStick
                       : std::fabs(u[first]) > slip_scale ? Mode::kOpen
                                                          : Mode::kGrazing);
      continue;
    }
    const bool is_loaded = r[first] > load_scale;
    const double slip = u.segment(first + 1, size - 1).norm();
    if (!is_loaded)
      modes_.push_back(u[first] > slip_scale ? Mode::kOpen : Mode::kGrazing);
    else if (slip > slip_scale)
      modes_.push_back(Mode::kSlide);
    else if (r.segment(first + 1, size - 1).norm() < mu * r[first] - load_scale)
      modes_.push_back(Mode::kStick);
    else
      modes_.push_back(Mode::kAtLimit);
  }
}

// A block at its limit that does not slip counts as sticking: the forces have at most that freedom.
int ConeUniqueness::count_force_freedom(const ConeProblem& problem, const Eigen::VectorXd& u) {
  matrix_.setZero(problem.q.size(), problem.q.size());
  int columns = 0;
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    const auto& [first, size, mu, bounds] = problem.blocks[k];
    const double slip = size > 1 ? u.segment(first + 1, size - 1).norm() : 0.0;
    if (modes_[k] == Mode::kSlide) {
      matrix_.col(first) = problem.W.col(first);
      for (int i = 1; i < size; ++i)
        matrix_.col(first) -= mu * u[first + i] / slip * problem.W.col(first + i);
      ++columns;
    } else if (modes_[k] == Mode::kStick || modes_[k] == Mode::kAtLimit) {
      for (int i = 0; i < size; ++i) matrix_.col(first + i) = problem.W.col(first + i);
      columns += size;
    }
  }
  factor_.compute_rank(matrix_);
  return columns - static_cast<int>(factor_.rank());
}

// The nullity of (1), with impulses as velocities.
int ConeUniqueness::count_freedom(const ConeProblem& problem, const Eigen::VectorXd& r,
                                  const Eigen::VectorXd& u) {
  const Eigen::Index n = problem.q.size();
  matrix_ = problem.W / mean_;
  for (std::size_t k = 0; k < problem.blocks.size(); ++k) {
    const auto& [first, size, mu, bounds] = problem.blocks[k];
    if (modes_[k] == Mode::kOpen) {
      matrix_.middleRows(first, size).setZero();
      matrix_.block(first, first, size, size).setIdentity();
    }
    if (modes_[k] != Mode::kSlide) continue;
    const auto slip = u.segment(first + 1, size - 1);
    const double speed = slip.norm(), turn = mu * r[first] * mean_ / speed;
    for (Eigen::Index c = 0; c < n; ++c) {  // (1 − t tᵀ) W, column by column
      auto entries = matrix_.col(c).segment(first + 1, size - 1);
      const double along = slip.dot(entries) / (speed * speed);
      entries = turn * (entries - along * slip);
    }
    for (int i = 1; i < size; ++i) {
      matrix_(first + i, first + i) += 1.0;
      matrix_(first + i, first) += mu * slip[i - 1] / speed;
    }
  }
  factor_.compute_rank(matrix_);
  return static_cast<int>(n - factor_.rank());
}

bool ConeUniqueness::is_proved(const ConeProblem& problem) {
  if (!is_symmetric_) return false;
  const bool is_convex = problem.associated || std::all_of(problem.blocks.begin(), problem.blocks.end(),
                                                           [](const ConeBlock& block) {
                                                             return block.size == 1 || block.mu == 0.0;
                                                           });
  return is_convex || (is_factored_ && (contracts(problem, false) || contracts(problem, true)));
}

// (2), with D = 1 or with the D that is best for blocks without coupling.
bool ConeUniqueness::contracts(const ConeProblem& problem, bool is_scaled) {
  const Eigen::Index n = problem.q.size();
  tangents_.setZero(n);  // mu/D on the tangents, 0 elsewhere
  normals_.setZero(n);   // D on the normals
  for (const ConeBlock& block : problem.blocks) {
    if (block.size == 1 || block.mu == 0.0) continue;
    const double W = problem.W.diagonal().segment(block.first + 1, block.size - 1).maxCoeff();
    const double weight =
        is_scaled ? std::sqrt(block.mu * std::sqrt(W / inverse_(block.first, block.first))) : 1.0;
    normals_[block.first] = weight;
    tangents_.segment(block.first + 1, block.size - 1).setConstant(block.mu / weight);
  }
  matrix_ = tangents_.asDiagonal() * problem.W * tangents_.asDiagonal();
  const double tangential = bound_norm(matrix_);
  matrix_ = normals_.asDiagonal() * inverse_ * normals_.asDiagonal();
  return tangential * bound_norm(matrix_) < 1.0 - kClearly;
}

}  // namespace rigor
