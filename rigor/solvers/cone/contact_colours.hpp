#pragma once

#include <cstdint>
#include <vector>

#include "rigor/solvers/cone/unit_cone_matrix.hpp"

namespace rigor {

/// Divides the contacts of an island into groups, called colours, such that no two contacts of a colour share
/// a unit (a body or mechanism, see UnitConeProblem). So the contacts of a colour may be swept by any number
/// of threads with the same result. Greedy, in the order of the contacts; bodies that cannot move are no unit
/// and do not count.
class ContactColours {
 public:
  /// The largest number of colours. Contacts of a unit that has more form a last group, in which contacts do
  /// share units.
  static constexpr int kMost = 63;

  void set(const UnitConeProblem& problem);

  /// The contacts, colour after colour, in increasing order within one.
  [[nodiscard]] const std::vector<int>& order() const { return order_; }
  /// Where the colours begin in order(), and the end.
  [[nodiscard]] const std::vector<int>& begin() const { return begin_; }
  [[nodiscard]] int count() const { return static_cast<int>(begin_.size()) - 1; }
  /// Whether there is such a last group.
  [[nodiscard]] bool has_rest() const { return has_rest_; }

 private:
  std::vector<int> order_, begin_, colour_;
  std::vector<std::uint64_t> used_;  // per unit: its colours
  bool has_rest_{false};
};

/// Estimates the floating point operations of a sparse factor on the graph of units: the sizes of the layers
/// of a breadth-first search from its rim are taken as the widths of a band. Towers and walls are narrow,
/// piles not.
class BandEstimate {
 public:
  [[nodiscard]] double compute_work(const UnitConeProblem& problem);

 private:
  double search(int root, const UnitConeProblem& problem);

  std::vector<int> begin_, neighbour_, layer_, queue_;
};

}  // namespace rigor
