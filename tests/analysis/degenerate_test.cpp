// sticking.cpp, analyse.cpp, opening.cpp, synthesis.cpp on what is singular, redundant, contradictory or
// badly scaled: no crash, no NaN, and a witness for every yes and every no.
#include <gmock/gmock.h>

#include "rigor/analysis/analyse.hpp"
#include "rigor/analysis/synthesis.hpp"
#include "rigor/base/require.hpp"
#include "tests/analysis/random_problems.hpp"
#include "tests/analysis/witness.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::HasSubstr;

VectorXd small_integers(Random& random, Eigen::Index n) {
  VectorXd v(n);
  for (Eigen::Index i = 0; i < n; ++i) v[i] = random.chance(0.4) ? 0.0 : random.below(5) - 2;
  return v;
}

// Small integers, zero and repeated rows, no mass, mu from nothing to a million, units from 1e-8 to 1e8.
AccelerationProblem make_degenerate(Random& random) {
  const double powers[] = {1e-8, 1e-4, 1.0, 1.0, 1.0, 1e4, 1e8};
  const auto power = [&] { return powers[random.below(7)]; };
  AccelerationProblem problem;
  const Eigen::Index n = 1 + random.below(4);
  MatrixXd L = MatrixXd::Zero(n, random.below(static_cast<int>(n) + 1));
  for (Eigen::Index j = 0; j < L.cols(); ++j) L.col(j) = small_integers(random, n);
  problem.M = power() * L * L.transpose();
  problem.F = power() * small_integers(random, n);
  const double length = power();
  const int count = random.below(5);
  for (int i = 0; i < count; ++i) {
    AccelerationContact contact;
    if (i > 0 && random.chance(0.3)) {
      contact = problem.contacts[static_cast<std::size_t>(random.below(i))];
    } else {
      const Eigen::Index k = random.below(3);
      contact.normal = length * small_integers(random, n);
      contact.tangent.resize(k, n);
      for (Eigen::Index t = 0; t < k; ++t)
        contact.tangent.row(t) = length * small_integers(random, n).transpose();
      const double coefficients[] = {0.0, 0.1, 0.5, 1.0, 3.0, 1e6};
      contact.mu = coefficients[random.below(6)];
      contact.side = random.chance(0.3) ? ContactSide::kBilateral : ContactSide::kUnilateral;
      if (k > 0 && random.chance(0.15)) {
        contact.motion = ContactMotion::kSlide;
        contact.slip = test::random_vector(random, k).normalized();
      }
    }
    contact.normal_bias = random.chance(0.2) ? length * (random.below(5) - 2) : 0.0;
    contact.tangent_bias = VectorXd::Zero(contact.tangents());
    if (random.chance(0.1)) contact.tangent_bias = length * small_integers(random, contact.tangents());
    contact.name = "c" + std::to_string(i + 1);
    problem.contacts.push_back(contact);
  }
  return problem;
}

bool is_finite(const StickingAnswer& answer) {
  if (!answer.acceleration.allFinite()) return false;
  for (const VectorXd& force : answer.forces)
    if (!force.allFinite()) return false;
  return answer.verdict.motion.allFinite();
}

TEST(Degenerate, EveryVerdictHasAWitnessThatHolds) {
  Random random(41);
  int ends[3] = {0, 0, 0}, openings[3] = {0, 0, 0};
  const int count = kSanitized ? 800 : 20000;
  for (int k = 0; k < count; ++k) {
    const AccelerationProblem problem = make_degenerate(random);
    ASSERT_NO_THROW(problem.validate());
    SCOPED_TRACE(k);
    const StickingAnswer closed = decide_checked(problem);
    ++ends[static_cast<int>(closed.answer)];
    ASSERT_TRUE(is_finite(closed));
    if (closed.answer == Answer::kYes) {
      EXPECT_LT(test::check_sticking(problem, closed), 1e-7);
    } else if (closed.answer == Answer::kNo) {
      EXPECT_TRUE(is_refused(problem, closed));
    }
    const OpeningAnswer opening = decide_opening(problem, closed);
    ++openings[static_cast<int>(opening.answer)];
    ASSERT_TRUE(is_finite(opening.sticking));
  }
  RecordProperty("yes", ends[1]);
  RecordProperty("no", ends[0]);
  RecordProperty("undecided", ends[2]);
  EXPECT_GT(ends[0], count / 10);
  EXPECT_GT(ends[1], count / 10);
  // 79 of 20 000; of the few that a sanitized build asks, three standard deviations more may be
  EXPECT_LE(ends[2], count / 200 + (kSanitized ? 6 : 0));
  // mostly contacts that slide where the contact LCP does not exist: the note says so
  EXPECT_LE(openings[2], count / 10);
}

