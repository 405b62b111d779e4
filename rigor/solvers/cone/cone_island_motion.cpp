// How a ConeIslandSolver solves what moves: a heap that falls, a wall that is hit.
#include <algorithm>

#include "rigor/solvers/cone/cone_island.hpp"
#include "rigor/solvers/cone/cone_policy.hpp"

namespace rigor {
namespace {

using cone_policy::kNearby;
constexpr double kClose = 1e-2;        // of the residual without impulses: few contacts have the wrong mode
constexpr double kBarrierEnds = 1e-3;  // likewise: the interior point has found nearly all modes
constexpr double kStuck = 0.1;         // length of a step of the interior point that has met an edge
constexpr int kMaxClose = 24;          // proximal steps where the start is close
constexpr double kReach = 0.3;          // times ‖q‖/√n: contacts that open faster take no part in the interior point
constexpr int kMaxLifts = 3;           // times that what is stuck is lifted off the edges
constexpr double kAfterBarrier = 1e-2; // compliance of the first proximal step after the interior point

}  // namespace

/// One way from a start to an answer: the interior point, then proximal steps.
struct ConeIslandSolver::BarrierSchedule {
  double lift;      // of ‖q‖/√n, by which the best point is lifted into the cones; 0: cold
  double size;      // of a cold start, times ‖q‖/√n
  int max_steps;    // of the interior point
  int max_proximal; // Newton steps after it
};

bool ConeIslandSolver::try_motion(double residual) {
  if (residual <= kClose * open_residual_) {
    residual = ws_.newton.finish(options_.tolerance, 1e-8, 12, ws_.r);
    if (residual > kNearby)
      residual = ws_.newton.proximal(std::max(options_.tolerance, kNearby), ProximalSchedule::for_motion(),
                                     kMaxClose, ws_.r);
    finish_near(residual);
    if (accept("newton")) return true;
  } else if (accept("nsgs")) {
    return true;
  }
  static constexpr BarrierSchedule kSchedules[] = {
      {0.03, 0.0, 40, 60}, {1.0, 0.0, 40, 60}, {0.0, 10.0, 40, 150}};
  for (const BarrierSchedule& schedule : kSchedules) {
    if (!has_budget()) return false;
    if (try_barrier(schedule)) return true;
  }
  return false;
}

bool ConeIslandSolver::try_barrier(const BarrierSchedule& schedule) {
  ConeInteriorPoint& interior = ws_.interior;
  if (schedule.lift > 0.0)
    interior.start_near(ws_.cone, best_, schedule.lift, kReach);
  else
    interior.start(ws_.cone, schedule.size);
  const double enough = std::max(options_.tolerance, kBarrierEnds * open_residual_);
  for (int k = 0, lifts = 0; k < schedule.max_steps; ++k) {
    const bool moved = interior.step();
    ++interior_steps_;
    if (interior.best_residual() <= enough) break;
    if (moved && interior.short_steps() < 2) continue;
    if (lifts++ == kMaxLifts) break;
    interior.lift_again();
  }
  ws_.r = interior.best();
  double residual = interior.best_residual();
  if (residual > options_.tolerance) {
    ProximalSchedule proximal = ProximalSchedule::for_motion();
    proximal.alpha = kAfterBarrier;
    residual = ws_.newton.proximal(std::max(options_.tolerance, kNearby), proximal, schedule.max_proximal, ws_.r);
  }
  finish_near(residual);
  return accept("interior-point, proximal");
}

}  // namespace rigor
