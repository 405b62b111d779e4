#include "rigor/solvers/problems/contact_lcp.hpp"

#include <Eigen/SparseCholesky>
#include <cmath>
#include <vector>

#include "rigor/solvers/problems/validate.hpp"

namespace rigor {
namespace {

using Triplet = Eigen::Triplet<double>;

// all rows that impulses act along: N above D
SparseMatrix stack_rows(const ContactLcpProblem& problem) {
  std::vector<Triplet> entries;
  const auto nc = static_cast<int>(problem.contacts());
  for (int j = 0; j < problem.dof(); ++j) {
    for (SparseMatrix::InnerIterator it(problem.N, j); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), j, it.value());
    if (problem.directions == 0) continue;
    for (SparseMatrix::InnerIterator it(problem.D, j); it; ++it)
      entries.emplace_back(nc + static_cast<int>(it.row()), j, it.value());
  }
  SparseMatrix J(problem.contacts() * (1 + problem.directions), problem.dof());
  J.setFromTriplets(entries.begin(), entries.end());
  return J;
}

// calls visit(row, column, value) for the coupling of β, λ and c, in the order of z
template <class Visit>
void for_each_coupling(const ContactLcpProblem& problem, Visit visit) {
  const auto nc = static_cast<int>(problem.contacts());
  const int nd = problem.directions;
  if (nd == 0) return;
  for (int k = 0; k < nc; ++k) {
    const int lambda = nc * (1 + nd) + k;
    visit(lambda, k, problem.mu[k]);
    for (int d = 0; d < nd; ++d) {
      const int beta = nc + k * nd + d;
      visit(beta, lambda, 1.0);
      visit(lambda, beta, -1.0);
    }
  }
}

}  // namespace

void ContactLcpProblem::validate() const {
  const Eigen::Index nc = contacts(), n = dof();
  require(mass.cols() == n, "contact LCP: mass is {} x {}, must be square.", n, mass.cols());
  require(N.cols() == n, "contact LCP: N has {} columns, must have {} (dof).", N.cols(), n);
  require(directions >= 0 && directions % 2 == 0, "contact LCP: directions = {}, must be even and ≥ 0.",
          directions);
  require(directions == 0 || (D.rows() == nc * directions && D.cols() == n),
          "contact LCP: D is {} x {}, must be {} x {} (contacts · directions, dof).", D.rows(), D.cols(),
          nc * directions, n);
  require(b.size() == nc && v_free.size() == n,
          "contact LCP: b has {} and v_free {} entries, must have {} and {}.", b.size(), v_free.size(), nc,
          n);
  require(directions == 0 || mu.size() == nc, "contact LCP: mu has {} entries, must have {}.", mu.size(), nc);
  for (Eigen::Index k = 0; k < nc && directions > 0; ++k)
    require(std::isfinite(mu[k]) && mu[k] >= 0.0, "contact LCP: mu[{}] = {}, must be finite and ≥ 0.", k,
            mu[k]);
  require_finite(mass, "contact LCP: mass");
  require_finite(N, "contact LCP: N");
  require_finite(D, "contact LCP: D");
  require_finite(b, "contact LCP: b");
  require_finite(v_free, "contact LCP: v_free");
  const SparseMatrix transposed = mass.transpose();
  require((mass - transposed).norm() <= 1e-12 * mass.norm(), "contact LCP: mass must be symmetric.");
  const Eigen::SimplicialLLT<SparseMatrix> factor(mass);
  require(n == 0 || factor.info() == Eigen::Success,
          "contact LCP: mass has no Cholesky factor, must be positive definite.");
}

MlcpProblem make_mlcp(const ContactLcpProblem& problem) {
  const auto f = static_cast<int>(problem.dof());
  const Eigen::Index size = f + problem.size();
  std::vector<Triplet> entries;
  for (int j = 0; j < f; ++j)
    for (SparseMatrix::InnerIterator it(problem.mass, j); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), j, it.value());
  const SparseMatrix J = stack_rows(problem);
  for (int j = 0; j < f; ++j)
    for (SparseMatrix::InnerIterator it(J, j); it; ++it) {
      entries.emplace_back(f + static_cast<int>(it.row()), j, it.value());
      entries.emplace_back(j, f + static_cast<int>(it.row()), -it.value());
    }
  for_each_coupling(
      problem, [&](int row, int column, double value) { entries.emplace_back(f + row, f + column, value); });
  MlcpProblem mixed;
  mixed.free_count = f;
  mixed.K.resize(size, size);
  mixed.K.setFromTriplets(entries.begin(), entries.end());
  mixed.q = Eigen::VectorXd::Zero(size);
  mixed.q.head(f) = -(problem.mass * problem.v_free);
  mixed.q.segment(f, problem.contacts()) = problem.b;
  return mixed;
}

LcpProblem make_lcp(const ContactLcpProblem& problem) {
  const SparseMatrix J = stack_rows(problem);
  const Eigen::SimplicialLDLT<SparseMatrix> factor(problem.mass);
  require(factor.info() == Eigen::Success,
          "contact LCP: mass has no Cholesky factor, must be positive definite.");
  const SparseMatrix Jt = J.transpose();
  const SparseMatrix inverse_Jt = factor.solve(Jt);
  LcpProblem lcp;
  lcp.M = Eigen::MatrixXd::Zero(problem.size(), problem.size());
  lcp.M.topLeftCorner(J.rows(), J.rows()) = Eigen::MatrixXd(SparseMatrix(J * inverse_Jt));
  for_each_coupling(problem, [&](int row, int column, double value) { lcp.M(row, column) += value; });
  lcp.q = Eigen::VectorXd::Zero(problem.size());
  lcp.q.head(J.rows()) = J * problem.v_free;
  lcp.q.head(problem.contacts()) += problem.b;
  return lcp;
}

Eigen::VectorXd compute_velocity(const ContactLcpProblem& problem, const Eigen::VectorXd& z) {
  const SparseMatrix J = stack_rows(problem);
  const Eigen::SimplicialLDLT<SparseMatrix> factor(problem.mass);
  return problem.v_free + factor.solve(Eigen::VectorXd(J.transpose() * z.head(J.rows())));
}

}  // namespace rigor
