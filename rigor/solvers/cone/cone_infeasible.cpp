#include "rigor/solvers/cone/cone_infeasible.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "rigor/solvers/conic/conic_solve.hpp"
#include "rigor/solvers/problems/check.hpp"

namespace rigor {
namespace {

constexpr double kRank = 1e-11;     // pivot ratio below which a column depends on the others
constexpr double kNoWeight = 1e-6;  // of the largest weight: below is none
constexpr double kGrid =
    1048576.0;  // 2²⁰: weights are tried as multiples of its inverse, for sums without rounding

// An orthonormal basis of { x : B x = 0 }, by columns.
Eigen::MatrixXd find_null_space(const Eigen::MatrixXd& B) {
  const Eigen::Index n = B.cols();
  if (B.rows() == 0 || n == 0) return Eigen::MatrixXd::Identity(n, n);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(B.transpose());
  qr.setThreshold(kRank);
  const Eigen::MatrixXd Q = qr.householderQ();
  return Q.rightCols(n - qr.rank());
}

// Symmetric and without negative pivots, to rounding.
bool is_semidefinite(const Eigen::MatrixXd& W) {
  if ((W - W.transpose()).cwiseAbs().maxCoeff() > 1e-12) return false;
  const Eigen::LDLT<Eigen::MatrixXd> factor(W);
  return factor.info() == Eigen::Success && factor.vectorD().minCoeff() > -1e-9;
}

/// The rows that may have a weight, and which sign.
struct Weights {
  std::vector<int> row;
  std::vector<int> sign;  // 1: ≥ 0, −1: ≤ 0, 0: free, or of a block in K

  explicit Weights(const ConeProblem& problem) {
    const auto add = [&](int at, int direction) {
      row.push_back(at);
      sign.push_back(direction);
    };
    for (const auto& [first, size, mu, bounds] : problem.blocks) {
      if (size > 1) {
        const bool in_cone = problem.associated && mu > 0.0;
        add(first, in_cone ? 0 : 1);
        if (in_cone)
          for (int k = 1; k < size; ++k) add(first + k, 0);
      } else if (!bounds.has_lower() || !bounds.has_upper()) {
        add(first, bounds.is_bilateral() ? 0 : bounds.has_lower() ? 1 : -1);
      }
    }
  }
  [[nodiscard]] Eigen::Index size() const { return static_cast<Eigen::Index>(row.size()); }
};

/// Rows of a ConicProgram as they come: first half-lines, then cones.
struct Rows {
  std::vector<Eigen::RowVectorXd> half_lines, cones;  // s = −(row of A) x + b
  std::vector<double> half_line_b;
  std::vector<int> sizes;

  // s x + constant ≥ 0
  void at_least_zero(const Eigen::RowVectorXd& s, double constant = 0.0) {
    half_lines.push_back(-s);
    half_line_b.push_back(constant);
  }
  // s_0 ≥ ‖s_1 …‖
  void in_cone(const std::vector<Eigen::RowVectorXd>& s) {
    for (const Eigen::RowVectorXd& row : s) cones.push_back(-row);
    sizes.push_back(static_cast<int>(s.size()));
  }
};

Eigen::VectorXd minimise(const Rows& rows, const Eigen::VectorXd& objective) {
  ConicProgram program;
  const auto half = static_cast<Eigen::Index>(rows.half_lines.size());
  const auto cones = static_cast<Eigen::Index>(rows.cones.size());
  program.q = objective;
  program.A.resize(half + cones, objective.size());
  program.b.setZero(half + cones);
  for (Eigen::Index i = 0; i < half; ++i) {
    program.A.row(i) = rows.half_lines[static_cast<std::size_t>(i)];
    program.b[i] = rows.half_line_b[static_cast<std::size_t>(i)];
  }
  for (Eigen::Index i = 0; i < cones; ++i) program.A.row(half + i) = rows.cones[static_cast<std::size_t>(i)];
  program.half_lines = static_cast<int>(half);
  program.cones = rows.sizes;
  return solve_conic(program).x;
}

/// The search. Weights are y = N c at the rows of `weights`, |c| ≤ 1.
class ProofSearch {
 public:
  explicit ProofSearch(const ConeProblem& problem) : problem_(problem), weights_(problem) {
    const double size = problem.W.cwiseAbs().maxCoeff(), speed = problem.q.cwiseAbs().maxCoeff();
    W_ = problem.W / (size > 0.0 ? size : 1.0);
    q_ = problem.q / (speed > 0.0 ? speed : 1.0);
    impulse_ = size > 0.0 && speed > 0.0 ? speed / size : 1.0;
    to_g_.resize(q_.size(), weights_.size());
    for (Eigen::Index k = 0; k < weights_.size(); ++k)
      to_g_.col(k) = W_.row(weights_.row[static_cast<std::size_t>(k)]).transpose();
  }

