#include "rigor/solvers/lcp/enumerate.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cstdint>

#include "rigor/base/interruption.hpp"
#include "rigor/base/require.hpp"
#include "rigor/math/magnitude.hpp"
#include "rigor/solvers/lcp/equilibrate.hpp"

namespace rigor {
namespace {

// calls visit(F, z, dimension) for the solution candidate of every F until it answers false
template <class Visit>
void for_each_set(const LcpProblem& problem, const EnumerateOptions& options, Visit visit) {
  const auto n = static_cast<int>(problem.q.size());
  require(n <= options.max_size && n <= 30, "enumerate: n = {}, must be ≤ {} (2ⁿ sets). Use lemke or auto.",
          n, std::min(options.max_size, 30));
  Equilibration scaling;
  LcpProblem scaled;
  scaling.compute(problem, true);
  scaling.apply(problem, scaled);
  std::vector<int> members;
  Eigen::VectorXd z;
  for (std::uint32_t mask = 0; mask < (std::uint32_t{1} << n); ++mask) {
    check_interruption();
    members.clear();
    for (int i = 0; i < n; ++i)
      if (mask >> i & 1) members.push_back(i);
    Eigen::VectorXd z_scaled = Eigen::VectorXd::Zero(n);
    int dimension = 0;
    if (!members.empty()) {
      const Eigen::MatrixXd A = scaled.M(members, members);
      const Eigen::FullPivLU<Eigen::MatrixXd> lu(A);
      dimension = static_cast<int>(lu.dimensionOfKernel());
      const Eigen::VectorXd x = lu.solve(-scaled.q(members));
      if (!x.allFinite()) continue;
      z_scaled(members) = x.cwiseMax(0.0);
    }
    scaling.to_original(z_scaled, z);
    if (natural_residual(problem, z) > options.tolerance) continue;
    std::vector<char> positive(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) positive[static_cast<std::size_t>(i)] = static_cast<char>(mask >> i & 1);
    if (!visit(std::move(positive), z, dimension)) return;
  }
}

}  // namespace

void solve_enumerate(const LcpProblem& problem, const EnumerateOptions& options, LcpResult& result) {
  result.solver = "enumerate";
  result.status = Status::kNumericalTrouble;
  result.note = "enumerate: no complementary set has a solution within the tolerance";
  result.z.setZero(problem.q.size());
  for_each_set(problem, options, [&](std::vector<char>, const Eigen::VectorXd& z, int) {
    result.z = z;
    result.status = Status::kSolved;
    result.note.clear();
    return false;
  });
  result.iterations = 1 << problem.q.size();
}

std::vector<SolutionPiece> enumerate_all(const LcpProblem& problem, const EnumerateOptions& options) {
  problem.validate();
  std::vector<SolutionPiece> pieces;
  for_each_set(problem, options, [&](std::vector<char> positive, const Eigen::VectorXd& z, int dimension) {
    const double near = 1e-9 * std::max(1.0, largest(z));
    for (SolutionPiece& piece : pieces)
      if (largest(piece.z - z) <= near) {
        if (dimension > piece.dimension) piece = {std::move(positive), z, dimension};
        return true;
      }
    pieces.push_back({std::move(positive), z, dimension});
    return true;
  });
  return pieces;
}

}  // namespace rigor
