// postil stream: predicting and learning for ever.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <csignal>
#include <filesystem>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

struct StreamFlags {
  std::string data = "-", model;
  std::uint64_t every = 10'000;
  double seconds = 60;
  bool scores = false, json = false, quiet = false, replay = false;
  RecipeFlags recipe;
  DataFlags reading;
};

// SIGINT and SIGTERM make a pipe readable, so that whoever waits for input sees them at once.
class StopSignal {
 public:
  StopSignal() {
    if (::pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) throw DataError({"", 0, 0}, "cannot make a pipe");
    write_end_ = pipe_[1];
    struct sigaction action {};
    action.sa_handler = [](int) {
      const int saved = errno;
      [[maybe_unused]] const ssize_t written = ::write(write_end_, "", 1);
      errno = saved;
    };
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
  }
  [[nodiscard]] int descriptor() const { return pipe_[0]; }
  [[nodiscard]] bool given() const {  // forgets nothing: only called when about to end
    char byte = 0;
    return ::read(pipe_[0], &byte, 1) == 1;
  }

 private:
  int pipe_[2] = {-1, -1};
  static inline volatile std::sig_atomic_t write_end_ = -1;
};

// SIGHUP asks for the rules to be read again, as it does of daemons and their settings.
class ReloadSignal {
 public:
  ReloadSignal() {
    struct sigaction action {};
    action.sa_handler = [](int) { asked_ = 1; };
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGHUP, &action, nullptr);
  }
  [[nodiscard]] static bool taken() { return std::exchange(asked_, 0) != 0; }

 private:
  static inline volatile std::sig_atomic_t asked_ = 0;
};

// What the model file was made with must be what is asked for now.
void check_same(const Model& model, const Recipe& recipe, const ReadOptions& read, const std::string& path) {
  const auto fail = [&](const std::string& what) {
    throw ParamError(fmt::format("{} goes on with {}; another needs another --model", path, what));
  };
  const Schema& schema = model.schema();
  if (!recipe.learner.empty() && recipe.info().name != model.learner().name)
    fail(fmt::format("learner {}", model.learner().name));
  if ((!recipe.learner.empty() || !recipe.settings.empty()) && recipe.params().texts() != model.params().texts())
    fail("its own parameters, which --set or --no-bias changes");
  if (recipe.label.regression != schema.label.real()) fail("its own --task");
  if (recipe.scale && *recipe.scale != schema.scale) fail(fmt::format("--scale {}", word(schema.scale)));
  const LabelWishes& label = recipe.label;
  if (!label.positive.empty() && schema.label.classes.size() == 2 &&
      canonical_label(label.positive) != model.label_text(schema.label.positive))
    fail(fmt::format("{} as the positive class", in_quotes(model.label_text(schema.label.positive))));
  std::vector<std::string> classes;
  for (const std::string& name : label.classes) classes.push_back(canonical_label(name));
  if (!classes.empty() && ordered_classes(classes) != schema.label.classes)
    fail(fmt::format("the classes {}", joined(schema.label.classes)));
  for (const auto& [name, weight] : label.weights)
    for (std::size_t c = 0; c < schema.label.classes.size(); ++c)
      if (schema.label.classes[c] == canonical_label(name) &&
          (schema.label.weights.empty() ? 1 : schema.label.weights[c]) != weight)
        fail("its own --class-weight");
  if (label.balanced && schema.label.weights.empty()) fail("classes of equal weight");
  for (const Column& column : schema.columns) {
    const std::string title = fmt::format("column {} as it is", in_quotes(column.name));
    if (std::find(read.ignore.begin(), read.ignore.end(), column.name) != read.ignore.end()) fail(title);
    for (const std::string& key : {std::string(), column.name}) {
      if (const auto kind = read.wishes.kinds.find(key);
          kind != read.wishes.kinds.end() && kind->second != column.kind())
        fail(title);
      const auto missing = read.wishes.missing.find(key);
      const bool own = key.empty() && read.wishes.missing.contains(column.name);
      if (missing != read.wishes.missing.end() && !own && missing->second != column.missing &&
          !(missing->second == Missing::indicator && column.missing == Missing::zero))
        fail(title);
      if (const auto na = read.wishes.na.find(key); na != read.wishes.na.end())
        for (const std::string& text : na->second)
          if (std::find(column.na.begin(), column.na.end(), text) == column.na.end()) fail(title);
    }
  }
}

