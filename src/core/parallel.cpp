#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace postil {

void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work, unsigned most) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards the first of what was thrown
  std::exception_ptr thrown;
  const auto run = [&] {
    try {
      for (std::size_t k = next++; k < count; k = next++) work(k);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> threads;
  const unsigned cpus = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t wanted = std::min<std::size_t>(most == 0 ? cpus : most, count);
  threads.reserve(wanted);
  try {
    for (std::size_t t = 1; t < wanted; ++t) threads.emplace_back(run);
  } catch (const std::exception&) {  // no more threads to be had: those that are there do it
  }
  run();
  for (std::thread& thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace postil
