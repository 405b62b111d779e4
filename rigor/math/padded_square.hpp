#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <memory>

#include "rigor/math/rank_one.hpp"

namespace rigor {

/// A square row-major matrix whose rows are padded with zeros to whole tiles of subtract_product(), and which
/// has padding rows up to a whole tile: kernels need no loops for the edges. Rows begin at a cache line, an
/// odd number of lines apart, so that the rows of a panel fall into different cache sets. Storage is kept.
template <class Scalar>
class PaddedSquare {
 public:
  using RowMajor = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using View = Eigen::Map<RowMajor, 0, Eigen::OuterStride<>>;

  /// Makes room for sizes up to `size`, without touching it. What was inside is lost where it grows.
  void reserve(Eigen::Index size) {
    const Eigen::Index lines = (size + kTileRows - 1) * (stride_of(size) / kLine);
    if (lines <= room_) return;
    lines_ = std::make_unique_for_overwrite<Line[]>(static_cast<std::size_t>(lines));
    room_ = lines;
  }

  /// Makes it size x size with zeros around, what is inside left undefined. Allocates only when it grows.
  void resize(Eigen::Index size) {
    reserve(size);
    size_ = size;
    stride_ = stride_of(size);
    for (Eigen::Index i = 0; i < size; ++i) std::fill(row(i) + size, row(i) + stride_, Scalar(0));
    std::fill(row(size), row(size + kTileRows - 1), Scalar(0));
  }

  [[nodiscard]] Eigen::Index size() const { return size_; }
  [[nodiscard]] Eigen::Index stride() const { return stride_; }
  [[nodiscard]] Scalar* row(Eigen::Index i) { return entries() + i * stride_; }
  [[nodiscard]] const Scalar* row(Eigen::Index i) const { return entries() + i * stride_; }
  [[nodiscard]] View view() { return {row(0), size_, size_, Eigen::OuterStride<>(stride_)}; }

 private:
  static constexpr Eigen::Index kLine = kTileColumns<Scalar>;  // entries of a cache line
  struct alignas(64) Line {
    Scalar entries[kLine];
  };
  [[nodiscard]] Scalar* entries() const { return reinterpret_cast<Scalar*>(lines_.get()); }
  static Eigen::Index stride_of(Eigen::Index size) { return ((size / kLine + 1) | 1) * kLine; }

  Eigen::Index size_{0};
  Eigen::Index stride_{0};
  Eigen::Index room_{0};  // lines
  std::unique_ptr<Line[]> lines_;
};

}  // namespace rigor
