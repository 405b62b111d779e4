#include "rigor/stepping/contact_search.hpp"

#include <algorithm>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/contact/large_cone_law.hpp"

namespace rigor {
namespace {

// What the last step left of a contact. Contacts come by pairs in the order of the memory: `place` is where
// the memory of the last pair began.
const ContactMemory* recall(const std::vector<ContactMemory>& memory, const Contact& contact,
                            std::size_t& place) {
  constexpr std::size_t kFew = 8;  // most pairs have no more points
  const auto is_before_pair = [&](const ContactMemory& m) {
    return m.shape_a != contact.shape_a ? m.shape_a < contact.shape_a : m.shape_b < contact.shape_b;
  };
  const auto is_of_pair = [&](const ContactMemory& m) {
    return m.shape_a == contact.shape_a && m.shape_b == contact.shape_b;
  };
  while (place < memory.size() && is_before_pair(memory[place])) ++place;
  std::size_t k = place;
  for (const std::size_t few = std::min(place + kFew, memory.size()); k < few && is_of_pair(memory[k]); ++k)
    if (memory[k].id == contact.id) return &memory[k];
  if (k < place + kFew) return nullptr;
  ContactMemory key;
  key.shape_a = contact.shape_a;
  key.shape_b = contact.shape_b;
  key.id = contact.id;
  const auto found = std::lower_bound(
      memory.begin() + static_cast<std::ptrdiff_t>(k), memory.end(), key,
      [](const ContactMemory& one, const ContactMemory& other) { return one.is_before(other); });
  return found != memory.end() && !key.is_before(*found) ? &*found : nullptr;
}

bool is_any_contact_aside(const ContactStep& step) {
  return std::any_of(step.candidates.begin(), step.candidates.end(),
                     [](const ContactCandidate& candidate) { return candidate.is_aside; });
}

// Whether `part` of the way to the end of a range is left after a step with the velocity v.
bool keeps_distance(const LimitEnd& end, double part, const Eigen::VectorXd& v, double h) {
  return h * end.sign * v[end.v] + (1.0 - part) * end.distance >= 0.0;
}

bool misses_limit(const Eigen::VectorXd& v, const ContactStep& step) {
  return std::any_of(step.limits.begin(), step.limits.end(), [&](const LimitEnd& end) {
    return end.is_aside && !keeps_distance(end, 0.0, v, step.h);
  });
}

// The impulses of this round as the start of the next one.
void note_impulses(ContactStep& step) {
  for (ContactCandidate& candidate : step.candidates) {
    if (candidate.block < 0) continue;
    const OneSidedBlock& block = step.rows.blocks()[at(candidate.block)];
    candidate.start.emplace(Eigen::Vector3d::Zero());
    candidate.start->head(block.size) = step.r.segment(block.first, block.size);
  }
}

}  // namespace

ContactSearch::ContactSearch(const Model& model, const RunSettings& settings, const ConstrainedSystem& system)
    : model_(model),
      system_(system),
      leaves_aside_(settings.formulation == Formulation::kCone),
      sweeps_piles_(settings.tolerance >= LargeConeLaw::kSweepable),
      finder_(model) {}

void ContactSearch::find(const State& state, double h, const ContactFormulation& formulation,
                         ContactStep& step) {
  const Kinematics<double>& kin = system_.kinematics();
  step.h = h;
  step.before.resize(model_.bodies.size());
  for (std::size_t b = 0; b < step.before.size(); ++b)
    step.before[b].R = kin.bodies[b].R, step.before[b].p = kin.bodies[b].p;

  find_limits(state, step);

  step.contacts = finder_.find(kin, h);
  step.candidates.clear();
  std::size_t place = 0;
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const Contact& contact = step.contacts[i];
    const ContactMemory* memory = recall(state.contacts, contact, place);
    if (!formulation.takes(contact, memory)) continue;
    // what carried load will most likely do so again
    const bool was_loaded = memory && memory->impulse[0] > 0.0;
    step.candidates.push_back({static_cast<int>(i), memory, !was_loaded && keeps_gap(contact, h)});
  }
  // sweeps hardly feel open contacts, and a second solve costs as much as the first
  if (sweeps_piles_ && step.candidates.size() >= LargeConeLaw::kPile) (void)take_all(step);
}

