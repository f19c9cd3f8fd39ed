// What the tests share.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "postil/postil.hpp"

namespace postil::test {

// All rows of a text, as a reader gives them: dense, with NaN for missing values and codes for texts.
struct ReadResult {
  std::vector<std::vector<double>> rows;  // sparse rows are filled up with zeros
  std::vector<double> labels;
  std::vector<std::uint64_t> lines;
  Table table;
  std::string error;  // what() of what was thrown

  bool operator==(const ReadResult& other) const;  // NaN equals NaN
};
ReadResult read_all(const std::string& text, ReadOptions options = {});

// The message of the Error that `f` throws; "" if it throws none.
std::string message_of(const std::function<void()>& f);

// A learner's state, kept by name, and given back.
class Snapshot final : public StateWriter {
 public:
  Snapshot() = default;
  template <class Part>
  explicit Snapshot(const Part& part) {
    part.write(*this);
  }
  void tensor(std::string_view name, std::span<const double> values) override {
    state[std::string(name)].assign(values.begin(), values.end());
  }
  void number(std::string_view name, double value) override { state[std::string(name)] = {value}; }
  void counter(std::string_view name, std::uint64_t value) override {
    state[std::string(name)] = {static_cast<double>(value)};
  }
  std::map<std::string, std::vector<double>> state;
};

class Restore final : public StateReader {
 public:
  explicit Restore(const Snapshot& from) : from_(from.state) {}
  void tensor(std::string_view name, std::vector<double>& values) override { values = from_.at(std::string(name)); }
  void number(std::string_view name, double& value) override { value = from_.at(std::string(name))[0]; }
  void counter(std::string_view name, std::uint64_t& value) override {
    value = static_cast<std::uint64_t>(from_.at(std::string(name))[0]);
  }
  [[nodiscard]] bool has(std::string_view name) const override { return from_.contains(std::string(name)); }

 private:
  const std::map<std::string, std::vector<double>>& from_;
};

// A folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::vector<std::string> names() const;  // of the files in it

 private:
  std::string folder_;
};

std::string file_text(const std::string& path);
void write_text(const std::string& path, const std::string& text);

// A model trained on a text, quietly and in file order unless said otherwise.
Model train_text(const std::string& text, TrainOptions options = {});
TrainOptions in_file_order();

}  // namespace postil::test
