// How long it takes to say which rules hold: 1,000 columns, and as many rows as fit; rules of one comparison, and of four
// comparisons that other rules share. Against the same conditions evaluated row by row (the form that tests use), in turns,
// on the same rows; medians of five.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "advice/rule_truth.hpp"
#include "postil/postil.hpp"

namespace {

using namespace postil;

constexpr std::uint32_t kColumns = 1000;
constexpr std::size_t kRows = 100'000, kPlainRows = 1000;  // the plain form gets fewer: it is slow
constexpr int kRuns = 5;

Block make_rows(std::size_t rows) {
  Random random(1);
  BlockData data;
  data.width = kColumns;
  data.values.resize(rows * kColumns);
  for (double& value : data.values) value = random.uniform();
  return Block(std::move(data));
}

// Thresholds so high that a rule holds on one row in a hundred.
std::string make_rules(std::size_t rules, bool shared) {
  Random random(2);
  std::string text;
  for (std::size_t r = 0; r < rules; ++r) {
    const auto comparison = [&] {
      return fmt::format("x_{} > {}", 1 + random.below(kColumns), shared ? 0.68 : 0.98 + 0.0199 * random.uniform());
    };
    text += comparison();
    for (int k = 1; shared && k < 4; ++k) text += (k == 3 ? " or " : " and ") + comparison();
    text += " => yes\n";
  }
  return text;
}

template <class Work>
double seconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main() {
  Schema schema;
  Table table;
  for (std::uint32_t j = 1; j <= kColumns; ++j) {
    Column& column = schema.columns.emplace_back();
    column.name = fmt::format("x_{}", j);
    column.promised.kind = Kind::number;
    table.columns.push_back({column.name, TableColumn::Type::number, {}});
  }
  schema.number_features();
  schema.label.classes = {"no", "yes"};
  schema.label.positive = 1;
  const Block rows = make_rows(kRows);
  fmt::print("{:>7} {:<22} {:>12} {:>16} {:>16} {:>7}\n", "rules", "of", "hold a row", "ns a rule, row",
             "row by row, ns", "times");
  for (const auto& [rules, shared] : {std::pair(100, false), {1000, false}, {10'000, false}, {10'000, true}}) {
    const Advice advice =
        compile_rules(parse_rules(make_rules(static_cast<std::size_t>(rules), shared), "rules").file, schema);
    RuleTruth truth(advice, schema, table);
    std::vector<double> fast, plain;
    std::size_t held = 0, plainly = 0;
    for (int run = 0; run < kRuns; ++run) {
      fast.push_back(seconds([&] { held = truth.of(rows).rules.size(); }) / (1e-9 * kRows * rules));
      plain.push_back(seconds([&] {
                        plainly = 0;
                        for (std::size_t i = 0; i < kPlainRows; ++i) {
                          const auto* values = static_cast<const double*>(rows.row(i).values);
                          const std::vector<std::uint8_t> truths = advice.conditions.truths({values, kColumns});
                          for (const CompiledRule& rule : advice.rules) plainly += truths[rule.condition];
                        }
                      }) /
                      (1e-9 * kPlainRows * rules));
    }
    std::nth_element(fast.begin(), fast.begin() + kRuns / 2, fast.end());
    std::nth_element(plain.begin(), plain.begin() + kRuns / 2, plain.end());
    fmt::print("{:>7} {:<22} {:>12.1f} {:>16.3f} {:>16.3f} {:>7.1f}\n", rules,
               shared ? "four, shared" : "one comparison", static_cast<double>(held) / kRows, fast[kRuns / 2],
               plain[kRuns / 2], plain[kRuns / 2] / fast[kRuns / 2]);
    if (plainly == 0) return 1;
  }
}
