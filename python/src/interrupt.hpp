// Ctrl-C while the engine works.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

#include "postil/watch.hpp"

namespace postil::python {

// While it lives, a signal that Python would answer (Ctrl-C) ends the engine's work within some hundredths of a second, and who asked
// hears how far it is. May be made with or without the interpreter's lock.
class Interruptible {
 public:
  using Tell = std::function<void(std::string_view what, std::uint64_t done)>;
  explicit Interruptible(Tell tell = {})
      : tell_(std::move(tell)), watch_([this](std::string_view what, std::uint64_t done) { look(what, done); }) {}

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kBetween{20};

  void look(std::string_view what, std::uint64_t done) {
    const Clock::time_point now = Clock::now();
    if (now < next_) return;
    next_ = now + kBetween;
    const nanobind::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (tell_ && !what.empty()) tell_(what, done);
  }

  Tell tell_;
  Clock::time_point next_ = Clock::now() + kBetween;
  Watch watch_;
};

}  // namespace postil::python
