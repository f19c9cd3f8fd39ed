#include "postil/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "clones.hpp"
#include "number.hpp"
#include "postil/error.hpp"
#include "text.hpp"

namespace postil {
namespace {

constexpr std::string_view kKinds[] = {"number", "integer", "binary", "categorical"};
constexpr std::string_view kMissing[] = {"mean", "zero", "indicator", "refuse"};
constexpr std::string_view kScales[] = {"none", "standard", "minmax", "maxabs"};

template <class Enum, std::size_t N>
Enum from_word(const std::string_view (&words)[N], std::string_view word, std::string_view what) {
  for (std::size_t i = 0; i < N; ++i)
    if (words[i] == word) return static_cast<Enum>(i);
  const std::vector<std::string> known(std::begin(words), std::end(words));
  throw ParamError(fmt::format("{} is no {}; known: {}", in_quotes(word), what, joined(known)));
}

// Beyond this many features, subtracting a mean would turn sparse rows into rows too long to be useful.
constexpr std::uint32_t kWidestShifted = 20'000;

struct ShiftScale {
  double shift = 0;
  double scale = 1;
};

ShiftScale scaling_of(Scale scale, const Moments& seen) {
  if (seen.count == 0) return {};
  ShiftScale result;
  switch (scale) {
    case Scale::none: return {};
    case Scale::standard: result = {seen.mean, std::sqrt(seen.variance())}; break;
    case Scale::minmax: result = {seen.low, seen.high - seen.low}; break;
    case Scale::maxabs: result = {0, std::max(std::fabs(seen.low), std::fabs(seen.high))}; break;
  }
  // A constant column keeps its units; so does one whose spread overflows or underflows.
  if (!(result.scale > 0) || !std::isfinite(result.scale) || !std::isfinite(1 / result.scale)) result.scale = 1;
  return result;
}

Kind inferred_kind(bool whole, bool binary) { return binary ? Kind::binary : whole ? Kind::integer : Kind::number; }

}  // namespace

std::string_view word(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view word(Missing missing) { return kMissing[static_cast<std::size_t>(missing)]; }
std::string_view word(Scale scale) { return kScales[static_cast<std::size_t>(scale)]; }
Kind kind_of(std::string_view word) { return from_word<Kind>(kKinds, word, "kind of column"); }
Missing missing_of(std::string_view word) { return from_word<Missing>(kMissing, word, "way to treat missing values"); }
Scale scale_of(std::string_view word) { return from_word<Scale>(kScales, word, "scaling"); }

void Moments::add_zeros(std::uint64_t zeros) {
  if (zeros == 0) return;
  // Two groups joined (Chan, Golub and LeVeque 1983), the second all zeros.
  const auto n = static_cast<double>(count), z = static_cast<double>(zeros);
  squares += mean * mean * (n * z / (n + z));
  mean *= n / (n + z);
  count += zeros;
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
}

std::string Schema::feature_name(std::uint32_t feature) const {
  if (anonymous) return fmt::format("f{}", feature + 1);
  for (const Column& column : columns) {
    if (feature >= column.features()) {
      feature -= column.features();
      continue;
    }
    const std::uint32_t values =
        column.kind == Kind::categorical ? static_cast<std::uint32_t>(column.categories.size()) : 1;
    if (feature >= values) return column.name + "=?";  // the indicator of a missing value
    return column.kind == Kind::categorical ? column.name + "=" + column.categories[feature] : column.name;
  }
  return fmt::format("f{}", feature + 1);
}

std::vector<std::string> Schema::feature_names() const {
  std::vector<std::string> names;
  names.reserve(features);
  if (anonymous) {
    for (std::uint32_t j = 0; j < features; ++j) names.push_back(feature_name(j));
    return names;
  }
  for (const Column& column : columns) {
    if (column.kind == Kind::categorical)
      for (const std::string& category : column.categories) names.push_back(column.name + "=" + category);
    else
      names.push_back(column.name);
    if (column.missing == Missing::indicator) names.push_back(column.name + "=?");
  }
  return names;
}

const Column* Schema::find(std::string_view name) const {
  for (const Column& column : columns)
    if (column.name == name) return &column;
  return nullptr;
}

std::string canonical_label(std::string_view text) {
  if (text == "+") return "1";
  if (text == "-") return "-1";
  if (const std::optional<double> number = parse_number(text)) return format_number(*number);
  return std::string(text);
}

std::vector<std::string> ordered_classes(std::vector<std::string> labels) {
  std::sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
    const std::optional<double> x = parse_number(a), y = parse_number(b);
    if (x && y) return *x < *y;
    if (x || y) return x.has_value();
    return a < b;
  });
  return labels;
}

