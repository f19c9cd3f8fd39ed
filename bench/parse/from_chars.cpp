// The peer: what a careful programmer writes with the standard library. Reads blocks of lines with read(2), keeps 512
// kB buffers as we do, parses every number with std::from_chars, and checks what must be checked (form, increasing
// indices).
#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "parse.hpp"

namespace bench {
namespace {

struct Arrays {
  std::vector<std::uint64_t> starts;
  std::vector<std::uint32_t> indices;
  std::vector<double> values, labels;
  void clear() {
    starts.assign(1, 0);
    indices.clear();
    values.clear();
    labels.clear();
  }
};

[[noreturn]] void bad() { throw std::runtime_error("bad line"); }

const char* number(const char* p, const char* end, double& value) {
  if (p != end && *p == '+') ++p;
  const auto [rest, error] = std::from_chars(p, end, value);
  if (error != std::errc()) bad();
  return rest;
}

void parse_libsvm(const char* p, const char* end, Arrays& to) {
  while (p != end) {
    double label = 0;
    p = number(p, end, label);
    to.labels.push_back(label);
    std::uint32_t last = 0;
    while (p != end && *p == ' ') {
      ++p;
      std::uint32_t index = 0;
      const auto [rest, error] = std::from_chars(p, end, index);
      if (error != std::errc() || rest == end || *rest != ':' || index <= last) bad();
      double value = 0;
      p = number(rest + 1, end, value);
      to.indices.push_back(index - 1);
      to.values.push_back(value);
      last = index;
    }
    if (p == end || *p != '\n') bad();
    ++p;
    to.starts.push_back(to.values.size());
  }
}

void parse_csv(const char* p, const char* end, std::size_t columns, Arrays& to) {
  while (p != end) {
    double value = 0;
    for (std::size_t c = 0; c + 1 < columns; ++c) {
      p = number(p, end, value);
      if (p == end || *p != ',') bad();
      ++p;
      to.values.push_back(value);
    }
    p = number(p, end, value);
    if (p == end || *p != '\n') bad();
    ++p;
    to.labels.push_back(value);
  }
}

void check(const Arrays& arrays, bool csv, std::size_t columns, Answer& answer) {
  for (std::size_t i = 0; i < arrays.labels.size(); ++i) {
    mix(answer.hash, std::bit_cast<std::uint64_t>(arrays.labels[i]));
    const std::size_t from = csv ? i * (columns - 1) : arrays.starts[i],
                      to = csv ? from + columns - 1 : arrays.starts[i + 1];
    for (std::size_t k = from; k < to; ++k) {
      mix(answer.hash, csv ? k - from : arrays.indices[k]);
      mix(answer.hash, std::bit_cast<std::uint64_t>(arrays.values[k]));
    }
  }
}

}  // namespace

Answer read_from_chars(const std::string& path, bool csv, bool with_hash) {
  const int file = ::open(path.c_str(), O_RDONLY);
  if (file < 0) throw std::runtime_error("cannot open " + path);
  std::vector<char> buffer(512 * 1024);
  std::size_t used = 0, columns = 0;
  Arrays arrays;
  Answer answer;
  for (;;) {
    const ssize_t got = ::read(file, buffer.data() + used, buffer.size() - used);
    if (got <= 0) break;
    used += static_cast<std::size_t>(got);
    const auto* last = static_cast<const char*>(::memrchr(buffer.data(), '\n', used));
    if (last == nullptr) throw std::runtime_error("a line is too long");
    const char* p = buffer.data();
    if (csv && columns == 0) {  // the header
      for (columns = 1; *p != '\n'; ++p) columns += *p == ',' ? 1 : 0;
      ++p;
    }
    arrays.clear();
    if (csv)
      parse_csv(p, last + 1, columns, arrays);
    else
      parse_libsvm(p, last + 1, arrays);
    answer.rows += arrays.labels.size();
    answer.values += arrays.values.size();
    if (with_hash) check(arrays, csv, columns, answer);
    used -= static_cast<std::size_t>(last + 1 - buffer.data());
    std::memmove(buffer.data(), last + 1, used);
  }
  ::close(file);
  return answer;
}

}  // namespace bench
