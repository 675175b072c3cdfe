// Handle signals, such as Ctrl-C, during long loops.
//
// A loop owns a Poll and reports its work to it: one decrement, negligible beside the work. Every few
// milliseconds of work the clock is read, and 20 times per second the thread that Python called acquires
// the GIL and runs the pending signal handlers. An exception of a handler ends the loop.
#pragma once

#include <atomic>
#include <cstdint>

namespace dynmeans {

// Ends the work of a helper thread after the thread that leads it was interrupted.
struct Interrupted {};

// Runs pending signal handlers, at most every 50 ms; throws if one raises, or if the flag of this thread is
// set.
void check_signals();

// Makes check_signals read only this flag in the calling thread: only the main thread may call Python.
void set_stop_flag(const std::atomic<bool>* stop);

class Poll {
 public:
  // in: work, about one multiplication per unit
  void operator()(std::int64_t work) {
    left_ -= work;
    if (left_ < 0) [[unlikely]]
      renew();
  }

 private:
  static constexpr std::int64_t kWork = 1 << 21;  // one to ten milliseconds

  [[gnu::noinline]] void renew() {
    left_ = kWork;
    check_signals();
  }

  std::int64_t left_ = kWork;
};

}  // namespace dynmeans
