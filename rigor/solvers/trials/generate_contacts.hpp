#pragma once

#include <cstdint>

#include "rigor/solvers/problems/contact_lcp.hpp"

namespace rigor {

/// The first step of a planar pile of cannonballs: `rows` rows of disks, n(n+1)/2 bodies of radius ½ and mass
/// 1, every touching pair and every floor contact a contact, (3n² − n)/2 of them; two directions, or none
/// where mu = 0; gravity 9.81, at rest. Its Anitescu-Potra LCP is the classical test of scaling [AP], and not
/// unique in velocity.
///
/// [AP] Anitescu, Potra. Slides on time-stepping for multibody dynamics with contact and friction (cannonball
///      table).
[[nodiscard]] ContactLcpProblem make_cannonball(int rows, double mu, double step = 0.05);

/// A tower of unit cubes, four contacts per face (redundant, degenerate), some shifted, some moving.
[[nodiscard]] ContactLcpProblem make_box_stack(int boxes, int directions, std::uint64_t seed);

/// Random bodies with random contact points and normals, masses over two decades; three in ten contacts are
/// with the ground.
[[nodiscard]] ContactLcpProblem make_random_cluster(int bodies, int contacts, int directions,
                                                    std::uint64_t seed);

/// Contacts with random Jacobians on 6 or 3 · contacts degrees of freedom: the class on which other Lemke
/// codes fail.
[[nodiscard]] ContactLcpProblem make_random_jacobians(int contacts, int directions, std::uint64_t seed);

/// One of the three above, with 4 or 8 directions, whose LCP has at most `size` unknowns (at least 6).
[[nodiscard]] ContactLcpProblem make_random_contacts(int size, std::uint64_t seed);

}  // namespace rigor
