#pragma once

#include <cstdint>

#include "rigor/model/scene.hpp"

/// Robots with motors in every hinge: trees of hinges whose links carry capsules and spheres, which meet the floor, each
/// other (but for neighbours) and, in the hand, a box. dt = 5 ms, mu = 0.8. A motor is a spring and damper towards a
/// target, both implicit: `Joint::stiffness`, `damping` and `rest`, and stiffness · (target − rest) as its effort.
/// Links between the axes of a joint of several hinges have no mass; armatures give them inertia.
namespace rigor::test {

/// What the motors follow. Targets change at random every 0.125 s, and begin anew after 4 s.
enum class RobotMotion {
  kHold,  // the pose of reference
  kSway,  // 0.1 rad about it
  kMove,  // half of each range, about halfway between its middle and the pose of reference
};

/// 21 hinges on a free trunk, 40 kg, 1.5 m: 27 speeds. Two capsules a foot. Nothing balances it: in time it falls.
[[nodiscard]] Scene make_humanoid(RobotMotion motion, std::uint64_t seed = 1);

/// 12 hinges on a free trunk, 13 kg: 18 speeds. Feet are balls of 2 cm.
[[nodiscard]] Scene make_quadruped(RobotMotion motion, std::uint64_t seed = 1);

/// A palm on a wrist of two hinges, four fingers and a thumb of four hinges each, and a box of 0.2 kg that lies on the
/// palm between them: 28 speeds.
[[nodiscard]] Scene make_hand(RobotMotion motion, std::uint64_t seed = 1);

}  // namespace rigor::test
