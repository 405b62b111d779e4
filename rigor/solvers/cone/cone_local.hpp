#pragma once

#include <Eigen/Core>

#include "rigor/solvers/problems/cone_problem.hpp"

namespace rigor {

/// Of the largest impulse or velocity of a problem: what is smaller counts as none.
inline constexpr double kNothing = 1e-9;

/// One block of a ConeProblem alone, u = W r + q with its own rows and columns of W, solved exactly: the step
/// of Gauss-Seidel, and the answer for a single contact.
///
///     open     q_N ≥ 0               r = 0
///     stick    −W⁻¹ q ∈ K            r = −W⁻¹ q
///     slide    else                  u_T = −λ r_T, λ > 0
///
/// For a sliding contact, with the normal row eliminated:
///
///     S = W_TT − W_TN W_NT / W_NN
///     (S + λ) r_T = −(q_T − W_TN q_N / W_NN)
///     r_N = −(q_N + W_NT r_T) / W_NN
///     g(λ) = mu r_N / ‖r_T‖ − 1 = 0                                                                  (1)
///
/// (1) is solved by Newton's method within a bracket, starting at the λ of the r given: g(0) < 0 because
/// sticking failed, and g → ∞ with λ. W may be unsymmetric; where (1) then has poles, the direction of slip
/// is searched around the circle instead. Planar contacts and single rows have closed forms. The associated
/// law (û = u) is exact for sizes 1 and 2; in space it takes one projected gradient step from the r given.
class ConeLocal {
 public:
  ConeLocal() = default;
  /// `W` is the size x size diagonal block, entry (i, j) at W[i * stride + j].
  void prepare(const ConeBlock& block, const double* W, Eigen::Index stride);

  /// Where |g| is below this, the last step goes along the tangent of r(λ), whose error is of the order of
  /// g². In repeated sweeps λ starts nearer to its root each time.
  static constexpr double kExact = 1e-9;
  static constexpr double kSwept = 1e-5;

  /// q is the velocity of the block without its own impulse. False, and r is left as it was, where there is
  /// no answer: q_N < 0 and W_NN ≤ 0, or no root was found.
  bool solve(const double* q, bool associated, double* r, double near = kExact) const;

 private:
  [[nodiscard]] bool solve_row(double q, double* r) const;
  [[nodiscard]] bool solve_planar(const double* q, double* r) const;
  [[nodiscard]] bool solve_planar_associated(const double* q, double* r) const;
  [[nodiscard]] bool solve_spatial(const double* q, double near, double* r) const;
  [[nodiscard]] double guess_lambda(const double* s, double s_length, double load, const double* r) const;
  [[nodiscard]] bool slide_by_root(const double* s, double load, double near, double* r) const;
  [[nodiscard]] bool put_on_border(double normal, double x, double y, double* r) const;
  [[nodiscard]] bool slide_by_direction(const double* q, double* r) const;
  void step_associated(const double* q, double* r) const;

  ConeBlock block_;
  double W_[3][3]{};
  double per_normal_{0.0};       // 1 / W_NN
  double gain_[2]{};             // −W_NT / W_NN:  r_N = −q_N / W_NN + gain · r_T
  double S_[2][2]{};             // the tangential block with the normal row eliminated
  double determinant_{0.0};      // of S
  double per_determinant_{0.0};  // its inverse, 0 where sticking is not decided by S
  double step_{0.0};             // of a projected gradient: 1 / trace
};

}  // namespace rigor
