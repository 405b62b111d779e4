#pragma once

#include "rigor/stepping/contact_step.hpp"

namespace rigor {

/// The second stage of ContactStep: the one-sided rows of a step of h, with r the impulse and u = H v⁺.
///
///     contact, closed or overlapping   0 ≤ r_n ⊥ u_n ≥ 0
///     contact, open                    0 ≤ r_n ⊥ u_n + gap/h ≥ 0             (where the formulation uses gaps)
///     contact with stiffness k, b      0 ≤ r_n ⊥ u_n + ε r_n + ε h k gap ≥ 0,     ε = 1/(k h² + b h)
///     end of a joint's range           0 ≤ r ⊥ u + distance/h ≥ 0
///     spring that only pulls, pushes   0 ≤ r ⊥ u + ε r − b ≥ 0
///
/// What stands beside u is the block's `offset`. Contacts and ends that are aside have no rows. The islands are known
/// after step.rows.finish(), which needs the system's factors.
void assemble_contacts(const ContactFormulation& formulation, std::span<const SpringRow> springs,
                       ContactStep& step);

/// forces[island][row] += impulses of the springs' rows, N s.
void add_spring_impulses(const ContactStep& step, const ConstrainedSystem& system,
                         std::vector<Eigen::VectorXd>& forces);

/// Adds the forces of the ends of joints' ranges to those along the speeds, N or N m.
void add_limit_forces(const Model& model, const ContactStep& step, Eigen::VectorXd& forces);

}  // namespace rigor
