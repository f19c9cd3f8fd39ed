// train.cpp: from a file of examples to a model.
//
// A schema is settled before learning begins and then frozen. Three ways lead there:
//   in memory       the rows fit and are to be shuffled: read once, survey, encode, shuffle, learn; large matrices that
//                   callers lend are not encoded but scaled row by row
//   in file order   learn at once while the first block's schema holds (numbers only, no scaling, no new class); if it
//                   does not, survey the whole file and begin again. Both give the same model.
//   standard input  rows come once, and a session takes them (session.hpp)
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "advice/rule_truth.hpp"
#include "block_store.hpp"
#include "components.hpp"
#include "core/failures.hpp"
#include "core/row_forms.hpp"
#include "postil/random.hpp"
#include "postil/session.hpp"
#include "postil/train.hpp"
#include "postil/watch.hpp"
#include "row_sample.hpp"

namespace postil {
namespace {

constexpr std::size_t kAhead = 4;                  // rows asked for while one is learned
constexpr std::uint64_t kMostCopied = 32'000'000;  // bytes of lent rows, to have them scaled once and not in each pass
constexpr std::uint64_t kKeptBySurvey = 64'000'000;  // bytes of raw rows, so that small files are parsed once

class Trainer {
 public:
  // A stream can be read only once and is not to be kept in memory.
  Trainer(Source& source, const TrainOptions& options, bool stream)
      : source_(source), options_(options), name_(source.table().source), stream_(stream) {}

  Model run() {
    const bool in_file_order = options_.order == Order::file;
    check_unlabelled();
    if (options_.init != nullptr) {
      model_.emplace(std::move(*options_.init));
      unlabelled_before_ = model_->counters().unlabelled;
      if (in_file_order || stream_)
        learn_rest(source_, {});
      else
        learn_in_memory();
    } else {
      const bool whole = options_.recipe.info().mode == Mode::batch || options_.recipe.components > 0;
      if (whole || (!stream_ && !in_file_order))
        learn_in_memory();
      else if (stream_)
        learn_stream();
      else
        learn_in_file_order();
    }
    if (model_->counters().examples == 0) {
      if (!model_->ledger()) throw DataError({name_, 0, 0}, "there is no labelled row to learn from");
      note("there was no labelled row; the model is what the rules say");
    }
    if (!model_->finite())
      throw DataError(
          {.code = Code::overflow,
           .place = {name_},
           .message = "the weights overflowed: the numbers are too large for this learner",
           .remedy = Text(Option{"scale", "", "standard"}, ", or parameters that take smaller steps, help")});
    describe_label();
    if (model_->done())
      note(fmt::format("stopped after {} examples: epsilon was reached", model_->counters().examples));
    if (stream_ && options_.order != Order::file) note("standard input keeps its order");
    if (const std::uint64_t rows = model_->counters().unlabelled - unlabelled_before_; rows > 0)
      note(fmt::format("{} row{} without a label {} not learned from", rows, rows == 1 ? "" : "s",
                       rows == 1 ? "was" : "were"));
    return std::move(*model_);
  }

 private:
  // ---- settling the schema ----

  void begin(const Survey& survey) { model_.emplace(options_.recipe.begin(survey, source_.table())); }

  void begin_with_components(const Survey& survey, std::span<const Block> raw) {
    Schema schema = options_.recipe.schema(survey, source_.table());
    Encoder encoder(schema, source_.table());
    std::vector<Block> encoded;
    encoded.reserve(raw.size());
    for (const Block& block : raw) encoded.push_back(encoder.encode(Block(block.copied())));
    schema.projection = principal_components(encoded, schema.features, options_.recipe.components);
    note(fmt::format("{} principal components of {} features hold {:.3g} % of the variance",
                     schema.projection.components, schema.features, 100 * schema.projection.share));
    model_.emplace(options_.recipe.begin(std::move(schema)));
  }

  void check_unlabelled() const {
    if (options_.unlabelled.empty()) return;
    if (options_.init != nullptr)
      throw ParamError(
          Text(Option{"unlabelled"}, " rows are looked at before the first example; this model has learned already"));
    if (const LearnerInfo& info = options_.recipe.info(); !info.studies)
      throw ParamError(Text(info.name, " does not look at rows without labels (", Option{"unlabelled"}, ")"));
  }

