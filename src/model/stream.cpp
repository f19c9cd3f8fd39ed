#include "postil/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/number.hpp"
#include "core/text.hpp"
#include "postil/error.hpp"
#include "postil/writer.hpp"

namespace postil {
namespace {

using Json = nlohmann::json;

constexpr double kNoLabel = std::numeric_limits<double>::quiet_NaN();

// ---- what a model file must know of a stream that is not settled ----

struct StreamOptions {
  Recipe recipe;
  ReadOptions read;  // of the rows kept
};

template <class Value, class ToText>
Json texts_json(const std::map<std::string, Value>& map, const ToText& to_text) {
  Json json = Json::object();
  for (const auto& [key, value] : map) json[key] = to_text(value);
  return json;
}

std::string to_json(const StreamOptions& options) {
  const LabelWishes& label = options.recipe.label;
  return Json{{"learner", options.recipe.learner},
              {"settings", options.recipe.settings},
              {"scale", options.recipe.scale ? word(*options.recipe.scale) : ""},
              {"regression", label.regression},
              {"classes", label.classes},
              {"positive", label.positive},
              {"weights", label.weights},
              {"balanced", label.balanced},
              {"rules", options.recipe.rules ? options.recipe.rules->text : ""},
              {"libsvm", options.read.format == Format::libsvm},
              {"label", options.read.label.value_or("")},
              {"weight", options.read.weight.value_or("")},
              {"kinds", texts_json(options.read.wishes.kinds, [](Kind kind) { return word(kind); })},
              {"missing", texts_json(options.read.wishes.missing, [](Missing missing) { return word(missing); })},
              {"na", options.read.wishes.na}}
      .dump();
}

StreamOptions from_json(const std::string& text) {
  const Json json = Json::parse(text);
  StreamOptions out;
  LabelWishes& label = out.recipe.label;
  out.recipe.learner = json.at("learner").get<std::string>();
  out.recipe.settings = json.at("settings").get<std::map<std::string, std::string>>();
  if (const auto scale = json.at("scale").get<std::string>(); !scale.empty()) out.recipe.scale = scale_of(scale);
  label.regression = json.at("regression").get<bool>();
  label.classes = json.at("classes").get<std::vector<std::string>>();
  label.positive = json.at("positive").get<std::string>();
  label.weights = json.at("weights").get<std::map<std::string, double>>();
  label.balanced = json.at("balanced").get<bool>();
  label.more_to_come = true;
  if (const auto rules = json.at("rules").get<std::string>(); !rules.empty())
    out.recipe.rules = parse_rules(rules, "the stream's rules").file;
  out.read.real_labels = label.regression;
  out.read.format = json.at("libsvm").get<bool>() ? Format::libsvm : Format::csv;
  out.read.delimiter = ',';
  out.read.header = true;
  if (out.read.format == Format::csv) out.read.label = json.at("label").get<std::string>();
  if (const auto weight = json.at("weight").get<std::string>(); !weight.empty()) out.read.weight = weight;
  for (const auto& [column, kind] : json.at("kinds").get<std::map<std::string, std::string>>())
    out.read.wishes.kinds[column] = kind_of(kind);
  for (const auto& [column, missing] : json.at("missing").get<std::map<std::string, std::string>>())
    out.read.wishes.missing[column] = missing_of(missing);
  out.read.wishes.na = json.at("na").get<std::map<std::string, std::vector<std::string>>>();
  return out;
}

// The first line of the rows kept.
std::string header_of(const Table& table, const std::optional<std::string>& weight) {
  if (table.anonymous) return "";
  std::string line;
  for (const TableColumn& column : table.columns) line += csv_cell(column.name) + ",";
  if (weight) line += csv_cell(*weight) + ",";
  return line + csv_cell(table.label_name) + "\n";
}

// The text kept, up to this many rows of it.
std::string_view first_rows(std::string_view text, bool header, std::uint64_t rows) {
  std::uint64_t left = rows + (header ? 1 : 0);
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    quoted ^= text[k] == '"' && header;
    if (text[k] == '\n' && !quoted && --left == 0) return text.substr(0, k + 1);
  }
  return text;
}

}  // namespace

Stream::Stream(const Source& source, const ReadOptions& read, Recipe recipe) : source_(source) {
  StreamOptions options{std::move(recipe), read};
  options.read.format = source.format();
  if (source.format() == Format::csv) options.read.label = source.table().label_name;
  warm_up_ = {to_json(options), header_of(source.table(), read.weight), {}};
}

