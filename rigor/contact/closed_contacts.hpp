#pragma once

#include <vector>

#include "rigor/contact/contact.hpp"
#include "rigor/model/body_kinematics.hpp"

namespace rigor {

/// A contact that is closed and does not open: what problems at the acceleration level are made of.
struct ClosedContact {
  Contact contact;
  Eigen::Vector3d u{Eigen::Vector3d::Zero()};     // J v: contact.rows of it count, m/s
  Eigen::Vector3d bias{Eigen::Vector3d::Zero()};  // d/dt(J) v, m/s²
};

struct ClosedContactOptions {
  double gap{1e-9};    // m: contacts with a larger one are open
  double speed{1e-9};  // m/s: those that separate faster are open
};

/// The closed contacts of a model that moves as `kin` says (positions, velocities, and accelerations at v̇ = 0
/// without gravity, as ConstrainedSystem::set_motion() leaves them), in the order of ContactFinder. Those
/// between bodies that cannot move are left out.
[[nodiscard]] std::vector<ClosedContact> find_closed_contacts(const Model& model,
                                                              const Kinematics<double>& kin,
                                                              const ClosedContactOptions& options = {});

/// d/dt(J) v of a contact's rows, whose place wanders over both surfaces: with α and β its velocities over
/// the material of A and B (GapRates), a the acceleration of that material at v̇ = 0 and w = v_A − v_B,
///
///     d/dt(v_A(x) − v_B(x)) = a_A + ω_A × α − a_B − ω_B × β,
///     d/dt(e·w) = e·(that) + ė·w,      ṅ of GapRates,   ė_t = −(ṅ·e_t) n.                            (1)
///
/// The first row is g̈ of GapRates. What spins the tangents about n is left out: it acts on slipping contacts
/// alone, whose tangential acceleration no law asks for. The second tangent in units of mu_ratio, as in
/// ContactRows.
[[nodiscard]] Eigen::Vector3d compute_contact_bias(const Kinematics<double>& kin, const Contact& contact);

}  // namespace rigor
