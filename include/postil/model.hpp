// A model: schema, learners, counters; all that is needed to predict or to go on learning, in one file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "postil/learner.hpp"
#include "postil/reader.hpp"
#include "postil/schema.hpp"

namespace postil {

struct TensorFile;

// One yes/no question: is the row of this class?
struct Task {
  std::uint32_t class_number;  // place in schema.label.classes
  std::unique_ptr<Learner> learner;
};

struct Counters {
  std::uint64_t examples = 0;  // rounds of learning, all passes
  std::uint64_t passes = 0;
  std::uint64_t updates = 0;      // rounds, of any task, that changed the learner
  std::uint64_t mistakes = 0;     // rounds, of any task, with y * score <= 0 before learning
  std::uint64_t first_seen = 0;   // examples of the first pass, with ...
  std::uint64_t first_wrong = 0;  // ... a wrong label predicted before learning

  [[nodiscard]] double progressive_error() const {
    return first_seen == 0 ? 0 : static_cast<double>(first_wrong) / static_cast<double>(first_seen);
  }
};

// Weights of one task in the learner's coordinates and in the data's units: score = weights'x + bias = raw_weights'raw
// + raw_bias.
struct LinearExplanation {
  std::vector<double> weights, raw_weights;
  double bias = 0, raw_bias = 0;
};

class Model {
 public:
  // Needs: schema.label.classes of at least two. Two classes make one task, the positive class's; more make one each.
  Model(Schema schema, const LearnerInfo& learner, Params params);

  [[nodiscard]] const Schema& schema() const { return schema_; }
  [[nodiscard]] const LearnerInfo& learner() const { return *info_; }
  [[nodiscard]] const Params& params() const { return params_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] std::size_t outputs() const { return tasks_.size(); }

  // Rows must be encoded by this model's schema. `scores` holds outputs() numbers.
  void score(Row x, std::span<double> scores) const;
  [[nodiscard]] std::uint32_t decide(std::span<const double> scores) const;  // the class; a score of 0 says yes
  // Predicts the class, then learns it; gives the prediction, which counts in the first pass.
  std::uint32_t learn(Row x, std::uint32_t class_number, double weight, bool first_pass);
  void pass_done() { ++counters_.passes; }
  [[nodiscard]] bool finite();  // no learner's state has overflowed

  // Training only: a schema that names the same features, with what was seen since; or more features of anonymous
  // columns.
  void replace_schema(Schema schema);
  void grow(std::uint32_t features);

  [[nodiscard]] LinearExplanation explain(std::size_t task) const;

  void save(const std::string& path);
  static Model load(const std::string& path);  // throws ModelError
  [[nodiscard]] std::string to_bytes();        // what save would write
  static Model from_bytes(std::string_view bytes, const std::string& name);

 private:
  static Model decode(const TensorFile& file, const std::string& name);

  Schema schema_;
  const LearnerInfo* info_;
  Params params_;
  std::vector<Task> tasks_;
  Counters counters_;
  std::vector<double> scores_;  // work space of learn
};

// ---- training from files ----

// Progressive validation: how the predictions made before learning did, at example 1, 2, 4, 8, ... of the first pass.
struct Checkpoint {
  std::uint64_t examples = 0;
  double error = 0;                        // share of wrong labels so far
  double since_last = 0;                   // since the checkpoint before
  std::uint32_t truth = 0, predicted = 0;  // classes of this example
  std::uint32_t features = 0;              // values of this example
};

enum class Order : std::uint8_t { file, shuffle, sample };  // sample: with replacement

struct TrainOptions {
  std::string learner = "perceptron";
  std::map<std::string, std::string> settings;  // of the learner
  ReadOptions read;
  std::optional<Scale> scale;        // not given: standard for CSV, none for LIBSVM
  std::vector<std::string> classes;  // all labels there will be; empty: those in the file
  std::string positive;              // of two classes; empty: the larger number or later name
  std::uint64_t passes = 1;
  std::uint64_t seed = 0;
  Order order = Order::shuffle;
  std::uint64_t memory = 1'000'000'000;  // bytes of rows kept for shuffling
  std::uint64_t cache =
      256'000'000;        // bytes of rows kept for further passes in file order; the rest goes to a temporary file
  Model* init = nullptr;  // go on from here; its schema, learner and parameters hold

  std::function<void(const Checkpoint&)> checkpoint;
  std::function<void(const std::string&)> note;  // what the user should know; never called from another thread
  std::function<void(std::string_view stage, std::uint64_t rows, std::uint64_t bytes, std::uint64_t total)> progress;
};

// Reads `path` ("-": standard input, in order, its first 256 rows settle the schema) and learns from it.
Model train(const std::string& path, const TrainOptions& options);

// Warnings about values that broke the schema's promises, one sentence each.
std::vector<std::string> describe(const Surprises& surprises, const Schema& schema);

}  // namespace postil
