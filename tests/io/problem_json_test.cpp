#include "rigor/io/problem_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rigor/base/require.hpp"
#include "rigor/math/limits.hpp"
#include "rigor/solvers/trials/generate_contacts.hpp"
#include "rigor/solvers/trials/generate_lcp.hpp"
#include "tests/support/message_of.hpp"

namespace rigor {
namespace {

std::string document_error(const std::string& text) {
  return test::message_of([&] { (void)parse_problem_json(text, "p.json"); });
}

// a document of that kind with these members
std::string document(const std::string& kind, const std::string& members) {
  return R"({"rigor_problem": 1, "kind": ")" + kind + "\",\n" + members + "}";
}

TEST(ProblemJson, ReadsAnLcpDenseAndSparse) {
  const Problem dense = parse_problem_json(document("lcp", R"("M": [[1, 2], [3, 4]], "q": [-1, -2], // by hand
                         "comment": "any")"),
                                           "p.json");
  EXPECT_EQ(std::get<LcpProblem>(dense).M, (Eigen::Matrix2d() << 1, 2, 3, 4).finished());
  EXPECT_EQ(std::get<LcpProblem>(dense).q, Eigen::Vector2d(-1, -2));
  const Problem sparse = parse_problem_json(
      document("lcp",
               R"("M": {"rows": 2, "columns": 2, "row": [0, 1, 1], "column": [0, 1, 1], "value": [1, 3, 4]},
                         "q": [-1, -2])"),
      "p.json");
  const SparseLcpProblem& problem = std::get<SparseLcpProblem>(sparse);
  EXPECT_EQ(Eigen::MatrixXd(problem.M), (Eigen::Matrix2d() << 1, 0, 0, 7).finished());  // entries add up
}

TEST(ProblemJson, ReadsBoundsThatScaleWithAnotherVariable) {
  const Problem problem = parse_problem_json(
      document("boxed-lcp", R"("M": [[1, 0], [0, 1]], "q": [-2, 1], "lo": [0, -0.5], "hi": [null, 0.5],
                               "scaled_by": [null, 0])"),
      "p.json");
  const BoxedLcpProblem& box = std::get<BoxedLcpProblem>(problem);
  EXPECT_EQ(box.hi[0], kInfinity);
  EXPECT_EQ(box.scaled_by, (std::vector<int>{-1, 0}));
}

TEST(ProblemJson, GivesBackTheSameBytesForEveryKind) {
  const LcpProblem lcp = make_random_lcp(LcpClass::kBadlyScaled, 7, 3);
  BoxedLcpProblem box{Eigen::Matrix2d::Identity(),
                      Eigen::Vector2d(-2.0, 1e-300),
                      Eigen::Vector2d(0.0, -0.1),
                      Eigen::Vector2d(kInfinity, 0.1),
                      {-1, 0}};
  for (const Problem& problem :
       {Problem(lcp), Problem(SparseLcpProblem{lcp.M.sparseView(), lcp.q}), Problem(embed_in_mlcp(lcp, 3, 1)),
        Problem(box), Problem(make_cannonball(3, 0.3)), Problem(make_cannonball(3, 0.0)),
        Problem(make_box_stack(2, 8, 1)),
        Problem(ConeProblem{lcp.M.topLeftCorner(4, 4), lcp.q.head(4), {{0, 3, 0.5}, {3, 1, 0.0}}, true}),
        Problem(
            ConeProblem{lcp.M.topLeftCorner(4, 4),
                        lcp.q.head(4),
                        {{0, 2, 0.5}, {2, 1, 0.0, RowBounds::bilateral()}, {3, 1, 0.0, {-0.1, 1.0 / 3.0}}},
                        false})}) {
    SCOPED_TRACE(describe(problem));
    const std::string once = to_json(problem);
    const Problem again = parse_problem_json(once, "again");
    EXPECT_EQ(again.index(), problem.index());
    EXPECT_EQ(to_json(again), once);
  }
  EXPECT_EQ(std::get<LcpProblem>(parse_problem_json(to_json(lcp), "again")).M, lcp.M);
}

struct HostileProblem {
  const char* kind;
  const char* members;  // from line 2 on
  const char* message;
};

// A cone problem of 900 contacts that hardly touch each other has 7.3 million entries, nearly all zero: more values than a
// file may have. It is written sparse, and comes back.
TEST(ProblemJson, WritesLargeMatricesOfFewEntriesSparse) {
  constexpr int kContacts = 900;
  ConeProblem problem;
  problem.W.setIdentity(3 * kContacts, 3 * kContacts);
  problem.q.setConstant(3 * kContacts, -0.1);
  for (int i = 0; i < kContacts; ++i) {
    problem.blocks.push_back({3 * i, 3, 0.5});
    if (i > 0) problem.W(3 * i, 3 * i - 1) = problem.W(3 * i - 1, 3 * i) = 0.1 / i;
  }
  const std::string text = to_json(problem);
  const Problem back = parse_problem_json(text, "p.json");
  const SparseConeProblem& sparse = std::get<SparseConeProblem>(back);
  EXPECT_EQ(sparse.contacts(), kContacts);
  EXPECT_EQ(sparse.pattern.column.size(), 3 * kContacts - 2u);
  EXPECT_EQ(sparse.values[1](2, 0), 0.1);  // of contacts 0 and 1
  EXPECT_EQ(to_json(back), text);
  problem.associated = true;
  EXPECT_TRUE(std::get<ConeProblem>(parse_problem_json(to_json(problem), "p.json")).W == problem.W);
  problem.W.setConstant(0.5);
  EXPECT_THAT(document_error(to_json(problem)),
              testing::HasSubstr(": more than 5000000 values in one file. Write its matrices sparse "
                                 "(docs/guide/problems.md), or take FCLIB's HDF5."));
}

TEST(ProblemJson, RefusesBadSparseConeProblems) {
  const auto cone = [](const std::string& rest, const std::string& columns = "3") {
    return document("cone", R"("W": {"rows": 3, "columns": )" + columns +
                                R"(, "row": [0, 1, 2], "column": [0, 1, 2], "value": [1, 1, 1]}, )" + rest);
  };
  const std::string q = R"("q": [-1, 0, 0], )";
  EXPECT_TRUE(std::holds_alternative<SparseConeProblem>(
      parse_problem_json(cone(q + R"("sizes": [3], "mu": [0.5])"), "p.json")));
  EXPECT_TRUE(std::holds_alternative<SparseConeProblem>(
      parse_problem_json(cone(q + R"("sizes": [3], "mu": [0.5], "associated": false)"), "p.json")));
  EXPECT_TRUE(std::holds_alternative<ConeProblem>(
      parse_problem_json(cone(q + R"("sizes": [3], "mu": [0.5], "associated": true)"), "p.json")));
  for (const std::string& bad :
       {cone(q + R"("sizes": [3], "mu": [0.5])", "4"), cone(R"("q": [-1, 0], "sizes": [3], "mu": [0.5])"),
        cone(q + R"("sizes": [2], "mu": [0.5])"), cone(q + R"("sizes": [3], "mu": [0.5], "associated": 1)")})
    EXPECT_THAT(document_error(bad), testing::HasSubstr("must")) << bad;
  // what is read and makes no sense is refused where it is solved, as a dense problem is
  for (const std::string& bad :
       {cone(q + R"("sizes": [3], "mu": [-0.5])"), cone(q + R"("sizes": [3], "mu": [0.5], "upper": [2])")})
    EXPECT_THROW(std::get<SparseConeProblem>(parse_problem_json(bad, "p.json")).validate(), InvalidInput)
        << bad;
}

TEST(ProblemJson, RefusesBadFilesWithFileLineAndReason) {
  const HostileProblem cases[] = {
      {"lcp", R"("M": [[1]]})",
       "p.json:2:12: unexpected text after the end of the document. Remove it, or check the braces before "
       "it."},
      {"lcp", R"("M": [[1]])", "p.json:1:1: the key \"q\" is missing."},
      {"lcp", R"("q": [1])", "p.json:1:1: the key \"M\" is missing."},
      {"lcp", R"("M": [[1, 2], [3]], "q": [1, 2])",
       "p.json:2:15: M[1] = 1 number, must have 2, as the first row."},
      {"lcp", R"("M": [[1, 2]], "q": [1])", "p.json:2:6: M = 1 x 2, must be square."},
      {"lcp", R"("M": [[1]], "q": [1, 2])", "p.json:2:18: q = 2 numbers, must have 1."},
      {"lcp", R"("M": [[1]], "q": ["1"])", "p.json:2:19: q[0] = a string, must be a number."},
      {"lcp", R"("M": [[1]], "q": [null])", "p.json:2:19: q[0] = null, must be a number."},
      {"lcp", R"("M": [[1]], "q": 3)", "p.json:2:18: q = a number, must be a list."},
      {"lcp", R"("M": [[1]], "q": [1], "Q": [1])", "p.json:2:23: \"Q\": unknown key. Did you mean \"q\"?"},
      {"lcp", R"("M": {"rows": 1, "columns": 1, "row": [1], "column": [0], "value": [1]}, "q": [1])",
       "p.json:2:40: M.row[0] = 1, must be a whole number from 0 to 0."},
      {"lcp", R"("M": {"rows": 1e9, "columns": 1, "row": [], "column": [], "value": []}, "q": [1])",
       "p.json:2:15: M.rows = 1000000000, must be a whole number from 0 to 1000000."},
      {"lcp", R"("M": {"rows": 1, "columns": 1, "row": [0], "column": [0]}, "q": [1])",
       "p.json:2:6: M: the key \"value\" is missing. A sparse matrix has rows, columns, row, column and "
       "value."},
      {"lcp", R"("M": {"rows": 1, "columns": 1, "row": [0], "column": [0], "value": []}, "q": [1])",
       "p.json:2:6: M = 1 rows, 1 columns, 0 values, must be as many of each."},
      {"mlcp", R"("free": 2, "K": [[1]], "q": [1])",
       "p.json:2:9: free = 2, must be a whole number from 0 to 1."},
      {"mlcp", R"("free": 0.5, "K": [[1]], "q": [1])",
       "p.json:2:9: free = 0.5, must be a whole number from 0 to 1."},
      {"boxed-lcp", R"("M": [[1]], "q": [1], "lo": [2], "hi": [1])",
       "p.json:1:1: boxed LCP: bounds 0 = [2, 1], must be lo ≤ hi, lo < ∞, hi > −∞."},
      {"boxed-lcp", R"("M": [[1]], "q": [1], "lo": [0], "hi": [1], "scaled_by": [0])",
       "p.json:1:1: boxed LCP: scaled_by[0] = 0, must name another variable whose own bounds are not "
       "scaled."},
      {"boxed-lcp",
       R"("M": {"rows": 100000, "columns": 100000, "row": [], "column": [], "value": []}, "q": [], "lo": [], "hi": [])",
       "p.json:2:6: M = 100000 x 100000, must be 0 x 0, as q has entries."},
      {"contact-lcp",
       R"("directions": 3, "mass": [[1]], "N": [[1]], "D": [[1], [1], [1]], "b": [0], "mu": [1],
       "v_free": [0])",
       "p.json:1:1: contact LCP: directions = 3, must be even and ≥ 0."},
      {"contact-lcp", R"("directions": 0, "mass": [[-1]], "N": [[1]], "b": [0], "v_free": [0])",
       "p.json:1:1: contact LCP: mass has no Cholesky factor, must be positive definite."},
      {"contact-lcp", R"("directions": 2, "mass": [[1]], "N": [[1]], "D": [[1], [-1]], "b": [0], "mu": [-1],
       "v_free": [0])",
       "p.json:1:1: contact LCP: mu[0] = -1, must be finite and ≥ 0."},
      {"cone", R"("W": [[1, 0], [0, 1]], "q": [1, 2], "sizes": [3], "mu": [0.5])",
       "p.json:2:46: sizes = 3 rows in all, must be 2."},
      {"cone", R"("W": [[1, 0], [0, 1]], "q": [1, 2], "sizes": [4], "mu": [0.5])",
       "p.json:2:47: sizes[0] = 4, must be a whole number from 1 to 3."},
      {"cone", R"("W": [[1, 0], [0, 1]], "q": [1, 2], "sizes": [2], "mu": [-1])",
       "p.json:1:1: Cone problem: block 0 has mu = -1, must be finite and >= 0."},
      {"cone", R"("W": [[1, 0], [0, 1]], "q": [1, 2], "sizes": [2], "mu": [0.5], "lower": [null])",
       "p.json:1:1: Cone problem: block 0 has 2 rows and bounds -inf to inf, must have 0 to infinity: only "
       "single "
       "rows have others."},
      {"cone", R"("W": [[1]], "q": [1], "sizes": [1], "mu": [0], "lower": [2], "upper": [1])",
       "p.json:1:1: Cone problem: block 0 has bounds 2 to 1, must be an interval, lower <= upper."},
      {"cone", R"("W": [[1]], "q": [1], "sizes": [1], "mu": [0], "upper": [2, 3])",
       "p.json:2:57: upper = 2 numbers, must have 1."},
      {"lp", R"("M": [[1]])",
       "p.json:1:30: kind = \"lp\", must be one of lcp, mlcp, boxed-lcp, contact-lcp, cone."},
  };
  for (const HostileProblem& hostile : cases) {
    SCOPED_TRACE(hostile.members);
    EXPECT_EQ(document_error(document(hostile.kind, hostile.members)), hostile.message);
  }
  EXPECT_THAT(document_error("{\"rigor_problem\": 1, \"kind\": \"lcp\", \"M\": [[1e999]], \"q\": [1]}"),
              testing::HasSubstr("p.json:1:44: M[0][0]: "));
  EXPECT_THAT(document_error("{\"rigor_problem\": 1, \"kind\": \"lcp\", \"M\": [[NaN]], \"q\": [1]}"),
              testing::HasSubstr("p.json:1:44: M[0][0]: "));
  EXPECT_EQ(document_error("{\"rigor_problem\": 2}"),
            "p.json:1:19: rigor_problem = 2, must be a whole number from 1 to 1.");
  EXPECT_EQ(document_error("[1]"), "p.json:1:1: a list, must be an object.");
}

TEST(ProblemJson, RefusesEveryTruncation) {
  const std::string text = to_json(make_cannonball(2, 0.5));
  for (std::size_t size = 0; size + 2 < text.size(); ++size)
    EXPECT_NE(document_error(text.substr(0, size)), "") << size;
}

}  // namespace
}  // namespace rigor
