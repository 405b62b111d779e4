#pragma once

#include "rigor/model/state.hpp"
#include "rigor/solvers/problems/mlcp.hpp"

namespace rigor {

/// The contacts that are closed at a state (gap and normal speed zero), with forces λ and accelerations in
/// place of impulses and velocities [P17] (5)-(21):
///
///     u̇ = J a + J̇ v,     M a + c = f + J_nᵀ λ_n + J_tᵀ λ_t,      0 ≤ λ_n ⟂ u̇_n ≥ 0
///     sticks, ‖u_t‖ < slip speed:   u̇_t = E (κ_up − κ_lo),   0 ≤ κ_up ⟂ μ_s λ_n + Eᵀ λ_t + ρ κ_lo ≥ 0,
///                                                             0 ≤ κ_lo ⟂ μ_s λ_n − Eᵀ λ_t + ρ κ_up ≥ 0
///     slides:   λ_t = −μ_k λ_n e_t, so that the force acts along J_c = J_n − μ_k e_tᵀ J_t ≠ J_n          (1)
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
