#include "rigor/stepping/anchor_holder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

constexpr double kTooFar = 2e-10;  // m: anchors that are further apart are brought together,
constexpr double kApart = 1e-12;   // m: as near as this
constexpr double kStill = 1e-13;   // m, or of a rotation matrix: a body that moved less is not moved
constexpr double kRounded = 32.0 * std::numeric_limits<double>::epsilon();  // of coordinates, added to kApart
constexpr int kMaxMoves = 8;                                                // a factor of ω h each
constexpr double kReduction = 1e-3;  // of the equations' error, in one solve: the rows are no better
constexpr int kMaxIterations = 60;
constexpr double kBlocked = 1e-12;          // of a contact's trace: a row whose W_ii is less cannot move
constexpr std::size_t kLeastFactored = 24;  // blocks of a group for which a factor costs less than products
constexpr double kCompliance = 1e-6;        // α of (2), of each block's own W
constexpr int kMaxCorrections = 8;          // of (2)
constexpr double kFalls = 0.7;         // of ‖b − W p‖: a correction that leaves more is the last one
constexpr double kContradicts = 1e-6;  // rᵀ W r / r², W of unit diagonal: no motion makes less of this error

}  // namespace

int AnchorHolder::hold(ContactStep& step, ConstrainedSystem& system, Kinematics<double>& kin,
                       Eigen::VectorXd& q) {
  if (!find_torn(step, kin)) return 0;
  find_groups(step, system, kin);
  errors_.setZero(step.rows.size());
  active_.setZero(step.rows.size());
  shifts_.setZero(step.rows.size());
  total_.setZero(system.model().nv);
  int moves = 0;
  for (; moves < kMaxMoves; ++moves) {
    bool any = false;
    pushes_.setZero(step.rows.size());
    for (std::size_t i = 0; i < group_count_; ++i) {
      double& last = last_[i];
      if (last == 0.0) continue;
      const double error = find_errors(step, groups_[i], kin);
      last = error < 0.5 * last ? error : 0.0;
      if (last == 0.0) continue;
      solve_group(step, i);
      any = true;
    }
    if (!any) break;
    move_all(step, system, kin, q);
  }
  if (moves > 0) shift_distances(step, kin);
  return moves;
}

// Which islands have anchors that are too far apart; false where none has. Lets go those that are torn.
bool AnchorHolder::find_torn(ContactStep& step, const Kinematics<double>& kin) {
  bool any = false;
  is_apart_.assign(step.rows.islands().size(), 0);
  for (std::size_t k = 0; k < step.anchors.size(); ++k) {
    ContactAnchor& anchor = step.anchors[k];
    if (!anchor.is_held) continue;
    const Contact& contact = step.contact_of(step.candidates[k]);
    if (!step.moves_first && !step.before[at(contact.a)].moved && !step.before[at(contact.b)].moved) continue;
    const OneSidedBlock& block = step.rows.blocks()[at(step.candidates[k].block)];
    const Eigen::Vector3d e = find_error(step, block, anchor, kin);
    const double square = e.squaredNorm();
    if (square <= kTooFar * kTooFar) continue;
    const BodyKinematics<double>&a = kin.bodies[at(contact.a)], &b = kin.bodies[at(contact.b)];
    const double way =
        step.h * (a.velocity_at(contact.point - a.p).norm() + b.velocity_at(contact.point - b.p).norm());
    anchor.is_torn = square > (way + kTouch) * (way + kTouch);
    anchor.is_held = !anchor.is_torn;
    if (anchor.is_torn) continue;
    is_apart_[at(step.island_of[at(step.candidates[k].block)])] = 1;
    any = true;
  }
  return any;
}

// Of each such island the blocks of what moves: bodies that do not are as good as fixed.
void AnchorHolder::find_groups(const ContactStep& step, const ConstrainedSystem& system,
                               const Kinematics<double>& kin) {
  moves_.assign(at(system.unit_count()), step.moves_first ? 1 : 0);
  std::fill_n(moves_.begin(), system.islands().list.size(), 1);
  for (std::size_t b = 1; b < step.before.size(); ++b) {
    const ModelBody& body = system.model().bodies[b];
    if (body.nv == 0 || !step.before[b].moved) continue;
    if ((kin.bodies[b].p - step.before[b].p).cwiseAbs().maxCoeff() > kStill ||
        (kin.bodies[b].R - step.before[b].R).cwiseAbs().maxCoeff() > kStill)
      moves_[at(system.unit_of(body.v0))] = 1;
  }
  group_count_ = 0;
  for (std::size_t i = 0; i < is_apart_.size(); ++i) {
    if (!is_apart_[i]) continue;
    if (groups_.size() == group_count_) groups_.emplace_back();
    ContactIsland& group = groups_[group_count_++];
    group.blocks.clear();
    group.rows = 0;
    for (const int k : step.rows.islands()[i].blocks) {
      const OneSidedBlock& block = step.rows.blocks()[at(k)];
      if (!moves_[at(block.parts[0].unit)] && (block.part_count < 2 || !moves_[at(block.parts[1].unit)]))
        continue;
      group.blocks.push_back(k);
      group.rows += block.size;
    }
  }
  last_.assign(group_count_, std::numeric_limits<double>::infinity());
  if (factors_.size() < group_count_) factors_.resize(group_count_);
  for (Factor& factor : factors_) factor.is_known = false;
}

