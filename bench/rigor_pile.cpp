#include "bench/rigor_pile.hpp"

#include "rigor/base/require.hpp"
#include "rigor/dynamics/kinematics.hpp"

namespace rigor {

Scene make_pile_scene(const PileScene& pile) {
  Scene scene;
  scene.gravity = pile.gravity;
  scene.run.dt = pile.h;
  scene.run.until = pile.steps * pile.h;
  scene.run.on_unsolved = RunSettings::OnUnsolved::kAccept;
  Material& stone = scene.materials.emplace_back();
  stone.name = "stone";
  stone.mu.along = stone.mu.across = pile.mu;
  for (const PilePlane& plane : pile.planes) {
    ShapeInstance& shape = scene.shapes.emplace_back();
    shape.geometry = HalfSpace{};
    shape.material = stone.name;
    shape.pose.position = plane.d * plane.n;
    shape.pose.rotation = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), plane.n);
  }
  for (const PileSphere& sphere : pile.spheres) {
    Body& body = scene.bodies.emplace_back();
    body.name = fmt::format("b{}", scene.bodies.size());
    body.mass = sphere.mass;
    const Eigen::Vector3d inertias = sphere.inertias();
    body.inertia = {inertias.x(), inertias.y(), inertias.z()};
    body.pose.rotation = sphere.start.turn;
    body.pose.position = sphere.start.p;
    body.velocity.linear = sphere.start.v;
    body.velocity.angular = sphere.start.w;
    ShapeInstance& shape = body.shapes.emplace_back();
    if (sphere.is_box())
      shape.geometry = Box{sphere.size};
    else
      shape.geometry = Sphere{sphere.radius};
    shape.material = stone.name;
  }
  return scene;
}

RigorPile::RigorPile(const Scene& scene) : simulation_(scene) {
  look();
}

StepReport RigorPile::step() {
  const StepReport report = simulation_.step();
  require(report.is_taken(), "t = {} s: {}", simulation_.state().t, report.message);
  is_seen_ = false;
  return report;
}

SphereMotion RigorPile::get_motion(int i) {
  if (!is_seen_) look();
  const BodyKinematics<double>& body = kin_.bodies[static_cast<std::size_t>(i) + 1];
  return {body.p, body.V.tail<3>(), body.angular_velocity(), Eigen::Quaterniond(body.R)};
}

void RigorPile::look() {
  compute_positions(simulation_.model(), simulation_.state().q, kin_);
  compute_velocities(simulation_.model(), simulation_.state().v, kin_);
  is_seen_ = true;
}

}  // namespace rigor
