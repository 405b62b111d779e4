#include "rigor/stepping/anchors.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/math/portable.hpp"
#include "rigor/math/rotation.hpp"

namespace rigor {
namespace {

constexpr double kTravel = 1e-9;  // m: a contact that went less far over a surface is where it was
constexpr double kNormal =
    4e-12;  // m: less apart along the normal is what AnchorHolder leaves, and is to find again

Eigen::Vector3d across(const Eigen::Vector3d& n, const Eigen::Vector3d& x) {
  return x - n * n.dot(x);
}

// Whether A's and B's material stay together here, loaded or not.
bool stays(const ContactDemand& demand, const ContactStep& step, const ContactCandidate& candidate,
           ContactMode mode) {
  const OneSidedBlock& block = step.rows.blocks()[at(candidate.block)];
  if (block.size < 2 || block.mu <= 0.0 || mode == ContactMode::kSliding) return false;
  if (mode == ContactMode::kSticking) return true;
  if (std::abs(step.contact_of(candidate).gap) > kTouch) return false;
  const Eigen::Vector3d u = head_of(step.u.data() + block.first, block.size);
  return step.h * std::abs(u[0]) <= kTouch &&
         u.tail<2>().norm() <= least_slip(demand, step, at(candidate.block));
}

// A surface that is neither flat nor sharp in some direction.
bool is_curved(const SurfaceCurvature& surface) {
  const auto is_round = [](double k) { return k != 0.0 && std::isfinite(k); };
  return is_round(surface.first) || is_round(surface.second);
}

// The largest curvature that is not that of an edge, 1/m.
double largest_curvature(const SurfaceCurvature& surface) {
  const auto finite = [](double k) { return std::isfinite(k) ? std::abs(k) : 0.0; };
  return std::max(finite(surface.first), finite(surface.second));
}

// Of a normal section along the unit vector t, 1/m; 0 where it is sharp.
double curvature_along(const SurfaceCurvature& surface, const Eigen::Vector3d& t) {
  const double first = surface.direction.dot(t), square = std::min(1.0, first * first);
  const auto part = [](double k, double weight) { return std::isfinite(k) ? k * weight : 0.0; };
  return part(surface.first, square) + part(surface.second, 1.0 - square);
}

// (2) of the header
Eigen::Vector3d arc(const Eigen::Vector3d& chord, const Eigen::Vector3d& turn,
                    const SurfaceCurvature& surface, const Eigen::Vector3d& n) {
  const Eigen::Vector3d middle = quaternion_exp<double>(-0.5 * turn) * chord;
  const double length = middle.norm();
  const Eigen::Vector3d along = across(n, chord);
  if (along.isZero(0.0)) return middle;
  const double x = 0.5 * length * std::abs(curvature_along(surface, along.normalized()));
  return middle * (x < 1e-3 ? 1.0 + x * x / 6.0 : x < 1.0 ? portable::asin(x) / x : 1.0);
}

// How far a contact between curved surfaces goes over them in h by their bodies' turns, m.
double rolling_way(const Contact& contact, const Kinematics<double>& kin, double h) {
  const double curvature = largest_curvature(contact.curvature_a) + largest_curvature(contact.curvature_b);
  const Eigen::Vector3d turn =
      kin.bodies[at(contact.a)].angular_velocity() - kin.bodies[at(contact.b)].angular_velocity();
  return h * across(contact.frame.col(0), turn).norm() / curvature;
}

// Points where the contact is, A's `apart` from B's along its plane. Where positions move first they are apart by the
// gap too: it is then AnchorHolder that closes what a move leaves of it.
void set_anchor(const ContactStep& step, const Contact& contact, const Eigen::Vector3d& apart,
                ContactAnchor& anchor) {
  const double gap = step.moves_first && !anchor.rolls ? contact.gap : 0.0;
  anchor.a = step.before[at(contact.a)].to_body(contact.point);
  anchor.b = step.before[at(contact.b)].to_body(contact.point - apart - gap * contact.frame.col(0));
  anchor.is_remembered = false;
}

// The points of the last step are known: do they still belong to the contact?
void follow(const Kinematics<double>& kin, const ContactStep& step, const Contact& contact,
            const ContactMemory& memory, ContactAnchor& anchor) {
  const Eigen::Vector3d n = contact.frame.col(0), x_a = step.before[at(contact.a)].to_world(anchor.a),
                        x_b = step.before[at(contact.b)].to_world(anchor.b);
  const Eigen::Vector3d chord_a = contact.point - x_a, chord_b = contact.point - x_b;
  const double travel = std::min(across(n, chord_a).norm(), across(n, chord_b).norm());
  if (travel <= kTravel) {
    if (memory.rolls) set_anchor(step, contact, across(n, x_a - x_b), anchor);  // it came to rest
    return;
  }

  // it went as far as a rolling contact goes, equally far on both surfaces
  const Eigen::Vector3d turn_a = memory.h * kin.bodies[at(contact.a)].angular_velocity(),
                        turn_b = memory.h * kin.bodies[at(contact.b)].angular_velocity();
  if (is_curved(contact.curvature_a) || is_curved(contact.curvature_b)) {
    const double expected = rolling_way(contact, kin, memory.h);
    const Eigen::Vector3d slip = across(
        n, arc(chord_b, turn_b, contact.curvature_b, n) - arc(chord_a, turn_a, contact.curvature_a, n));
    if (travel <= 2.0 * expected + kTravel && slip.norm() <= 0.1 * travel + kTravel) {
      anchor.rolls = true;
      anchor.slip = slip;
      return set_anchor(step, contact, slip, anchor);
    }
  }
  set_anchor(step, contact, across(n, x_a - x_b), anchor);
}

ContactAnchor find_anchor(const ContactDemand& demand, const Kinematics<double>& kin,
                          const Kinematics<double>& now, const ContactStep& step,
                          const ContactCandidate& candidate, ContactMode mode) {
  ContactAnchor anchor;
  if (!stays(demand, step, candidate, mode)) return anchor;
  const Contact& contact = step.contact_of(candidate);
  const IslandVerdict& verdict = step.verdicts[at(step.island_of[at(candidate.block)])];
  anchor.is_known = true;
  anchor.is_held = contact.friction_stiffness == 0.0 && verdict.verdict != ContactVerdict::kUnsolved;
  const ContactMemory* const memory = candidate.memory;
  if (!memory || !memory->is_anchored) {
    // across a gap that closes in this step points are watched; they meet after it
    const bool meets = !contact.is_rigid || step.moves_first || contact.gap <= kTouch;
    anchor.is_held = anchor.is_held && (meets || (memory && memory->mode == ContactMode::kSticking));
    anchor.rolls = (is_curved(contact.curvature_a) || is_curved(contact.curvature_b)) &&
                   rolling_way(contact, now, step.h) > kTravel;
    set_anchor(step, contact, Eigen::Vector3d::Zero(), anchor);
    return anchor;
  }
  anchor.a = memory->anchor_a;
  anchor.b = memory->anchor_b;
  anchor.is_remembered = true;
  const bool moves = step.moves_first || step.before[at(contact.a)].moved || step.before[at(contact.b)].moved;
  if (moves || memory->rolls) follow(kin, step, contact, *memory, anchor);
  return anchor;
}

// Of a contact that does not stick now: its drift stays, and for one step its points.
void keep_drift(const ContactMemory* last, double pair_drift, ContactMemory& memory) {
  memory.drift = memory.lost = last ? past_drift(*last) : pair_drift;
  if (!last || !last->is_anchored || last->rolls) return;
  memory.anchor_a = last->anchor_a;
  memory.anchor_b = last->anchor_b;
  memory.lost = last->lost;
}

// Drift under points that are given up by now: those of the step before the last count where they were let go
// for that one step alone.
double find_lost(const ContactStep& step, const Contact& contact, const ContactMemory& last) {
  const bool has_points = !last.anchor_a.isZero(0.0) || !last.anchor_b.isZero(0.0);
  if (last.is_anchored || last.rolls || !has_points) return last.lost;
  const Eigen::Vector3d apart =
      step.before[at(contact.a)].to_world(last.anchor_a) - step.before[at(contact.b)].to_world(last.anchor_b);
  return last.lost + across(contact.frame.col(0), apart).norm();
}

}  // namespace

double past_drift(const ContactMemory& memory) {
  return memory.rolls ? memory.lost : memory.drift;
}

void find_anchors(const ContactDemand& demand, const Kinematics<double>& then, const Kinematics<double>& now,
                  ContactStep& step) {
  bool any = step.moves_first;
  for (std::size_t b = 0; b < step.before.size(); ++b) {
    step.before[b].note_way(then.bodies[b], now.bodies[b]);
    any = any || step.before[b].moved;
  }
  step.anchors.clear();
  if (!any) return;
  step.anchors.resize(step.candidates.size());
  std::size_t report = 0;  // reports stand in the order of the candidates that have one
  for (std::size_t k = 0; k < step.candidates.size(); ++k) {
    const ContactCandidate& candidate = step.candidates[k];
    if (candidate.block < 0 && !candidate.is_aside) continue;
    const ContactMode mode = step.reports[report++].mode;
    if (!candidate.is_aside) step.anchors[k] = find_anchor(demand, then, now, step, candidate, mode);
  }
}

Eigen::Vector3d compute_separation(const Contact& contact, const ContactAnchor& anchor,
                                   const Kinematics<double>& kin) {
  const BodyKinematics<double>&a = kin.bodies[at(contact.a)], &b = kin.bodies[at(contact.b)];
  return (a.p - b.p) + (times(a.R, anchor.a) - times(b.R, anchor.b));
}

void remember_anchor(const ContactDemand& demand, const ContactStep& step, const ContactCandidate& candidate,
                     const Kinematics<double>& kin, double pair_drift, ContactMemory& memory) {
  const ContactMemory* const last = candidate.memory;
  const bool rests = step.anchors.empty();
  const ContactAnchor anchor = rests ? find_anchor(demand, kin, kin, step, candidate, memory.mode)
                                     : step.anchors[at(&candidate - step.candidates.data())];
  if (!anchor.is_known) return keep_drift(last, pair_drift, memory);
  const Contact& contact = step.contact_of(candidate);
  if (anchor.is_remembered && !step.moves_first && !step.before[at(contact.a)].moved &&
      !step.before[at(contact.b)].moved) {
    memory.is_anchored = true;
    memory.anchor_a = last->anchor_a;
    memory.anchor_b = last->anchor_b;
    memory.drift = last->drift;
    memory.lost = last->lost;
    return;
  }
  memory.is_anchored = !anchor.is_torn;
  memory.rolls = anchor.rolls;
  memory.anchor_a = anchor.a;
  memory.anchor_b = anchor.b;
  const Eigen::Vector3d n = contact.frame.col(0), s = compute_separation(contact, anchor, kin);
  memory.lost = last ? find_lost(step, contact, *last) : pair_drift;
  if (anchor.rolls) {
    memory.drift = anchor.slip.norm();
    return;
  }
  memory.drift = memory.lost + across(n, s).norm();
  const double away = n.dot(s);
  if (step.moves_first) {
    // a gap that positions were to close and did not is left to the next velocity
    if (step.rows.blocks()[at(candidate.block)].offset == 0.0 && away > kTouch) memory.is_anchored = false;
  } else if (std::abs(away) > kNormal) {
    memory.anchor_b += kin.bodies[at(contact.b)].R.transpose() * (away * n);
  }
}

}  // namespace rigor