  std::optional<InfeasibilityProof> find() {
    if (weights_.size() == 0) return std::nullopt;
    if (auto proof = find_with(find_null_space(to_g_), false)) return proof;
    if (is_semidefinite(W_)) return std::nullopt;
    std::vector<int> bilateral;
    for (const ConeBlock& block : problem_.blocks)
      if (block.size == 1 && block.bounds.is_bilateral()) bilateral.push_back(block.first);
    return find_with(find_null_space(to_g_(bilateral, Eigen::all)), true);
  }

 private:
  std::optional<InfeasibilityProof> find_with(const Eigen::MatrixXd& N, bool moves);
  void constrain_weights(const Eigen::MatrixXd& y_of, Rows& rows) const;
  void constrain_velocities(const Eigen::MatrixXd& g_of, Eigen::Index c, Rows& rows,
                            Eigen::VectorXd& objective) const;
  [[nodiscard]] Eigen::VectorXd polish(const Eigen::VectorXd& y) const;
  [[nodiscard]] Eigen::VectorXd keep_signs(Eigen::VectorXd y) const;
  [[nodiscard]] Eigen::VectorXd spread(const Eigen::VectorXd& y) const;

  const ConeProblem& problem_;
  Weights weights_;
  Eigen::MatrixXd W_, to_g_;  // W and W's rows at the weights, transposed: g = to_g_ y; largest entry 1
  Eigen::VectorXd q_;
  double impulse_{1.0};  // N s, of W_ and q_: bounds are measured in it
};

// y of the signs, or in K
void ProofSearch::constrain_weights(const Eigen::MatrixXd& y_of, Rows& rows) const {
  for (Eigen::Index k = 0; k < weights_.size(); ++k)
    if (const int sign = weights_.sign[static_cast<std::size_t>(k)]; sign != 0)
      rows.at_least_zero(sign * y_of.row(k));
  if (!problem_.associated) return;
  Eigen::Index k = 0;
  for (const ConeBlock& block : problem_.blocks) {
    const bool in_cone = block.size > 1 && block.mu > 0.0;
    if (in_cone) {
      std::vector<Eigen::RowVectorXd> s = {block.mu * y_of.row(k)};
      for (int i = 1; i < block.size; ++i) s.emplace_back(y_of.row(k + i));
      rows.in_cone(s);
    }
    if (in_cone)
      k += block.size;
    else if (block.size > 1 || !block.bounds.has_lower() || !block.bounds.has_upper())
      ++k;
  }
}

// g_N + mu ‖g_T‖ ≤ 0 at contacts, the sign that the missing bound asks for at rows, and sup { r g } into the
// objective: for two bounds as a variable t ≥ lower g, upper g, from place `next` of x on.
void ProofSearch::constrain_velocities(const Eigen::MatrixXd& g_of, Eigen::Index next, Rows& rows,
                                       Eigen::VectorXd& objective) const {
  for (const auto& [first, size, mu, given] : problem_.blocks) {
    if (size > 1 && mu > 0.0) {
      std::vector<Eigen::RowVectorXd> s = {-g_of.row(first)};
      for (int i = 1; i < size; ++i) s.emplace_back(mu * g_of.row(first + i));
      rows.in_cone(s);
      continue;
    }
    const RowBounds bounds = given.times(1.0 / impulse_);
    if (size > 1 || (bounds.has_lower() && !bounds.has_upper())) {
      rows.at_least_zero(-g_of.row(first));
      if (size == 1) objective += bounds.lower * g_of.row(first).transpose();
    } else if (bounds.has_upper() && !bounds.has_lower()) {
      rows.at_least_zero(g_of.row(first));
      objective += bounds.upper * g_of.row(first).transpose();
    } else if (bounds.has_upper()) {
      Eigen::RowVectorXd t = Eigen::RowVectorXd::Zero(objective.size());
      t[next] = 1.0;
      rows.at_least_zero(t - bounds.lower * g_of.row(first));
      rows.at_least_zero(t - bounds.upper * g_of.row(first));
      objective[next++] += 1.0;
    }
  }
}

std::optional<InfeasibilityProof> ProofSearch::find_with(const Eigen::MatrixXd& N, bool moves) {
  const Eigen::Index c = N.cols();
  if (c == 0) return std::nullopt;
  const auto is_boxed = [](const ConeBlock& block) {
    return block.size == 1 && block.bounds.has_lower() && block.bounds.has_upper();
  };
  const Eigen::Index boxes =
      moves ? std::count_if(problem_.blocks.begin(), problem_.blocks.end(), is_boxed) : 0;
  Eigen::MatrixXd y_of = Eigen::MatrixXd::Zero(weights_.size(), c + boxes);
  y_of.leftCols(c) = N;
  Eigen::VectorXd objective = Eigen::VectorXd::Zero(c + boxes);
  for (Eigen::Index k = 0; k < weights_.size(); ++k)
    objective += q_[weights_.row[static_cast<std::size_t>(k)]] * y_of.row(k).transpose();
  Rows rows;
  constrain_weights(y_of, rows);
  if (moves) constrain_velocities(to_g_ * y_of, c, rows, objective);
  for (Eigen::Index k = 0; k < c; ++k)
    for (const double side : {-1.0, 1.0})
      rows.at_least_zero(side * Eigen::RowVectorXd::Unit(c + boxes, k), 1.0);
  const Eigen::VectorXd x = minimise(rows, objective);
  if (x.size() != c + boxes || !x.allFinite() || !(objective.dot(x) < -1e-7)) return std::nullopt;

  // the checker decides; small numbers made zero and multiples of 2⁻²⁰ may prove more than what was found
  const Eigen::VectorXd found = N * x.head(c);
  const Eigen::VectorXd polished = moves ? found : polish(found);
  const Eigen::VectorXd rounded =
      (kGrid / polished.cwiseAbs().maxCoeff() * polished).array().round().matrix() / kGrid;
  std::optional<InfeasibilityProof> best;
  for (const Eigen::VectorXd* y : {&rounded, &polished, &found}) {
    InfeasibilityProof proof{spread(keep_signs(*y)), 0.0, false};
    const ProofCheck check = check_infeasible(problem_, proof.y);
    proof.bound = check.bound;
    proof.exact = check.exact;
    if (check.holds && (!best || proof.bound > best->bound)) best = std::move(proof);
  }
  return best;
}

// Solves for y again with the weights that matter alone, in the null space of their columns.
Eigen::VectorXd ProofSearch::polish(const Eigen::VectorXd& y) const {
  std::vector<Eigen::Index> used;
  for (Eigen::Index k = 0; k < y.size(); ++k)
    if (std::fabs(y[k]) > kNoWeight * y.cwiseAbs().maxCoeff()) used.push_back(k);
  const Eigen::MatrixXd N = find_null_space(to_g_(Eigen::all, used));
  Eigen::VectorXd polished = Eigen::VectorXd::Zero(y.size());
  const Eigen::VectorXd part = y(used);
  polished(used) = N * (N.transpose() * part);
  return polished.cwiseAbs().maxCoeff() > 0.0 ? polished : y;
}

Eigen::VectorXd ProofSearch::keep_signs(Eigen::VectorXd y) const {
  for (Eigen::Index k = 0; k < y.size(); ++k) {
    const int sign = weights_.sign[static_cast<std::size_t>(k)];
    if (sign * y[k] < 0.0) y[k] = 0.0;
  }
  return y / std::max(y.cwiseAbs().maxCoeff(), 1e-300);
}

Eigen::VectorXd ProofSearch::spread(const Eigen::VectorXd& y) const {
  Eigen::VectorXd all = Eigen::VectorXd::Zero(q_.size());
  for (Eigen::Index k = 0; k < y.size(); ++k) all[weights_.row[static_cast<std::size_t>(k)]] = y[k];
  // with the associated law: moved into K, away from its edge by more than rounding
  if (problem_.associated)
    for (const ConeBlock& block : problem_.blocks) {
      if (block.size == 1) continue;
      project_on_cone(block, all.data() + block.first);
      all.segment(block.first + 1, block.size - 1) *= 1.0 - 1e-14;
    }
  return all;
}

}  // namespace

std::optional<InfeasibilityProof> find_cone_proof(const ConeProblem& problem) {
  if (problem.q.size() == 0 || problem.q.size() > kLargestInfeasible) return std::nullopt;
  return ProofSearch(problem).find();
}

ConeProblem make_dense_cone(const SparseConeProblem& problem) {
  ConeProblem dense;
  const Eigen::VectorXd q = drop_unused_rows(problem.sizes, problem.q);
  int first = 0;
  for (std::size_t i = 0; i < problem.sizes.size(); ++i) {
    dense.blocks.push_back({first, problem.sizes[i], problem.mu[static_cast<Eigen::Index>(i)],
                            problem.bounds.empty() ? RowBounds{} : problem.bounds[i]});
    first += problem.sizes[i];
  }
  dense.q = q;
  dense.W.setZero(first, first);
  for (std::size_t i = 0; i < problem.sizes.size(); ++i)
    for (int k = problem.pattern.begin[i]; k < problem.pattern.begin[i + 1]; ++k) {
      const auto j = static_cast<std::size_t>(problem.pattern.column[static_cast<std::size_t>(k)]);
      for (int a = 0; a < problem.sizes[i]; ++a)
        for (int b = 0; b < problem.sizes[j]; ++b)
          dense.W(dense.blocks[i].first + a, dense.blocks[j].first + b) =
              problem.values[static_cast<std::size_t>(k)](a, b);
    }
  return dense;
}

}  // namespace rigor
