#include "rigor/stepping/step_work.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rigor {
namespace {

// RunSettings::work is for so many contact rows, and there are at least three times so many.
constexpr int kRowsOfWork = 100;
constexpr double kLeastOfWork = 3.0;
constexpr double kLeastUsual = 5e3;   // multiplications a row
constexpr double kMedianRate = 1.05;  // by which the usual work follows that of a step, up or down

}  // namespace

void StepWork::begin(double usual) {
  usual_ = usual;
  own_ = WorkMeter(settings_.work);
}

void StepWork::bound(int rows) {
  meter().raise_limit(settings_.work * std::max(kLeastOfWork, static_cast<double>(rows) / kRowsOfWork));
  if (settings_.budget > 0.0 && usual_ > 0.0)
    meter().lower_limit(settings_.budget * std::max(usual_, kLeastUsual) * rows);
}

double StepWork::follow_usual(double work, int rows) const {
  if (!(settings_.budget > 0.0) || rows == 0) return usual_;
  const double own = work / rows;
  if (usual_ == 0.0) return own;
  return usual_ * (own > usual_ ? kMedianRate : 1.0 / kMedianRate);
}

std::string StepWork::describe_spent() const {
  const double limit = meter().limit();
  if (settings_.budget > 0.0 && usual_ > 0.0)
    return fmt::format(
        "unsolved when the step's {:.2g} multiplications were spent (run.budget = {:.4g} times what steps "
        "usually take)",
        limit, settings_.budget);
  return fmt::format(
      "unsolved when the step's {:.2g} multiplications were spent (run.work = {:.4g} for every {} contact "
      "rows)",
      limit, settings_.work, kRowsOfWork);
}

}  // namespace rigor
