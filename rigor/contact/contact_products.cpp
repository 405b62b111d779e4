// ContactRows: products with J and W. Most units are free bodies, six speeds each, and most blocks have three
// rows: those go through loops of fixed length.
#include <cmath>

#include "rigor/contact/contact_rows.hpp"

namespace rigor {
namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

// u += Aᵀ x, A n x size by columns
template <int n>
void add_transposed(const double* A, int size, const double* x, double* u) {
  for (int k = 0; k < size; ++k, A += n) {
    double even = 0.0, odd = 0.0;
    for (int i = 0; i + 1 < n; i += 2) {
      even += A[i] * x[i];
      odd += A[i + 1] * x[i + 1];
    }
    u[k] += even + odd;
  }
}

// the same for any height, out of a part that is `stride` high
void add_transposed(const double* A, int stride, int n, int size, const double* x, double* u) {
  if (n == 6 && stride == 6) return add_transposed<6>(A, size, x, u);
  for (int k = 0; k < size; ++k, A += stride)
    for (int i = 0; i < n; ++i) u[k] += A[i] * x[i];
}

// f += A r: the terms of a block are summed before they meet the rest, which may be much larger
template <int n>
void add_product(const double* A, const double* r, double* f) {
  for (int i = 0; i < n; ++i) f[i] += A[i] * r[0] + A[n + i] * r[1] + A[2 * n + i] * r[2];
}

void add_product(const double* A, int stride, int n, int size, const double* r, double* f) {
  if (n == 6 && stride == 6 && size == 3) return add_product<6>(A, r, f);
  for (int i = 0; i < n; ++i) {
    double sum = 0.0;
    for (int k = 0; k < size; ++k) sum += A[k * stride + i] * r[k];
    f[i] += sum;
  }
}

}  // namespace

// visit(block, J, height of J, speeds, first of the model's speeds): a part's speeds stand together tree by
// tree
template <class Visit>
void ContactRows::for_each_segment(Visit visit) const {
  const Islands& islands = system_.islands();
  for (const OneSidedBlock& block : blocks_)
    for (int k = 0; k < block.part_count; ++k) {
      const OneSidedBlock::Part& part = block.parts[k];
      const double* const J = J_.data() + part.J;
      if (part.first_speed >= 0)
        visit(block, J, part.speeds, part.speeds, part.first_speed);
      else
        for (const TreeRange& tree : islands.list[at(part.unit)].trees)
          visit(block, J + tree.offset, part.speeds, tree.end - tree.begin, tree.begin);
    }
}

void ContactRows::compute_speeds(const Eigen::VectorXd& v, Eigen::VectorXd& u) const {
  u.setZero(rows_);
  if (v.isZero(0.0)) return;
  for_each_segment([&](const OneSidedBlock& block, const double* J, int height, int speeds, int first) {
    add_transposed(J, height, speeds, block.size, v.data() + first, u.data() + block.first);
  });
}

void ContactRows::add_forces(const Eigen::VectorXd& r, Eigen::VectorXd& out) const {
  for_each_segment([&](const OneSidedBlock& block, const double* J, int height, int speeds, int first) {
    rigor::add_product(J, height, speeds, block.size, r.data() + block.first, out.data() + first);
  });
}

void ContactRows::add_magnitudes(const Eigen::VectorXd& r, Eigen::VectorXd& out) const {
  for_each_segment([&](const OneSidedBlock& block, const double* J, int height, int speeds, int first) {
    double* const to = out.data() + first;
    for (int k = 0; k < block.size; ++k, J += height) {
      const double own = std::abs(r.data()[block.first + k]);
      for (int i = 0; i < speeds; ++i) to[i] += std::abs(J[i]) * own;
    }
  });
}

void ContactRows::add_product(const ContactIsland& island, const Eigen::VectorXd& r, Eigen::VectorXd& half,
                              Eigen::VectorXd& u) const {
  half.resize(half_begin_.back());
  const auto for_each_part = [&](auto visit) {
    int first = 0;
    for (const int b : island.blocks) {
      const OneSidedBlock& block = blocks_[at(b)];
      for (int k = 0; k < block.part_count; ++k) {
        const OneSidedBlock::Part& part = block.parts[k];
        visit(Y_.data() + part.Y, static_cast<int>(part.half), block.size,
              half.data() + half_begin_[at(part.unit)], first);
      }
      first += block.size;
    }
  };
  for_each_part([](const double*, int height, int, double* y, int) { std::fill_n(y, height, 0.0); });
  for_each_part([&](const double* Y, int height, int size, double* y, int first) {
    rigor::add_product(Y, height, height, size, r.data() + first, y);
  });
  for_each_part([&](const double* Y, int height, int size, const double* y, int first) {
    add_transposed(Y, height, height, size, y, u.data() + first);
  });
  int first = 0;
  for (const int b : island.blocks) {
    u[first] += blocks_[at(b)].compliance * r[first];
    first += blocks_[at(b)].size;
  }
}

}  // namespace rigor
