#include "rigor/base/tier_log.hpp"

namespace rigor {
namespace {

thread_local TierLog* present_log = nullptr;

}  // namespace

TierLogScope::TierLogScope(TierLog& log) : outer_(present_log) {
  present_log = &log;
}

TierLogScope::~TierLogScope() {
  present_log = outer_;
}

TierLog* get_tier_log() noexcept {
  return present_log;
}

}  // namespace rigor
