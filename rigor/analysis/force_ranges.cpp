// What a ForceSet's forces may be: ranges of a component, and the least of all.
#include <algorithm>
#include <cmath>

#include "rigor/analysis/force_set.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/math/orthogonal_factor.hpp"
#include "rigor/math/orthogonal_solve.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// The range of c·λ over a cone alone: one-sided, or everything.
Interval range_of_cone(const ForceBlock& block, const Vector& c) {
  const double slope = block.is_cone() ? block.mu * c.tail(c.size() - 1).norm() : 0.0;
  return {c[0] >= slope ? 0.0 : -kInfinity, -c[0] >= slope ? 0.0 : kInfinity};
}

}  // namespace

// Forces that move nothing have any size: they are counted apart, since no motion feels them.
Interval ForceSet::find_range_with_idle(const Vector& c) const {
  std::vector<ForceBlock> kept;
  Interval idle;
  std::vector<double> cost;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Vector own = c.segment(first_[i], blocks_[i].columns.cols());
    if (blocks_[i].is_idle()) {
      const Interval range = range_of_cone(blocks_[i], own);
      idle.min += range.min;
      idle.max += range.max;
      continue;
    }
    kept.push_back(blocks_[i]);
    cost.insert(cost.end(), own.begin(), own.end());
  }
  const ForceSet smaller(std::move(kept), load_);
  const Interval rest =
      smaller.find_range(Eigen::Map<const Vector>(cost.data(), static_cast<Eigen::Index>(cost.size())));
  return {rest.min + idle.min, rest.max + idle.max};
}

Interval ForceSet::find_range(const Vector& c) const {
  if (std::any_of(blocks_.begin(), blocks_.end(), [](const ForceBlock& block) { return block.is_idle(); }))
    return find_range_with_idle(c);
  // free unknowns follow from the others where they are determined: c·λ = constant + d·(cone unknowns)
  Vector d = Vector::Zero(cone_size_);
  Vector free = Vector::Zero(Free_.cols());
  Eigen::Index free_at = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Eigen::Index k = blocks_[i].columns.cols();
    if (blocks_[i].is_free) {
      free.segment(free_at, k) = c.segment(first_[i], k);
      free_at += k;
    } else {
      d.segment(cone_first_[i], k) = c.segment(first_[i], k);
    }
  }
  double constant = 0.0;
  if (free.size() > 0 && !free.isZero()) {
    // Freeᵀ g = c: then c·x = g·(f − C λ)
    OrthogonalFactor factor;
    factor.compute(Free_, kRank);
    Vector g;
    factor.solve_transposed(free, g);
    if ((Free_.transpose() * g - free).norm() > 1e-8 * free.norm()) return {-kInfinity, kInfinity};
    constant = g.dot(load_);
    d -= C_.transpose() * g;
  }
  if (!is_sparse_ && rows_.cols() == cone_size_) {
    const double value = constant + d.dot(rows_ * b_) * scale_;
    return {value, value};
  }
  const Eigen::Index rows = cone_rows();
  const auto least = [&](const Vector& cost) {
    // min cost·λ over Λ is max b·y with cost − rows y ∈ K*
    ConicProgram program;
    program.q = -b_;
    program.A.resize(rows, rows_.cols());
    add_cone_rows(rows_, 0, program);
    program.b.resize(rows);
    Eigen::Index at = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
      if (!blocks_[i].is_free && !blocks_[i].is_cone()) program.b[at++] = cost[cone_first_[i]];
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!blocks_[i].is_cone()) continue;
      const Eigen::Index k = blocks_[i].columns.cols();
      program.b[at] = cost[cone_first_[i]];
      program.b.segment(at + 1, k - 1) = blocks_[i].mu * cost.segment(cone_first_[i] + 1, k - 1);
      at += k;
    }
    const ConicResult result = solve_conic(program);
    if (result.status == ConicStatus::kInfeasible) return -kInfinity;
    if (result.status != ConicStatus::kSolved && result.residual > 1e-6) return std::nan("");
    return -result.value * scale_;
  };
  const double size = d.norm();
  if (size == 0.0) return {constant, constant};
  return {constant + size * least(d / size), constant - size * least(-d / size)};
}

std::optional<Vector> ForceSet::find_least_norm() const {
  if (is_sparse_) return std::nullopt;
  if (cone_size_ == 0) return complete(Vector::Zero(0));
  if (rows_.cols() == cone_size_) return complete(scale_ * (rows_ * b_));
  // λ = rows b + N x with N a basis of what does not change the balance; ½‖N x‖² with λ in the cones
  const Matrix Q = orthonormal_columns(rows_, rows_.rows());
  const Matrix N = Q.rightCols(cone_size_ - rows_.cols());
  const Vector start = rows_ * b_;
  ConicProgram program;
  const Eigen::Index rows = cone_rows();
  program.q = Vector::Zero(N.cols());
  program.P = Matrix::Identity(N.cols(), N.cols());
  program.A.resize(rows, N.cols());
  program.b.resize(rows);
  const auto put = [&](Eigen::Index at, Eigen::Index unknown, double factor) {
    program.A.row(at) = -factor * N.row(unknown);
    program.b[at] = factor * start[unknown];
  };
  Eigen::Index at = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i)
    if (!blocks_[i].is_free && !blocks_[i].is_cone()) put(at++, cone_first_[i], 1.0);
  program.half_lines = static_cast<int>(at);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (!blocks_[i].is_cone()) continue;
    const Eigen::Index k = blocks_[i].columns.cols();
    put(at, cone_first_[i], blocks_[i].mu);
    for (Eigen::Index j = 1; j < k; ++j) put(at + j, cone_first_[i] + j, 1.0);
    program.cones.push_back(static_cast<int>(k));
    at += k;
  }
  const ConicResult result = solve_conic(program);
  if (result.status != ConicStatus::kSolved) return std::nullopt;
  return complete(scale_ * (start + N * result.x));
}

}  // namespace rigor
