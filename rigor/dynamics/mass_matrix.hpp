#pragma once

#include "rigor/dynamics/kinematics.hpp"
#include "rigor/dynamics/tree_matrix.hpp"

namespace rigor {

/// M(q) by composite rigid bodies: M(i, j) = S_jᵀ (I_c S_i) for every j on the way from i to its root, where
/// I_c is the inertia of i's body with all that it carries, and the force I_c S_i is shifted from body to
/// body on the way. Armature is added to the diagonal. [F08, 6.2]
///
/// Needs compute_positions(). `composite` is room for one inertia per body.
void compute_mass_matrix(const Model& model, const Kinematics<double>& kin,
                         std::vector<SpatialInertia<double>>& composite, TreeMatrix& M);

}  // namespace rigor
