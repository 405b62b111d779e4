#include "rigor/analysis/closure.hpp"

#include <cmath>

#include "rigor/math/orthogonal_factor.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// The object alone: the rows of its coordinates, the contacts that touch it.
std::vector<ForceBlock> make_blocks(const AccelerationProblem& problem, const std::vector<int>& coordinates,
                                    bool with_friction) {
  const auto n = static_cast<Eigen::Index>(coordinates.size());
  std::vector<ForceBlock> blocks;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const AccelerationContact& contact = problem.contacts[i];
    const bool has_friction = with_friction && contact.tangents() > 0 && contact.mu > 0.0;
    const Eigen::Index k = has_friction ? contact.tangents() : 0;
    ForceBlock block;
    block.contact = static_cast<int>(i);
    block.mu = contact.mu;
    block.columns.resize(n, 1 + k);
    for (Eigen::Index c = 0; c < n; ++c) {
      const int at = coordinates[static_cast<std::size_t>(c)];
      block.columns(c, 0) = contact.normal[at];
      for (Eigen::Index j = 0; j < k; ++j) block.columns(c, 1 + j) = contact.tangent(j, at);
    }
    if (block.columns.norm() < 1e-12) continue;
    block.to_contact = Matrix::Identity(1 + contact.tangents(), 1 + k);
    block.is_free = !contact.is_unilateral();
    blocks.push_back(std::move(block));
  }
  return blocks;
}

// Whether the cones span everything; `escape` else is a motion that they let pass.
Answer spans(const std::vector<ForceBlock>& blocks, Eigen::Index n, Vector& escape) {
  Eigen::Index size = 0;
  for (const ForceBlock& block : blocks) size += block.columns.cols();
  Matrix C(n, size);
  size = 0;
  for (const ForceBlock& block : blocks) {
    C.middleCols(size, block.columns.cols()) = block.columns;
    size += block.columns.cols();
  }
  Matrix Z = Matrix::Identity(n, n);
  if (size > 0) {
    OrthogonalFactor factor;
    factor.compute(C);
    factor.compute_null_basis(Z);
  }
  if (Z.cols() > 0) {
    escape = Z.col(0);
    return Answer::kNo;
  }
  // forces λ = λ' + Σ e_n inside all cones that do nothing: C λ' = −Σ e_n
  Vector lead = Vector::Zero(n);
  for (const ForceBlock& block : blocks)
    if (!block.is_free) lead += block.columns.col(0);
  const ForceVerdict verdict = ForceSet(blocks, -lead).decide();
  if (verdict.answer == Answer::kNo) escape = verdict.motion.normalized();
  return verdict.answer;
}

}  // namespace

Closure find_closure(const AccelerationProblem& problem, const std::vector<int>& coordinates) {
  Closure closure;
  const auto n = static_cast<Eigen::Index>(coordinates.size());
  Vector unused;
  closure.form = spans(make_blocks(problem, coordinates, false), n, unused);
  std::vector<ForceBlock> blocks = make_blocks(problem, coordinates, true);
  closure.force = spans(blocks, n, closure.escape);
  if (closure.force != Answer::kYes) return closure;

  // how much Σ λn a unit wrench takes: min Σ λn over the forces that balance it
  const auto cost_of = [&](const Vector& wrench) {
    const ForceSet set(blocks, wrench);
    Vector c = Vector::Zero(set.size());
    for (std::size_t b = 0; b < blocks.size(); ++b)
      if (!blocks[b].is_free) c[set.first_of(b)] = 1.0;
    return set.find_range(c).min;
  };
  double worst = 0.0;
  for (Eigen::Index i = 0; i < n; ++i)
    for (const double sign : {1.0, -1.0}) {
      Vector wrench = sign * Vector::Unit(n, i);
      double cost = cost_of(wrench), step = 0.5;
      // uphill on the sphere, along the coordinates, with shorter and shorter steps
      while (step > 1e-3) {
        bool better = false;
        for (Eigen::Index j = 0; j < n; ++j)
          for (const double side : {step, -step}) {
            const Vector next = (wrench + side * Vector::Unit(n, j)).normalized();
            const double next_cost = cost_of(next);
            if (!(next_cost > cost * (1.0 + 1e-6))) continue;
            wrench = next;
            cost = next_cost;
            better = true;
          }
        if (!better) step *= 0.5;
      }
      if (cost > worst) {
        worst = cost;
        closure.weakest_wrench = wrench;
      }
    }
  closure.weakest = worst > 0.0 ? 1.0 / worst : std::numeric_limits<double>::infinity();
  return closure;
}

}  // namespace rigor
