#include "rigor/dynamics/assembly.hpp"

#include "rigor/model/scene_fields.hpp"

namespace rigor {
namespace {

// "constraint "pin": position x (0.12 m), …", at most five
std::string join_violations(const std::vector<Violation>& list, const char* unit) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 5); ++i)
    text += fmt::format(
        "{}{} ({:.3g} {}{})", i > 0 ? ", " : "", list[i].row, list[i].value, unit,
        list[i].against.empty() ? "" : fmt::format(", against {}", fmt::join(list[i].against, ", ")));
  if (list.size() > 5) text += fmt::format(" and {} more", list.size() - 5);
  return text;
}

void check(const Model& model, const Projector& projector, const ProjectionResult& result, const char* what,
           const char* unit, const char* remedy) {
  require(result.massless_speed < 0,
          "{}. Give the body mass and inertia, the joint an armature, or hold the motion by a constraint.",
          result.massless_speed < 0 ? "" : describe_massless(model, result.massless_speed));
  if (result.ok) return;
  const std::vector<Violation> left = projector.list_violations(1e-10);
  throw InvalidInput(fmt::format("The constraints cannot hold together at the initial {}: {} left of {}. {}",
                                 what, fmt::format("{:.3g} {}", result.error, unit),
                                 join_violations(left, unit), remedy));
}

// Axes that should be parallel may have come out antiparallel, where the rows vanish too.
void check_welds(const Model& model, const Kinematics<double>& kin) {
  for (const ModelConstraint& constraint : model.constraints) {
    const auto* weld = std::get_if<WeldConstraint>(&constraint.geometry);
    if (weld == nullptr || constraint.stiffness) continue;
    const Eigen::Matrix3d Ra =
        kin.bodies[static_cast<std::size_t>(constraint.a)].R * weld->frame_a.rotation.toRotationMatrix();
    const Eigen::Matrix3d Rb =
        kin.bodies[static_cast<std::size_t>(constraint.b)].R * weld->frame_b.rotation.toRotationMatrix();
    require((Ra - Rb).cwiseAbs().maxCoeff() < 1e-6,
            "constraint \"{}\": the frames were assembled turned against each other. Start closer to the "
            "welded pose.",
            constraint.name);
  }
}

}  // namespace

std::string describe_massless(const Model& model, int speed) {
  const ModelBody& body =
      model.bodies[static_cast<std::size_t>(model.speeds[static_cast<std::size_t>(speed)].body)];
  return fmt::format(
      "body \"{}\", coordinate {} of its {} joint, can move without moving any mass, and no constraint holds "
      "it",
      body.name, speed - body.v0, names_of(Kind<JointType>{})[static_cast<std::size_t>(body.type)]);
}

Assembly assemble(const Model& model) {
  ConstrainedSystem system(model);
  Projector projector(system);
  Assembly assembly;
  State& state = assembly.state;
  state = make_state(model);
  const Eigen::VectorXd given = state.q;
  projector.set_prescribed(state.t, state.q, state.v);

  const ProjectionResult positions = projector.project_positions(state.t, state.q);
  check(model, projector, positions, "positions", "m or rad",
        "Change the bodies' poses, the joints' q or the constraints' points; a start close to the solution "
        "helps.");
  check_welds(model, system.kinematics());
  assembly.error = positions.error;
  if (state.q.size() > 0) assembly.moved = (state.q - given).cwiseAbs().maxCoeff();

  const ProjectionResult velocities = projector.project_velocities(state.t, state.q, state.v);
  check(model, projector, velocities, "velocities", "m/s or rad/s",
        "Change the prescribed speeds; where the mechanism is singular, start elsewhere.");
  return assembly;
}

}  // namespace rigor
