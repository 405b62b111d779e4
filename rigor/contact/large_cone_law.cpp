#include "rigor/contact/large_cone_law.hpp"

#include <algorithm>

namespace rigor {

LargeConeLaw::LargeConeLaw(const RunSettings& settings, bool is_convex) {
  options_.tolerance = settings.tolerance;
  options_.associated = is_convex;
  options_.sweeps_first = settings.tolerance >= kSweepable;
  options_.max_iterations = settings.max_iterations;
}

bool LargeConeLaw::takes(const ContactRows& rows, const ContactIsland& island) {
  const auto block_at = [&](int k) -> const OneSidedBlock& {
    return rows.blocks()[static_cast<std::size_t>(k)];
  };
  if (block_at(island.blocks.front()).size == 2 && island.blocks.size() < kLeastPlanar) return false;
  for (const int k : island.blocks) {
    if (block_at(k).part_count < 2) continue;
    const double a = block_at(k).parts[0].inverse_mass, b = block_at(k).parts[1].inverse_mass;
    if (std::min(a, b) > 0.0 && std::max(a, b) > kUnlike * std::min(a, b)) return true;
  }
  if (island.blocks.size() < kLeastContacts) return false;
  // one mechanism is one dense block: its speeds beside the rows of its contacts decide
  int first = -1, second = -1, rows_in_all = 0;
  Eigen::Index speeds = 0;
  for (const int k : island.blocks) {
    rows_in_all += block_at(k).size;
    for (int p = 0; p < block_at(k).part_count; ++p) {
      const int unit = block_at(k).parts[p].unit;
      if (unit == first || unit == second) continue;
      if (first >= 0 && second >= 0) return true;
      (first < 0 ? first : second) = unit;
      speeds += block_at(k).parts[p].half;
    }
  }
  return island.blocks.size() >= kLeastOfMechanism && rows_in_all > speeds;
}

void LargeConeLaw::solve(const ContactQuestion& question, ContactAnswer& answer) {
  question.rows.assemble_units(question.island, question.u_free, false, assembly_);
  const auto& contacts = assembly_.problem.contacts;
  options_.warm = answer.has_start;
  options_.pool = question.pool;
  options_.slid = answer.start_slid;
  options_.start_freedom = answer.start_freedom;
  // impulses have the island's rows in the question, three per contact in the solver
  if (answer.has_start) {
    result_.r.setZero(3 * static_cast<Eigen::Index>(contacts.size()));
    Eigen::Index first = 0;
    for (std::size_t c = 0; c < contacts.size(); ++c) {
      result_.r.segment(3 * static_cast<Eigen::Index>(c), contacts[c].size) =
          answer.r.segment(first, contacts[c].size);
      first += contacts[c].size;
    }
  }
  solver_.solve(assembly_.problem, options_, result_);
  answer.r.resize(question.island.rows);
  Eigen::Index first = 0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    answer.r.segment(first, contacts[c].size) =
        result_.r.segment(3 * static_cast<Eigen::Index>(c), contacts[c].size);
    first += contacts[c].size;
  }
  answer.status = result_.status;
  answer.residual = result_.residual;
  answer.iterations = result_.iterations;
  answer.force_freedom = result_.force_freedom;
  answer.velocity = options_.associated ? VelocityVerdict::kUnique : VelocityVerdict::kUnknown;
  answer.method = result_.method;
  answer.cone_violation = result_.cone_violation;
}

}  // namespace rigor
