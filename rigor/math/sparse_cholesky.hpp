#pragma once

#include <Eigen/SparseCore>
#include <memory>
#include <string_view>
#include <vector>

namespace rigor {

/// The library that factors sparse symmetric positive definite matrices.
///
///   eigen    Eigen's simplicial L Lᵀ, always there: the same input gives the same bits
///   cholmod  CHOLMOD [CDHR08], by dense blocks (supernodes) where that pays: faster on large matrices with
///            much fill. Only in builds with RIGOR_WITH_CHOLMOD; its BLAS decides the last bits
///
/// [CDHR08] Chen, Davis, Hager, Rajamanickam. Algorithm 887: CHOLMOD. ACM Trans. Math. Softw. 35, 2008.
enum class FactorLibrary { kEigen, kCholmod };

/// "eigen", "cholmod".
[[nodiscard]] const std::vector<std::string_view>& factor_library_names();
/// Throws InvalidInput on an unknown name, and on one that this build does not have.
[[nodiscard]] FactorLibrary make_factor_library(std::string_view name);
[[nodiscard]] bool has_cholmod();

/// A = L Lᵀ of a sparse symmetric positive definite A, its lower triangle given. The order of elimination is
/// kept while the pattern stays.
class SparseCholesky {
 public:
  /// The library must be in this build: make_factor_library().
  explicit SparseCholesky(FactorLibrary library = FactorLibrary::kEigen);
  ~SparseCholesky();
  SparseCholesky(SparseCholesky&&) noexcept;
  SparseCholesky& operator=(SparseCholesky&&) noexcept;

  /// False where A is not positive definite to rounding.
  [[nodiscard]] bool factor(const Eigen::SparseMatrix<double>& A);
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const;

 private:
  class Factor;
  template <class Decomposition>
  class FactorBy;

  std::unique_ptr<Factor> factor_;
  std::vector<int> outer_, inner_;  // pattern of the last A
};

}  // namespace rigor
