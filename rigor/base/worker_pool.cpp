#include "rigor/base/worker_pool.hpp"

#include <algorithm>
#include <system_error>

#include "rigor/base/require.hpp"

namespace rigor {
namespace {

constexpr int kPerCore = 4;    // more workers than this would only wait for each other
constexpr int kLeastMost = 8;  // that may be asked for, however few cores there are

}  // namespace

WorkerPool::WorkerPool(int workers) {
  require(workers >= 0 && workers <= 1024, "WorkerPool: {} workers, must be 0 … 1024.", workers);
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const int wanted = workers == 0 ? cores : std::min(workers, std::max(kLeastMost, kPerCore * cores));
  threads_.reserve(static_cast<std::size_t>(wanted));
  try {
    for (int k = 1; k < wanted; ++k) threads_.emplace_back([this, k] { serve(k); });
  } catch (const std::system_error&) {  // no memory or no number for one more: those that run share the work
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run_erased(int count, Call call, void* work) {
  call_ = call;
  work_ = work;
  count_ = count;
  next_ = 0;
  error_ = nullptr;
  if (threads_.empty() || count <= 1) {
    take_items(0);
  } else {
    {
      const std::lock_guard lock(mutex_);
      ++loop_;
      busy_ = static_cast<int>(threads_.size());
    }
    start_.notify_all();
    take_items(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }
  if (error_) std::rethrow_exception(error_);
}

void WorkerPool::serve(int worker) {
  long seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    start_.wait(lock, [&] { return ends_ || loop_ != seen; });
    if (ends_) return;
    seen = loop_;
    lock.unlock();
    take_items(worker);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void WorkerPool::take_items(int worker) {
  for (int item = next_++; item < count_; item = next_++) {
    try {
      call_(work_, item, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_ || item < error_item_) {
        error_ = std::current_exception();
        error_item_ = item;
      }
    }
  }
}

}  // namespace rigor
