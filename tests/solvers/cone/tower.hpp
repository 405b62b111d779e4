#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>

#include "rigor/math/random.hpp"
#include "rigor/solvers/cone/unit_cone_matrix.hpp"
#include "rigor/solvers/problems/cone_problem.hpp"

namespace rigor::test {

// Cubes of 1 m and 1 kg on top of one another, `per_face` = 4 points each; free velocity −g h plus noise.
struct Tower {
  UnitConeProblem units;
  Eigen::MatrixXd Y;  // half velocities x rows, of the same
};

inline Tower make_tower(int cubes, double mu, double push, double noise, std::uint64_t seed) {
  Tower tower;
  Random random(seed);
  for (int k = 0; k < cubes; ++k) tower.units.node_begin.push_back(2 * (k + 1));
  Eigen::VectorXd v(6 * cubes);
  for (double& x : v) x = noise * random.gaussian();
  for (int k = 0; k < cubes; ++k) v[6 * k + 5] -= 0.0981;
  v[6 * cubes - 3] += push;
  Eigen::VectorXd half_mass(6);
  half_mass << Eigen::Vector3d::Constant(std::sqrt(1.0 / 6.0)), Eigen::Vector3d::Ones();
  const int contacts = 4 * cubes;
  tower.Y.setZero(6 * cubes, 3 * contacts);
  for (int c = 0; c < contacts; ++c) {
    const int upper = c / 4;
    const Eigen::Vector3d point(c % 2 ? 0.5 : -0.5, c % 4 / 2 ? 0.5 : -0.5, upper);
    const Eigen::Vector3d axes[3] = {Eigen::Vector3d::UnitZ(), Eigen::Vector3d::UnitX(),
                                     Eigen::Vector3d::UnitY()};
    UnitConeProblem::Contact& contact = tower.units.contacts.emplace_back();
    for (const auto& [body, sign] : {std::pair{upper, 1.0}, {upper - 1, -1.0}}) {
      if (body < 0) continue;
      contact.parts[contact.part_count++] = {body, static_cast<int>(tower.units.half.size())};
      Block3 nodes[2] = {Block3::zero(), Block3::zero()};
      for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d turn = (point - Eigen::Vector3d(0, 0, body + 0.5)).cross(axes[k]);
        for (int j = 0; j < 3; ++j) {
          nodes[0](j, k) = sign * turn[j] / half_mass[j];
          nodes[1](j, k) = sign * axes[k][j] / half_mass[3 + j];
          tower.Y(6 * body + j, 3 * c + k) = nodes[0](j, k);
          tower.Y(6 * body + 3 + j, 3 * c + k) = nodes[1](j, k);
        }
      }
      tower.units.half.insert(tower.units.half.end(), nodes, nodes + 2);
    }
  }
  Eigen::VectorXd half_v = v;
  for (int k = 0; k < cubes; ++k) half_v.segment<6>(6 * k).array() *= half_mass.array();
  tower.units.q = tower.Y.transpose() * half_v;
  tower.units.mu.setConstant(contacts, mu);
  return tower;
}

inline ConeProblem to_dense(const Tower& tower) {
  ConeProblem problem;
  problem.W = tower.Y.transpose() * tower.Y;
  problem.q = tower.units.q;
  for (int c = 0; c < static_cast<int>(tower.units.contacts.size()); ++c) {
    problem.blocks.push_back({3 * c, 3, tower.units.mu[c]});
    problem.W(3 * c, 3 * c) += tower.units.contacts[static_cast<std::size_t>(c)].compliance;
  }
  return problem;
}

}  // namespace rigor::test
