#include "rigor/solvers/cone_finish.hpp"

#include <algorithm>
#include <cmath>

namespace rigor {
namespace {

constexpr double kCompliance = 1e-6;  // α, against a mean diagonal of 1
constexpr double kSingular = 1e-8;    // pivot ratio below which forces may not be unique
constexpr double kLoaded = 1e-9;      // of the largest impulse or velocity: below is nothing

// Every block clearly open, sticking or sliding, and the matrix of the last Newton step far from singular.
bool is_unique(const ConeWorkspace& workspace) {
  const ConeSystem& system = workspace.system;
  if (workspace.newton.pivot_ratio() < kSingular) return false;
  const double scale = kLoaded * (workspace.r.cwiseAbs().maxCoeff() + workspace.u.cwiseAbs().maxCoeff());
  for (std::size_t i = 0; i < system.blocks.size(); ++i) {
    const auto [first, size, mu] = system.blocks[i];
    const double load = workspace.r[first];
    const double slip = size > 1 ? workspace.u.segment(first + 1, size - 1).norm() : 0.0;
    const double friction = size > 1 ? workspace.r.segment(first + 1, size - 1).norm() : 0.0;
    if (load <= scale && workspace.u[first] <= scale) return false;
    if (load > scale && size > 1 && slip <= scale && friction >= mu * load - scale) return false;
  }
  return true;
}

// r(α) about the centre: straight from the modes at hand, else with α falling from 1.
bool solve_compliant(ConeWorkspace& workspace, double target, Eigen::VectorXd& r) {
  ConeNewton& newton = workspace.newton;
  workspace.trial = r;
  double residual = newton.solve({kCompliance, false}, workspace.centre, target, 20, 6, workspace.trial);
  if (residual > target) {
    workspace.trial = r;
    for (double alpha = 1.0; alpha > 0.5 * kCompliance; alpha *= 0.1)
      residual = newton.solve({alpha, false}, workspace.centre, target, 20, 6, workspace.trial);
  }
  if (residual > target) return false;
  r.swap(workspace.trial);
  return true;
}

}  // namespace

void finish_cone(const ConeOptions& options, ConeWorkspace& workspace) {
  const ConeSystem& system = workspace.system;
  const double target = 1e-2 * options.tolerance;
  Eigen::VectorXd& r = workspace.r;
  // to rounding, where the modes are found
  double residual = workspace.newton.follow({1e-10, true}, 0.0, 6, 2, r);
  system.compute_velocity(r, workspace.u);
  if (is_unique(workspace)) return;

  // proximal point iterations from r_0 = 0
  workspace.best = r;
  workspace.centre.setZero(r.size());
  for (int k = 0; k < 12; ++k) {
    if (!solve_compliant(workspace, target, workspace.best)) return;
    workspace.centre = workspace.best;
    system.compute_velocity(workspace.best, workspace.u);
    const double before = residual;
    residual = system.residual(workspace.best, workspace.u);
    if (residual <= 1e-3 * target || (k > 1 && residual > 0.5 * before && residual <= target)) break;
  }
  if (residual > std::max(target, 1e-2 * options.tolerance)) return;
  r = workspace.best;
}

int find_force_freedom(ConeWorkspace& workspace) {
  const ConeSystem& system = workspace.system;
  const Eigen::Index n = system.q.size();
  if (n == 0) return 0;
  const Eigen::VectorXd &r = workspace.r, &u = workspace.u;
  const double load_scale = kLoaded * r.cwiseAbs().maxCoeff();
  const double slip_scale = kLoaded * (u.cwiseAbs().maxCoeff() + system.q.cwiseAbs().maxCoeff());
  // W on each face; the columns that no face needs stay unit vectors beyond the rows of W
  workspace.faces.setZero(n, n);
  int columns = 0;
  for (const auto& [first, size, mu] : system.blocks) {
    if (r[first] <= load_scale) continue;
    const double slip = size > 1 ? u.segment(first + 1, size - 1).norm() : 0.0;
    if (slip <= slip_scale) {
      for (int k = 0; k < size; ++k) workspace.faces.col(first + k) = system.W.col(first + k);
      columns += size;
    } else {
      workspace.faces.col(first) = system.W.col(first);
      for (int k = 1; k < size; ++k)
        workspace.faces.col(first) -= mu * u[first + k] / slip * system.W.col(first + k);
      ++columns;
    }
  }
  workspace.factor.compute(workspace.faces);
  return columns - static_cast<int>(workspace.factor.rank());
}

}  // namespace rigor
