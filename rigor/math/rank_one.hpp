#pragma once

#include <cstddef>

namespace rigor {

/// y_j += a x_j for j = 0 … n−1, each product and each sum rounded once.
///
/// Element by element, so that a machine with wider registers gives the same bits.
void add_scaled(double a, const double* x, double* y, std::ptrdiff_t n);

/// The exchange step of a pivot: rows i of a row-major table (height rows, `stride` doubles apart) get
///
///     row_i += t_i · pivot_row,   t_i = row_i[column], and row_i[column] = t_i · pivot_row[column]
///
/// for every i ≠ pivot with t_i ≠ 0. The pivot row must already be in its final form.
void eliminate_rows(double* table, std::ptrdiff_t height, std::ptrdiff_t width, std::ptrdiff_t stride,
                    std::ptrdiff_t pivot, std::ptrdiff_t column);

/// C −= A B for row-major A (height x depth), B (depth x width), C (height x width), all `stride` doubles
/// from row to row. Each entry of C loses its products one after the other, in the order of the columns of A.
void subtract_product(const double* A, const double* B, double* C, std::ptrdiff_t height,
                      std::ptrdiff_t width, std::ptrdiff_t depth, std::ptrdiff_t stride);

}  // namespace rigor
