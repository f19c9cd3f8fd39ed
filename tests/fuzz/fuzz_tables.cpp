// Any bytes as JSON lines, or as ARFF if the first of them is odd.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  postil::fuzz::check_reader(data + 1, size - 1, data[0] % 2 == 1 ? postil::Format::arff : postil::Format::jsonl);
  return 0;
}
