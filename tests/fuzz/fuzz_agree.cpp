// Two readers must agree: the same rows, written as CSV and as LIBSVM text, read back to the same bits.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "fuzz.hpp"

namespace {

using namespace postil;

constexpr std::size_t kWidth = 3;

// The text as a Writer writes it, to a file in memory.
std::string written(const std::vector<std::vector<double>>& rows, Format format) {
  const int file = ::memfd_create("rows", 0);
  fuzz::require(file >= 0);
  Writer writer("/proc/self/fd/" + std::to_string(file), format, {"f1", "f2", "f3"}, "label");
  for (std::size_t i = 0; i < rows.size(); ++i)
    writer.write({.values = rows[i].data(), .count = kWidth}, i % 2 == 0 ? "a" : "b");
  writer.commit();
  std::string text(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
  fuzz::require(::pread(file, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()));
  ::close(file);
  return text;
}

std::vector<std::vector<double>> read_back(const std::string& text, Format format) {
  ReadOptions options;
  options.format = format;
  options.chunk_bytes = text.size() + 64;
  Reader reader = Reader::from_memory(text, options);
  std::vector<std::vector<double>> rows;
  for (Block block; reader.next(block);)
    for (std::size_t i = 0; i < block.rows(); ++i) {
      std::vector<double>& x = rows.emplace_back(kWidth);
      const Row row = block.row(i);
      for (std::size_t k = 0; k < row.count; ++k) x[row.index(k)] = row.value(k);
    }
  return rows;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::vector<double>> rows;
  for (std::size_t at = 0; at + kWidth * sizeof(double) <= size; at += kWidth * sizeof(double)) {
    std::vector<double>& row = rows.emplace_back(kWidth);
    std::memcpy(row.data(), data + at, kWidth * sizeof(double));
    for (double& x : row)
      if (!std::isfinite(x) || x == 0) x = 0;  // -0 is written as 0
  }
  if (rows.empty()) return 0;
  postil::fuzz::require(read_back(written(rows, Format::csv), Format::csv) == rows);
  postil::fuzz::require(read_back(written(rows, Format::libsvm), Format::libsvm) == rows);
  return 0;
}
