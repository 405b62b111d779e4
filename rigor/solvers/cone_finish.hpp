#pragma once

#include "rigor/solvers/cone_solve.hpp"

namespace rigor {

/// From an answer in workspace.r to the one that is reported: rounding-level residual and, where the forces
/// are not unique, the limit of equal compliance. Keeps what it was given where that fails.
void finish_cone(const ConeOptions& options, ConeWorkspace& workspace);

/// Dimension of the set of impulses at the velocity of (r, u): the nullity of W on the faces of the cones
/// that carry load, that is all rows of a block that sticks and e_N − mu t, t = u_T/‖u_T‖, of one that
/// slides.
[[nodiscard]] int find_force_freedom(ConeWorkspace& workspace);

}  // namespace rigor
