#include "tools/rigor/run_to_json.hpp"

#include "rigor/dynamics/energy.hpp"
#include "rigor/stepping/reactions.hpp"

namespace rigor {
namespace {

template <class Vector>
JsonValue numbers(const Vector& values) {
  JsonValue::Array array;
  for (const double value : values) array.emplace_back(value);
  return array;
}

JsonValue quaternion_to_json(const Eigen::Quaterniond& q) {
  return JsonValue::Array{q.w(), q.x(), q.y(), q.z()};
}

JsonValue energy_to_json(const Simulation& simulation) {
  const EnergyLedger& ledger = simulation.totals().energy;
  const Model& model = simulation.model();
  const State& state = simulation.state();
  Kinematics<double> kin;
  compute_positions(model, state.q, kin);
  compute_velocities(model, state.v, kin);
  JsonValue energy{JsonValue::Object{}};
  energy.add("kinetic", compute_kinetic_energy(model, kin, state.v));
  energy.add("potential", compute_potential_energy(model, state.q, state.t, kin).total());
  if (simulation.settings().method != RunSettings::Method::kSemiImplicit) return energy;
  energy.add("kinetic_change", ledger.kinetic_change);
  energy.add("potential_change", ledger.potential_change);
  energy.add("applied", ledger.applied);
  energy.add("motors", ledger.motors);
  energy.add("bilateral", ledger.bilateral);
  energy.add("normal", ledger.normal);
  energy.add("friction", ledger.friction);
  energy.add("limits", ledger.limits);
  energy.add("relaxation", ledger.relaxation);
  energy.add("numerical", ledger.numerical);
  energy.add("transport", ledger.transport);
  energy.add("projection", ledger.projection);
  energy.add("lifted", ledger.lifted);
  return energy;
}

JsonValue certificate_to_json(const Simulation& simulation, const StepReport& last) {
  const RunTotals& totals = simulation.totals();
  JsonValue certificate{JsonValue::Object{}};
  certificate.add("worst_residual", totals.worst_residual);
  certificate.add("worst_relative_residual", totals.worst_relative_residual);
  certificate.add("worst_constraint_error", totals.worst_constraint_error);
  certificate.add("worst_energy_imbalance", totals.worst_imbalance);
  certificate.add("worst_energy_made", totals.worst_made);
  certificate.add("redundant_equations", totals.redundant_rows);
  certificate.add("worst_penetration", totals.worst_penetration);
  certificate.add("worst_cone_violation", totals.worst_cone_violation);
  certificate.add("worst_direction_violation", totals.worst_direction_violation);
  certificate.add("worst_lift_off", totals.worst_lift_off);
  certificate.add("sticking_drift", totals.sticking_drift);
  certificate.add("rolling_drift", totals.rolling_drift);
  if (totals.lead.size > 0) {
    JsonValue& lead = certificate.add("lead_matrix", JsonValue::Object{});
    lead.add("size", totals.lead.size);
    lead.add("rank", totals.lead.rank);
    lead.add("condition", totals.lead.condition);
  }
  certificate.add("unsolved_steps",
                  static_cast<double>(totals.unsolved_steps) + (last.is_taken() ? 0.0 : 1.0));
  certificate.add("rounding_steps", static_cast<double>(totals.rounding_steps));
  certificate.add("non_unique_steps", static_cast<double>(totals.non_unique_steps));
  JsonValue& velocities = certificate.add("velocity_steps", JsonValue::Object{});
  for (int verdict = 0; verdict < 4; ++verdict)
    velocities.add(std::string(to_string(static_cast<VelocityVerdict>(verdict))),
                   static_cast<double>(totals.velocity_steps[verdict]));
  certificate.add("problems", static_cast<double>(totals.islands));
  certificate.add("iterations", static_cast<double>(totals.iterations));
  certificate.add("fallbacks", static_cast<double>(totals.fallbacks));
  if (totals.phantom_inertia > 0.0) {
    certificate.add("phantom_inertia", totals.phantom_inertia);
    certificate.add("phantom_limit", totals.phantom_limit);
  }
  return certificate;
}

JsonValue contacts_to_json(const Simulation& simulation) {
  constexpr const char* kModes[] = {"open", "sticking", "sliding"};
  const Model& model = simulation.model();
  JsonValue::Array list;
  for (const ContactReport& contact : simulation.stepper().contacts()) {
    JsonValue& entry = list.emplace_back(JsonValue::Object{});
    entry.add("a", model.bodies[static_cast<std::size_t>(contact.a)].name);
    entry.add("b", model.bodies[static_cast<std::size_t>(contact.b)].name);
    entry.add("point", numbers(contact.point));
    entry.add("normal", numbers(contact.normal));
    entry.add("gap", contact.gap);
    entry.add("force", numbers(contact.force));
    entry.add("velocity", numbers(contact.velocity));
    entry.add("mu", contact.mu);
    entry.add("mode", std::string(kModes[static_cast<int>(contact.mode)]));
  }
  return list;
}

// Forces at the end of the run.
void add_forces(const Simulation& simulation, JsonValue& value, JsonValue::Array& joints) {
  const Model& model = simulation.model();
  const Reactions reactions = compute_reactions(simulation);
  for (std::size_t b = 1; b < reactions.joints.size(); ++b) {
    joints[b - 1].add("force", numbers(Eigen::Vector3d(reactions.joints[b].tail<3>())));
    joints[b - 1].add("moment", numbers(Eigen::Vector3d(reactions.joints[b].head<3>())));
  }
  if (reactions.motors.size() == 0) return;
  JsonValue::Array constraints, motions;
  for (std::size_t i = 0; i < reactions.islands.list.size(); ++i)
    for (const RowBlock& block : reactions.islands.list[i].blocks) {
      JsonValue& entry = constraints.emplace_back(JsonValue::Object{});
      entry.add("name", describe_block(model, block));
      entry.add("multipliers", numbers(reactions.multipliers[i].segment(block.first, block.count).eval()));
    }
  for (const ModelMotion& motion : model.motions) {
    JsonValue& entry = motions.emplace_back(JsonValue::Object{});
    entry.add("name", motion.name);
    entry.add("force", reactions.motors[motion.v]);
  }
  value.add("constraints", std::move(constraints));
  value.add("motions", std::move(motions));
}

}  // namespace

std::vector<BodyState> compute_body_states(const Model& model, const State& state) {
  Kinematics<double> kin;
  compute_positions(model, state.q, kin);
  compute_velocities(model, state.v, kin);
  std::vector<BodyState> bodies;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Eigen::Vector3d arm = kin.bodies[b].R * model.bodies[b].X_JB.position;
    bodies.push_back({model.bodies[b].name, get_body_pose(model, kin, static_cast<BodyIndex>(b)),
                      kin.bodies[b].velocity_at(arm), kin.bodies[b].angular_velocity()});
  }
  return bodies;
}