namespace {

// Moments::add for one value in each of n columns; NaN is passed over.
struct SurveyArrays {
  double* __restrict count;
  double* __restrict mean;
  double* __restrict squares;
  double* __restrict low;
  double* __restrict high;
  double* __restrict not_whole;
  double* __restrict not_binary;
};
POSTIL_CLONES void survey_row(const double* __restrict x, std::size_t n, SurveyArrays to) {
  constexpr double kWhole =
      0x1.8p52;  // adding and taking it away rounds to a whole number (below 2^51; larger ones are whole)
  for (std::size_t j = 0; j < n;
       ++j) {  // selections and '&' instead of branches, which would keep it from being vectorised
    const double before = to.mean[j];
    const bool there = x[j] == x[j];
    const double value = there ? x[j] : before;
    const double count = to.count[j] + (there ? 1.0 : 0.0);
    const double delta = value - before;
    const double mean = before + delta / (count > 1.0 ? count : 1.0);
    to.squares[j] += delta * (value - mean);
    to.mean[j] = mean;
    to.count[j] = count;
    const double low = to.low[j], high = to.high[j];
    to.low[j] = x[j] < low ? x[j] : low;  // never true for NaN
    to.high[j] = x[j] > high ? x[j] : high;
    const double magnitude = value < 0 ? -value : value;
    const double whole = (magnitude + kWhole) - kWhole;
    to.not_whole[j] += (there & (magnitude < 0x1p51) & (whole != magnitude)) ? 1.0 : 0.0;
    to.not_binary[j] += (there & (value != 0.0) & (value != 1.0)) ? 1.0 : 0.0;
  }
}

}  // namespace

Survey::Survey(const Table& table, Scale scale, ColumnWishes wishes)
    : table_(table), scale_(scale), wishes_(std::move(wishes)) {
  const std::size_t n = table.columns.size();
  for (std::vector<double>* array : {&count_, &mean_, &squares_, &not_whole_, &not_binary_}) array->resize(n);
  low_.assign(n, Moments().low);
  high_.assign(n, Moments().high);
}

bool Survey::any_missing() const {
  return std::any_of(count_.begin(), count_.end(), [&](double count) { return count < static_cast<double>(rows_); });
}

void Survey::add(const Block& raw, std::size_t at_most) {
  const std::size_t rows = std::min(raw.rows(), at_most);
  rows_ += rows;
  if (!table_.anonymous) {
    const SurveyArrays arrays{count_.data(), mean_.data(),      squares_.data(),   low_.data(),
                              high_.data(),  not_whole_.data(), not_binary_.data()};
    for (std::size_t i = 0; i < rows; ++i)
      survey_row(static_cast<const double*>(raw.row(i).values), table_.columns.size(), arrays);
    return;
  }
  if (scale_ == Scale::none) return;
  sparse_.resize(table_.width);
  for (std::size_t i = 0; i < rows; ++i) {
    const Row row = raw.row(i);
    for (std::size_t k = 0; k < row.count; ++k) sparse_[row.index(k)].add(row.value(k));
  }
}

