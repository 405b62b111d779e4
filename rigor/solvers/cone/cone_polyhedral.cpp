#include "rigor/solvers/cone/cone_polyhedral.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "rigor/math/portable.hpp"

namespace rigor {

ConePolyhedral make_polyhedral(const ConeSystem& system, int directions, double turn) {
  const auto sides = [&](const ConeBlock& block) {
    return block.size == 1 ? 0 : block.size == 2 ? 2 : directions;
  };
  Eigen::Index size = 0;
  for (const ConeBlock& block : system.blocks) size += block.size == 1 ? 1 : 2 + sides(block);
  ConePolyhedral result;
  const Eigen::Index n = system.q.size();
  result.to_impulse.setZero(n, size);
  result.problem.lo.setZero(size);
  result.problem.hi.setConstant(size, std::numeric_limits<double>::infinity());
  // the rows of λ and what λ adds to those of β
  Eigen::MatrixXd coupling = Eigen::MatrixXd::Zero(size, size);
  Eigen::Index column = 0;
  for (const ConeBlock& block : system.blocks) {
    const Eigen::Index normal = column++;
    result.to_impulse(block.first, normal) = 1.0;
    if (block.size == 1) {
      result.problem.lo[normal] = block.bounds.lower;
      result.problem.hi[normal] = block.bounds.upper;
      continue;
    }
    const Eigen::Index lambda = column + sides(block);
    coupling(lambda, normal) = block.mu;
    for (int k = 0; k < sides(block); ++k, ++column) {
      const double angle = 2.0 * std::numbers::pi * k / sides(block) + (block.size == 3 ? turn : 0.0);
      result.to_impulse(block.first + 1, column) = portable::cos(angle);
      if (block.size == 3) result.to_impulse(block.first + 2, column) = portable::sin(angle);
      coupling(lambda, column) = -1.0;
      coupling(column, lambda) = 1.0;
    }
    ++column;
  }
  result.problem.M = result.to_impulse.transpose() * system.W * result.to_impulse + coupling;
  result.problem.q = result.to_impulse.transpose() * system.q;
  return result;
}

}  // namespace rigor
