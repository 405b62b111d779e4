#pragma once

#include "rigor/solvers/cone/scaled_cone.hpp"

namespace rigor {

/// The laws of all contacts about a point: dr_i + D_i du_i = t_i, (1) of cone_matrix.hpp.
struct LinearLaw {
  std::vector<Block3> D;
  Eigen::VectorXd t;
};

/// Newton's equations of F = 0, F of Alart and Curnier [AC91], at impulses r and velocities s = u + α (r − c), which add
/// a compliance α per contact about a centre c. With τ = r − ρ s, d = τ_T/‖τ_T‖, e ⟂ d, κ = mu τ_N/‖τ_T‖:
///
///     τ_N ≤ 0            open    F = r                              dr = −r
///     ‖τ_T‖ ≤ mu τ_N     stick   F = ρ s                            dr = −(s + du)/α
///     else               slide   F = (ρ s_N, r_T − mu τ_N d)        dr_N = −(s_N + du_N)/α                 (1)
///                                                                   r_d + dr_d = mu (r_N + dr_N)
///                                                                   dr_e = −(r_e + κ ρ du_e)/(1 − κ + κ ρ α)
///
/// so that D = 0, 1/α, and (e_N + mu d) e_Nᵀ/α + κ ρ/(1 − κ + κ ρ α) e eᵀ. A single row within bounds sticks between them
/// and else goes to its bound. Returns ‖F‖.
///
/// Departure from the paper: solved for dr by hand, contact by contact, so that no 3 x 3 matrix is inverted.
///
/// [AC91] Alart, Curnier. A mixed formulation for frictional contact problems prone to Newton like solution
///        methods. Comput. Methods Appl. Mech. Eng. 92, 1991.
double linearise_coulomb(const ScaledCone& cone, const Eigen::VectorXd& r, const Eigen::VectorXd& s,
                         double rho, const Eigen::VectorXd& alpha, LinearLaw& law);

/// The same for the associated law, r = P_K(r − s/α): dr = −F − P' du/α, F = r − P_K(r − s/α). Returns ‖F‖.
double linearise_associated(const ScaledCone& cone, const Eigen::VectorXd& r, const Eigen::VectorXd& s,
                            const Eigen::VectorXd& alpha, LinearLaw& law);

/// Contacts that are marked get du = −u, with the compliance α; the others keep their impulses.
void linearise_marked(const std::vector<char>& marked, const Eigen::VectorXd& alpha, std::vector<Block3>& D);

}  // namespace rigor
