// ContactRows: products with J and W. Most units are free bodies of six speeds, and most blocks have three
// rows: these have loops of fixed length.
#include <algorithm>
#include <cmath>

#include "rigor/base/index.hpp"
#include "rigor/contact/contact_rows.hpp"
#include "rigor/contact/half_products.hpp"
#include "rigor/contact/six_products.hpp"

namespace rigor {
namespace {

// u += Aᵀ x for A (n x size, by columns), rows of a part's matrix that is `stride` high
void add_transposed(const double* A, int stride, int n, int size, const double* x, double* u) {
  if (n == 6 && stride == 6) {
    for (int k = 0; k < size; ++k, A += stride) u[k] += dot_six(A, x);
    return;
  }
  if (size == 3)
    return call_with_avx<add_transposed_three>(A, static_cast<long>(stride), static_cast<long>(n), x, u);
  for (int k = 0; k < size; ++k, A += stride)
    for (int i = 0; i < n; ++i) u[k] += A[i] * x[i];
}

// f += A r
void add_product(const double* A, int stride, int n, int size, const double* r, double* f) {
  if (size == 3) {
    if (n == 6 && stride == 6) return add_product_six(A, r, f);
    call_with_avx<add_product_three>(A, static_cast<long>(stride), static_cast<long>(n), r, f);
    return;
  }
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int k = 0; k < size; ++k) sum += A[k * stride + i] * r[k];
    f[i] += sum;
  }
}

}  // namespace

// visit_free(J, block, first of the model's speeds) for the parts of free bodies with three rows;
// visit(block, J, height of J, speeds, first of the model's speeds) for others: a part's speeds stand
// together tree by tree
template <class VisitFree, class Visit>
void ContactRows::for_each_segment(VisitFree visit_free, Visit visit) const {
  const Islands& islands = system_.islands();
  for (const OneSidedBlock& block : blocks_)
    for (int k = 0; k < block.part_count; ++k) {
      const OneSidedBlock::Part& part = block.parts[k];
      const double* const J = J_.data() + part.J;
      if (part.is_free && block.size == 3)
        visit_free(J, block, part.first_speed);
      else if (part.first_speed >= 0)
        visit(block, J, part.speeds, part.speeds, part.first_speed);
      else
        for (const TreeRange& tree : islands.list[at(part.unit)].trees)
          visit(block, J + tree.offset, part.speeds, tree.end - tree.begin, tree.begin);
    }
}

void ContactRows::compute_speeds(const Eigen::VectorXd& v, Eigen::VectorXd& u) const {
  u.setZero(rows_);
  if (v.isZero(0.0)) return;
  for_each_segment(
      [&](const double* J, const OneSidedBlock& block, int first) {
        const double* const x = v.data() + first;
        double* const to = u.data() + block.first;
        for (int k = 0; k < 3; ++k) to[k] += dot_six(J + 6 * k, x);
      },
      [&](const OneSidedBlock& block, const double* J, int height, int speeds, int first) {
        add_transposed(J, height, speeds, block.size, v.data() + first, u.data() + block.first);
      });
}

void ContactRows::compute_exact_speeds(const Eigen::VectorXd& v, Eigen::VectorXd& u) const {
  u.setZero(rows_);
  if (v.isZero(0.0)) return;
  const Islands& islands = system_.islands();
  for (const OneSidedBlock& block : blocks_) {
    ExactRows sums;
    for (int p = 0; p < block.part_count; ++p) {
      const OneSidedBlock::Part& part = block.parts[p];
      const double* const J = J_.data() + part.J;
      if (part.is_free && block.size == 3)
        sums.add(J, 6, 6, 3, v.data() + part.first_speed);
      else if (part.first_speed >= 0)
        sums.add(J, part.speeds, part.speeds, block.size, v.data() + part.first_speed);
      else
        for (const TreeRange& tree : islands.list[at(part.unit)].trees)
          sums.add(J + tree.offset, part.speeds, tree.end - tree.begin, block.size, v.data() + tree.begin);
    }
    for (int k = 0; k < block.size; ++k) u[block.first + k] = sums.value(k);
  }
}

void ContactRows::add_forces(const Eigen::VectorXd& r, Eigen::VectorXd& out) const {
  for_each_segment([&](const double* J, const OneSidedBlock& block,
                       int first) { add_product_six(J, r.data() + block.first, out.data() + first); },
                   [&](const OneSidedBlock& block, const double* J, int height, int speeds, int first) {
                     rigor::add_product(J, height, speeds, block.size, r.data() + block.first,
                                        out.data() + first);
                   });
}

void ContactRows::add_magnitudes(const Eigen::VectorXd& r, Eigen::VectorXd& out) const {
  for_each_segment([&](const double* J, const OneSidedBlock& block,
                       int first) { add_magnitudes_six(J, r.data() + block.first, out.data() + first); },
                   [&](const OneSidedBlock& block, const double* J, int height, int speeds, int first) {
                     double* const to = out.data() + first;
                     for (int k = 0; k < block.size; ++k, J += height) {
                       const double own = std::abs(r.data()[block.first + k]);
                       for (int i = 0; i < speeds; ++i) to[i] += std::abs(J[i]) * own;
                     }
                   });
}

// By the parts that takes(part) lets act.
template <class Takes>
void ContactRows::add_half_product(const ContactIsland& island, Takes takes, const Eigen::VectorXd& r,
                                   Eigen::VectorXd& half, Eigen::VectorXd& u) const {
  using Part = OneSidedBlock::Part;
  half.resize(half_begin_.back());
  const auto for_each_part = [&](auto visit) {
    int first = 0;
    for (const int b : island.blocks) {
      const OneSidedBlock& block = blocks_.data()[b];
      for (int k = 0; k < block.part_count; ++k)
        if (takes(block.parts[k])) visit(block.parts[k], block.size, first);
      first += block.size;
    }
  };
  for_each_part(
      [&](const Part& part, int, int) { std::fill_n(half.data() + part.first_half, part.half, 0.0); });
  for_each_part([&](const Part& part, int size, int first) {
    rigor::add_product(Y_.data() + part.Y, part.half, part.half, size, r.data() + first,
                       half.data() + part.first_half);
  });
  for_each_part([&](const Part& part, int size, int first) {
    add_transposed(Y_.data() + part.Y, part.half, part.half, size, half.data() + part.first_half,
                   u.data() + first);
  });
}

void ContactRows::add_product(const ContactIsland& island, const Eigen::VectorXd& r, Eigen::VectorXd& half,
                              Eigen::VectorXd& u) const {
  add_half_product(
      island, [](const OneSidedBlock::Part&) { return true; }, r, half, u);
  int first = 0;
  for (const int b : island.blocks) {
    u[first] += blocks_[at(b)].compliance * r[first];
    first += blocks_[at(b)].size;
  }
}

void ContactRows::add_product(const ContactIsland& blocks, std::span<const char> moves,
                              const Eigen::VectorXd& r, Eigen::VectorXd& half, Eigen::VectorXd& u) const {
  add_half_product(
      blocks, [&](const OneSidedBlock::Part& part) { return moves[at(part.unit)] != 0; }, r, half, u);
}

}  // namespace rigor