Stream::Stream(const Source& source, Model model) : source_(source), settled_(!model.warm_up()) {
  if (!settled_) warm_up_ = *model.warm_up();
  model_.emplace(std::move(model));
  if (!settled_ && warm_up_.count() > 0) {  // back to where a stream that never stopped would be
    replace_model(build(std::bit_floor(warm_up_.count())));
    model_->set_warm_up(warm_up_);
  } else {
    encoder_.emplace(model_->schema(), source_.table());
  }
}

ReadOptions Stream::resuming(const Model& model, ReadOptions read) {
  read.schema = &model.schema();
  read.real_labels = model.schema().label.real();
  return read;
}

Stream::Answer Stream::take(Block raw) {
  BlockData data = raw.release();
  Answer answer;
  if (!data.labels.empty() && !std::isnan(data.labels[0]))
    answer.truth = source_.table().labels.empty() ? format_number(data.labels[0])
                                                  : source_.table().labels[static_cast<std::size_t>(data.labels[0])];
  const double weight = data.weights.empty() ? 1 : data.weights[0];
  data.labels.assign(data.labels.size(), kNoLabel);  // the encoder would refuse a class it does not know
  raw = Block(std::move(data));
  const bool keep = !settled_ && worth_keeping(answer.truth);
  if (keep) {
    warm_up_.text += text_of(raw.row(0), answer.truth, weight);
    warm_up_.rows.push_back(row_number() + 1);
  }

  if (!model_) begin();
  if (model_) {
    // Named columns give each row as many features as the schema has; of anonymous ones more may turn up.
    if (settled_ && source_.table().anonymous && model_->schema().scaling.identity())
      model_->grow(source_.table().width);
    const Block encoded = encoder_->encode(std::move(raw));
    answer.scores.resize(model_->outputs());
    model_->score(encoded.row(0), answer.scores);
    const double predicted = model_->decide(answer.scores);
    answer.predicted = model_->label_text(predicted);
    const std::optional<double> label = label_number(answer.truth);
    if (model_->ledger())
      for (std::size_t r = 0; r < model_->advice()->rules.size(); ++r)
        if (model_->ledger()->holds(r, encoded.row(0))) {
          const CompiledRule& rule = model_->advice()->rules[r];
          answer.rules.push_back(
              {rule.id, label ? std::optional((*label == rule.class_number) == rule.positive) : std::nullopt});
        }
    if (settled_) {
      if (!label && !answer.truth.empty()) tell_unknown_class(answer.truth);
      model_->learn(encoded.row(0), label.value_or(kNoLabel), weight, true, row_number() + 1);
      answer.learned = label.has_value();
    } else if (answer.truth.empty()) {
      model_->count_unlabelled();
    } else {
      model_->count_prediction(label ? model_->loss(predicted, *label)
                                     : 1);  // a class not seen before is not predicted
    }
  }
  if (keep) {
    answer.learned = true;
    if (std::has_single_bit(warm_up_.count())) rebuild();
    if (!settled_) model_->set_warm_up(warm_up_);
  }
  skip_row();
  return answer;
}

void Stream::begin() {
  const StreamOptions options = from_json(warm_up_.options);
  if (!options.recipe.rules || source_.table().anonymous) return;
  try {
    replace_model(options.recipe.begin_without_rows(source_.table(), source_.format()));
    model_->set_warm_up(warm_up_);
  } catch (const Error&) {  // the rules need what only rows can tell, say the categories of a column
    model_.reset();
  }
}

void Stream::advise(const RuleFile& rules) {
  if (settled_) {
    model_->advise(rules);
    return;
  }
  StreamOptions options = from_json(warm_up_.options);
  options.recipe.rules = rules;
  options.recipe.check();
  const std::string before = std::exchange(warm_up_.options, to_json(options));
  if (!model_) return;
  try {
    if (warm_up_.count() == 0)
      replace_model(options.recipe.begin_without_rows(source_.table(), source_.format()));
    else
      replace_model(build(std::bit_floor(warm_up_.count())));
  } catch (...) {
    warm_up_.options = before;
    throw;
  }
  model_->set_warm_up(warm_up_);
}

void Stream::skip_row() {
  ++rows_before_model_;
  if (!model_) return;
  model_->count_rows(rows_before_model_);
  rows_before_model_ = 0;
}

