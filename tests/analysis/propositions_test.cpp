// conditions.cpp, normal_lcp.cpp, opening.cpp: every proposition of [BKA] on random problems, its hypotheses
// and what follows from them confirmed by linear algebra, enumeration or the simplex method.
#include "rigor/analysis/propositions.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>

#include "tests/analysis/random_problems.hpp"
#include "tests/analysis/witness.hpp"

namespace rigor {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::kManyProblems;
using test::RandomProblemOptions;

// K = [M −Jᵀ; J 0] of all contacts closed, and its right-hand side.
void make_kkt(const AccelerationProblem& problem, MatrixXd& K, VectorXd& rhs) {
  const StickingSet set(problem, FrictionKind::kUnlimited);
  const Eigen::Index n = problem.size(), r = set.J().rows();
  K = MatrixXd::Zero(n + r, n + r);
  K.topLeftCorner(n, n) = problem.M;
  K.topRightCorner(n, r) = -set.J().transpose();
  K.bottomLeftCorner(r, n) = set.J();
  rhs.resize(n + r);
  rhs << -problem.F, -set.bias();
}

AccelerationProblem make_bilateral(Random& random, bool singular, bool redundant) {
  RandomProblemOptions options;
  options.bilateral = 1.0;
  options.tangents = 1 + random.below(2);
  options.singular = singular;
  options.redundant = redundant;
  options.biased = random.chance(0.5);
  options.coordinates = 6;
  options.contacts = 3;
  return test::make_random_problem(random, options);
}

// Prop. 1: (i) the matrix is invertible iff both conditions hold; (ii) under the second one every solution
// has the same accelerations and the same Σ of forces.
TEST(Propositions, OneInvertibleOrUniqueInWhatMatters) {
  Random random(11);
  int invertible = 0;
  for (int k = 0; k < kManyProblems; ++k) {
    const AccelerationProblem problem = make_bilateral(random, random.chance(0.5), random.chance(0.5));
    MatrixXd K;
    VectorXd rhs;
    make_kkt(problem, K, rhs);
    const StickingSet set(problem, FrictionKind::kUnlimited);
    Eigen::FullPivLU<MatrixXd> lu(K);
    lu.setThreshold(1e-9);
    const bool unique = has_independent_rows(problem) && set.has_unique_acceleration();
    ASSERT_EQ(lu.isInvertible(), unique) << k;
    invertible += unique ? 1 : 0;
    if (!set.has_unique_acceleration() || !set.is_consistent()) continue;
    const VectorXd z = K.completeOrthogonalDecomposition().solve(rhs);
    EXPECT_LT((K * z - rhs).norm(), 1e-8 * (1.0 + rhs.norm())) << k;  // solvable for every F
    const Eigen::Index n = problem.size();
    const MatrixXd kernel = lu.kernel();
    if (lu.isInvertible()) continue;
    EXPECT_LT(kernel.topRows(n).norm(), 1e-7 * kernel.norm());
    EXPECT_LT((set.J().transpose() * kernel.bottomRows(K.rows() - n)).norm(), 1e-7 * kernel.norm());
  }
  EXPECT_GT(invertible, kManyProblems / 10);
}

// Props. 2 and 3: the only forces, by (21) written out, lie in their cones or not.
TEST(Propositions, TwoSticksIffTheOnlyForcesDo) {
  Random random(12);
  int yes = 0, asked = 0;
  for (int k = 0; asked < kManyProblems && k < 20 * kManyProblems; ++k) {
    const AccelerationProblem problem = make_bilateral(random, false, false);
    if (!has_independent_rows(problem)) continue;
    ++asked;
    const StickingSet set(problem, FrictionKind::kCones);
    const MatrixXd& J = set.J();
    const MatrixXd G = J * problem.M.inverse() * J.transpose();
    const VectorXd lambda = G.inverse() * (J * problem.M.inverse() * problem.F - set.bias());
    double room = 1e300;
    Eigen::Index at = 0;
    for (const AccelerationContact& contact : problem.contacts) {
      room = std::min(room,
                      contact.mu * std::abs(lambda[at]) - lambda.segment(at + 1, contact.tangents()).norm());
      at += 1 + contact.tangents();
    }
    if (std::abs(room) < 1e-7 * lambda.norm()) continue;
    const StickingAnswer answer = set.decide();
    ASSERT_EQ(answer.answer, room > 0.0 ? Answer::kYes : Answer::kNo) << k;
    yes += room > 0.0 ? 1 : 0;
    if (room > 0.0) {
      EXPECT_LT((answer.forces[0] - lambda.head(answer.forces[0].size())).norm(), 1e-6 * lambda.norm());
    }
  }
  EXPECT_GT(yes, kManyProblems / 20);
}

// Prop. 5, (31): the forces of least norm of the general case are those of the pseudoinverse.
TEST(Propositions, FiveLeastNormForces) {
  Random random(13);
  int asked = 0;
  for (int k = 0; asked < kManyProblems && k < 20 * kManyProblems; ++k) {
    const AccelerationProblem problem = make_bilateral(random, random.chance(0.5), random.chance(0.7));
    const StickingSet set(problem, FrictionKind::kUnlimited);
    if (!set.has_unique_acceleration() || !set.is_consistent()) continue;
    const MatrixXd& J = set.J();
    const auto pinv = [](const MatrixXd& A) -> MatrixXd {
      return A.completeOrthogonalDecomposition().pseudoInverse();
    };
    const MatrixXd E = pinv(problem.M + J.transpose() * J);
    const MatrixXd D = J * E * J.transpose(), Dp = pinv(D);
    const VectorXd lambda = (E * J.transpose() * Dp).transpose() * problem.F + (D * Dp - Dp) * set.bias();
    const StickingAnswer answer = set.decide();
    ASSERT_EQ(answer.answer, Answer::kYes);
    VectorXd ours(J.rows());
    Eigen::Index at = 0;
    for (const VectorXd& force : answer.forces) {
      ours.segment(at, force.size()) = force;
      at += force.size();
    }
    ++asked;
    // the same sum of forces, and not shorter than the least
    EXPECT_LT((J.transpose() * (ours - lambda)).norm(), 1e-6 * (1.0 + problem.F.norm())) << k;
    EXPECT_LT(lambda.norm(), ours.norm() + 1e-6 * (1.0 + ours.norm())) << k;
  }
  EXPECT_EQ(asked, kManyProblems);
}

AccelerationProblem make_unilateral(Random& random) {
  RandomProblemOptions options;
  options.tangents = 1;
  options.coordinates = 6;
  options.contacts = 4;
  options.redundant = random.chance(0.4);
  options.singular = random.chance(0.3);
  options.frictionless = 0.3;
  AccelerationProblem problem = test::make_random_problem(random, options);
  if (random.chance(0.5))
    for (AccelerationContact& contact : problem.contacts) {
      contact.normal_bias = random.gaussian();
      for (Eigen::Index t = 0; t < contact.tangents(); ++t)
        contact.tangent_bias[t] = random.chance(0.5) ? random.gaussian() : 0.0;
    }
  return problem;
}

// Whether accelerations that all contacts allow exist, by the simplex method: a = p − q, slack s ≥ 0.
bool has_accelerations_by_simplex(const AccelerationProblem& problem) {
  std::vector<VectorXd> rows;
  std::vector<double> rhs;
  std::vector<char> slack;
  for (const AccelerationContact& contact : problem.contacts) {
    rows.push_back(contact.normal);
    rhs.push_back(-contact.normal_bias);
    slack.push_back(contact.is_unilateral());
    for (Eigen::Index t = 0; t < contact.tangents(); ++t) {
      rows.emplace_back(contact.tangent.row(t).transpose());
      rhs.push_back(-contact.tangent_bias[t]);
      slack.push_back(0);
    }
  }
  const auto m = static_cast<Eigen::Index>(rows.size()), n = problem.size();
  MatrixXd A = MatrixXd::Zero(m, 2 * n + m);
  VectorXd b(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    A.row(i).head(n) = rows[static_cast<std::size_t>(i)].transpose();
    A.row(i).segment(n, n) = -rows[static_cast<std::size_t>(i)].transpose();
    if (slack[static_cast<std::size_t>(i)]) A(i, 2 * n + i) = -1.0;
    b[i] = rhs[static_cast<std::size_t>(i)];
  }
  return test::solve_simplex(A, b, VectorXd::Zero(A.cols())).status == test::SimplexResult::kOptimal;
}

// Props. 6 (i), (iii), (iv), 7, 8 (i), (iii), Cor. 2: on the LCP and on Gauss's principle.
TEST(Propositions, SixToEightOnUnilateralContacts) {
  Random random(14);
  int six_i = 0, six_iv = 0, seven = 0, not_seven = 0, eight = 0, corollary = 0;
  const auto fewest = [&] { return std::min({six_i, six_iv, seven, not_seven, eight, corollary}); };
  for (int k = 0; fewest() < kManyProblems && k < 60 * kManyProblems; ++k) {
    const AccelerationProblem problem = make_unilateral(random);
    const GaussAcceleration gauss = find_gauss_acceleration(problem);
    SCOPED_TRACE(k);
    ASSERT_NE(gauss.status, GaussAcceleration::Status::kUndecided);
    const bool solvable = gauss.status == GaussAcceleration::Status::kSolved;
    if (solvable) {
      // optimal: feasible, and M a + F is a force of the contacts that stay closed
      AccelerationProblem closed = problem;
      for (const AccelerationContact& contact : problem.contacts)
        EXPECT_GT(contact.normal.dot(gauss.a) + contact.normal_bias, -1e-6 * (1.0 + gauss.a.norm()));
      EXPECT_NE(StickingSet(problem, FrictionKind::kUnlimited, gauss.is_closed).decide().answer, Answer::kNo);
    }
    if (has_definite_mass(problem)) {
      const bool feasible = has_accelerations_by_simplex(problem);
      ASSERT_EQ(has_feasible_accelerations(problem), feasible ? Answer::kYes : Answer::kNo);
      ASSERT_EQ(solvable, feasible);
      (feasible ? seven : not_seven) += 1;
    }
    const Answer mfcq = has_mfcq(problem), uncoupled = has_uncoupled_normals(problem);
    const bool rows =
        StickingSet(problem, FrictionKind::kUnlimited, std::vector<char>(problem.contacts.size(), 0))
                .J()
                .rows() == 0 ||
        Eigen::FullPivLU<MatrixXd>(
            StickingSet(problem, FrictionKind::kUnlimited, std::vector<char>(problem.contacts.size(), 0)).J())
                .rank() ==
            StickingSet(problem, FrictionKind::kUnlimited, std::vector<char>(problem.contacts.size(), 0))
                .J()
                .rows();
    if (mfcq == Answer::kYes && uncoupled == Answer::kYes && rows &&
        has_no_free_motion(problem) == Answer::kYes) {
      EXPECT_TRUE(solvable);
      ++eight;
    }
    if (mfcq == Answer::kYes && uncoupled == Answer::kYes && rows && has_definite_mass(problem)) {
      EXPECT_TRUE(solvable);
      ++corollary;
    }
    if (!has_assumption_1(problem)) continue;
    const NormalLcp normal_lcp = make_normal_lcp(problem);
    ASSERT_TRUE(normal_lcp.exists);
    const VectorXd values = Eigen::SelfAdjointEigenSolver<MatrixXd>(normal_lcp.lcp.M).eigenvalues();
    if (values[0] > 1e-8 * values[values.size() - 1]) {
      EnumerateOptions options;
      EXPECT_EQ(enumerate_all(normal_lcp.lcp, options).size(), 1u);
      ++six_i;
    }
    if (has_copositive_load(normal_lcp) == Answer::kYes) {
      EXPECT_TRUE(solvable);
      ++six_iv;
    }
  }
  EXPECT_GE(fewest(), kManyProblems);
}

// Opening allowed: contacts that open carry nothing, the others stick; against closed verdicts and witnesses.
TEST(Propositions, NineSticksWithContactsThatOpen) {
  Random random(15);
  int opened = 0, yes = 0, no = 0;
  for (int k = 0; k < 2 * kManyProblems; ++k) {
    RandomProblemOptions options;
    options.tangents = 1 + random.below(2);
    options.coordinates = 6;
    options.frictionless = 0.6;
    AccelerationProblem problem = test::make_random_problem(random, options);
    if (random.chance(0.3)) problem.F *= -1.0;
    const StickingAnswer closed = StickingSet(problem, FrictionKind::kCones).decide();
    const OpeningAnswer opening = decide_opening(problem, closed);
    if (closed.answer == Answer::kYes) {
      ASSERT_EQ(opening.answer, Answer::kYes);
    }
    if (opening.answer == Answer::kYes) {
      ++yes;
      EXPECT_LT(test::check_sticking(problem, opening.sticking, opening.is_closed), 1e-6) << k;
      for (std::size_t i = 0; i < problem.contacts.size(); ++i)
        if (!opening.is_closed[i]) {
          ++opened;
          EXPECT_GT(
              problem.contacts[i].normal.dot(opening.sticking.acceleration) + problem.contacts[i].normal_bias,
              0.0);
        }
    } else if (opening.answer == Answer::kNo) {
      ++no;
    }
  }
  EXPECT_GT(opened, 10);
  EXPECT_GT(yes, kManyProblems / 10);
  EXPECT_GT(no, kManyProblems / 10);
}

// Prop. 9 (ii), 10: forces that are unique, against their cones; the facet objective is zero iff it sticks.
TEST(Propositions, TenFacetObjectiveIsZeroIffItSticks) {
  Random random(16);
  int asked = 0, yes = 0;
  for (int k = 0; asked < kManyProblems && k < 10 * kManyProblems; ++k) {
    RandomProblemOptions options;
    options.tangents = 2;
    options.coordinates = 7;
    options.contacts = 2;
    const AccelerationProblem problem = test::make_random_problem(random, options);
    if (!has_independent_rows(problem)) continue;
    const StickingAnswer exact = StickingSet(problem, FrictionKind::kCones).decide();
    const GaussAcceleration gauss = find_gauss_acceleration(problem);
    if (exact.answer == Answer::kUndecided ||
        std::count(gauss.is_closed.begin(), gauss.is_closed.end(), 0) > 0)
      continue;
    ++asked;
    const FacetVerdict inside = decide_facets(problem, 8, true), outside = decide_facets(problem, 8, false);
    SCOPED_TRACE(k);
    for (const FacetVerdict& facet : {inside, outside}) {
      if (std::isnan(facet.objective) || facet.answer == Answer::kUndecided) continue;
      ASSERT_EQ(facet.objective < 1e-12 * problem.F.squaredNorm(), facet.answer == Answer::kYes)
          << facet.objective;
    }
    if (inside.answer == Answer::kYes) {
      EXPECT_EQ(exact.answer, Answer::kYes);
    }
    if (outside.answer == Answer::kNo) {
      EXPECT_EQ(exact.answer, Answer::kNo);
    }
    yes += exact.answer == Answer::kYes ? 1 : 0;
  }
  EXPECT_GT(yes, asked / 20);
}

// Case F: 8-gon, 22.5 degrees, |F| = .95 mu m g: the exact cone sticks, the facet objective is 8.2075e-3.
TEST(Propositions, FacetObjectiveOfCaseF) {
  AccelerationProblem problem;
  problem.M = Eigen::Matrix3d::Identity();
  problem.F = Eigen::Vector3d(4.305047651619468, 1.783209123963227, 9.81);
  MatrixXd tangent(2, 3);
  tangent << 1, 0, 0, 0, 1, 0;
  problem.contacts.push_back(test::make_contact(Eigen::Vector3d(0, 0, 1), tangent, 0.5));
  const FacetVerdict facet = decide_facets(problem, 8, true);
  EXPECT_EQ(facet.answer, Answer::kNo);
  EXPECT_NEAR(facet.objective, 0.008207481615339119, 1e-10);
  EXPECT_EQ(StickingSet(problem, FrictionKind::kCones).decide().answer, Answer::kYes);
}

// Prop. 12: (64) is sufficient for a positive definite matrix, and not necessary.
TEST(Propositions, TwelveIsSufficient) {
  Random random(17);
  int applies = 0, not_needed = 0;
  for (int k = 0; applies < kManyProblems && k < 100 * kManyProblems; ++k) {
    RandomProblemOptions options;
    options.bilateral = 0.3;
    options.coordinates = 8;
    options.contacts = 3;
    options.frictionless = 0.5;
    AccelerationProblem problem = test::make_random_problem(random, options);
    if (!has_independent_rows(problem)) continue;
    // weaker couplings, so that (64) has a chance
    if (random.chance(0.7))
      for (AccelerationContact& contact : problem.contacts)
        if (contact.is_unilateral())
          contact.normal = 0.2 * contact.normal +
                           VectorXd::Unit(problem.size(), random.below(static_cast<int>(problem.size())));
    const CouplingBound bound = compute_coupling_bound(problem);
    if (std::isnan(bound.left) || std::isnan(bound.least_eigenvalue)) continue;
    if (bound.left < bound.right) {
      ++applies;
      EXPECT_GT(bound.least_eigenvalue, 0.0);
    } else {
      not_needed += bound.least_eigenvalue > 1e-6 ? 1 : 0;
    }
  }
  EXPECT_EQ(applies, kManyProblems);
  EXPECT_GT(not_needed, kManyProblems / 10);
}

// Prop. 13 with sliding contacts: a block on a sliding plate, case F, and random plates.
TEST(Propositions, ThirteenBlockOnASlidingPlate) {
  Random random(18);
  for (int k = 0; k < kManyProblems; ++k) {
    const double m1 = random.uniform(0.2, 3.0), m2 = random.uniform(0.2, 3.0), st = random.uniform(0.05, 1.0),
                 sl = random.uniform(0.05, 1.0), F = random.uniform(0.0, 40.0), g = 9.81;
    AccelerationProblem problem;  // x1, y1 of the block, x2, y2 of the plate; F pulls the plate along +x
    problem.M = Eigen::Vector4d(m1, m1, m2, m2).asDiagonal();
    problem.F = Eigen::Vector4d(0.0, m1 * g, -F, m2 * g);
    problem.contacts.push_back(
        test::make_contact(Eigen::Vector4d(0, 1, 0, -1), Eigen::RowVector4d(1, 0, -1, 0), st));
    AccelerationContact slide =
        test::make_contact(Eigen::Vector4d(0, 0, 0, 1), Eigen::RowVector4d(0, 0, 1, 0), sl);
    slide.motion = ContactMotion::kSlide;
    slide.slip = VectorXd::Ones(1);
    problem.contacts.push_back(slide);
    const double a = (F - sl * (m1 + m2) * g) / (m1 + m2);
    if (std::abs(std::abs(a) - st * g) < 1e-6) continue;
    const StickingAnswer answer = StickingSet(problem, FrictionKind::kCones).decide();
    ASSERT_EQ(answer.answer, std::abs(a) < st * g ? Answer::kYes : Answer::kNo) << k;
    if (answer.answer == Answer::kYes) {
      EXPECT_NEAR(answer.acceleration[0], a, 1e-8);
      EXPECT_NEAR(answer.forces[0][1], m1 * a, 1e-7);
    }
  }
}

}  // namespace
}  // namespace rigor