class Streamer {
 public:
  explicit Streamer(const StreamFlags& flags) : flags_(flags), out_("-") {}

  void run() {
    std::error_code none;
    if (flags_.model == "-" ||
        (std::filesystem::exists(flags_.model, none) && !std::filesystem::is_regular_file(flags_.model, none)))
      throw ParamError(fmt::format("--model {}: stream needs a regular file to keep its model in", flags_.model));
    const FileLock lock(flags_.model);
    if (std::filesystem::exists(flags_.model, none)) session_.emplace(Session::load(flags_.model));
    const Model* model = session_ ? session_->model() : nullptr;
    const Recipe recipe = flags_.recipe.recipe();
    ReadOptions read = recipe.reading(flags_.reading.read_options());
    read.chunk_bytes = 16 * 1024;
    read.live = LiveInput{stop_.descriptor(), [this] { return before_waiting(); }};
    if (model != nullptr && model->learner().mode == Mode::batch)
      throw ParamError(
          fmt::format("{} learns from all examples at once; a stream needs a learner that takes them in turn",
                      model->learner().name));
    if (model != nullptr && (flags_.recipe.given() || flags_.reading.shape_schema()))
      check_same(*model, recipe, read, flags_.model);
    const bool other_rules = model != nullptr && recipe.rules && model->rules() != recipe.rules->text;
    Schema schema;
    if (model != nullptr) {
      schema = model->schema();
      read.schema = &schema;
      read.more_columns = true;
      read.real_labels = schema.label.real();
    }
    if (model == nullptr && recipe.rules)  // a column that rules compare with words holds categories
      for (const auto& [name, categories] : categories_in(*recipe.rules))
        read.wishes.kinds.try_emplace(name, Kind::categorical);
    std::optional<Reader> reader;
    try {
      reader.emplace(flags_.data, read);
    } catch (const DataError&) {
      if (!stop_.given()) throw;
      return;  // stopped before there was anything
    }
    std::uint64_t to_skip = 0;
    if (model != nullptr) {
      const Counters& seen = model->counters();
      checkpoint_rows_ = seen.rows;
      last_seen_ = seen.first_seen;
      last_loss_ = seen.first_loss;
      if (flags_.replay) to_skip = seen.rows;
      if (!flags_.quiet)
        note(fmt::format("{} has seen {} rows and goes on{}", flags_.model, seen.rows,
                         flags_.replay ? ", after skipping as many of the input" : ""));
    } else {
      session_.emplace(recipe, read.wishes, reader->table());
    }
    if (!flags_.quiet) session_->note = note;
    session_->tell_probabilities = flags_.json;
    if (other_rules) change_rules(*recipe.rules);
    take_all(*reader, to_skip);
    finish();
  }

 private:
  // Rules that changed: what was learned from examples stays.
  void change_rules(const RuleFile& rules) {
    session_->advise(rules);
    if (!flags_.quiet) note(fmt::format("the rules of {} hold from row {} on", rules.source, row_number() + 1));
  }
  void reload_rules() {
    try {
      if (const std::optional<RuleFile> rules = flags_.recipe.rules()) change_rules(*rules);
    } catch (const Error& error) {  // a mistake in a rule must not end a stream
      note(Text("the rules stay as they were: ", error.failure().text()));
    }
  }

  void take_all(Reader& reader, std::uint64_t to_skip) {
    Session::Feed feed(*session_, reader.table());
    for (Block block;; block = Block()) {
      std::optional<Session::Answer> answered;
      std::optional<Failure> problem;
      try {
        if (!reader.next(block)) {
          if (to_skip > 0)
            note(fmt::format("the input has {} rows fewer than {} has already processed; is it the right input?",
                             to_skip, flags_.model));
          return;
        }
        if (ReloadSignal::taken()) reload_rules();
        if (to_skip == 0) answered = std::move(session_->take(feed.adopt(std::move(block))).at(0));
      } catch (const DataError& error) {
        problem = error.failure();
        if (problem->code == Code::cannot_read || problem->code == Code::damaged_file ||
            problem->code == Code::too_long) {  // there is no next row
          flush();
          save();
          throw;
        }
      }
      if (to_skip > 0) {
        --to_skip;
        continue;
      }
      if (answered) {
        answer(*answered);
      } else {
        note(problem->text());
        session_->skip_row();
        answer_text(flags_.json ? problem_json(*problem) : "");
      }
      if (checkpoint_due()) checkpoint();
    }
  }

