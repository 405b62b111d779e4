#pragma once

#include "rigor/solvers/acceleration/acceleration_problem.hpp"
#include "rigor/solvers/lcp/enumerate.hpp"
#include "rigor/solvers/problems/lcp.hpp"

namespace rigor {

/// The contact LCP of one-sided contacts, with all held rows eliminated [BKA, (35)-(38), (63), (73)]:
///
///     0 ≤ λn ⊥ A λn + H ≥ 0                                                                          (1)
///     A = Nᵀ Mc⁻¹ N_f
///     H = Nᵀ (a0 − Mc⁻¹ (F + M a0)) + bias
///     Mc⁻¹ = Z (Zᵀ M Z)⁻¹ Zᵀ
///
/// with a0 + Z x the accelerations that bilateral and sticking rows allow, N the normals and N_f the forces
/// that belong to λn: N, or N − mu tangentᵀ slip of a contact that slides. Where tangents are independent and
/// M ≻ 0 (Assumption 1) this is the paper's (36); it only needs Zᵀ M Z ≻ 0, so that redundant rows and many
/// singular M are allowed as well.
struct NormalLcp {
  static constexpr int kMaxListed = 12;  // contacts of an LCP whose solutions are all listed

  bool exists{false};         // Zᵀ M Z ≻ 0 and the rows do not contradict each other
  std::vector<int> contacts;  // the unilateral ones, in order
  LcpProblem lcp;
  Eigen::VectorXd a_free;  // accelerations without λn
  Eigen::MatrixXd a_per;   // n x contacts: accelerations per unit of λn

  [[nodiscard]] Eigen::VectorXd acceleration(const Eigen::VectorXd& lambda) const {
    return a_free + a_per * lambda;
  }
};

[[nodiscard]] NormalLcp make_normal_lcp(const AccelerationProblem& problem);

/// The accelerations of Gauss's principle where (1) may not exist: min ½ aᵀM a + F·a over those that
/// bilateral and sticking rows and normal·a + bias ≥ 0 allow: the MLCP [BKA, (43), (65)] without cones, M ⪰
/// 0.
struct GaussAcceleration {
  enum class Status { kSolved, kContradiction, kUnbounded, kUndecided } status{Status::kUndecided};
  Eigen::VectorXd a;
  std::vector<char> is_closed;  // per contact: its normal acceleration is zero
  Eigen::VectorXd normal;       // per contact
};
/// Only for problems in which nothing slides.
[[nodiscard]] GaussAcceleration find_gauss_acceleration(const AccelerationProblem& problem);

}  // namespace rigor
