#pragma once

#include <algorithm>
#include <ctime>

#include "rigor/solvers/problems/lcp.hpp"

namespace rigor {

#ifdef RIGOR_HAVE_SICONOS
inline constexpr bool kHaveSiconos = true;
#else
inline constexpr bool kHaveSiconos = false;
#endif

/// CPU time of this thread, so that other work on the machine does not count.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// What reading the clock twice takes: half a microsecond, more than the smallest problems do. To be taken
/// off.
inline double clock_seconds() {
  double least = 1.0;
  for (int k = 0; k < 1000; ++k) {
    const double begin = thread_seconds();
    least = std::min(least, thread_seconds() - begin);
  }
  return least;
}

/// For which a solve that takes less is repeated, and the least time taken.
inline constexpr double kRepeatSeconds = 0.02;

/// Siconos' Lemke from z = 0, the driver call alone timed; `info` 0 is its "solved".
struct PeerAnswer {
  int info{-1};
  double seconds{0.0};
};
[[nodiscard]] PeerAnswer solve_with_siconos_lemke(const LcpProblem& problem, Eigen::VectorXd& z);

}  // namespace rigor