  // A row that could not be used, with what is wrong in parts.
  std::string problem_json(const Failure& problem) {
    const auto text = [](const std::string& words) { return words.empty() ? Json() : Json(words); };
    const auto number = [](std::uint64_t place) { return place == 0 ? Json() : Json(place); };
    const Json json{{"row", row_number()},
                    {"error", problem.text().plain(command_words)},
                    {"code", word(problem.code)},
                    {"line", number(problem.place.line)},
                    {"column", number(problem.place.column)},
                    {"subject", problem.subject.kind.empty()
                                    ? Json()
                                    : Json{{"kind", problem.subject.kind}, {"name", text(problem.subject.name)}}},
                    {"found", text(problem.found)},
                    {"expected", text(problem.expected)},
                    {"remedy", text(problem.remedy.plain(command_words))}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);  // a name may be no valid UTF-8
  }

  void answer(const Session::Answer& answer) {
    if (flags_.json) {
      const bool real = session_->model() != nullptr && session_->model()->schema().label.real();
      const auto label = [&](const std::string& text) { return real ? Json(std::stod(text)) : Json(text); };
      Json json{{"row", row_number()}, {"label", answer.predicted ? label(*answer.predicted) : Json()}};
      if (answer.scores.size() > 1)
        json["scores"] = answer.scores;
      else
        json["score"] = answer.scores.empty() ? Json() : Json(answer.scores[0]);
      for (const auto& [name, probability] : answer.probabilities) json["probabilities"][name] = probability;
      json["truth"] = answer.truth.empty() ? Json() : label(answer.truth);
      json["learned"] = answer.learned;
      if (!answer.rules.empty()) {
        json["rules"] = Json::array();
        for (const Session::Answer::Said& said : answer.rules)
          json["rules"].push_back({{"id", said.id}, {"agrees", said.agrees ? Json(*said.agrees) : Json()}});
      }
      answer_text(json.dump());
    } else {
      std::string line = answer.predicted ? csv_cell(*answer.predicted) : "";
      if (flags_.scores)
        for (const double score : answer.scores) line += fmt::format(",{}", score);
      if (flags_.scores && answer.scores.empty()) line += ',';
      answer_text(line);
    }
    if (!flags_.quiet && answer.predicted && !answer.truth.empty()) show_progress(answer);
  }

  // The table that users of Vowpal Wabbit know, line by line.
  void show_progress(const Session::Answer& answer) {
    const Counters& now = session_->model()->counters();
    if (!std::has_single_bit(now.first_seen)) return;
    if (!std::exchange(header_shown_, true))
      tell(fmt::format("{:>10} {:>10} {:>10}  {:<16} {:<16}\n", "error", "since last", "examples", "label",
                       "predicted"));
    tell(fmt::format("{:>10.6f} {:>10.6f} {:>10}  {:<16} {:<16}\n", now.progressive_error(),
                     (now.first_loss - last_loss_) / static_cast<double>(now.first_seen - last_seen_), now.first_seen,
                     answer.truth, *answer.predicted));
    last_seen_ = now.first_seen;
    last_loss_ = now.first_loss;
    if (now.first_seen >= 64) tell(ledger_text(*session_->model()));
  }

  void answer_text(const std::string& line) {
    pending_ += line;
    pending_ += '\n';
    if (pending_.size() > 64 * 1024) flush();
  }
  void flush() {
    if (pending_.empty()) return;
    const std::string text = std::exchange(pending_, {});
    try {
      out_.write(text);
      out_.flush();
    } catch (const DataError&) {  // nobody reads the answers: keep what was learned, then tell
      save();
      throw;
    }
  }

  [[nodiscard]] std::uint64_t row_number() const { return session_->rows(); }

  int before_waiting() {
    flush();
    const bool all_saved = !session_ || session_->model() == nullptr || (row_number() == checkpoint_rows_ && !failing_);
    if (all_saved || flags_.seconds <= 0) return -1;
    const double left = flags_.seconds - since_checkpoint_.seconds();
    if (left > 0) return static_cast<int>(std::min(left, 1e6) * 1000) + 1;
    checkpoint();
    return failing_ ? before_waiting() : -1;
  }

