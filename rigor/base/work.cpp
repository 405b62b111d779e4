#include "rigor/base/work.hpp"

#include "rigor/base/interruption.hpp"

namespace rigor {
namespace {

thread_local WorkMeter* present_meter = nullptr;

}  // namespace

WorkScope::WorkScope(WorkMeter& meter) : outer_(present_meter) {
  present_meter = &meter;
}

WorkScope::~WorkScope() {
  present_meter = outer_;
}

WorkMeter* get_work_meter() noexcept {
  return present_meter;
}

bool may_work(double cost) noexcept {
  if (present_meter) {
    present_meter->add(cost);
    if (present_meter->is_spent()) return false;
  }
  return !is_interrupted();
}

}  // namespace rigor
