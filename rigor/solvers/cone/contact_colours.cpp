#include "rigor/solvers/cone/contact_colours.hpp"

#include <algorithm>
#include <bit>

#include "rigor/base/index.hpp"

namespace rigor {
void ContactColours::set(const UnitConeProblem& problem) {
  const auto n = static_cast<int>(problem.contacts.size());
  used_.assign(problem.node_begin.size() - 1, 0);
  colour_.resize(at(n));
  int count[kMost + 1] = {};
  for (int i = 0; i < n; ++i) {
    const UnitConeProblem::Contact& contact = problem.contacts[at(i)];
    std::uint64_t used = 0;
    for (int s = 0; s < contact.part_count; ++s) used |= used_[at(contact.parts[s].unit)];
    const int colour = std::min(kMost, std::countr_one(used));
    if (colour < kMost)
      for (int s = 0; s < contact.part_count; ++s)
        used_[at(contact.parts[s].unit)] |= std::uint64_t{1} << colour;
    colour_[at(i)] = colour;
    ++count[colour];
  }
  // sorted by colour
  has_rest_ = count[kMost] > 0;
  begin_.assign(1, 0);
  int place[kMost + 1];
  for (int c = 0; c <= kMost; ++c) {
    place[c] = begin_.back();
    if (count[c] > 0) begin_.push_back(begin_.back() + count[c]);
  }
  order_.resize(at(n));
  for (int i = 0; i < n; ++i) order_[at(place[colour_[at(i)]]++)] = i;
}

double BandEstimate::compute_work(const UnitConeProblem& problem) {
  // neighbours of every unit, by counting
  const auto units = static_cast<int>(problem.node_begin.size()) - 1;
  begin_.assign(at(units) + 2, 0);
  for (const UnitConeProblem::Contact& contact : problem.contacts)
    if (contact.part_count == 2)
      for (const UnitConeProblem::Part& part : contact.parts) ++begin_[at(part.unit) + 2];
  for (int k = 0; k < units; ++k) begin_[at(k) + 2] += begin_[at(k) + 1];
  neighbour_.resize(at(begin_.back()));
  for (const UnitConeProblem::Contact& contact : problem.contacts) {
    if (contact.part_count != 2) continue;
    const int a = contact.parts[0].unit, b = contact.parts[1].unit;
    neighbour_[at(begin_[at(a) + 1]++)] = b;
    neighbour_[at(begin_[at(b) + 1]++)] = a;
  }
  // from any unit to the rim of the graph, and from there through all of it
  if (units == 0) return 0.0;
  search(0, problem);
  return search(queue_.back(), problem);
}

// Σ over layers of half velocities × (those of the layer)², all that is reached from `root`.
double BandEstimate::search(int root, const UnitConeProblem& problem) {
  const auto size = [&](int unit) {
    return 3.0 * (problem.node_begin[at(unit) + 1] - problem.node_begin[at(unit)]);
  };
  layer_.assign(problem.node_begin.size() - 1, -1);
  layer_[at(root)] = 0;
  queue_.assign(1, root);
  double work = 0.0, width = 0.0;
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const int unit = queue_[next];
    if (next > 0 && layer_[at(unit)] != layer_[at(queue_[next - 1])]) {
      work += width * width * width;
      width = 0.0;
    }
    width += size(unit);
    for (int k = begin_[at(unit)]; k < begin_[at(unit) + 1]; ++k) {
      const int other = neighbour_[at(k)];
      if (layer_[at(other)] >= 0) continue;
      layer_[at(other)] = layer_[at(unit)] + 1;
      queue_.push_back(other);
    }
  }
  return work + width * width * width;
}

}  // namespace rigor
