#include "rigor/solvers/problems/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rigor/base/index.hpp"
#include "rigor/math/exact_sum.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/math/portable.hpp"

namespace rigor {
namespace {

// how many times the problem's own scale a bound must exceed to count as an answer
constexpr double kBoundFactor = 1e8;

double top_of(const Eigen::VectorXd& values) {
  double top = 0.0;
  for (Eigen::Index i = 0; i < values.size(); ++i) top = std::max(top, std::fabs(values[i]));
  return top;
}

double divisor(const Eigen::VectorXd& q) {
  const double top = top_of(q);
  return top > 0.0 ? top : 1.0;
}

// calls visit(i, j, value) for every stored entry
template <class Visit>
void for_each_entry(const Eigen::MatrixXd& matrix, Visit visit) {
  for (Eigen::Index j = 0; j < matrix.cols(); ++j)
    for (Eigen::Index i = 0; i < matrix.rows(); ++i) visit(i, j, matrix(i, j));
}

template <class Visit>
void for_each_entry(const SparseMatrix& matrix, Visit visit) {
  for (Eigen::Index j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(matrix, j); it; ++it) visit(it.row(), it.col(), it.value());
}

// three rows and columns per contact
template <class Visit>
void for_each_entry(const SparseConeProblem& problem, Visit visit) {
  for (Eigen::Index i = 0; i < problem.contacts(); ++i)
    for (int k = problem.pattern.begin[at(i)]; k < problem.pattern.begin[at(i) + 1]; ++k)
      for (int column = 0; column < 3; ++column)
        for (int row = 0; row < 3; ++row)
          visit(3 * i + row, 3 * Eigen::Index{problem.pattern.column[at(k)]} + column,
                problem.values[at(k)](row, column));
}

// M z + q: exact sums, each rounded once
template <class Matrix>
std::vector<double> exact_image(const Matrix& matrix, const Eigen::VectorXd& z, const Eigen::VectorXd& q) {
  std::vector<ExactSum> sums(static_cast<std::size_t>(q.size()));
  for (Eigen::Index i = 0; i < q.size(); ++i) sums[static_cast<std::size_t>(i)].add(q[i]);
  for_each_entry(matrix, [&](Eigen::Index i, Eigen::Index j, double value) {
    sums[static_cast<std::size_t>(i)].add_product(value, z[j]);
  });
  std::vector<double> image;
  for (const ExactSum& sum : sums) image.push_back(sum.lower());
  return image;
}

template <class Matrix>
double check_mixed(const Matrix& matrix, const Eigen::VectorXd& q, Eigen::Index free_count,
                   const Eigen::VectorXd& x) {
  if (x.size() != q.size() || !x.allFinite()) return kInfinity;
  const std::vector<double> w = exact_image(matrix, x, q);
  double worst = 0.0;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    const double w_i = w[static_cast<std::size_t>(i)];
    worst = std::max(worst, i < free_count ? std::fabs(w_i) : std::fabs(std::min(x[i], w_i)));
  }
  return worst / divisor(q);
}

template <class Matrix>
ProofCheck check_proof(const Matrix& matrix, const Eigen::VectorXd& q, Eigen::Index free_count,
                       const Eigen::VectorXd& y) {
  ProofCheck check;
  if (y.size() != q.size() || !y.allFinite()) return check;
  ExactSum q_y;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    if (i >= free_count && y[i] < 0.0) return check;
    q_y.add_product(q[i], y[i]);
  }
  if (q_y.sign() >= 0) return check;

  // largest element of (Mᵀy)₊, of |Kᵀy| at free variables, rounded up
  std::vector<ExactSum> sums(static_cast<std::size_t>(q.size()));
  double top_entry = 0.0;
  for_each_entry(matrix, [&](Eigen::Index i, Eigen::Index j, double value) {
    top_entry = std::max(top_entry, std::fabs(value));
    sums[static_cast<std::size_t>(j)].add_product(value, y[i]);
  });
  double slope = 0.0;
  for (Eigen::Index j = 0; j < q.size(); ++j) {
    const ExactSum& sum = sums[static_cast<std::size_t>(j)];
    if (sum.sign() > 0) slope = std::max(slope, sum.upper());
    if (sum.sign() < 0 && j < free_count) slope = std::max(slope, -sum.lower());
  }

