// A team of threads that lives for one call and shares out numbered chunks of work.
//
// What a chunk is never depends on how many threads there are, so neither does any result.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace dynmeans {

class Team {
 public:
  explicit Team(int n_threads) {
    for (int i = 1; i < n_threads; ++i) helpers_.emplace_back([this] { help(); });
  }

  ~Team() {
    stopping_ = true;
    round_.fetch_add(1);
    round_.notify_all();
    for (auto& helper : helpers_) helper.join();
  }

  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  // Runs work(0) ... work(n - 1), in any order, and returns when all are done.
  void share(int n, const std::function<void(int)>& work) {
    if (helpers_.empty() || n < 2) {
      for (int i = 0; i < n; ++i) work(i);
      return;
    }
    work_ = &work;
    n_chunks_ = n;
    next_ = 0;
    busy_ = static_cast<int>(helpers_.size());
    round_.fetch_add(1);
    round_.notify_all();
    take_chunks();
    for (int left = busy_; left != 0; left = busy_) busy_.wait(left);
  }

 private:
  void take_chunks() {
    for (int i = next_.fetch_add(1); i < n_chunks_; i = next_.fetch_add(1)) (*work_)(i);
  }

  void help() {
    for (std::uint64_t seen = 0;;) {
      round_.wait(seen);
      seen = round_;
      if (stopping_) return;
      take_chunks();
      if (busy_.fetch_sub(1) == 1) busy_.notify_one();
    }
  }

  const std::function<void(int)>* work_ = nullptr;
  int n_chunks_ = 0;
  std::atomic<int> next_{0};
  std::atomic<int> busy_{0};
  std::atomic<std::uint64_t> round_{0};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> helpers_;
};

}  // namespace dynmeans
