#include "rigor/stepping/stepper.hpp"

#include <cmath>

#include "rigor/base/require.hpp"
#include "rigor/dynamics/overflow.hpp"
#include "rigor/solvers/problem.hpp"
#include "rigor/stepping/runge_kutta4.hpp"
#include "rigor/stepping/semi_implicit.hpp"

namespace rigor {

const Eigen::VectorXd& Stepper::limit_forces() const {
  static const Eigen::VectorXd kNone;
  return kNone;
}

std::optional<Problem> Stepper::get_unsolved() {
  return {};
}

std::vector<Problem> Stepper::make_contact_problems() {
  return {};
}

std::optional<Problem> Stepper::get_hardest() {
  return {};
}

void require_step(const Model& model, const State& state, double h) {
  require(h > 0.0 && std::isfinite(h), "step: h = {} s, must be > 0 and finite.", h);
  require(std::isfinite(state.t), "step: the state has t = {} s, must be finite.", state.t);
  require(state.q.size() == model.nq && state.v.size() == model.nv,
          "step: the state has {} coordinates and {} speeds, the model {} and {}. Begin with assemble() or "
          "make_state().",
          state.q.size(), state.v.size(), model.nq, model.nv);
  if (is_bounded(state.q) && is_bounded(state.v)) return;
  for (int i = 0; i < model.nq; ++i)
    require(std::fabs(state.q[i]) <= kLargestNumber, "step: q[{}] = {}, must be finite and at most {:.0e}.",
            i, state.q[i], kLargestNumber);
  for (int i = 0; i < model.nv; ++i)
    require(std::fabs(state.v[i]) <= kLargestNumber, "step: v[{}] = {}, must be finite and at most {:.0e}.",
            i, state.v[i], kLargestNumber);
}

std::unique_ptr<Stepper> make_stepper(const Model& model, const RunSettings& settings) {
  if (settings.method == RunSettings::Method::kRungeKutta4)
    return std::make_unique<RungeKutta4Stepper>(model);
  return std::make_unique<SemiImplicitStepper>(model, settings);
}

}  // namespace rigor
