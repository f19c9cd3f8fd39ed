// A learner's state by name. Each learner writes its state and reads it back; saving, loading, comparing and merging models
// need nothing else of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace postil {

class StateWriter {
 public:
  virtual ~StateWriter() = default;
  virtual void tensor(std::string_view name, std::span<const double> values) = 0;
  virtual void number(std::string_view name, double value) = 0;
  virtual void counter(std::string_view name, std::uint64_t value) = 0;
};

class StateReader {
 public:
  virtual ~StateReader() = default;
  virtual void tensor(std::string_view name, std::vector<double>& values) = 0;
  virtual void number(std::string_view name, double& value) = 0;
  virtual void counter(std::string_view name, std::uint64_t& value) = 0;
  [[nodiscard]] virtual bool has(std::string_view name) const = 0;  // of pieces that older files do not have
};

// A tensor that may be mostly zeros: then only how long it is, where the others stand, and what they are.
void write_sparse(StateWriter& out, const std::string& name, std::span<const double> values);
// A short file must not claim a long tensor.
inline constexpr std::size_t kLongestSparse = 50'000'000;
// False: it is not of this length; then `values` is empty.
bool read_sparse(StateReader& in, const std::string& name, std::size_t size, std::vector<double>& values);

// For a state that is named once, in a template over both directions: hands a part of it on.
template <class Archive, class Part>
void transfer(Archive& archive, Part& part) {
  if constexpr (std::is_base_of_v<StateWriter, Archive>)
    part.write(archive);
  else
    part.read(archive);
}

}  // namespace postil
