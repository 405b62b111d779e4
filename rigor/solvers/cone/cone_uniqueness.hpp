#pragma once

#include <string_view>

#include "rigor/math/dense_cholesky.hpp"
#include "rigor/math/orthogonal_factor.hpp"
#include "rigor/solvers/problems/cone_problem.hpp"

namespace rigor {

/// What is known about other velocities that solve the same problem, from least to most.
enum class VelocityVerdict {
  kUnknown,    // a block is between two modes, or the problem is too large to look
  kContinuum,  // there are others, as near as one likes
  kIsolated,   // there is no other nearby
  kUnique,     // there is no other: proved
};

[[nodiscard]] std::string_view to_string(VelocityVerdict verdict);
/// The verdict in words, without a full stop.
[[nodiscard]] std::string_view describe(VelocityVerdict verdict);

/// How far an answer r, u = W r + q of a ConeProblem is unique. A block is loaded where r ≠ 0, and t =
/// u_T/‖u_T‖.
///
/// Forces. F has as columns the directions in which the impulses of loaded blocks may change: all rows of a
/// block that sticks, e_N − mu t of one that slides. The forces that give the same velocity have dimension
/// nullity(W F).
///
/// Velocities near by. Where every block is clearly open, sticking or sliding, another answer r + δr obeys,
/// with δu = W δr,
///
///     open     δr = 0
///     stick    δu = 0
///     slide    δu_N = 0,   δr_T + mu t δr_N + (mu r_N/‖u_T‖) (1 − t tᵀ) δu_T = 0                     (1)
///
/// Solutions of (1) beyond those of the forces change the velocity. A block that slips and touches without
/// load is asked as one that slides with r_N = 0, δr_N ≥ 0, in small problems.
///
/// Velocities at all. For fixed s_i = mu_i ‖u_Ti‖ the problem is convex [ACLM11], and u_T is a function of s.
/// With W = YᵀY > 0 the constraint moves by A s, A = Y W⁻¹ E_N, YᵀA s = E_N s, and a projection does not
/// lengthen: ‖D⁻¹ δ(mu u_T)‖ ≤ ‖D⁻¹ mu Y_Tᵀ‖ ‖A D‖ ‖D⁻¹ δs‖ for any diagonal D. So there is one velocity
/// where
///
///     ‖D⁻¹ mu W_TT mu D⁻¹‖ · ‖D (W⁻¹)_NN D‖ < 1.                                                     (2)
///
/// The associated law and problems without friction are convex and always have one. The norms are bounded
/// from above by row sums and by Frobenius' norm. For a single contact at the centre of mass (2) is mu < 1.
///
/// [ACLM11] Acary, Cadoux, Lemaréchal, Malick. ZAMM 91, 2011. (2) is our own.
class ConeUniqueness {
 public:
  /// `modes_are_clear`: (1) is known to be regular.
  void judge(const ConeProblem& problem, const Eigen::VectorXd& r, const Eigen::VectorXd& u,
             bool modes_are_clear);

  [[nodiscard]] int force_freedom() const { return force_freedom_; }
  [[nodiscard]] VelocityVerdict velocity() const { return velocity_; }

 private:
  enum class Mode { kOpen, kGrazing, kStick, kAtLimit, kSlide };

  void find_modes(const ConeProblem& problem, const Eigen::VectorXd& r, const Eigen::VectorXd& u);
  [[nodiscard]] bool is_symmetric(const ConeProblem& problem) const;
  [[nodiscard]] bool factor(const ConeProblem& problem);
  [[nodiscard]] bool is_well_conditioned(const ConeProblem& problem);
  [[nodiscard]] bool slides_nowhere() const;
  [[nodiscard]] int count_force_freedom(const ConeProblem& problem, const Eigen::VectorXd& u);
  [[nodiscard]] int count_freedom(const ConeProblem& problem, const Eigen::VectorXd& r,
                                  const Eigen::VectorXd& u);
  [[nodiscard]] bool loads_grazing_blocks(const ConeProblem& problem, const Eigen::VectorXd& r,
                                          const Eigen::VectorXd& u);
  [[nodiscard]] bool is_proved(const ConeProblem& problem);
  [[nodiscard]] bool contracts(const ConeProblem& problem, bool is_scaled);

  int force_freedom_{0};
  VelocityVerdict velocity_{VelocityVerdict::kUnknown};
  std::vector<Mode> modes_;
  std::vector<int> grazing_;                       // first rows of blocks without load that slip
  bool is_symmetric_{false}, is_factored_{false};  // W; by cholesky_, of rows enough for a proof
  double mean_{1.0};
  Eigen::MatrixXd matrix_, inverse_;
  Eigen::VectorXd column_, tangents_, normals_;
  OrthogonalFactor factor_;
  DenseCholesky cholesky_;
};

}  // namespace rigor
