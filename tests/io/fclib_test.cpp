#include "rigor/io/fclib.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "rigor/base/require.hpp"
#include "rigor/io/problem_file.hpp"
#include "rigor/solvers/cone/sparse_cone_solve.hpp"
#include "rigor/solvers/trials/generate_cone.hpp"
#include "tests/support/message_of.hpp"

#ifdef RIGOR_HAVE_HDF5
#include <hdf5.h>
#endif

namespace rigor {
namespace {

using test::message_of;

class Fclib : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("rigor_fclib_" + std::to_string(::getpid()) + "_" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  std::filesystem::path folder_;
};

#ifndef RIGOR_HAVE_HDF5

TEST_F(Fclib, WithoutHdf5OneSentenceSaysWhatIsMissing) {
  EXPECT_FALSE(has_fclib());
  EXPECT_EQ(message_of([] { (void)read_fclib("a.hdf5"); }),
            "a.hdf5: this program was built without HDF5 and cannot read or write FCLIB files. Install "
            "libhdf5-dev and "
            "build again.");
}

#else

TEST_F(Fclib, LocalProblemsComeBackToTheBit) {
  for (const int dimension : {2, 3}) {
    ConeClusterOptions options;
    options.contacts = 9;
    options.dimension = dimension;
    const SparseConeProblem before = make_sparse_cone(make_cone_cluster(options, 4));
    write_fclib(before, {"title", "what it is"}, {}, file("local.hdf5"));
    const Problem read = read_problem(file("local.hdf5"));
    const auto& after = std::get<SparseConeProblem>(read);
    EXPECT_EQ(before.pattern, after.pattern);
    EXPECT_EQ(before.sizes, after.sizes);
    EXPECT_EQ(before.q, after.q);
    EXPECT_EQ(before.mu, after.mu);
    for (std::size_t k = 0; k < before.values.size(); ++k)
      EXPECT_TRUE(std::equal(before.values[k].v, before.values[k].v + 12, after.values[k].v));
  }
}

TEST_F(Fclib, GlobalProblemsComeBackToTheBit) {
  GlobalConeProblem before;
  before.dimension = 2;
  before.M.resize(3, 3);
  before.M.setIdentity();
  before.M.coeffRef(0, 1) = 0.25;
  before.H.resize(3, 4);
  before.H.insert(0, 0) = 1.0 / 3.0;
  before.H.insert(2, 3) = -2.0;
  before.f = Eigen::Vector3d(1.0, -0.1, 7.0);
  before.w = Eigen::Vector4d(0.0, 1.0, 2.0, 0.3);
  before.mu = Eigen::Vector2d(0.0, 0.7);
  write_fclib(before, {}, {}, file("global.h5"));
  const Problem read = read_problem(file("global.h5"));
  const auto& after = std::get<GlobalConeProblem>(read);
  EXPECT_EQ(after.dimension, 2);
  EXPECT_EQ(Eigen::MatrixXd(before.M), Eigen::MatrixXd(after.M));
  EXPECT_EQ(Eigen::MatrixXd(before.H), Eigen::MatrixXd(after.H));
  EXPECT_EQ(before.f, after.f);
  EXPECT_EQ(before.w, after.w);
  EXPECT_EQ(before.mu, after.mu);
}

// A slider on two planar contacts, held by joints: bilateral rows come first here and last in the file.
ConeProblem make_held() {
  ConeProblem problem;
  Eigen::MatrixXd J(7, 9);
  for (Eigen::Index i = 0; i < J.size(); ++i) J.data()[i] = std::sin(1.0 + static_cast<double>(i * i));
  problem.W = J * J.transpose();
  problem.W.triangularView<Eigen::StrictlyUpper>() = problem.W.transpose();
  problem.q = J * Eigen::VectorXd::LinSpaced(9, -1.0, 0.7);
  problem.blocks = {{0, 1, 0.0, RowBounds::bilateral()},
                    {1, 2, 0.3},
                    {3, 1, 0.0, RowBounds::bilateral()},
                    {4, 2, 0.2},
                    {6, 1, 0.0, RowBounds::bilateral()}};
  return problem;
}

TEST_F(Fclib, BilateralRowsOfALocalProblemAreVAndRAndS) {
  const ConeProblem dense = make_held();
  const LcpResult answer = solve(Problem(dense), "auto", 1e-12);
  ASSERT_EQ(answer.status, Status::kSolved);
  write_fclib(dense, {"held", ""}, answer.z, file("held.hdf5"));
  const Problem read = read_problem(file("held.hdf5"));
  const auto& after = std::get<SparseConeProblem>(read);
  EXPECT_EQ(describe(read), "sparse cone problem, 2 contacts, 3 bilateral rows, 25 blocks of W");
  // contacts first, then the bilateral rows, every number as it was
  const int order[] = {1, 2, 4, 5, 0, 3, 6};
  const Eigen::VectorXd q = drop_unused_rows(after.sizes, after.q);
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(q[i], dense.q[order[i]]);
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(7), column;
    unit[i] = 1.0;
    SparseConeProblem linear = after;
    linear.q.setZero();
    compute_cone_velocity(linear, add_unused_rows(after.sizes, unit), column);
    column = drop_unused_rows(after.sizes, column).eval();
    for (int j = 0; j < 7; ++j) EXPECT_EQ(column[j], dense.W(order[j], order[i]));
  }
  const LcpResult again = solve(read, "auto", 1e-12);
  ASSERT_EQ(again.status, Status::kSolved);
  for (int i = 0; i < 7; ++i) EXPECT_NEAR(again.z[i], answer.z[order[i]], 1e-9);
  // once more through a file: nothing changes any more
  write_fclib(read, {"held", ""}, again.z, file("again.hdf5"));
  const Problem twice = read_problem(file("again.hdf5"));
  EXPECT_EQ(std::get<SparseConeProblem>(twice).q, after.q);
  EXPECT_EQ(std::get<SparseConeProblem>(twice).pattern, after.pattern);
}

TEST_F(Fclib, BilateralRowsOfAGlobalProblemAreGAndB) {
  GlobalConeProblem before;
  before.dimension = 2;
  before.M.resize(4, 4);
  before.M.setIdentity();
  before.H.resize(4, 2);
  before.H.insert(0, 0) = 1.0;
  before.H.insert(1, 1) = 1.0;
  before.H.insert(3, 0) = 0.5;
  before.G.resize(4, 2);
  before.G.insert(2, 0) = 1.0 / 3.0;
  before.G.insert(0, 1) = 1.0;
  before.G.insert(3, 1) = -1.0;
  before.f = Eigen::Vector4d(-1.0, 0.2, 0.4, 0.1);
  before.w = Eigen::Vector2d(0.0, 0.1);
  before.b = Eigen::Vector2d(0.1, -0.2);
  before.mu = Eigen::VectorXd::Constant(1, 0.5);
  const LcpResult answer = solve(Problem(before), "auto", 1e-12);
  ASSERT_EQ(answer.status, Status::kSolved);
  EXPECT_LT((before.G.transpose() * answer.v + before.b).norm(), 1e-12);
  EXPECT_LT(
      (before.M * answer.v - before.H * answer.z.head(2) - before.G * answer.z.tail(2) - before.f).norm(),
      1e-12);
  write_fclib(before, {}, answer.z, file("joined.hdf5"));
  const Problem read = read_problem(file("joined.hdf5"));
  const auto& after = std::get<GlobalConeProblem>(read);
  EXPECT_EQ(Eigen::MatrixXd(before.G), Eigen::MatrixXd(after.G));
  EXPECT_EQ(before.b, after.b);
  EXPECT_EQ(Eigen::MatrixXd(before.H), Eigen::MatrixXd(after.H));
}

TEST_F(Fclib, RefusesWhatTheFormatHasNoPlaceFor) {
  ConeProblem boxed = make_held();
  boxed.blocks[0].bounds = {-1.0, 1.0};
  EXPECT_THAT(
      message_of([&] { write_fclib(boxed, {}, {}, file("boxed.hdf5")); }),
      testing::HasSubstr(
          "boxed.hdf5: FCLIB has no place for boxed rows, which this problem has. Write a .json file."));
  ConeProblem skew = make_held();
  skew.W(0, 1) += 0.5;
  EXPECT_THAT(message_of([&] { write_fclib(skew, {}, {}, file("skew.hdf5")); }),
              testing::HasSubstr(
                  "skew.hdf5: the bilateral rows of W differ from its bilateral columns, must be the same"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

// Files made by hand: one dataset after the other.
class RawFile {
 public:
  explicit RawFile(const std::filesystem::path& path)
      : id_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~RawFile() { H5Fclose(id_); }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  void group(const char* name) { H5Gclose(H5Gcreate2(id_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }
  void put(const std::string& name, const std::vector<double>& values, bool is_integer = true) {
    const hsize_t count = values.size();
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t data = H5Dcreate2(id_, name.c_str(), is_integer ? H5T_STD_I32LE : H5T_IEEE_F64LE, space,
                                  H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
  }
  // two planar contacts, W in triplets
  void planar(const std::vector<double>& p, const std::vector<double>& i, const std::vector<double>& x,
              double rows) {
    group("/fclib_local");
    group("/fclib_local/W");
    group("/fclib_local/vectors");
    put("/fclib_local/spacedim", {2});
    put("/fclib_local/W/m", {rows});
    put("/fclib_local/W/n", {4});
    put("/fclib_local/W/nz", {static_cast<double>(x.size())});
    put("/fclib_local/W/p", p);
    put("/fclib_local/W/i", i);
    put("/fclib_local/W/x", x, false);
    put("/fclib_local/vectors/q", {-1.0, 0.5, -1.0, 0.0}, false);
    put("/fclib_local/vectors/mu", {0.5, 0.5}, false);
  }

 private:
  hid_t id_;
};

TEST_F(Fclib, InTripletsPIsTheColumnAndEntriesOfOnePlaceAddUp) {
  RawFile(file("t.hdf5")).planar({0, 1, 2, 3, 2, 2}, {0, 1, 2, 3, 0, 0}, {1.0, 1.0, 1.0, 1.0, 0.25, 0.25}, 4);
  const Problem problem = read_problem(file("t.hdf5"));
  const auto& cone = std::get<SparseConeProblem>(problem);
  // W(0, 2) = 0.5: row 0 of contact 0, column 0 of contact 1
  ASSERT_EQ(cone.pattern.column, (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(cone.values[1](0, 0), 0.5);
  EXPECT_EQ(cone.values[2](0, 0), 0.0);
  EXPECT_EQ(cone.sizes, (std::vector<int>{2, 2}));
}

TEST_F(Fclib, SaysWhatIsWrongWithAFile) {
  std::ofstream(file("none.hdf5")) << "not HDF5 at all";
  EXPECT_THAT(message_of([&] { (void)read_fclib(file("none.hdf5")); }),
              testing::HasSubstr("none.hdf5: cannot be opened as an HDF5 file; is it there, and whole?"));
  { RawFile(file("empty.hdf5")).group("/other"); }
  EXPECT_THAT(message_of([&] { (void)read_fclib(file("empty.hdf5")); }),
              testing::HasSubstr("has neither /fclib_local nor /fclib_global, must have one"));
  RawFile(file("rows.hdf5")).planar({0}, {0}, {1.0}, 2e8);
  EXPECT_THAT(
      message_of([&] { (void)read_fclib(file("rows.hdf5")); }),
      testing::HasSubstr("/fclib_local/W is 200000000 x 4, must be 4 x 4 by the length of the vectors."));
  {
    RawFile raw(file("alone.hdf5"));
    raw.planar({0, 1, 2, 3}, {0, 1, 2, 3}, {1.0, 1.0, 1.0, 1.0}, 4);
    raw.put("/fclib_local/vectors/s", {0.5}, false);
  }
  EXPECT_THAT(
      message_of([&] { (void)read_fclib(file("alone.hdf5")); }),
      testing::HasSubstr("alone.hdf5: /fclib_local/V is missing, must be there with the other data of its "
                         "equality constraints."));
  {
    RawFile raw(file("short.hdf5"));
    raw.planar({0, 1, 2, 3}, {0, 1, 2, 3}, {1.0, 1.0, 1.0, 1.0}, 4);
    raw.put("/fclib_local/vectors/s", {0.5}, false);
    for (const std::string name : {"V", "R"}) {
      raw.group(("/fclib_local/" + name).c_str());
      raw.put("/fclib_local/" + name + "/m", {3});
      raw.put("/fclib_local/" + name + "/n", {1});
      raw.put("/fclib_local/" + name + "/nz", {0});
      for (const char* part : {"/p", "/i", "/x"}) raw.put("/fclib_local/" + name + part, {});
    }
  }
  EXPECT_THAT(
      message_of([&] { (void)read_fclib(file("short.hdf5")); }),
      testing::HasSubstr("short.hdf5: /fclib_local/V is 3 x 1, must be 4 x 1 by the length of the vectors."));
  RawFile(file("index.hdf5")).planar({9}, {7}, {1.0}, 4);
  EXPECT_THAT(message_of([&] { (void)read_fclib(file("index.hdf5")); }),
              testing::HasSubstr("holds the index 9, must be a whole number from 0 to 3."));
  EXPECT_THAT(message_of([&] {
                write_fclib(LcpProblem{Eigen::MatrixXd::Identity(1, 1), Eigen::VectorXd::Ones(1)}, {}, {},
                            file("lcp.hdf5"));
              }),
              testing::HasSubstr("FCLIB files hold cone problems, this is a lcp. Write a .json file."));
  EXPECT_FALSE(std::filesystem::exists(file("lcp.hdf5")));
}

// Problems that nobody here wrote, where they lie beside the tree: all to twelve digits, judged on their own
// data.
TEST_F(Fclib, TheSharedProblemsAreSolvedToTwelveDigits) {
  const char* given = std::getenv("RIGOR_SHARED");
  const std::filesystem::path shared =
      (given ? std::filesystem::path(given) : std::filesystem::path(RIGOR_SOURCE) / "../shared") / "problems";
  if (!std::filesystem::is_directory(shared / "fc3d"))
    GTEST_SKIP() << "no " << shared << "; set RIGOR_SHARED";
  SparseConeWorkspace workspace;
  SparseConeResult result;
  int count = 0;
  for (const char* folder : {"fc3d", "gfc3d", "fc2d"})
    for (const auto& entry : std::filesystem::directory_iterator(shared / folder)) {
      const Problem problem = read_problem(entry.path());
      const auto* global = std::get_if<GlobalConeProblem>(&problem);
      const SparseConeProblem local =
          global ? GlobalConeReduction(*global).local() : std::get<SparseConeProblem>(problem);
      for (const double tolerance : {1e-4, 1e-8, 1e-12}) {
        solve_cone(local, {.tolerance = tolerance}, workspace, result);
        EXPECT_LE(relative_cone_residual(local, result.r), tolerance) << entry.path();
      }
      ++count;
    }
  EXPECT_EQ(count, 36);
}

#endif

}  // namespace
}  // namespace rigor
