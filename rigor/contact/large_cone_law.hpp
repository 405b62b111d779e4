#pragma once

#include "rigor/contact/formulation.hpp"
#include "rigor/solvers/cone/cone_island.hpp"

namespace rigor {

/// The laws `cone` and `convex` on islands in space of many contacts: the same rules as ConeLaw's, W never
/// formed, sparse factors on the graph of the bodies. Also on islands of a few contacts between very unlike
/// masses: in W the inverse of the heavy one would be the last digits of the light one's.
class LargeConeLaw {
 public:
  /// From this many contacts on three or more units: about where dense factors begin to cost more.
  static constexpr std::size_t kLeastContacts = 16;
  /// And from this ratio of the inverse masses that a contact feels: W has twelve digits of the smaller.
  static constexpr double kUnlike = 1e4;
  /// Up to this many the dense solver is asked where this one gives up.
  static constexpr std::size_t kMostDense = 200;
  /// From this many on threads share the island.
  static constexpr std::size_t kLeastShared = 4000;
  /// Fewer are no pile.
  static constexpr std::size_t kPile = ConeIslandSolver::kPile;
  /// m/s: for a tolerance from here on sweeps are tried before factors in wide islands.
  static constexpr double kSweepable = 1e-7;

  LargeConeLaw(const RunSettings& settings, bool is_convex);

  [[nodiscard]] static bool takes(const ContactRows& rows, const ContactIsland& island);
  /// False where it is not solved and the dense solver may be asked; the start in `answer` is then as it was.
  [[nodiscard]] bool solve(const ContactQuestion& question, ContactAnswer& answer);

 private:
  ConeIslandOptions options_;
  ConeIslandSolver solver_;
  ConeIslandResult result_;
  UnitAssembly assembly_;
};

}  // namespace rigor
