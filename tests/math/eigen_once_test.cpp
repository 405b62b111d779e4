// Tests eigen_once.cpp: what is compiled there is what everybody uses, with the promised answers.
#include "rigor/math/eigen_once.hpp"

#include <gtest/gtest.h>

namespace rigor {
namespace {

TEST(EigenOnce, FactorsSolveWhatTheyFactor) {
  const Eigen::MatrixXd A = (Eigen::Matrix3d() << 4, 1, 0, 1, 3, 1, 0, 1, 2).finished();
  const Eigen::VectorXd x = Eigen::Vector3d(1.0, -2.0, 3.0), b = A * x;
  EXPECT_LT((Eigen::PartialPivLU<Eigen::MatrixXd>(A).solve(b) - x).norm(), 1e-14);
  EXPECT_LT((Eigen::FullPivLU<Eigen::MatrixXd>(A).solve(b) - x).norm(), 1e-14);
  EXPECT_LT((Eigen::LLT<Eigen::MatrixXd>(A).solve(b) - x).norm(), 1e-14);
  EXPECT_LT((Eigen::LDLT<Eigen::MatrixXd>(A).solve(b) - x).norm(), 1e-14);
  EXPECT_LT((Eigen::HouseholderQR<Eigen::MatrixXd>(A).solve(b) - x).norm(), 1e-14);
  EXPECT_LT((Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(A).solve(b) - x).norm(), 1e-14);
  EXPECT_LT((Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(A).solve(b) - x).norm(), 1e-14);
  const Eigen::SparseMatrix<double> sparse = A.sparseView();
  EXPECT_LT((Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>(sparse).solve(b) - x).norm(), 1e-14);
  EXPECT_LT((Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>(sparse).solve(b) - x).norm(), 1e-14);
  Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> lu(sparse);
  EXPECT_LT((lu.solve(b) - x).norm(), 1e-14);
}

// [2 1; 1 2] has the eigenvalues 1 and 3, and as a symmetric positive matrix the same singular values
TEST(EigenOnce, ValuesOfATextbookMatrix) {
  const Eigen::MatrixXd A = (Eigen::Matrix2d() << 2, 1, 1, 2).finished();
  const Eigen::VectorXd up = Eigen::Vector2d(1.0, 3.0), down = Eigen::Vector2d(3.0, 1.0);
  EXPECT_LT((Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A).eigenvalues() - up).norm(), 1e-14);
  EXPECT_LT((Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues() - down).norm(), 1e-14);
}

}  // namespace
}  // namespace rigor
