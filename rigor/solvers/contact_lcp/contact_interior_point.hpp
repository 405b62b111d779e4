#pragma once

#include <cstdint>

#include "rigor/solvers/contact_lcp/contact_system.hpp"

namespace rigor {

/// Interior point on the structure of a contact LCP. (c, β, λ) of each contact are eliminated, and a system
/// of the size of v is left, where H is diag(w/z) with the coupling of c, β and λ of each contact:
///
///     (mass + Jᵀ H⁻¹ J) dv = r
///
/// With `relaxed` the normal row is w_n = N v + b − µ λ: the convex relaxation of Anitescu [Ani06], which is
/// monotone. Where its solution does not slide (λ = 0 under load) it solves the LCP itself: standing piles,
/// sticking scenes, µ = 0. Without `relaxed` it is Newton's method on the LCP, which is not monotone and can
/// stop at a turning point of its path; random weights ω_i on the targets z_i w_i = σ µ ω_i break the
/// symmetry that makes it stop.
///
/// [Ani06] Anitescu. Optimization-based simulation of nonsmooth rigid multibody dynamics. Math. Programming
///         105, 2006.
struct ContactInteriorPointOptions {
  bool relaxed{true};
  double target{1e-11};  // stop at this residual of what is solved (the relaxation, or the LCP), relative
  int max_steps{50};
  int patience{6};        // steps shorter than 0.02 in a row before it gives up
  std::uint64_t seed{0};  // 0: equal weights; else exp(U(−spread, spread))
  double spread{0.3};
};

struct ContactIterate {
  Eigen::VectorXd p;     // impulses, contact by contact: the best point met, judged by the LCP
  double residual{0.0};  // ContactSystem::residual(p)
  int steps{0};
};

[[nodiscard]] ContactIterate solve_contact_interior_point(const ContactSystem& system,
                                                          const ContactInteriorPointOptions& options);

}  // namespace rigor
