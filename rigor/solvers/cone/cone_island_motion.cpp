// How a ConeIslandSolver solves what moves: a heap that falls, a wall that is hit.
#include <algorithm>

#include "rigor/solvers/cone/cone_island.hpp"
#include "rigor/solvers/cone/cone_policy.hpp"

namespace rigor {
/// One way from a start to an answer: the interior point, then proximal steps.
struct ConeIslandSolver::BarrierSchedule {
  double lift;       // of ‖q‖/√n, by which the best point is lifted into the cones; 0: cold
  double size;       // of a cold start, times ‖q‖/√n
  int max_steps;     // of the interior point
  int max_proximal;  // Newton steps after it
};

bool ConeIslandSolver::try_motion(double residual) {
  if (ws_.cone.mu.isZero(0.0)) {
    // without friction contacts are open or closed, and most of those that are open stay so
    residual = ws_.newton.proximal(options_.tolerance, ProximalSchedule::for_motion(),
                                   cone_policy::kMaxWithoutFriction, ws_.r);
    if (accept("proximal")) return true;
  } else if (residual <= cone_policy::kClose * open_residual_) {
    residual = ws_.newton.finish(options_.tolerance, 1e-8, 12, ws_.r);
    if (residual > cone_policy::kNearby)
      residual = ws_.newton.proximal(std::max(options_.tolerance, cone_policy::kNearby),
                                     ProximalSchedule::for_motion(), cone_policy::kMaxClose, ws_.r);
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
    interior.start_near(ws_.cone, best_, schedule.lift, cone_policy::kReach);
  else
    interior.start(ws_.cone, schedule.size);
  const double enough = std::max(options_.tolerance, cone_policy::kBarrierEnds * open_residual_);
  const double nearly = std::max(enough, cone_policy::kBarrierMayEnd * open_residual_);
  for (int k = 0, lifts = 0; k < schedule.max_steps; ++k) {
    const bool moved = interior.step();
    ++interior_steps_;
    const bool is_short = interior.last_length() < cone_policy::kShortStep;
    if (interior.best_residual() <= (is_short ? nearly : enough)) break;
    if (moved && interior.short_steps() < 2) continue;
    if (lifts++ == cone_policy::kMaxLifts) break;
    interior.lift_again();
  }
  ws_.r = interior.best();
  double residual = interior.best_residual();
  if (residual > options_.tolerance) {
    ProximalSchedule proximal = ProximalSchedule::for_motion();
    proximal.alpha = cone_policy::kAfterBarrier;
    residual = ws_.newton.proximal(std::max(options_.tolerance, cone_policy::kNearby), proximal,
                                   schedule.max_proximal, ws_.r);
  }
  finish_near(residual);
  return accept("interior-point, proximal");
}

}  // namespace rigor
