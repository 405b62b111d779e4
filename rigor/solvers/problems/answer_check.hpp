#pragma once

#include "rigor/solvers/problems/boxed_lcp.hpp"
#include "rigor/solvers/problems/contact_lcp.hpp"
#include "rigor/solvers/problems/mlcp.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

// What makes an answer of an LCP, mixed, boxed or contact LCP `solved`. The gap of a pair is |min(z_i, w_i)|, of an equation
// |w_i|, of a row with bounds |z_i − clamp(z_i − w_i)|; the scale of a row is the size of what is summed in it:
//
//     s_i = (|M| |z| + |q|)_i,
//     residual     = max gap_i / ‖q‖∞                          as the literature compares solvers
//     row_residual = max gap_i / s_i                           row by row: a row of small numbers does not hide behind
//                                                              large ones elsewhere. Gaps below 8 (n + 2) ε ‖s‖∞ do not count,
//                                                              and a z_i that should be 0 is compared with ‖z‖∞ too
//
// An answer is `solved` where the residual meets the tolerance and the row residual row_tolerance(): every row is right
// to half as many digits of its own numbers, since methods that iterate stop by the first. It is `rounding` where it is not, and yet every gap is at most
// 4 (n + 2) ε s_i: the exact answer of a problem whose numbers differ in their last digits [OP64]. No double is known
// to be nearer, and no motion should be trusted to it.
//
// Sums: w in doubles is off by at most (n + 2) ε s_i. Where that is more than a hundredth of what the tolerance allows,
// w_i is summed with twice the digits, and where that is not enough without any rounding (ExactSum).
//
// A contact LCP gives mass and not its inverse. v solves mass (v − v_free) = Nᵀc + Dᵀβ by a factor and is refined, with
// defects summed without rounding, until it is known to twice the digits, v = v' + v''; its rows are then exact sums.
// Their scale has |v_free|_j + (|Nᵀ| c + |Dᵀ| β)_j / mass_jj for the speed j, which is not more than |M| |z| + |q| has.
//
// [OP64] W. Oettli, W. Prager. Compatibility of approximate solution of linear equations with given error bounds for
//        coefficients and right-hand sides. Numer. Math. 6, 1964.

/// √tolerance, and no more than 1e-3.
[[nodiscard]] double row_tolerance(double tolerance);

/// Fills in w, scale, residual and row_residual of a result whose z is set, and its status: kSolved and kRounding as
/// above, whatever the method thought of it; a claim that is not confirmed becomes kNumericalTrouble with a note. A z
/// of another size becomes 0. Allocates nothing where the storage of the result has the size.
void judge_answer(const LcpProblem& problem, double tolerance, LcpResult& result);
void judge_answer(const MlcpProblem& problem, double tolerance, LcpResult& result);
void judge_answer(const BoxedLcpProblem& problem, double tolerance, LcpResult& result);
void judge_answer(const ContactLcpProblem& problem, double tolerance, LcpResult& result);

}  // namespace rigor
