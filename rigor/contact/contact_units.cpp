// ContactRows::assemble_units(): an island as its units and half vectors, without a matrix.
#include <algorithm>

#include "rigor/base/index.hpp"
#include "rigor/contact/contact_rows.hpp"

namespace rigor {
namespace {

// The two nodes (three half velocities each) of a free body, for a block of three rows.
void add_free_nodes(const double* Y, std::vector<Block3>& half) {
  half.push_back({{Y[0], Y[1], Y[2], 0.0, Y[6], Y[7], Y[8], 0.0, Y[12], Y[13], Y[14], 0.0}});
  half.push_back({{Y[3], Y[4], Y[5], 0.0, Y[9], Y[10], Y[11], 0.0, Y[15], Y[16], Y[17], 0.0}});
}

}  // namespace

void ContactRows::assemble_units(const ContactIsland& island, const Eigen::VectorXd& u_free,
                                 bool normals_only, UnitAssembly& out, std::span<const char> moves) const {
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
    double* const q = problem.q.data() + 3 * c;
    std::copy_n(u_free.data() + block.first, contact.size, q);
    if (!normals_only) q[0] += block.offset;
    for (int k = 0; k < block.part_count; ++k) {
      const OneSidedBlock::Part& part = block.parts[k];
      if (!moves.empty() && !moves[at(part.unit)]) continue;
      const int nodes = static_cast<int>(part.half + 2) / 3;
      int& number = out.number[at(part.unit)];
      if (number < 0) {
        number = static_cast<int>(out.units.size());
        out.units.push_back(part.unit);
        problem.node_begin.push_back(problem.node_begin.back() + nodes);
      }
      contact.parts[contact.part_count++] = {number, static_cast<int>(problem.half.size())};
      if (part.is_free && contact.size == 3) {
        add_free_nodes(Y_.data() + part.Y, problem.half);
        continue;
      }
      // a node is a 3 x 3 block: its rows are three half velocities, its columns the rows of the contact
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
