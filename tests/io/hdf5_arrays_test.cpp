// HDF5 files that lead elsewhere, claim what they have not, or break libhdf5: each is refused in one sentence, fast.
#include "rigor/io/hdf5_arrays.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#ifdef RIGOR_HAVE_HDF5
#include <hdf5.h>
#include <sys/stat.h>

#include <functional>

#include "rigor/io/fclib.hpp"
#include "rigor/math/random.hpp"
#include "rigor/solvers/trials/generate_cone.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/sanitized.hpp"

namespace rigor {
namespace {

using test::message_of;
using testing::HasSubstr;
using testing_support::TemporaryFolder;

class Hdf5Arrays_ : public testing::Test {
 protected:
  // A file made by libhdf5 itself, and what is said of its dataset /a.
  std::string said_of(const std::function<void(hid_t)>& make) const {
    const std::filesystem::path path = folder_.path() / "x.h5";
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    make(file);
    H5Fclose(file);
    const std::string said = message_of([&] { (void)read_hdf5_arrays(path, {"/a"}); });
    return said.starts_with(path.string() + ": ") ? said.substr(path.string().size() + 2) : said;
  }
  // A dataset of so many doubles, created with these properties and not written.
  static void put(hid_t file, hsize_t count, hid_t properties, const char* name = "a") {
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    H5Dclose(H5Dcreate2(file, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(properties);
  }
  static hid_t properties() { return H5Pcreate(H5P_DATASET_CREATE); }

  TemporaryFolder folder_;
};

TEST_F(Hdf5Arrays_, NumbersOfAllKindsComeAsDoubles) {
  const auto write = [](hid_t file, const char* name, hid_t type, hid_t memory, hsize_t count,
                        const void* data) {
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Sclose(space);
  };
  const double reals[] = {0.1, -1e300};
  const int integers[] = {7, -2, 2'000'000'000};
  const std::filesystem::path path = folder_.path() / "a.h5";
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  write(file, "r", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, reals);
  H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  write(file, "g/i", H5T_STD_I32BE, H5T_NATIVE_INT, 3, integers);
  H5Fclose(file);
  const Hdf5Arrays arrays = read_hdf5_arrays(path, {"/r", "/g/i", "/g/none", "/none/at/all"});
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays.at("/r"), Eigen::Vector2d(0.1, -1e300));
  EXPECT_EQ(arrays.at("/g/i"), Eigen::Vector3d(7, -2, 2e9));
}

// A problem file that names another file must not show what is in it.
TEST_F(Hdf5Arrays_, WhatLiesInAnotherFileIsRefused) {
  folder_.write("secret", std::string(80, 's'));
  const std::string secret = (folder_.path() / "secret").string();
  EXPECT_EQ(said_of([&](hid_t file) {
              const hid_t external = properties();
              H5Pset_external(external, secret.c_str(), 0, 80);
              put(file, 10, external);
            }),
            "/a lies in another file, must lie in the file itself.");
  const std::string other = (folder_.path() / "other.h5").string();
  const hid_t victim = H5Fcreate(other.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  put(victim, 10, properties());
  H5Fclose(victim);
  EXPECT_EQ(said_of([&](hid_t file) {
              H5Lcreate_external(other.c_str(), "/a", file, "a", H5P_DEFAULT, H5P_DEFAULT);
            }),
            "/a is a link, must be a part of the file itself. Copy the data into it.");
  EXPECT_THAT(said_of([&](hid_t file) { H5Lcreate_soft("/b", file, "a", H5P_DEFAULT, H5P_DEFAULT); }),
              HasSubstr("/a is a link"));
  EXPECT_EQ(said_of([&](hid_t file) {
              const hsize_t count = 10;
              const hid_t space = H5Screate_simple(1, &count, nullptr), virtual_set = properties();
              H5Pset_virtual(virtual_set, space, other.c_str(), "/a", space);
              put(file, count, virtual_set);
              H5Sclose(space);
            }),
            "/a is a virtual dataset, must lie in the file itself.");
}

TEST_F(Hdf5Arrays_, APipeInTheNameOfStorageIsNotWaitedFor) {
  const std::string pipe = (folder_.path() / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(said_of([&](hid_t file) {
                const hid_t external = properties();
                H5Pset_external(external, pipe.c_str(), 0, 80);
                put(file, 10, external);
              }),
              HasSubstr("lies in another file"));
  EXPECT_EQ(message_of([&] { (void)read_hdf5_arrays(pipe, {"/a"}); }),
            pipe + ": is not a regular file. Give the path of a file.");
  EXPECT_THAT(message_of([&] { (void)read_hdf5_arrays("/dev/zero", {"/a"}); }),
              HasSubstr("is not a regular file."));
}

// Nine kilobytes that claim a gigabyte: never written, or written as one chunk of zeros that is compressed.
TEST_F(Hdf5Arrays_, SizesThatTheFileHasNoRoomForAreRefused) {
  EXPECT_EQ(said_of([](hid_t file) { put(file, 100'000'000, properties()); }),
            "/a has 100000000 entries of 8 bytes, the file has room for 0 bytes of them.");
  EXPECT_EQ(said_of([](hid_t file) { put(file, hsize_t{1} << 40, properties()); }),
            "/a has 1099511627776 entries, must have at most 134217728.");
  EXPECT_THAT(said_of([](hid_t file) {
                const hid_t packed = properties();
                const hsize_t chunk = 1 << 20;
                H5Pset_chunk(packed, 1, &chunk);
                H5Pset_deflate(packed, 9);
                H5Pset_alloc_time(packed, H5D_ALLOC_TIME_EARLY);
                put(file, chunk, packed);
              }),
              HasSubstr("/a has 1048576 entries of 8 bytes, the file has room for"));
}

// Bytes of a sound file changed at random: an answer or a sentence, never the end of this process.
TEST_F(Hdf5Arrays_, NoDamageEndsTheProcess) {
  ConeClusterOptions options;
  options.contacts = 2;
  write_fclib(make_cone_cluster(options, 4), {"t", "d"}, {}, folder_.path() / "good.hdf5");
  const std::string good = testing_support::read_file(folder_.path() / "good.hdf5");
  Random random(5);
  int refused = 0;
  for (int i = 0; i < (kSanitized ? 20 : 200); ++i) {
    std::string bad = good;
    for (int k = 0; k < 8; ++k)
      bad[static_cast<std::size_t>(random.below(static_cast<int>(bad.size())))] =
          static_cast<char>(random.below(256));
    folder_.write("bad.hdf5", bad);
    refused += message_of([&] { (void)read_fclib(folder_.path() / "bad.hdf5"); }).empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 1);
}

TEST_F(Hdf5Arrays_, AnImageIsAWholeFile) {
  const std::string image = make_hdf5_image([](std::int64_t file) {
    put(file, 0, properties(), "empty");
    return true;
  });
  EXPECT_EQ(image.substr(1, 3), "HDF");
  folder_.write("image.h5", image);
  EXPECT_EQ(read_hdf5_arrays(folder_.path() / "image.h5", {"/empty"}).at("/empty").size(), 0);
  EXPECT_EQ(make_hdf5_image([](std::int64_t) { return false; }), "");
}

}  // namespace
}  // namespace rigor
#endif