// Right-hand sides of (1), and which rows have one; returns the largest that is not rounding, m.
double AnchorHolder::find_errors(const ContactStep& step, const ContactIsland& group,
                                 const Kinematics<double>& kin) {
  double worst = 0.0;
  for (const int k : group.blocks) {
    const OneSidedBlock& block = step.rows.blocks()[at(k)];
    if (block.source == BlockSource::kSpring) continue;
    active_[block.first] = step.r[block.first] > 0.0 ? 1.0 : 0.0;
    errors_[block.first] = shifts_[block.first] * active_[block.first];
    if (block.source == BlockSource::kContact) find_contact_errors(step, block, kin, worst);
  }
  return worst;
}

// The three directions of (1) in the contact's frame, m
Eigen::Vector3d AnchorHolder::find_error(const ContactStep& step, const OneSidedBlock& block,
                                         const ContactAnchor& anchor, const Kinematics<double>& kin) {
  const Contact& contact = step.contact_of(step.candidate_of(block));
  const Eigen::Vector3d apart = anchor.rolls ? anchor.slip : compute_separation(contact, anchor, kin);
  Eigen::Vector3d e = contact.frame.transpose() * apart;
  if (anchor.rolls || (step.moves_first && block.offset != 0.0))
    e[0] = 0.0;  // rolls off its points; or the velocity closes this gap
  else if (!step.moves_first)
    e[0] -= step.h * step.u[block.first];
  return e;
}

void AnchorHolder::find_contact_errors(const ContactStep& step, const OneSidedBlock& block,
                                       const Kinematics<double>& kin, double& worst) {
  const ContactAnchor& anchor = step.anchors[at(block.index)];
  if (!anchor.is_held) return;
  const Contact& contact = step.contact_of(step.candidate_of(block));
  const Eigen::Vector3d e = find_error(step, block, anchor, kin);
  const double enough = kApart + kRounded * contact.point.cwiseAbs().maxCoeff();
  for (int k = 0; k < block.size; ++k) {
    const double scale = k == 2 ? contact.mu_ratio : 1.0;
    const int row = block.first + k;
    active_[row] = 1.0;
    errors_[row] = e[k] * scale;
    // what was not measured from points that have moved since
    if (anchor.rolls || (k == 0 && step.moves_first && block.offset != 0.0)) errors_[row] += shifts_[row];
    if (scale > 0.0 && std::abs(errors_[row]) > scale * enough)
      worst = std::max(worst, std::abs(errors_[row]) / scale);
  }
}

// Of every row of (1) 1/√W_ii, which gives heavy and light bodies equations of one kind, and 0 of the others.
void AnchorHolder::find_scales(const ContactStep& step, const ContactIsland& group) {
  scale_.resize(group.rows);
  int row = 0;
  for (const int k : group.blocks) {
    const OneSidedBlock& block = step.rows.blocks()[at(k)];
    const double tangent = block.size > 1 ? (block.trace - block.inverse_mass) / (block.size - 1) : 0.0;
    for (int i = 0; i < block.size; ++i, ++row) {
      const double own = i == 0 ? block.inverse_mass : tangent;
      scale_[row] =
          active_[block.first + i] != 0.0 && own > kBlocked * block.trace ? 1.0 / std::sqrt(own) : 0.0;
    }
  }
}

// image_ = W r_ in scaled rows
void AnchorHolder::multiply(const ContactStep& step, const ContactIsland& group) {
  scaled_ = r_.cwiseProduct(scale_);
  image_.setZero(group.rows);
  step.rows.add_product(group, moves_, scaled_, half_, image_);
  image_.array() *= scale_.array();
}

void AnchorHolder::solve_group(const ContactStep& step, std::size_t i) {
  const ContactIsland& group = groups_[i];
  find_scales(step, group);
  Factor& factor = factors_[i];
  if (group.blocks.size() >= kLeastFactored) {
    if (!factor.is_known) make_factor(step, group, factor);
    if (factor.is_regular) return solve_by_factor(step, group, factor);
  }
  solve_by_residuals(step, group);
}

// Rows that are none of (1) are those of the identity.
void AnchorHolder::make_factor(const ContactStep& step, const ContactIsland& group, Factor& factor) {
  step.rows.assemble_units(group, errors_, false, factor.units, moves_);
  UnitConeProblem& problem = factor.units.problem;
  for (UnitConeProblem::Contact& contact : problem.contacts) contact.compliance = 0.0;
  factor.matrix.set(problem);
  factor.D.assign(problem.contacts.size(), Block3::zero());
  int row = 0;
  for (std::size_t c = 0; c < problem.contacts.size(); ++c)
    for (int k = 0; k < problem.contacts[c].size; ++k, ++row)
      if (scale_[row] != 0.0) factor.D[c](k, k) = 1.0 / kCompliance;
  factor.is_known = true;
  factor.is_regular = factor.matrix.factor(factor.D);
}

