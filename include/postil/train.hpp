// Training: from a file of examples to a model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "postil/data.hpp"
#include "postil/model.hpp"
#include "postil/schema.hpp"

namespace postil {

// What a user may say about the label beforehand.
struct LabelWishes {
  bool regression = false;                // labels are numbers, not classes
  std::string name;                       // its column, where rules name it; empty: as ReadOptions has it
  std::vector<std::string> classes;       // all there will be; empty: those in the data
  std::string positive;                   // of two classes; empty: the larger number or later name
  std::map<std::string, double> weights;  // of an example of a class; not named: 1
  bool balanced = false;                  // weights that make the classes count alike
  bool more_to_come = false;              // one class is enough to begin with
  LabelKind kind = LabelKind::unknown;

  void take_claims(const RuleFile& rules);  // rules about a number say that, and of which column
};

// How a model is made from data: the learner, its parameters, the scaling, the label.
struct Recipe {
  std::string learner;                          // empty: advised; for regression pa, with rules pa-adviceptron
  std::map<std::string, std::string> settings;  // of the learner
  std::optional<Scale> scale;                   // not given: standard for named columns, none for sparse ones
  LabelWishes label;
  std::uint32_t components =
      0;  // principal components of the training rows that learners see; 0: the features themselves
  std::optional<RuleFile> rules;        // advice
  std::uint64_t memory = kModelMemory;  // that the model may take

  [[nodiscard]] std::uint32_t most_features() const;          // that fit into the memory
  [[nodiscard]] const LearnerInfo& info() const;              // throws ParamError, also if it cannot do regression
  [[nodiscard]] ReadOptions reading(ReadOptions read) const;  // with what the recipe knows of the labels
  [[nodiscard]] Params params() const;                        // throws ParamError
  void check() const;                                         // throws what making the learner would throw
  [[nodiscard]] Scale scale_for(const Table& table) const;
  // What is to be learned of the rows of a table before a schema can be made of them. Needs: the table outlives it.
  [[nodiscard]] Survey survey(const Table& table, ColumnWishes wishes) const;
  // The schema of the rows surveyed, and its label. Throws DataError if there are no two classes.
  [[nodiscard]] Schema schema(const Survey& survey, const Table& table) const;
  // A fresh model. Before any row, columns with a stated domain are scaled to it.
  [[nodiscard]] Model begin(const Survey& survey, const Table& table) const;
  [[nodiscard]] Model begin(Schema schema) const;
};

// Progressive validation: how the predictions made before learning did, at example 1, 2, 4, 8, ... of the first pass.
struct Checkpoint {
  std::uint64_t examples = 0;
  double error = 0;                 // share of wrong labels so far; regression: mean |error|
  double since_last = 0;            // since the checkpoint before
  double truth = 0, predicted = 0;  // labels of this example
  std::uint32_t features = 0;       // values of this example
};

enum class Order : std::uint8_t { file, shuffle, sample };  // sample: with replacement

struct TrainOptions {
  Recipe recipe;
  ReadOptions read;
  std::uint64_t passes = 1;
  std::uint64_t seed = 0;
  Order order = Order::shuffle;
  std::uint64_t memory = 1'000'000'000;  // bytes of rows kept for shuffling
  std::uint64_t cache = 256'000'000;     // bytes of rows kept for further passes in file order; the rest goes to a file
  Model* init = nullptr;                 // go on from here; its schema, learner and parameters hold
  std::string unlabelled;                // a file of rows with the same columns, to be looked at before learning

  std::function<void(const Checkpoint&)> checkpoint;
  std::function<bool(const Model&)> after_pass;  // before the pass is counted; false: no further one
  std::function<void(const Text&)> note;         // what the user should know; never called from another thread
  std::function<void(std::string_view stage, std::uint64_t rows, std::uint64_t bytes, std::uint64_t total)> progress;
};

// The columns of rows to come, by name; none: those that the rules of a recipe name. Needs: rules.
Table columns_to_come(const Recipe& recipe, const ColumnWishes& wishes, const std::vector<std::string>& names,
                      const std::string& label);

// Reads `path` ("-": standard input, in order, its first 256 rows settle the schema) and learns from it.
Model train(const std::string& path, const TrainOptions& options);
// Learns from the rows of a source; `read` of the options tells how its columns are to be understood. Needs: if there is a
// model to go on from, the source's columns are those of its schema.
Model train(Source& source, const TrainOptions& options);

}  // namespace postil
