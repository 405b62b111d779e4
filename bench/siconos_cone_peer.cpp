#include "bench/siconos_cone_peer.hpp"

#include <algorithm>
#include <limits>

#include "bench/siconos_peer.hpp"

extern "C" {  // Siconos' headers are C
#include <siconos/numerics/CSparseMatrix.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
}

namespace rigor {

const std::vector<ConePeerSolver>& siconos_cone_solvers() {
  static const std::vector<ConePeerSolver> solvers = {
      {SICONOS_FRICTION_3D_NSGS, 0, "NSGS"},
      {SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_ProjectionOnConeWithLocalIteration,
       "NSGS-PLI"},
      {SICONOS_FRICTION_3D_PROX, 0, "PPA-NSN_AC"},
      {SICONOS_FRICTION_3D_NSN_AC, 0, "NSN_AC"},
      {SICONOS_FRICTION_3D_NSN_FB, 0, "NSN_FB"},
      {SICONOS_FRICTION_3D_ADMM, 0, "ADMM"},
      {SICONOS_FRICTION_3D_VI_EG, 0, "VI_EG"}};
  return solvers;
}

ConePeerAnswer solve_with_siconos(const SparseConeProblem& problem, const ConePeerSolver& solver,
                                  double tolerance) {
  const int n = problem.contacts();
  NumericsMatrix* sparse = NM_create(NM_SPARSE, 3 * n, 3 * n);
  NM_triplet_alloc(sparse, static_cast<CS_INT>(9 * problem.values.size()));
  sparse->matrix2->origin = NSM_TRIPLET;
  for (int i = 0; i < n; ++i)
    for (int k = problem.pattern.begin[static_cast<std::size_t>(i)];
         k < problem.pattern.begin[static_cast<std::size_t>(i) + 1]; ++k)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
          const double value = problem.values[static_cast<std::size_t>(k)](a, b);
          if (value != 0.0)
            NM_entry(sparse, 3 * i + a, 3 * problem.pattern.column[static_cast<std::size_t>(k)] + b, value);
        }
  NumericsMatrix* blocks = NM_create(NM_SPARSE_BLOCK, 3 * n, 3 * n);
  SBM_from_csparse(3, NM_csc(sparse), blocks->matrix1);
  Eigen::VectorXd q = problem.q, mu = problem.mu, u(3 * n);
  FrictionContactProblem friction{};
  friction.dimension = 3;
  friction.numberOfContacts = n;
  friction.M = blocks;
  friction.q = q.data();
  friction.mu = mu.data();
  ConePeerAnswer answer;
  answer.seconds = std::numeric_limits<double>::infinity();
  const double clock = clock_seconds();
  const double start = thread_seconds();
  for (int repeat = 0; repeat < 3 || thread_seconds() - start < kRepeatSeconds; ++repeat) {
    SolverOptions* options = solver_options_create(solver.id);
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    const bool is_newton = solver.id == SICONOS_FRICTION_3D_NSN_AC || solver.id == SICONOS_FRICTION_3D_NSN_FB;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = is_newton                               ? 5000
                                               : solver.id == SICONOS_FRICTION_3D_PROX ? 2000
                                                                                       : 10'000'000;
    if (solver.id == SICONOS_FRICTION_3D_NSGS) {
      options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] =
          SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
      options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = 10;
    }
    if (solver.internal_id != 0) solver_options_update_internal(options, 0, solver.internal_id);
    Eigen::VectorXd r = Eigen::VectorXd::Zero(3 * n);
    u.setZero();
    const double begin = thread_seconds();
    fc3d_driver(&friction, r.data(), u.data(), options);
    answer.seconds = std::min(answer.seconds, thread_seconds() - begin - clock);
    answer.residual = relative_cone_residual(problem, r);
    solver_options_delete(options);
    if (answer.seconds > 0.5) break;
  }
  return answer;
}

}  // namespace rigor