  check.scale = top_entry > 0.0 ? top_of(q) / top_entry : 0.0;
  check.exact = slope == 0.0;
  check.bound = check.exact ? kInfinity : std::max(0.0, std::nextafter(-q_y.upper() / slope, 0.0));
  check.holds = check.exact || check.bound >= kBoundFactor * check.scale;
  return check;
}

double up(double value) {
  return std::nextafter(value, kInfinity);
}

// Has y the signs that make yᵀu ≥ 0 for every velocity that a solution may have?
bool has_signs(const ConeBlock& block, bool associated, const double* y) {
  if (block.size == 1) {
    if (y[0] > 0.0) return !block.bounds.has_upper();
    return y[0] == 0.0 || !block.bounds.has_lower();
  }
  ExactSum rest;  // (mu y_N)² − ‖y_T‖², the square rounded down
  const double edge = std::nextafter(block.mu * y[0], 0.0);
  rest.add_product(edge, edge);
  double largest_tangent = 0.0;
  for (int k = 1; k < block.size; ++k) {
    rest.add_product(-y[k], y[k]);
    largest_tangent = std::max(largest_tangent, std::fabs(y[k]));
  }
  return y[0] >= 0.0 && (largest_tangent == 0.0 || (associated && rest.sign() >= 0));
}

// r g of a row is at most constant + slope |r| for every r within its bounds.
void bound_row(const RowBounds& bounds, const ExactSum& g, double& constant, double& slope) {
  if (g.sign() > 0) {
    if (bounds.has_upper())
      constant = up(bounds.upper * (bounds.upper > 0.0 ? g.upper() : g.lower()));
    else
      slope = g.upper();
  } else if (g.sign() < 0) {
    if (bounds.has_lower())
      constant = up(bounds.lower * (bounds.lower > 0.0 ? g.upper() : g.lower()));
    else
      slope = -g.lower();
  }
}

// g_N + mu ‖g_T‖, rounded up; zero where every g is.
double bound_contact(const ConeBlock& block, const ExactSum* g) {
  double tangent = 0.0;
  for (int k = 1; k < block.size; ++k)
    if (g[k].sign() != 0) tangent = up(up(portable::hypot(tangent, std::max(g[k].upper(), -g[k].lower()))));
  if (tangent == 0.0 || block.mu == 0.0) return g[0].sign() > 0 ? g[0].upper() : 0.0;
  return std::max(0.0, up(g[0].upper() + up(block.mu * tangent)));
}

double length(double x, double y, double z = 0.0) {
  return std::sqrt(x * x + y * y + z * z);
}

// A contact: y = r − û, and which part of the cone is nearest to it.
double distance_from_law(double mu, const std::array<double, 3>& r, const std::array<double, 3>& u_hat) {
  const double y_T[2] = {r[1] - u_hat[1], r[2] - u_hat[2]}, y_N = r[0] - u_hat[0];
  const double slope = length(y_T[0], y_T[1]);
  // y lies in K and is its own nearest point: r − y = û, said without the difference, which loses digits
  if (y_N >= 0.0 && slope <= mu * y_N) return length(u_hat[0], u_hat[1], u_hat[2]);
  // the tip is nearest
  if (mu * slope <= -y_N) return length(r[0], r[1], r[2]);
  // a point of the mantle is
  const double along = (y_N + mu * slope) / (1.0 + mu * mu);
  const double radius = mu * along / slope;
  return length(r[0] - along, r[1] - radius * y_T[0], r[2] - radius * y_T[1]);
}