  [[nodiscard]] Survey new_survey() const { return options_.recipe.survey(source_.table(), options_.read.wishes); }

  // What learners want to know of rows before they learn: these, and those of the file of unlabelled ones.
  void study(Model& model, std::span<const Block> rows) const {
    if (options_.unlabelled.empty()) return model.study(rows);
    ReadOptions read;
    read.wishes = options_.read.wishes;
    read.schema = &model.schema();
    read.use_label = false;
    Reader reader(options_.unlabelled, read);
    ModelEncoder encoder(model, reader.table());
    RowSample more{.most = Model::kStudied};
    for (Block block; reader.next(block); block = Block()) {
      block = encoder.encode(std::move(block));
      for (std::size_t i = 0; i < block.rows(); ++i) more.take(block, i);
    }
    model.study(rows, more.rows);
  }

  // ---- learning ----

  void learn(const Block& block, std::size_t i, bool first_pass) {
    double label = block.labels().empty() ? std::numeric_limits<double>::quiet_NaN() : block.labels()[i];
    Row x = block.row(i);
    if (scaled_late_) {
      x = scaled(x);
      if (!classes_.empty() && !std::isnan(label)) label = classes_[static_cast<std::size_t>(label)];
    }
    const double predicted = model_->learn(x, label, block.weight(i), first_pass, block.line(i));
    if (first_pass && options_.checkpoint && !std::isnan(label) && std::has_single_bit(model_->counters().first_seen))
      report_checkpoint(model_->counters(), label, predicted, block.row(i).count);
  }
  void learn(const Block& block, bool first_pass) {
    if (!first_pass || !options_.checkpoint) {
      model_->learn(block, first_pass);
      return;
    }
    model_->learn(block, true, [&](std::size_t i, double predicted) {
      if (std::has_single_bit(model_->counters().first_seen))
        report_checkpoint(model_->counters(), block.labels()[i], predicted, block.row(i).count);
    });
  }

  // Learns the raw blocks given and then the rest of the source's, in order, and makes the further passes. Needs:
  // model_ is begun.
  void learn_rest(Source& source, std::vector<Block> raw) {
    ModelEncoder encoder(*model_, source.table());
    BlockStore store(options_.cache);
    Block block;
    std::size_t given = 0;
    bool first = options_.init == nullptr;
    for (;;) {
      if (given < raw.size())
        block = std::move(raw[given++]);
      else if (!source.next(block))
        break;
      if (source.table().sparse()) model_->grow(source.table().width);
      block = encoder.encode(std::move(block));
      if (std::exchange(first, false)) study(*model_, std::span(&block, 1));
      learn(block, true);
      tell("learning", source);
      if (options_.passes > 1) store.add(block);
    }
    report(encoder);
    further_passes(store);
  }

  void further_passes(const BlockStore& store) {
    bool more = go_on();
    for (std::uint64_t pass = 2; pass <= options_.passes && more; ++pass) {
      store.for_each([&](const Block& block) {
        learn(block, false);
        tell(fmt::format("pass {}", pass));
      });
      more = go_on();
    }
  }

  // Counts a pass; whether another should follow.
  bool go_on() {
    const bool wanted = !options_.after_pass || options_.after_pass(*model_);
    model_->pass_done();
    return wanted && !model_->done();
  }

