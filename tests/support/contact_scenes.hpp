#pragma once

#include <string>

#include "rigor/model/scene.hpp"

/// Scenes with contact that have a formula, and mechanisms that touch something.
namespace rigor::test {

/// A shape of the floor's material, on a body or the world.
[[nodiscard]] ShapeInstance make_shape(const Shape& geometry, const Pose& pose);
[[nodiscard]] ShapeInstance make_shape(const Shape& geometry,
                                       const Eigen::Vector3d& position = Eigen::Vector3d::Zero());

/// The floor z = 0 of friction mu, and nothing else. Bodies that name no material take its law.
[[nodiscard]] Scene make_floor(double mu);
/// A floor whose normals give way.
[[nodiscard]] Scene make_soft_floor(double mu, double stiffness, double damping);

/// A free box of this size and mass with its centre at `position`.
Body& add_box(Scene& scene, const std::string& name, const Eigen::Vector3d& size, double mass,
              const Eigen::Vector3d& position);
Body& add_sphere(Scene& scene, const std::string& name, double radius, double mass,
                 const Eigen::Vector3d& position);

/// Case A of the reference: a cube of 1 m and 1 kg slides at 5 m/s along y and spins at 2π on a floor with mu
/// = 1. `soft`: normals with the stiffness and damping of Table 1, else rigid.
[[nodiscard]] Scene make_spinning_cube(bool soft);

/// A block on the slope tan = `slope` in the plane xz, mu = 0.5; gravity is tilted, the floor stays level.
[[nodiscard]] Scene make_incline(double slope, double mu);

/// "free box", "chain", "four-bar", "slider", "door", "wheel": mechanisms that meet the floor, a limit or a
/// stop.
[[nodiscard]] Scene make_mechanism(const std::string& name);
inline constexpr const char* kMechanisms[] = {"free box", "chain", "four-bar", "slider", "door", "wheel"};

}  // namespace rigor::test