// Once there are rows enough, more of the only class seen so far would change nothing.
bool Stream::worth_keeping(const std::string& label) const {
  if (label.empty()) return false;
  return only_class_.empty() || warm_up_.count() + 1 < kSettlingRows || label != only_class_;
}

std::optional<double> Stream::label_number(const std::string& label) const {
  if (label.empty()) return std::nullopt;
  if (model_->schema().label.real()) return parse_number(label);
  const std::vector<std::string>& classes = model_->schema().label.classes;
  const auto found = std::find(classes.begin(), classes.end(), label);
  if (found == classes.end()) return std::nullopt;
  return static_cast<double>(found - classes.begin());
}

// A row as a line of the text kept; numbers read back exactly.
std::string Stream::text_of(const Row& row, const std::string& label, double weight) const {
  std::string line = source_.table().anonymous ? label : "";
  for (std::size_t k = 0; k < row.count; ++k) {
    const double value = row.value(k);
    if (source_.table().anonymous) {
      line += fmt::format(" {}:{}", row.index(k) + 1, format_number(value));
      continue;
    }
    const TableColumn& column = source_.table().columns[k];
    if (!std::isnan(value))
      line += column.type == TableColumn::Type::text ? csv_cell(column.texts[static_cast<std::size_t>(value)])
                                                     : format_number(value);
    line += ',';
  }
  if (source_.table().anonymous) return line + "\n";
  if (from_json(warm_up_.options).read.weight) line += format_number(weight) + ",";
  return line + csv_cell(label) + "\n";
}

// As training on these rows in their order would give it.
Model Stream::build(std::uint64_t rows) const {
  const StreamOptions options = from_json(warm_up_.options);
  const std::string text(first_rows(warm_up_.text, options.read.format == Format::csv, rows));
  Reader reader = Reader::from_memory(text, options.read);
  Survey survey(reader.table(), options.recipe.scale_for(reader.format()), options.read.wishes,
                options.recipe.rules.has_value());
  std::vector<Block> blocks;
  std::size_t taken = 0;
  for (Block block; reader.next(block); block = Block()) {
    survey.add(block);
    BlockData data = block.release();  // the ledger calls rows by their numbers in the stream
    for (std::uint64_t& line : data.lines) line = warm_up_.rows[taken++];
    blocks.emplace_back(std::move(data));
  }
  Model fresh = options.recipe.begin(survey, reader.table());
  Encoder encoder(fresh.schema(), reader.table());
  for (Block& raw : blocks) fresh.learn(encoder.encode(std::move(raw)), true);
  fresh.succeed(model_ ? model_->counters() : Counters{});
  return fresh;
}

// Of one class alone nothing can be asked; rules may know more.
Model Stream::with_something_to_ask(Model fresh) const {
  const StreamOptions options = from_json(warm_up_.options);
  if (fresh.schema().label.classes.size() != 1 || !options.recipe.rules || source_.table().anonymous) return fresh;
  Model told = options.recipe.begin_without_rows(source_.table(), source_.format());
  told.succeed(fresh.counters());
  return told;
}

void Stream::replace_model(Model fresh) {
  only_class_ = fresh.schema().label.classes.size() == 1 ? fresh.schema().label.classes[0] : "";
  encoder_.reset();
  model_.emplace(with_something_to_ask(std::move(fresh)));
  encoder_.emplace(model_->schema(), source_.table());
}

void Stream::rebuild() {
  replace_model(build(warm_up_.count()));
  settled_ = warm_up_.count() >= kSettlingRows;
  if (settled_) warm_up_ = {};
}

bool Stream::behind() const { return !settled_ && warm_up_.count() > 0 && !std::has_single_bit(warm_up_.count()); }

Model Stream::of_all_rows() const {
  Model all = with_something_to_ask(build(warm_up_.count()));
  all.set_warm_up(warm_up_);
  return all;
}

std::string Stream::to_bytes() { return behind() ? of_all_rows().to_bytes() : model_->to_bytes(); }

void Stream::tell_unknown_class(const std::string& label) {
  if (told_unknown_class_ || !note) return;
  told_unknown_class_ = true;
  note(
      fmt::format("class {} came after the first {} labelled rows, which settle the classes ({}); rows of such classes "
                  "are not learned (--classes names all classes beforehand)",
                  in_quotes(label), kSettlingRows, joined(model_->schema().label.classes)));
}

}  // namespace postil
