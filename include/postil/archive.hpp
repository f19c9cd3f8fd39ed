// A learner's state, named once. Saving, loading, comparing and mixing are archives; no learner writes serialisation
// code.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace postil {

class Archive {
 public:
  virtual ~Archive() = default;
  virtual void tensor(std::string_view name, std::vector<double>& values) = 0;
  virtual void number(std::string_view name, double& value) = 0;
  virtual void counter(std::string_view name, std::uint64_t& value) = 0;
};

}  // namespace postil
