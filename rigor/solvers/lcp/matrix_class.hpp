#pragma once

#include <optional>
#include <string>

#include "rigor/solvers/problems/lcp.hpp"

namespace rigor {

/// What is known about the matrix of an LCP. Tests that grow as 2ⁿ are left open above `max_exact_size`.
///
/// P, copositive: [CPS92, 3.3 and 3.8]. Copositivity of M is that of S = ½(M + Mᵀ), decided by Kaplan's
/// criterion on all principal submatrices (no eigenvector v > 0 of a principal submatrix with a negative
/// eigenvalue [Kap00]). Floating point with the thresholds named here: a statement about the matrix up to
/// 1e-12 of its size.
///
/// [Kap00] Kaplan. A test for copositive matrices. Linear Algebra Appl. 313, 2000.
struct MatrixClass {
  bool symmetric{false};                    // |M − Mᵀ| ≤ 1e-14 max|M|
  bool z_matrix{false};                     // off-diagonal entries ≤ 0
  bool positive_definite{false};            // smallest eigenvalue of S above 1e-12 of the largest
  bool positive_semidefinite{false};        // smallest eigenvalue of S above −1e-12 of the largest
  std::optional<bool> p_matrix;             // all principal minors > 0
  std::optional<bool> copositive;           // zᵀMz ≥ 0 for z ≥ 0
  std::optional<bool> strictly_copositive;  // > 0 for z ≥ 0, z ≠ 0
  std::optional<bool> copositive_plus;  // copositive, and zᵀMz = 0, z ≥ 0 ⇒ (M + Mᵀ) z = 0; PSD implies it
  int rank{0};                          // singular values above n ε times the largest
  Eigen::VectorXd singular_values;            // decreasing
  double smallest_symmetric_eigenvalue{0.0};  // of S

  /// Which method's guarantee applies, in a sentence: "P: one solution for every q; murty, principal-pivot, …
  /// end at it."
  [[nodiscard]] std::string guarantee() const;
};

[[nodiscard]] MatrixClass classify(const Eigen::MatrixXd& M, int max_exact_size = 12);

}  // namespace rigor
