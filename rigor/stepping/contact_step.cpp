#include "rigor/stepping/contact_step.hpp"

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

// Velocity of the material d away from the reference point of a body that moves by V.
inline Eigen::Vector3d velocity_at(const Vec6<double>& V, const Eigen::Vector3d& d) {
  return {V[3] + (V[1] * d[2] - V[2] * d[1]), V[4] + (V[2] * d[0] - V[0] * d[2]),
          V[5] + (V[0] * d[1] - V[1] * d[0])};
}

}  // namespace

void BodyPlace::note_way(const BodyKinematics<double>& then, const BodyKinematics<double>& now) {
  moved = !then.V.isZero(0.0) || now.p != p || now.R != R;
}

Eigen::Vector3d relative_velocity(const ContactStep& step, const Contact& contact,
                                  const std::vector<Vec6<double>>& V) {
  return velocity_at(V[at(contact.a)], contact.point - step.before[at(contact.a)].p) -
         velocity_at(V[at(contact.b)], contact.point - step.before[at(contact.b)].p);
}

}  // namespace rigor
