// A build without npm's packages and without HDF5: page.cpp, run_output.cpp, export.cpp and fclib.cpp
// compiled that way. One sentence says what is missing, before any work is done.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rigor/io/fclib.hpp"
#include "tools/rigor/commands.hpp"
#include "tools/rigor/page.hpp"
#include "tools/rigor/run_output.hpp"

namespace rigor {
namespace {

template <class Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

constexpr const char* kNoPage =
    "this program was built without the replay page: node and npm, or npm's packages, were missing. Install "
    "them (Debian: npm), then configure and build again.";

TEST(BareBuild, APageIsRefusedBeforeTheRun) {
  EXPECT_TRUE(page_template().empty());
  EXPECT_EQ(message_of([] { RunOutput::check({.path = "run.html"}); }), kNoPage);
  EXPECT_EQ(message_of([] { (void)run_export("none.rec", {}, "run.html", false); }), kNoPage);
  RunOutput::check({.path = "run.rec"});  // a recording needs no page
}

TEST(BareBuild, Hdf5IsRefusedBeforeTheRecordingIsRead) {
  EXPECT_EQ(message_of([] { (void)run_export("none.rec", {}, "run.h5", false); }),
            "this program was built without HDF5 (Debian: libhdf5-dev). Export to .npz, or build it again.");
  EXPECT_FALSE(has_fclib());
  EXPECT_THAT(message_of([] { (void)read_fclib("a.hdf5"); }),
              testing::HasSubstr("a.hdf5: this program was built without HDF5"));
}

}  // namespace
}  // namespace rigor
