#include "rigor/stepping/remember_contacts.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>

#include "rigor/base/index.hpp"
#include "rigor/stepping/anchors.hpp"

namespace rigor {
namespace {

bool is_same_pair(const Contact& one, const Contact& other) {
  return one.shape_a == other.shape_a && one.shape_b == other.shape_b;
}

void remember_aside(const ContactDemand& demand, const ContactStep& step, const Contact& contact,
                    ContactMemory& memory) {
  memory.velocity = static_cast<int>(VelocityVerdict::kUnique);
  const double speed = contact.frame.col(0).dot(relative_velocity(step, contact, step.V));
  memory.is_closed = std::abs(speed) <= 10.0 * demand.tolerance;
}

void remember_solved(const ContactDemand& demand, const ContactStep& step, const ContactCandidate& candidate,
                     ContactMode mode, ContactMemory& memory) {
  const OneSidedBlock& block = step.rows.blocks()[at(candidate.block)];
  const ContactAnswer& answer = step.answers[at(step.island_of[at(candidate.block)])];
  memory.impulse = head_of(step.r.data() + block.first, block.size);
  if (block.size == 3) memory.impulse[2] *= step.contact_of(candidate).mu_ratio;
  memory.force_freedom = std::max(0, answer.force_freedom);
  memory.velocity = static_cast<int>(answer.velocity);
  memory.mode = mode;
  memory.is_closed = mode != ContactMode::kOpen ||
                     std::abs(step.u[block.first]) <= least_slip(demand, step, at(candidate.block));
}

// At rest nothing moves the points of a contact that goes on as it was: most contacts of most steps.
bool keeps_anchor(const ContactStep& step, const ContactCandidate& candidate, ContactMode mode) {
  const ContactMemory* const last = candidate.memory;
  return step.anchors.empty() && !candidate.is_aside && last && last->is_anchored && !last->rolls &&
         last->mode == mode;
}

// The largest drift that the last step knew of the two shapes of a contact, m.
double find_pair_drift(const std::vector<ContactMemory>& last, const Contact& contact) {
  const auto begin =
      std::lower_bound(last.begin(), last.end(), contact, [](const ContactMemory& m, const Contact& c) {
        return m.shape_a != c.shape_a ? m.shape_a < c.shape_a : m.shape_b < c.shape_b;
      });
  double drift = 0.0;
  for (auto m = begin; m != last.end() && m->shape_a == contact.shape_a && m->shape_b == contact.shape_b; ++m)
    drift = std::max(drift, past_drift(*m));
  return drift;
}

// All of a contact's memory. The largest drift of its pair counts where the contact is new.
ContactMemory remember_one(const ContactDemand& demand, const Kinematics<double>& kin,
                           const ContactStep& step, const ContactCandidate& candidate, ContactMode mode,
                           const State& state, ContactCertificate& certificate) {
  const Contact& contact = step.contact_of(candidate);
  ContactMemory own;
  own.shape_a = contact.shape_a;
  own.shape_b = contact.shape_b;
  own.id = contact.id;
  own.h = step.h;
  const double pair_drift = candidate.memory ? 0.0 : find_pair_drift(state.contacts, contact);
  if (candidate.is_aside) {
    remember_aside(demand, step, contact, own);
    own.drift = own.lost = candidate.memory ? past_drift(*candidate.memory) : pair_drift;
    return own;
  }
  remember_solved(demand, step, candidate, mode, own);
  remember_anchor(demand, step, candidate, kin, pair_drift, own);
  double& worst = own.rolls ? certificate.rolling_drift : certificate.sticking_drift;
  worst = std::max(worst, own.drift);
  return own;
}

// Whether the contacts are those of the last step: none comes or goes, and each has its place.
bool are_as_before(ContactStep& step, const State& state) {
  step.is_met.assign(state.contacts.size(), 0);
  std::size_t met = 0;
  for (const ContactCandidate& candidate : step.candidates) {
    if (candidate.block < 0 && !candidate.is_aside) continue;
    if (!candidate.memory) return false;
    char& is_met = step.is_met.data()[candidate.memory - state.contacts.data()];
    if (is_met) return false;
    is_met = 1;
    ++met;
  }
  return met == state.contacts.size();
}

// Impulses of this step over those of the last, and nothing else where the contact goes on as it was. Returns whether
// nothing has changed; false without asking unless `compares`.
bool remember_in_place(const ContactDemand& demand, const Kinematics<double>& kin, bool compares,
                       ContactStep& step, State& state, ContactCertificate& certificate) {
  bool is_same = compares;
  std::size_t report = 0;
  for (const ContactCandidate& candidate : step.candidates) {
    if (candidate.block < 0 && !candidate.is_aside) continue;
    const ContactMode mode = step.reports[report++].mode;
    ContactMemory& own = state.contacts.data()[candidate.memory - state.contacts.data()];
    if (!keeps_anchor(step, candidate, mode)) {
      const ContactMemory next = remember_one(demand, kin, step, candidate, mode, state, certificate);
      is_same = is_same && next == own;
      own = next;
      continue;
    }
    const auto get = [&own] {
      return std::tuple(own.h, own.is_closed, own.force_freedom, own.velocity, own.impulse[0], own.impulse[1],
                        own.impulse[2]);
    };
    const auto last = get();
    own.h = step.h;
    remember_solved(demand, step, candidate, mode, own);
    is_same = is_same && last == get();
    certificate.sticking_drift = std::max(certificate.sticking_drift, own.drift);
  }
  return is_same;
}

}  // namespace

bool remember_contacts(const ContactDemand& demand, const Kinematics<double>& kin, bool compares,
                       ContactStep& step, State& state, std::vector<ContactMemory>& memory,
                       ContactCertificate& certificate) {
  if (are_as_before(step, state)) {
    const bool is_same = remember_in_place(demand, kin, compares, step, state, certificate);
    step.candidates.clear();
    return is_same;
  }
  memory.clear();
  std::size_t report = 0, first_of_pair = 0;  // reports stand in the order of the candidates that have one
  const Contact* last = nullptr;
  const auto sort_pair = [&] {
    std::sort(memory.begin() + static_cast<std::ptrdiff_t>(first_of_pair), memory.end(),
              [](const ContactMemory& one, const ContactMemory& other) { return one.id < other.id; });
    first_of_pair = memory.size();
  };
  for (const ContactCandidate& candidate : step.candidates) {
    if (candidate.block < 0 && !candidate.is_aside) continue;
    const Contact& contact = step.contact_of(candidate);
    if (last && !is_same_pair(*last, contact)) {  // pairs come in order, the contacts of each together
      assert(last->shape_a != contact.shape_a ? last->shape_a < contact.shape_a
                                              : last->shape_b < contact.shape_b);
      sort_pair();
    }
    last = &contact;
    const ContactMode mode = step.reports[report++].mode;
    memory.push_back(remember_one(demand, kin, step, candidate, mode, state, certificate));
  }
  sort_pair();
  std::swap(state.contacts, memory);
  step.candidates.clear();  // their memory is not the state's any more
  return compares && state.contacts == memory;
}

}  // namespace rigor
