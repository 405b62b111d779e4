#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rigor/analysis/analyse.hpp"
#include "rigor/analysis/closure.hpp"
#include "rigor/analysis/scene_problem.hpp"

namespace rigor {

/// Whether everything can stay where it is, a = 0: sticking alone lets a ball roll. Asked as sticking of the
/// same contacts without mass, F = Σ normal λn + Σ tangentᵀ λt.
struct Rest {
  StickingAnswer answer;
  std::optional<LeastFriction> mu_min;  // one for all; none without friction
};
/// The same problem without mass.
[[nodiscard]] AccelerationProblem make_still(AccelerationProblem problem);
/// No where something moves that asks for an acceleration (a bias, or a contact that slides). What is `known`
/// already is taken over where contacts that stick leave no acceleration: then both questions are one.
[[nodiscard]] Rest find_rest(const AccelerationProblem& problem, const Analysis* known = nullptr);

/// The largest tilt of gravity towards a direction of the world.
struct SceneTilt {
  Eigen::Vector3d towards{Eigen::Vector3d::UnitX()};  // unit, ⟂ gravity
  Tilt tilt;
};

/// One for each direction [any length], less its part along gravity; none for directions along gravity, or
/// where there is no gravity.
[[nodiscard]] std::vector<SceneTilt> find_scene_tilts(const SceneProblem& scene,
                                                      const std::vector<Eigen::Vector3d>& towards);

/// A force through the centre of mass of a body, and the factors with which everything sticks still.
struct SceneLoad {
  std::string body;
  Eigen::Vector3d force{Eigen::Vector3d::Zero()};  // N, in the world
  LoadRange range;
};
/// Throws InvalidInput where there is no such body or it cannot move.
[[nodiscard]] SceneLoad find_scene_load(const Model& model, const State& state, const SceneProblem& scene,
                                        const std::string& body, const Eigen::Vector3d& force);

/// Form and force closure of the grasp of an object by all that touches it, everything else held. Torques
/// count in units of `length` times a force, with the length from the object's centre of mass to the contact
/// that is farthest from it.
struct Grasp {
  std::string object;
  double length{1.0};  // m
  std::vector<std::string> coordinates;
  Closure closure;
};
/// Throws InvalidInput where there is no such body or it cannot move.
[[nodiscard]] Grasp find_grasp(const Model& model, const State& state, const SceneProblem& scene,
                               const std::string& object);

}  // namespace rigor
