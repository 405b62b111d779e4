#pragma once

#include "rigor/contact/formulation.hpp"

namespace rigor {

/// Sees the contact problems of a run while they are solved, for measurements and tests: Simulation::watch_contacts().
/// It changes nothing. A step solves its islands in one or several rounds (ContactSearch); a later round begins at the
/// answer of the one before. With several threads islands are seen by all of them at once.
class ContactWatch {
 public:
  virtual ~ContactWatch() = default;

  /// A round begins.
  virtual void see_round() {}
  /// An island is about to be solved. `start` is what its solver begins with; the question has neither W nor friction,
  /// and lives until the call returns.
  virtual void see_question(const ContactQuestion& question, const ContactAnswer& start) = 0;
  /// The same island, solved or given up.
  virtual void see_answer(const ContactQuestion&, const ContactAnswer&) {}
};

}  // namespace rigor
