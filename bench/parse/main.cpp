// Reading text: Postil against a plain std::from_chars loop, one thread and two, plain and gzip. Ratios of medians,
// measured in turns.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <vector>

#include "parse.hpp"
#include "postil/data.hpp"

namespace {

using bench::Answer;

struct Entry {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds;

  [[nodiscard]] double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

void measure(std::vector<Entry>& entries, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (Entry& entry : entries) {
      const auto start = std::chrono::steady_clock::now();
      entry.run();
      entry.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
}

void report(const std::vector<Entry>& entries, double bytes) {
  for (const Entry& entry : entries) {
    const auto [low, high] = std::minmax_element(entry.seconds.begin(), entry.seconds.end());
    fmt::print("  {:<34} {:7.3f} s  ({:.3f} - {:.3f})  {:6.0f} MB/s   {:5.2f} of the first\n", entry.name,
               entry.median(), *low, *high, bytes / entry.median() / 1e6, entry.median() / entries[0].median());
  }
}

std::string made(const std::string& folder, const char* generator, const char* file, std::uint64_t rows) {
  const std::string path = folder + "/" + file;
  if (std::filesystem::exists(path)) return path;
  fmt::print("making {}\n", path);
  const postil::GeneratorInfo& info = postil::find_generator(generator);
  info.run({.path = path,
            .format = info.format,
            .rows = rows,
            .seed = 1,
            .params = postil::Params(info.name, info.params, {}),
            .progress = {}});
  return path;
}

std::string packed(const std::string& path) {
  const std::string command = fmt::format("test -e '{0}.gz' || gzip -k '{0}'", path);
  if (std::system(command.c_str()) != 0) std::exit(1);
  return path + ".gz";
}

bool run(const std::string& path, bool csv, int rounds) {
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  const Answer ours = bench::read_postil(path, csv, 1, true), two = bench::read_postil(path, csv, 2, true),
               peer = bench::read_from_chars(path, csv, true);
  fmt::print("{}: {:.0f} MB, {} rows, {} values; answers {}\n", path, bytes / 1e6, ours.rows, ours.values,
             ours == peer && ours == two ? "equal to the last bit" : "DIFFER");
  std::vector<Entry> entries = {{"std::from_chars, 1 thread", [&] { bench::read_from_chars(path, csv, false); }, {}},
                                {"Postil, 1 thread", [&] { bench::read_postil(path, csv, 1, false); }, {}},
                                {"Postil, 2 threads", [&] { bench::read_postil(path, csv, 2, false); }, {}}};
  measure(entries, rounds);
  report(entries, bytes);
  fmt::print("  Postil is {:.2f} times as fast as std::from_chars; two threads take {:.2f} of the time of one\n",
             entries[0].median() / entries[1].median(), entries[2].median() / entries[1].median());
  const std::string gzip = packed(path);
  std::vector<Entry> compressed = {
      {"zlib alone", [&] { bench::inflate_alone(gzip); }, {}},
      {"Postil from .gz, 2 threads", [&] { bench::read_postil(gzip, csv, 2, false); }, {}}};
  measure(compressed, rounds);
  report(compressed, bytes);
  return ours == peer && ours == two;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : "build/bench-data";
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  std::filesystem::create_directories(folder);
  const bool text = run(made(folder, "text", "text.svm", 200'000), false, rounds);
  const bool dense = run(made(folder, "dense", "dense.csv", 500'000), true, rounds);
  struct rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  fmt::print("peak memory of this process: {:.1f} MB\n", static_cast<double>(usage.ru_maxrss) / 1000);
  return text && dense ? 0 : 1;
}
