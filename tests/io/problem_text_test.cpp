#include "rigor/io/problem_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "rigor/base/require.hpp"
#include "rigor/solvers/lcp/lcp_solve.hpp"
#include "rigor/solvers/problems/check.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "rigor/solvers/trials/generate_lcp.hpp"
#include "tests/support/message_of.hpp"

namespace rigor {
namespace {

// where the shared problems lie: RIGOR_SHARED, or beside the tree
std::filesystem::path shared_problems() {
  if (const char* shared = std::getenv("RIGOR_SHARED")) return std::filesystem::path(shared) / "problems";
  return std::filesystem::path(RIGOR_SOURCE) / "../shared/problems";
}

std::string lcp_text_error(std::string_view text) {
  return test::message_of([&] { (void)parse_lcp(text, "p.dat"); });
}

TEST(ProblemText, ReadsColumnAfterColumnAndIgnoresWhatFollows) {
  const LcpProblem problem =
      parse_lcp("2\n0\n2\n2\n2\t2\n1 2\n3 4\n-1 -2\n\n# from Murty (1988) chapter 6\n", "p.dat");
  EXPECT_EQ(problem.M, (Eigen::MatrixXd(2, 2) << 1, 3, 2, 4).finished());
  EXPECT_EQ(problem.q, Eigen::Vector2d(-1, -2));
}

TEST(ProblemText, ReadsSparseBlocks) {
  // 3 x 3 of two block rows (1, 2): blocks (0,0) 1x1 and (1,1) 2x2
  const LcpProblem problem =
      parse_lcp("3\n1\n3\n3\n2\n2\n2\n1 3\n1 3\n3\n2\n0 1 2\n0 1\n7\n1 2 3 4\n-1 -2 -3\n", "p.dat");
  EXPECT_EQ(problem.M, (Eigen::MatrixXd(3, 3) << 7, 0, 0, 0, 1, 3, 0, 2, 4).finished());
}

TEST(ProblemText, GivesBackTheSameBits) {
  const LcpProblem lcp = make_random_lcp(LcpClass::kBadlyScaled, 9, 4);
  const LcpProblem again = parse_lcp(to_text(lcp), "again");
  EXPECT_EQ(again.M, lcp.M);
  EXPECT_EQ(again.q, lcp.q);
  const MlcpProblem mixed = make_mlcp(make_cannonball(2, 0.3));
  const MlcpProblem mixed_again = parse_mlcp(to_text(mixed), "again");
  EXPECT_EQ(mixed_again.free_count, mixed.free_count);
  EXPECT_EQ(Eigen::MatrixXd(mixed_again.K), Eigen::MatrixXd(mixed.K));
  EXPECT_EQ(mixed_again.q, mixed.q);
}

TEST(ProblemText, SaysFileLineAndReason) {
  EXPECT_EQ(lcp_text_error("2\n0\n2\n2\n2 2\n1 nan\n0 1\n-1 -1\n"),
            "p.dat:6:3: matrix entry = nan, must be finite.");
  EXPECT_EQ(lcp_text_error("2\n0\n2\n2\n2 2\n1 x\n0 1\n-1 -1\n"),
            "p.dat:6:3: matrix entry = \"x\", must be a number.");
  EXPECT_EQ(lcp_text_error("2\n0\n3\n2\n3 2\n1 1 1\n0 1 1\n-1 -1\n"),
            "p.dat:7:5: matrix = 3 x 2, must be 2 x 2.");
  EXPECT_EQ(lcp_text_error("2\n0\n2\n2\n2 2\n1 1\n0 1\n-1\n"),
            "p.dat:9:1: q[1]: is missing: the file ends here.");
  EXPECT_EQ(lcp_text_error("999999999\n"),
            "p.dat:1:1: size = 999999999, must be a whole number from 1 to 20000.");
  EXPECT_EQ(lcp_text_error("20000\n0\n20000\n20000\n20000 20000\n1 2 3\n"),
            "p.dat:5:7: matrix: 400000000 numbers must follow, the file is too short for them.");
  EXPECT_EQ(lcp_text_error("20000 1 20000 20000 0 1 1 20000 20000 2 0 0 0"),
            "p.dat:1:45: matrix = 20000 x 20000, must have at most 36000000 entries in sparse blocks.");
  EXPECT_EQ(lcp_text_error("5000 1 5000 5000 0 1 1 5000 5000 2 0 0 0"),
            "p.dat:1:40: q: 5000 numbers must follow, the file is too short for them.");
  EXPECT_EQ(lcp_text_error(""), "p.dat:1:1: size: is missing: the file ends here.");
  EXPECT_EQ(lcp_text_error("1\n0\n1\n1\n1 1\n1e999\n1\n"),
            "p.dat:6:1: matrix entry = \"1e999\", is out of range.");
}

// every truncation of a good file is refused or is still a good file (cut within the last number)
TEST(ProblemText, SurvivesEveryTruncation) {
  const std::string text = to_text(make_random_lcp(LcpClass::kP, 3, 1));
  for (std::size_t size = 0; size + 30 < text.size(); ++size)
    EXPECT_NE(lcp_text_error(text.substr(0, size)), "") << size;
}

TEST(SharedProblems, TextbookLcpsAreSolved) {
  const auto folder = shared_problems() / "lcp";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no " << folder << "; set RIGOR_SHARED";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename().string());
    const LcpProblem problem = read_lcp(entry.path());
    for (const LcpMethod& method : {LcpMethod(AutoOptions{}), LcpMethod(LemkeOptions{})}) {
      const LcpResult result = solve(problem, method);
      EXPECT_EQ(result.status, Status::kSolved) << result.note;
      EXPECT_LE(check_solution(problem, result.z), 1.0001e-10);
    }
    ++count;
  }
  EXPECT_EQ(count, 14);
}

TEST(SharedProblems, TextbookMlcpsAreSolved) {
  const auto folder = shared_problems() / "mlcp";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no " << folder << "; set RIGOR_SHARED";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().filename().string());
    const MlcpProblem problem = read_mlcp(entry.path());
    const LcpResult result = solve(problem, AutoOptions{});
    EXPECT_EQ(result.status, Status::kSolved) << result.note << ", residual " << result.residual;
    EXPECT_LE(check_solution(problem, result.z), 1.0001e-10);
    ++count;
  }
  EXPECT_EQ(count, 10);
}

}  // namespace
}  // namespace rigor
