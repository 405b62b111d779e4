#pragma once

namespace rigor {

/// Whether this processor has AVX. Its lanes compute the same bits as plain code, only more of them at a time.
inline bool have_avx() {
#if defined(__x86_64__)
  static const bool have = __builtin_cpu_supports("avx") != 0;
  return have;
#else
  return false;
#endif
}

}  // namespace rigor
