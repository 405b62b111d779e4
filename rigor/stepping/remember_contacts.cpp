#include "rigor/stepping/remember_contacts.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

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

}  // namespace

void remember_contacts(const ContactDemand& demand, const Kinematics<double>& kin, ContactStep& step,
                       State& state, std::vector<ContactMemory>& memory, ContactCertificate& certificate) {
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
    if (keeps_anchor(step, candidate, mode)) {
      ContactMemory& own = memory.emplace_back(*candidate.memory);
      own.h = step.h;
      remember_solved(demand, step, candidate, mode, own);
      certificate.sticking_drift = std::max(certificate.sticking_drift, own.drift);
      continue;
    }
    ContactMemory& own = memory.emplace_back();
    own.shape_a = contact.shape_a;
    own.shape_b = contact.shape_b;
    own.id = contact.id;
    own.h = step.h;
    const double pair_drift = candidate.memory ? 0.0 : find_pair_drift(state.contacts, contact);
    if (candidate.is_aside) {
      remember_aside(demand, step, contact, own);
      own.drift = own.lost = candidate.memory ? past_drift(*candidate.memory) : pair_drift;
      continue;
    }
    remember_solved(demand, step, candidate, mode, own);
    remember_anchor(demand, step, candidate, kin, pair_drift, own);
    double& worst = own.rolls ? certificate.rolling_drift : certificate.sticking_drift;
    worst = std::max(worst, own.drift);
  }
  sort_pair();
  std::swap(state.contacts, memory);
  step.candidates.clear();  // their memory is not the state's any more
}

}  // namespace rigor
