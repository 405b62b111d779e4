#include "rigor/base/work.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "rigor/base/interruption.hpp"

namespace rigor {
namespace {

TEST(Work, EndsWhereTheMeterIsSpentAndNotBefore) {
  WorkMeter meter(10.0);
  const WorkScope scope(meter);
  int turns = 0;
  while (may_work(3.0)) ++turns;
  EXPECT_EQ(turns, 3);
  EXPECT_TRUE(meter.is_spent());
  EXPECT_EQ(meter.left(), 0.0);
  EXPECT_FALSE(may_work(0.0)) << "what is spent stays spent";
  meter.raise_limit(20.0);
  EXPECT_TRUE(may_work(0.0));
  meter.raise_limit(1.0);
  EXPECT_EQ(meter.limit(), 20.0) << "a limit is raised, never lowered";
}

TEST(Work, CountsForTheInnermostMeterOfItsThread) {
  WorkMeter outer, inner;
  const WorkScope scope(outer);
  {
    const WorkScope nested(inner);
    EXPECT_TRUE(may_work(5.0));
  }
  EXPECT_TRUE(may_work(2.0));
  EXPECT_EQ(get_work_meter(), &outer);
  WorkMeter* seen = &outer;
  std::thread([&seen] { seen = get_work_meter(); }).join();
  EXPECT_EQ(seen, nullptr) << "another thread has a meter of its own, or none";
  EXPECT_EQ(inner.spent(), 5.0);
  EXPECT_EQ(outer.spent(), 2.0);
}

TEST(Work, WithoutAMeterOnlyAnInterruptionEndsIt) {
  EXPECT_EQ(get_work_meter(), nullptr);
  EXPECT_TRUE(may_work(1e300));
  request_interruption();
  EXPECT_FALSE(may_work(0.0));
  clear_interruption();
  EXPECT_TRUE(may_work(0.0));
}

}  // namespace
}  // namespace rigor
