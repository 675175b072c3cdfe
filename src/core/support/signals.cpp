#include "support/signals.hpp"

#include <nanobind/nanobind.h>

#include <chrono>

namespace dynmeans {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPeriod(50);  // the lock of Python may take 5 ms to get

thread_local const std::atomic<bool>* followed = nullptr;
thread_local Clock::time_point next_check{};

}  // namespace

void set_stop_flag(const std::atomic<bool>* stop) {
  followed = stop;
}

void check_signals() {
  if (followed) {
    if (followed->load(std::memory_order_relaxed)) throw Interrupted{};
    return;
  }
  const Clock::time_point now = Clock::now();
  if (now < next_check) return;
  next_check = now + kPeriod;
  const nanobind::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) nanobind::raise_python_error();
}

}  // namespace dynmeans
