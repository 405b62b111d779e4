#pragma once

#include "bench/step_judge.hpp"
#include "rigor/contact/contact_rows.hpp"

namespace rigor {

/// StepJudge for boxes too: the contact problem of the step is the one that Rigor itself makes of the state at its
/// beginning. With its rows H, the velocity v_free without impulses and u = H v⁺ + gap/h e_N,
///
///     q = H v_free + gap/h e_N,   u = q + g,   g = H (v⁺ − v_free),
///     ‖v⁺ − v_free − M⁻¹ Hᵀ r‖²_M = ‖v⁺ − v_free‖²_M − 2 g·r + r·W r,
///
/// so that (2) and (3) of step_judge.hpp follow from g and W = YᵀY. A box that turns changes its spin without forces;
/// some engines add that to v⁺, others to the next step. v⁺ is therefore judged twice, as it is and with the spin that
/// its angular momentum has in the pose before, and the smaller residual counts.
class BodyJudge {
 public:
  explicit BodyJudge(const PileScene& scene) : scene_(scene) {}

  [[nodiscard]] StepJudgement judge(const PileRecord::Step& step, const StepJudgeOptions& options);

  /// What is judged: the problem with its q, and what the step has given.
  struct Question {
    UnitConeProblem problem;
    Eigen::VectorXd gained;  // g
    double energy{0.0};      // ‖v⁺ − v_free‖²_M, twice a kinetic energy
    double mean_mass{1.0};   // kg
  };

 private:
  [[nodiscard]] StepJudgement judge_once(const PileRecord::Step& step, const StepJudgeOptions& options);

  PileScene scene_;
  PileSweeps sweeps_;
};

/// The least residual over the impulses of (3) of step_judge.hpp: penetration is left at 0.
[[nodiscard]] StepJudgement judge_question(const BodyJudge::Question& question,
                                           const StepJudgeOptions& options, PileSweeps& sweeps);

}  // namespace rigor