  // The first rows settle the schema; whatever later ones bring finds room.
  void learn_stream() {
    Survey survey = new_survey();
    std::vector<Block> kept;
    std::size_t rows = 0;
    for (Block block; rows < Session::kSettlingRows && source_.next(block); block = Block()) {
      survey.add(block, Session::kSettlingRows - rows);
      rows += block.rows();
      kept.push_back(std::move(block));
    }
    if (kept.empty()) fail_empty();
    Recipe recipe = options_.recipe;
    recipe.label.more_to_come = true;
    Model begun = recipe.begin(survey, source_.table());
    {
      ModelEncoder encoder(begun, source_.table());
      std::vector<Block> seen;
      for (const Block& block : kept) {
        BlockData data = block.copied();
        data.labels.assign(data.labels.size(), std::numeric_limits<double>::quiet_NaN());
        seen.push_back(encoder.encode(Block(std::move(data))));
      }
      study(begun, seen);
    }
    Session session(std::move(begun));
    session.note = options_.note;
    session.by_line = true;
    Session::Feed feed(session, source_.table());
    BlockStore store(options_.cache);
    std::size_t given = 0;
    for (Block block;; block = Block()) {
      if (given < kept.size())
        block = std::move(kept[given++]);
      else if (!source_.next(block))
        break;
      block = feed.adopt(std::move(block));
      Block again;
      if (options_.passes > 1) again = Block(block.copied());
      const Model& model = *session.model();
      session.learn(std::move(block), [&](double label, double predicted, std::uint32_t features) {
        if (options_.checkpoint && std::has_single_bit(model.counters().first_seen))
          report_checkpoint(model.counters(), label, predicted, features);
      });
      tell("learning", source_, model.counters().examples);
      if (options_.passes > 1) store.add(session.encode(std::move(again)));
    }
    for (const std::string& sentence : describe(*session.surprises(), session.model()->schema())) note(sentence);
    model_.emplace(std::move(session).release());
    Counters counters = model_->counters();
    counters.rows = 0;  // of a stream
    model_->succeed(counters);
    if (model_->schema().label.classes.size() == 1) fail_one_class();
    further_passes(store);
  }

  void learn_in_memory() {
    std::optional<Survey> survey;
    if (!model_) survey.emplace(new_survey());
    std::vector<Block> blocks;
    std::uint64_t bytes = 0;
    for (Block block; source_.next(block); block = Block()) {
      bytes += block.bytes();
      if (survey) survey->add(block);
      blocks.push_back(std::move(block));
      tell("reading", source_);
      if (options_.recipe.info().mode == Mode::online && options_.recipe.components == 0 && bytes > options_.memory &&
          (!survey || source_.can_begin_again())) {  // a pipe has to fit
        note(Text(fmt::format("the rows take more than {:.3g} MB", static_cast<double>(options_.memory) / 1e6),
                  Text::hint(" (", Option{"memory"}, ")"), "; they keep the order of the file"));
        if (!survey) {
          learn_rest(source_, std::move(blocks));
          return;
        }
        blocks.clear();
        survey_and_learn(*survey);
        return;
      }
    }
    if (blocks.empty()) fail_empty();
    if (survey && options_.recipe.components > 0)
      begin_with_components(*survey, blocks);
    else if (survey)
      begin(*survey);
    ModelEncoder encoder(*model_, source_.table());
    if (survey && options_.read.wishes.kinds.empty()) encoder.trust();
    if (survey && bytes > kMostCopied && can_be_scaled_late(blocks)) {
      scale_late(blocks);
      learn_shuffled(blocks);
      return;
    }
    if (source_.table().sparse()) model_->grow(source_.table().width);
    for (Block& block : blocks) block = encoder.encode(std::move(block));
    report(encoder);
    if (survey) study(*model_, blocks);
    if (model_->learner().mode == Mode::batch) {
      tell("solving");
      if (options_.passes > 1) note(Text("the learner takes all rows at once; ", Option{"passes"}, " changes nothing"));
      model_->fit(blocks);
      return;
    }
    learn_shuffled(blocks);
  }

  // ---- rows of a matrix that a caller lends: to scale them all at once would be a second matrix ----

  // Whether they need no more than scaling.
  [[nodiscard]] bool can_be_scaled_late(std::span<const Block> blocks) const {
    const Schema& schema = model_->schema();
    if (model_->learner().mode == Mode::batch || schema.sparse() || schema.scaling.identity() ||
        schema.projection.components > 0 || !options_.read.wishes.kinds.empty())
      return false;
    for (std::uint32_t j = 0; j < schema.columns.size(); ++j) {
      const Column& column = schema.columns[j];
      if (column.categorical() || column.seen.missing > 0 || column.features != std::vector{j}) return false;
    }
    return std::all_of(blocks.begin(), blocks.end(),
                       [](const Block& block) { return block.borrowed() && block.dense(); });
  }

