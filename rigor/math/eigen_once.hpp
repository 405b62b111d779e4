#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

namespace rigor::eigen {

// how Eigen's products see their factors: columns or rows one after the other
using Columns = Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::ColMajor>;
using Rows = Eigen::internal::const_blas_data_mapper<double, Eigen::Index, Eigen::RowMajor>;
using Block = Eigen::internal::blas_data_mapper<double, Eigen::Index, Eigen::ColMajor, 0, 1>;

}  // namespace rigor::eigen

/// Eigen's factors of dynamic matrices of doubles, and the loops below them, compiled once: in eigen_once.cpp. Where
/// this header is read first, as it is where headers are precompiled (cmake/RigorPrecompiled.cmake), no other source
/// compiles them again, which took 5 to 30 s each. Nothing changes but that: the code is the same.
///
/// RIGOR_EIGEN_ONCE(prefix) is `prefix template …;` for all of them: with `extern` a promise, without it the code.
#define RIGOR_EIGEN_ONCE(prefix)                                                                             \
  prefix template class Eigen::PartialPivLU<Eigen::MatrixXd>;                                                \
  prefix template class Eigen::FullPivLU<Eigen::MatrixXd>;                                                   \
  prefix template class Eigen::LLT<Eigen::MatrixXd>;                                                         \
  prefix template class Eigen::LDLT<Eigen::MatrixXd>;                                                        \
  prefix template class Eigen::HouseholderQR<Eigen::MatrixXd>;                                               \
  prefix template class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;                                         \
  prefix template class Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>;                             \
  prefix template class Eigen::JacobiSVD<Eigen::MatrixXd>;                                                   \
  prefix template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;                                      \
  prefix template class Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>>;            \
  prefix template class Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>;                                   \
  prefix template class Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;                                  \
  prefix template Eigen::LLT<Eigen::MatrixXd>& Eigen::LLT<Eigen::MatrixXd>::compute(                         \
      const Eigen::EigenBase<Eigen::MatrixXd>&);                                                             \
  prefix template Eigen::LDLT<Eigen::MatrixXd>& Eigen::LDLT<Eigen::MatrixXd>::compute(                       \
      const Eigen::EigenBase<Eigen::MatrixXd>&);                                                             \
  prefix template Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>&                                            \
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>::compute(const Eigen::EigenBase<Eigen::MatrixXd>&, int);    \
  prefix template struct Eigen::internal::gebp_kernel<double, double, Eigen::Index, rigor::eigen::Block, 4,  \
                                                      4, false, false>;                                      \
  prefix template struct Eigen::internal::general_matrix_matrix_product<Eigen::Index, double, 0, false,      \
                                                                        double, 0, false, 0, 1>;             \
  prefix template struct Eigen::internal::general_matrix_matrix_product<Eigen::Index, double, 1, false,      \
                                                                        double, 0, false, 0, 1>;             \
  prefix template struct Eigen::internal::general_matrix_matrix_product<Eigen::Index, double, 0, false,      \
                                                                        double, 1, false, 0, 1>;             \
  prefix template struct Eigen::internal::general_matrix_vector_product<                                     \
      Eigen::Index, double, rigor::eigen::Columns, 0, false, double, rigor::eigen::Columns, false, 0>;       \
  prefix template struct Eigen::internal::general_matrix_vector_product<                                     \
      Eigen::Index, double, rigor::eigen::Columns, 0, false, double, rigor::eigen::Rows, false, 0>;          \
  prefix template struct Eigen::internal::general_matrix_vector_product<                                     \
      Eigen::Index, double, rigor::eigen::Rows, 1, false, double, rigor::eigen::Columns, false, 0>;          \
  prefix template struct Eigen::internal::general_matrix_vector_product<                                     \
      Eigen::Index, double, rigor::eigen::Rows, 1, false, double, rigor::eigen::Rows, false, 0>;             \
  prefix template struct Eigen::internal::triangular_solve_matrix<double, Eigen::Index, 1, Eigen::Lower,     \
                                                                  false, 0, 0, 1>;                           \
  prefix template struct Eigen::internal::triangular_solve_matrix<double, Eigen::Index, 1, Eigen::Upper,     \
                                                                  false, 0, 0, 1>;                           \
  prefix template struct Eigen::internal::triangular_solve_matrix<double, Eigen::Index, 1, Eigen::UnitLower, \
                                                                  false, 0, 0, 1>;                           \
  prefix template struct Eigen::internal::triangular_solve_matrix<double, Eigen::Index, 1, Eigen::UnitUpper, \
                                                                  false, 1, 0, 1>;                           \
  prefix template struct Eigen::internal::triangular_solve_matrix<double, Eigen::Index, 1, Eigen::Upper,     \
                                                                  false, 1, 0, 1>;

RIGOR_EIGEN_ONCE(extern)
