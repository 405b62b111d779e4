#pragma once

#include "rigor/math/block3.hpp"

/// Products with three columns of any length, four numbers (lanes) at a time, with AVX where the machine has it. The order
/// of each sum is the same on every machine.
namespace rigor {

[[nodiscard]] RIGOR_KERNEL Column3 four(const double* x) {
  Column3 y;
  load_lanes(x, y);
  return y;
}
[[nodiscard]] RIGOR_KERNEL double sum_of(const Column3& x) {
  return (x[0] + x[1]) + (x[2] + x[3]);
}

/// u += Aᵀ x, A of n rows and columns that are `stride` apart.
RIGOR_KERNEL void add_transposed_three(const double* A, long stride, long n, const double* x, double* u) {
  const double *const B = A + stride, *const C = B + stride;
  Column3 a{}, b{}, c{};
  long i = 0;
  for (; i + 4 <= n; i += 4) {
    const Column3 own = four(x + i);
    a += four(A + i) * own, b += four(B + i) * own, c += four(C + i) * own;
  }
  double s = sum_of(a), t = sum_of(b), w = sum_of(c);
  for (; i < n; ++i) s += A[i] * x[i], t += B[i] * x[i], w += C[i] * x[i];
  u[0] += s, u[1] += t, u[2] += w;
}

/// f += A r
RIGOR_KERNEL void add_product_three(const double* A, long stride, long n, const double* r, double* f) {
  const double *const B = A + stride, *const C = B + stride;
  const double x = r[0], y = r[1], z = r[2];
  long i = 0;
  for (; i + 4 <= n; i += 4)
    store_lanes(four(f + i) + (four(A + i) * x + four(B + i) * y + four(C + i) * z), f + i);
  for (; i < n; ++i) f[i] += A[i] * x + B[i] * y + C[i] * z;
}

/// W += Aᵀ B, both of three columns that follow each other; columns of W are `stride` apart.
RIGOR_KERNEL void add_squares_three(const double* A, const double* B, long n, double* W, long stride) {
  Column3 s[3][3]{};
  long i = 0;
  for (; i + 4 <= n; i += 4) {
    const Column3 a = four(A + i), b = four(A + n + i), c = four(A + 2 * n + i);
    for (int j = 0; j < 3; ++j) {
      const Column3 own = four(B + j * n + i);
      s[j][0] += a * own, s[j][1] += b * own, s[j][2] += c * own;
    }
  }
  for (int j = 0; j < 3; ++j) {
    const double* const own = B + j * n;
    double p = sum_of(s[j][0]), q = sum_of(s[j][1]), r = sum_of(s[j][2]);
    for (long k = i; k < n; ++k) p += A[k] * own[k], q += A[n + k] * own[k], r += A[2 * n + k] * own[k];
    double* const to = W + j * stride;
    to[0] += p, to[1] += q, to[2] += r;
  }
}

}  // namespace rigor
