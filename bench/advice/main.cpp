// What advice costs a round: learners with ten rules against the same learner without, on the same rows in memory, in
// turns; medians of nine, ratios with their smallest and largest.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "postil/postil.hpp"

namespace {

using namespace postil;

constexpr std::size_t kRows = 20'000, kNonzeros = 77, kRules = 10, kConditions = 5;
constexpr int kRuns = 9;

// Rows as of text: feature j turns up about as often as 1/j.
// Each of so many rules holds on every tenth row.
Block make_rows(std::uint32_t features, std::uint64_t seed, std::size_t rules = kRules) {
  Random random(seed);
  BlockData data;
  data.rules.starts.push_back(0);
  data.width = features;
  data.starts.push_back(0);
  for (std::size_t i = 0; i < kRows; ++i) {
    std::vector<std::uint32_t> row;
    while (row.size() < kNonzeros) {
      const double rank = std::pow(static_cast<double>(features), random.uniform());
      row.push_back(
          std::min(features - 1, static_cast<std::uint32_t>(rank) - 1 + static_cast<std::uint32_t>(random.below(64))));
      if (row.size() < kNonzeros) continue;
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
    }
    double score = 0;
    for (const std::uint32_t j : row) {
      data.indices.push_back(j);
      data.values.push_back(random.uniform());
      score += (j % 2 == 0 ? 1 : -1) * data.values.back();
    }
    data.starts.push_back(data.indices.size());
    data.labels.push_back(score + random.normal() > 0 ? 1 : -1);
    for (std::uint32_t r = 0; r < rules; ++r)
      if (random.uniform() < 0.1) data.rules.rules.push_back(r);
    data.rules.starts.push_back(data.rules.rules.size());
  }
  return Block(std::move(data));
}

// Rules; a condition is about one feature of its own, or about all features that any rule names.
TaskAdvice make_rules(std::uint32_t features, bool dense, std::size_t rules = kRules) {
  Random random(7);
  TaskAdvice advice;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<std::uint32_t> named;
  while (named.size() < rules * kConditions) {
    named.push_back(static_cast<std::uint32_t>(std::pow(static_cast<double>(features), random.uniform())) - 1);
    std::sort(named.begin(), named.end());
    named.erase(std::unique(named.begin(), named.end()), named.end());
  }
  for (const std::uint32_t j : named) advice.features.push_back({j, -kInfinity, kInfinity, 0, 1, 0.01, 0.01, false});
  random.shuffle(std::span(named));
  for (std::size_t r = 0; r < rules; ++r) {
    TaskAdvice::Set set;
    set.rule = static_cast<std::uint32_t>(r);
    set.z = r % 2 == 0 ? 1 : -1;
    for (std::size_t k = 0; k < kConditions; ++k) {
      AdviceRow row;
      if (dense)
        for (const TaskAdvice::Feature& f : advice.features) row.terms.emplace_back(f.number, random.normal());
      else
        row.terms.emplace_back(named[r * kConditions + k], random.uniform() < 0.5 ? -1 : 1);
      row.bound = 0.1;
      set.rows.push_back(std::move(row));
    }
    advice.rules.push_back({set.rule, set.z, true, {}, fmt::format("rule {}", r)});
    advice.sets.push_back(std::move(set));
  }
  return advice;
}

// `studied`: it has looked at rows before, and so has a plane over all features.
double seconds(const Block& rows, const char* learner, const std::map<std::string, std::string>& settings,
               const TaskAdvice* advice, bool studied = false) {
  const LearnerInfo& info = find_learner(learner);
  const std::unique_ptr<Learner> fresh = info.make(Params(info.name, info.params, settings));
  fresh->grow(rows.width());
  if (advice != nullptr) fresh->take_advice(*advice);
  if (studied) {
    std::vector<Row> some;
    for (std::size_t i = 0; i < 2000; ++i) some.push_back(rows.row(i));
    fresh->study(some);
  }
  std::vector<Step> steps(rows.rows());
  const auto start = std::chrono::steady_clock::now();
  fresh->learn_block(rows, rows.labels(), {}, steps);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Side {
  const char* learner;
  std::map<std::string, std::string> settings;
};

void compare(const Block& rows, const Side& plain, const Side& advised, const TaskAdvice& advice,
             std::string_view title, bool studied = false) {
  std::vector<double> a, ratios;
  for (int run = 0; run < kRuns; ++run) {
    a.push_back(seconds(rows, plain.learner, plain.settings, nullptr));
    ratios.push_back(seconds(rows, advised.learner, advised.settings, &advice, studied) / a.back());
  }
  std::sort(a.begin(), a.end());
  std::sort(ratios.begin(), ratios.end());
  fmt::print("{:<54} {:>9.0f} ns {:>8.2f} ({:.2f} to {:.2f})\n", title, 1e9 * a[kRuns / 2] / kRows, ratios[kRuns / 2],
             ratios.front(), ratios.back());
}

}  // namespace

int main() {
  fmt::print("{} rows of {} values, {} rules of {} conditions\n{:<54} {:>12} {:>8}\n", kRows, kNonzeros, kRules,
             kConditions, "", "a round of", "ratio");
  const Side pa{"pa", {{"variant", "pa2"}, {"C", "0.5"}, {"average", "none"}}}, arow{"arow", {}},
      advised{"advised", {}}, wager{"wager", {}};
  const Side adviceptron{"pa-adviceptron", {}}, gentle{"pa-adviceptron", {{"mu", "0.001"}}};
  for (const std::uint32_t features : {10'000U, 50'000U, 1'000'000U}) {
    const Block rows = make_rows(features, 1);
    const TaskAdvice rules = make_rules(features, false);
    compare(rows, pa, adviceptron, rules, fmt::format("{} features: pa-adviceptron against pa2", features));
    compare(rows, pa, gentle, rules, "   with mu = 0.001, as in the papers");
    if (features != 50'000) continue;
    compare(rows, pa, adviceptron, make_rules(features, true), "   its conditions dense");
    compare(rows, arow, advised, {}, "   advised without rules against arow");
    compare(rows, arow, advised, rules, "   advised against arow");
    compare(rows, arow, advised, rules, "   advised, having studied rows, against arow", true);
    compare(make_rows(features, 1, 100), arow, advised, make_rules(features, false, 100), "   with a hundred rules",
            true);
    compare(rows, arow, wager, rules, "   wager against arow");
  }
}
