#include "rigor/solvers/trials/perturb_cone.hpp"

#include <algorithm>

#include "rigor/math/random.hpp"

namespace rigor {

SparseConeProblem perturb_cone(const SparseConeProblem& problem, double mu_factor, double noise,
                               std::uint64_t seed) {
  SparseConeProblem copy = problem;
  copy.mu = (mu_factor * problem.mu).cwiseMin(1.5).cwiseMax(0.0);
  Random random(seed);
  Eigen::VectorXd xi = Eigen::VectorXd::Zero(problem.q.size()), change;
  for (int i = 0; i < problem.contacts(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (int k = problem.pattern.begin[row]; k < problem.pattern.begin[row + 1]; ++k) {
      if (problem.pattern.column[static_cast<std::size_t>(k)] != i) continue;
      const Block3& own = problem.values[static_cast<std::size_t>(k)];
      const double trace = own(0, 0) + own(1, 1) + own(2, 2);
      for (int a = 0; a < problem.sizes[row]; ++a)
        xi[3 * i + a] = trace > 0.0 ? 3.0 / trace * random.gaussian() : 0.0;
    }
  }
  compute_cone_velocity(problem, xi, change);
  change -= problem.q;
  const double length = change.norm();
  if (length > 0.0) copy.q += noise * problem.q.norm() / length * change;
  return copy;
}

}  // namespace rigor
