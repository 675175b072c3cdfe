// Pool of threads for one call, which distributes numbered chunks of work.
//
// Chunks do not depend on the number of threads, so neither does any result.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "support/signals.hpp"

namespace dynmeans {

class ThreadPool {
 public:
  explicit ThreadPool(int n_threads) : ranges_(n_threads > 1 ? n_threads : 0) {
    try {
      for (int i = 1; i < n_threads; ++i) helpers_.emplace_back([this, i] { help(i); });
    } catch (const std::system_error&) {
      // The system refuses more threads; the existing ones do all of the work.
    }
  }

  ~ThreadPool() {
    stopping_ = true;
    round_.fetch_add(1);
    round_.notify_all();
    for (auto& helper : helpers_) helper.join();
  }

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return 1 + static_cast<int>(helpers_.size()); }

  // Runs work(0) ... work(n - 1), in any order, and returns when all are done. If one of them throws, the
  // others stop at their next poll, and the first exception is thrown here.
  void run(int n, const std::function<void(int)>& work) {
    run_on_workers(n, [&](int i, int) { work(i); });
  }

  // The same with work(i, worker); no two calls with the same worker, 0 .. size() - 1, run at the same time.
  void run_on_workers(int n, const std::function<void(int, int)>& work) {
    if (helpers_.empty() || n < 2) {
      for (int i = 0; i < n; ++i) work(i, 0);
      return;
    }
    work_ = &work;
    n_chunks_ = n;
    for (int w = 0; w < size(); ++w) ranges_[w].next = first_chunk(w);
    busy_ = static_cast<int>(helpers_.size());
    round_.fetch_add(1);
    round_.notify_all();
    take_chunks(0);
    spin_.wait([&] { return busy_ == 0; });
    for (int left = busy_; left != 0; left = busy_) busy_.wait(left);
    if (!failed_) return;
    failed_ = false;
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  // Spins for as long as waking a thread takes, about 50 microseconds, before a thread sleeps. The rounds of
  // a pass follow each other within microseconds. If the wait was not long enough, as on a busy machine, the
  // next one is shorter. The time is measured, because a pause takes 40 to 140 cycles, depending on the
  // processor.
  class Spin {
   public:
    template <class Condition>
    void wait(const Condition& is_over) {
      if (is_over()) return;
      const auto start = Clock::now();
      do {
        for (int i = 0; i < kPauses; ++i) {
          pause();
          if (is_over()) {
            longest_ = kLongest;
            return;
          }
        }
      } while (Clock::now() - start < longest_);
      longest_ = std::max(longest_ / 2, kShortest);
    }

   private:
    using Clock = std::chrono::steady_clock;
    static constexpr int kPauses = 16;  // between two looks at the clock
    static constexpr std::chrono::nanoseconds kShortest{1'000}, kLongest{50'000};
    std::chrono::nanoseconds longest_ = kLongest;
  };

  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
  }

  // Chunks that a worker takes first. The rounds of a descent have the same rows in the same chunks, so these
  // rows are still in the cache of its core.
  struct alignas(64) Range {
    std::atomic<int> next{0};
  };

  int first_chunk(int worker) const { return int(std::int64_t(n_chunks_) * worker / size()); }

  // Takes the chunks of the own range, then those that the other workers have not begun.
  void take_chunks(int worker) {
    try {
      for (int other = 0; other < size(); ++other) take_range((worker + other) % size(), worker);
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
  }

  void take_range(int range, int worker) {
    std::atomic<int>& next = ranges_[range].next;
    const int end = first_chunk(range + 1);
    for (int i = next.fetch_add(1); i < end && !failed_; i = next.fetch_add(1)) (*work_)(i, worker);
  }

  void help(int worker) {
    set_stop_flag(&failed_);
    Spin spin;
    for (std::uint64_t seen = 0;;) {
      spin.wait([&] { return round_ != seen; });
      round_.wait(seen);
      seen = round_;
      if (stopping_) return;
      take_chunks(worker);
      if (busy_.fetch_sub(1) == 1) busy_.notify_one();
    }
  }

  const std::function<void(int, int)>* work_ = nullptr;
  int n_chunks_ = 0;
  std::vector<Range> ranges_;  // (size,), or empty for one thread
  std::atomic<int> busy_{0};
  std::atomic<std::uint64_t> round_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> failed_{false};  // in this round
  std::exception_ptr failure_;       // the first one
  Spin spin_;                        // of the thread that calls run
  std::vector<std::thread> helpers_;
};

}  // namespace dynmeans