JsonValue run_to_json(const Simulation& simulation, double seconds, const StepReport& last) {
  const Model& model = simulation.model();
  const State& state = simulation.state();
  JsonValue value{JsonValue::Object{}};
  value.add("time", state.t);
  value.add("steps", static_cast<double>(simulation.totals().steps));
  value.add("seconds", seconds);
  JsonValue::Array bodies, joints;
  for (const BodyState& body : compute_body_states(model, state)) {
    JsonValue& entry = bodies.emplace_back(JsonValue::Object{});
    entry.add("name", body.name);
    entry.add("position", numbers(body.pose.position));
    entry.add("quaternion", quaternion_to_json(body.pose.rotation));
    entry.add("velocity", numbers(body.velocity));
    entry.add("angular_velocity", numbers(body.angular_velocity));
  }
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const ModelBody& body = model.bodies[b];
    JsonValue& entry = joints.emplace_back(JsonValue::Object{});
    entry.add("name", body.joint_name);
    entry.add("q", numbers(state.q.segment(body.q0, body.nq).eval()));
    entry.add("v", numbers(state.v.segment(body.v0, body.nv).eval()));
  }
  add_forces(simulation, value, joints);
  value.add("bodies", std::move(bodies));
  value.add("joints", std::move(joints));
  value.add("contacts", contacts_to_json(simulation));
  value.add("energy", energy_to_json(simulation));
  value.add("certificate", certificate_to_json(simulation, last));
  const StepTimes& times = simulation.totals().times;
  JsonValue& stages = value.add("times", JsonValue::Object{});
  stages.add("collision", times.collision);
  stages.add("assembly", times.assembly);
  stages.add("solve", times.solve);
  stages.add("rest", times.rest);
  return value;
}

}  // namespace rigor
