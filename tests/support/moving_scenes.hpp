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

}  // namespace rigor::test
