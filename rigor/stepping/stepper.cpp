#include "rigor/stepping/stepper.hpp"

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

std::unique_ptr<Stepper> make_stepper(const Model& model, const RunSettings& settings) {
  if (settings.method == RunSettings::Method::kRungeKutta4)
    return std::make_unique<RungeKutta4Stepper>(model);
  return std::make_unique<SemiImplicitStepper>(model, settings);
}

}  // namespace rigor
