#include "generators.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/failures.hpp"

namespace postil {
namespace {

const GeneratorInfo* const kGenerators[] = {
    &diabetes_generator, &synthetic_generator, &tuberculosis_generator, &text_generator, &dense_generator,
};

}  // namespace

std::span<const GeneratorInfo* const> generators() { return kGenerators; }

const GeneratorInfo& find_generator(std::string_view name) {
  std::vector<std::string> names;
  for (const GeneratorInfo* info : kGenerators) {
    if (info->name == name) return *info;
    names.emplace_back(info->name);
  }
  throw ParamError(
      unknown(Code::unknown_name, "generator", name, fmt::format("there is no generator {}", in_quotes(name)), names));
}

double rounded(double x, double units) { return std::floor(x * units + 0.5) / units; }

std::vector<std::string> numbered(std::string_view stem, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(fmt::format("{}{}", stem, i));
  return names;
}

}  // namespace postil