  // From here on learn() scales. Needs: can_be_scaled_late.
  void scale_late(std::vector<Block>& blocks) {
    scaled_late_ = true;
    const std::vector<std::string>& classes = model_->schema().label.classes;
    for (const std::string& label : source_.table().labels)  // the schema is made of these
      classes_.push_back(static_cast<double>(std::find(classes.begin(), classes.end(), label) - classes.begin()));
    if (model_->advice()) {
      RuleTruth truth(*model_->advice(), model_->schema(), source_.table());
      for (Block& block : blocks) block.set_rules(truth.of(block));
    }
    if (!model_->learner().studies) return;
    BlockData chosen;  // the rows that Model::study would look at
    std::size_t count = 0, at = 0, taken = 0;
    for (const Block& block : blocks) count += block.rows();
    for (const Block& block : blocks)
      for (std::size_t i = 0; i < block.rows(); ++i, ++at) {
        if (count > Model::kStudied && at * Model::kStudied < taken * count) continue;
        chosen.append(scaled(block.row(i)), block.width());
        ++taken;
      }
    const Block rows(std::move(chosen));
    study(*model_, std::span(&rows, 1));
  }

  Row scaled(const Row& raw) {
    row_.resize(raw.count);
    scale_row(raw, model_->schema().scaling, row_.data());
    Row out = raw;
    out.values = row_.data();
    out.single = false;
    return out;
  }

  void learn_shuffled(const std::vector<Block>& blocks) {
    struct Place {
      std::uint32_t block, row;
    };
    std::vector<Place> places;
    for (std::uint32_t b = 0; b < blocks.size(); ++b)
      for (std::uint32_t i = 0; i < blocks[b].rows(); ++i) places.push_back({b, i});
    Random random(options_.seed);
    for (std::uint64_t pass = 1; pass <= options_.passes; ++pass) {
      if (options_.order == Order::shuffle) random.shuffle(std::span(places));
      for (std::size_t k = 0; k < places.size() && !model_->done(); ++k) {
        const Place& place = options_.order == Order::sample ? places[random.below(places.size())] : places[k];
        if (k + kAhead < places.size()) blocks[places[k + kAhead].block].row(places[k + kAhead].row).prefetch();
        learn(blocks[place.block], place.row, pass == 1);
        if (k % kLookUpRows == 0) look_up();
        if (k % 4096 == 4095) tell(fmt::format("pass {}", pass));
      }
      if (!go_on()) break;
    }
  }

  void learn_in_file_order() {
    Survey survey = new_survey();
    Block block;
    if (!source_.next(block)) fail_empty();
    survey.add(block);
    if (!can_learn_at_once(survey)) {
      std::vector<Block> first;
      first.push_back(std::move(block));
      survey_and_learn(survey, std::move(first));
      return;
    }
    begin(survey);
    const std::size_t classes = source_.table().labels.size();
    BlockStore store(options_.cache);
    std::optional<ModelEncoder> encoder(std::in_place, *model_, source_.table());
    encoder->trust();
    do {
      model_->grow(source_.table().width);
      block = encoder->encode(std::move(block));
      if (model_->counters().examples == 0) study(*model_, std::span(&block, 1));
      learn(block, true);
      tell("learning", source_);
      if (options_.passes > 1) store.add(block);
      if (!source_.next(block)) {
        if (!source_.table().sparse()) model_->replace_schema(options_.recipe.schema(survey, source_.table()));
        further_passes(store);
        return;
      }
      survey.add(block);
    } while (source_.table().labels.size() == classes && can_learn_at_once(survey));
    // The first block's schema does not hold for the whole file.
    encoder.reset();
    model_.reset();
    survey_and_learn(survey);
  }

  // Whether rows can be encoded without knowing those that come later, given what was read so far.
  [[nodiscard]] bool can_learn_at_once(const Survey& survey) const {
    const Table& table = source_.table();
    const bool numbers = std::all_of(table.columns.begin(), table.columns.end(), [](const TableColumn& column) {
      return column.type == TableColumn::Type::number;
    });
    const LabelWishes& label = options_.recipe.label;
    return options_.recipe.scale_for(table) == Scale::none && numbers && !(table.sparse() && options_.recipe.rules) &&
           options_.read.wishes.kinds.empty() && !survey.any_missing() &&
           (label.regression || table.labels.size() > 1 || label.classes.size() > 1) && !label.balanced;
  }

