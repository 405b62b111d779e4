#include "rigor/solvers/problems/answer_check.hpp"

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/index.hpp"
#include "rigor/math/compensated.hpp"
#include "rigor/math/exact_sum.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/math/magnitude.hpp"

namespace rigor {
namespace {

constexpr double kUnit = std::numeric_limits<double>::epsilon();
constexpr double kRecheck =
    0.01;  // of what the tolerance allows: more rounding than this is not left in a sum
constexpr double kSafeTerm = 1e280;  // above, sums with twice the digits could overflow on the way

// How far one row is from its law, and whether z is what is wrong with it, not w.
struct RowGap {
  double gap{0.0};
  bool is_by_z{false};
};

RowGap pair_gap(double z, double w) {
  return w < z ? RowGap{std::fabs(w), false} : RowGap{std::fabs(z), true};
}

// Collects the gaps of all rows.
class GapTally {
 public:
  GapTally(const LcpResult& result, double q_scale)
      : result_(result),
        q_scale_(q_scale),
        z_size_(largest(result.z)),
        unit_((4.0 * n() + 8.0) * kUnit),
        noise_(2.0 * unit_ * std::max(q_scale, largest(result.scale))) {}

  void add(Eigen::Index i, const RowGap& row) {
    if (!(row.gap <= worst_)) worst_ = row.gap;  // also takes a NaN
    const double scale = row.is_by_z ? std::max(result_.scale[i], z_size_) : result_.scale[i];
    is_rounding_ = is_rounding_ && row.gap <= unit_ * scale;
    if (row.gap <= noise_) return;
    const double ratio = row.gap / scale;
    if (!(ratio <= row_residual_)) row_residual_ = ratio;
  }

  [[nodiscard]] double residual() const { return std::isfinite(worst_) ? worst_ / q_scale_ : kInfinity; }
  [[nodiscard]] double row_residual() const {
    return std::isfinite(row_residual_) ? row_residual_ : kInfinity;
  }
  [[nodiscard]] bool is_rounding() const { return is_rounding_; }

 private:
  [[nodiscard]] double n() const { return static_cast<double>(result_.z.size()); }

