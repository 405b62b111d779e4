#include "rigor/base/require.hpp"

#include <gtest/gtest.h>

namespace rigor {
namespace {

TEST(Require, IsSilentWhenTheConditionHolds) {
  EXPECT_NO_THROW(require(true, "never seen"));
}

TEST(Require, ThrowsTheFormattedMessage) {
  try {
    require(false, "step: h = {} s, must be > {}.", -0.5, 0);
    FAIL() << "nothing was thrown";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "step: h = -0.5 s, must be > 0.");
  }
}

}  // namespace
}  // namespace rigor
