#include "rigor/solvers/problems/lcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/require.hpp"
#include "rigor/solvers/problems/validate.hpp"

namespace rigor {

void LcpProblem::validate() const {
  require(M.rows() == M.cols(), "LCP: M is {} x {}, must be square.", M.rows(), M.cols());
  require(q.size() == M.rows(), "LCP: q has {} entries and M has {} rows, must be equal.", q.size(),
          M.rows());
  require_finite(M, "LCP: M");
  require_finite(q, "LCP: q");
}

void SparseLcpProblem::validate() const {
  require(M.rows() == M.cols(), "LCP: M is {} x {}, must be square.", M.rows(), M.cols());
  require(q.size() == M.rows(), "LCP: q has {} entries and M has {} rows, must be equal.", q.size(),
          M.rows());
  require_finite(M, "LCP: M");
  require_finite(q, "LCP: q");
}

double residual_scale(const Eigen::VectorXd& q) {
  const double scale = q.size() == 0 ? 0.0 : q.cwiseAbs().maxCoeff();
  return scale > 0.0 ? scale : 1.0;
}

double natural_residual(const Eigen::VectorXd& z, const Eigen::VectorXd& w, double q_scale) {
  double worst = 0.0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const double gap = std::fabs(std::min(z[i], w[i]));
    if (!(gap <= worst)) worst = gap;  // also takes a NaN
    if (!std::isfinite(z[i]) || !std::isfinite(w[i])) return std::numeric_limits<double>::infinity();
  }
  return worst / q_scale;
}

double natural_residual(const LcpProblem& problem, const Eigen::VectorXd& z) {
  if (z.size() != problem.q.size()) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd w = problem.M * z + problem.q;
  return natural_residual(z, w, residual_scale(problem.q));
}

double natural_residual(const SparseLcpProblem& problem, const Eigen::VectorXd& z) {
  if (z.size() != problem.q.size()) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd w = problem.M * z + problem.q;
  return natural_residual(z, w, residual_scale(problem.q));
}

}  // namespace rigor
