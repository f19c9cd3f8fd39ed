// Generated data sets: the same seed gives the same bytes on every machine.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "postil/params.hpp"
#include "postil/reader.hpp"

namespace postil {

// Writes `rows` rows to `path`. Calls `progress` now and then with the number of rows done.
struct GenerateJob {
  std::string path;
  Format format;  // csv or libsvm
  std::uint64_t rows;
  std::uint64_t seed;
  Params params;
  std::function<void(std::uint64_t)> progress;
};

struct GeneratorInfo {
  std::string_view name;
  std::string_view help;  // one sentence
  Format format;          // unless the file's name says otherwise
  std::uint64_t rows;     // default
  std::span<const ParamSpec> params;
  void (*run)(const GenerateJob&);
};

std::span<const GeneratorInfo* const> generators();
const GeneratorInfo& find_generator(std::string_view name);  // throws ParamError with the nearest name

}  // namespace postil