// Half of the gap is left if the bodies go on as they do, fall, or one of them falls on the other.
bool ContactSearch::keeps_gap(const Contact& contact, double h) const {
  if (!leaves_aside_ || !contact.is_rigid || contact.gap <= kTouch) return false;
  const BodyKinematics<double>&a = system_.kinematics().bodies[at(contact.a)],
        &b = system_.kinematics().bodies[at(contact.b)];
  const Eigen::Vector3d u = a.velocity_at(contact.point - a.p) - b.velocity_at(contact.point - b.p);
  const double fall = h * std::abs(model_.gravity.dot(contact.frame.col(0)));
  return h * (contact.frame.col(0).dot(u) - fall) >= -0.5 * contact.gap;
}

void ContactSearch::find_limits(const State& state, ContactStep& step) const {
  step.limits.clear();
  for (std::size_t i = 0; i < model_.limits.size(); ++i) {
    const ModelLimit& limit = model_.limits[i];
    if (system_.is_fixed()[at(limit.v)]) continue;
    const double q = state.q[limit.q];
    const auto add = [&](double distance, double sign, std::size_t index) {
      if (std::isfinite(distance)) step.limits.push_back({static_cast<int>(index), limit.v, sign, distance});
    };
    add(q - limit.lower, 1.0, 2 * i);
    add(limit.upper - q, -1.0, 2 * i + 1);
  }
}

void ContactSearch::leave_limits(const Eigen::VectorXd& v, const Eigen::VectorXd& v_free,
                                 ContactStep& step) const {
  if (!leaves_aside_) return;
  for (LimitEnd& end : step.limits)
    end.is_aside = end.distance > kTouch && keeps_distance(end, 0.5, v, step.h) &&
                   keeps_distance(end, 0.5, v_free, step.h);
}

// Whether a contact that was left aside closes too far with v; with those that come near it is then taken in.
bool ContactSearch::misses_contact(const Eigen::VectorXd& v, ContactStep& step) const {
  if (!is_any_contact_aside(step)) return false;
  compute_body_velocities(model_, system_.kinematics(), v, step.V);
  const auto is_left = [&](const ContactCandidate& candidate, double part) {
    const Contact& contact = step.contact_of(candidate);
    const double speed = contact.frame.col(0).dot(relative_velocity(step, contact, step.V));
    return step.h * speed + (1.0 - part) * contact.gap >= 0.0;
  };
  if (std::none_of(step.candidates.begin(), step.candidates.end(), [&](const ContactCandidate& candidate) {
        return candidate.is_aside && !is_left(candidate, 0.0);
      }))
    return false;
  // with those that come near: they are the next
  for (ContactCandidate& candidate : step.candidates)
    candidate.is_aside = candidate.is_aside && is_left(candidate, 0.5);
  return true;
}

bool ContactSearch::take_missed(const Eigen::VectorXd& v, ContactStep& step) const {
  const bool misses = misses_contact(v, step), is_at_end = misses_limit(v, step);
  if (is_at_end)
    for (LimitEnd& end : step.limits) end.is_aside = end.is_aside && keeps_distance(end, 0.5, v, step.h);
  if (misses || is_at_end) note_impulses(step);
  return misses || is_at_end;
}

bool ContactSearch::take_all(ContactStep& step) {
  bool any = false;
  for (ContactCandidate& candidate : step.candidates) {
    any = any || candidate.is_aside;
    candidate.is_aside = false;
  }
  for (LimitEnd& end : step.limits) {
    any = any || end.is_aside;
    end.is_aside = false;
  }
  return any;
}

}  // namespace rigor
