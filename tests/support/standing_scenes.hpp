#pragma once

#include "rigor/model/scene.hpp"

/// Things that stand, or lie, by friction alone: piles, masonry and cards, in the order in which they get
/// harder. All touch without overlap at the start, so that whatever moves is the fault of a step. dt = 0.01
/// s.
namespace rigor::test {

/// Boxes of 1 m on top of each other, mu = 0.5; the top one has `top_mass`, the others 1 kg.
[[nodiscard]] Scene make_tower(int boxes, double top_mass);

/// Bricks of 2 by 1 by 1 m in courses, each shifted by half a brick, 2 mm between them; mu = 0.6.
[[nodiscard]] Scene make_wall(int courses, int bricks);

/// Boxes of 2 m, k by k of them in layer k from the top: 15 layers are 1240 boxes; mu = 0.5.
[[nodiscard]] Scene make_pyramid(int layers);

/// SimBenchmark's tower of 102 wooden blocks of 10 kg, 17 on each of 6 floors; mu = 0.8. The outermost beams
/// are carried along one half only: their centre of mass is over the edge of what carries them.
[[nodiscard]] Scene make_kapla_tower(int floors);

/// A half-circle of `stones` equal wedges, radii 4 and 5 m, 1 m deep, of 1000 kg/m³; mu = 0.8.
[[nodiscard]] Scene make_arch(int stones);

/// Cards of 88 by 57 by 1 mm and 5 g, `levels` at the bottom: pairs that lean against each other by 20
/// degrees, and flat ones that carry the next level; mu = 0.6.
[[nodiscard]] Scene make_card_house(int levels);

/// Links of 0.4 m on ball joints, lying in an arc on the floor and thrown; mu = 0.5.
[[nodiscard]] Scene make_lying_chain(int links);

/// A triangle of disks of 1 m and 1 kg in the plane x, z, `rows` of them at the bottom, between walls.
[[nodiscard]] Scene make_cannonballs(int rows, double mu);

/// side³ spheres of 0.1 m and 1 kg in a box, all touching their neighbours in a cubic lattice.
[[nodiscard]] Scene make_lattice(int side, double mu);

/// `count` spheres of 0.1 m and 1 kg over the floor of a box of the width of their cube root, on a lattice
/// with 1 cm between them and a little noise.
[[nodiscard]] Scene make_falling_spheres(int count, double mu);

/// SimBenchmark's "rolling": a box of 20 by 20 by 1 m and 10 kg on the ground, mu = 0.4, pulled by a force
/// [N], and 25 balls of 0.5 m and 1 kg on it, mu = 0.8. All overlap by 2e-5 m at the start; dt = 1 ms, 4 s.
[[nodiscard]] Scene make_rolling(const Eigen::Vector2d& force);

}  // namespace rigor::test
