#include "rigor/math/sparse_cholesky.hpp"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cassert>

#include "rigor/base/require.hpp"

#ifdef RIGOR_HAVE_CHOLMOD
#include <Eigen/CholmodSupport>
#endif

namespace rigor {

using Sparse = Eigen::SparseMatrix<double>;

class SparseCholesky::Factor {
 public:
  virtual ~Factor() = default;
  virtual void analyse(const Sparse& A) = 0;
  [[nodiscard]] virtual bool factor(const Sparse& A) = 0;
  virtual void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const = 0;
};

template <class Decomposition>
class SparseCholesky::FactorBy final : public Factor {
 public:
  void analyse(const Sparse& A) override { decomposition_.analyzePattern(A); }
  [[nodiscard]] bool factor(const Sparse& A) override {
    decomposition_.factorize(A);
    return decomposition_.info() == Eigen::Success;
  }
  void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const override { x = decomposition_.solve(b); }

 private:
  Decomposition decomposition_;
};

const std::vector<std::string_view>& factor_library_names() {
  static const std::vector<std::string_view> names = {"eigen", "cholmod"};
  return names;
}

bool has_cholmod() {
#ifdef RIGOR_HAVE_CHOLMOD
  return true;
#else
  return false;
#endif
}

FactorLibrary make_factor_library(std::string_view name) {
  const auto& names = factor_library_names();
  const auto found = std::find(names.begin(), names.end(), name);
  require(found != names.end(), "\"{}\" does not factor matrices here. Use eigen or cholmod.", name);
  const auto library = static_cast<FactorLibrary>(found - names.begin());
  require(library != FactorLibrary::kCholmod || has_cholmod(),
          "cholmod: this program was built without it. Install libsuitesparse-dev and build with "
          "-DRIGOR_WITH_CHOLMOD=ON, or use eigen.");
  return library;
}

SparseCholesky::SparseCholesky(FactorLibrary library) {
#ifdef RIGOR_HAVE_CHOLMOD
  // L Lᵀ in either of CHOLMOD's ways: its L D Lᵀ would accept a matrix that is not positive definite
  class Cholmod : public Eigen::CholmodDecomposition<Sparse, Eigen::Lower> {
   public:
    Cholmod() {
      cholmod().final_asis = 0;
      cholmod().final_ll = 1;
      cholmod().print = 0;
    }
  };
  if (library == FactorLibrary::kCholmod) {
    factor_ = std::make_unique<FactorBy<Cholmod>>();
    return;
  }
#endif
  assert(library == FactorLibrary::kEigen);
  (void)library;
  factor_ = std::make_unique<FactorBy<Eigen::SimplicialLLT<Sparse, Eigen::Lower>>>();
}

SparseCholesky::~SparseCholesky() = default;
SparseCholesky::SparseCholesky(SparseCholesky&&) noexcept = default;
SparseCholesky& SparseCholesky::operator=(SparseCholesky&&) noexcept = default;

bool SparseCholesky::factor(const Sparse& A) {
  const int* const outer = A.outerIndexPtr();
  const int* const inner = A.innerIndexPtr();
  const auto columns = static_cast<std::size_t>(A.outerSize()),
             entries = static_cast<std::size_t>(A.nonZeros());
  const bool is_known = outer_.size() == columns + 1 && inner_.size() == entries &&
                        std::equal(outer_.begin(), outer_.end(), outer) &&
                        std::equal(inner_.begin(), inner_.end(), inner);
  if (!is_known) {
    outer_.assign(outer, outer + columns + 1);
    inner_.assign(inner, inner + entries);
    factor_->analyse(A);
  }
  return factor_->factor(A);
}

void SparseCholesky::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const {
  factor_->solve(b, x);
}

}  // namespace rigor
