#pragma once

#include <cstddef>

namespace rigor {

/// y_j += a x_j for j = 0 … n−1, each product and each sum rounded once. For float and double.
///
/// Element by element, so that a machine with wider registers gives the same bits.
template <class Scalar>
void add_scaled(Scalar a, const Scalar* x, Scalar* y, std::ptrdiff_t n);

/// The exchange step of a pivot: rows i of a row-major table (height rows, `stride` doubles apart) get
///
///     row_i += t_i · pivot_row,   t_i = row_i[column], and row_i[column] = t_i · pivot_row[column]
///
/// for every i ≠ pivot with t_i ≠ 0. The pivot row must already be in its final form.
void eliminate_rows(double* table, std::ptrdiff_t height, std::ptrdiff_t width, std::ptrdiff_t stride,
                    std::ptrdiff_t pivot, std::ptrdiff_t column);

/// subtract_product() works on whole tiles of C: this many rows and columns.
inline constexpr std::ptrdiff_t kTileRows = 4;
template <class Scalar>
inline constexpr std::ptrdiff_t kTileColumns = 64 / static_cast<std::ptrdiff_t>(sizeof(Scalar));

/// Where A(i, k) lies: at data[i · row + k · column], so that a panel and its transpose are both at hand.
template <class Scalar>
struct Factors {
  const Scalar* data;
  std::ptrdiff_t row, column;
};

/// C −= A B for A (height x depth) and row-major B (depth x width), C (height x width), both `stride` entries
/// from row to row. The products are subtracted from each entry of C one after the other, in the order of the
/// columns of A. Whole tiles are computed: A, B and C must have that room; what is written beyond C has no
/// meaning.
template <class Scalar>
void subtract_product(Factors<Scalar> A, const Scalar* B, Scalar* C, std::ptrdiff_t height,
                      std::ptrdiff_t width, std::ptrdiff_t depth, std::ptrdiff_t stride);

}  // namespace rigor