// In doubles û disappears beside an r that is large enough, and with it the distance. That of t r, t < 1, is a lower
// bound of it (Gafni and Bertsekas 1984, Lemma 1), near to it (one in kMuch) while ‖t r‖ is much larger than ‖û‖.
double check_contact(const BlockLaw& law, const double* r, const double* u) {
  constexpr double kSwallows = 1e9, kMuch = 1e3;
  const bool is_spatial = law.size > 2;
  std::array<double, 3> load{r[0], r[1], is_spatial ? r[2] : 0.0}, u_hat{u[0], u[1], is_spatial ? u[2] : 0.0};
  if (!law.associated) u_hat[0] += law.mu * length(u_hat[1], u_hat[2]);
  const double distance = distance_from_law(law.mu, load, u_hat);
  const double size = length(load[0], load[1], load[2]), speed = length(u_hat[0], u_hat[1], u_hat[2]);
  if (!(size > kSwallows * speed) || speed == 0.0) return distance;
  for (double& x : load) x *= kMuch * speed / size;
  return std::max(distance, distance_from_law(law.mu, load, u_hat));
}

// Collects the parts of a cone problem's blocks.
class BlockTally {
 public:
  template <class Matrix>
  BlockTally(const Matrix& W, const Eigen::VectorXd& q, const Eigen::VectorXd& r)
      : r_(r), u_(exact_image(W, r, q)), scale_(q.cwiseAbs()), q_norm_(q.norm()), r_size_(top_of(r)) {
    for_each_entry(
        W, [&](Eigen::Index i, Eigen::Index j, double value) { scale_[i] += std::fabs(value * r[j]); });
    const auto n = static_cast<double>(q.size());
    noise_ = 8.0 * (n + 2.0) * std::numeric_limits<double>::epsilon() * std::max(q_norm_, top_of(scale_));
  }

  void add(const ConeBlock& block, bool associated) {
    const BlockLaw law{block.size, block.mu, associated, block.bounds};
    const double* const r = r_.data() + block.first;
    const double own = check_law(law, r, u_.data() + block.first);
    squares_ += own * own;
    if (own <= noise_) return;
    const bool is_by_r = block.size > 1 ? own == length(r[0], r[1], block.size > 2 ? r[2] : 0.0)
                                        : own != std::fabs(u_[static_cast<std::size_t>(block.first)]);
    double scale = is_by_r ? r_size_ : 0.0;
    for (int k = 0; k < block.size; ++k) scale = std::max(scale, scale_[block.first + k]);
    const double ratio = own / scale;
    if (!(ratio <= worst_)) worst_ = ratio;
  }

  [[nodiscard]] ConeCheck finish() const {
    const double floor = 1e-3 * std::numeric_limits<double>::epsilon() * r_.norm();
    const double residual = std::max(std::sqrt(squares_), floor) / (q_norm_ > 0.0 ? q_norm_ : 1.0);
    if (!std::isfinite(squares_) || !std::isfinite(residual)) return {kInfinity, kInfinity};
    return {residual, std::isfinite(worst_) ? worst_ : kInfinity};
  }

 private:
  const Eigen::VectorXd& r_;
  std::vector<double> u_;
  Eigen::VectorXd scale_;
  double q_norm_, r_size_;
  double noise_{0.0}, squares_{0.0}, worst_{0.0};
};

}  // namespace

ConeCheck check_cone(const ConeProblem& problem, const Eigen::VectorXd& r) {
  if (r.size() != problem.q.size() || !r.allFinite()) return {kInfinity, kInfinity};
  BlockTally tally(problem.W, problem.q, r);
  for (const ConeBlock& block : problem.blocks) tally.add(block, problem.associated);
  return tally.finish();
}

ConeCheck check_cone(const SparseConeProblem& problem, const Eigen::VectorXd& r) {
  if (r.size() != problem.q.size() || !r.allFinite()) return {kInfinity, kInfinity};
  BlockTally tally(problem, problem.q, r);
  for (int i = 0; i < problem.contacts(); ++i) {
    ConeBlock block = problem.block(i);
    block.first = 3 * i;
    tally.add(block, false);
  }
  return tally.finish();
}