  const LcpResult& result_;
  double q_scale_, z_size_, unit_, noise_;
  double worst_{0.0}, row_residual_{0.0};
  bool is_rounding_{true};
};

void set_status(const GapTally& tally, double tolerance, LcpResult& result) {
  result.residual = tally.residual();
  result.row_residual = tally.row_residual();
  if (result.residual <= tolerance && result.row_residual <= row_tolerance(tolerance)) {
    if (result.status != Status::kSolved) result.note.clear();
    result.status = Status::kSolved;
    result.ray.resize(0);
    result.proof.reset();
    return;
  }
  if (has_proof(result.status)) return;
  if (tally.is_rounding() && std::isfinite(result.residual)) {
    result.status = Status::kRounding;
    result.note = fmt::format(
        "residual {:.2g}: the exact answer of a problem that differs in its last digits", result.residual);
  } else if (result.status == Status::kSolved) {
    result.status = Status::kNumericalTrouble;
    result.note =
        result.residual <= tolerance
            ? fmt::format(
                  "{} claims a solution, but beside the numbers of its own row the residual is {:.2g}",
                  result.solver, result.row_residual)
            : fmt::format("{} claims a solution, its residual is {:.2g}", result.solver, result.residual);
  }
}

// A method that failed before it had any z
void mend_size(Eigen::Index size, LcpResult& result) {
  if (result.z.size() == size) return;
  result.z.setZero(size);
  if (result.status == Status::kSolved) result.status = Status::kNumericalTrouble;
}

// Whether a sum whose terms have this size may be off by more than it should
bool needs_digits(double relative_error, double scale, double enough) {
  return !(relative_error * scale <= enough);
}

// q_i + Σ M_ij z_j by `Sum`
template <class Sum>
Sum sum_row(const LcpProblem& problem, Eigen::Index i, const Eigen::VectorXd& z) {
  Sum sum;
  sum.add(problem.q[i]);
  for (Eigen::Index j = 0; j < z.size(); ++j)
    if (z[j] != 0.0) sum.add_product(problem.M(i, j), z[j]);
  return sum;
}

// w of the rows for which doubles are not enough
void sharpen_rows(const LcpProblem& problem, double tolerance, double q_scale, LcpResult& result) {
  const auto n = static_cast<double>(result.z.size());
  const double enough = kRecheck * tolerance * q_scale;
  for (Eigen::Index i = 0; i < result.z.size(); ++i) {
    const double scale = result.scale[i], error = (n + 2.0) * kUnit * scale;
    // whatever its last digits are, w_i > 0 = z_i
    const bool is_clear = result.z[i] == 0.0 && result.w[i] > error;
    if (is_clear || !needs_digits((n + 2.0) * kUnit, scale, enough)) continue;
    if (scale < kSafeTerm && !needs_digits((n + 2.0) * (n + 2.0) * kUnit * kUnit, scale, enough))
      result.w[i] = sum_row<CompensatedSum>(problem, i, result.z).value();
    else
      result.w[i] = sum_row<ExactSum>(problem, i, result.z).lower();
  }
}

// w and the scales of a sparse or a dense matrix, entry by entry
template <class Visit>
void for_all(const Eigen::MatrixXd& M, Visit visit) {
  for (Eigen::Index j = 0; j < M.cols(); ++j)
    for (Eigen::Index i = 0; i < M.rows(); ++i) visit(i, j, M(i, j));
}

template <class Visit>
void for_all(const SparseMatrix& M, Visit visit) {
  for (Eigen::Index j = 0; j < M.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(M, j); it; ++it) visit(it.row(), it.col(), it.value());
}

template <class Matrix>
void fill_image(const Matrix& M, const Eigen::VectorXd& q, double tolerance, LcpResult& result) {
  const Eigen::VectorXd& z = result.z;
  result.w = q;
  result.scale = q.cwiseAbs();
  for_all(M, [&](Eigen::Index i, Eigen::Index j, double value) {
    const double term = value * z[j];
    result.w[i] += term;
    result.scale[i] += std::fabs(term);
  });
  const auto n = static_cast<double>(z.size());
  if (!needs_digits((n + 2.0) * kUnit, largest(result.scale), kRecheck * tolerance * residual_scale(q)))
    return;
  std::vector<ExactSum> sums(at(q.size()));
  for (Eigen::Index i = 0; i < q.size(); ++i) sums[at(i)].add(q[i]);
  for_all(M, [&](Eigen::Index i, Eigen::Index j, double value) { sums[at(i)].add_product(value, z[j]); });
  for (Eigen::Index i = 0; i < q.size(); ++i) result.w[i] = sums[at(i)].lower();
}

// Numbers that are none have no sums.
bool refuse_not_finite(LcpResult& result) {
  if (result.z.allFinite()) return false;
  result.residual = result.row_residual = kInfinity;
  if (result.status == Status::kSolved) {
    result.status = Status::kNumericalTrouble;
    result.note = fmt::format("{} claims a solution with numbers that are not finite", result.solver);
  }
  return true;
}

// The velocity that belongs to the impulses of a contact LCP, to twice the digits: high + low.
class SharpVelocity {
 public:
  SharpVelocity(const ContactLcpProblem& problem, const Eigen::VectorXd& z)
      : problem_(problem), factor_(problem.mass), momentum_(find_momentum(problem, z)) {
    constexpr int kRefinements = 3;
    high_ = low_ = problem.v_free;
    for (int k = 0; k <= kRefinements && is_finite(); ++k) {
      if (k > 0) {
        before_ = high_;
        high_ += low_;
        if (high_ == before_) break;  // the next defect, and low, would be the same
      }
      if (high_.allFinite()) low_ = factor_.solve(find_defect());
    }
  }