Schema Survey::finish_anonymous() const {
  for (const auto& [name, kind] : wishes_.kinds)
    throw ParamError(fmt::format("--kind {}: only columns of CSV files have kinds", name));
  Schema schema;
  schema.anonymous = true;
  schema.features = table_.width;
  schema.scale = scale_;
  if (scale_ == Scale::none) return schema;
  if (scale_ != Scale::maxabs && table_.width > kWidestShifted)
    throw ParamError(fmt::format("{} scaling would fill the zeros of {} sparse columns; use maxabs or none",
                                 word(scale_), table_.width));
  schema.scaling.shift.resize(table_.width);
  schema.scaling.scale.assign(table_.width, 1);
  for (std::size_t j = 0; j < sparse_.size(); ++j) {
    Moments seen = sparse_[j];
    seen.add_zeros(rows_ - seen.count);
    const ShiftScale s = scaling_of(scale_, seen);
    schema.scaling.shift[j] = s.shift;
    schema.scaling.scale[j] = s.scale;
  }
  return schema;
}

Schema Survey::finish() const {
  if (table_.anonymous) return finish_anonymous();
  Schema schema;
  schema.scale = scale_;
  std::vector<std::string> names;
  for (const TableColumn& column : table_.columns) names.push_back(column.name);
  const auto check_known = [&](const std::string& name, std::string_view option) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      throw DataError({table_.source, 0, 0},
                      fmt::format("{}: there is no column {}{}", option, in_quotes(name), suggestion(name, names)));
  };
  for (const auto& [name, kind] : wishes_.kinds) check_known(name, "--kind");
  for (const auto& [name, missing] : wishes_.missing) check_known(name, "--missing");
  for (const auto& [name, tokens] : wishes_.na) check_known(name, "--na");

  for (std::size_t j = 0; j < table_.columns.size(); ++j) {
    const TableColumn& from = table_.columns[j];
    Column column;
    column.name = from.name;
    column.seen_missing = rows_ - static_cast<std::uint64_t>(count_[j]);
    if (from.type != TableColumn::Type::text)
      column.seen = {static_cast<std::uint64_t>(count_[j]), mean_[j], squares_[j], low_[j], high_[j]};
    for (const std::string& key : {std::string(), from.name}) {
      if (const auto found = wishes_.missing.find(key); found != wishes_.missing.end()) column.missing = found->second;
      if (const auto found = wishes_.na.find(key); found != wishes_.na.end())
        column.na.insert(column.na.end(), found->second.begin(), found->second.end());
    }
    if (from.type == TableColumn::Type::text) {
      column.kind = Kind::categorical;
      column.categories = ordered_classes(from.texts);
    } else if (column.seen.count > 0) {
      column.kind = inferred_kind(not_whole_[j] == 0, not_binary_[j] == 0);
    }
    if (const auto wish = wishes_.kinds.find(from.name); wish != wishes_.kinds.end()) {
      if (column.kind == Kind::categorical && wish->second != Kind::categorical)
        throw DataError({table_.source, 0, 0},
                        fmt::format("column {} holds text such as {}, expected {}", in_quotes(from.name),
                                    in_quotes(from.texts.empty() ? "" : from.texts[0]), word(wish->second)));
      column.kind = wish->second;
    }
    if (column.kind == Kind::binary) {
      column.low = 0;
      column.high = 1;
    }
    if (column.seen_missing > 0 && column.missing == Missing::refuse)
      throw DataError({table_.source, 0, 0},
                      fmt::format("column {} has {} missing values, and --missing refuse was given",
                                  in_quotes(from.name), column.seen_missing));
    schema.features += column.features();
    schema.columns.push_back(std::move(column));
  }
  if (scale_ == Scale::none) return schema;
  for (const Column& column : schema.columns) {
    std::uint32_t more = column.features();
    if (column.kind != Kind::categorical) {
      const ShiftScale s = scaling_of(scale_, column.seen);
      schema.scaling.shift.push_back(s.shift);
      schema.scaling.scale.push_back(s.scale);
      --more;
    }
    schema.scaling.shift.resize(schema.scaling.shift.size() + more, 0);  // one-hot columns and indicators stay 0 and 1
    schema.scaling.scale.resize(schema.scaling.scale.size() + more, 1);
  }
  return schema;
}

