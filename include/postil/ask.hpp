// Which rows to label next, so that it matters.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "postil/data.hpp"
#include "postil/model.hpp"

namespace postil {

struct AskOptions {
  std::size_t count = 20;
  double random =
      0.15;  // share of rows chosen by chance, rounded up: without them the record and the probabilities are biased
  bool labelled = false;  // also rows that have a label
  std::uint64_t seed = 0;
  std::function<void(std::uint64_t rows, std::uint64_t bytes, std::uint64_t total)> progress = {};
};

// Why a row was chosen.
enum class AskReason : std::uint8_t {
  random,
  rules_disagree,   // two rules that hold say what cannot both be
  rule_against,     // a rule that holds speaks against what is predicted
  unknown,          // unlike the rows that were learned
  between_classes,  // it could be this or that
  nothing_yet       // the model knows nothing: as different as possible
};
std::string_view word(AskReason reason);

struct AskedRow {
  std::uint64_t row = 0, line = 0;  // its number among all rows, from 0; line of the file, 0: not known
  double value = 0;                 // what its label would tell of the model, in nats; of regression, the variance
  AskReason reason = AskReason::random;
  std::string why;                    // in words
  std::optional<double> label;        // predicted
  std::optional<double> probability;  // of it
};

struct Asked {
  std::vector<AskedRow> rows;             // the first to be labelled first
  std::uint64_t seen = 0, had_label = 0;  // rows of the pool; those passed over, since they have a label
};

// One pass over the pool, in memory that does not grow with it. Needs: the columns of the pool are those of the model.
Asked ask(const Model& model, Source& pool, const AskOptions& options = {});

}  // namespace postil
