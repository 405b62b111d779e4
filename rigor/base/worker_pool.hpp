#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace rigor {

/// Threads that share the items 0 … count − 1 of a loop; they are kept between loops, and a loop allocates
/// nothing. Any worker may take any item, so that items must be independent of each other: then the result is
/// the same, bit for bit, for any number of workers.
class WorkerPool {
 public:
  /// `workers` ≥ 1 in all; the caller of run() is worker 0. 0: as many as the machine has cores. No more than four for
  /// every core (8 at least) are started, and fewer where the system has no room for them: size() tells.
  explicit WorkerPool(int workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }

  /// Calls work(item, worker) for every item and returns when all are done. Not from within an item. What an
  /// item throws is thrown here, the one of the first item that threw; the others are still done.
  template <class Work>
  void run(int count, Work&& work) {
    const auto call = [](void* of, int item, int worker) {
      (*static_cast<std::remove_reference_t<Work>*>(of))(item, worker);
    };
    run_erased(count, call, const_cast<void*>(static_cast<const void*>(std::addressof(work))));
  }

 private:
  using Call = void (*)(void*, int, int);

  void run_erased(int count, Call call, void* work);
  void serve(int worker);
  void take_items(int worker);

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  long loop_{0};  // number of the present loop
  int busy_{0};   // workers that are not done with it
  bool ends_{false};

  Call call_{nullptr};
  void* work_{nullptr};
  int count_{0};
  std::atomic<int> next_{0};
  std::exception_ptr error_;
  int error_item_{0};
};

}  // namespace rigor
