// survey_merge.cpp: surveys of rows that stand in several places, as one.
//
// Counts add up; means and sums of squares by Chan, Golub and LeVeque, Updating formulae and a pairwise algorithm for computing
// sample variances, 1979:  n = a + b,  d = mean_b - mean_a,  mean = mean_a + d b/n,  squares = squares_a + squares_b + d^2 a b/n
#include <algorithm>
#include <cmath>
#include <map>

#include "failures.hpp"
#include "postil/archive.hpp"
#include "postil/schema.hpp"

namespace postil {
namespace {

// Where the entries of `from` stand among those of `into`, which gets those it has not.
std::vector<std::size_t> unite(std::vector<std::string>& into, const std::vector<std::string>& from) {
  std::map<std::string_view, std::size_t> places;
  std::vector<std::size_t> out;
  into.reserve(into.size() + from.size());  // the views stay right
  for (const std::string& text : into) places.emplace(text, places.size());
  for (const std::string& text : from) {
    const auto [found, is_new] = places.emplace(text, into.size());
    out.push_back(found->second);
    if (is_new) into.push_back(text);
  }
  return out;
}

// Nothing was seen that tells what it holds.
bool unknown(const TableColumn& column) {
  return column.type == TableColumn::Type::unknown || (column.type == TableColumn::Type::text && column.texts.empty());
}

void unite(TableColumn& into, const TableColumn& from, const std::string& source) {
  const auto word = [](TableColumn::Type type) { return type == TableColumn::Type::text ? "text" : "numbers"; };
  if (into.type != from.type && !unknown(into) && !unknown(from))
    throw DataError({.code = Code::conflict,
                     .place = {source},
                     .subject = {"column", shown(into.name)},
                     .message = Text("column ", in_quotes(into.name), " holds ", word(from.type), " here, but ",
                                     word(into.type), " in rows of lower number"),
                     .found = word(from.type),
                     .expected = word(into.type),
                     .remedy = Text(Option{"kind", "", into.name + "=categorical"}, " reads all its cells as text")});
  const bool numbers = from.type == TableColumn::Type::number;
  if (numbers && into.type == from.type && into.written != from.written)
    throw DataError({.code = Code::conflict,
                     .place = {source},
                     .subject = {"column", shown(into.name)},
                     .message = Text("column ", in_quotes(into.name), " holds values of kind ",
                                     std::string(postil::word(from.written)), " here, but of kind ",
                                     std::string(postil::word(into.written)), " in rows of lower number"),
                     .found = std::string(postil::word(from.written)),
                     .expected = std::string(postil::word(into.written))});
  if (unknown(into) && !(unknown(from) && into.type != TableColumn::Type::unknown)) {
    into.type = from.type;
    into.written = from.written;
  }
}

void merge(Moments& a, const Moments& b) {
  if (b.count == 0) return;
  const auto n_a = static_cast<double>(a.count), n_b = static_cast<double>(b.count), n = n_a + n_b;
  const double d = b.mean - a.mean;
  a.count += b.count;
  a.mean = n_a == 0 ? b.mean : a.mean + d * (n_b / n);
  a.squares += b.squares + (n_a == 0 ? 0 : d * d * (n_a * n_b / n));
  a.low = std::min(a.low, b.low);
  a.high = std::max(a.high, b.high);
}

}  // namespace

TableCodes unite(Table& into, const Table& from) {
  TableCodes out;
  if (into.form != from.form)
    throw DataError({.code = Code::conflict,
                     .place = {from.source},
                     .message = "some rows have columns with names, others are sparse and have none"});
  if (into.label_name != from.label_name)
    throw DataError({.code = Code::conflict,
                     .place = {from.source},
                     .subject = {"column", shown(from.label_name)},
                     .message = Text("the label is ", in_quotes(from.label_name), " here, but ",
                                     in_quotes(into.label_name), " in rows of lower number"),
                     .found = shown(from.label_name),
                     .expected = shown(into.label_name),
                     .remedy = Text(Option{"label"}, " names it")});
  std::map<std::string, std::size_t> places;
  for (const TableColumn& column : into.columns) places.emplace(column.name, places.size());
  for (const TableColumn& column : from.columns) {
    const auto [found, is_new] = places.emplace(column.name, into.columns.size());
    if (is_new) into.columns.push_back({column.name, TableColumn::Type::unknown, {}, column.written});
    TableColumn& to = into.columns[found->second];
    unite(to, column, from.source);
    out.columns.push_back(found->second);
    out.texts.push_back(unite(to.texts, column.texts));
  }
  out.labels = unite(into.labels, from.labels);
  into.width = std::max(into.width, from.width);
  return out;
}

void Survey::merge(const Survey& other, const TableCodes& codes) {
  rows_ += other.rows_;
  label_counts_.resize(table_.labels.size());
  for (std::size_t k = 0; k < other.label_counts_.size(); ++k) label_counts_[codes.labels[k]] += other.label_counts_[k];
  make_room();
  for (std::size_t k = 0; k < codes.columns.size(); ++k) {
    const std::size_t j = codes.columns[k];
    Moments seen = moments(j);
    postil::merge(seen, other.moments(k));
    set_moments(j, seen);
    not_whole_[j] += other.not_whole_[k];
    not_binary_[j] += other.not_binary_[k];
    if (k >= other.text_counts_.size() || other.text_counts_[k].empty()) continue;
    text_counts_.resize(table_.columns.size());
    text_counts_[j].resize(table_.columns[j].texts.size());
    for (std::size_t code = 0; code < other.text_counts_[k].size(); ++code)
      text_counts_[j][codes.texts[k][code]] += other.text_counts_[k][code];
  }
  sparse_.resize(std::max(sparse_.size(), other.sparse_.size()));
  for (std::size_t j = 0; j < other.sparse_.size(); ++j) postil::merge(sparse_[j], other.sparse_[j]);
  sparse_kinds_.resize(std::max(sparse_kinds_.size(), other.sparse_kinds_.size()), Kind::binary);
  for (std::size_t j = 0; j < other.sparse_kinds_.size(); ++j)  // number, integer, binary: from wide to narrow
    sparse_kinds_[j] = std::min(sparse_kinds_[j], other.sparse_kinds_[j]);
}

void Survey::make_room() {
  const std::size_t n = table_.columns.size();
  for (std::vector<double>* array : {&count_, &mean_, &squares_, &not_whole_, &not_binary_}) array->resize(n);
  low_.resize(n, Moments().low);
  high_.resize(n, Moments().high);
}

Moments Survey::moments(std::size_t column) const {
  return {static_cast<std::uint64_t>(count_[column]), mean_[column], squares_[column], low_[column], high_[column]};
}

void Survey::set_moments(std::size_t column, const Moments& seen) {
  count_[column] = static_cast<double>(seen.count);
  mean_[column] = seen.mean;
  squares_[column] = seen.squares;
  low_[column] = seen.low;
  high_[column] = seen.high;
}

// ---- state ----

namespace {

// Of each: count, mean, squares, low, high. Those of no value have no low and high.
std::vector<double> numbers_of(std::span<const Moments> all) {
  std::vector<double> out;
  for (const Moments& m : all)
    out.insert(out.end(),
               {static_cast<double>(m.count), m.mean, m.squares, m.count == 0 ? 0 : m.low, m.count == 0 ? 0 : m.high});
  return out;
}
bool are_moments(const std::vector<double>& numbers) {
  const auto count = [](double n) { return n >= 0 && n < 0x1p53 && n == std::floor(n); };
  for (std::size_t j = 0; j + 4 < numbers.size(); j += 5)
    if (const double* n = numbers.data() + j;
        !count(n[0]) || !(n[2] >= 0) || !std::all_of(n + 1, n + 5, [](double x) { return std::isfinite(x); }))
      return false;
  return numbers.size() % 5 == 0;
}
std::vector<Moments> moments_of(const std::vector<double>& numbers) {
  std::vector<Moments> out(numbers.size() / 5);
  for (std::size_t j = 0; j < out.size(); ++j)
    if (const double* n = numbers.data() + 5 * j; n[0] > 0)
      out[j] = {static_cast<std::uint64_t>(n[0]), n[1], n[2], n[3], n[4]};
  return out;
}

}  // namespace

void Survey::write(StateWriter& out) const {
  const auto doubles = [](const auto& values) {
    std::vector<double> numbers;
    for (const auto value : values) numbers.push_back(static_cast<double>(value));
    return numbers;
  };
  out.counter("rows", rows_);
  out.tensor("labels", doubles(label_counts_));
  std::vector<Moments> seen;
  for (std::size_t j = 0; j < count_.size(); ++j) seen.push_back(moments(j));
  out.tensor("columns", numbers_of(seen));
  out.tensor("not_whole", not_whole_);
  out.tensor("not_binary", not_binary_);
  std::vector<double> texts, ends;
  for (const std::vector<std::uint64_t>& counts : text_counts_) {
    const std::vector<double> numbers = doubles(counts);
    texts.insert(texts.end(), numbers.begin(), numbers.end());
    ends.push_back(static_cast<double>(texts.size()));
  }
  out.tensor("texts", texts);
  out.tensor("texts_end", ends);
  out.tensor("sparse", numbers_of(sparse_));
  out.tensor("sparse_kinds", doubles(sparse_kinds_));
}

bool Survey::read(StateReader& in) {
  const auto counts = [](const std::vector<double>& numbers) {
    return std::all_of(numbers.begin(), numbers.end(),
                       [](double n) { return n >= 0 && n < 0x1p53 && n == std::floor(n); });
  };
  std::vector<double> labels, columns, texts, ends, sparse, kinds;
  in.counter("rows", rows_);
  in.tensor("labels", labels);
  in.tensor("columns", columns);
  in.tensor("not_whole", not_whole_);
  in.tensor("not_binary", not_binary_);
  in.tensor("texts", texts);
  in.tensor("texts_end", ends);
  in.tensor("sparse", sparse);
  in.tensor("sparse_kinds", kinds);
  const std::size_t n = table_.columns.size(), width = table_.width;
  if (!counts(labels) || !counts(texts) || !counts(ends) || !counts(kinds) || !counts(not_whole_) ||
      !counts(not_binary_) || !are_moments(columns) || !are_moments(sparse) || labels.size() > table_.labels.size() ||
      columns.size() != 5 * n || not_whole_.size() != n || not_binary_.size() != n ||
      (!ends.empty() && ends.size() != n) ||
      (ends.empty() ? !texts.empty() : ends.back() != static_cast<double>(texts.size())) || sparse.size() > 5 * width ||
      sparse.size() % 5 != 0 || kinds.size() > width)
    return false;
  label_counts_.assign(labels.begin(), labels.end());
  make_room();
  const std::vector<Moments> seen = moments_of(columns);
  for (std::size_t j = 0; j < n; ++j) set_moments(j, seen[j]);
  for (std::size_t j = 0, begin = 0; j < ends.size(); ++j) {
    const auto end = static_cast<std::size_t>(ends[j]);
    if (end < begin || end > texts.size() || end - begin > table_.columns[j].texts.size()) return false;
    text_counts_.emplace_back(texts.begin() + static_cast<std::ptrdiff_t>(begin),
                              texts.begin() + static_cast<std::ptrdiff_t>(end));
    begin = end;
  }
  sparse_ = moments_of(sparse);
  for (const double kind : kinds) {
    if (kind > static_cast<double>(Kind::binary)) return false;
    sparse_kinds_.push_back(static_cast<Kind>(kind));
  }
  return true;
}

}  // namespace postil
