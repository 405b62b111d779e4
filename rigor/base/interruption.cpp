#include "rigor/base/interruption.hpp"

namespace rigor {
namespace {

std::atomic<bool> interruption_wanted{false};

}  // namespace

void request_interruption() noexcept {
  interruption_wanted.store(true, std::memory_order_relaxed);
}

void clear_interruption() noexcept {
  interruption_wanted.store(false, std::memory_order_relaxed);
}

bool is_interrupted() noexcept {
  return interruption_wanted.load(std::memory_order_relaxed);
}

void check_interruption() {
  if (is_interrupted()) throw Cancelled();
}

}  // namespace rigor
