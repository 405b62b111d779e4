#include "rigor/contact/kept_start.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

constexpr double kMost = 1e-11;  // m/s: where rounding leaves more, the solver looks for a better start

}  // namespace

// q of u = W r + q, and the mean diagonal of W.
KeptStart::FreeSpeeds KeptStart::fill_free_speeds(const ContactQuestion& question) {
  const ContactIsland& island = question.island;
  u_.resize(island.rows);
  FreeSpeeds speeds;
  double trace = 0.0;
  int first = 0;
  for (const int k : island.blocks) {
    const OneSidedBlock& block = question.rows.blocks()[static_cast<std::size_t>(k)];
    for (int i = 0; i < block.size; ++i) {
      u_[first + i] = question.u_free[block.first + i] + (i == 0 ? block.offset : 0.0);
      speeds.largest = std::max(speeds.largest, std::abs(u_[first + i]));
      speeds.squares += u_[first + i] * u_[first + i];
    }
    trace += block.trace + block.compliance;
    first += block.size;
  }
  speeds.mean = trace > 0.0 ? trace / island.rows : 1.0;
  return speeds;
}

// Σ (mean r)² + q² of the contacts that the start presses: what the rounding of W r grows with.
double KeptStart::sum_pressed(const ContactQuestion& question, const Eigen::VectorXd& r, double mean) const {
  double squares = 0.0;
  int first = 0;
  for (const int k : question.island.blocks) {
    const int size = question.rows.blocks()[static_cast<std::size_t>(k)].size;
    if (r[first] != 0.0)
      for (int i = first; i < first + size; ++i) squares += mean * mean * r[i] * r[i] + u_[i] * u_[i];
    first += size;
  }
  return squares;
}

// Left side of (1), and how far impulses lie outside their cones.
KeptStart::Fit KeptStart::measure(const ContactQuestion& question, bool is_convex,
                                  const Eigen::VectorXd& r_all, double mean) const {
  Fit fit;
  int first = 0;
  for (const int k : question.island.blocks) {
    const OneSidedBlock& block = question.rows.blocks()[static_cast<std::size_t>(k)];
    const double *const r = r_all.data() + first, *const u = u_.data() + first;
    const double scaled[3] = {mean * r[0], block.size > 1 ? mean * r[1] : 0.0,
                              block.size > 2 ? mean * r[2] : 0.0};
    fit.residual += squared_block_residual({0, block.size, block.mu}, is_convex, scaled, u);
    fit.outside = std::max(fit.outside, -scaled[0]);
    if (block.size > 1)
      fit.outside = std::max(fit.outside,
                             std::sqrt(scaled[1] * scaled[1] + scaled[2] * scaled[2]) - block.mu * scaled[0]);
    first += block.size;
  }
  fit.residual = std::sqrt(fit.residual);
  return fit;
}

bool KeptStart::holds(const ContactQuestion& question, bool is_convex, ContactAnswer& answer) {
  if (!answer.has_start) return false;
  const FreeSpeeds speeds = fill_free_speeds(question);
  const double squares = sum_pressed(question, answer.r, speeds.mean);
  if (squares == 0.0) return false;  // no impulses: solving is as cheap
  question.rows.add_product(question.island, answer.r, half_, u_);
  const Fit fit = measure(question, is_convex, answer.r, speeds.mean);
  const double contacts = static_cast<double>(question.island.blocks.size());
  const double enough = std::max(std::min(0.25 * cone_rounding(squares, std::sqrt(speeds.squares)), kMost),
                                 kSpeedRounding * std::max(1.0, speeds.largest) * std::sqrt(contacts));
  if (!(fit.residual <= enough)) return false;
  answer.status = Status::kSolved;
  answer.residual = fit.residual;
  answer.iterations = 0;
  answer.force_freedom = answer.start_freedom;
  answer.velocity = answer.start_velocity;
  answer.method = "kept";
  answer.cone_violation = fit.outside;
  return true;
}

}  // namespace rigor
