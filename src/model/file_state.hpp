// State in a tensor file: names behind a prefix.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tensor_file.hpp"
#include "postil/archive.hpp"
#include "postil/error.hpp"

namespace postil {

class FileWriter final : public StateWriter {
 public:
  FileWriter(TensorFile& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}
  void tensor(std::string_view name, std::span<const double> values) override {
    file_.tensors[prefix_ + std::string(name)] = std::vector<double>(values.begin(), values.end());
  }
  void number(std::string_view name, double value) override {
    file_.tensors[prefix_ + std::string(name)] = std::vector<double>{value};
  }
  void counter(std::string_view name, std::uint64_t value) override {
    file_.tensors[prefix_ + std::string(name)] = std::vector<std::uint64_t>{value};
  }
  void text(std::string_view name, std::string_view text) {
    file_.tensors[prefix_ + std::string(name)] = std::vector<std::uint8_t>(text.begin(), text.end());
  }

 private:
  TensorFile& file_;
  std::string prefix_;
};

class FileReader final : public StateReader {
 public:
  // Needs: both outlive it. `name`: of the file, for messages.
  FileReader(const TensorFile& file, const std::string& name, std::string prefix)
      : file_(file), name_(name), prefix_(std::move(prefix)) {}
  void tensor(std::string_view name, std::vector<double>& values) override {
    values = find<double>(name);
    for (const double value : values)
      if (!std::isfinite(value))
        throw ModelError({name_, 0, 0}, fmt::format("tensor '{}{}' holds a number that is not finite", prefix_, name));
  }
  void number(std::string_view name, double& value) override {
    value = single<double>(name);
    if (!std::isfinite(value))
      throw ModelError({name_, 0, 0}, fmt::format("tensor '{}{}' is no finite number", prefix_, name));
  }
  void counter(std::string_view name, std::uint64_t& value) override { value = single<std::uint64_t>(name); }
  [[nodiscard]] bool has(std::string_view name) const override {
    return file_.tensors.contains(prefix_ + std::string(name));
  }
  [[nodiscard]] std::string text(std::string_view name) const {
    const std::vector<std::uint8_t>& bytes = find<std::uint8_t>(name);
    return {bytes.begin(), bytes.end()};
  }

  template <class T>
  [[nodiscard]] const std::vector<T>& find(std::string_view name) const {
    const auto found = file_.tensors.find(prefix_ + std::string(name));
    const auto* values = found == file_.tensors.end() ? nullptr : std::get_if<std::vector<T>>(&found->second);
    if (values == nullptr)
      throw ModelError({name_, 0, 0}, fmt::format("there is no tensor '{}{}' of the right type", prefix_, name));
    return *values;
  }

 private:
  template <class T>
  [[nodiscard]] T single(std::string_view name) const {
    const std::vector<T>& values = find<T>(name);
    if (values.size() != 1)
      throw ModelError({name_, 0, 0},
                       fmt::format("tensor '{}{}' holds {} numbers, expected 1", prefix_, name, values.size()));
    return values[0];
  }
  const TensorFile& file_;
  const std::string& name_;
  std::string prefix_;
};

}  // namespace postil
