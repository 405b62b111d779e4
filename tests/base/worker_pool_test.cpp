#include "rigor/base/worker_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <numeric>

#include "rigor/base/require.hpp"
#include "tests/support/sanitized.hpp"

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

// A scene may ask for more threads than make sense, or than the system has room for.
TEST(WorkerPool, StartsNoMoreThanAFewForEveryCore) {
  const int most = std::max(8, 4 * static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  WorkerPool pool(1024);
  EXPECT_LE(pool.size(), most);
  std::atomic<int> done{0};
  pool.run(5000, [&](int, int) { ++done; });
  EXPECT_EQ(done, 5000);
}

#if !RIGOR_SANITIZED  // which ask for terabytes of addresses
TEST(WorkerPool, WorksWithThreadsThatTheSystemGives) {
  testing::FLAGS_gtest_death_test_style =
      "threadsafe";  // a fresh process, without stacks of threads that are gone
  const auto work = [] {
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = 1u << 20;  // bytes of addresses, less than is in use: no stack has room
    setrlimit(RLIMIT_AS, &limit);
    WorkerPool pool(8);
    std::atomic<int> done{0};
    pool.run(100, [&](int, int) { ++done; });
    _exit(pool.size() == 1 && done == 100 ? 7 : 1);
  };
  EXPECT_EXIT(work(), testing::ExitedWithCode(7), "");
}
#endif

}  // namespace
}  // namespace rigor
