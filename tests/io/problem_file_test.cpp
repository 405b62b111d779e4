#include "rigor/io/problem_file.hpp"

#include <gtest/gtest.h>

#include "rigor/base/require.hpp"
#include "rigor/io/problem_text.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "rigor/solvers/trials/generate_lcp.hpp"

namespace rigor {
namespace {

TEST(ProblemFile, KnowsItsFormatsApart) {
  // n = 1 is the hard case: both text formats begin with ones and zeros
  for (const int n : {1, 2, 5}) {
    const LcpProblem lcp = make_random_lcp(LcpClass::kP, n, 2);
    const MlcpProblem mixed = embed_in_mlcp(lcp, n, 1);
    for (const char* name : {"p.dat", "p.json"}) {
      EXPECT_EQ(std::get<LcpProblem>(parse_problem(to_file_text(lcp, name), name)).M, lcp.M);
      EXPECT_EQ(std::get<MlcpProblem>(parse_problem(to_file_text(mixed, name), name)).free_count, n);
    }
  }
  EXPECT_EQ(
      std::get<LcpProblem>(parse_problem("1\n1\n1\n1\n1\n1\n1\n1\n1\n2\n1\n0 1\n0\n7\n-1\n", "p")).M(0, 0),
      7.0);
  EXPECT_EQ(std::get<MlcpProblem>(parse_problem("0 1 1 1  2  3  4  5  6 7", "p")).q, Eigen::Vector2d(6, 7));
}

TEST(ProblemFile, SaysWhatTheTextFormatCannotHold) {
  try {
    (void)to_file_text(make_cannonball(2, 0.5), "pile.dat");
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(),
                 "pile.dat: the text format has no place for a contact-lcp. Write a .json file.");
  }
}

TEST(ProblemFile, NamesAFileThatIsNotThere) {
  EXPECT_THROW((void)read_problem("no/such/file.json"), InvalidInput);
}

}  // namespace
}  // namespace rigor
