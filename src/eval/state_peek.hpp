// Pieces of a learner's state by name: what bounds need to know of a run.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postil/archive.hpp"
#include "postil/learner.hpp"

namespace postil {

class StatePeek final : public StateWriter {
 public:
  explicit StatePeek(const Learner& learner) { learner.write(*this); }
  void tensor(std::string_view name, std::span<const double> values) override {
    tensors[std::string(name)].assign(values.begin(), values.end());
  }
  void number(std::string_view name, double value) override { numbers[std::string(name)] = value; }
  void counter(std::string_view name, std::uint64_t value) override { counters[std::string(name)] = value; }
  std::map<std::string, std::vector<double>> tensors;
  std::map<std::string, double> numbers;
  std::map<std::string, std::uint64_t> counters;
};

}  // namespace postil
