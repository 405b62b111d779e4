#include "rigor/math/rank_one.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define RIGOR_HAVE_AVX 1
#endif

namespace rigor {
namespace {

void add_scaled_plain(double a, const double* x, double* y, std::ptrdiff_t n) {
  for (std::ptrdiff_t j = 0; j < n; ++j) y[j] += a * x[j];
}

void subtract_product_plain(const double* A, const double* B, double* C, std::ptrdiff_t height,
                            std::ptrdiff_t width, std::ptrdiff_t depth, std::ptrdiff_t stride) {
  for (std::ptrdiff_t i = 0; i < height; ++i)
    for (std::ptrdiff_t k = 0; k < depth; ++k)
      for (std::ptrdiff_t j = 0; j < width; ++j) C[i * stride + j] -= A[i * stride + k] * B[k * stride + j];
}

template <class Axpy>
void eliminate(double* table, std::ptrdiff_t height, std::ptrdiff_t width, std::ptrdiff_t stride,
               std::ptrdiff_t pivot, std::ptrdiff_t column, Axpy axpy) {
  const double* source = table + pivot * stride;
  for (std::ptrdiff_t i = 0; i < height; ++i) {
    double* row = table + i * stride;
    const double factor = row[column];
    if (i == pivot || factor == 0.0) continue;
    row[column] = 0.0;
    axpy(factor, source, row, width);
  }
}

#ifdef RIGOR_HAVE_AVX
// four lanes, no fused multiply-add: the same bits as the plain loop
__attribute__((target("avx"))) void add_scaled_avx(double a, const double* x, double* y, std::ptrdiff_t n) {
  const __m256d factor = _mm256_set1_pd(a);
  std::ptrdiff_t j = 0;
  for (; j + 8 <= n; j += 8) {
    const __m256d p = _mm256_mul_pd(factor, _mm256_loadu_pd(x + j));
    const __m256d r = _mm256_mul_pd(factor, _mm256_loadu_pd(x + j + 4));
    _mm256_storeu_pd(y + j, _mm256_add_pd(_mm256_loadu_pd(y + j), p));
    _mm256_storeu_pd(y + j + 4, _mm256_add_pd(_mm256_loadu_pd(y + j + 4), r));
  }
  for (; j < n; ++j) y[j] += a * x[j];
}

// four rows by eight columns of C stay in registers while the depth is run through
__attribute__((target("avx"))) void subtract_product_avx(const double* A, const double* B, double* C,
                                                         std::ptrdiff_t height, std::ptrdiff_t width,
                                                         std::ptrdiff_t depth, std::ptrdiff_t stride) {
  constexpr int kRows = 4;
  for (std::ptrdiff_t j = 0; j < width; j += 8) {
    if (j + 8 > width) {
      subtract_product_plain(A, B + j, C + j, height, width - j, depth, stride);
      break;
    }
    std::ptrdiff_t i = 0;
    for (; i + kRows <= height; i += kRows) {
      __m256d left[kRows], right[kRows];
      for (int r = 0; r < kRows; ++r) {
        left[r] = _mm256_loadu_pd(C + (i + r) * stride + j);
        right[r] = _mm256_loadu_pd(C + (i + r) * stride + j + 4);
      }
      for (std::ptrdiff_t k = 0; k < depth; ++k) {
        const __m256d b_left = _mm256_loadu_pd(B + k * stride + j);
        const __m256d b_right = _mm256_loadu_pd(B + k * stride + j + 4);
        for (int r = 0; r < kRows; ++r) {
          const __m256d a = _mm256_broadcast_sd(A + (i + r) * stride + k);
          left[r] = _mm256_sub_pd(left[r], _mm256_mul_pd(a, b_left));
          right[r] = _mm256_sub_pd(right[r], _mm256_mul_pd(a, b_right));
        }
      }
      for (int r = 0; r < kRows; ++r) {
        _mm256_storeu_pd(C + (i + r) * stride + j, left[r]);
        _mm256_storeu_pd(C + (i + r) * stride + j + 4, right[r]);
      }
    }
    if (i < height)
      subtract_product_plain(A + i * stride, B + j, C + i * stride + j, height - i, 8, depth, stride);
  }
}

bool have_avx() {
  static const bool have = __builtin_cpu_supports("avx") != 0;
  return have;
}
#endif

}  // namespace

void add_scaled(double a, const double* x, double* y, std::ptrdiff_t n) {
#ifdef RIGOR_HAVE_AVX
  if (n >= 8 && have_avx()) return add_scaled_avx(a, x, y, n);
#endif
  add_scaled_plain(a, x, y, n);
}

void eliminate_rows(double* table, std::ptrdiff_t height, std::ptrdiff_t width, std::ptrdiff_t stride,
                    std::ptrdiff_t pivot, std::ptrdiff_t column) {
#ifdef RIGOR_HAVE_AVX
  if (width >= 8 && have_avx()) return eliminate(table, height, width, stride, pivot, column, add_scaled_avx);
#endif
  eliminate(table, height, width, stride, pivot, column, add_scaled_plain);
}

void subtract_product(const double* A, const double* B, double* C, std::ptrdiff_t height,
                      std::ptrdiff_t width, std::ptrdiff_t depth, std::ptrdiff_t stride) {
#ifdef RIGOR_HAVE_AVX
  if (have_avx()) return subtract_product_avx(A, B, C, height, width, depth, stride);
#endif
  subtract_product_plain(A, B, C, height, width, depth, stride);
}

}  // namespace rigor
