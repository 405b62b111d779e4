#include "rigor/analysis/scene_answers.hpp"

#include <algorithm>

#include "rigor/base/index.hpp"
#include "rigor/base/require.hpp"
#include "rigor/dynamics/kinematics.hpp"

namespace rigor {
namespace {

using Eigen::Vector3d;
using Vector = Eigen::VectorXd;

// A body that moves, and where its centre of mass is.
struct MovingBody {
  MovingBody(const Model& model, const State& state, const std::string& name, const char* option) {
    index = model.find_body(name);
    require(index > kWorldIndex, "{} {}: there is no body of that name that can move. See 'rigor check'.",
            option, name);
    compute_positions(model, state.q, kin);
    const BodyKinematics<double>& own = kin.bodies[at(index)];
    center = own.p;
    if (own.inertia.m > 0.0) center += own.inertia.h / own.inertia.m;
  }

  BodyIndex index{0};
  Kinematics<double> kin;
  Vector3d center;
};

}  // namespace

AccelerationProblem make_still(AccelerationProblem problem) {
  problem.M.setZero();
  return problem;
}

Rest find_rest(const AccelerationProblem& problem, const Analysis* known) {
  Rest rest;
  for (const AccelerationContact& contact : problem.contacts)
    if (contact.slides() || contact.normal_bias != 0.0 || !contact.tangent_bias.isZero(0.0)) {
      rest.answer.answer = Answer::kNo;
      return rest;
    }
  if (known != nullptr && StickingSet(problem, FrictionKind::kCones).Z().cols() == 0) {
    rest.answer = known->closed;
    rest.mu_min = known->mu_min;
    return rest;
  }
  const AccelerationProblem still = make_still(problem);
  const StickingSet set(still, FrictionKind::kCones);
  rest.answer = set.decide();
  const std::vector<std::size_t> friction = list_friction_contacts(still);
  if (!friction.empty()) rest.mu_min = find_least_friction(set, friction);
  return rest;
}

std::vector<SceneTilt> find_scene_tilts(const SceneProblem& scene, const std::vector<Vector3d>& towards) {
  std::vector<SceneTilt> tilts;
  const double g = scene.gravity.norm();
  if (!(g > 0.0)) return tilts;
  const Vector3d down = scene.gravity / g;
  const StickingSet set(scene.problem, FrictionKind::kCones);
  for (const Vector3d& direction : towards) {
    const Vector3d side = direction.normalized() - down * down.dot(direction.normalized());
    if (!(side.norm() > 1e-9)) continue;
    SceneTilt one{side.normalized(), {}};
    const Vector sideways = scene.per_gravity * (g * one.towards);
    if (sideways.isZero()) continue;
    one.tilt = find_tilt(set, scene.rest, scene.per_gravity * scene.gravity, sideways);
    tilts.push_back(std::move(one));
  }
  return tilts;
}

SceneLoad find_scene_load(const Model& model, const State& state, const SceneProblem& scene,
                          const std::string& body, const Vector3d& force) {
  SceneLoad load{body, force, {}};
  const MovingBody own(model, state, body, "--load");
  // F is minus what is applied
  Vector direction = Vector::Zero(model.nv);
  for (BodyIndex b = own.index; b != kWorldIndex; b = model.bodies[at(b)].parent) {
    const Vector3d arm = own.center - own.kin.bodies[at(b)].p;
    for (int i = model.bodies[at(b)].v0; i < model.bodies[at(b)].v0 + model.bodies[at(b)].nv; ++i) {
      const Vector3d spin = own.kin.S.col(i).head<3>();
      direction[i] -= force.dot(Vector3d(own.kin.S.col(i).tail<3>()) + spin.cross(arm));
    }
  }
  require(!direction.isZero(), "--load {}: this body cannot move along the force. Give another direction.",
          body);
  load.range = find_load_range(StickingSet(scene.problem, FrictionKind::kCones), direction);
  return load;
}

Grasp find_grasp(const Model& model, const State& state, const SceneProblem& scene,
                 const std::string& object) {
  Grasp grasp;
  grasp.object = object;
  const MovingBody own(model, state, object, "--object");
  const ModelBody& body = model.bodies[at(own.index)];
  require(body.nv > 0, "--object {}: this body is fixed to another and has no motion of its own.", object);
  double length = 0.0;
  for (const SceneProblem::Place& place : scene.places)
    if (place.is_contact && (place.a == own.index || place.b == own.index))
      length = std::max(length, (place.point - own.center).norm());
  if (length > 0.0) grasp.length = length;

  // rows of turns in units of the length; of all contacts, only those that act on the object's own speeds
  // count
  AccelerationProblem scaled = scene.problem;
  std::vector<int> coordinates;
  for (int i = body.v0; i < body.v0 + body.nv; ++i) {
    coordinates.push_back(i);
    grasp.coordinates.push_back(scene.coordinates[at(i)]);
    if (!is_rotation(model, i)) continue;
    for (AccelerationContact& contact : scaled.contacts) {
      contact.normal[i] /= grasp.length;
      contact.tangent.col(i) /= grasp.length;
    }
  }
  grasp.closure = find_closure(scaled, coordinates);
  return grasp;
}

}  // namespace rigor
