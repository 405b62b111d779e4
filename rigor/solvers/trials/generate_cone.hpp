#pragma once

#include <cstdint>

#include "rigor/solvers/problems/cone_problem.hpp"

namespace rigor {

/// A cluster of free bodies of random mass and shape with random contacts among them and with the ground.
struct ConeClusterOptions {
  int contacts{8};
  int bodies{3};     // 6 dof each; few bodies make contacts redundant
  int dimension{3};  // 3, or 2: bodies with 3 dof in the plane, blocks of size 2
  double mu_low{0.0}, mu_high{1.2};
  double one_sided{0.0};  // share of blocks of size 1
  double turned{0.3};     // 0: all normals upwards, as in a pile; 1: any direction
};

/// W = J M⁻¹ Jᵀ, q = J v for a random v: a problem that has a solution [ACLM11].
///
/// [ACLM11] Acary, Cadoux, Lemaréchal, Malick. A formulation of the linear discrete Coulomb friction problem
///          via convex optimization. ZAMM 91, 2011.
[[nodiscard]] ConeProblem make_cone_cluster(const ConeClusterOptions& options, std::uint64_t seed);

}  // namespace rigor
