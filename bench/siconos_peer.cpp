#include "bench/siconos_peer.hpp"

extern "C" {  // Siconos' headers are C
#include <siconos/numerics/LCP_Solvers.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/lcp_cst.h>
}

namespace rigor {

PeerAnswer solve_with_siconos_lemke(const LcpProblem& problem, Eigen::VectorXd& z) {
  const auto n = static_cast<int>(problem.q.size());
  Eigen::MatrixXd M = problem.M;
  Eigen::VectorXd q = problem.q, w = Eigen::VectorXd::Zero(n);
  z.setZero(n);
  NumericsMatrix* matrix = NM_create_from_data(NM_DENSE, n, n, M.data());
  LinearComplementarityProblem lcp{};
  lcp.size = n;
  lcp.M = matrix;
  lcp.q = q.data();
  SolverOptions* options = solver_options_create(SICONOS_LCP_LEMKE);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
  PeerAnswer answer;
  const double begin = thread_seconds();
  answer.info = linearComplementarity_driver(&lcp, z.data(), w.data(), options);
  answer.seconds = thread_seconds() - begin;
  solver_options_delete(options);
  matrix->matrix0 = nullptr;  // ours
  NM_clear(matrix);
  return answer;
}

}  // namespace rigor
