#include "rigor/analysis/sliding.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <complex>

#include "rigor/base/interruption.hpp"
#include "rigor/math/limits.hpp"

namespace rigor {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

// The least mu > 0 at which a principal minor of P + mu N vanishes, P positive definite: det(1 + mu P⁻¹N) = 0
// where −1/mu is a real eigenvalue of P⁻¹N. Pairs that are nearly real count as roots: the bound stays below.
double find_least_root(const Matrix& P, const Matrix& N) {
  const auto m = static_cast<int>(P.rows());
  double least = kInfinity;
  for (int set = 1; set < (1 << m); ++set) {
    check_interruption();
    std::vector<Eigen::Index> index;
    for (int i = 0; i < m; ++i)
      if (set >> i & 1) index.push_back(i);
    const Matrix own = P(index, index), change = N(index, index);
    const Matrix B = Eigen::LDLT<Matrix>(own).solve(change);
    if (!B.allFinite()) return 0.0;
    const double size = B.norm();
    const Eigen::VectorXcd values = Eigen::EigenSolver<Matrix>(B, false).eigenvalues();
    for (const std::complex<double>& value : values)
      if (value.real() < -1e-12 * size && std::abs(value.imag()) <= 1e-7 * std::abs(value))
        least = std::min(least, -1.0 / value.real());
  }
  return least;
}

bool is_definite(const Matrix& A) {
  const Matrix S = 0.5 * (A + A.transpose());
  const Vector values = Eigen::SelfAdjointEigenSolver<Matrix>(S, Eigen::EigenvaluesOnly).eigenvalues();
  return values[0] > 1e-12 * std::abs(values[values.size() - 1]);
}

// The largest mu up to which `holds`; infinite where it holds at 1e6 still, 0 where it does not at 0.
template <class Holds>
double find_end(Holds holds) {
  if (!holds(0.0)) return 0.0;
  double low = 0.0, high = 1e-3;
  while (high < 1e6 && holds(high)) {
    low = high;
    high *= 1.5;
  }
  if (high >= 1e6) return kInfinity;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace

SlidingReport analyse_sliding(const AccelerationProblem& problem) {
  SlidingReport report;
  report.critical_mu.assign(problem.contacts.size(), kInfinity);
  const bool slides = std::any_of(
      problem.contacts.begin(), problem.contacts.end(),
      [](const AccelerationContact& contact) { return contact.slides() && contact.is_unilateral(); });
  if (!slides) return report;
  const NormalLcp normal_lcp = make_normal_lcp(problem);
  if (!normal_lcp.exists) return report;
  report.exists = true;
  report.A = normal_lcp.lcp.M;

  // A at mu = 0 and per unit of sliding friction: the LCP is linear in mu
  AccelerationProblem smooth = problem, rough = problem;
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    if (!problem.contacts[i].slides() || !problem.contacts[i].is_unilateral()) continue;
    smooth.contacts[i].mu = 0.0;
    rough.contacts[i].mu = 1.0;
  }
  const Matrix P = make_normal_lcp(smooth).lcp.M;
  const Matrix N = make_normal_lcp(rough).lcp.M - P;
  for (std::size_t k = 0; k < normal_lcp.contacts.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    const auto i = static_cast<std::size_t>(normal_lcp.contacts[k]);
    if (problem.contacts[i].slides() && N(at, at) < 0.0) report.critical_mu[i] = -P(at, at) / N(at, at);
  }
  const Vector values =
      Eigen::SelfAdjointEigenSolver<Matrix>(0.5 * (P + P.transpose()), Eigen::EigenvaluesOnly).eigenvalues();
  const double norm = Eigen::JacobiSVD<Matrix>(N).singularValues()[0];
  const double least = is_definite(P) ? std::max(0.0, values[0]) : 0.0;
  report.corollary_common = norm > 0.0 ? least / norm : least > 0.0 ? kInfinity : 0.0;
  report.definite_common = find_end([&](double mu) { return is_definite(P + mu * N); });
  report.least_inertia = least;
  report.friction_norm = Eigen::JacobiSVD<Matrix>(report.A - P).singularValues()[0];
  report.critical_common = std::nan("");
  if (P.rows() > NormalLcp::kMaxListed) return report;
  report.critical_common = is_definite(P) ? find_least_root(P, N) : 0.0;
  return report;
}

}  // namespace rigor
