#include "rigor/solvers/contact_lcp/contact_proximal.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rigor/base/work.hpp"
#include "rigor/math/factor_work.hpp"
#include "rigor/solvers/contact_lcp/contact_pgs.hpp"

namespace rigor {

void ContactProximal::local_map(const Eigen::VectorXd& v, const Eigen::VectorXd& centre, double rho,
                                Eigen::VectorXd& p, std::vector<Eigen::Triplet<double>>* slopes) const {
  const ContactLcpProblem& problem = system_.problem();
  const int nd = system_.directions(), rows = system_.rows_per_contact();
  const Eigen::VectorXd u = system_.J() * v;
  p.resize(u.size());
  std::array<double, 64> y;
  for (int k = 0; k < system_.contacts(); ++k) {
    const int r = k * rows;
    const double normal = centre[r] - (u[r] + problem.b[k]) / rho;
    const bool loaded = normal > 0.0;
    p[r] = loaded ? normal : 0.0;
    if (slopes && loaded) slopes->emplace_back(r, r, 1.0);
    if (nd == 0) continue;
    const double mu = problem.mu[k], radius = mu * p[r];
    if (nd == 2) {
      // one signed number: the two opposite directions would make the Jacobian singular
      const double wanted = centre[r + 1] - centre[r + 2] - u[r + 1] / rho,
                   t = std::clamp(wanted, -radius, radius);
      p[r + 1] = std::max(0.0, t);
      p[r + 2] = std::max(0.0, -t);
      if (!slopes || !loaded) continue;
      if (std::fabs(wanted) < radius)
        slopes->emplace_back(r + 1, r + 1, 1.0);
      else
        slopes->emplace_back(r + 1, r, wanted > 0.0 ? mu : -mu);
      continue;
    }
    for (int d = 0; d < nd; ++d) y[static_cast<std::size_t>(d)] = centre[r + 1 + d] - u[r + 1 + d] / rho;
    double threshold = 0.0;
    project_on_simplex(y.data(), nd, radius, &p[r + 1], threshold);
    if (!slopes || !loaded) continue;
    int active = 0;
    for (int d = 0; d < nd; ++d) active += p[r + 1 + d] > 0.0 ? 1 : 0;
    for (int d = 0; d < nd; ++d) {
      if (p[r + 1 + d] <= 0.0) continue;
      if (threshold <= 0.0) {
        slopes->emplace_back(r + 1 + d, r + 1 + d, 1.0);
        continue;
      }
      slopes->emplace_back(r + 1 + d, r, mu / active);
      for (int e = 0; e < nd; ++e)
        if (p[r + 1 + e] > 0.0)
          slopes->emplace_back(r + 1 + d, r + 1 + e, (d == e ? 1.0 : 0.0) - 1.0 / active);
    }
  }
}

bool ContactProximal::step(double rho, int max_newton, Eigen::VectorXd& p) {
  constexpr double kTarget = 1e-12;
  const ContactLcpProblem& problem = system_.problem();
  const Eigen::VectorXd centre = p, momentum = problem.mass * problem.v_free;
  const auto missing = [&](const Eigen::VectorXd& v, const Eigen::VectorXd& impulses) -> Eigen::VectorXd {
    return problem.mass * v - momentum - system_.Jt() * impulses;
  };
  Eigen::VectorXd v = system_.velocity(p), here, trial;
  double best = std::numeric_limits<double>::infinity();
  std::vector<Eigen::Triplet<double>> slopes;
  for (int newton = 0; newton < max_newton; ++newton) {
    slopes.clear();
    local_map(v, centre, rho, here, &slopes);
    const Eigen::VectorXd F = missing(v, here);
    const double size = F.cwiseAbs().maxCoeff();
    if (size < best) {
      best = size;
      p = here;
    }
    if (size <= kTarget) return true;

    // (mass + Jᵀ S J / ρ) dv = −F
    SparseMatrix S(here.size(), here.size());
    S.setFromTriplets(slopes.begin(), slopes.end());
    const SparseMatrix A = problem.mass + SparseMatrix(system_.Jt() * S * system_.J()) * (1.0 / rho);
    if (!may_work(sparse_factor_work(A.nonZeros()))) return false;
    lu_.compute(A);
    ++newton_steps_;
    if (lu_.info() != Eigen::Success) return false;
    const Eigen::VectorXd direction = lu_.solve(-F);
    if (!direction.allFinite()) return false;

    // backtracking on ‖F‖; where nothing helps, the least bad
    const double before = F.norm();
    double length = 1.0, chosen = 1.0, least = std::numeric_limits<double>::infinity();
    for (int halving = 0; halving < 12; ++halving, length *= 0.5) {
      local_map(v + length * direction, centre, rho, trial, nullptr);
      const double after = missing(v + length * direction, trial).norm();
      if (after < least) {
        least = after;
        chosen = length;
      }
      if (after < (1.0 - 1e-4 * length) * before) break;
    }
    v += chosen * direction;
  }
  return false;
}

}  // namespace rigor
