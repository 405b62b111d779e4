#pragma once

#include "rigor/contact/formulation.hpp"
#include "rigor/solvers/cone/cone_island.hpp"

namespace rigor {

/// `cone` and `convex` for islands of many contacts, by ConeIslandSolver: the same law and the same
/// choice among answers as ConeLaw, but W is never formed, and sparse factors follow the graph of the bodies.
/// A unit is what is factored together, a body or a mechanism (ContactRows).
///
/// Islands of few contacts come here too where a contact lies between very unlike masses: an entry of W is a
/// sum of inverse masses, in which that of the heavy body would be lost in the last digits of the light
/// one's.
class LargeConeLaw {
 public:
  /// Least number of contacts, on three or more units: about where dense factors begin to cost more.
  static constexpr std::size_t kLeastContacts = 16;
  /// The same for a single mechanism, where it has fewer speeds than its contacts rows: W is singular then, and the dense
  /// solver looks for rest and chooses impulses at length. A chain of 30 that falls on the floor with 61 contacts takes
  /// 1.0 ms a step, 10 ms with dense factors of W.
  static constexpr std::size_t kLeastOfMechanism = 40;
  /// The same in a plane.
  static constexpr std::size_t kLeastPlanar = 64;
  /// Or least ratio of the two inverse masses at a contact: in W twelve digits of the smaller one are left.
  static constexpr double kUnlike = 1e4;
  /// Up to this many contacts the dense solver is tried where this one fails.
  static constexpr std::size_t kMostDense = 200;
  /// From this many contacts on several threads share the island.
  static constexpr std::size_t kLeastShared = 4000;
  /// Least number of contacts for which sweeps are tried before factors.
  static constexpr std::size_t kPile = ConeIslandSolver::kPile;
  /// Least tolerance, m/s, for which they are tried; the island must be wide, see docs/theory/piles.md.
  static constexpr double kSweepable = 1e-7;

  LargeConeLaw(const RunSettings& settings, bool is_convex);

  /// Whether an island is one of those described above.
  [[nodiscard]] static bool takes(const ContactRows& rows, const ContactIsland& island);
  /// From the start in `answer`, where it has one.
  void solve(const ContactQuestion& question, ContactAnswer& answer);

 private:
  ConeIslandOptions options_;
  ConeIslandSolver solver_;
  ConeIslandResult result_;
  UnitAssembly assembly_;
};

}  // namespace rigor
