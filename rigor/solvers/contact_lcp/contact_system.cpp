#include "rigor/solvers/contact_lcp/contact_system.hpp"

#include <algorithm>
#include <vector>

#include "rigor/base/require.hpp"

namespace rigor {

ContactSystem::ContactSystem(const ContactLcpProblem& problem) : problem_(&problem) {
  const int nd = problem.directions, rows = 1 + nd;
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < problem.dof(); ++j) {
    for (SparseMatrix::InnerIterator it(problem.N, j); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()) * rows, j, it.value());
    if (nd == 0) continue;
    for (SparseMatrix::InnerIterator it(problem.D, j); it; ++it) {
      const auto row = static_cast<int>(it.row());
      entries.emplace_back(row / nd * rows + 1 + row % nd, j, it.value());
    }
  }
  J_.resize(problem.contacts() * rows, problem.dof());
  J_.setFromTriplets(entries.begin(), entries.end());
  Jt_ = J_.transpose();
  const Eigen::SimplicialLDLT<SparseMatrix> factor(problem.mass);
  require(factor.info() == Eigen::Success,
          "contact LCP: mass has no Cholesky factor, must be positive definite.");
  response_ = factor.solve(Jt_);
  Eigen::VectorXd q = J_ * problem.v_free;
  for (Eigen::Index k = 0; k < problem.contacts(); ++k) q[k * rows] += problem.b[k];
  q_scale_ = residual_scale(q);
}

Eigen::VectorXd ContactSystem::velocity(const Eigen::VectorXd& p) const {
  return problem_->v_free + response_ * p;
}

Eigen::VectorXd ContactSystem::to_lcp(const Eigen::VectorXd& p) const {
  const Eigen::Index nc = contacts();
  const int nd = directions(), rows = rows_per_contact();
  const Eigen::VectorXd u = J_ * velocity(p);
  Eigen::VectorXd z = Eigen::VectorXd::Zero(problem_->size());
  for (Eigen::Index k = 0; k < nc; ++k) {
    z[k] = p[k * rows];
    for (int d = 0; d < nd; ++d) {
      z[nc + k * nd + d] = p[k * rows + 1 + d];
      double& lambda = z[nc * (1 + nd) + k];
      lambda = std::max(lambda, -u[k * rows + 1 + d]);
    }
  }
  return z;
}

Eigen::VectorXd ContactSystem::to_impulses(const Eigen::VectorXd& z) const {
  const Eigen::Index nc = contacts();
  const int nd = directions(), rows = rows_per_contact();
  Eigen::VectorXd p(nc * rows);
  for (Eigen::Index k = 0; k < nc; ++k) {
    p[k * rows] = std::max(0.0, z[k]);
    for (int d = 0; d < nd; ++d) p[k * rows + 1 + d] = std::max(0.0, z[nc + k * nd + d]);
  }
  return p;
}

Eigen::VectorXd ContactSystem::image(const Eigen::VectorXd& z) const {
  const Eigen::Index nc = contacts();
  const int nd = directions(), rows = rows_per_contact();
  Eigen::VectorXd p(nc * rows);
  for (Eigen::Index k = 0; k < nc; ++k) {
    p[k * rows] = z[k];
    for (int d = 0; d < nd; ++d) p[k * rows + 1 + d] = z[nc + k * nd + d];
  }
  const Eigen::VectorXd u = J_ * velocity(p);
  Eigen::VectorXd w(z.size());
  for (Eigen::Index k = 0; k < nc; ++k) {
    w[k] = u[k * rows] + problem_->b[k];
    if (nd == 0) continue;
    const Eigen::Index lambda = nc * (1 + nd) + k;
    w[lambda] = problem_->mu[k] * z[k];
    for (int d = 0; d < nd; ++d) {
      w[nc + k * nd + d] = u[k * rows + 1 + d] + z[lambda];
      w[lambda] -= z[nc + k * nd + d];
    }
  }
  return w;
}

double ContactSystem::residual_of(const Eigen::VectorXd& z) const {
  return natural_residual(z, image(z), q_scale_);
}

double ContactSystem::residual(const Eigen::VectorXd& p) const {
  return residual_of(to_lcp(p));
}

}  // namespace rigor
