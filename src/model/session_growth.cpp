// session_growth.cpp: columns, categories and classes that rows bring, at any time; and the codes of rows from other tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "core/failures.hpp"
#include "postil/error.hpp"
#include "postil/session.hpp"
#include "postil/text.hpp"
#include "settling.hpp"

namespace postil {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

// ---- what rows bring ----

bool Session::missing_allowed() const {
  if (table_.sparse()) return false;
  if (settling_) {
    const auto found = settling_->wishes.missing.find("");
    return found == settling_->wishes.missing.end() || found->second != Missing::refuse;
  }
  const std::vector<Column>& columns = model_->schema().columns;
  return std::any_of(columns.begin(), columns.end(),
                     [](const Column& column) { return column.missing != Missing::refuse; });
}

std::size_t Session::add_column(TableColumn like, double first) {
  if (table_.sparse()) throw DataError({}, "the columns of sparse rows have numbers, not names");
  if (model_ && !model_->can_grow()) throw DataError({}, "principal components know their columns; no more can come");
  const bool text = like.type == TableColumn::Type::text;
  table_.columns.push_back(like);
  if (settling_) {
    const double absent = missing_allowed() ? kMissing : text ? text_code(table_.columns.size() - 1, "") : 0;
    for (std::vector<Block>* rows : {&settling_->rows, &settling_->unlabelled.rows})
      for (Block& row : *rows) {
        BlockData data = row.release();
        data.values.push_back(absent);
        data.width = static_cast<std::uint32_t>(table_.columns.size());
        row = Block(std::move(data));
      }
  }
  if (model_) {
    Column column;
    column.name = std::move(like.name);
    column.seen.kind = text ? Kind::categorical : like.written;
    const std::vector<Column>& others = model_->schema().columns;
    column.missing = others.empty() ? Missing::refuse : others[0].missing;
    if (column.missing == Missing::indicator) column.missing = Missing::zero;
    const bool usable = std::isfinite(first) && first != 0 && std::isfinite(1 / first);
    encoder_.reset();
    model_->add_column(std::move(column), usable ? std::fabs(first) : 1);
    schema_changed();
  }
  return table_.columns.size() - 1;
}

std::unordered_map<std::string, std::size_t>& Session::places_of(std::size_t column) {
  const std::vector<std::string>& texts = table_.columns[column].texts;
  text_places_.resize(table_.columns.size());
  std::unordered_map<std::string, std::size_t>& places = text_places_[column];
  for (std::size_t k = places.size(); k < texts.size(); ++k) places.emplace(texts[k], k);
  return places;
}

double Session::text_code_if_known(std::size_t column, const std::string& text) {
  const std::unordered_map<std::string, std::size_t>& places = places_of(column);
  const auto found = places.find(text);
  return found == places.end() ? text_code(column, "") : static_cast<double>(found->second);
}

double Session::text_code(std::size_t column, const std::string& text) {
  std::vector<std::string>& texts = table_.columns[column].texts;
  std::unordered_map<std::string, std::size_t>& places = places_of(column);
  const auto [found, is_new] = places.emplace(text, texts.size());
  if (is_new) texts.push_back(text);
  return static_cast<double>(found->second);
}

bool Session::admits_class(const std::string& text) const {
  const bool all_known = settling_ ? !settling_->recipe.label.classes.empty() : model_->schema().label.all_known;
  return !all_known || std::find(table_.labels.begin(), table_.labels.end(), text) != table_.labels.end();
}

void Session::labels_are(LabelKind kind) {
  if (settling_ && settling_->recipe.label.kind == LabelKind::unknown && table_.labels.empty())
    settling_->recipe.label.kind = kind;
}

double Session::label_code(const std::string& text) {
  const std::string name =
      canonical_label(text, settling_ ? settling_->recipe.label.kind : model_->schema().label.kind);
  const auto found = std::find(table_.labels.begin(), table_.labels.end(), name);
  if (found == table_.labels.end() && !admits_class(name)) throw DataError(not_a_class(name, table_.labels, {}));
  const auto place = found - table_.labels.begin();
  if (found == table_.labels.end()) table_.labels.push_back(name);
  return static_cast<double>(place);
}

std::string Session::label_text(std::optional<double> label) const {
  if (!label) return "";
  const bool real = settling_ ? settling_->recipe.label.regression : model_->schema().label.real();
  return real ? format_number(*label) : table_.labels[static_cast<std::size_t>(*label)];
}

std::optional<double> Session::class_of(std::optional<double> label) const {
  if (!label || model_->schema().label.real()) return label;
  const std::vector<std::string>& classes = model_->schema().label.classes;
  const auto code = static_cast<std::size_t>(*label);
  if (code < classes.size() && classes[code] == table_.labels[code]) return label;
  const auto found = std::find(classes.begin(), classes.end(), table_.labels[code]);
  if (found == classes.end()) return std::nullopt;
  return static_cast<double>(found - classes.begin());
}

void Session::check(const Block& raw) const {
  if (table_.sparse()) return;
  for (std::size_t j = 0; j < table_.columns.size(); ++j) {
    const TableColumn& column = table_.columns[j];
    Missing missing = Missing::mean;
    if (model_)
      missing = model_->schema().columns[j].missing;
    else
      for (const std::string& key : {std::string(), column.name})
        if (const auto wish = settling_->wishes.missing.find(key); wish != settling_->wishes.missing.end())
          missing = wish->second;
    if (missing != Missing::refuse) continue;
    for (std::size_t i = 0; i < raw.rows(); ++i)
      if (const Row row = raw.row(i); row.dense() && std::isnan(row.value(j)))
        throw DataError(missing_value(column.name, column.type == TableColumn::Type::text ? "a category" : "a number",
                                      {table_.source, raw.line(i), 0}));
  }
}

// Needs: model_.
void Session::admit(const Block& raw) {
  if (!model_->can_grow()) return;
  if (table_.sparse()) {
    table_.width = std::max(table_.width, raw.width());
    model_->grow(table_.width);
    return;
  }
  admitted_.resize(table_.columns.size());
  for (std::size_t j = 0; j < table_.columns.size(); ++j) {
    if (!model_->schema().columns[j].categorical()) continue;
    std::vector<std::uint8_t>& admitted = admitted_[j];
    const std::vector<std::string>& texts = table_.columns[j].texts;
    if (admitted.empty()) {
      const std::vector<std::string>& known = model_->schema().columns[j].categories;
      std::unordered_map<std::string_view, bool> names;
      for (const std::string& category : known) names.emplace(category, true);
      for (const std::string& text : texts) admitted.push_back(names.contains(text) ? 1 : 0);
    }
    admitted.resize(texts.size());
    for (std::size_t i = 0; i < raw.rows(); ++i) {
      const double value = raw.row(i).value(j);
      if (!raw.label(i) || !(value >= 0 && value < static_cast<double>(admitted.size()))) continue;
      if (admitted[static_cast<std::size_t>(value)] != 0) continue;
      const auto code = static_cast<std::size_t>(value);
      admitted[code] = 1;
      if (texts[code].empty()) continue;  // no category
      model_->add_category(j, texts[code]);
      encoder_->admit(j, code);
    }
  }
}

void Session::add_class(const std::string& name) {
  encoder_.reset();
  bool carried = false;
  try {
    carried = model_->add_class(name);
  } catch (...) {
    schema_changed();
    throw;
  }
  schema_changed();
  if (!note) return;
  note(fmt::format(
      "class {} is new: the model now tells {} classes apart{}", in_quotes(name), model_->schema().label.classes.size(),
      carried ? "" : "; what it had learned about the first class could not be turned round for the second"));
}

// Needs: settled.
bool Session::brings_something_new(const Block& raw, std::size_t row) const {
  if (!raw.label(row)) return false;
  if (!class_of(raw.label(row))) return true;
  if (table_.sparse() || !model_->can_grow()) return false;
  for (std::size_t j = 0; j < table_.columns.size(); ++j) {
    if (!model_->schema().columns[j].categorical()) continue;
    const double value = raw.row(row).value(j);
    if (!(value >= 0 && value < static_cast<double>(table_.columns[j].texts.size()))) continue;
    const auto code = static_cast<std::size_t>(value);
    if (j >= admitted_.size() || code >= admitted_[j].size() || admitted_[j][code] == 0) return true;
  }
  return false;
}

// ---- rows of another table ----

Session::Feed::Feed(Session& session, const Table& from) : session_(&session), from_(&from) {}

Block Session::Feed::adopt(Block raw) {
  Table& own = session_->table_;
  own.source = from_->source;
  std::vector<std::size_t> retyped, rows(own.sparse() ? 0 : raw.rows());
  std::iota(rows.begin(), rows.end(), 0);
  for (std::size_t j = 0; j < from_->columns.size(); ++j) {
    const TableColumn& theirs = from_->columns[j];
    if (j == own.columns.size()) {
      double first = 0;
      for (std::size_t i = 0; i < raw.rows() && first == 0; ++i)
        if (const double value = raw.row(i).value(j); !std::isnan(value)) first = value;
      session_->add_column({theirs.name, theirs.type, {}, theirs.written}, first);
    }
    if (own.columns[j].type == TableColumn::Type::unknown && theirs.type != TableColumn::Type::unknown) {
      const bool there =
          std::any_of(rows.begin(), rows.end(), [&](std::size_t i) { return !std::isnan(raw.row(i).value(j)); });
      if (!there) continue;
      if (theirs.type == TableColumn::Type::text || theirs.written != own.columns[j].written) retyped.push_back(j);
      own.columns[j].type = theirs.type;
      own.columns[j].written = theirs.written;
    }
    const bool text = own.columns[j].type == TableColumn::Type::text;  // perhaps because rules compare it with words
    if (theirs.type == TableColumn::Type::unknown || text == (theirs.type == TableColumn::Type::text)) continue;
    for (const std::size_t i : rows)
      if (!std::isnan(raw.row(i).value(j)))
        throw DataError({.code = text ? Code::unexpected_number : Code::not_a_number,
                         .place = {from_->source, raw.line(i)},
                         .subject = {"column", theirs.name},
                         .message = fmt::format("column {} holds {}, expected {}", in_quotes(theirs.name),
                                                text ? "numbers" : "text", text ? "text" : "numbers"),
                         .found = text ? "numbers" : "text",
                         .expected = text ? "text" : "numbers"});
  }
  if (own.sparse()) own.width = std::max(own.width, from_->width);
  if (!retyped.empty() && session_->settling_ &&
      session_->model_) {  // what the model took for numbers are texts or dates
    try {
      if (session_->settling_->rows.empty() && session_->settling_->unlabelled.rows.empty())
        session_->begin();
      else
        session_->rebuild();
    } catch (const ParseError& error) {  // the rules take them for numbers, too
      const TableColumn first = own.columns[retyped[0]];
      for (const std::size_t j : retyped) {
        own.columns[j].type = TableColumn::Type::unknown;
        own.columns[j].written = Kind::number;
      }
      throw DataError(
          {from_->source, raw.line(0), 0},
          fmt::format("column {} holds {}, which does not fit the rules: {}", in_quotes(first.name),
                      first.type == TableColumn::Type::text ? "text" : word(first.written), error.message()));
    }
  }

  // Codes, where they differ from ours.
  texts_.resize(from_->columns.size());
  const auto note_code = [&](std::vector<double>& codes, double ours) {
    same_ &= ours == static_cast<double>(codes.size());
    codes.push_back(ours);
  };
  for (std::size_t j = 0; j < from_->columns.size(); ++j)
    for (const std::vector<std::string>& texts = from_->columns[j].texts; texts_[j].size() < texts.size();)
      note_code(texts_[j], session_->text_code(j, texts[texts_[j].size()]));
  for (const std::vector<std::string>& labels = from_->labels; labels_.size() < labels.size();) {
    const std::string& label = labels[labels_.size()];
    note_code(labels_, session_->admits_class(label) ? session_->label_code(label) : -1);
  }
  if (same_) return raw;
  for (std::size_t i = 0; !labels_.empty() && i < raw.labels().size(); ++i)
    if (const std::optional<double> label = raw.label(i); label && labels_[static_cast<std::size_t>(*label)] < 0)
      throw DataError(
          not_a_class(from_->labels[static_cast<std::size_t>(*label)], own.labels, {from_->source, raw.line(i), 0}));

  BlockData data = raw.release();
  const std::size_t width = from_->columns.size();
  for (std::size_t j = 0; j < width; ++j)
    for (std::size_t k = j; from_->columns[j].type == TableColumn::Type::text && k < data.values.size(); k += width)
      if (!std::isnan(data.values[k])) data.values[k] = texts_[j][static_cast<std::size_t>(data.values[k])];
  if (!from_->labels.empty())
    for (double& label : data.labels)
      if (!std::isnan(label)) label = labels_[static_cast<std::size_t>(label)];
  return Block(std::move(data));
}

}  // namespace postil
