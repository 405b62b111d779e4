#include "tests/support/allocation_count.hpp"

namespace {
long allocations = 0;
}

#if !RIGOR_SANITIZED
extern "C" void* __libc_malloc(std::size_t);  // glibc's own, so that ours can count
extern "C" void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
#endif

namespace rigor::test {

AllocationCount::AllocationCount() : start_(allocations) {}

long AllocationCount::since() const {
  return allocations - start_;
}

}  // namespace rigor::test
