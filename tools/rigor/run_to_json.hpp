#pragma once

#include "rigor/io/json.hpp"
#include "rigor/stepping/simulation.hpp"

namespace rigor {

/// A body's own frame B and its motion, in the world.
struct BodyState {
  std::string name;
  Pose pose;
  Eigen::Vector3d velocity;          // of B's origin, m/s
  Eigen::Vector3d angular_velocity;  // rad/s
};
[[nodiscard]] std::vector<BodyState> compute_body_states(const Model& model, const State& state);

/// What `rigor run --json` prints; docs/guide/running.md lists the keys.
[[nodiscard]] JsonValue run_to_json(const Simulation& simulation, double seconds, const StepReport& last);

}  // namespace rigor
