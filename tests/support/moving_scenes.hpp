#pragma once

#include "rigor/model/scene.hpp"

/// Things that move, so that neither rest nor the answer of the step before is of much help: mu = 0.5, dt = 1/240 s,
/// as games and robots are stepped. Sizes and masses as in the samples of other engines.
namespace rigor::test {

/// `courses` rows of as many bricks of 0.4 by 0.2 by 0.2 m, 16 kg, a millimetre between them, and a ball of 0.3 m and
/// 150 kg that flies at their middle at 10 m/s.
[[nodiscard]] Scene make_wall_and_ball(int courses);

/// Cubes of 0.5 m and 1 kg on top of each other; the sixth is kicked at 6 m/s.
[[nodiscard]] Scene make_kicked_tower(int cubes);

/// Boxes of 0.12 to 0.24 m, water's density, turned at random, that fall from a lattice onto the floor.
[[nodiscard]] Scene make_heap(int boxes);

/// Stones of 2 by 10 by 20 cm, 8 cm apart on an arc of 0.9 m; the first one falls.
[[nodiscard]] Scene make_dominoes(int stones);

/// Spheres, boxes, capsules and hulls of twelve points by turns, 0.1 to 0.19 m, water's density, turned at random, that
/// fall in layers of 36 into a bin of 1.5 m by 1.5 m.
[[nodiscard]] Scene make_mixed_bin(int bodies);

/// Spheres of 0.1 m across, water's density, that fall into the same bin as a column of 4 by 4, at 2 m/s.
[[nodiscard]] Scene make_poured_spheres(int count);

/// `tail` and `ring` capsules 0.2 m long on ball joints, the ring closed, that fall crooked onto the floor from 1.2 m.
[[nodiscard]] Scene make_chain_with_loop(int tail, int ring);

/// Capsules 6 cm long and 2.4 cm thick on ball joints with a little damping, that fall over a bar 1 m above the floor,
/// and slide off it.
[[nodiscard]] Scene make_rope(int links);

/// The humanoid of robot_scenes.hpp at 1.5 m/s, whose motors hold its pose, before a sill of 8 cm. dt = 5 ms.
[[nodiscard]] Scene make_stumbling_robot();

}  // namespace rigor::test