  [[nodiscard]] bool checkpoint_due() const {
    if (row_number() - checkpoint_rows_ >= flags_.every) return true;
    constexpr std::uint64_t kLook = 256;  // rows between looks at the clock, while input never pauses
    return flags_.seconds > 0 && row_number() % kLook == 0 && since_checkpoint_.seconds() > flags_.seconds;
  }

  // The answers first: what the file has learned has been answered. A file that cannot be written now may be later.
  void checkpoint() {
    flush();
    since_checkpoint_ = Stopwatch();
    checkpoint_rows_ = row_number();
    try {
      save();
      if (std::exchange(failing_, false)) note(fmt::format("{} is saved again", flags_.model));
    } catch (const DataError& error) {
      if (!std::exchange(failing_, true))
        note(Text(error.failure().text(), "; the stream continues and will try again at the next checkpoint"));
    }
  }

  void save() {
    const Model* model = session_->model();
    if (model == nullptr) return;
    if (!model->finite())
      throw DataError(
          {flags_.data == "-" ? "standard input" : flags_.data, 0, 0},
          fmt::format(
              "the weights overflowed: the numbers are too large for this learner; {} keeps the last checkpoint",
              flags_.model));
    OutputFile file(flags_.model);
    file.write(session_->to_bytes());
    file.commit();
  }

  void finish() {
    const Model* model = session_->model();
    if (flags_.json && model != nullptr && model->ledger()) {
      Json json{{"row", row_number()}};
      add_ledger(json["ledger"], *model);
      answer_text(json.dump());
    }
    flush();
    out_.commit();
    if (model == nullptr) {
      note("there was no labelled row; nothing was saved");
      return;
    }
    save();
    if (flags_.quiet) return;
    for (const std::string& sentence : describe(*session_->surprises(), model->schema())) note(sentence);
    note(fmt::format("{} rows, {} examples, progressive error {:.4f}; model saved to {}", model->counters().rows,
                     model->counters().examples, model->counters().progressive_error(), flags_.model));
  }

  const StreamFlags& flags_;
  StopSignal stop_;
  ReloadSignal reload_;
  OutputFile out_;
  std::string pending_;
  std::optional<Session> session_;
  std::uint64_t checkpoint_rows_ = 0;
  Stopwatch since_checkpoint_;
  bool failing_ = false;  // the last checkpoint could not be written
  bool header_shown_ = false;
  std::uint64_t last_seen_ = 0;
  double last_loss_ = 0;
};

}  // namespace

void add_stream(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("stream", "Predict and learn from examples as they arrive, without end");
  auto flags = std::make_shared<StreamFlags>();
  verb->add_option("DATA", flags->data, "CSV with a header, or LIBSVM text. Default: standard input");
  verb->add_option("--model", flags->model, "File of the model. If it exists, the stream continues from it")
      ->required()
      ->check(not_empty());
  flags->recipe.add_to(*verb);
  verb->add_option("--every", flags->every, "Rows between checkpoints of the model")
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000'000}))
      ->capture_default_str();
  verb->add_option("--seconds", flags->seconds,
                   "Longest time between a row and its checkpoint, in seconds; 0: no limit")
      ->check(not_negative())
      ->capture_default_str();
  verb->add_flag("--replay", flags->replay,
                 "The input starts again at its first row: skip the rows up to the last checkpoint, then continue.");
  verb->add_flag("--scores", flags->scores, "Print the scores too, after the label");
  verb->add_flag("--quiet", flags->quiet, "No progressive validation and no remarks on standard error");
  verb->add_flag("--json", flags->json, "Print one JSON object per line");
  flags->reading.add_to(*verb, true, true);
  verb->footer(
      "Answers each row with a line: the label predicted before learning from it; empty while no label is known.\n"
      "SIGINT and SIGTERM end it cleanly: what was read is learned and saved. SIGHUP reads --advice again; another\n"
      "--advice when the stream goes on changes the rules too. What was learned from examples stays. No answer is "
      "lost\n"
      "in a crash or by kill -9: run it again with --replay. Answers after the last checkpoint are then printed "
      "again,\n"
      "with the same row numbers and the same bits.\n"
      "Example:  postil make synthetic --rows 500 -o points.csv\n"
      "          postil stream --model live.postil points.csv --json");
  verb->callback([=] { Streamer(*flags).run(); });
}

}  // namespace postil::cli
