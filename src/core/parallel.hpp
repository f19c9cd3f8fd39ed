// Work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace postil {

// work(k) for k = 0 .. count - 1, each once, on at most so many threads (0: as many as there are CPUs). Each k's work must not
// depend on the others'. The first exception ends it and is thrown again here.
void in_parallel(std::size_t count, const std::function<void(std::size_t)>& work, unsigned threads = 0);

}  // namespace postil
