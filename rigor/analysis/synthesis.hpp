#pragma once

#include <vector>

#include "rigor/analysis/sticking.hpp"

namespace rigor {

/// Which forces make all contacts stick [BKA, Prop. 3, Cor. 1, step 6 of the all-sticking algorithm]: with
/// the problem's actuators B = (b_1 …), their bounds and those of the contact forces,
///
///     min ½ Σ w_j u_j²    with    M a + F − B u = C λ,   the rows of a StickingSet,   λ within the cones,
///                                 min ≤ u ≤ max,   normal_min ≤ |λn| ≤ normal_max                    (1)
///
/// One motion y, a multiplier of the balance with M y = Jᵀ w, gives bounds on both. With the load P = F·y −
/// w·bias, u_n, u_t the velocities that y gives to a contact, and g = u_n − mu ‖u_t‖, every solution has P =
/// Σ λ·Cᵀy + u·Bᵀy, so that
///
///     cost ≥ −P + Σ_i min { |λn| g_i } + Σ_j min { ½ w_j u_j² + u_j b_j·y },                         (2)
///     no u at all  iff (up to closure)  −P + Σ_i min { |λn| g_i } + Σ_j min { u_j b_j·y } > 0        (3)
///
/// for some y, minima over the bounds. (3) with u free is the blocking motion of a ForceSet that does no
/// work on the actuators.
///
/// Departure from [BKA]: nothing is assumed independent or regular, the cones are exact, and (24) is not
/// iterated but solved as the conic program that it is. Signs of bilateral friction are searched by branch
/// and bound: (1) without their cones is a lower bound.
struct Synthesis {
  struct Proof {
    std::vector<int> signs;  // of bilateral contacts with friction in this branch; 0: either
    Eigen::VectorXd motion;  // y of (3)
  };

  Answer answer{Answer::kUndecided};
  Eigen::VectorXd change;               // u
  double cost{0.0};                     // √(Σ w u²): 0 where it sticks as it is
  Eigen::VectorXd acceleration;         // a
  std::vector<Eigen::VectorXd> forces;  // per contact (λn, λt)
  std::vector<int> signs;               // per contact, as in StickingAnswer
  Eigen::VectorXd motion;               // y of (2)
  double violation{0.0};                // of the balance, cones and bounds by `forces`, over their size
  std::vector<Proof> proofs;            // where the answer is no: one per branch; empty for a contradiction
  Eigen::VectorXd contradiction;        // as in StickingAnswer
};

struct SynthesisOptions {
  double margin{0.0};  // N: normal force that every contact is to have to spare in its cone
};

[[nodiscard]] Synthesis find_least_change(const AccelerationProblem& problem,
                                          const SynthesisOptions& options = {});

/// (2) and (3) recomputed from the problem's matrices alone, sums in long double. Directions without bound
/// must not gain: `outside` is how much they do.
struct SynthesisCheck {
  double bound{0.0};    // on ½ Σ w u², by (2)
  double excess{0.0};   // left side of (3)
  double outside{0.0};  // the worst negative g, or work on an actuator, of what has no bound
  double inertia{0.0};  // ‖M y − Jᵀ w‖
  /// excess > 0, and forces and accelerations would have to be 1e6 times what balances F and biases before
  /// outside and inertia made up for it.
  bool holds{false};
};
[[nodiscard]] SynthesisCheck check_synthesis(const AccelerationProblem& problem, const Eigen::VectorXd& y,
                                             const std::vector<int>& signs,
                                             const SynthesisOptions& options = {});

}  // namespace rigor
