#include "rigor/solvers/lcp/matrix_class.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "rigor/base/require.hpp"

namespace rigor {
namespace {

constexpr double kThreshold = 1e-12;  // relative to the size of the (sub)matrix

// Are all principal minors positive? Recursively: M is P iff M(0,0) > 0, and M without its first row and
// column and the Schur complement of M(0,0) are both P [Tsatsomeros, Li 2000]: 2ⁿ small steps instead of 2ⁿ
// determinants.
bool is_p(const Eigen::MatrixXd& M) {
  const Eigen::Index n = M.rows();
  if (n == 0) return true;
  const double top = M.cwiseAbs().maxCoeff();
  if (!(M(0, 0) > kThreshold * top)) return false;
  if (n == 1) return true;
  const Eigen::MatrixXd rest = M.bottomRightCorner(n - 1, n - 1);
  return is_p(rest) && is_p(rest - M.col(0).tail(n - 1) * M.row(0).tail(n - 1) / M(0, 0));
}

// strictly dominant by rows with a positive diagonal: every principal submatrix is so too, hence P
bool is_dominant(const Eigen::MatrixXd& M) {
  for (Eigen::Index i = 0; i < M.rows(); ++i)
    if (!(2.0 * M(i, i) > (1.0 + 1e-12) * M.row(i).cwiseAbs().sum())) return false;
  return true;
}

enum class Copositivity { kNot, kCopositive, kStrict };

// Kaplan: S is copositive iff no principal submatrix has an eigenvector v > 0 with a negative eigenvalue.
Copositivity copositivity(const Eigen::MatrixXd& S) {
  const auto n = static_cast<int>(S.rows());
  const double top = std::max(S.size() == 0 ? 0.0 : S.cwiseAbs().maxCoeff(), 1e-300);
  Copositivity answer = Copositivity::kStrict;
  std::vector<int> members;
  for (std::uint32_t mask = 1; mask < (std::uint32_t{1} << n); ++mask) {
    members.clear();
    for (int i = 0; i < n; ++i)
      if (mask >> i & 1) members.push_back(i);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(S(members, members));
    for (Eigen::Index k = 0; k < eigen.eigenvalues().size(); ++k) {
      const double lambda = eigen.eigenvalues()[k];
      if (lambda > kThreshold * top) break;  // in increasing order
      Eigen::VectorXd v = eigen.eigenvectors().col(k);
      if (v.sum() < 0.0) v = -v;
      if (v.minCoeff() < -1e-9) continue;
      if (lambda < -kThreshold * top) return Copositivity::kNot;
      answer = Copositivity::kCopositive;
    }
  }
  return answer;
}

}  // namespace

MatrixClass classify(const Eigen::MatrixXd& M, int max_exact_size) {
  require(M.rows() == M.cols(), "classify: M is {} x {}, must be square.", M.rows(), M.cols());
  require(max_exact_size <= 20, "classify: max_exact_size = {}, must be ≤ 20 (2ⁿ submatrices).",
          max_exact_size);
  MatrixClass result;
  const Eigen::Index n = M.rows();
  if (n == 0) return result;
  const double top = M.cwiseAbs().maxCoeff();
  const Eigen::MatrixXd S = 0.5 * (M + M.transpose());
  result.symmetric = (M - M.transpose()).cwiseAbs().maxCoeff() <= 1e-14 * top;
  result.z_matrix = true;
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i)
      if (i != j && M(i, j) > 0.0) result.z_matrix = false;

  const Eigen::VectorXd eigenvalues =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(S, Eigen::EigenvaluesOnly).eigenvalues();
  const double size = std::max(std::fabs(eigenvalues[0]), std::fabs(eigenvalues[n - 1]));
  result.smallest_symmetric_eigenvalue = eigenvalues[0];
  result.positive_definite = eigenvalues[0] > kThreshold * size;
  result.positive_semidefinite = eigenvalues[0] >= -kThreshold * size;
  result.singular_values = Eigen::JacobiSVD<Eigen::MatrixXd>(M).singularValues();
  const double cut = static_cast<double>(n) * 2.2e-16 * result.singular_values[0];
  for (Eigen::Index i = 0; i < n; ++i)
    if (result.singular_values[i] > cut) ++result.rank;

  // definiteness decides the rest; otherwise look at all principal submatrices of a small matrix
  if (result.positive_definite) {
    result.p_matrix = result.copositive = result.strictly_copositive = result.copositive_plus = true;
    return result;
  }
  if (result.positive_semidefinite) result.copositive = result.copositive_plus = true;
  if (M.minCoeff() >= 0.0) {
    result.copositive = true;
    if (M.diagonal().minCoeff() > 0.0) result.strictly_copositive = result.copositive_plus = true;
  }
  if (is_dominant(M) || is_dominant(M.transpose())) result.p_matrix = true;
  if (n > max_exact_size) return result;
  if (!result.p_matrix) result.p_matrix = is_p(M);
  const Copositivity found = copositivity(S);
  if (!result.copositive) result.copositive = found != Copositivity::kNot;
  if (!result.strictly_copositive) result.strictly_copositive = found == Copositivity::kStrict;
  if (*result.strictly_copositive) result.copositive_plus = true;
  if (!*result.copositive) result.copositive_plus = false;
  return result;
}

std::string MatrixClass::guarantee() const {
  if (p_matrix.value_or(false)) {
    std::string methods = "lemke, murty, principal-pivot, block-pivot, dantzig, enumerate";
    if (positive_definite) methods += ", interior-point";
    if (positive_definite && symmetric) methods += ", pgs";
    return "P-matrix: one solution for every q, found by " + methods + ".";
  }
  if (positive_semidefinite)
    return "positive semidefinite: lemke and principal-pivot solve or prove that there is no solution; "
           "interior-point "
           "converges where a strictly feasible point exists; w is unique where M is symmetric.";
  if (strictly_copositive.value_or(false))
    return "strictly copositive: a solution for every q; lemke finds one.";
  if (copositive_plus.value_or(false))
    return "copositive-plus: lemke solves or proves that there is no solution.";
  if (copositive.value_or(false))
    return "copositive: lemke solves where q lies in the dual of the solutions of the homogeneous problem; a "
           "ray proves "
           "nothing by itself.";
  if (z_matrix) return "Z-matrix: a feasible problem has a least solution; lemke and murty find it.";
  return "no class with a guarantee: any method may fail; enumerate decides small problems.";
}

}  // namespace rigor
