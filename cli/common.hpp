// What the verbs of the command share: options about data, messages, progress, JSON.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "postil/json.hpp"
#include "postil/postil.hpp"

namespace postil::cli {

inline constexpr const char* kDecideHelp =
    "How to choose labels from probabilities: likely (the likeliest), balanced (rare classes count as much as frequent "
    "ones), or cost:fp=1,fn=10 (cost of a false alarm and of a miss). Default: the sign of the score; for "
    "balanced_error, balanced where the learner gives probabilities itself";
inline constexpr const char* kAbstainHelp =
    ". With ,abstain=P behind it, as in likely,abstain=0.8: no label where the label's probability is below P; with "
    "costs, where every label is expected to cost more than P";

// Of arguments that are data files.
inline constexpr const char* kDataHelp =
    "CSV, LIBSVM, JSON lines or ARFF, also compressed (.gz, .zst, .xz, .bz2); - for standard input";
inline constexpr const char* kOutHelp =
    "file to write, .csv or .svm, also compressed (.gz, .zst, .xz, .bz2); - for standard output";

// Each verb adds itself to the command; its work runs as the subcommand's callback.
void add_learners(CLI::App& app);
void add_inspect(CLI::App& app);
void add_completion(CLI::App& app);
void add_help(CLI::App& app);
void add_man(CLI::App& app);
void add_train(CLI::App& app);
void add_predict(CLI::App& app);
void add_evaluate(CLI::App& app);
void add_ask(CLI::App& app);
void add_explain(CLI::App& app);
void add_report(CLI::App& app);
void add_cv(CLI::App& app);
void add_curve(CLI::App& app);
void add_tune(CLI::App& app);
void add_stream(CLI::App& app);
void add_shard(CLI::App& app);
void add_mix(CLI::App& app);
void add_finish(CLI::App& app);
void add_rules(CLI::App& app);
void add_make(CLI::App& app);
void add_convert(CLI::App& app);
void add_scorecard(CLI::App& app);
void add_experiment(CLI::App& app);

// Standard error is a courtesy: what cannot be written there is lost, and nothing else happens.
void tell(std::string_view text) noexcept;
void note(const Text& text) noexcept;      // "postil: text", in the words of the command
void complain(const Text& text) noexcept;  // the same, of what ends the command
void print(const std::string& text);       // on standard output, exactly; throws DataError
void print_json(const Json& json);

// What the command calls the options that the library's messages name: --kind glucose=categorical.
std::string command_words(const Option& option);
const CLI::Validator& whole_number();           // CLI11 takes -5 for a large unsigned number
const CLI::Validator& not_empty();              // a name, and not that of a shell variable that is not set
const CLI::Validator& not_negative();           // a finite number; CLI11 takes nan
std::string shell_word(std::string_view text);  // in quotes where a shell needs them
bool is_standard_output(const std::string& path);
std::uint64_t parse_size(const std::string& text);  // 500M, 1GB, 1000000; throws ParamError

// Options that say how a data file is to be read.
class DataFlags {
 public:
  void add_to(CLI::App& verb, bool training, bool weights = false);  // training: also those that shape the schema
  [[nodiscard]] ReadOptions read_options() const;
  [[nodiscard]] const std::string& label() const { return label_; }
  [[nodiscard]] bool shape_schema() const {
    return !(ignore_.empty() && na_.empty() && missing_.empty() && kind_.empty());
  }

 private:
  std::string format_, header_, label_, weight_, decimal_;
  std::vector<std::string> ignore_, na_, missing_, kind_;
  unsigned threads_ = 0;
};

// Looks at the first rows of a file to learn from as `inspect` does, and leaves out columns that only tell rows apart, unless
// rules are about them. What is to be said of it; where the file cannot be read, nothing: who reads all of it says so.
std::vector<Text> look_first(const std::string& path, ReadOptions& read, const Recipe& recipe);

// Options that say what kind of model is to be made.
class RecipeFlags {
 public:
  void add_to(CLI::App& verb, bool one_learner = true);  // false: --learner and --set are the verb's own
  void add_schema_to(CLI::App& verb, const std::string& default_scale);  // only what shapes the schema
  [[nodiscard]] Recipe recipe() const;                                   // checked
  // The same, for another learner and other settings than those given.
  // `beside_others`: one of several learners, of which those get the rules that take any.
  [[nodiscard]] Recipe recipe_of(const std::string& learner, std::map<std::string, std::string> settings,
                                 bool beside_others = false) const;
  [[nodiscard]] bool given() const;                     // anything but rules
  [[nodiscard]] std::optional<RuleFile> rules() const;  // throws if the file has none
  [[nodiscard]] std::optional<std::uint64_t> memory() const;

 private:
  std::string learner_, advice_, scale_, classes_, positive_, task_, memory_, preset_;
  std::vector<std::string> settings_, class_weights_;
  bool no_bias_ = false;
  std::uint32_t components_ = 0;
};

// Progress on standard error, if that is a terminal: what is being done, how far, how fast, how long still.
class Meter {
 public:
  Meter();
  ~Meter() { clear(); }
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  void update(std::string_view stage, std::uint64_t rows, std::uint64_t done, std::uint64_t total);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point started_, last_;
};

class Stopwatch {
 public:
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// Calls use(block, scores, predicted classes) for each block of a file, encoded and scored by the model.
struct ScoredRow {
  double label;  // NaN: none
  double predicted;
  std::span<const double> scores;
  const Row& row;
  std::span<const std::string> kept;  // cells of ReadOptions::keep
};
struct LooksAway {
  void operator()(const Block&, const Table&) const {}
};
// `look` sees each block before it is encoded.
template <class Use, class Look = LooksAway>
void for_each_scored(const Model& model, const std::string& path, ReadOptions read, bool use_label, const Use& use,
                     const Look& look = {}) {
  read.schema = &model.schema();
  read.use_label = use_label;
  read.real_labels = model.schema().label.real();
  Reader reader(path, read);
  ModelEncoder encoder(model, reader.table());
  Meter meter;
  std::vector<double> scores(model.outputs());
  std::uint64_t rows = 0;
  for (Block block; reader.next(block);) {
    look(block, reader.table());
    BlockData data = block.release();
    const std::vector<std::string> kept = std::exchange(data.kept, {});
    block = encoder.encode(Block(std::move(data)));
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const Row row = block.row(i);
      model.score(row, scores);
      use(ScoredRow{block.labels().empty() ? std::numeric_limits<double>::quiet_NaN() : block.labels()[i],
                    model.decide(scores), scores, row,
                    std::span(kept).subspan(i * read.keep.size(), read.keep.size())});
    }
    rows += block.rows();
    meter.update("scoring", rows, reader.bytes_read(), reader.bytes_total());
  }
  meter.clear();
  for (const std::string& sentence : describe(encoder.surprises(), model.schema())) note(sentence);
  if (rows == 0) throw DataError({path == "-" ? "standard input" : path, 0, 0}, "there are no rows");
}

}  // namespace postil::cli
