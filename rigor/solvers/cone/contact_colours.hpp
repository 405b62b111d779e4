#pragma once

#include <cstdint>
#include <vector>

#include "rigor/solvers/cone/unit_cone_matrix.hpp"

namespace rigor {

/// The contacts of an island in groups, colours, none of which has two contacts on one unit: a group may be
/// swept by any number of threads with one result. Greedy, in the order of the contacts; bodies that do not
/// move have no unit and colour nothing.
class ContactColours {
 public:
  /// A unit has at most this many contacts of different colours; what is beyond makes a group of its own,
  /// whose contacts do feel each other.
  static constexpr int kMost = 63;

  void set(const UnitConeProblem& problem);

  /// The contacts, colour after colour, in increasing order within one.
  [[nodiscard]] const std::vector<int>& order() const { return order_; }
  /// Where the colours begin in order(), and the end.
  [[nodiscard]] const std::vector<int>& begin() const { return begin_; }
  [[nodiscard]] int count() const { return static_cast<int>(begin_.size()) - 1; }
  /// Whether the last group is that of contacts left over.
  [[nodiscard]] bool has_rest() const { return has_rest_; }

 private:
  std::vector<int> order_, begin_, colour_;
  std::vector<std::uint64_t> used_;  // per unit: its colours
  bool has_rest_{false};
};

/// About the floating point operations of a factor on the graph of units: their numbers in the layers of a
/// breadth-first search from its rim are the width of a band. Towers and walls are narrow, piles are not.
class BandEstimate {
 public:
  [[nodiscard]] double compute_work(const UnitConeProblem& problem);

 private:
  double search(int root, const UnitConeProblem& problem);

  std::vector<int> begin_, neighbour_, layer_, queue_;
};

}  // namespace rigor
