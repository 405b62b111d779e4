#include "rigor/math/magnitude.hpp"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#include "rigor/math/processor.hpp"
#define RIGOR_HAVE_AVX 1
#endif

namespace rigor {
namespace {

double raise_plain(const double* x, double* top, float* rounded, std::ptrdiff_t n) {
  double largest = 0.0;
  for (std::ptrdiff_t j = 0; j < n; ++j) {
    const double size = std::fabs(x[j]);
    top[j] = std::max(top[j], size);
    largest = std::max(largest, size);
    if (rounded != nullptr) rounded[j] = static_cast<float>(x[j]);
  }
  return largest;
}

#ifdef RIGOR_HAVE_AVX
__attribute__((target("avx"))) double raise_avx(const double* x, double* top, float* rounded,
                                                std::ptrdiff_t n) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  __m256d largest = _mm256_setzero_pd();
  std::ptrdiff_t j = 0;
  for (; j + 4 <= n; j += 4) {
    const __m256d entry = _mm256_loadu_pd(x + j), size = _mm256_andnot_pd(sign, entry);
    _mm256_storeu_pd(top + j, _mm256_max_pd(_mm256_loadu_pd(top + j), size));
    largest = _mm256_max_pd(largest, size);
    if (rounded != nullptr) _mm_storeu_ps(rounded + j, _mm256_cvtpd_ps(entry));
  }
  double best[4];
  _mm256_storeu_pd(best, largest);
  for (; j < n; ++j) {
    best[0] = std::max(best[0], std::fabs(x[j]));
    top[j] = std::max(top[j], std::fabs(x[j]));
    if (rounded != nullptr) rounded[j] = static_cast<float>(x[j]);
  }
  return std::max({best[0], best[1], best[2], best[3]});
}

#endif

}  // namespace

double raise_tops(const double* x, double* top, float* rounded, std::ptrdiff_t n) {
#ifdef RIGOR_HAVE_AVX
  if (have_avx()) return raise_avx(x, top, rounded, n);
#endif
  return raise_plain(x, top, rounded, n);
}

}  // namespace rigor
