#include "rigor/base/tier_log.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace rigor {
namespace {

TEST(TierLog, NotesWhatRunsWhileItLivesAndNothingElse) {
  int steps = 0;
  const auto count = [&] { return steps; };
  const auto try_it = [&](int more, bool answers) {
    return [&steps, more, answers] {
      steps += more;
      return answers;
    };
  };
  EXPECT_EQ(get_tier_log(), nullptr);
  EXPECT_TRUE(run_tier("before", count, try_it(1, true)));
  TierLog log;
  {
    const TierLogScope scope(log);
    EXPECT_FALSE(run_tier("first", count, try_it(3, false)));
    TierLog inner;
    {
      const TierLogScope nested(inner);
      EXPECT_TRUE(run_tier("nested", count, try_it(5, true)));
    }
    EXPECT_TRUE(run_tier("second", count, try_it(0, true)));
    std::thread([] { EXPECT_EQ(get_tier_log(), nullptr); }).join();
    ASSERT_EQ(inner.tiers.size(), 1u);
  }
  EXPECT_FALSE(run_tier("after", count, try_it(1, false)));
  ASSERT_EQ(log.tiers.size(), 2u);
  EXPECT_EQ(log.tiers[0].name, "first");
  EXPECT_EQ(log.tiers[0].iterations, 3);
  EXPECT_FALSE(log.tiers[0].answered);
  EXPECT_GE(log.tiers[0].seconds, 0.0);
  EXPECT_EQ(log.tiers[1].name, "second");
  EXPECT_EQ(log.tiers[1].iterations, 0);
  EXPECT_TRUE(log.tiers[1].answered);
  EXPECT_EQ(steps, 10);
}

}  // namespace
}  // namespace rigor
