// Time of a step with contact, by stage. One thread; each line the least of several runs.
//
//   step_bench                 box, chain, wall and pile with every formulation
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "rigor/model/scene_words.hpp"
#include "rigor/stepping/simulation.hpp"

namespace rigor {
namespace {

Scene make_floor(double mu) {
  Scene scene;
  Material material;
  material.name = "stone";
  material.mu = {mu, mu};
  scene.materials.push_back(material);
  ShapeInstance floor;
  floor.geometry = HalfSpace{};
  floor.material = "stone";
  scene.shapes.push_back(floor);
  return scene;
}

Body make_body(const std::string& name, const Shape& shape, const Eigen::Vector3d& position) {
  Body body;
  body.name = name;
  body.mass = 1.0;
  body.pose.position = position;
  ShapeInstance instance;
  instance.geometry = shape;
  instance.material = "stone";
  body.shapes.push_back(instance);
  return body;
}

Scene make_sliding_box() {
  Scene scene = make_floor(0.5);
  scene.bodies.push_back(make_body("box", Box{{0.4, 0.3, 0.2}}, {0.0, 0.0, 0.1}));
  scene.bodies[0].velocity.linear = {3.0, 1.0, 0.0};
  return scene;
}

// Five links on ball joints that lie on the floor and slide.
Scene make_chain() {
  Scene scene = make_floor(0.4);
  for (int i = 0; i < 5; ++i) {
    Body link = make_body(fmt::format("link{}", i), Box{{0.4, 0.1, 0.1}}, {0.5, 0.0, 0.0});
    if (i == 0) {
      link.pose.position = {0.0, 0.0, 0.05};
      link.velocity.linear = {0.0, 2.0, 0.0};
    } else {
      link.joint.type = JointType::kBall;
      link.joint.parent = fmt::format("link{}", i - 1);
      link.joint.pose.position = {-0.25, 0.0, 0.0};
    }
    scene.bodies.push_back(link);
  }
  return scene;
}

// Bricks, five courses of five, the upper ones shifted by half a brick.
Scene make_wall() {
  Scene scene = make_floor(0.6);
  for (int row = 0; row < 5; ++row)
    for (int k = 0; k < 5; ++k)
      scene.bodies.push_back(make_body(fmt::format("brick{}{}", row, k), Box{{0.4, 0.2, 0.2}},
                                       {0.401 * k + 0.2 * (row % 2), 0.0, 0.1 + 0.2 * row}));
  return scene;
}

// The cannonball pile of ten rows, in the plane.
Scene make_pile() {
  Scene scene = make_floor(0.8);
  scene.planar = Plane::kXZ;
  for (int row = 0; row < 10; ++row)
    for (int k = 0; k < 10 - row; ++k)
      scene.bodies.push_back(make_body(fmt::format("ball{}_{}", row, k), Disk{0.5},
                                       {k + 0.5 * row, 0.0, 0.5 + 0.5 * std::sqrt(3.0) * row}));
  return scene;
}

void measure(const char* name, Scene scene, Formulation formulation) {
  scene.run.formulation = formulation;
  scene.run.dt = 1e-3;
  scene.run.until = 0.1;
  StepTimes least;
  double best = std::numeric_limits<double>::infinity();
  RunTotals totals;
  for (int repetition = 0; repetition < 5; ++repetition) {
    Simulation simulation(scene);
    while (!simulation.is_finished())
      if (const StepReport report = simulation.step(); !report.is_taken()) {
        fmt::print("{:<6} {:<16} {}\n", name,
                   names_of(Kind<Formulation>{})[static_cast<std::size_t>(formulation)], report.message);
        return;
      }
    const StepTimes& times = simulation.totals().times;
    const double all = times.collision + times.assembly + times.solve + times.rest;
    if (all >= best) continue;
    best = all;
    least = times;
    totals = simulation.totals();
  }
  const auto us = [&](double seconds) { return 1e6 * seconds / static_cast<double>(totals.steps); };
  fmt::print("{:<6} {:<16} {:>8} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1f} {:>10.1e}\n", name,
             names_of(Kind<Formulation>{})[static_cast<std::size_t>(formulation)], totals.most_contacts,
             us(least.collision), us(least.assembly), us(least.solve), us(least.rest), us(best),
             totals.worst_residual);
  std::fflush(stdout);  // the next line may take a while
}

}  // namespace
}  // namespace rigor

int main() {
  using rigor::Formulation;
  fmt::print("{:<6} {:<16} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "scene", "formulation",
             "contacts", "collide us", "assemble", "solve", "rest", "step us", "residual");
  for (const Formulation formulation : {Formulation::kCone, Formulation::kConvex, Formulation::kAnitescuPotra,
                                        Formulation::kStewartTrinkle}) {
    rigor::measure("box", rigor::make_sliding_box(), formulation);
    rigor::measure("chain", rigor::make_chain(), formulation);
    rigor::measure("wall", rigor::make_wall(), formulation);
    rigor::measure("pile", rigor::make_pile(), formulation);
  }
}
