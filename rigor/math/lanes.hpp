#pragma once

#include <cstring>

/// Two numbers of a register: arithmetic lane by lane, with the bits of plain code.
namespace rigor {

typedef double Lanes2 __attribute__((vector_size(16)));

/// Two numbers from any address.
[[nodiscard]] inline Lanes2 lanes(const double* x) {
  Lanes2 two;
  std::memcpy(&two, x, sizeof two);
  return two;
}
inline void store(Lanes2 two, double* x) {
  std::memcpy(x, &two, sizeof two);
}
[[nodiscard]] inline Lanes2 both(double x) {
  return Lanes2{x, x};
}

}  // namespace rigor