  [[nodiscard]] bool is_finite() const { return high_.allFinite() && low_.allFinite(); }

  /// Adds high + low, times `factor`, to a sum.
  void add_to(ExactSum& sum, Eigen::Index j, double factor) const {
    sum.add_product(factor, high_[j]);
    sum.add_product(factor, low_[j]);
  }

 private:
  // Nᵀ c + Dᵀ β + mass v_free
  [[nodiscard]] static std::vector<ExactSum> find_momentum(const ContactLcpProblem& problem,
                                                           const Eigen::VectorXd& z) {
    std::vector<ExactSum> sums(at(problem.dof()));
    const auto add = [&](const SparseMatrix& J, Eigen::Index first) {
      for_all(J, [&](Eigen::Index i, Eigen::Index j, double value) {
        sums[at(j)].add_product(value, z[first + i]);
      });
    };
    for_all(problem.mass, [&](Eigen::Index i, Eigen::Index j, double value) {
      sums[at(i)].add_product(value, problem.v_free[j]);
    });
    add(problem.N, 0);
    if (problem.directions > 0) add(problem.D, problem.contacts());
    return sums;
  }

  // Nᵀ c + Dᵀ β − mass (high − v_free), every entry correct to its last bit
  [[nodiscard]] Eigen::VectorXd find_defect() const {
    std::vector<ExactSum> sums = momentum_;
    for_all(problem_.mass,
            [&](Eigen::Index i, Eigen::Index j, double value) { sums[at(i)].add_product(-value, high_[j]); });
    Eigen::VectorXd defect(problem_.dof());
    for (Eigen::Index i = 0; i < defect.size(); ++i) defect[i] = sums[at(i)].lower();
    return defect;
  }

