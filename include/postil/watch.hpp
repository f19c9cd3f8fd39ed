// A long computation looks up now and then, so that whoever called it can tell how it goes, or end it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

namespace postil {

// While it lives, `look` is called from the long computations of this thread: often, so it should be quick. What it throws ends the
// computation, in all threads that work on it, and comes out of the call.
class Watch {
 public:
  // `what` is done so many times: "passes", "iterations".
  using Look = std::function<void(std::string_view what, std::uint64_t done)>;

  explicit Watch(Look look);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  friend void look_up(std::string_view what, std::uint64_t done);
  friend class SharedWatch;

  Look look_;
  std::atomic<bool> ended_ = false;
  Watch* outer_;
};

// What ends the other threads of a computation that its watch has ended.
struct WatchEnded {};

// Called by computations. Costs next to nothing where nobody watches.
void look_up(std::string_view what = "", std::uint64_t done = 0);

// In threads that work for a watched one: they end when it ends.
class SharedWatch {
 public:
  static Watch* current();
  explicit SharedWatch(Watch* of);
  ~SharedWatch();
  SharedWatch(const SharedWatch&) = delete;
  SharedWatch& operator=(const SharedWatch&) = delete;
};

}  // namespace postil
