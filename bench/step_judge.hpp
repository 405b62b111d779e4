#pragma once

#include "bench/pile_record.hpp"
#include "rigor/solvers/cone/pile_sweeps.hpp"

namespace rigor {

/// How well a velocity v⁺, whoever computed it, solves the contact problem of a step. With M v_free = M v +
/// h f, the contacts of the state at the beginning and H their rows, the problem is that of the formulation
/// `cone`:
///
///     M (v⁺ − v_free) = Hᵀ r,   u = H v⁺ + gap/h e_N,   û = u + μ‖u_T‖ e_N,   K* ∋ û ⟂ r ∈ K;          (1)
///
/// gap/h counts where a contact is open. A pair (v, r) has two residuals, both m/s, ω the mean diagonal of
/// W = H M⁻¹ Hᵀ:
///
///     law  ‖ω r − P_K(ω r − û)‖₂        momentum  ‖v⁺ − v_free − M⁻¹ Hᵀ r‖_M / √(mean mass).          (2)
///
/// Engines do not all tell r, and forces are often not unique. The residual of v⁺ is therefore the least,
/// over all r ∈ K, of the root of the sum of their squares: the doubt is for the engine. It is zero exactly
/// at the solutions, and no larger than what a solver of u = W r + q reports of its own r, whose momentum is
/// exact. Every r ∈ K gives a bound from above; we take the lowest at
///
///     r(s) = argmin over K of  ½ ‖M (v⁺ − v_free) − Hᵀ r‖²_{M⁻¹} + s r·û,    s = 1, 0.3, …, 0.01,      (3)
///
/// convex problems (the associated law with q = −H (v⁺ − v_free) + s û), each from the answer of the one
/// before. s = 0 would explain the velocity best and say nothing of the law: impulses at contacts that are
/// open, where others would do. For an exact v⁺ both terms are zero at its r, their least value since
/// û ∈ K*, and r(s) solves (1) whatever s > 0 is.
///
/// Some engines move the centres by another velocity than the one they keep; `by_displacement` takes
/// (p⁺ − p)/h for the centres' part of v⁺.
struct StepJudgeOptions {
  double tolerance{1e-7};  // m/s, of the residual of each (3)
  int max_sweeps{1000};    // for each (3): with more the bound mostly falls
  bool by_displacement{false};
};

struct StepJudgement {
  int contacts{0};          // found; open ones too
  int loaded{0};            // with r_N > 0
  double residual{0.0};     // of v⁺, m/s
  double relative{0.0};     // the same over ‖q‖₂, q = H v_free + gap/h e_N
  double law{0.0};          // its parts (2), m/s
  double momentum{0.0};     // m/s
  double weight{0.0};       // s of the r that gave it
  double penetration{0.0};  // largest overlap at the beginning, m
  double approach{0.0};     // largest −u_N: what would overlap after the step, m/s
  int sweeps{0};
};

inline constexpr double kJudgeWeights[] = {1.0, 0.3, 0.1, 0.03, 0.01};  // s of (3)

/// A contact at the beginning of the step: sphere a on sphere b, or on plane b.
struct PileContact {
  int a{0}, b{0};
  bool is_on_plane{false};
  double gap{0.0};                                     // m
  Eigen::Matrix3d frame{Eigen::Matrix3d::Identity()};  // columns: normal from b to a, tangents
  Eigen::Vector3d point{Eigen::Vector3d::Zero()};      // m
};

/// The largest overlap of spheres with each other and the planes, m.
[[nodiscard]] double find_penetration(const PileScene& scene, const std::vector<Eigen::Vector3d>& centres);

class StepJudge {
 public:
  explicit StepJudge(const PileScene& scene) : scene_(scene) {}

  [[nodiscard]] StepJudgement judge(PileRecord::Step step, const StepJudgeOptions& options);

  /// Of the last judge(), for those who look: three numbers per contact.
  [[nodiscard]] const std::vector<PileContact>& contacts() const { return contacts_; }
  [[nodiscard]] const Eigen::VectorXd& impulses() const { return r_; }
  /// The law's residual with other impulses, m/s.
  [[nodiscard]] double compute_law_residual(const Eigen::VectorXd& r) const;
  [[nodiscard]] double compute_momentum_residual(const Eigen::VectorXd& r) const;

 private:
  void find_contacts(const PileRecord::Step& step);
  void add_pair(const PileRecord::Step& step, int a, int b, double reach);
  void make_problem();
  [[nodiscard]] Eigen::VectorXd speeds_of(const std::vector<SphereMotion>& motions) const;
  [[nodiscard]] Eigen::VectorXd lift(const Eigen::VectorXd& u) const;
  void explain(const StepJudgeOptions& options, StepJudgement& result);

  PileScene scene_;
  std::vector<Eigen::Vector3d> centres_;
  std::vector<SphereMotion> change_;  // v⁺ − v_free
  std::vector<PileContact> contacts_;
  UnitConeProblem problem_;
  double impulse_unit_{1.0};   // ω, 1/kg
  Eigen::VectorXd q_, u_, r_;  // m/s, m/s, N s
  PileSweeps sweeps_;
};

}  // namespace rigor
