#include "rigor/contact/kept_start.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

constexpr double kMost = 1e-11;  // m/s: where rounding leaves more, the solver looks for a better start

}  // namespace

bool KeptStart::holds(const ContactQuestion& question, bool is_convex, ContactAnswer& answer) {
  if (!answer.has_start) return false;
  const ContactIsland& island = question.island;
  const auto block_at = [&](int k) -> const OneSidedBlock& {
    return question.rows.blocks()[static_cast<std::size_t>(k)];
  };

  // u = W r + q, and the mean diagonal of W
  u_.resize(island.rows);
  double trace = 0.0, largest = 0.0, speeds = 0.0;
  int first = 0;
  for (const int k : island.blocks) {
    const OneSidedBlock& block = block_at(k);
    for (int i = 0; i < block.size; ++i) {
      u_[first + i] = question.u_free[block.first + i] + (i == 0 ? block.offset : 0.0);
      largest = std::max(largest, std::abs(u_[first + i]));
      speeds += u_[first + i] * u_[first + i];
    }
    trace += block.trace + block.compliance;
    first += block.size;
  }
  const double mean = trace > 0.0 ? trace / island.rows : 1.0;
  double squares = 0.0;
  first = 0;
  for (const int k : island.blocks) {
    const int size = block_at(k).size;
    if (answer.r[first] != 0.0)
      for (int i = first; i < first + size; ++i)
        squares += mean * mean * answer.r[i] * answer.r[i] + u_[i] * u_[i];
    first += size;
  }
  if (squares == 0.0) return false;  // no impulses: solving is as cheap
  question.rows.add_product(island, answer.r, half_, u_);

  double residual = 0.0, outside = 0.0;
  first = 0;
  for (const int k : island.blocks) {
    const OneSidedBlock& block = block_at(k);
    const double *const r = answer.r.data() + first, *const u = u_.data() + first;
    const double scaled[3] = {mean * r[0], block.size > 1 ? mean * r[1] : 0.0,
                              block.size > 2 ? mean * r[2] : 0.0};
    residual += squared_block_residual({0, block.size, block.mu}, is_convex, scaled, u);
    outside = std::max(outside, -scaled[0]);
    if (block.size > 1)
      outside =
          std::max(outside, std::sqrt(scaled[1] * scaled[1] + scaled[2] * scaled[2]) - block.mu * scaled[0]);
    first += block.size;
  }
  residual = std::sqrt(residual);
  const double contacts = static_cast<double>(island.blocks.size());
  const double enough = std::max(std::min(0.25 * cone_rounding(squares, std::sqrt(speeds)), kMost),
                                 kSpeedRounding * std::max(1.0, largest) * std::sqrt(contacts));
  if (!(residual <= enough)) return false;
  answer.status = Status::kSolved;
  answer.residual = residual;
  answer.iterations = 0;
  answer.force_freedom = answer.start_freedom;
  answer.velocity = answer.start_velocity;
  answer.method = "kept";
  answer.cone_violation = outside;
  return true;
}

}  // namespace rigor
