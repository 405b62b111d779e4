#include "rigor/stepping/kinetic_keeper.hpp"

#include <cmath>

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

constexpr double kLeastGrowth = 1e-9;  // of a unit's energy: a smaller growth is not worth a change of bits

}  // namespace

// Bodies without speeds belong to the unit that carries them.
void KineticKeeper::find_units(const ConstrainedSystem& system) {
  const Model& model = system.model();
  unit_of_body_.assign(model.bodies.size(), -1);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    unit_of_body_[b] = body.nv > 0 ? system.unit_of(body.v0) : unit_of_body_[at(body.parent)];
  }
  is_prescribed_.assign(at(system.unit_count()), 0);
  for (int k = 0; k < model.nv; ++k)
    if (system.is_fixed()[at(k)]) is_prescribed_[at(system.unit_of(k))] = 1;
}

void KineticKeeper::compute(const ConstrainedSystem& system, const Kinematics<double>& kin,
                            const Eigen::VectorXd& v, std::vector<double>& energies) const {
  const Model& model = system.model();
  energies.assign(at(system.unit_count()), 0.0);
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    if (unit_of_body_[b] < 0) continue;
    const ModelBody& body = model.bodies[b];
    double& energy = energies[at(unit_of_body_[b])];
    energy += 0.5 * kin.bodies[b].V.dot(kin.bodies[b].inertia * kin.bodies[b].V);
    if (body.armature > 0.0) energy += 0.5 * body.armature * v.segment(body.v0, body.nv).squaredNorm();
  }
}

void KineticKeeper::note(const ConstrainedSystem& system, const Kinematics<double>& kin,
                         const Eigen::VectorXd& v) {
  if (unit_of_body_.empty()) find_units(system);
  compute(system, kin, v, before_);
}

bool KineticKeeper::keep(const ConstrainedSystem& system, const Kinematics<double>& kin, Eigen::VectorXd& v) {
  compute(system, kin, v, now_);
  bool any = false;
  for (std::size_t u = 0; u < now_.size(); ++u) {
    const bool has_grown = now_[u] > (1.0 + kLeastGrowth) * before_[u] && !is_prescribed_[u];
    now_[u] = has_grown ? std::sqrt(before_[u] / now_[u]) : 1.0;  // from here on the factor of (1)
    any = any || has_grown;
  }
  if (!any) return false;
  for (Eigen::Index k = 0; k < v.size(); ++k) v[k] *= now_[at(system.unit_of(static_cast<int>(k)))];
  return true;
}

}  // namespace rigor
