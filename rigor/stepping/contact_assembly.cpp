#include "rigor/stepping/contact_assembly.hpp"

#include <cmath>

#include "rigor/base/index.hpp"

namespace rigor {
namespace {

constexpr double kFar = 1e30;  // m: a distance that pushes nothing

// Where positions move first: a gap between bodies that stuck here is what the move's finite turn left between
// their anchors, and AnchorHolder closes it. A velocity −gap/h would carry it over to the next move.
bool is_left_to_anchor(const ContactStep& step, const ContactCandidate& candidate) {
  const ContactMemory* const memory = candidate.memory;
  if (!step.moves_first || !memory || !memory->is_anchored || memory->rolls) return false;
  const Contact& contact = step.contact_of(candidate);
  const Eigen::Vector3d apart = step.before[at(contact.a)].to_world(memory->anchor_a) -
                                step.before[at(contact.b)].to_world(memory->anchor_b);
  return contact.friction_stiffness == 0.0 && contact.gap <= contact.frame.col(0).dot(apart) + kTouch;
}

void add_contacts(const ContactFormulation& formulation, ContactStep& step) {
  for (std::size_t k = 0; k < step.candidates.size(); ++k) {
    ContactCandidate& candidate = step.candidates[k];
    candidate.block = -1;
    if (candidate.is_aside) continue;
    const Contact& contact = step.contact_of(candidate);
    if (!step.rows.add_contact(contact, static_cast<int>(k))) continue;
    candidate.block = static_cast<int>(step.rows.blocks().size()) - 1;
    OneSidedBlock& block = step.rows.last();
    if (contact.is_rigid) {
      const bool is_open =
          formulation.uses_gap() && contact.gap > kTouch && !is_left_to_anchor(step, candidate);
      block.offset = is_open ? contact.gap / step.h : 0.0;
    } else {
      block.compliance = 1.0 / (contact.stiffness * step.h * step.h + contact.damping * step.h);
      block.offset = block.compliance * step.h * contact.stiffness * contact.gap;
    }
    step.distances.push_back(contact.gap);
    step.pushes.push_back(contact.is_rigid);
  }
}

void add_limits(ContactStep& step) {
  for (const LimitEnd& end : step.limits) {
    if (end.is_aside) continue;
    step.rows.add_limit(end.v, end.sign, end.index);
    step.rows.last().offset = end.distance > kTouch ? end.distance / step.h : 0.0;
    step.distances.push_back(end.distance);
    step.pushes.push_back(1);
  }
}

void add_springs(std::span<const SpringRow> springs, ContactStep& step) {
  for (const SpringRow& spring : springs) {
    step.rows.add_spring(spring.island, spring.row, spring.side);
    step.rows.last().compliance = spring.compliance;
    step.rows.last().offset = -spring.side * spring.b;
    step.distances.push_back(kFar);
    step.pushes.push_back(0);
  }
}

}  // namespace

void assemble_contacts(const ContactFormulation& formulation, std::span<const SpringRow> springs,
                       ContactStep& step) {
  step.rows.clear();
  step.distances.clear();
  step.pushes.clear();
  add_contacts(formulation, step);
  add_limits(step);
  add_springs(springs, step);
}

void add_spring_impulses(const ContactStep& step, const ConstrainedSystem& system,
                         std::vector<Eigen::VectorXd>& forces) {
  for (const OneSidedBlock& block : step.rows.blocks())
    if (block.source == BlockSource::kSpring) {
      const int side = system.rows(at(block.island)).side[at(block.index)];
      forces[at(block.island)][block.index] += side * step.r[block.first];
    }
}

void add_limit_forces(const Model& model, const ContactStep& step, Eigen::VectorXd& forces) {
  for (const OneSidedBlock& block : step.rows.blocks())
    if (block.source == BlockSource::kLimit) {
      const double sign = block.index % 2 == 0 ? 1.0 : -1.0;  // lower, upper
      forces[model.limits[at(block.index / 2)].v] += sign * step.r[block.first] / step.h;
    }
}

}  // namespace rigor
