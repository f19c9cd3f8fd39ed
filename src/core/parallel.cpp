#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "postil/watch.hpp"

namespace postil {

void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work, unsigned most) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards the first of what was thrown
  std::exception_ptr thrown;
  bool ended = false;  // that was thrown because another thread's watch ended it
  const auto run = [&] {
    try {
      for (std::size_t k = next++; k < count; k = next++) {
        look_up();
        work(k);
      }
    } catch (const WatchEnded&) {  // why, the thread that is watched knows
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
      ended = true;
      next = count;
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown || ended) thrown = std::current_exception();
      ended = false;
      next = count;
    }
  };
  std::vector<std::thread> threads;
  const unsigned cpus = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t wanted = std::min<std::size_t>(most == 0 ? cpus : most, count);
  threads.reserve(wanted);
  try {
    for (std::size_t t = 1; t < wanted; ++t)
      threads.emplace_back([&run, watch = SharedWatch::current()] {
        const SharedWatch shared(watch);
        run();
      });
  } catch (const std::exception&) {  // no more threads to be had: those that are there do it
  }
  run();
  for (std::thread& thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace postil
