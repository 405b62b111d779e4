#include "rigor/base/worker_pool.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "rigor/base/require.hpp"

namespace rigor {
namespace {

TEST(WorkerPool, EveryItemIsDoneOnceByAnyNumberOfWorkers) {
  for (const int workers : {0, 1, 2, 5}) {
    WorkerPool pool(workers);
    EXPECT_EQ(pool.size(), workers > 0 ? workers : std::max(1u, std::thread::hardware_concurrency()));
    for (const int count : {0, 1, 3, 1000}) {
      std::vector<int> done(static_cast<std::size_t>(count), 0);
      pool.run(count, [&](int item, int worker) {
        EXPECT_LT(worker, pool.size());
        ++done[static_cast<std::size_t>(item)];
      });
      EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0), count);
      EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](int times) { return times == 1; }));
    }
  }
}

TEST(WorkerPool, ThrowsWhatTheFirstItemThrewAndGoesOn) {
  WorkerPool pool(3);
  std::atomic<int> done{0};
  const auto work = [&](int item, int) {
    ++done;
    require(item % 10 != 7, "item {}", item);
  };
  try {
    pool.run(100, work);
    FAIL() << "nothing was thrown";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "item 7");
  }
  EXPECT_EQ(done, 100);
  done = 0;
  pool.run(5, work);
  EXPECT_EQ(done, 5);
}

TEST(WorkerPool, ManyShortLoopsEnd) {
  WorkerPool pool(4);
  long sum = 0;
  for (int loop = 0; loop < 2000; ++loop) {
    std::atomic<int> items{0};
    pool.run(4, [&](int, int) { ++items; });
    sum += items;
  }
  EXPECT_EQ(sum, 8000);
  EXPECT_THROW(WorkerPool(-1), InvalidInput);
}

}  // namespace
}  // namespace rigor
