#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  postil::fuzz::check_reader(data, size, postil::Format::csv);
  return 0;
}
