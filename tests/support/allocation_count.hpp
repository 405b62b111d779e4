#pragma once

#include <cstddef>

#include "tests/support/sanitized.hpp"

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
