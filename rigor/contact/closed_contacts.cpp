#include "rigor/contact/closed_contacts.hpp"

#include "rigor/collision/gap_rates.hpp"
#include "rigor/contact/contact_finder.hpp"

namespace rigor {
namespace {

constexpr double kInterval = 1e-5;  // s: contacts are searched as far as bodies move in this time

MaterialMotion motion_at(const Kinematics<double>& kin, BodyIndex index, const Eigen::Vector3d& point) {
  const BodyKinematics<double>& body = kin.bodies[static_cast<std::size_t>(index)];
  const Eigen::Vector3d arm = point - body.p;
  return {body.velocity_at(arm), body.acceleration_at(arm), body.angular_velocity()};
}

bool can_move(const Model& model, BodyIndex body) {
  for (; body != kWorldIndex; body = model.bodies[static_cast<std::size_t>(body)].parent)
    if (model.bodies[static_cast<std::size_t>(body)].nv > 0) return true;
  return false;
}

// The components of a vector of the world along a contact's rows.
Eigen::Vector3d to_rows(const Contact& contact, const Eigen::Vector3d& vector) {
  Eigen::Vector3d rows = contact.frame.transpose() * vector;
  rows[2] *= contact.mu_ratio;
  return rows;
}

}  // namespace

Eigen::Vector3d compute_contact_bias(const Kinematics<double>& kin, const Contact& contact) {
  const MaterialMotion a = motion_at(kin, contact.a, contact.point);
  const MaterialMotion b = motion_at(kin, contact.b, contact.point);
  ContactPoint point;
  point.normal = contact.frame.col(0);
  point.on_a = point.on_b = contact.point;
  point.curvature_a = contact.curvature_a;
  point.curvature_b = contact.curvature_b;
  const GapRates rates = compute_gap_rates(point, a, b);

  const Eigen::Vector3d w = a.velocity - b.velocity;
  const Eigen::Vector3d w_dot = a.acceleration + a.angular_velocity.cross(rates.slip_a) - b.acceleration -
                                b.angular_velocity.cross(rates.slip_b);
  Eigen::Vector3d bias = to_rows(contact, w_dot);
  bias[0] += rates.normal_rate.dot(w);
  bias.tail<2>() -= to_rows(contact, rates.normal_rate).tail<2>() * point.normal.dot(w);
  return bias;
}

std::vector<ClosedContact> find_closed_contacts(const Model& model, const Kinematics<double>& kin,
                                                const ClosedContactOptions& options) {
  ContactFinder finder(model);
  std::vector<Contact> contacts;
  finder.find(kin, kInterval, contacts);
  std::vector<ClosedContact> closed;
  for (const Contact& contact : contacts) {
    if (contact.gap > options.gap || !(can_move(model, contact.a) || can_move(model, contact.b))) continue;
    const Eigen::Vector3d w =
        motion_at(kin, contact.a, contact.point).velocity - motion_at(kin, contact.b, contact.point).velocity;
    const Eigen::Vector3d u = to_rows(contact, w);
    if (u[0] > options.speed) continue;
    closed.push_back({contact, u, compute_contact_bias(kin, contact)});
  }
  return closed;
}

}  // namespace rigor
