#pragma once

#include "tests/support/random_forest.hpp"

namespace rigor::test {

/// One of every type of constraint between random bodies of a scene, with random points and axes.
void add_random_constraints(Scene& scene, std::uint64_t seed);

/// `count` bodies without mass, each on a revolute or prismatic joint that a gear ties to the joint of a body
/// that has mass: M is singular, M on the constraints is not.
void add_massless_bodies(Scene& scene, int count, std::uint64_t seed);

}  // namespace rigor::test