Encoder::Encoder(const Schema& schema, const Table& table) : schema_(schema), table_(table) {
  surprises_.broken.resize(schema.columns.size());
  surprises_.unseen.resize(schema.columns.size());
  category_.resize(schema.columns.size());
  std::uint32_t feature = 0;
  for (const Column& column : schema.columns) {
    first_feature_.push_back(feature);
    feature += column.features();
    expanded_ |= column.kind == Kind::categorical || column.missing == Missing::indicator;
    promises_.push_back(column.kind == Kind::integer || column.kind == Kind::binary || std::isfinite(column.low) ||
                        std::isfinite(column.high));
  }
}

void Encoder::learn_texts() {
  for (std::size_t j = 0; j < schema_.columns.size(); ++j) {
    const std::vector<std::string>& categories = schema_.columns[j].categories;
    const std::vector<std::string>& texts = table_.columns[j].texts;
    for (std::size_t code = category_[j].size(); code < texts.size(); ++code) {
      const auto found = std::find(categories.begin(), categories.end(), texts[code]);
      category_[j].push_back(found == categories.end() ? -1 : found - categories.begin());
    }
  }
  const std::vector<std::string>& classes = schema_.label.classes;
  for (std::size_t code = class_.size(); code < table_.labels.size(); ++code) {
    const auto found = std::find(classes.begin(), classes.end(), table_.labels[code]);
    class_.push_back(found == classes.end() ? -1 : found - classes.begin());
  }
}

void Encoder::encode_labels(BlockData& data) {
  if (schema_.label.classes.empty()) return;  // regression: the label is the number
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    double& label = data.labels[i];
    if (std::isnan(label)) continue;
    const auto code = static_cast<std::size_t>(label);
    if (class_[code] < 0) {
      if (!ignore_labels_)
        throw DataError({table_.source, data.lines.empty() ? 0 : data.lines[i], 0},
                        fmt::format("found class {}, expected one of: {}", in_quotes(table_.labels[code]),
                                    joined(schema_.label.classes)));
      label = std::numeric_limits<double>::quiet_NaN();
      continue;
    }
    label = static_cast<double>(class_[code]);
  }
}

Block Encoder::encode(Block raw) {
  learn_texts();
  BlockData data = raw.release();
  encode_labels(data);
  if (schema_.anonymous) return encode_anonymous(std::move(data));
  return expanded_ ? encode_expanded(std::move(data)) : encode_in_place(std::move(data));
}

Block Encoder::encode_anonymous(BlockData data) {
  const std::uint32_t width = schema_.features;
  if (data.width > width) {  // features that training never saw: leave them out
    std::size_t kept = 0;
    std::uint64_t begin = 0;
    for (std::size_t i = 0; i + 1 < data.starts.size(); ++i) {
      const std::uint64_t end = data.starts[i + 1];
      for (std::uint64_t k = begin; k < end; ++k) {
        if (data.indices[k] >= width) {
          ++surprises_.unseen_features;
          continue;
        }
        data.indices[kept] = data.indices[k];
        data.values[kept++] = data.values[k];
      }
      begin = end;
      data.starts[i + 1] = kept;
    }
    data.indices.resize(kept);
    data.values.resize(kept);
  }
  data.width = width;
  if (schema_.scaling.identity()) return Block(std::move(data));
  const Scaling& scaling = schema_.scaling;
  if (schema_.scale == Scale::maxabs) {
    for (std::size_t k = 0; k < data.values.size(); ++k) data.values[k] /= scaling.scale[data.indices[k]];
    return Block(std::move(data));
  }
  BlockData out;
  out.width = width;
  const std::size_t rows = data.starts.empty() ? 0 : data.starts.size() - 1;
  out.values.assign(rows * width, 0);
  for (std::size_t i = 0; i < rows; ++i) {
    double* x = out.values.data() + i * width;
    for (std::uint64_t k = data.starts[i]; k < data.starts[i + 1]; ++k) x[data.indices[k]] = data.values[k];
    for (std::size_t j = 0; j < width; ++j) x[j] = (x[j] - scaling.shift[j]) / scaling.scale[j];
  }
  out.labels = std::move(data.labels);
  out.lines = std::move(data.lines);
  out.weights = std::move(data.weights);
  return Block(std::move(out));
}

