#pragma once

#include "rigor/contact/contact_rows.hpp"

namespace rigor {

/// Rest without rounding. A body at rest has M v⁺ = f + Jᵀ r = 0, of which rounding leaves
///
///     |M v⁺|ᵢ ≤ c ε (|f|ᵢ + Σₖ |Jₖᵢ| |rₖ|)                                                            (1)
///
/// and that would move it: the next step begins with what this one left, impulses that balance the weight to
/// the last digit are no balance any more, and a wall at rest creeps. Where every tree of an island of
/// contacts obeys (1), measured by the masses, its velocity is zero: rest is an answer of the step to
/// rounding, and rest is preferred. The impulses stay as they are.
///
/// What is driven, tied by constraints or springs, or touches such a thing is left as it is.
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
  std::vector<char> rests_;    // of every unit: as far as is known
  std::vector<char> island_rests_;
};

}  // namespace rigor
