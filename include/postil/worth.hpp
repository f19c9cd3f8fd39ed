// What rules are worth: in labels, and each rule in error, measured on labelled rows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "postil/evaluate.hpp"

namespace postil {

struct WorthOptions {
  std::uint64_t labels = 200, runs = 20;  // labels learned in a run; runs, each with rows drawn anew
  std::uint64_t seed = 0;
  unsigned threads = 0;  // 0: as many as there are CPUs
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

struct RulesWorth {
  Metric metric = Metric::balanced_error;
  std::uint64_t runs = 0, tested = 0;      // rows tested in a run
  std::vector<std::uint64_t> checkpoints;  // labels learned
  std::vector<MeanError> with, without;    // rules, at each
  // How many labels learning without rules needs for what learning with them has at each checkpoint; none: more than were tried.
  std::vector<std::optional<double>> labels;
  // Of each rule: by how much the error is larger without it, on the mean over the checkpoints; paired over the runs.
  std::vector<PairedTest> rules;
};

// `recipe`: with the rules. Needs: a learner that takes them.
RulesWorth rules_worth(const Recipe& recipe, const DataSet& data, const ColumnWishes& wishes,
                       const WorthOptions& options = {});

}  // namespace postil