double Encoder::number(std::size_t j, double raw, std::uint64_t line) {
  const Column& column = schema_.columns[j];
  if (std::isnan(raw)) {
    if (column.missing == Missing::refuse)
      throw DataError({table_.source, line, 0},
                      fmt::format("column {}: a missing value, expected a number", in_quotes(column.name)));
    return column.missing == Missing::zero ? 0 : column.seen.mean;
  }
  if (promises_[j] != 0 &&
      (raw < column.low || raw > column.high || (column.kind == Kind::binary && raw != 0 && raw != 1) ||
       (column.kind == Kind::integer && raw != std::floor(raw))))
    ++surprises_.broken[j];
  return raw;
}

Block Encoder::encode_in_place(BlockData data) {
  const std::size_t width = schema_.columns.size();
  const Scaling& scaling = schema_.scaling;
  const bool complete = std::all_of(schema_.columns.begin(), schema_.columns.end(),
                                    [](const Column& column) { return column.seen_missing == 0; });
  if (trusted_ && complete && scaling.identity()) return Block(std::move(data));
  for (std::size_t i = 0, k = 0; k < data.values.size(); ++i)
    for (std::size_t j = 0; j < width; ++j, ++k) {
      double& x = data.values[k];
      if ((promises_[j] != 0 && !trusted_) || std::isnan(x)) x = number(j, x, data.lines.empty() ? 0 : data.lines[i]);
      if (!scaling.identity()) x = (x - scaling.shift[j]) / scaling.scale[j];
    }
  return Block(std::move(data));
}

Block Encoder::encode_expanded(BlockData raw) {
  BlockData out;
  out.width = schema_.features;
  out.starts.push_back(0);
  const auto scaled = [&](std::uint32_t feature, double x) {
    return schema_.scaling.identity() ? x : (x - schema_.scaling.shift[feature]) / schema_.scaling.scale[feature];
  };
  const auto put = [&](std::uint32_t feature, double x) {
    if (x == 0) return;
    out.indices.push_back(feature);
    out.values.push_back(x);
  };
  const std::size_t width = schema_.columns.size();
  for (std::size_t i = 0; i < raw.labels.size() || i * width < raw.values.size(); ++i) {
    for (std::size_t j = 0; j < width; ++j) {
      const Column& column = schema_.columns[j];
      const double x = raw.values[i * width + j];
      const std::uint64_t line = raw.lines.empty() ? 0 : raw.lines[i];
      const std::uint32_t feature = first_feature_[j];
      if (column.kind != Kind::categorical) {
        put(feature, scaled(feature, number(j, x, line)));
      } else if (!std::isnan(x)) {
        const std::int64_t category = category_[j][static_cast<std::size_t>(x)];
        if (category < 0)
          ++surprises_.unseen[j];
        else
          put(feature + static_cast<std::uint32_t>(category), 1);
      } else if (column.missing == Missing::refuse) {
        throw DataError({table_.source, line, 0},
                        fmt::format("column {}: a missing value, expected a category", in_quotes(column.name)));
      }
      if (column.missing == Missing::indicator && std::isnan(x)) put(feature + column.features() - 1, 1);
    }
    out.starts.push_back(out.values.size());
  }
  out.labels = std::move(raw.labels);
  out.lines = std::move(raw.lines);
  out.weights = std::move(raw.weights);
  return Block(std::move(out));
}

}  // namespace postil
