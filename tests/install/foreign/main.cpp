#include "rigor/base/require.hpp"

#include <cstdio>

int main() {
  try {
    rigor::require(false, "mass = {} kg, must be > 0.", -2);
  } catch (const rigor::InvalidInput& error) {
    std::printf("Rigor answers: %s\n", error.what());
    return 0;
  }
  return 1;
}
