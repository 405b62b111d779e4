#pragma once

#include <cstddef>

/// When the solver of an island (cone_island.hpp) takes which way, and for how long: all of its thresholds, with what they
/// are measured in. What chose them is told in docs/theory/sparse-cone.md. Counts end a method, never a clock; work is
/// counted in multiplications, so that no threshold depends on the machine.
namespace rigor::cone_policy {

// the start, kept or corrected
inline constexpr double kKept = 1e-15;  // m/s a contact, times the largest speed where that is above 1
inline constexpr double kNear = 1e-8;   // m/s: below this the start is corrected, not searched
inline constexpr double kGoodStart =
    1e-3;  // of the residual without impulses: a start below it is not shortened
inline constexpr double kMending = 1e-7;  // compliance while it is corrected: rounding grows by its inverse
inline constexpr double kFirm = 1e-6;  // of the largest impulse: a contact nearer to its edge is not changed
inline constexpr int kMaxMendings = 8;

// rest: all contacts stick, or the associated law
inline constexpr double kStopping = 1e-6;       // compliance of the factor that conditions the search
inline constexpr int kMaxStopping = 60;         // conjugate gradients: as many as there are soft motions
inline constexpr double kRough = 1e-2;          // of the residual without impulses: what slips at this slips
inline constexpr double kInteriorStart = 30.0;  // times ‖q‖/√n: impulses add up over the height of a pile
inline constexpr double kLift = 0.3;       // of the impulses of a start, by which it is lifted into the cones
inline constexpr double kCentre = 1e-5;    // times their mean square: impulse times velocity at the start
inline constexpr int kMaxInterior = 40;    // steps of the interior point
inline constexpr double kLasting = 1e-10;  // m/s: rest looked for before sweeps is found to this, to last

// Newton's method and proximal steps near an answer
inline constexpr double kNearby = 1e-5;  // m/s: below this Newton's method goes on with a fixed centre
inline constexpr int kMaxNewton = 12;    // full steps
inline constexpr int kMaxBeforeRest =
    24;  // proximal steps of what did not slide; a search for rest costs twice that
inline constexpr double kMostRho = 1e4;  // weight of velocities beside impulses next to an answer,
inline constexpr int kMaxNear = 100;     // and steps there
inline constexpr double kFirmStart =
    1e-4;  // compliance of proximal steps from the answer of the associated law

// what moves (cone_island_motion.cpp): 271 problems of 60 to 2500 contacts from a heap, a wall, a tower and a bin, each
// with the impulses of the step before, to 1e-6 of ‖q‖, by the number of factors
inline constexpr double kClose = 3e-3;  // of the residual without impulses: few contacts have the wrong mode
inline constexpr double kBarrierEnds = 1e-3;    // likewise: the interior point has found nearly all modes
inline constexpr double kBarrierMayEnd = 1e-2;  // likewise, once it makes steps
inline constexpr double kShortStep = 0.1;       // shorter than this
inline constexpr double kReach = 1.0;  // times ‖q‖/√n: contacts that open faster take no part in it
inline constexpr double kAfterBarrier = 1e-2;   // compliance of the first proximal step after it
inline constexpr int kMaxWithoutFriction = 60;  // proximal steps of a problem without friction
inline constexpr int kMaxClose = 24;            // proximal steps where the start is close
inline constexpr int kMaxLifts = 1;             // times that what is stuck is lifted off the edges

// sweeps of a pile, or factors
inline constexpr double kWorthSweeps =
    300.0;                                  // sweeps come first where a solve by factors costs more of them
inline constexpr double kFactors = 10.0;    // factors that such a solve needs, about
inline constexpr double kDoubt = 3.0;       // of the rate of sweeps where contacts slide: that of boxes falls
inline constexpr double kAffordable = 3e9;  // multiplications of a factor: above, none follows the sweeps
inline constexpr std::size_t kMostCounted =
    20'000;  // contacts of an island whose factor is counted, not estimated

// the last methods
inline constexpr int kMaxAdmm = 4000;  // iterations
inline constexpr double kMostWork =
    1e9;  // multiplications of a factor of W: above, only those of units are used

}  // namespace rigor::cone_policy
