#pragma once

#include <vector>

#include "rigor/contact/contact.hpp"
#include "rigor/model/body_kinematics.hpp"

namespace rigor {

/// A contact that touches and does not separate. Problems at the acceleration level consist of these.
struct ClosedContact {
  Contact contact;
  Eigen::Vector3d u{Eigen::Vector3d::Zero()};     // J v: contact.rows of it count, m/s
  Eigen::Vector3d bias{Eigen::Vector3d::Zero()};  // d/dt(J) v, m/s²
};

struct ClosedContactOptions {
  double gap{1e-9};    // m: contacts with a larger one are open
  double speed{1e-9};  // m/s: those that separate faster are open
};

/// The closed contacts of a model, in the order of ContactFinder. `kin` holds positions, velocities, and the
/// accelerations at v̇ = 0 without gravity, as ConstrainedSystem::set_motion() leaves them. Contacts between
/// bodies that cannot move are left out.
[[nodiscard]] std::vector<ClosedContact> find_closed_contacts(const Model& model,
                                                              const Kinematics<double>& kin,
                                                              const ClosedContactOptions& options = {});

/// d/dt(J) v of a contact's rows. The contact point x moves over both surfaces: with velocity α over the
/// material of A, β over that of B (GapRates). With a_A, a_B the accelerations of the material at v̇ = 0,
/// w = v_A(x) − v_B(x), and e = n, e_t a column of the contact frame:
///
///     ẇ = a_A + ω_A × α − a_B − ω_B × β
///     d/dt(e·w) = e·ẇ + ė·w,      ṅ of GapRates,   ė_t = −(ṅ·e_t) n.                                 (1)
///
/// The first row is g̈ of GapRates at v̇ = 0. The spin of the tangents about n is left out: it matters for
/// slipping contacts alone, and no law needs their tangential acceleration. The second tangent is in units of
/// mu_ratio, as in ContactRows.
[[nodiscard]] Eigen::Vector3d compute_contact_bias(const Kinematics<double>& kin, const Contact& contact);

}  // namespace rigor
