#pragma once

#include "bench/pile_record.hpp"
#include "rigor/model/body_kinematics.hpp"
#include "rigor/stepping/simulation.hpp"

namespace rigor {

/// A pile as a scene; steps that do not reach their tolerance are taken at their best residual.
[[nodiscard]] Scene make_pile_scene(const PileScene& pile);

/// Rigor as an engine of run_pile().
class RigorPile {
 public:
  explicit RigorPile(const Scene& scene);

  StepReport step();
  [[nodiscard]] SphereMotion get_motion(int i);
  [[nodiscard]] const RunTotals& totals() const { return simulation_.totals(); }
  /// Of the last step.
  [[nodiscard]] const std::vector<ContactReport>& contacts() const {
    return simulation_.stepper().contacts();
  }

 private:
  void look();

  Simulation simulation_;
  Kinematics<double> kin_;
  bool is_seen_{false};
};

}  // namespace rigor