// The whole report, and forces for an actuator: numbers or infinities, never NaN where a verdict stands.
TEST(Degenerate, WholeReportsAreNumbers) {
  Random random(42);
  for (int k = 0; k < (kSanitized ? 100 : 1500); ++k) {
    AccelerationProblem problem = make_degenerate(random);
    SCOPED_TRACE(k);
    Analysis analysis;
    ASSERT_NO_THROW(analysis = analyse(problem));
    if (analysis.opening.answer == Answer::kYes) {
      EXPECT_LT(test::check_sticking(problem, analysis.opening.sticking, analysis.opening.is_closed), 1e-6);
      for (const ContactAnalysis& contact : analysis.contacts) EXPECT_TRUE(contact.force.allFinite());
    }
    if (analysis.mu_min && analysis.mu_min->exists == Answer::kYes) {
      EXPECT_TRUE(std::isfinite(analysis.mu_min->mu));
    }
    problem.actuators.push_back({"push", small_integers(random, problem.size()), -1.0, 1e3, 2.0});
    Synthesis synthesis;
    ASSERT_NO_THROW(synthesis = find_least_change(problem));
    if (synthesis.answer == Answer::kYes) {
      EXPECT_TRUE(synthesis.change.allFinite());
      EXPECT_LT(synthesis.violation, 1e-6);
    }
    for (const Synthesis::Proof& proof : synthesis.proofs)
      EXPECT_TRUE(check_synthesis(problem, proof.motion, proof.signs).holds);
  }
}

// A mistake names the matrix and the size that it should have.
TEST(Degenerate, WrongShapesAndNumbersAreNamed) {
  const auto message_of = [](const AccelerationProblem& problem) -> std::string {
    try {
      problem.validate();
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  const AccelerationProblem good = test::make_block(1.0, 1.0, 0.5, 0.0, 9.81, 0.5, 0.5);
  EXPECT_EQ(message_of(good), "");
  AccelerationProblem bad = good;
  bad.M.resize(2, 3);
  EXPECT_THAT(message_of(bad), HasSubstr("M is 2 x 3, must be 3 x 3 as F has 3 entries"));
  bad = good;
  bad.M(1, 1) = std::nan("");
  EXPECT_THAT(message_of(bad), HasSubstr("M[1][1] = nan, must be finite"));
  bad = good;
  bad.F[2] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(message_of(bad), HasSubstr("F[2] = inf, must be finite"));
  bad = good;
  bad.contacts[1].normal.resize(2);
  EXPECT_THAT(message_of(bad), HasSubstr("contacts[1].normal has 2 entries, must have 3 as F"));
  bad = good;
  bad.contacts[0].tangent_bias.resize(2);
  EXPECT_THAT(message_of(bad), HasSubstr("contacts[0].tangent_bias has 2 entries, must have 1"));
  bad = good;
  bad.contacts[0].mu = -0.1;
  EXPECT_THAT(message_of(bad), HasSubstr("contacts[0].mu = -0.1, must be finite and ≥ 0"));
  bad = good;
  bad.contacts[0].normal_max = -1.0;
  EXPECT_THAT(message_of(bad), HasSubstr("contacts[0].normal_max = -1, must be ≥ normal_min = 0"));
  bad = good;
  bad.actuators.push_back({"push", Eigen::Vector2d(1.0, 0.0)});
  EXPECT_THAT(message_of(bad), HasSubstr("actuators[0].force has 2 entries, must have 3 as F"));
  bad.actuators[0] = {"push", Eigen::Vector3d(1.0, 0.0, 0.0), 2.0, 1.0};
  EXPECT_THAT(message_of(bad), HasSubstr("actuators[0].min = 2, must be ≤ max = 1"));
  bad.actuators[0] = {"push", Eigen::Vector3d(1.0, 0.0, 0.0), 0.0, 1.0, 0.0};
  EXPECT_THAT(message_of(bad), HasSubstr("actuators[0].weight = 0, must be finite and > 0"));
}

}  // namespace
}  // namespace rigor
