// The knowledge-based machine: small problems in milliseconds, and a large one against LIBLINEAR's -s 2, which has no rules, on
// the same rows in the same memory. Both stop at the loosest of their tolerances that brings the objective within 1e-3 of its
// least; times alternate, medians of five.
#include <fmt/format.h>
#include <linear.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "postil/postil.hpp"

namespace {

using namespace postil;
using Settings = std::map<std::string, std::string>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

TaskAdvice rules(std::uint32_t features, std::size_t count, std::size_t conditions) {
  Random random(7);
  TaskAdvice advice;
  std::vector<std::uint32_t> named;
  while (named.size() < count * conditions) {
    named.push_back(static_cast<std::uint32_t>(std::pow(static_cast<double>(features), random.uniform())) - 1);
    std::sort(named.begin(), named.end());
    named.erase(std::unique(named.begin(), named.end()), named.end());
  }
  for (const std::uint32_t j : named) advice.features.push_back({j, -kInfinity, kInfinity, 0, 1, 0.01, 0.01, false});
  random.shuffle(std::span(named));
  for (std::size_t r = 0; r < count; ++r) {
    TaskAdvice::Set set;
    set.z = r % 2 == 0 ? 1 : -1;
    for (std::size_t k = 0; k < conditions; ++k)
      set.rows.push_back({{{named[r * conditions + k], random.uniform() < 0.5 ? -1.0 : 1.0}}, 0.1, false, false});
    advice.sets.push_back(std::move(set));
  }
  return advice;
}

struct Fitted {
  double seconds;
  FitReport report;
};
Fitted fit(const std::vector<Block>& blocks, const std::vector<double>& y, std::uint32_t features,
           const TaskAdvice& advice, const Settings& settings) {
  const LearnerInfo& info = find_learner("kbsvm");
  const std::unique_ptr<Learner> learner = info.make(Params(info.name, info.params, settings));
  learner->grow(features);
  learner->take_advice(advice);
  const double start = now();
  FitReport report = learner->fit({blocks, y, {}});
  return {now() - start, std::move(report)};
}

void small(std::size_t rows, const Settings& settings, std::string_view title, double target) {
  Random random(3);
  BlockData data;
  data.width = 8;
  std::vector<double> y;
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < 8; ++j) {
      data.values.push_back(random.normal());
      sum += data.values.back();
    }
    y.push_back(sum + 2 * random.normal() > 0 ? 1 : -1);
  }
  std::vector<Block> blocks;
  blocks.emplace_back(std::move(data));
  std::vector<double> seconds;
  for (int run = 0; run < 9; ++run) seconds.push_back(fit(blocks, y, 8, rules(8, 2, 2), settings).seconds);
  std::sort(seconds.begin(), seconds.end());
  fmt::print("{:<40} {:>9.2f} ms ({:.2f} to {:.2f}; wanted {} ms)\n", title, 1e3 * seconds[4], 1e3 * seconds[0],
             1e3 * seconds[8], target);
}

// LIBLINEAR's view of the same rows.
class Peer {
 public:
  Peer(const std::vector<Block>& blocks, const std::vector<double>& y, std::uint32_t features) : y_(y) {
    for (const Block& block : blocks)
      for (std::size_t i = 0; i < block.rows(); ++i) {
        starts_.push_back(nodes_.size());
        const Row row = block.row(i);
        for (std::size_t k = 0; k < row.count; ++k)
          nodes_.push_back({static_cast<int>(row.index(k)) + 1, row.value(k)});
        nodes_.push_back({-1, 0});
      }
    for (const std::size_t start : starts_) rows_.push_back(nodes_.data() + start);
    problem_ = {static_cast<int>(y_.size()), static_cast<int>(features), y_.data(), rows_.data(), -1};
    set_print_string_function([](const char*) {});
  }
  // Seconds and objective.
  std::pair<double, double> train_to(double eps) {
    parameter settings{};
    settings.solver_type = L2R_L2LOSS_SVC;
    settings.eps = eps;
    settings.C = 0.5;  // lambda / 2
    const double start = now();
    model* found = train(&problem_, &settings);
    const double seconds = now() - start;
    const double sign = found->label[0] > 0 ? 1 : -1;
    double objective = 0;
    for (int j = 0; j < found->nr_feature; ++j) objective += found->w[j] * found->w[j] / 2;
    for (std::size_t i = 0; i < y_.size(); ++i) {
      double f = 0;
      for (const feature_node* node = rows_[i]; node->index > 0; ++node) f += found->w[node->index - 1] * node->value;
      objective += 0.5 * std::pow(std::max(0.0, 1 - y_[i] * sign * f), 2);
    }
    free_and_destroy_model(&found);
    return {seconds, objective};
  }

 private:
  std::vector<double> y_;
  std::vector<feature_node> nodes_;
  std::vector<std::size_t> starts_;
  std::vector<feature_node*> rows_;
  problem problem_{};
};

}  // namespace

int main(int argc, char** argv) {
  small(200, {}, "l2, 200 x 8, 2 rules", 2);
  small(768, {{"form", "l1"}}, "l1, 768 x 8, 2 rules", 50);
  small(768, {{"form", "mixed"}}, "mixed, 768 x 8, 2 rules", 50);
  if (argc < 2) return 0;
  Reader reader(argv[1], {});
  Survey survey(reader.table(), Scale::none, {});
  std::vector<Block> blocks;
  std::vector<double> y;
  for (Block block; reader.next(block); block = Block()) {
    survey.add(block);
    for (const double label : block.labels()) y.push_back(label == 0 ? 1 : -1);
    blocks.push_back(std::move(block));
  }
  const std::uint32_t features = reader.table().width;
  Peer peer(blocks, y, features);
  const double theirs_least = peer.train_to(1e-7).second;
  double eps = 10;
  while (peer.train_to(eps).second > theirs_least * 1.001) eps /= 2;
  for (const bool with_rules : {false, true}) {  // without: the same problem, so the objectives are compared first
    const TaskAdvice advice = with_rules ? rules(features, 10, 5) : TaskAdvice{};
    const auto solve = [&](double tolerance) {
      return fit(blocks, y, features, advice, {{"bias", "none"}, {"tolerance", fmt::format("{}", tolerance)}});
    };
    const double least = solve(1e-9).report.objective;
    if (!with_rules && std::fabs(least - theirs_least) > 1e-6 * least)
      fmt::print("the objectives differ: {} and {}\n", least, theirs_least);
    double tolerance = 1;
    while (solve(tolerance).report.objective > least * 1.001) tolerance /= 2;
    std::vector<double> ratios, theirs;
    for (int run = 0; run < 5; ++run) {
      theirs.push_back(peer.train_to(eps).first);
      ratios.push_back(solve(tolerance).seconds / theirs.back());
    }
    std::sort(ratios.begin(), ratios.end());
    std::sort(theirs.begin(), theirs.end());
    fmt::print("l2, {} x {}, {} rules: {:.2f} ({:.2f} to {:.2f}) times LIBLINEAR -s 2 without rules ({:.2f} s){}\n",
               y.size(), features, with_rules ? 10 : 0, ratios[2], ratios[0], ratios[4], theirs[2],
               with_rules ? "; wanted 2.5" : "");
  }
}
