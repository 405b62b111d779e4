#pragma once

#include <string>
#include <vector>

#include "rigor/solvers/acceleration/acceleration_problem.hpp"
#include "rigor/solvers/problems/cone_problem.hpp"
#include "rigor/solvers/problems/result.hpp"

namespace rigor {

/// What a contact does in the next instant.
enum class AccelerationMode { kOpens, kSticks, kSlips };

/// Accelerations and forces under Coulomb's law at the acceleration level [BKA, (5)-(7), (69), (71)]: with
/// normal speeds zero,
///
///     all                     0 ≤ λn ⊥ a_n ≥ 0;   bilateral: a_n = 0
///     at rest tangentially    ‖λt‖ ≤ mu |λn|,   λt = −mu |λn| a_t / ‖a_t‖ where a_t ≠ 0
///     sliding                 λt = −mu |λn| slip
///
/// Bilateral rows are eliminated, a = a0 + Z x; what is left is a ConeProblem for the rows of the other
/// contacts, whose W is not symmetric where a contact slides. Friction of bilateral contacts is not of this
/// form: they stick until ‖λt‖ > mu |λn|, and then friction acts against the slip with the |λn| of the last
/// solve, repeated until that does not change any more.
struct AccelerationResult {
  Status status{Status::kIterationLimit};
  Eigen::VectorXd a;
  std::vector<Eigen::VectorXd> forces;      // (λn, λt) per contact
  std::vector<AccelerationMode> modes;      // per contact
  std::vector<Eigen::VectorXd> tangential;  // a_t per contact: the direction of a slip that begins
  double residual{0.0};                     // acceleration_residual()
  std::string note;                         // why it was not solved
};

[[nodiscard]] AccelerationResult solve_acceleration(const AccelerationProblem& problem);

/// How far (a, forces) is from the laws above and from M a + F = Σ …, each over the size of what it compares:
/// zero exactly at solutions. Knows no method.
[[nodiscard]] double acceleration_residual(const AccelerationProblem& problem, const Eigen::VectorXd& a,
                                           const std::vector<Eigen::VectorXd>& forces);

/// All solutions of a problem in the plane (at most one tangent per contact) with at most `max_contacts`
/// contacts, found by trying every mode of every contact: none, one, or several. Modes whose forces are not
/// unique are tried with the forces of least norm alone: with dependent rows the list may lack some.
[[nodiscard]] std::vector<AccelerationResult> list_accelerations(const AccelerationProblem& problem,
                                                                 int max_contacts = 6);

}  // namespace rigor
