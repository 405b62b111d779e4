#include "rigor/stepping/anchor_holder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

constexpr double kApart = 1e-12;  // m: anchors that are less apart stay
constexpr double kRounded = 32.0 * std::numeric_limits<double>::epsilon();  // of their coordinates, likewise
constexpr int kMaxMoves = 8;                                                // a factor of ω h each
constexpr double kReduction = 1e-3;  // of the equations' error, in one solve: the rows are no better
constexpr int kMaxIterations = 60;
constexpr double kBlocked = 1e-12;     // of a contact's trace: a row whose W_ii is less cannot move
constexpr double kContradicts = 1e-6;  // rᵀ W r / r², W of unit diagonal: no motion makes less of this error

}  // namespace

int AnchorHolder::hold(ContactStep& step, ConstrainedSystem& system, Kinematics<double>& kin,
                       Eigen::VectorXd& q) {
  if (!release_torn(step, kin)) return 0;
  const auto islands = step.rows.islands();
  last_.assign(islands.size(), std::numeric_limits<double>::infinity());
  errors_.setZero(step.rows.size());
  active_.setZero(step.rows.size());
  shifts_.setZero(step.rows.size());
  int moves = 0;
  for (; moves < kMaxMoves; ++moves) {
    bool any = false;
    pushes_.setZero(step.rows.size());
    for (std::size_t i = 0; i < islands.size(); ++i) {
      if (last_[i] == 0.0) continue;
      const double error = find_errors(step, islands[i], kin);
      const bool goes_on = error > 0.0 && error < 0.5 * last_[i];
      last_[i] = goes_on ? error : 0.0;
      if (!goes_on) continue;
      solve_island(step, islands[i]);
      any = true;
    }
    if (!any) break;
    if (moves == 0) total_.setZero(system.model().nv);
    move_all(step, system, kin, q);
  }
  if (moves > 0) shift_distances(step);
  return moves;
}

// Lets anchors go that are too far apart. False where none is left that is apart at all.
bool AnchorHolder::release_torn(ContactStep& step, const Kinematics<double>& kin) const {
  bool any = false;
  for (std::size_t k = 0; k < step.anchors.size(); ++k) {
    ContactAnchor& anchor = step.anchors[k];
    if (!anchor.is_held) continue;
    const Contact& contact = step.contact_of(step.candidates[k]);
    const BodyKinematics<double>&a = kin.bodies[at(contact.a)], &b = kin.bodies[at(contact.b)];
    if (!step.moves_first && !step.before[at(contact.a)].moved && !step.before[at(contact.b)].moved) continue;
    const Eigen::Vector3d s = anchor.rolls ? anchor.slip : compute_separation(contact, anchor, kin);
    const double way =
        step.h * (a.velocity_at(contact.point - a.p).norm() + b.velocity_at(contact.point - b.p).norm());
    anchor.is_torn = s.norm() > way + kTouch;
    anchor.is_held = !anchor.is_torn;
    any = any || anchor.is_held;
  }
  return any;
}

// Right-hand sides of (1), and which rows have one; returns the largest that is not rounding, m.
double AnchorHolder::find_errors(const ContactStep& step, const ContactIsland& island,
                                 const Kinematics<double>& kin) {
  double worst = 0.0;
  for (const int k : island.blocks) {
    const OneSidedBlock& block = step.rows.blocks()[at(k)];
    if (block.source == BlockSource::kSpring) continue;
    active_[block.first] = step.r[block.first] > 0.0 ? 1.0 : 0.0;
    errors_[block.first] = shifts_[block.first] * active_[block.first];
    if (block.source == BlockSource::kContact) find_contact_errors(step, block, kin, worst);
  }
  return worst;
}

