#pragma once

#include "rigor/contact/formulation.hpp"

namespace rigor {

/// Rounding of a contact's speed, m/s, times the largest speed where that is above 1 m/s.
inline constexpr double kSpeedRounding = 1e-15;

/// Do the impulses of the last step still solve the cone problem of this one, to rounding? At rest they do,
/// and the step needs no more than the product W r: nothing is scaled, ordered or factored.
///
///     ‖r − P_K(r − û)‖ ≤ max(¼ of what rounding may leave, but no more than 1e-11 m/s,
///                            1e-15 m/s √n max(1, |q|/(1 m/s))),      r scaled to m/s
///
/// is the rule by which ConeLaw and ConeIslandSolver keep a start too; they go on to larger residuals under
/// masses of 1e6 : 1 and more, and mend what they keep.
class KeptStart {
 public:
  /// True where the start in `answer` holds: the answer is then complete. Needs no matrix in the question.
  [[nodiscard]] bool holds(const ContactQuestion& question, bool is_convex, ContactAnswer& answer);

 private:
  Eigen::VectorXd u_, half_;
};

}  // namespace rigor
