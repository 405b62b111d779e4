#include "rigor/solvers/conic/conic_program.hpp"

#include <cmath>
#include <numeric>

#include "rigor/base/require.hpp"
#include "rigor/math/magnitude.hpp"

namespace rigor {
namespace {}  // namespace

void ConicProgram::validate() const {
  const Eigen::Index n = q.size(), m = b.size();
  require(A.rows() == m && A.cols() == n, "ConicProgram: A is {} x {}, must be {} x {} as b and q.", A.rows(),
          A.cols(), m, n);
  require(P.size() == 0 || (P.rows() == n && P.cols() == n), "ConicProgram: P is {} x {}, must be {} x {}.",
          P.rows(), P.cols(), n, n);
  for (const int size : cones) require(size >= 2, "ConicProgram: a cone of size {}, must be ≥ 2.", size);
  require(half_lines >= 0, "ConicProgram: {} half-lines, must be ≥ 0.", half_lines);
  const int rows = std::accumulate(cones.begin(), cones.end(), half_lines);
  require(rows == m, "ConicProgram: half-lines and cones have {} rows, b has {}.", rows, m);
  require(P.allFinite() && q.allFinite() && A.allFinite() && b.allFinite(),
          "ConicProgram: every number must be finite.");
}

double distance_from_cones(const ConicProgram& program, const Eigen::VectorXd& v) {
  double worst = 0.0;
  for (int i = 0; i < program.half_lines; ++i) worst = std::max(worst, -v[i]);
  int first = program.half_lines;
  for (const int size : program.cones) {
    worst = std::max(worst, v.segment(first + 1, size - 1).norm() - v[first]);
    first += size;
  }
  return worst;
}

double conic_residual(const ConicProgram& program, const Eigen::VectorXd& x, const Eigen::VectorXd& s,
                      const Eigen::VectorXd& z) {
  if (!x.allFinite() || !s.allFinite() || !z.allFinite()) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd Px = program.P.size() == 0 ? Eigen::VectorXd(Eigen::VectorXd::Zero(x.size()))
                                                   : Eigen::VectorXd(program.P * x);
  const double value = 0.5 * x.dot(Px) + program.q.dot(x);
  const double gap = std::abs(value + 0.5 * x.dot(Px) + program.b.dot(z)) / (1.0 + std::abs(value));
  const double primal = largest(program.A * x + s - program.b) / (1.0 + largest(program.b));
  const double dual = largest(Px + program.A.transpose() * z + program.q) / (1.0 + largest(program.q));
  const double outside = std::max(distance_from_cones(program, s) / (1.0 + largest(s)),
                                  distance_from_cones(program, z) / (1.0 + largest(z)));
  return std::max({gap, primal, dual, outside});
}

double infeasibility_residual(const ConicProgram& program, const Eigen::VectorXd& z) {
  const double power = program.b.dot(z);
  if (!z.allFinite() || power >= 0.0) return std::numeric_limits<double>::infinity();
  return (largest(program.A.transpose() * z) + distance_from_cones(program, z)) / -power;
}

double ray_residual(const ConicProgram& program, const Eigen::VectorXd& x) {
  const double slope = program.q.dot(x);
  if (!x.allFinite() || slope >= 0.0) return std::numeric_limits<double>::infinity();
  const double bent = program.P.size() == 0 ? 0.0 : largest(program.P * x);
  return (bent + distance_from_cones(program, -program.A * x)) / -slope;
}

}  // namespace rigor
