#include <cstdio>

#include "rigor/io/scene_reader.hpp"
#include "rigor/io/scene_writer.hpp"
#include "rigor/stepping/simulation.hpp"

// Uses headers and code of every room that is there: a scene is read, checked, written and run, and a bad one
// refused.
int main() {
  const rigor::Scene scene = rigor::parse_scene(
      R"({"rigor": 1, "bodies": [{"name": "crate", "mass": "2*3", "joint": "prismatic"}]})");
  std::printf("%s: %g kg\n%s", scene.bodies[0].name.c_str(), *scene.bodies[0].mass,
              rigor::write_scene(scene).c_str());
  rigor::Simulation simulation(scene);
  if (!simulation.run().is_taken()) return 1;
  if (simulation.state().q[0] > -4.0) return 1;  // a second of falling
  try {
    (void)rigor::parse_scene(R"({"rigor": 1, "bodies": [{"name": "crate", "mass": -2}]})");
  } catch (const rigor::InvalidInput& error) {
    std::printf("Rigor answers: %s\n", error.what());
    return scene.bodies[0].mass == 6.0 ? 0 : 1;
  }
  return 1;
}
