#include "postil/watch.hpp"

namespace postil {
namespace {

thread_local Watch* watch = nullptr;
thread_local bool shared = false;  // it is another thread's

}  // namespace

Watch::Watch(Look look) : look_(std::move(look)), outer_(watch) { watch = this; }
Watch::~Watch() { watch = outer_; }

void look_up(std::string_view what, std::uint64_t done) {
  if (watch == nullptr) return;
  if (watch->ended_) throw WatchEnded();
  if (shared) return;
  try {
    watch->look_(what, done);
  } catch (...) {
    watch->ended_ = true;
    throw;
  }
}

Watch* SharedWatch::current() { return watch; }
SharedWatch::SharedWatch(Watch* of) {
  watch = of;
  shared = true;
}
SharedWatch::~SharedWatch() {
  watch = nullptr;
  shared = false;
}

}  // namespace postil
