#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RIGOR_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RIGOR_SANITIZED 1
#endif
#endif
#ifndef RIGOR_SANITIZED
#define RIGOR_SANITIZED 0
#endif

namespace rigor::test {

/// Counts calls of malloc since it was made; operator new and Eigen end there too. Under a sanitizer, to
/// which malloc belongs, it counts nothing.
class AllocationCount {
 public:
  AllocationCount();
  [[nodiscard]] long since() const;

 private:
  long start_;
};

}  // namespace rigor::test
