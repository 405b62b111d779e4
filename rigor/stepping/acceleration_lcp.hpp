#pragma once

#include "rigor/model/state.hpp"
#include "rigor/solvers/problems/mlcp.hpp"

namespace rigor {

/// Phantom friction at the acceleration level [P17] (5)-(21): the closed contacts of a state (gap and normal
/// speed zero), with forces λ and accelerations u̇ in place of impulses and velocities, a = v̇ and the κ slip
/// accelerations along and against the directions E:
///
///     all       u̇ = J a + J̇ v,    M a + c = f + J_nᵀ λ_n + J_tᵀ λ_t,    0 ≤ λ_n ⟂ u̇_n ≥ 0
///     sticks    u̇_t = E (κ_up − κ_lo)                                        where ‖u_t‖ < slip speed
///               0 ≤ κ_up ⟂ μ_s λ_n + Eᵀ λ_t + ρ κ_lo ≥ 0
///               0 ≤ κ_lo ⟂ μ_s λ_n − Eᵀ λ_t + ρ κ_up ≥ 0
///     slides    λ_t = −μ_k λ_n e_t                                                                   (1)
///
/// The force of a sliding contact acts along J_n − μ_k e_tᵀ J_t while its acceleration is measured along J_n.
///
/// as a mixed LCP in x = (λ_t of those that stick; λ_n, κ_up, κ_lo). With sliding contacts its matrix is not
/// symmetric, and it may have no solution or several: Painlevé's paradox. Coulomb's law at the velocity
/// level, in a time step, has one.
///
/// J̇ v follows the contact points over curved surfaces: compute_contact_bias().
///
/// [P17] see rigor/contact/friction_rows.hpp.
struct AccelerationLcp {
  MlcpProblem mlcp;
  int sticking{0}, sliding{0};  // contacts
};

/// Directions k = run.directions/2 in space; ρ = run.phantom_inertia, or the mean of the contacts' masses
/// [kg]. Throws where the scene cannot move: a speed without inertia.
[[nodiscard]] AccelerationLcp make_acceleration_lcp(const Model& model, const RunSettings& settings,
                                                    const State& state);

}  // namespace rigor