void AnchorHolder::find_contact_errors(const ContactStep& step, const OneSidedBlock& block,
                                       const Kinematics<double>& kin, double& worst) {
  const ContactAnchor& anchor = step.anchors[at(block.index)];
  if (!anchor.is_held) return;
  const Contact& contact = step.contact_of(step.candidate_of(block));
  const int first = block.first;
  Eigen::Vector3d e =
      contact.frame.transpose() * (anchor.rolls ? anchor.slip : compute_separation(contact, anchor, kin));
  if (anchor.rolls) {
    e[1] += shifts_[first + 1];
    if (block.size == 3 && contact.mu_ratio > 0.0) e[2] += shifts_[first + 2] / contact.mu_ratio;
  } else if (!step.moves_first) {
    e[0] -= step.h * step.u[first];
  } else if (block.offset != 0.0) {
    e[0] = shifts_[first];  // the velocity closes this gap
  }
  const double rounding = kRounded * contact.point.cwiseAbs().maxCoeff();
  for (int k = anchor.rolls ? 1 : 0; k < block.size; ++k) {
    if (k == 2 && contact.mu_ratio == 0.0) continue;  // no friction that way
    active_[first + k] = 1.0;
    errors_[first + k] = e[k] * (k == 2 ? contact.mu_ratio : 1.0);
    if (std::abs(e[k]) > kApart + rounding) worst = std::max(worst, std::abs(e[k]));
  }
}

// Of every row of (1) 1/√W_ii, which gives heavy and light bodies equations of one kind, and 0 of the others.
void AnchorHolder::find_scales(const ContactStep& step, const ContactIsland& island) {
  scale_.resize(island.rows);
  int row = 0;
  for (const int k : island.blocks) {
    const OneSidedBlock& block = step.rows.blocks()[at(k)];
    const double tangent = block.size > 1 ? (block.trace - block.inverse_mass) / (block.size - 1) : 0.0;
    for (int i = 0; i < block.size; ++i, ++row) {
      const double own = i == 0 ? block.inverse_mass : tangent;
      scale_[row] = active_[block.first + i] && own > kBlocked * block.trace ? 1.0 / std::sqrt(own) : 0.0;
    }
  }
}

// image_ = W r_ in scaled rows; compliances are those of forces, and have no part in it
void AnchorHolder::multiply(const ContactStep& step, const ContactIsland& island) {
  scaled_ = r_.cwiseProduct(scale_);
  image_.setZero(island.rows);
  step.rows.add_product(island, scaled_, half_, image_);
  int first = 0;
  for (const int k : island.blocks) {
    image_[first] -= step.rows.blocks()[at(k)].compliance * scaled_[first];
    first += step.rows.blocks()[at(k)].size;
  }
  image_.array() *= scale_.array();
}

// Conjugate residuals: W p = −errors, residual r, of least ‖r‖ over the directions so far.
void AnchorHolder::solve_island(const ContactStep& step, const ContactIsland& island) {
  find_scales(step, island);
  step.rows.gather(island, errors_, r_);
  r_.array() *= -scale_.array();
  const double enough = kReduction * kReduction * r_.squaredNorm();
  p_.setZero(island.rows);
  double square = 0.0;  // rᵀ W r
  for (int k = 0; k < kMaxIterations; ++k) {
    const double left = r_.squaredNorm();
    if (left <= enough) break;
    multiply(step, island);
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
  step.rows.scatter(island, p_, pushes_);
}

// d = M̂⁻¹ Hᵀ p, along what the constraints allow
void AnchorHolder::move_all(const ContactStep& step, ConstrainedSystem& system, Kinematics<double>& kin,
                            Eigen::VectorXd& q) {
  f_.setZero(system.model().nv);
  step.rows.add_forces(pushes_, f_);
  zero_rows_.resize(system.islands().list.size());
  for (std::size_t i = 0; i < zero_rows_.size(); ++i) zero_rows_[i].setZero(system.islands().list[i].rows);
  d_.setZero(system.model().nv);
  system.solve(f_, zero_rows_, d_);
  move(system.model(), d_, q);
  compute_positions(system.model(), q, kin);
  total_ += d_;
  step.rows.compute_speeds(total_, shifts_);
}

// Overlap is judged by gap + h u_n: which is what the moves have made true of the contacts that they hold.
void AnchorHolder::shift_distances(ContactStep& step) const {
  for (std::size_t k = 0; k < step.rows.blocks().size(); ++k) {
    const OneSidedBlock& block = step.rows.blocks()[k];
    const bool is_met = block.source == BlockSource::kContact && step.anchors[at(block.index)].is_held &&
                        !step.anchors[at(block.index)].rolls && !step.moves_first;
    if (!is_met) step.distances[k] += shifts_[block.first];
  }
}

}  // namespace rigor
