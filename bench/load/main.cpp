// What rules cost when a model is loaded: the same model with 60 rules over 500 columns with stated ranges and without rules,
// loaded from the bytes of its file, in turns; medians of nine, and their ratio. First the answers: a loaded model must score as
// the one that was saved.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "postil/postil.hpp"

namespace {

using namespace postil;

constexpr std::size_t kColumns = 500, kRules = 60, kConditions = 3, kRows = 300;
constexpr int kRuns = 9;

std::string rows_text() {
  Random random(1);
  std::string text;
  for (std::size_t j = 0; j < kColumns; ++j) text += fmt::format("x{},", j);
  text += "label\n";
  for (std::size_t i = 0; i < kRows; ++i) {
    double score = 0;
    for (std::size_t j = 0; j < kColumns; ++j) {
      const double value = random.uniform();
      score += (j % 2 == 0 ? 1 : -1) * value;
      text += fmt::format("{},", value);
    }
    text += score > 0 ? "yes\n" : "no\n";
  }
  return text;
}

std::string rules_text() {
  Random random(2);
  std::string text = fmt::format("domain x0..x{} in [0, 1]\n", kColumns - 1);
  for (std::size_t r = 0; r < kRules; ++r) {
    const bool yes = r % 2 == 0;
    std::string condition;
    for (std::size_t k = 0; k < kConditions; ++k) {
      const auto j = static_cast<std::size_t>(random.below(kColumns));
      condition += fmt::format("{}x{} {} 0.{}", k == 0 ? "" : " and ", j,
                               (j % 2 == 0) == yes ? ">=" : "<=", (j % 2 == 0) == yes ? 6 : 4);
    }
    text += fmt::format("r{}: {} => {}\n", r, condition, yes ? "yes" : "no");
  }
  return text;
}

Model trained(const std::string& learner, bool rules) {
  TrainOptions options;
  options.order = Order::file;
  options.recipe.learner = learner;
  if (rules) options.recipe.rules = parse_rules(rules_text(), "rules").file;
  Reader reader = Reader::from_memory(rows_text(), {});
  return train(reader, options);
}

double seconds_to_load(const std::string& bytes) {
  const auto start = std::chrono::steady_clock::now();
  const Model model = Model::from_bytes(bytes, "model");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return model.outputs() == 1 ? took.count() : std::nan("");
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main() {
  fmt::print("{:<16} {:>12} {:>12} {:>8} {:>22}\n", "learner", "rules, ms", "none, ms", "ratio", "bytes with, without");
  for (const LearnerInfo* info : learners()) {
    if (!info->takes_advice) continue;
    const Model with = trained(std::string(info->name), true);
    const std::string bytes = with.to_bytes();
    const std::string without =
        trained(std::string(info->needs_advice ? default_learner(DefaultFor::examples).name : info->name), false)
            .to_bytes();
    const std::vector<double> x(with.schema().width(), 0.3);
    const Row row{.values = x.data(), .count = with.schema().width()};
    if (Model::from_bytes(bytes, "model").learner_of(0).score(row) != with.learner_of(0).score(row)) {
      fmt::print("{}: a loaded model scores otherwise\n", info->name);
      return 1;
    }
    std::vector<double> slow, fast;
    for (int run = 0; run < kRuns; ++run) {
      slow.push_back(1e3 * seconds_to_load(bytes));
      fast.push_back(1e3 * seconds_to_load(without));
    }
    fmt::print("{:<16} {:>12.2f} {:>12.2f} {:>8.2f} {:>11} {:>10}\n", info->name, median(slow), median(fast),
               median(slow) / median(fast), bytes.size(), without.size());
  }
  return 0;
}
