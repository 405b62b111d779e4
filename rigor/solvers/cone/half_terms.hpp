#pragma once

#include "rigor/math/block3.hpp"

namespace rigor {

/// Products with the half vectors Y of UnitConeProblem, for loops over contacts: contact i has the terms k =
/// begin[i] … begin[i + 1] − 1, and term k is the block half[k] of Y at the node node[k].

/// v += Y x for one node.
RIGOR_KERNEL void add_half(const Block3& half, const double* x, Padded3& v) {
  const Column3* const Y = columns_of(half);
  column_of(v) += Y[0] * x[0] + Y[1] * x[1] + Y[2] * x[2];
}

/// u += Σ Yᵀ v over the terms of one contact.
template <class Terms>
RIGOR_KERNEL void add_transposed(const Terms& terms, int i, const Padded3* v, double* u) {
  Column3 first = {0, 0, 0, 0}, second = {0, 0, 0, 0}, third = {0, 0, 0, 0};
  for (int k = terms.begin[i]; k < terms.begin[i + 1]; ++k) {
    const Column3* const Y = columns_of(terms.half[k]);
    const Column3 own = column_of(v[terms.node[k]]);
    first += Y[0] * own;
    second += Y[1] * own;
    third += Y[2] * own;
  }
  u[0] += first[0] + first[1] + first[2];
  u[1] += second[0] + second[1] + second[2];
  u[2] += third[0] + third[1] + third[2];
}

}  // namespace rigor
