#include "support.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace postil::test {
namespace {

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  return true;
}

}  // namespace

bool ReadResult::operator==(const ReadResult& other) const {
  if (error != other.error || rows.size() != other.rows.size() || lines != other.lines || !same(labels, other.labels))
    return false;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!same(rows[i], other.rows[i])) return false;
  return true;
}

ReadResult read_all(const std::string& text, ReadOptions options) {
  ReadResult result;
  try {
    Reader reader = Reader::from_memory(text, options);
    for (Block block; reader.next(block);)
      for (std::size_t i = 0; i < block.rows(); ++i) {
        const Row row = block.row(i);
        std::vector<double>& x = result.rows.emplace_back(row.extent());
        for (std::size_t k = 0; k < row.count; ++k) x[row.index(k)] = row.value(k);
        if (!block.labels().empty()) result.labels.push_back(block.labels()[i]);
        result.lines.push_back(block.line(i));
      }
    result.table = reader.table();
  } catch (const Error& error) {
    result.error = error.what();
    result.rows.clear();
    result.labels.clear();
    result.lines.clear();
  }
  return result;
}

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "postil-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) std::abort();
  folder_ = name;
}
TemporaryFolder::~TemporaryFolder() { std::filesystem::remove_all(folder_); }

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    names.push_back(entry.path().filename().string());
  return names;
}

std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}
void write_text(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

Model train_text(const std::string& text, TrainOptions options) {
  const TemporaryFolder folder;
  const std::string path = folder.path("data");
  write_text(path, text);
  return train(path, options);
}

TrainOptions in_file_order() {
  TrainOptions options;
  options.order = Order::file;
  options.recipe.learner = "perceptron";
  options.recipe.scale = Scale::none;
  return options;
}

}  // namespace postil::test
