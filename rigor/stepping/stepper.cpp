#include "rigor/stepping/stepper.hpp"

#include "rigor/stepping/runge_kutta4.hpp"
#include "rigor/stepping/semi_implicit.hpp"

namespace rigor {

std::unique_ptr<Stepper> make_stepper(const Model& model, const RunSettings& settings) {
  if (settings.method == RunSettings::Method::kRungeKutta4)
    return std::make_unique<RungeKutta4Stepper>(model);
  return std::make_unique<SemiImplicitStepper>(model, settings);
}

}  // namespace rigor
