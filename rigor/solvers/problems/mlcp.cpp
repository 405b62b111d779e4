#include "rigor/solvers/problems/mlcp.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/solvers/problems/validate.hpp"

namespace rigor {

void MlcpProblem::validate() const {
  require(K.rows() == K.cols(), "MLCP: K is {} x {}, must be square.", K.rows(), K.cols());
  require(q.size() == K.rows(), "MLCP: q has {} entries and K has {} rows, must be equal.", q.size(),
          K.rows());
  require(free_count >= 0 && free_count <= q.size(), "MLCP: free_count = {}, must lie in [0, {}].",
          free_count, q.size());
  require_finite(K, "MLCP: K");
  require_finite(q, "MLCP: q");
}

double natural_residual(const MlcpProblem& problem, const Eigen::VectorXd& x) {
  if (x.size() != problem.q.size() || !x.allFinite()) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd w = problem.K * x + problem.q;
  double worst = 0.0;
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double gap = i < problem.free_count ? std::fabs(w[i]) : std::fabs(std::min(x[i], w[i]));
    if (!(gap <= worst)) worst = gap;
  }
  return std::isfinite(worst) ? worst / residual_scale(problem.q) : std::numeric_limits<double>::infinity();
}

Eigen::VectorXd SchurComplement::to_mixed(const Eigen::VectorXd& z) const {
  Eigen::VectorXd x(free_constant.size() + z.size());
  x.head(free_constant.size()) = free_constant;
  if (z.size() > 0) x.head(free_constant.size()) += to_free * z;
  x.tail(z.size()) = z;
  return x;
}

SchurComplement make_schur_complement(const MlcpProblem& problem) {
  const Eigen::Index f = problem.free_count, m = problem.q.size() - f;
  const Eigen::MatrixXd K(problem.K);
  SchurComplement schur;
  if (f == 0) {
    schur.lcp = {K, problem.q};
    schur.to_free.resize(0, m);
    return schur;
  }
  const Eigen::FullPivLU<Eigen::MatrixXd> rank_test(K.topLeftCorner(f, f));
  schur.rcond = rank_test.isInvertible() ? rank_test.rcond() : 0.0;
  if (schur.rcond == 0.0) return schur;
  const Eigen::PartialPivLU<Eigen::MatrixXd> lu(K.topLeftCorner(f, f));
  schur.free_constant = -lu.solve(problem.q.head(f));
  schur.to_free.resize(f, m);
  if (m == 0) return schur;  // equations alone
  schur.to_free = -lu.solve(K.topRightCorner(f, m));
  schur.lcp.M = K.bottomRightCorner(m, m) + K.bottomLeftCorner(m, f) * schur.to_free;
  schur.lcp.q = problem.q.tail(m) + K.bottomLeftCorner(m, f) * schur.free_constant;
  return schur;
}

MlcpProblem to_mlcp(const LcpProblem& problem) {
  MlcpProblem mixed;
  mixed.K = problem.M.sparseView();
  mixed.q = problem.q;
  return mixed;
}

}  // namespace rigor
