#pragma once

#include "rigor/contact/formulation.hpp"

namespace rigor {

/// Rounding of a contact's speed, m/s, times the largest speed where that is above 1 m/s.
inline constexpr double kSpeedRounding = 1e-15;

/// Do the impulses r of the last step still solve this step's cone problem, to rounding? At rest they do, and
/// the step then costs one product W r: nothing is scaled, ordered or factored. They are kept where, with r
/// scaled to m/s, n contacts, and a bound ρ on what the rounding of W r may leave,
///
///     ‖r − P_K(r − û)‖ ≤ max( min(ρ/4, 1e-11 m/s),  1e-15 m/s √n max(1, |q|/(1 m/s)) ).              (1)
///
/// ConeLaw and ConeIslandSolver keep a start by the same rule; between masses of 1e6 : 1 and more they also
/// keep starts with larger residuals, and then correct them.
class KeptStart {
 public:
  /// True where (1) holds for the start in `answer`: the answer is then complete. The question needs no
  /// matrix.
  [[nodiscard]] bool holds(const ContactQuestion& question, bool is_convex, ContactAnswer& answer);

 private:
  struct FreeSpeeds {
    double mean{1.0};     // of the diagonal of W
    double largest{0.0};  // |q|, m/s
    double squares{0.0};  // Σ q²
  };
  struct Fit {
    double residual{0.0}, outside{0.0};  // m/s
  };

  FreeSpeeds fill_free_speeds(const ContactQuestion& question);
  [[nodiscard]] double sum_pressed(const ContactQuestion& question, const Eigen::VectorXd& r,
                                   double mean) const;
  [[nodiscard]] Fit measure(const ContactQuestion& question, bool is_convex, const Eigen::VectorXd& r_all,
                            double mean) const;

  Eigen::VectorXd u_, half_;
};

}  // namespace rigor
