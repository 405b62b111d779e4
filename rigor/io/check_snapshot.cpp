#include "rigor/io/check_snapshot.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

constexpr double kUnitError = 1e-9;  // of a quaternion's length: states are normalised in every step

// Throws unless `is_right`; the sentence says which part of the checkpoint is wrong.
template <class... Args>
void require_part(bool is_right, fmt::format_string<Args...> message, Args&&... args) {
  if (!is_right)
    throw InvalidInput(fmt::format("the checkpoint is not one of this scene: {}",
                                   fmt::format(message, std::forward<Args>(args)...)));
}

void require_size(const char* name, double value) {
  require_part(std::isfinite(value) && value >= 0.0, "{} = {}, must be finite and >= 0.", name, value);
}

void check_coordinates(const State& state, const Model& model) {
  require_part(state.q.size() == model.nq && state.v.size() == model.nv,
               "{} coordinates and {} speeds, must be {} and {}.", state.q.size(), state.v.size(), model.nq,
               model.nv);
  require_part(state.q.allFinite(), "a coordinate is not finite.");
  require_part(state.v.allFinite(), "a speed is not finite.");
  for (const ModelBody& body : model.bodies) {
    const int at = quaternion_at(body);
    if (at < 0) continue;
    const double length = state.q.segment<4>(at).stableNorm();
    require_part(std::abs(length - 1.0) <= kUnitError,
                 "the quaternion of body \"{}\" has length {}, must have 1.", body.name, length);
  }
}

// Names every field by structured bindings: one that is added and forgotten here does not compile.
void check_contact(const ContactMemory& memory, const Model& model, double dt, std::size_t i) {
  const auto& [shape_a, shape_b, id, impulse, h, anchor_a, anchor_b, drift, lost, is_anchored, rolls, mode,
               is_closed, force_freedom, velocity] = memory;
  const auto shapes = static_cast<int>(model.shapes.size());
  const auto is_shape = [&](int shape) { return shape >= 0 && shape < shapes; };
  require_part(is_shape(shape_a) && is_shape(shape_b) && shape_a != shape_b,
               "contact {} is between the shapes {} and {}, must be two different ones of {}.", i, shape_a,
               shape_b, shapes);
  require_part(impulse.allFinite() && std::isfinite(drift) && std::isfinite(lost),
               "contact {}: impulse or drift is not finite.", i);
  require_part(anchor_a.allFinite() && anchor_b.allFinite(), "contact {}: an anchor is not finite.", i);
  require_part(h > 0.0 && h <= 2.0 * dt, "contact {}: its step took {} s, must be > 0 and at most {} s.", i,
               h, 2.0 * dt);
  require_part(mode >= ContactMode::kOpen && mode <= ContactMode::kSliding,
               "contact {}: mode {}, must be 0 to 2.", i, static_cast<int>(mode));
  require_part(force_freedom >= 0, "contact {}: force_freedom {}, must be >= 0.", i, force_freedom);
  require_part(velocity >= 0 && velocity < static_cast<int>(std::size(RunTotals{}.velocity_steps)),
               "contact {}: verdict on the velocity {}, must be 0 to 3.", i, velocity);
  // features are only compared, and whether a contact is closed, anchored or rolls has no wrong answer
  (void)id, (void)is_closed, (void)is_anchored, (void)rolls;
}

void check_contacts(const State& state, const Model& model, double dt) {
  for (std::size_t i = 0; i < state.contacts.size(); ++i) {
    check_contact(state.contacts[i], model, dt, i);
    require_part(i == 0 || state.contacts[i - 1].is_before(state.contacts[i]),
                 "contact {} stands before contact {}, must stand behind it.", i, i - 1);
  }
}

void check_totals(const RunTotals& totals) {
  const auto& [steps, worst_residual, worst_relative_residual, worst_constraint_error, worst_imbalance,
               worst_made, redundant_rows, worst_penetration, worst_cone_violation, worst_direction_violation,
               worst_lift_off, sticking_drift, rolling_drift, unsolved_steps, rounding_steps,
               non_unique_steps, velocity_steps, iterations, islands, fallbacks, phantom_inertia,
               phantom_limit, most_contacts, lead, times, energy] = totals;
  require_size("worst_residual", worst_residual);
  require_size("worst_relative_residual", worst_relative_residual);
  require_size("worst_constraint_error", worst_constraint_error);
  require_size("worst_imbalance", worst_imbalance);
  require_size("worst_made", worst_made);
  require_size("worst_penetration", worst_penetration);
  require_size("worst_cone_violation", worst_cone_violation);
  require_size("worst_direction_violation", worst_direction_violation);
  require_size("worst_lift_off", worst_lift_off);
  require_size("sticking_drift", sticking_drift);
  require_size("rolling_drift", rolling_drift);
  require_size("phantom_inertia", phantom_inertia);
  // infinite where there was none
  require_part(phantom_limit >= 0.0, "phantom_limit = {}, must be >= 0.", phantom_limit);
  require_part(phantom_inertia == 0.0 || std::isfinite(phantom_limit),
               "phantom_inertia = {} with a limit that is infinite, must have a finite one.",
               phantom_inertia);
  require_part(lead.condition >= 0.0, "condition = {}, must be >= 0.", lead.condition);
  for (const long count :
       {long{lead.rank}, long{lead.size}, long{redundant_rows}, unsolved_steps, rounding_steps,
        non_unique_steps, iterations, islands, fallbacks, long{most_contacts}})
    require_part(count >= 0, "a count of steps, rows or contacts is {}, must be >= 0.", count);
  for (const long count : velocity_steps)
    require_part(count >= 0, "velocity_steps = {}, must be >= 0.", count);
  (void)steps, (void)times, (void)energy;  // checked elsewhere; times are not in the file
}

void check_energy(const EnergyLedger& energy) {
  const auto& [applied, motors, bilateral, relaxation, normal, friction, limits, numerical, transport,
               projection, kinetic_change, scale, reach, potential_change, lifted] = energy;
  for (const double item : {applied, motors, bilateral, relaxation, normal, friction, limits, numerical,
                            transport, projection, kinetic_change, scale, reach, potential_change, lifted})
    require_part(std::isfinite(item), "an item of the energy ledger is {}, must be finite.", item);
}

}  // namespace

void check_snapshot(const Snapshot& snapshot, const Simulation& simulation) {
  const State& state = snapshot.state;
  const RunSettings& settings = simulation.settings();
  const long steps = snapshot.totals.steps, most = simulation.step_count();
  require_part(steps >= 0 && steps <= most, "{} steps, must be 0 to {}.", steps, most);
  const double t = std::min(static_cast<double>(steps) * settings.dt, settings.until);
  require_part(state.t == t, "t = {} s after {} steps, must be {} s.", state.t, steps, t);
  check_coordinates(state, simulation.model());
  require_size("usual_work", state.usual_work);
  check_contacts(state, simulation.model(), settings.dt);
  check_totals(snapshot.totals);
  check_energy(snapshot.totals.energy);
}

}  // namespace rigor
