// Measurements of `rigor analyse`: a body on 10 contacts in space. The least of several repetitions.
//
//   analyse_bench        verdict with forces and margin; the whole report
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "rigor/analysis/analyse.hpp"
#include "rigor/math/random.hpp"

namespace rigor {
namespace {

// Contacts on the plane z = −0.3 of a body of 2 kg, pushed sideways by 2 N.
AccelerationProblem make_problem(int contacts) {
  Random random(5);
  AccelerationProblem problem;
  problem.M = 2.0 * Eigen::MatrixXd::Identity(6, 6);
  problem.F = Eigen::VectorXd::Zero(6);
  problem.F[0] = 2.0;
  problem.F[2] = 19.62;
  for (int i = 0; i < contacts; ++i) {
    const double x = random.uniform(-1.0, 1.0), y = random.uniform(-1.0, 1.0), z = -0.3;
    AccelerationContact contact;
    contact.normal.resize(6);
    contact.normal << 0, 0, 1, y, -x, 0;
    contact.tangent.resize(2, 6);
    contact.tangent << 1, 0, 0, 0, z, -y, 0, 1, 0, -z, 0, x;
    contact.tangent_bias = Eigen::Vector2d::Zero();
    contact.mu = 0.5;
    problem.contacts.push_back(contact);
  }
  return problem;
}

template <class Work>
double measure(Work work, int repetitions) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < repetitions; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return 1e3 * least;
}

}  // namespace
}  // namespace rigor

int main() {
  using namespace rigor;
  const AccelerationProblem problem = make_problem(10);
  double margin = 0.0;
  const double verdict =
      measure([&] { margin = StickingSet(problem, FrictionKind::kCones).decide().verdict.margin; }, 300);
  const double report = measure([&] { margin += analyse(problem).closed.verdict.margin; }, 10);
  fmt::print("10 contacts: verdict, forces and margin {:.3f} ms, whole report {:.1f} ms (margin {:.3g} N)\n",
             verdict, report, margin);
}
