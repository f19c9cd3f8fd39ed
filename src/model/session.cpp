#include "postil/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_map>

#include "core/kernels.hpp"
#include "core/row_forms.hpp"
#include "model_parts.hpp"
#include "postil/error.hpp"
#include "postil/probabilities.hpp"
#include "postil/text.hpp"
#include "settling.hpp"

namespace postil {
namespace {

constexpr double kNoLabel = std::numeric_limits<double>::quiet_NaN();  // in blocks

// Numbers beyond these could make a learner's state overflow in a round or two: powers up to the sixth and products with them
// are finite.
constexpr double kLargest = 1e50;

Block one_row(const Block& block, std::size_t i) { return Block(block.copied(i, 1)); }

void check_label(double label, std::uint64_t line, const Table& table) {
  if (!(std::fabs(label) > kLargest)) return;
  throw DataError({.code = std::isinf(label) ? Code::not_a_number : Code::out_of_range,
                   .place = {table.source, line, 0},
                   .message = Text("the label is ", format_number(label), ", expected a number below 1e50 in size"),
                   .found = format_number(label),
                   .expected = "a number below 1e50 in size"});
}

void check_size(const Row& row, double weight, std::uint64_t line, const Table& table) {
  double sum = squared_norm(row);
  if (std::isnan(sum)) {  // some values are missing
    sum = 0;
    for (std::size_t k = 0; k < row.count; ++k)
      if (const double value = row.value(k); !std::isnan(value)) sum += value * value;
  }
  if (sum <= kLargest * kLargest && weight <= kLargest) return;
  throw DataError({.code = Code::out_of_range,
                   .place = {table.source, line, 0},
                   .message = Text("the row has numbers above 1e50, which are too large to learn from"),
                   .expected = "numbers below 1e50 in size"});
}

}  // namespace

Session::Session() = default;
Session::~Session() = default;
Session::Session(Session&& other)
    : note(std::move(other.note)),
      by_line(other.by_line),
      table_(std::move(other.table_)),
      settling_(std::move(other.settling_)),
      model_(std::move(other.model_)),
      rows_before_model_(other.rows_before_model_),
      careful_(other.careful_) {
  schema_changed();
}
Session& Session::operator=(Session&& other) {
  encoder_.reset();
  note = std::move(other.note);
  by_line = other.by_line;
  table_ = std::move(other.table_);
  text_places_.clear();
  settling_ = std::move(other.settling_);
  model_ = std::move(other.model_);
  rows_before_model_ = other.rows_before_model_;
  careful_ = other.careful_;
  schema_changed();
  return *this;
}

// ---- beginning ----

Session::Session(Recipe recipe, ColumnWishes wishes, Table columns) : table_(std::move(columns)) {
  recipe.label.more_to_come = true;
  if (recipe.components > 0)
    throw ParamError("principal components need all training rows at once; a stream has not seen them");
  if (recipe.info().mode == Mode::batch)
    throw ParamError(fmt::format(
        "{} learns from all examples at once; a stream needs a learner that takes them in turn", recipe.info().name));
  if (recipe.rules) {
    const Schema named = schema_of_rules(*recipe.rules);
    std::unordered_map<std::string_view, const Column*> by_name;
    for (const Column& column : named.columns) by_name.emplace(column.name, &column);
    for (TableColumn& column : table_.columns) {
      const auto found = by_name.find(column.name);
      if (found == by_name.end() || wishes.kinds.contains(column.name)) continue;
      if (found->second->categorical()) column.type = TableColumn::Type::text;
      if (column.type != TableColumn::Type::text && column.written == Kind::number)
        column.written = found->second->written();
    }
  }
  table_.labels.clear();
  for (const std::string& name : recipe.label.classes)
    table_.labels.push_back(canonical_label(name, recipe.label.kind));
  // Nothing about the schema depends on rows: columns of numbers, no scaling, no rules, all classes known.
  const auto missing = wishes.missing.find("");
  const bool complete = missing != wishes.missing.end() && missing->second == Missing::refuse;
  const bool numbers = std::all_of(table_.columns.begin(), table_.columns.end(),
                                   [](const TableColumn& column) { return column.type == TableColumn::Type::number; });
  const bool classes_known = recipe.label.regression || !recipe.label.classes.empty();
  if (classes_known && numbers && complete && !recipe.rules && !recipe.label.balanced && wishes.kinds.empty() &&
      recipe.scale_for(table_) == Scale::none) {
    replace_model(recipe.begin(recipe.survey(table_, wishes), table_));
    return;
  }
  settling_ = std::make_unique<Settling>();
  settling_->recipe = std::move(recipe);
  settling_->wishes = std::move(wishes);
  begin();
}

Session::Session(Model model) : table_(table_of(model.schema())) { replace_model(std::move(model)); }

Session Session::load(const std::string& path) { return from_bytes(read_tensor_bytes(path), path); }

Session Session::from_bytes(std::string_view bytes, const std::string& name) {
  const TensorFile file = read_model_file(bytes, name);
  Session out(Model::from_file(file, name));
  if (!has_settling(file)) return out;
  try {
    out.settling_ = std::make_unique<Settling>(get_settling(file, name));
  } catch (const nlohmann::json::exception& error) {
    throw ModelError({name, 0, 0}, fmt::format("damaged metadata: {}", error.what()));
  } catch (const ParamError& error) {
    throw ModelError({name, 0, 0}, error.message());
  }
  const Schema& schema = out.model_->schema();
  const Table& table = out.settling_->table;
  const auto same = [](const Column& column, const TableColumn& other) {
    return column.name == other.name && (column.categorical() || other.type != TableColumn::Type::text);
  };
  if (table.sparse() != schema.sparse() ||
      !std::equal(schema.columns.begin(), schema.columns.end(), table.columns.begin(), table.columns.end(), same) ||
      out.settling_->recipe.label.regression != schema.label.real())
    throw ModelError({name, 0, 0}, "its first rows are not of the model's columns");
  out.table_ = table;
  out.text_places_.clear();
  out.schema_changed();
  return out;
}

std::string Session::to_bytes() const {
  TensorFile file = model_->to_file();
  if (settling_) {
    settling_->table = table_;
    put_settling(*settling_, file);
  }
  return file.encode();
}

void Session::begin() {
  if (!settling_->recipe.rules) return;
  replace_model(settling_->recipe.begin(settling_->recipe.survey(table_, settling_->wishes), table_));
}

// As training on these rows in their order would give it.
void Session::rebuild() {
  const Recipe& recipe = settling_->recipe;
  const Table known = table_of_rows();
  Survey survey = recipe.survey(known, settling_->wishes);
  for (const Block& row : settling_->rows) survey.add(row);
  for (const Block& row : settling_->unlabelled.rows) survey.add(row);
  Model fresh = recipe.begin(survey, known);
  {
    ModelEncoder encoder(fresh, table_);
    std::vector<Block> rows;
    for (const Block& row : settling_->rows) rows.push_back(encoder.encode(Block(row.copied())));
    for (const Block& row : settling_->unlabelled.rows) rows.push_back(encoder.encode(Block(row.copied())));
    fresh.study(rows);
    for (std::size_t i = 0; i < settling_->rows.size(); ++i) fresh.learn(rows[i], true);
  }
  fresh.succeed(model_ ? model_->counters() : Counters{});
  replace_model(std::move(fresh));
  if (settling_->rows.size() >= kSettlingRows) settling_.reset();
}

// Our table, without labels and texts that none of the rows kept has: they stand twice for one that some row has.
Table Session::table_of_rows() const {
  Table out = table_;
  const auto only = [&](std::vector<std::string>& texts, std::size_t first, const auto& code_in) {
    std::vector<bool> used(texts.size());
    std::size_t one = texts.size();
    for (const std::vector<Block>* rows : {&settling_->rows, &settling_->unlabelled.rows})
      for (const Block& row : *rows)
        if (const double code = code_in(row); code >= 0 && code < static_cast<double>(texts.size())) {
          one = static_cast<std::size_t>(code);
          used[one] = true;
        }
    if (one == texts.size()) return texts.resize(std::min(first, texts.size()));
    for (std::size_t k = first; k < texts.size(); ++k)
      if (!used[k]) texts[k] = texts[one];
  };
  if (!settling_->recipe.label.regression)
    only(out.labels, settling_->recipe.label.classes.size(), [](const Block& row) { return row.labels()[0]; });
  for (std::size_t j = 0; j < out.columns.size(); ++j)
    if (out.columns[j].type == TableColumn::Type::text)
      only(out.columns[j].texts, 0, [&](const Block& row) { return row.row(0).value(j); });
  return out;
}

bool Session::can_rebuild() {
  try {
    rebuild();
    return true;
  } catch (const ParseError& error) {
    if (!model_) throw;
    if (note)
      note(fmt::format("the rules do not fit the rows so far, which keep the columns as they were: {}",
                       error.message()));
    return false;
  } catch (...) {  // a row that cannot be used must not spoil those that come after it
    settling_->rows.pop_back();
    throw;
  }
}

// A row without a label tells of the columns. Before the first label a model of rules is made anew from such rows at 1, 2, 4, ...
// of them, unless they do not fit the rules.
void Session::look_at(const Block& raw) {
  BlockData data = raw.copied();
  data.labels = {kNoLabel};
  data.weights = {1.0};
  data.lines = {rows() + 1};
  settling_->unlabelled.take(Block(std::move(data)), 0);
  const std::uint64_t seen = settling_->unlabelled.seen;
  if (!settling_->rows.empty() || !settling_->recipe.rules || seen > kSettlingRows || !std::has_single_bit(seen))
    return;
  try {
    rebuild();
  } catch (const Error&) {
    settling_->unlabelled.rows.pop_back();
  }
}

void Session::replace_model(Model fresh) {
  encoder_.reset();
  model_.emplace(std::move(fresh));
  model_->count_rows(std::exchange(rows_before_model_, 0));
  schema_changed();
}

void Session::schema_changed() {
  encoder_.reset();
  admitted_.clear();
  shape_ = Shape::other;
  if (!model_) return;
  const Schema& schema = model_->schema();
  if (table_.sparse()) table_.width = std::max(table_.width, schema.features);
  for (std::size_t j = 0; j < schema.columns.size(); ++j)  // also those that only rules have named
    for (const std::string& category : schema.columns[j].categories) text_code(j, category);
  encoder_.emplace(*model_, table_);
  const bool numbers = std::none_of(schema.columns.begin(), schema.columns.end(), [](const Column& column) {
    return column.categorical() || column.missing != Missing::refuse;
  });
  const bool promised = std::any_of(schema.columns.begin(), schema.columns.end(), [](const Column& column) {
    return column.promised.kind || std::isfinite(column.promised.low) || std::isfinite(column.promised.high);
  });
  if (!missing_allowed() && !promised) encoder_->trust();  // nothing to check that was not checked at the door
  if (!numbers || model_->advice() || schema.projection.components > 0) return;
  if (schema.scaling.identity())
    shape_ = Shape::as_it_is;
  else if (!schema.sparse())
    shape_ = Shape::scaled;
}

// ---- learning ----

// Once there are rows enough, more of the only class seen so far would change nothing.
bool Session::worth_keeping(std::optional<double> label) const {
  if (!settling_ || !label) return false;
  if (settling_->recipe.label.regression || settling_->recipe.label.classes.size() > 1) return true;
  if (settling_->rows.size() + 1 < kSettlingRows) return true;
  return std::any_of(settling_->rows.begin(), settling_->rows.end(),
                     [&](const Block& row) { return row.label(0) != label; });
}

// A score this large tells that a learner is running away. From then on a row is scored before it may be learned.
void Session::watch_scores() {
  if (careful_ || !model_) return;
  for (const double score : model_->last_scores()) careful_ |= std::fabs(score) > kLargest;
}

void Session::check_round(const Row& x, double weight, std::uint64_t line) {
  check_size(x, weight, line, table_);
  if (!careful_) return;
  scores_.resize(model_->outputs());
  model_->score(x, scores_);
  for (const double score : scores_)
    if (std::fabs(score) > kLargest)
      throw DataError(
          {.code = Code::out_of_range,
           .place = {table_.source, line, 0},
           .message = Text("the row's score is ", format_number(score),
                           ": the learner is diverging, so this row was not learned"),
           .found = format_number(score),
           .remedy = Text("scale the columns (", Option{"scale", "", "standard"}, ") or use smaller steps")});
}

void Session::skip_row() {
  if (model_)
    model_->count_rows(1);
  else
    ++rows_before_model_;
}

std::uint64_t Session::rows() const { return rows_before_model_ + (model_ ? model_->counters().rows : 0); }

void Session::take_row(Block raw, Answer* answer) {
  const std::optional<double> label = raw.label(0);
  const double weight = raw.weight(0);
  const std::uint64_t line = raw.line(0);
  if (label) check_label(*label, line, table_);
  check_size(raw.row(0), weight, line, table_);
  const std::uint64_t number = by_line ? raw.line(0) : rows() + 1;
  const bool kept = worth_keeping(label);
  if (answer != nullptr) answer->truth = label_text(label);
  Block looked_at;
  if (settling_ && !label) looked_at = Block(raw.copied());
  if (!model_ && !kept) {
    if (settling_) look_at(looked_at);
    skip_row();
    return;
  }
  Block copy;
  if (kept) {
    BlockData data = raw.copied();
    data.lines = {number};
    data.weights = {weight};
    copy = Block(std::move(data));
  }
  if (!model_) {  // the first label
    settling_->rows.push_back(std::move(copy));
    can_rebuild();
    if (answer != nullptr) answer->learned = true;
    skip_row();
    return;
  }
  if (label) admit(raw);
  BlockData data = raw.release();
  data.labels.assign(data.labels.size(), kNoLabel);  // the encoder would refuse a class that it does not know
  const Block encoded = encoder_->encode(Block(std::move(data)));
  const Row x = encoded.row(0);
  check_round(x, weight, line);
  if (kept) settling_->rows.push_back(std::move(copy));
  std::optional<double> known = class_of(label);
  const bool anew = kept && (!known || std::has_single_bit(settling_->rows.size()));
  const bool learns_now = known && !anew;
  std::vector<double> scores(model_->outputs());
  std::optional<Probabilities> probabilities;  // as they are before the row is learned
  if (answer != nullptr && tell_probabilities && !model_->schema().label.real()) probabilities.emplace(*model_);
  double predicted = 0;
  if (learns_now) {
    predicted = model_->learn(x, *known, weight, true, number);
    std::copy(model_->last_scores().begin(), model_->last_scores().end(), scores.begin());
    watch_scores();
  } else {
    model_->score(x, scores);
    predicted = model_->decide(scores);
    if (!label)
      model_->count_unlabelled();
    else
      model_->count_prediction(known ? model_->loss(predicted, *known)
                                     : 1);  // a class not seen before is not predicted
  }
  if (answer != nullptr) {
    answer->predicted = model_->label_text(predicted);
    if (probabilities) {
      std::vector<double> p(probabilities->classes());
      probabilities->of(scores, p);
      for (std::size_t c = 0; c < p.size(); ++c)
        answer->probabilities.emplace_back(model_->schema().label.classes[c], p[c]);
    }
    answer->scores = std::move(scores);
    answer->learned = (learns_now && model_->outputs() > 0) || kept || (settled() && label);
    for (const std::uint32_t r : x.holds) {
      const CompiledRule& rule = model_->advice()->rules[r];
      const std::optional<double> truth = label ? std::optional(known.value_or(-1)) : std::nullopt;
      answer->rules.push_back(
          {rule.id, truth ? std::optional(rule.agrees(*truth, x, model_->schema().scaling)) : std::nullopt});
    }
  }
  const bool rebuilt = anew && can_rebuild();
  if (!learns_now && !rebuilt && label && (kept || settled())) {
    if (!known) add_class(label_text(label));
    known = class_of(label);
    model_->learn(x, *known, weight, false, number);
    watch_scores();
  }
  if (settling_ && settling_->rows.size() >= kSettlingRows)
    settling_.reset();  // also if they could not be learned again
  if (settling_ && !label) look_at(looked_at);
  skip_row();
}

Block Session::in_full(Block raw) const {
  if (raw.dense() || table_.sparse() || (settled() && takes_sparse_rows()))
    return raw;  // rows that are kept have all columns
  return Block(dense_form(raw.release(), table_.row_width()));
}

std::vector<Session::Answer> Session::take(Block raw) {
  raw = in_full(std::move(raw));
  check(raw);
  std::vector<Answer> answers(raw.rows());
  if (answers.size() == 1)
    take_row(std::move(raw), answers.data());
  else
    for (std::size_t i = 0; i < answers.size(); ++i) take_row(one_row(raw, i), &answers[i]);
  return answers;
}

void Session::learn(Block raw, const Told& told) {
  raw = in_full(std::move(raw));
  const std::size_t rows = raw.rows();
  std::size_t i = 0;
  for (; settling_ && i < rows; ++i) take_row(one_row(raw, i), nullptr);
  if (i < rows && table_.sparse()) admit(raw);
  while (i < rows) {  // in blocks, up to what needs room
    std::size_t end = i;
    while (end < rows && !careful_ && !brings_something_new(raw, end)) ++end;
    if (end > i) {
      Block part = i == 0 && end == rows ? std::move(raw) : Block(raw.copied(i, end - i));
      if (!by_line) part.number_rows(this->rows() + 1);
      for (std::size_t row = 0; row < part.labels().size(); ++row)
        check_label(part.labels()[row], part.line(row), table_);
      part = encoder_->encode(std::move(part));
      for (std::size_t row = 0; row < part.rows(); ++row)
        check_size(part.row(row), part.weight(row), part.line(row), table_);
      if (told)
        model_->learn(part, true, [&](std::size_t row, double predicted) {
          told(part.labels()[row], predicted, part.row(row).count);
        });
      else
        model_->learn(part, true);
      model_->count_rows(end - i);
      watch_scores();
    }
    if (end < rows) take_row(one_row(raw, end++), nullptr);
    i = end;
  }
}

void Session::learn(const Row& raw, double label, double weight) {
  if (settled()) {
    check_label(label, rows() + 1, table_);
    const std::optional<double> given = std::isnan(label) ? std::nullopt : std::optional(label);
    const std::optional<double> known = class_of(given);
    if (known || !given) {
      if (const std::optional<Row> x = encoded(raw, room_)) {
        check_round(*x, weight, rows() + 1);
        model_->learn(*x, known.value_or(kNoLabel), weight, true, rows() + 1);
        watch_scores();
        model_->count_rows(1);
        return;
      }
    }
  }
  BlockData data;
  data.width = table_.row_width();
  if (!raw.dense()) {
    data.indices.assign(raw.indices, raw.indices + raw.count);
    data.starts = {0, raw.count};
  }
  for (std::size_t k = 0; k < raw.count; ++k) data.values.push_back(raw.value(k));
  data.labels = {label};
  data.weights = {weight};
  learn(Block(std::move(data)));
}

Block Session::encode(Block raw) { return encoder_->encode(std::move(raw)); }

std::optional<Row> Session::encoded(const Row& raw, std::vector<double>& room) const {
  if (shape_ == Shape::as_it_is) return raw;
  if (shape_ != Shape::scaled || !raw.dense()) return std::nullopt;
  if (raw.values != room.data()) room.resize(raw.count);
  scale_row(raw, model_->schema().scaling, room.data());
  return Row{nullptr, room.data(), raw.count, false};
}

void Session::advise(const RuleFile& rules) {
  if (!settling_) {
    encoder_.reset();
    try {
      model_->advise(rules, true);
    } catch (...) {
      schema_changed();
      throw;
    }
    schema_changed();
    return;
  }
  Recipe changed = settling_->recipe;
  if (changed.learner.empty() && model_) changed.learner = model_->learner().name;
  changed.rules = rules;
  changed.check();
  std::swap(settling_->recipe, changed);
  try {
    if (settling_->rows.empty() && settling_->unlabelled.rows.empty())
      begin();
    else
      rebuild();
  } catch (...) {
    std::swap(settling_->recipe, changed);
    throw;
  }
}

}  // namespace postil
