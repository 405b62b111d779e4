// ContactRows::assemble_units(): an island as its units and half vectors, without a matrix.
#include <algorithm>

#include "rigor/contact/contact_rows.hpp"

namespace rigor {
namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

void ContactRows::assemble_units(const ContactIsland& island, const Eigen::VectorXd& u_free,
                                 bool normals_only, UnitAssembly& out) const {
  UnitConeProblem& problem = out.problem;
  problem.clear();
  const auto count = static_cast<Eigen::Index>(island.blocks.size());
  problem.q.setZero(3 * count);
  problem.mu.resize(count);
  out.number.resize(at(system_.unit_count()), -1);
  out.units.clear();
  for (Eigen::Index c = 0; c < count; ++c) {
    const OneSidedBlock& block = blocks_[at(island.blocks[static_cast<std::size_t>(c)])];
    UnitConeProblem::Contact& contact = problem.contacts.emplace_back();
    contact.size = normals_only ? 1 : block.size;
    contact.compliance = normals_only ? 0.0 : block.compliance;
    contact.is_open = !normals_only && block.compliance == 0.0 && block.offset > 0.0;
    problem.mu[c] = contact.size == 1 ? 0.0 : block.mu;
    problem.q.segment(3 * c, contact.size) = u_free.segment(block.first, contact.size);
    if (!normals_only) problem.q[3 * c] += block.offset;
    for (int k = 0; k < block.part_count; ++k) {
      const OneSidedBlock::Part& part = block.parts[k];
      const int nodes = static_cast<int>(part.half + 2) / 3;
      int& number = out.number[at(part.unit)];
      if (number < 0) {
        number = static_cast<int>(out.units.size());
        out.units.push_back(part.unit);
        problem.node_begin.push_back(problem.node_begin.back() + nodes);
      }
      contact.parts[contact.part_count++] = {number, static_cast<int>(problem.half.size())};
      // rows of a node are three half velocities, its columns the rows of the contact
      const ConstMap half = Y(block, k);
      for (int x = 0; x < nodes; ++x) {
        Block3& node = problem.half.emplace_back(Block3::zero());
        const int height = std::min(3, static_cast<int>(part.half) - 3 * x);
        for (int column = 0; column < contact.size; ++column)
          for (int row = 0; row < height; ++row) node(row, column) = half(3 * x + row, column);
      }
    }
  }
  for (const int unit : out.units) out.number[at(unit)] = -1;
}

}  // namespace rigor