double check_law(const BlockLaw& law, const double* r, const double* u) {
  if (law.size > 1) return check_contact(law, r, u);
  const double y = r[0] - u[0];
  if (y < law.bounds.lower) return std::fabs(r[0] - law.bounds.lower);
  if (y > law.bounds.upper) return std::fabs(r[0] - law.bounds.upper);
  return std::fabs(u[0]);
}

double check_solution(const ConeProblem& problem, const Eigen::VectorXd& r) {
  if (r.size() != problem.q.size() || !r.allFinite()) return kInfinity;
  const std::vector<double> u = exact_image(problem.W, r, problem.q);
  double squares = 0.0;
  for (const ConeBlock& block : problem.blocks) {
    const BlockLaw law{block.size, block.mu, problem.associated, block.bounds};
    const double own = check_law(law, r.data() + block.first, u.data() + block.first);
    squares += own * own;
  }
  return std::isfinite(squares) ? std::sqrt(squares) : kInfinity;
}

double check_solution(const LcpProblem& problem, const Eigen::VectorXd& z) {
  return check_mixed(problem.M, problem.q, 0, z);
}

double check_solution(const MlcpProblem& problem, const Eigen::VectorXd& x) {
  return check_mixed(problem.K, problem.q, problem.free_count, x);
}

double check_solution(const BoxedLcpProblem& problem, const Eigen::VectorXd& z) {
  if (z.size() != problem.q.size() || !z.allFinite()) return kInfinity;
  const std::vector<double> w = exact_image(problem.M, z, problem.q);
  double worst = 0.0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const int k = problem.scaled_by.empty() ? -1 : problem.scaled_by[static_cast<std::size_t>(i)];
    const double factor = k < 0 ? 1.0 : std::max(0.0, z[k]);
    const double target = std::min(std::max(z[i] - w[static_cast<std::size_t>(i)], factor * problem.lo[i]),
                                   factor * problem.hi[i]);
    worst = std::max(worst, std::fabs(z[i] - target));
  }
  return worst / divisor(problem.q);
}

ProofCheck check_infeasible(const LcpProblem& problem, const Eigen::VectorXd& y) {
  return check_proof(problem.M, problem.q, 0, y);
}

ProofCheck check_infeasible(const MlcpProblem& problem, const Eigen::VectorXd& y) {
  return check_proof(problem.K, problem.q, problem.free_count, y);
}

ProofCheck check_infeasible(const ConeProblem& problem, const Eigen::VectorXd& y) {
  ProofCheck check;
  if (y.size() != problem.q.size() || !y.allFinite()) return check;
  ExactSum total;  // qᵀy and what rows with bounds can add
  for (Eigen::Index i = 0; i < y.size(); ++i) total.add_product(problem.q[i], y[i]);
  std::vector<ExactSum> g(static_cast<std::size_t>(y.size()));
  double top_entry = 0.0, slope = 0.0;
  for_each_entry(problem.W, [&](Eigen::Index i, Eigen::Index j, double value) {
    top_entry = std::max(top_entry, std::fabs(value));
    g[static_cast<std::size_t>(j)].add_product(value, y[i]);
  });
  for (const ConeBlock& block : problem.blocks) {
    if (!has_signs(block, problem.associated, y.data() + block.first)) return check;
    const ExactSum* const own = g.data() + block.first;
    double constant = 0.0, steepness = 0.0;
    if (block.size == 1)
      bound_row(block.bounds, *own, constant, steepness);
    else
      steepness = bound_contact(block, own);
    total.add(constant);
    slope = std::max(slope, steepness);
  }
  if (total.sign() >= 0) return check;
  check.scale = top_entry > 0.0 ? top_of(problem.q) / top_entry : 0.0;
  check.exact = slope == 0.0;
  check.bound = check.exact ? kInfinity : std::max(0.0, std::nextafter(-total.upper() / slope, 0.0));
  check.holds = check.exact || check.bound >= kBoundFactor * check.scale;
  return check;
}

}  // namespace rigor
