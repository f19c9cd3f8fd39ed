// Model files with every field and every tensor altered in turn, and a right checksum: refused with a message, or a model that
// predicts, learns and saves. Under sanitizers this is where a reader that believes a file shows.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/tensor_file.hpp"
#include "support.hpp"

namespace postil {
namespace {

using nlohmann::json;

std::string data_text() {
  std::string text = "a,b,c,label\n";
  for (int i = 0; i < 40; ++i)
    text += fmt::format("{},{},{},{}\n", i % 7, (i * 5) % 11, i % 3 == 0 ? "red" : "blue", i % 7 > 3 ? "yes" : "no");
  return text;
}

// A file is read, used in every way, and saved again. Only Error may be thrown.
bool survives(const TensorFile& file) {
  const std::string bytes = file.encode();
  try {
    Session session = Session::from_bytes(bytes, "forged");
    const Model& model = *session.model();
    std::vector<double> x(std::min<std::uint32_t>(model.schema().width(), 1000), 0.5), scores(model.outputs());
    model.score({.values = x.data(), .count = static_cast<std::uint32_t>(x.size())}, scores);
    for (std::size_t k = 0; k < model.outputs(); ++k) (void)model.explain_advice(k);
    if (model.learner().mode == Mode::online && !session.table().sparse() && session.table().columns.size() < 100) {
      BlockData row;
      row.width = session.table().row_width();
      for (const TableColumn& column : session.table().columns)
        row.values.push_back(column.type == TableColumn::Type::text ? std::numeric_limits<double>::quiet_NaN() : 1);
      row.labels = {model.schema().label.real() ? 1 : session.label_code("yes")};
      session.take(Block(std::move(row)));
    }
    (void)Session::from_bytes(session.to_bytes(), "again");
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Calls f with each value inside a JSON document replaced.
void for_each_forgery(const json& whole, const std::function<void(const json&)>& f) {
  const json values[] = {nullptr, -1, 1.5, 4294967296.0, 4000000000U, "", "nan", json::array(), json::object(), true};
  const json flat = whole.flatten();
  for (const auto& [path, old] : flat.items())
    for (const json& value : values) {
      if (value == old) continue;
      json forged = whole;
      forged[json::json_pointer(path)] = value;
      f(forged);
    }
}

template <class T>
std::vector<std::vector<T>> forged_tensors(const std::vector<T>& tensor) {
  std::vector<std::vector<T>> out{{}, std::vector<T>(tensor.size() + 1), std::vector<T>(tensor.size())};
  if (tensor.empty()) return out;
  out.push_back(std::vector<T>(tensor.begin(), tensor.end() - 1));
  std::vector<T> odd{std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest()};
  if constexpr (std::is_floating_point_v<T>) {
    odd.push_back(std::numeric_limits<T>::quiet_NaN());
    odd.push_back(std::numeric_limits<T>::infinity());
    odd.push_back(-1);
    odd.push_back(0.5);
  }
  for (const std::size_t place : {std::size_t{0}, tensor.size() / 2, tensor.size() - 1})
    for (const T value : odd) {
      out.push_back(tensor);
      out.back()[place] = value;
    }
  return out;
}

// Every field and tensor in turn; gives how many of the files were refused.
std::size_t refused_forgeries(const TensorFile& file) {
  std::size_t refused = 0;
  const auto attempt = [&](const TensorFile& forged) { refused += survives(forged) ? 0 : 1; };
  for (const auto& [key, text] : file.metadata) {
    TensorFile forged = file;
    forged.metadata.erase(key);
    attempt(forged);
    const std::string& name = key;  // clang 14 cannot capture bindings
    const auto attempt_text = [&](std::string other) {
      forged.metadata[name] = std::move(other);
      attempt(forged);
    };
    for (const char* other : {"", "{}", "[]", "null", "1", "{\"a\":1,\"a\":2}"}) attempt_text(other);
    const json document = json::parse(text, nullptr, false);
    if (document.is_structured()) for_each_forgery(document, [&](const json& value) { attempt_text(value.dump()); });
  }
  for (const auto& [key, tensor] : file.tensors) {
    TensorFile forged = file;
    forged.tensors.erase(key);
    attempt(forged);
    const std::string& name = key;
    std::visit(
        [&](const auto& numbers) {
          for (auto& other : forged_tensors(numbers)) {
            forged.tensors[name] = std::move(other);
            attempt(forged);
          }
        },
        tensor);
  }
  return refused;
}

constexpr const char* kRules = "r1: a >= 4 and c = red => yes\na <= 1 or b between 2 and 3 => no\n";

class ForgedModel : public testing::TestWithParam<const LearnerInfo*> {};

TEST_P(ForgedModel, IsRefusedOrWorks) {
  const LearnerInfo& info = *GetParam();
  TrainOptions options = test::in_file_order();
  options.recipe.learner = info.name;
  if (info.takes_advice) options.recipe.rules = parse_rules(kRules, "rules").file;
  const TensorFile file = TensorFile::decode(test::train_text(data_text(), options).to_bytes(), "model");
  ASSERT_TRUE(survives(file));
  EXPECT_GT(refused_forgeries(file), 100U);
}

TEST(ForgedSession, IsRefusedOrWorks) {  // a stream's model with its first rows
  for (const bool rules : {false, true}) {
    Recipe recipe;
    if (rules) recipe.rules = parse_rules(kRules, "rules").file;
    Reader reader = Reader::from_memory(data_text(), {});
    Session session(recipe, {}, reader.table());
    Session::Feed feed(session, reader.table());
    for (Block block; reader.next(block); block = Block()) session.take(feed.adopt(std::move(block)));
    ASSERT_FALSE(session.settled());
    const TensorFile file = TensorFile::decode(session.to_bytes(), "model");
    ASSERT_TRUE(survives(file));
    EXPECT_GT(refused_forgeries(file), 100U);
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, ForgedModel, testing::ValuesIn(learners().begin(), learners().end()),
                         [](const auto& learner) {
                           std::string name(learner.param->name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace postil