  const ContactLcpProblem& problem_;
  Eigen::SimplicialLDLT<SparseMatrix> factor_;
  std::vector<ExactSum> momentum_;
  Eigen::VectorXd high_, low_, before_;
};

// How large the speeds are that add up to v, at least: those before, and what the impulses on each of them give its mass.
Eigen::VectorXd find_speed_scale(const ContactLcpProblem& problem, const Eigen::VectorXd& z) {
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(problem.dof());
  const auto add = [&](const SparseMatrix& J, Eigen::Index first) {
    for_all(J, [&](Eigen::Index i, Eigen::Index j, double value) {
      impulse[j] += std::fabs(value * z[first + i]);
    });
  };
  add(problem.N, 0);
  if (problem.directions > 0) add(problem.D, problem.contacts());
  return problem.v_free.cwiseAbs() + impulse.cwiseQuotient(problem.mass.diagonal());
}

// w, its scales, and ‖q‖∞ of the plain LCP
double fill_contact_image(const ContactLcpProblem& problem, LcpResult& result) {
  const Eigen::Index nc = problem.contacts(), nd = problem.directions, last = nc * (1 + nd);
  const SharpVelocity v(problem, result.z);
  const Eigen::VectorXd speeds = find_speed_scale(problem, result.z);
  std::vector<ExactSum> sums(at(problem.size()));
  Eigen::VectorXd q = Eigen::VectorXd::Zero(problem.size());
  result.scale.setZero(problem.size());
  if (!v.is_finite()) {  // a mass whose factor overflows: no velocity, no answer
    result.w.setConstant(std::numeric_limits<double>::quiet_NaN());
    return 1.0;
  }
  const auto add = [&](Eigen::Index row, double value) {
    sums[at(row)].add(value);
    result.scale[row] += std::fabs(value);
  };
  const auto add_rows = [&](const SparseMatrix& J, Eigen::Index first) {
    for_all(J, [&](Eigen::Index i, Eigen::Index j, double value) {
      v.add_to(sums[at(first + i)], j, value);
      q[first + i] += value * problem.v_free[j];
      result.scale[first + i] += std::fabs(value) * speeds[j];
    });
  };
  add_rows(problem.N, 0);
  for (Eigen::Index k = 0; k < nc; ++k) {
    add(k, problem.b[k]);
    q[k] += problem.b[k];
  }
  if (nd > 0) add_rows(problem.D, nc);
  for (Eigen::Index k = 0; k < nc && nd > 0; ++k) {
    sums[at(last + k)].add_product(problem.mu[k], result.z[k]);
    result.scale[last + k] += std::fabs(problem.mu[k] * result.z[k]);
    for (Eigen::Index i = nc + k * nd; i < nc + (k + 1) * nd; ++i) {
      add(i, result.z[last + k]);
      add(last + k, -result.z[i]);
    }
  }
  result.w.resize(problem.size());
  for (Eigen::Index i = 0; i < result.w.size(); ++i) result.w[i] = sums[at(i)].lower();
  return residual_scale(q);
}

// w and the scales of a dense LCP, column by column
void fill_dense_image(const LcpProblem& problem, double tolerance, LcpResult& result) {
  for (Eigen::Index j = 0; j < problem.q.size(); ++j) {
    const double z = result.z[j];
    if (z == 0.0) continue;
    result.w += z * problem.M.col(j);
    result.scale += std::fabs(z) * problem.M.col(j).cwiseAbs();
  }
  sharpen_rows(problem, tolerance, residual_scale(problem.q), result);
}

// What every kind of problem has in common: fill() turns q into w and |q| into the scales of the rows and returns ‖q‖∞,
// find_gap(i) says how far row i is from its law.
template <class Fill, class FindGap>
void judge_rows(const Eigen::VectorXd& q, double tolerance, LcpResult& result, Fill fill, FindGap find_gap) {
  mend_size(q.size(), result);
  result.w = q;
  result.scale = q.cwiseAbs();
  if (refuse_not_finite(result)) return;
  GapTally tally(result, fill());
  for (Eigen::Index i = 0; i < q.size(); ++i) tally.add(i, find_gap(i));
  set_status(tally, tolerance, result);
}

}  // namespace

double row_tolerance(double tolerance) {
  return std::min(1e-3, std::sqrt(tolerance));
}

void judge_answer(const LcpProblem& problem, double tolerance, LcpResult& result) {
  const auto fill = [&] {
    fill_dense_image(problem, tolerance, result);
    return residual_scale(problem.q);
  };
  judge_rows(problem.q, tolerance, result, fill,
             [&](Eigen::Index i) { return pair_gap(result.z[i], result.w[i]); });
}

void judge_answer(const MlcpProblem& problem, double tolerance, LcpResult& result) {
  const auto fill = [&] {
    fill_image(problem.K, problem.q, tolerance, result);
    return residual_scale(problem.q);
  };
  judge_rows(problem.q, tolerance, result, fill, [&](Eigen::Index i) {
    return i < problem.free_count ? RowGap{std::fabs(result.w[i]), false}
                                  : pair_gap(result.z[i], result.w[i]);
  });
}

void judge_answer(const BoxedLcpProblem& problem, double tolerance, LcpResult& result) {
  const auto fill = [&] {
    fill_image(problem.M, problem.q, tolerance, result);
    return residual_scale(problem.q);
  };
  judge_rows(problem.q, tolerance, result, fill, [&](Eigen::Index i) {
    const double z = result.z[i], w = result.w[i], lower = problem.lower(i, result.z),
                 upper = problem.upper(i, result.z);
    const double target = z - w;
    return target < lower   ? RowGap{std::fabs(z - lower), true}
           : target > upper ? RowGap{std::fabs(z - upper), true}
                            : RowGap{std::fabs(w), false};
  });
}

void judge_answer(const ContactLcpProblem& problem, double tolerance, LcpResult& result) {
  judge_rows(
      Eigen::VectorXd::Zero(problem.size()), tolerance, result,
      [&] { return fill_contact_image(problem, result); },
      [&](Eigen::Index i) { return pair_gap(result.z[i], result.w[i]); });
}

}  // namespace rigor