// (2)
void AnchorHolder::solve_by_factor(const ContactStep& step, const ContactIsland& group, Factor& factor) {
  const std::vector<UnitConeProblem::Contact>& contacts = factor.units.problem.contacts;
  const Eigen::VectorXd& unit = factor.matrix.scale();
  const auto for_each_row = [&](auto&& act) {
    int row = 0;
    for (Eigen::Index c = 0; c < unit.size(); ++c)
      for (int k = 0; k < contacts[at(c)].size; ++k, ++row) act(row, 3 * c + k, unit[c]);
  };
  step.rows.gather(group, errors_, r_);
  rest_.setZero(3 * unit.size());
  for_each_row([&](int row, Eigen::Index i, double scale) {
    if (scale_[row] != 0.0) rest_[i] = -scale * r_[row];
  });
  sum_.setZero(rest_.size());
  double left = rest_.norm();
  const double enough = kReduction * left;
  for (int k = 0; k < kMaxCorrections && left > enough; ++k) {
    scaled_rest_ = rest_ / kCompliance;
    factor.matrix.solve(scaled_rest_, change_, speeds_);
    sum_ += change_;
    product_.setZero(rest_.size());
    factor.matrix.add_product(change_, product_);
    for_each_row([&](int row, Eigen::Index i, double) {
      if (scale_[row] != 0.0) rest_[i] -= product_[i];
    });
    const double before = left;
    left = rest_.norm();
    if (!(left < kFalls * before)) break;
  }
  p_.resize(group.rows);
  for_each_row([&](int row, Eigen::Index i, double scale) { p_[row] = scale * sum_[i]; });
  step.rows.scatter(group, p_, pushes_);
}

// Conjugate residuals: W p = −errors, residual r, of least ‖r‖ over the directions so far.
void AnchorHolder::solve_by_residuals(const ContactStep& step, const ContactIsland& group) {
  step.rows.gather(group, errors_, r_);
  r_.array() *= -scale_.array();
  const double enough = kReduction * kReduction * r_.squaredNorm();
  p_.setZero(group.rows);
  double square = 0.0;  // rᵀ W r
  for (int k = 0; k < kMaxIterations; ++k) {
    const double left = r_.squaredNorm();
    if (left <= enough) break;
    multiply(step, group);
    const double next = r_.dot(image_);
    if (!(next > kContradicts * left)) break;
    if (k == 0) {
      direction_ = r_;
      Wdirection_ = image_;
    } else {
      direction_ = r_ + next / square * direction_;
      Wdirection_ = image_ + next / square * Wdirection_;
    }
    square = next;
    const double step_length = square / Wdirection_.squaredNorm();
    p_ += step_length * direction_;
    r_ -= step_length * Wdirection_;
  }
  p_.array() *= scale_.array();
  step.rows.scatter(group, p_, pushes_);
}

// d = M̂⁻¹ Hᵀ p, along what the constraints allow
void AnchorHolder::move_all(const ContactStep& step, ConstrainedSystem& system, Kinematics<double>& kin,
                            Eigen::VectorXd& q) {
  f_.setZero(system.model().nv);
  step.rows.add_forces(pushes_, f_);
  for (int unit = 0; unit < system.unit_count(); ++unit)
    if (!moves_[at(unit)]) f_.segment(system.first_speed(unit), system.unit_speeds(unit)).setZero();
  zero_rows_.resize(system.islands().list.size());
  for (std::size_t i = 0; i < zero_rows_.size(); ++i) zero_rows_[i].setZero(system.islands().list[i].rows);
  d_.setZero(system.model().nv);
  system.solve(f_, zero_rows_, d_);
  move(system.model(), d_, q);
  compute_positions(system.model(), q, kin);
  total_ += d_;
  step.rows.compute_speeds(total_, shifts_);
}

// Overlap is judged by gap + h u_n. The moves have made that true of the contacts that they hold, up to what
// they could not meet.
void AnchorHolder::shift_distances(ContactStep& step, const Kinematics<double>& kin) const {
  for (std::size_t i = 0; i < group_count_; ++i)
    for (const int k : groups_[i].blocks) {
      const OneSidedBlock& block = step.rows.blocks()[at(k)];
      double shift = shifts_[block.first];
      if (block.source == BlockSource::kContact && (!step.moves_first || block.offset == 0.0)) {
        const ContactAnchor& anchor = step.anchors[at(block.index)];
        if (anchor.is_held && !anchor.rolls) {
          shift = find_error(step, block, anchor, kin)[0];
          if (step.moves_first) step.distances[at(k)] = 0.0;  // s_n is the whole of it
        }
      }
      step.distances[at(k)] += shift;
    }
}

}  // namespace rigor
