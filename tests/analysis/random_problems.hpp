#pragma once

#include "tests/support/acceleration_problems.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor::test {

/// How many random problems a test judges; `kManyPrograms` where each of them is several linear programs.
inline constexpr int kManyProblems = kSanitized ? 100 : 1000;
inline constexpr int kManyPrograms = kSanitized ? 60 : 1000;

struct RandomProblemOptions {
  int tangents{1};
  double bilateral{0.0};  // share of contacts
  double sliding{0.0};    // share of unilateral contacts
  double frictionless{0.0};
  bool singular{false};   // M of lower rank
  bool redundant{false};  // some contacts repeat others
  bool biased{false};     // d/dt terms that accelerations can meet
  int coordinates{4}, contacts{4};
};

inline Eigen::VectorXd random_vector(Random& random, Eigen::Index n) {
  Eigen::VectorXd v(n);
  for (Eigen::Index i = 0; i < n; ++i) v[i] = random.gaussian();
  return v;
}

/// Random rows and a load that forces within the cones come close to balancing: about as many problems stick
/// as do not.
inline AccelerationProblem make_random_problem(Random& random, const RandomProblemOptions& options) {
  AccelerationProblem problem;
  const int n = 1 + random.below(options.coordinates);
  const int rank = options.singular ? random.below(n + 1) : n;
  Eigen::MatrixXd L(n, rank);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < rank; ++j) L(i, j) = random.gaussian();
  problem.M = L * L.transpose() + (options.singular ? 0.0 : 0.3) * Eigen::MatrixXd::Identity(n, n);
  problem.F = Eigen::VectorXd::Zero(n);
  const int count = 1 + random.below(options.contacts);
  const Eigen::VectorXd a =
      options.biased ? random_vector(random, n) : Eigen::VectorXd(Eigen::VectorXd::Zero(n));
  for (int i = 0; i < count; ++i) {
    AccelerationContact contact;
    if (options.redundant && i > 0 && random.chance(0.4)) {
      contact = problem.contacts[static_cast<std::size_t>(random.below(i))];
    } else {
      const Eigen::Index k = random.chance(options.frictionless) ? 0 : options.tangents;
      contact.normal = random_vector(random, n);
      contact.tangent.resize(k, n);
      for (Eigen::Index t = 0; t < k; ++t) contact.tangent.row(t) = random_vector(random, n).transpose();
      contact.mu = random.uniform(0.1, 1.0);
      contact.side = random.chance(options.bilateral) ? ContactSide::kBilateral : ContactSide::kUnilateral;
      if (k > 0 && contact.is_unilateral() && random.chance(options.sliding)) {
        contact.motion = ContactMotion::kSlide;
        contact.slip = random_vector(random, k).normalized();
      }
    }
    contact.name = "c" + std::to_string(i + 1);
    contact.normal_bias = -contact.normal.dot(a);
    contact.tangent_bias = -(contact.tangent * a);
    problem.contacts.push_back(contact);
    // a force a little in or out of the cone
    const double normal =
        random.uniform(-0.3, 1.0) * (contact.is_unilateral() || random.chance(0.5) ? 1.0 : -1.0);
    problem.F += contact.normal * normal;
    if (contact.tangents() > 0)
      problem.F += contact.tangent.transpose() * (random_vector(random, contact.tangents()).normalized() *
                                                  contact.mu * std::abs(normal) * random.uniform(0.2, 1.2));
  }
  problem.F -= problem.M * a;
  return problem;
}

}  // namespace rigor::test
