#include "rigor/solvers/problems/cone_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rigor/solvers/problems/validate.hpp"

namespace rigor {
namespace {

double tangent_length(int size, const double* x) {
  if (size == 1) return 0.0;
  return size == 2 ? std::fabs(x[1]) : std::sqrt(x[1] * x[1] + x[2] * x[2]);
}

void require_bounds(std::size_t i, int size, const RowBounds& bounds) {
  require(size == 1 || bounds.is_one_sided(),
          "Cone problem: block {} has {} rows and bounds {} to {}, must have 0 to infinity: only single rows "
          "have others.",
          i, size, bounds.lower, bounds.upper);
  require(bounds.lower <= bounds.upper && bounds.lower < std::numeric_limits<double>::infinity() &&
              bounds.upper > -std::numeric_limits<double>::infinity(),
          "Cone problem: block {} has bounds {} to {}, must be an interval, lower <= upper.", i, bounds.lower,
          bounds.upper);
}

// Every row belongs to one block and no other. Blocks mostly follow one another: then no list is needed.
void require_cover(const std::vector<ConeBlock>& blocks, Eigen::Index rows) {
  Eigen::Index next = 0;
  bool in_order = true;
  for (const ConeBlock& block : blocks) {
    in_order = in_order && block.first == next;
    next += block.size;
  }
  if (in_order && next == rows) return;
  std::vector<int> owner(static_cast<std::size_t>(rows), -1);
  for (std::size_t i = 0; i < blocks.size(); ++i)
    for (int k = 0; k < blocks[i].size; ++k) {
      int& of_row = owner[static_cast<std::size_t>(blocks[i].first + k)];
      require(of_row < 0, "Cone problem: row {} belongs to blocks {} and {}, must belong to one.",
              blocks[i].first + k, of_row, i);
      of_row = static_cast<int>(i);
    }
  for (std::size_t row = 0; row < owner.size(); ++row)
    require(owner[row] >= 0, "Cone problem: row {} belongs to no block, must belong to one.", row);
}

// On the cone of a contact, ‖x_T‖ known.
inline void project_with(const ConeBlock& block, double length, double* x) {
  if (x[0] >= 0.0 && length <= block.mu * x[0]) return;
  if (block.mu * length <= -x[0]) {
    for (int k = 0; k < block.size; ++k) x[k] = 0.0;
    return;
  }
  // on the edge: the part of x along (1, mu x_T / ‖x_T‖)
  x[0] = (x[0] + block.mu * length) / (1.0 + block.mu * block.mu);
  const double factor = block.mu * x[0] / length;
  for (int k = 1; k < block.size; ++k) x[k] *= factor;
}

}  // namespace

void ConeProblem::validate() const {
  require(W.rows() == W.cols(), "Cone problem: W is {} x {}, must be square.", W.rows(), W.cols());
  require(q.size() == W.rows(), "Cone problem: q has {} entries and W has {} rows, must be equal.", q.size(),
          W.rows());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto& [first, size, mu, bounds] = blocks[i];
    require(size >= 1 && size <= 3, "Cone problem: block {} has size {}, must be 1, 2 or 3.", i, size);
    require(first >= 0 && first + size <= q.size(),
            "Cone problem: block {} has rows {} to {}, must lie within the {} rows of W.", i, first,
            first + size - 1, q.size());
    require(std::isfinite(mu) && mu >= 0.0, "Cone problem: block {} has mu = {}, must be finite and >= 0.", i,
            mu);
    require_bounds(i, size, bounds);
  }
  require_cover(blocks, q.size());
  require_finite(W, "Cone problem: W");
  require_finite(q, "Cone problem: q");
}

void project_on_cone(const ConeBlock& block, double* x) {
  if (block.size == 1)
    x[0] = block.bounds.clamp(x[0]);
  else
    project_with(block, tangent_length(block.size, x), x);
}

double squared_block_residual(const ConeBlock& block, bool associated, const double* r, const double* u) {
  if (block.size == 1) {
    // between the bounds what is left is u itself, and a large r must not swallow it
    const double target = r[0] - u[0], nearest = block.bounds.clamp(target);
    return nearest == target ? u[0] * u[0] : (r[0] - nearest) * (r[0] - nearest);
  }
  double x[3]{};
  for (int k = 0; k < block.size; ++k) x[k] = r[k] - u[k];
  const double lift = associated ? 0.0 : block.mu * tangent_length(block.size, u);
  x[0] -= lift;
  const double length = tangent_length(block.size, x);
  double sum = 0.0;
  if (x[0] >= 0.0 && length <= block.mu * x[0]) {
    // inside the cone what is left is û itself, and a large r must not swallow it
    sum = (u[0] + lift) * (u[0] + lift);
    for (int k = 1; k < block.size; ++k) sum += u[k] * u[k];
    return sum;
  }
  project_with(block, length, x);
  for (int k = 0; k < block.size; ++k) sum += (r[k] - x[k]) * (r[k] - x[k]);
  return sum;
}

double cone_residual(const ConeProblem& problem, const Eigen::VectorXd& r) {
  if (r.size() != problem.q.size() || !r.allFinite()) return std::numeric_limits<double>::infinity();
  const Eigen::VectorXd u = problem.W * r + problem.q;
  double sum = 0.0;
  for (const ConeBlock& block : problem.blocks)
    sum += squared_block_residual(block, problem.associated, r.data() + block.first, u.data() + block.first);
  return std::isfinite(sum) ? std::sqrt(sum) : std::numeric_limits<double>::infinity();
}

double relative_cone_residual(const ConeProblem& problem, const Eigen::VectorXd& r) {
  const double scale = problem.q.norm();
  return cone_residual(problem, r) / (scale > 0.0 ? scale : 1.0);
}

double cone_rounding(double squares, double speeds) {
  constexpr double kKnown = 1e-3;  // of ‖q‖₂
  return std::min(4.0 * std::numeric_limits<double>::epsilon() * std::sqrt(squares), kKnown * speeds);
}

double cone_rounding(const std::vector<ConeBlock>& blocks, const Eigen::VectorXd& q, const Eigen::VectorXd& r,
                     double mean) {
  double squares = 0.0;
  for (const ConeBlock& block : blocks)
    if (r[block.first] != 0.0)
      squares += mean * mean * r.segment(block.first, block.size).squaredNorm() +
                 q.segment(block.first, block.size).squaredNorm();
  return cone_rounding(squares, q.norm());
}

}  // namespace rigor
