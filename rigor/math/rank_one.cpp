#include "rigor/math/rank_one.hpp"

#include "rigor/math/processor.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define RIGOR_HAVE_AVX 1
#endif

namespace rigor {
namespace {

template <class Scalar>
void add_scaled_plain(Scalar a, const Scalar* x, Scalar* y, std::ptrdiff_t n) {
  for (std::ptrdiff_t j = 0; j < n; ++j) y[j] += a * x[j];
}

template <class Scalar>
void subtract_product_plain(Factors<Scalar> A, const Scalar* B, Scalar* C, std::ptrdiff_t height,
                            std::ptrdiff_t width, std::ptrdiff_t depth, std::ptrdiff_t stride) {
  for (std::ptrdiff_t i = 0; i < height; ++i)
    for (std::ptrdiff_t k = 0; k < depth; ++k)
      for (std::ptrdiff_t j = 0; j < width; ++j)
        C[i * stride + j] -= A.data[i * A.row + k * A.column] * B[k * stride + j];
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
// The 32 bytes of one register, wherever they lie in memory. Arithmetic on them is lane by lane and, without
// fused multiply-add, has the bits of the plain loop.
template <class Scalar>
struct Register;
template <>
struct Register<double> {
  typedef double Lanes __attribute__((vector_size(32), aligned(8), may_alias));
  static constexpr std::ptrdiff_t kSize = 4;
};
template <>
struct Register<float> {
  typedef float Lanes __attribute__((vector_size(32), aligned(4), may_alias));
  static constexpr std::ptrdiff_t kSize = 8;
};

template <class Scalar>
__attribute__((target("avx"))) void add_scaled_avx(Scalar a, const Scalar* x, Scalar* y, std::ptrdiff_t n) {
  using Lanes = typename Register<Scalar>::Lanes;
  constexpr std::ptrdiff_t kSize = Register<Scalar>::kSize;
  std::ptrdiff_t j = 0;
  for (; j + 2 * kSize <= n; j += 2 * kSize) {
    Lanes* const left = reinterpret_cast<Lanes*>(y + j);
    Lanes* const right = reinterpret_cast<Lanes*>(y + j + kSize);
    const Lanes p = a * *reinterpret_cast<const Lanes*>(x + j);
    const Lanes r = a * *reinterpret_cast<const Lanes*>(x + j + kSize);
    *left += p;
    *right += r;
  }
  if (j + kSize <= n) {
    *reinterpret_cast<Lanes*>(y + j) += a * *reinterpret_cast<const Lanes*>(x + j);
    j += kSize;
  }
  for (; j < n; ++j) y[j] += a * x[j];
}

// One tile of C, four rows of two registers, stays in registers while the depth is run through. The rows are
// written out: compilers keep arrays of registers in memory.
template <class Scalar>
__attribute__((target("avx"))) void subtract_tile(Factors<Scalar> A, const Scalar* B, Scalar* C,
                                                  std::ptrdiff_t depth, std::ptrdiff_t stride) {
  using Lanes = typename Register<Scalar>::Lanes;
  Lanes* const row0 = reinterpret_cast<Lanes*>(C);
  Lanes* const row1 = reinterpret_cast<Lanes*>(C + stride);
  Lanes* const row2 = reinterpret_cast<Lanes*>(C + 2 * stride);
  Lanes* const row3 = reinterpret_cast<Lanes*>(C + 3 * stride);
  Lanes left0 = row0[0], left1 = row1[0], left2 = row2[0], left3 = row3[0];
  Lanes right0 = row0[1], right1 = row1[1], right2 = row2[1], right3 = row3[1];
  const Scalar* a = A.data;
  for (std::ptrdiff_t k = 0; k < depth; ++k, a += A.column, B += stride) {
    const Lanes b_left = reinterpret_cast<const Lanes*>(B)[0], b_right = reinterpret_cast<const Lanes*>(B)[1];
    const Scalar a0 = a[0], a1 = a[A.row], a2 = a[2 * A.row], a3 = a[3 * A.row];
    left0 -= a0 * b_left;
    right0 -= a0 * b_right;
    left1 -= a1 * b_left;
    right1 -= a1 * b_right;
    left2 -= a2 * b_left;
    right2 -= a2 * b_right;
    left3 -= a3 * b_left;
    right3 -= a3 * b_right;
  }
  row0[0] = left0, row1[0] = left1, row2[0] = left2, row3[0] = left3;
  row0[1] = right0, row1[1] = right1, row2[1] = right2, row3[1] = right3;
}

template <class Scalar>
__attribute__((target("avx"))) void subtract_product_avx(Factors<Scalar> A, const Scalar* B, Scalar* C,
                                                         std::ptrdiff_t height, std::ptrdiff_t width,
                                                         std::ptrdiff_t depth, std::ptrdiff_t stride) {
  for (std::ptrdiff_t j = 0; j < width; j += kTileColumns<Scalar>)
    for (std::ptrdiff_t i = 0; i < height; i += kTileRows)
      subtract_tile<Scalar>({A.data + i * A.row, A.row, A.column}, B + j, C + i * stride + j, depth, stride);
}

#endif

}  // namespace

template <class Scalar>
void add_scaled(Scalar a, const Scalar* x, Scalar* y, std::ptrdiff_t n) {
#ifdef RIGOR_HAVE_AVX
  if (n >= 8 && have_avx()) return add_scaled_avx(a, x, y, n);
#endif
  add_scaled_plain(a, x, y, n);
}

void eliminate_rows(double* table, std::ptrdiff_t height, std::ptrdiff_t width, std::ptrdiff_t stride,
                    std::ptrdiff_t pivot, std::ptrdiff_t column) {
#ifdef RIGOR_HAVE_AVX
  if (width >= 8 && have_avx())
    return eliminate(table, height, width, stride, pivot, column, add_scaled_avx<double>);
#endif
  eliminate(table, height, width, stride, pivot, column, add_scaled_plain<double>);
}

template <class Scalar>
void subtract_product(Factors<Scalar> A, const Scalar* B, Scalar* C, std::ptrdiff_t height,
                      std::ptrdiff_t width, std::ptrdiff_t depth, std::ptrdiff_t stride) {
#ifdef RIGOR_HAVE_AVX
  if (have_avx()) return subtract_product_avx(A, B, C, height, width, depth, stride);
#endif
  subtract_product_plain(A, B, C, height, width, depth, stride);
}

template void add_scaled(float, const float*, float*, std::ptrdiff_t);
template void add_scaled(double, const double*, double*, std::ptrdiff_t);
template void subtract_product(Factors<float>, const float*, float*, std::ptrdiff_t, std::ptrdiff_t,
                               std::ptrdiff_t, std::ptrdiff_t);
template void subtract_product(Factors<double>, const double*, double*, std::ptrdiff_t, std::ptrdiff_t,
                               std::ptrdiff_t, std::ptrdiff_t);

}  // namespace rigor
