#pragma once

#include "rigor/contact/contact_rows.hpp"

namespace rigor {

/// Makes rest exact. A body at rest has M v⁺ = f + Jᵀ r = 0; rounding leaves instead, for each speed i,
///
///     |M v⁺|ᵢ ≤ c ε (|f|ᵢ + Σₖ |Jₖᵢ| |rₖ|)                                                           (1)
///
/// with ε the unit roundoff. Left alone, that velocity would move the body in the next step, where impulses
/// that balanced the weight to the last digit do so no more: a wall at rest creeps. So, where all trees of an
/// island of contacts obey (1), weighed by their masses, their velocities are set to zero: rest solves the
/// step to rounding, and where rest is a solution it is preferred. The impulses stay as they are.
///
/// Trees whose motion is prescribed, that constraints or springs tie, or that touch such a tree stay as they
/// are.
class Settling {
 public:
  /// Sets v of the trees at rest to zero; f is the right-hand side without contacts, r the impulses of all
  /// rows. Needs the system's M.
  void settle(const ContactRows& rows, const ConstrainedSystem& system, const Eigen::VectorXd& f,
              const Eigen::VectorXd& r, Eigen::VectorXd& v);

 private:
  void find_slow(const ConstrainedSystem& system, const Eigen::VectorXd& v);
  void find_resting(const ConstrainedSystem& system, const Eigen::VectorXd& v);
  [[nodiscard]] bool find_resting_islands(const ContactRows& rows);

  Eigen::VectorXd magnitude_;  // of the terms in (1), N s
  std::vector<char> rests_;    // of every unit of the system: it obeys (1)
  std::vector<char> island_rests_;
};

}  // namespace rigor
