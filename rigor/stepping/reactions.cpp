#include "rigor/stepping/reactions.hpp"

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

// Contacts and ends of ranges of the last step, on the bodies where they are now.
ForwardDynamics::KnownForces collect_one_sided(const Simulation& simulation) {
  const Model& model = simulation.model();
  ForwardDynamics::KnownForces known;
  known.wrenches.assign(model.bodies.size(), Vec6<double>::Zero());
  known.along.setZero(model.nv);
  if (simulation.stepper().limit_forces().size() == model.nv)
    known.along = simulation.stepper().limit_forces();
  Kinematics<double> kin;
  compute_positions(model, simulation.state().q, kin);
  for (const ContactReport& contact : simulation.stepper().contacts()) {
    const auto add = [&](BodyIndex body, const Eigen::Vector3d& force) {
      if (body == kWorldIndex) return;
      known.wrenches[at(body)].head<3>() += (contact.point - kin.bodies[at(body)].p).cross(force);
      known.wrenches[at(body)].tail<3>() += force;
    };
    add(contact.a, contact.force);
    add(contact.b, -contact.force);
  }
  return known;
}

}  // namespace

Reactions compute_reactions(const Simulation& simulation) {
  const State& state = simulation.state();
  Reactions out;
  if (simulation.totals().steps > 0 && !simulation.has_forces()) return out;
  ForwardDynamics dynamics(simulation.model());
  out.islands = dynamics.system().islands();
  const ForwardDynamics::KnownForces known = collect_one_sided(simulation);
  const bool is_known = dynamics.compute(state.t, state.q, state.v, &known) < 0;
  if (is_known) out.joints = dynamics.compute_joint_reactions();
  if (simulation.has_forces()) {
    for (std::size_t i = 0; i < out.islands.list.size(); ++i)
      out.multipliers.push_back(simulation.stepper().multipliers(i));
    out.motors = simulation.stepper().motor_forces();
  } else if (is_known) {
    out.multipliers = dynamics.multipliers();
    out.motors = dynamics.motor_forces();
  }
  return out;
}

}  // namespace rigor
