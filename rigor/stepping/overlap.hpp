#pragma once

#include "rigor/solvers/cone/cone_island.hpp"
#include "rigor/solvers/cone/cone_solve.hpp"
#include "rigor/stepping/contact_step.hpp"

namespace rigor {

/// Takes overlap back by moving positions alone: of all d that leave no overlap the one of least kinetic metric,
///
///     min dᵀ M d    subject to    gap + h u_n⁺ + J_n d ≥ 0    for contacts, and alike for ends of ranges,
///
/// islands by islands; the velocities are left as they are.
class OverlapCorrector {
 public:
  /// Overlap up to settings.overlap, or tolerance · h, stays.
  explicit OverlapCorrector(const RunSettings& settings) : settings_(settings) {}

  /// Moves q out of the overlap that the speeds step.u leave after the step. The system must still have the
  /// step's factors. False where there is none.
  [[nodiscard]] bool correct(const Model& model, const ContactStep& step, ConstrainedSystem& system,
                             WorkerPool& pool, Eigen::VectorXd& q);

 private:
  [[nodiscard]] double find_deepest(const ContactStep& step, const ContactIsland& island);
  void push(const ContactStep& step, const ContactIsland& island, double deepest, double tolerance,
            WorkerPool& pool);

  RunSettings settings_;
  Eigen::VectorXd gaps_, pushes_, f_, d_;  // of all rows: after the step, m; impulses, kg m; of all speeds
  std::vector<Eigen::VectorXd> zero_rows_;
  ContactIsland near_;  // the contacts of an island that may be pushed
  ConeProblem problem_;
  ConeWorkspace workspace_;
  ConeResult result_;
  UnitAssembly units_;
  ConeIslandSolver solver_;
  ConeIslandResult island_result_;
};

}  // namespace rigor
