#pragma once

#include <cstdint>

#include "rigor/solvers/problems/lcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// The function whose zeros are the complementary pairs.
enum class ComplementarityMap {
  kFischerBurmeister,  // z + w − √(z² + w²): its square is smooth, so that line searches work [Fis92]
  kMinimum,  // min(z, w): piecewise linear, ends in finitely many steps near a regular solution [Pan90]
};

/// Semismooth Newton on Φ(x) = (equations; φ(z_i, w_i)), globalised by a line search on ½‖Φ‖² [DFK96], with a
/// Levenberg-Marquardt direction where the Newton one is missing or no descent. For LCPs and mixed LCPs, also
/// where the block of the free variables is singular.
///
/// Guarantee: quadratic near a regular solution; for P0 matrices every stationary point of ½‖Φ‖² is a
/// solution (FB). None elsewhere: it may stop at a stationary point, and then says so.
///
/// [Fis92] Fischer. A special Newton-type optimization method. Optimization 24, 1992.
/// [Pan90] Pang. Newton's method for B-differentiable equations. Math. Oper. Res. 15, 1990.
/// [DFK96] De Luca, Facchinei, Kanzow. A semismooth equation approach to the solution of nonlinear
///         complementarity problems. Math. Programming 75, 1996.
struct NewtonOptions {
  double tolerance{1e-10};  // stop and accept by natural_residual()
  ComplementarityMap map{ComplementarityMap::kFischerBurmeister};
  int max_steps{200};
  bool equilibrate{true};
  std::uint64_t seed{0};  // 0: start at zero; else at a random point
};

/// The first `free_count` variables are free, their rows equations.
void solve_newton(const LcpProblem& problem, Eigen::Index free_count, const NewtonOptions& options,
                  LcpResult& result);

}  // namespace rigor
