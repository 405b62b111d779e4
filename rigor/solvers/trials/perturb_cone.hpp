#pragma once

#include <cstdint>

#include "rigor/solvers/problems/sparse_cone_problem.hpp"

namespace rigor {

/// A copy with mu times `mu_factor` (at most 1.5) and q + noise ‖q‖ W ξ / ‖W ξ‖, ξ random in the units of the
/// contacts: what is added lies in the range of W, so that a problem of bodies stays one of the same bodies
/// at other velocities.
[[nodiscard]] SparseConeProblem perturb_cone(const SparseConeProblem& problem, double mu_factor, double noise,
                                             std::uint64_t seed);

}  // namespace rigor
