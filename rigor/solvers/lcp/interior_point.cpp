#include "rigor/solvers/lcp/interior_point.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/solvers/lcp/equilibrate.hpp"

namespace rigor {

void solve_interior_point(const LcpProblem& problem, Eigen::Index free_count,
                          const InteriorPointOptions& options, LcpResult& result) {
  result.solver = "interior-point";
  result.status = Status::kIterationLimit;
  Equilibration scaling;
  LcpProblem scaled;
  scaling.compute(problem, options.equilibrate);
  scaling.apply(problem, scaled);
  const auto& [M, q] = scaled;
  const Eigen::Index n = q.size(), m = n - free_count;
  const double target = std::min(1e-11, 0.1 * options.tolerance);

  Eigen::VectorXd x = Eigen::VectorXd::Zero(n), w = Eigen::VectorXd::Ones(m);
  x.tail(m).setOnes();
  Eigen::VectorXd best = x, dx(n), dw(m);
  double best_residual = std::numeric_limits<double>::infinity();
  Eigen::PartialPivLU<Eigen::MatrixXd> lu(n);
  for (;; ++result.iterations) {
    // how far from the equations, and from complementarity
    const Eigen::VectorXd image = M * x + q;
    Eigen::VectorXd infeasible = image;
    infeasible.tail(m) -= w;
    const auto z = x.tail(m);
    const double gap = m > 0 ? z.dot(w) / static_cast<double>(m) : 0.0;
    double residual = free_count > 0 ? image.head(free_count).cwiseAbs().maxCoeff() : 0.0;
    for (Eigen::Index i = 0; i < m; ++i)
      residual = std::max(residual, std::fabs(std::min(z[i], image[free_count + i])));
    if (!std::isfinite(residual)) {
      result.status = Status::kNumericalTrouble;
      break;
    }
    if (residual < best_residual) {
      best_residual = residual;
      best = x;
    }
    if (residual <= target) {
      result.status = Status::kSolved;
      break;
    }
    if (result.iterations == options.max_steps) break;

    // (M + Z⁻¹ W) dx = Z⁻¹ rc − infeasible,  dw = Z⁻¹ (rc − W dz)
    Eigen::MatrixXd A = M;
    A.diagonal().tail(m) += w.cwiseQuotient(z);
    lu.compute(A);
    ++result.factorisations;
    const auto direction = [&](const Eigen::VectorXd& target_change) {
      Eigen::VectorXd rhs = -infeasible;
      rhs.tail(m) += target_change.cwiseQuotient(z);
      dx = lu.solve(rhs);
      dw = (target_change - w.cwiseProduct(dx.tail(m))).cwiseQuotient(z);
    };
    const auto longest_step = [&](double fraction) {
      double length = 1.0;
      for (Eigen::Index i = 0; i < m; ++i) {
        if (dx[free_count + i] < 0.0) length = std::min(length, -fraction * z[i] / dx[free_count + i]);
        if (dw[i] < 0.0) length = std::min(length, -fraction * w[i] / dw[i]);
      }
      return length;
    };
    // predictor: how far would the gap fall without centring?
    const Eigen::VectorXd product = z.cwiseProduct(w);
    direction(-product);
    const double affine = longest_step(1.0);
    const double affine_gap =
        m > 0 ? (z + affine * dx.tail(m)).dot(w + affine * dw) / static_cast<double>(m) : 0.0;
    const double centring = gap > 0.0 ? std::pow(affine_gap / gap, 3) : 0.0;
    // corrector: second-order term and centring
    Eigen::VectorXd change = -product - dx.tail(m).cwiseProduct(dw);
    change.array() += centring * gap;
    direction(change);
    const double length = longest_step(std::max(0.9, 1.0 - gap));
    if (!(length > 1e-12) || !dx.allFinite()) {
      result.status = Status::kNumericalTrouble;
      result.note = "interior-point: step length fell to zero";
      break;
    }
    x += length * dx;
    w += length * dw;
  }
  scaling.to_original(best, result.z);
}

}  // namespace rigor