  // Completes a survey begun with the source and learns in file order, reading the file again unless all its rows are
  // at hand.
  void survey_and_learn(Survey& survey, std::vector<Block> kept = {}) {
    std::uint64_t bytes = 0;
    bool keeping = !kept.empty();
    for (Block block; source_.next(block);) {
      survey.add(block);
      tell("surveying", source_);
      bytes += block.bytes();
      if (keeping && bytes > kKeptBySurvey) {
        kept.clear();
        keeping = false;
      }
      if (!keeping) continue;
      kept.push_back(std::move(block));
      block = Block();
    }
    begin(survey);
    if (keeping) {
      learn_rest(source_, std::move(kept));
      return;
    }
    const std::unique_ptr<Source> again = source_.again();
    learn_rest(*again, {});
  }

  [[noreturn]] void fail_empty() const { throw DataError({name_, 0, 0}, "there are no rows"); }
  [[noreturn]] void fail_one_class() const {
    const Label& label = model_->schema().label;
    throw DataError(one_class(label.classes[0], label.name, {name_}));
  }

  // ---- telling ----

  void note(const Text& text) const {
    if (options_.note) options_.note(text);
  }
  void report_checkpoint(const Counters& now, double truth, double predicted, std::uint32_t features) {
    if (now.first_seen <= last_seen_) {  // training began again
      last_seen_ = 0;
      last_loss_ = 0;
    }
    options_.checkpoint({.examples = now.first_seen,
                         .error = now.progressive_error(),
                         .since_last = (now.first_loss - last_loss_) / static_cast<double>(now.first_seen - last_seen_),
                         .truth = truth,
                         .predicted = predicted,
                         .features = features});
    last_seen_ = now.first_seen;
    last_loss_ = now.first_loss;
  }
  void describe_label() const {
    const Label& label = model_->schema().label;
    if (label.real())
      note(fmt::format("label {}: numbers", in_quotes(label.name)));
    else if (label.classes.size() == 2)
      note(fmt::format("label {}: {} is positive, {} negative", in_quotes(label.name),
                       in_quotes(label.classes[label.positive]), in_quotes(label.classes[1 - label.positive])));
    else
      note(fmt::format("label {}: {} classes, each against the rest", in_quotes(label.name), label.classes.size()));
  }
  void report(const ModelEncoder& encoder) const {
    for (const std::string& sentence : describe(encoder.surprises(), model_->schema())) note(sentence);
  }
  void tell(std::string_view stage, const Source& source) const {
    tell(stage, source, model_ ? model_->counters().examples : 0);
  }
  void tell(std::string_view stage, const Source& source, std::uint64_t examples) const {
    if (options_.progress) options_.progress(stage, examples, source.bytes_read(), source.bytes_total());
  }
  void tell(std::string_view stage) const {
    if (options_.progress) options_.progress(stage, model_->counters().examples, 0, 0);
  }

  Source& source_;
  const TrainOptions& options_;
  std::string name_;  // of the source
  bool stream_;
  std::optional<Model> model_;
  bool scaled_late_ = false;             // rows are scaled when they are learned, and ...
  std::vector<double> classes_;          // ... these are the numbers of their labels' classes; none in regression
  std::vector<double> row_;              // work space of scaled()
  std::uint64_t unlabelled_before_ = 0;  // this run
  std::uint64_t last_seen_ = 0;          // at the last checkpoint
  double last_loss_ = 0;
};

}  // namespace

Model train(Source& source, const TrainOptions& options) { return Trainer(source, options, false).run(); }

Model train(const std::string& path, const TrainOptions& options) {
  ReadOptions read = options.recipe.reading(options.read);
  Schema schema;
  if (options.init != nullptr) {
    if (options.init->learner().mode == Mode::batch)
      throw ParamError({.code = Code::unsupported,
                        .subject = {"learner", std::string(options.init->learner().name)},
                        .message = Text(options.init->learner().name,
                                        " learns from all examples at once; it cannot continue from a model",
                                        Text::hint(" (", Option{"init"}, ")"))});
    schema = options.init->schema();
    read.schema = &schema;
    read.real_labels = schema.label.real();
  }
  Reader reader(path, read);
  const bool stream = path == "-" || (options.order == Order::file && !can_read_again(path));
  return Trainer(reader, options, stream).run();
}

}  // namespace postil
