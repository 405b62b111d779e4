#include "rigor/stepping/overlap.hpp"

#include <algorithm>

#include "rigor/base/index.hpp"
#include "rigor/contact/large_cone_law.hpp"
#include "rigor/math/limits.hpp"

namespace rigor {
namespace {

constexpr double kWithin = 10.0;         // times the deepest overlap: a gap that no push is expected to close
constexpr double kLeastOverlap = 1e-12;  // m: less is rounding, and stays

}  // namespace

bool OverlapCorrector::correct(const Model& model, const ContactStep& step, ConstrainedSystem& system,
                               WorkerPool& pool, Eigen::VectorXd& q) {
  const double allowed = settings_.overlap > 0.0 ? settings_.overlap : settings_.tolerance * step.h;
  const double slack = std::max(kLeastOverlap, allowed);
  gaps_.resize(step.rows.size());
  f_.setZero(model.nv);
  bool any = false;
  for (const ContactIsland& island : step.rows.islands()) {
    const double deepest = find_deepest(step, island);
    if (deepest >= -slack) continue;
    push(step, island, deepest, 0.1 * slack, pool);
    step.rows.add_forces(pushes_, f_);
    any = true;
  }
  if (!any) return false;

  // d = M⁻¹ Jᵀ p, along what the constraints allow
  zero_rows_.resize(system.islands().list.size());
  for (std::size_t i = 0; i < zero_rows_.size(); ++i) zero_rows_[i].setZero(system.islands().list[i].rows);
  d_.setZero(model.nv);
  system.solve(f_, zero_rows_, d_);
  move(model, d_, q);
  return true;
}

// Fills the island's part of gaps_, infinite where nothing is pushed; returns the least of them, or 0.
double OverlapCorrector::find_deepest(const ContactStep& step, const ContactIsland& island) {
  double deepest = 0.0;
  for (const int k : island.blocks) {
    const int row = step.rows.blocks()[at(k)].first;
    gaps_[row] = kInfinity;
    if (!step.pushes[at(k)]) continue;
    gaps_[row] = step.distances[at(k)] + step.h * step.u[row];
    deepest = std::min(deepest, gaps_[row]);
  }
  return deepest;
}

// Impulses of the normals alone: convex whatever the law of friction. In units of the deepest overlap, so that one of
// 1e-12 m, which solvers would take for rounding, is pushed out like any other. Contacts that are not pushed, or far
// apart beside that overlap, are left aside: what a push closes there is for the next step.
void OverlapCorrector::push(const ContactStep& step, const ContactIsland& island, double deepest,
                            double tolerance, WorkerPool& pool) {
  pushes_.setZero(step.rows.size());
  const double unit = -deepest;  // m
  tolerance /= unit;
  near_.blocks.clear();
  for (const int k : island.blocks) {
    double& gap = gaps_[step.rows.blocks()[at(k)].first];
    gap /= unit;
    if (gap < kWithin) near_.blocks.push_back(k);
  }
  near_.rows = static_cast<int>(near_.blocks.size());
  const auto scatter = [&](const Eigen::VectorXd& r, Eigen::Index stride) {
    for (std::size_t k = 0; k < near_.blocks.size(); ++k)
      pushes_[step.rows.blocks()[at(near_.blocks[k])].first] =
          unit * r[stride * static_cast<Eigen::Index>(k)];
  };
  if (near_.blocks.size() >= LargeConeLaw::kLeastContacts) {
    step.rows.assemble_units(near_, gaps_, true, units_);
    solver_.solve(units_.problem,
                  {.tolerance = tolerance,
                   .associated = true,
                   .wants_freedom = false,
                   .max_convex = 60,
                   .sweeps_first = settings_.tolerance >= LargeConeLaw::kSweepable,
                   .max_iterations = settings_.max_iterations,
                   .pool = &pool},
                  island_result_);
    scatter(island_result_.r, 3);
  } else {
    step.rows.assemble_normals(near_, gaps_, problem_);
    ConeOptions options;
    options.tolerance = tolerance;
    options.warm = false;
    solve_cone(problem_, options, workspace_, result_);
    scatter(result_.r, 1);
  }
}

}  // namespace rigor
