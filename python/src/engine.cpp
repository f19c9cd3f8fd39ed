#include "engine.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "core/text.hpp"

namespace postil::python {
namespace {

constexpr double kNoLabel = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kScoredTogether = 4096;  // rows

Table columns_of(const Schema& schema) {
  Table table;
  table.source = "X";
  table.anonymous = schema.anonymous;
  table.width = schema.anonymous ? schema.features : 0;
  table.label_name = schema.label.name;
  for (const Column& column : schema.columns)
    table.columns.push_back(
        {.name = column.name,
         .type = column.kind == Kind::categorical ? TableColumn::Type::text : TableColumn::Type::number,
         .texts = column.categories});
  table.labels = schema.label.classes;
  return table;
}

bool only_numbers(const Table& table) {
  return std::all_of(table.columns.begin(), table.columns.end(),
                     [](const TableColumn& column) { return column.type == TableColumn::Type::number; });
}

// Values are taken as they are: a missing one was refused at the door.
bool refuses_missing(const Schema& schema) {
  return std::all_of(schema.columns.begin(), schema.columns.end(),
                     [](const Column& column) { return column.missing == Missing::refuse; });
}

// A block of one row; a label of NaN is none.
Block block_of(const Row& row, std::uint32_t width, double label = kNoLabel, double weight = 1) {
  BlockData data;
  data.width = width;
  if (!row.dense()) {
    data.indices.assign(row.indices, row.indices + row.count);
    data.starts = {0, row.count};
  }
  for (std::size_t k = 0; k < row.count; ++k) data.values.push_back(row.value(k));
  data.labels = {label};
  data.weights = {weight};
  return Block(std::move(data));
}

// scikit-learn makes every estimator without parameters: one of rules alone then knows nothing, and its user is told.
void check(const Recipe& recipe) {
  if (recipe.rules || recipe.info().name != "advice-only") recipe.check();
}

TrainOptions passes_over(const FitOptions& options) {
  TrainOptions out;
  out.passes = options.passes;
  out.seed = options.seed;
  out.order = options.shuffle ? Order::shuffle : Order::file;
  out.memory = out.cache = std::numeric_limits<std::uint64_t>::max();
  out.after_pass = options.after_pass;
  return out;
}

Block rows_from(const Block& block, std::size_t first) {
  BlockData all = block.copied(), out;
  out.width = all.width;
  const auto rows = static_cast<std::ptrdiff_t>(first);
  out.labels.assign(all.labels.begin() + std::min<std::ptrdiff_t>(rows, std::ssize(all.labels)), all.labels.end());
  if (!all.weights.empty()) out.weights.assign(all.weights.begin() + rows, all.weights.end());
  if (!all.lines.empty()) out.lines.assign(all.lines.begin() + rows, all.lines.end());
  std::ptrdiff_t from = rows * static_cast<std::ptrdiff_t>(all.width);
  if (!all.starts.empty()) {
    from = static_cast<std::ptrdiff_t>(all.starts[first]);
    for (std::size_t i = first; i < all.starts.size(); ++i) out.starts.push_back(all.starts[i] - all.starts[first]);
    out.indices.assign(all.indices.begin() + from, all.indices.end());
  }
  out.values.assign(all.values.begin() + from, all.values.end());
  return Block(std::move(out));
}

}  // namespace

// ---- making ----

std::unique_ptr<Engine> Engine::fit(Rows& rows, const Recipe& recipe, const ColumnWishes& wishes,
                                    const FitOptions& options) {
  check(recipe);
  TrainOptions train_options = passes_over(options);
  train_options.recipe = recipe;
  train_options.read.wishes = wishes;
  rows.rewind();
  return std::make_unique<Engine>(train(rows, train_options));
}

std::unique_ptr<Engine> Engine::begin(const Rows& like, const Recipe& recipe, const ColumnWishes& wishes) {
  check(recipe);
  if (recipe.info().mode == Mode::batch)
    throw ParamError(fmt::format("{} learns from all examples at once, not as they come", recipe.info().name));
  std::unique_ptr<Engine> out(new Engine());
  Table& table = out->columns_.own;
  table = like.table();
  table.labels.clear();
  table.label_name = "label";
  for (const std::string& name : recipe.label.classes) table.labels.push_back(canonical_label(name));
  const bool known = recipe.label.regression || !recipe.label.classes.empty();
  const auto missing = wishes.missing.find("");
  const bool refuse = missing != wishes.missing.end() && missing->second == Missing::refuse;
  if (known && only_numbers(table) && !recipe.rules && refuse && recipe.scale_for(like.format()) == Scale::none) {
    const Survey nothing(table, Scale::none, table.anonymous ? ColumnWishes() : wishes);
    out->settle(recipe.begin(nothing, table));
    return out;
  }
  Recipe begun = recipe;
  begun.label.more_to_come = true;
  ReadOptions read;
  read.wishes = wishes;
  read.real_labels = recipe.label.regression;
  for (TableColumn& column : table.columns) column.texts.clear();
  out->stream_ = std::make_unique<Stream>(out->columns_, read, std::move(begun));
  out->stream_->begin();
  out->missing_allowed_ = !table.anonymous && !refuse;
  out->after_change();
  return out;
}

Engine::Engine(Model model) {
  columns_.own = columns_of(model.schema());
  if (model.warm_up()) {
    missing_allowed_ = !model.schema().anonymous && !refuses_missing(model.schema());
    stream_ = std::make_unique<Stream>(columns_, std::move(model));
    after_change();
  } else {
    settle(std::move(model));
  }
}

void Engine::settle(Model model) {
  encoder_.reset();
  model_.emplace(std::move(model));
  stream_.reset();
  after_change();
}

void Engine::after_change() {
  ahead_.reset();
  encoder_.reset();
  numbers_ = columns_.own.anonymous || only_numbers(columns_.own);
  if (!model_) return;
  const Schema& now = model_->schema();
  missing_allowed_ = !now.anonymous && !refuses_missing(now);
  const bool numbers = std::none_of(now.columns.begin(), now.columns.end(), [](const Column& column) {
    return column.kind == Kind::categorical || column.missing != Missing::refuse;
  });
  plain_ = numbers && now.scaling.identity() && now.projection.components == 0;
  scaled_ = numbers && !now.anonymous && !now.scaling.identity() && now.projection.components == 0;
}

Encoder& Engine::encoder() {
  if (!encoder_) {
    encoder_.emplace(model_->schema(), columns_.own);
    if (refuses_missing(model_->schema())) encoder_->trust();
  }
  return *encoder_;
}

bool Engine::ready() const { return model_ || stream_->model() != nullptr; }

const Model& Engine::model() const {
  if (model_) return *model_;
  if (stream_->behind() && !ahead_) ahead_.emplace(stream_->of_all_rows());
  return ahead_ ? *ahead_ : *stream_->model();
}

std::string Engine::to_bytes() {
  if (model_) return model_->to_bytes();
  return stream_->to_bytes();
}

std::vector<std::string> Engine::column_names() const {
  std::vector<std::string> names;
  for (const TableColumn& column : columns_.own.columns) names.push_back(column.name);
  return names;
}

double Engine::label_code(const std::string& text) {
  std::vector<std::string>& labels = columns_.own.labels;
  const std::string wanted = canonical_label(text);
  const auto found = std::find(labels.begin(), labels.end(), wanted);
  if (found == labels.end()) {
    if (!stream_)
      throw DataError({}, fmt::format("found class {}, expected one of: {}", in_quotes(wanted),
                                      joined(model_->schema().label.classes)));
    labels.push_back(wanted);
    return static_cast<double>(labels.size() - 1);
  }
  return static_cast<double>(found - labels.begin());
}

// ---- learning ----

void Engine::arrange(Rows& rows) const {
  if (model_) {
    rows.arrange(model_->schema());
    return;
  }
  Schema like;  // what is known of the columns so far
  like.anonymous = columns_.own.anonymous;
  like.features = std::max(columns_.own.width, static_cast<std::uint32_t>(rows.width()));
  for (const TableColumn& column : columns_.own.columns) {
    like.columns.emplace_back().name = column.name;
    if (column.type == TableColumn::Type::text) like.columns.back().kind = Kind::categorical;
  }
  rows.arrange(like);
}

Block Engine::adopt(Block raw, const Table& from) {
  if (numbers_) return raw;
  BlockData data = raw.release();
  const std::size_t width = from.columns.size();
  for (std::size_t j = 0; j < width; ++j) {
    TableColumn& own = columns_.own.columns[j];
    if (own.type != TableColumn::Type::text) continue;
    const std::vector<double> code = join_texts(own, from.columns[j].texts);
    for (std::size_t k = j; k < data.values.size(); k += width)
      if (!std::isnan(data.values[k])) data.values[k] = code[static_cast<std::size_t>(data.values[k])];
  }
  return Block(std::move(data));
}

// The class number of a label's code; NaN for a class that came after they were settled.
double Engine::class_of(double code) const {
  const std::vector<std::string>& classes = model_->schema().label.classes;
  if (model_->schema().label.real() || std::isnan(code)) return code;
  const auto place = static_cast<std::size_t>(code);
  const std::string& name = columns_.own.labels[place];
  if (place < classes.size() && classes[place] == name) return code;
  const auto found = std::find(classes.begin(), classes.end(), name);
  return found == classes.end() ? kNoLabel : static_cast<double>(found - classes.begin());
}

void Engine::learn_settled(Block raw) {
  const std::size_t rows = raw.rows();
  if (columns_.own.labels.size() > model_->schema().label.classes.size() && !model_->schema().label.real()) {
    BlockData data = raw.release();  // rows of classes that came too late have no label
    for (double& label : data.labels)
      if (std::isnan(class_of(label))) label = kNoLabel;
    raw = Block(std::move(data));
  }
  if (columns_.own.anonymous && model_->schema().scaling.identity()) model_->grow(columns_.own.width);
  raw.number_rows(model_->counters().rows + 1);
  model_->learn(encoder().encode(std::move(raw)), true);
  model_->count_rows(rows);
}

// Needs: model_. If the work fails, the model is what it was.
template <class Work>
void Engine::or_go_back(const Work& work) {
  const std::string before = model_->to_bytes();
  try {
    work();
  } catch (...) {
    settle(Model::from_bytes(before, "before"));
    throw;
  }
}

// Long matrices are checked block by block, while a block is at hand anyway; the state before is kept to go back to.
void Engine::learn(Rows& rows, bool missing_allowed) {
  constexpr std::size_t kLong = 1 << 20, kOfState = 16;  // values; and times as many as the state has numbers
  const bool in_blocks = model_ && rows.matrix() && rows.values() > kLong &&
                         rows.values() / kOfState > static_cast<std::size_t>(width()) * model_->outputs();
  if (!in_blocks) {
    rows.check_finite(missing_allowed);
    learn_checked(rows);
    return;
  }
  rows.check_weights();
  rows.check_while_read(missing_allowed);
  or_go_back([&] { learn_checked(rows); });
}

void Engine::learn_checked(Rows& rows) {
  arrange(rows);
  rows.rewind();
  if (columns_.own.anonymous)
    columns_.own.width = std::max(columns_.own.width, static_cast<std::uint32_t>(rows.width()));
  for (Block block; rows.next(block);) {
    block = adopt(std::move(block), rows.table());
    std::size_t i = 0;
    for (; stream_ && i < block.rows(); ++i) {
      stream_->take(block_of(block.row(i), block.width(), block.labels()[i], block.weight(i)));
      ahead_.reset();
      if (stream_->settled()) {
        settle(std::move(*stream_).release());
      }
    }
    if (i == 0)
      learn_settled(std::move(block));
    else if (i < block.rows())
      learn_settled(rows_from(block, i));
  }
}

void Engine::fit_more(Rows& rows, const FitOptions& options) {
  arrange(rows);
  rows.rewind();
  if (stream_) throw ParamError("the first rows of a stream are learned once each");
  TrainOptions train_options = passes_over(options);
  train_options.recipe.learner = model_->learner().name;
  train_options.init = &*model_;
  or_go_back([&] {
    encoder_.reset();
    settle(train(rows, train_options));
  });
}

void Engine::advise(const RuleFile& rules) {
  if (model_)
    model_->advise(rules);
  else
    stream_->advise(rules);
  after_change();
}

// ---- one row ----

namespace {

// A view of an array's memory, while it is looked at.
class Buffer {
 public:
  explicit Buffer(PyObject* object) {
    if (PyObject_CheckBuffer(object) == 0) return;
    if (PyObject_GetBuffer(object, &view_, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
      PyErr_Clear();
      return;
    }
    held_ = true;
  }
  ~Buffer() {
    if (held_) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  explicit operator bool() const { return held_; }
  const Py_buffer& operator*() const { return view_; }

 private:
  Py_buffer view_{};
  bool held_ = false;
};

// The numbers of a vector, or of a matrix of one row. Contiguous double or float: as they stand.
struct Vector {
  const void* data = nullptr;
  Py_ssize_t count = 0;
  bool single = false;
};

template <class From>
void widen(const char* at, Py_ssize_t count, Py_ssize_t stride, std::vector<double>& to) {
  to.resize(static_cast<std::size_t>(count));
  for (Py_ssize_t k = 0; k < count; ++k, at += stride) {
    From value;
    std::memcpy(&value, at, sizeof value);
    to[static_cast<std::size_t>(k)] = static_cast<double>(value);
  }
}

bool read_vector(const Py_buffer& view, std::vector<double>& room, Vector& out) {
  if (view.ndim < 1 || view.ndim > 2 || (view.ndim == 2 && view.shape[0] != 1)) return false;
  const int axis = view.ndim - 1;
  const Py_ssize_t count = view.shape[axis], stride = view.strides[axis];
  const char type = view.format == nullptr ? 'B' : view.format[view.format[0] == '<' || view.format[0] == '=' ? 1 : 0];
  const auto* at = static_cast<const char*>(view.buf);
  out.count = count;
  if (type == 'd' && stride == sizeof(double)) {
    out.data = at;
    return true;
  }
  if (type == 'f' && stride == sizeof(float)) {
    out.data = at;
    out.single = true;
    return true;
  }
  switch (type) {
    case 'd': widen<double>(at, count, stride, room); break;
    case 'f': widen<float>(at, count, stride, room); break;
    case 'l':
    case 'q': widen<std::int64_t>(at, count, stride, room); break;
    case 'L':
    case 'Q': widen<std::uint64_t>(at, count, stride, room); break;
    case 'i': widen<std::int32_t>(at, count, stride, room); break;
    case 'I': widen<std::uint32_t>(at, count, stride, room); break;
    case 'h': widen<std::int16_t>(at, count, stride, room); break;
    case 'H': widen<std::uint16_t>(at, count, stride, room); break;
    case 'b': widen<std::int8_t>(at, count, stride, room); break;
    case 'B': widen<std::uint8_t>(at, count, stride, room); break;
    case '?': widen<bool>(at, count, stride, room); break;
    default: return false;
  }
  out.data = room.data();
  return true;
}

void check_row(const Row& row, const Table& table) {
  for (std::size_t k = 0; k < row.count; ++k) {
    const double value = row.value(k);
    if (std::isfinite(value)) continue;
    const std::uint32_t j = row.index(k);
    throw DataError({}, fmt::format("Input X contains {} in column {}; expected finite numbers",
                                    std::isnan(value) ? "NaN" : "infinity",
                                    in_quotes(table.anonymous ? fmt::format("f{}", j + 1) : table.columns[j].name)));
  }
}

}  // namespace

std::size_t Engine::column_of(nb::handle name, bool may_grow) {
  Table& table = columns_.own;
  if (!places_.is_valid()) places_ = nb::dict();
  if (nb::len(places_) != table.columns.size())
    for (std::size_t j = 0; j < table.columns.size(); ++j) places_[table.columns[j].name.c_str()] = j;
  PyObject* place = PyDict_GetItemWithError(places_.ptr(), name.ptr());
  if (place != nullptr) return PyLong_AsSize_t(place);
  const std::string text = nb::cast<std::string>(nb::str(name));
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const TableColumn& column) { return column.name == text; });
  if (found != table.columns.end()) return static_cast<std::size_t>(found - table.columns.begin());
  if (!may_grow || !plain_ || !model_) return table.columns.size();
  const std::string names[] = {text};
  model_->add_columns(names);
  table.columns.push_back({.name = text, .type = TableColumn::Type::number, .texts = {}});
  places_[text.c_str()] = table.columns.size() - 1;
  encoder_.reset();  // it knows the columns there were
  return table.columns.size() - 1;
}

// What our table calls a text. Those that only ask to be predicted are not remembered: they count as none of the known.
double Engine::text_code(std::size_t column, const std::string& text, bool remember) {
  std::vector<std::string>& texts = columns_.own.columns[column].texts;
  auto found = std::find(texts.begin(), texts.end(), text);
  if (found == texts.end() && !remember) found = std::find(texts.begin(), texts.end(), "");
  if (found == texts.end()) found = texts.insert(texts.end(), remember ? text : "");
  return static_cast<double>(found - texts.begin());
}

void Engine::read_dict(nb::handle dict, bool may_grow) {
  const Table& table = columns_.own;
  pairs_.clear();
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict.ptr(), &at, &key, &value) != 0;) {
    const std::size_t j = column_of(key, may_grow);
    if (j == table.columns.size()) {
      if (!may_grow) continue;  // predicting: what was never learned says nothing
      throw DataError({},
                      fmt::format("a row has the feature {}, which earlier ones had not; the columns of this learner "
                                  "are settled (new ones are welcome without scaling and rules, if all classes are "
                                  "known)",
                                  in_quotes(nb::cast<std::string>(nb::str(key)))));
    }
    double number = 0;
    if (table.columns[j].type == TableColumn::Type::text) {
      number = value == Py_None ? kNoLabel : text_code(j, nb::cast<std::string>(nb::str(value)), may_grow);
    } else if (PyFloat_CheckExact(value)) {
      number = PyFloat_AS_DOUBLE(value);
    } else if (value == Py_None) {
      number = kNoLabel;
    } else {
      number = PyFloat_AsDouble(value);
      if (number == -1 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw DataError({}, fmt::format("column {}: found {}, expected a number", in_quotes(table.columns[j].name),
                                        nb::cast<std::string>(nb::repr(nb::handle(value)))));
      }
    }
    pairs_.emplace_back(static_cast<std::uint32_t>(j), number);
  }
}

// What a dict names, 0 elsewhere: sparse if that is all a learner needs, else all columns.
Row Engine::row_of_dict(nb::handle dict, bool may_grow) {
  const Table& table = columns_.own;
  if (table.anonymous) throw DataError({}, "the columns of a sparse matrix have no names; expected a sparse row");
  read_dict(dict, may_grow);
  const std::size_t columns = table.columns.size();  // perhaps more than before
  if (plain_ && pairs_.size() < columns) {
    std::sort(pairs_.begin(), pairs_.end());
    indices_.clear();
    values_.clear();
    for (const auto& [j, value] : pairs_) {
      indices_.push_back(j);
      values_.push_back(value);
    }
    return {indices_.data(), values_.data(), static_cast<std::uint32_t>(pairs_.size()), false};
  }
  values_.assign(columns, missing_allowed_ ? kNoLabel : 0);
  for (std::size_t j = 0; j < columns && !numbers_ && !missing_allowed_; ++j)
    if (table.columns[j].type == TableColumn::Type::text) values_[j] = text_code(j, "", false);  // no category
  for (const auto& [j, value] : pairs_) values_[j] = value;
  return {nullptr, values_.data(), static_cast<std::uint32_t>(columns), false};
}

Row Engine::row_of_sparse(nb::handle x) {
  const bool csr = nb::hasattr(x, "indptr") && nb::cast<std::string>(x.attr("format")) == "csr";
  const nb::object matrix = csr ? nb::borrow(x) : nb::object(x.attr("tocsr")());
  const nb::object index_array = matrix.attr("indices"), value_array = matrix.attr("data");
  const Buffer index_buffer(index_array.ptr()), value_buffer(value_array.ptr());
  std::vector<double> room, wide;
  Vector values, places;
  if (nb::len(nb::object(matrix.attr("indptr"))) != 2 || !index_buffer || !value_buffer ||
      !read_vector(*value_buffer, room, values) || !read_vector(*index_buffer, wide, places) ||
      places.count != values.count || std::ssize(wide) != places.count)
    throw DataError({}, "expected one sparse row");
  const Row lent{nullptr, values.data, static_cast<std::uint32_t>(values.count), values.single};
  indices_.resize(lent.count);
  values_.resize(lent.count);
  for (std::size_t k = 0; k < lent.count; ++k) {
    if (!(wide[k] >= 0 && wide[k] < width()) || (k > 0 && wide[k] <= wide[k - 1]))
      throw DataError({}, "a sparse row has increasing column indices, all inside the matrix");
    indices_[k] = static_cast<std::uint32_t>(wide[k]);
    values_[k] = lent.value(k);
  }
  if (columns_.own.anonymous || plain_) return {indices_.data(), values_.data(), lent.count, false};
  std::vector<double> dense(width());
  for (std::size_t k = 0; k < lent.count; ++k) dense[indices_[k]] = values_[k];
  values_ = std::move(dense);
  return {nullptr, values_.data(), width(), false};
}

Row Engine::row_of_list(nb::handle x) {
  const nb::object list = nb::steal(PySequence_List(x.ptr()));
  if (!list.is_valid()) {
    PyErr_Clear();
    throw DataError({}, "expected one row: an array, a sparse row or a dict of features");
  }
  values_.clear();
  for (const nb::handle item : list) {
    const double value = PyFloat_AsDouble(item.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw DataError({}, "expected one row of numbers, or a dict of features by name");
    }
    values_.push_back(value);
  }
  return {nullptr, values_.data(), static_cast<std::uint32_t>(values_.size()), false};
}

// The raw row.
Row Engine::row_of(nb::handle x, bool may_grow) {
  if (PyDict_Check(x.ptr()) != 0) return row_of_dict(x, may_grow);
  if (nb::hasattr(x, "keys")) {  // another mapping, or a Series
    nb::dict dict;
    for (const nb::handle item : nb::list(x.attr("items")())) dict[item[0]] = item[1];
    return row_of_dict(dict, may_grow);
  }
  if (!numbers_) throw DataError({}, "this model has columns of text; expected one row as a dict of features by name");
  if (nb::hasattr(x, "tocsr")) return row_of_sparse(x);
  Row row;
  if (const Buffer buffer(x.ptr()); buffer) {
    Vector vector;
    if (!read_vector(*buffer, values_, vector)) throw DataError({}, "expected one row of numbers");
    row = {nullptr, vector.data, static_cast<std::uint32_t>(vector.count), vector.single};
  } else {
    row = row_of_list(x);
  }
  if (row.count != width()) throw DataError({}, fmt::format("X has {} features, expected {}", row.count, width()));
  return row;
}

// The row as the learner sees it; raw, while there is no settled model. Lives until the next row is read, and as long as x.
Row Engine::read_one(nb::handle x, bool may_grow) {
  const Row row = row_of(x, may_grow);
  if (!missing_allowed_) check_row(row, columns_.own);
  if (!model_ || plain_) return row;
  if (scaled_ && row.dense()) {
    const Scaling& scaling = model_->schema().scaling;
    if (row.values != values_.data()) values_.resize(row.count);
    for (std::size_t j = 0; j < row.count; ++j) values_[j] = (row.value(j) - scaling.shift[j]) / scaling.scale[j];
    return {nullptr, values_.data(), row.count, false};
  }
  encoded_ = encoder().encode(block_of(row, width()));
  return encoded_.row(0);
}

void Engine::learn_one(nb::handle x, double label, double weight) {
  if (!(weight >= 0) || !std::isfinite(weight))
    throw DataError({}, fmt::format("a weight of {}; expected a finite number, not negative", weight));
  const Row row = read_one(x, true);
  if (!model_) {
    stream_->take(block_of(row, width(), label, weight));
    ahead_.reset();
    if (stream_->settled()) {
      settle(std::move(*stream_).release());
    }
    return;
  }
  model_->learn(row, class_of(label), weight, true, model_->counters().rows + 1);
  model_->count_rows(1);
}

std::vector<double> Engine::scores_one(nb::handle x) {
  Row row = read_one(x, false);
  const Model& now = model();
  Block encoded;
  if (!model_) {  // read_one gave it raw
    encoded = Encoder(now.schema(), columns_.own).encode(block_of(row, width()));
    row = encoded.row(0);
  }
  std::vector<double> out(now.outputs());
  now.score(row, out);
  return out;
}

double Engine::decide(const std::vector<double>& scores) const { return model().decide(scores); }

// ---- predicting ----

void Engine::scores(Rows& rows, double* out) const {
  const Model& now = model();
  rows.arrange(now.schema());
  const bool trusted = refuses_missing(now.schema());
  const std::size_t chunks = (rows.rows() + kScoredTogether - 1) / kScoredTogether, outputs = now.outputs();
  in_parallel(
      chunks,
      [&](std::size_t c) {
        const std::size_t first = c * kScoredTogether;
        Encoder encoder(now.schema(), rows.table());
        if (trusted) encoder.trust();
        const Block block = encoder.encode(rows.block(first, std::min(kScoredTogether, rows.rows() - first)));
        for (std::size_t i = 0; i < block.rows(); ++i) now.score(block.row(i), {out + (first + i) * outputs, outputs});
      },
      chunks < 4 ? 1 : 0);
}

bool Engine::novelty(Rows& rows, double* out) const {
  const Model& now = model();
  rows.arrange(now.schema());
  Encoder encoder(now.schema(), rows.table());
  rows.rewind();
  for (Block block; rows.next(block);) {
    block = encoder.encode(std::move(block));
    for (std::size_t i = 0; i < block.rows(); ++i, out += now.outputs())
      if (!now.novelty(block.row(i), {out, now.outputs()})) return false;
  }
  return true;
}

std::string Engine::row_report(Rows& rows, bool json, std::size_t top) const {
  const Model& now = model();
  if (now.outputs() == 0) throw ParamError("there is only one class so far, and so nothing to explain");
  rows.arrange(now.schema());
  const Block block = rows.block(0, 1);
  return json ? row_json(now, rows.table(), block, 0) : row_text(now, rows.table(), block, 0, top);
}

}  // namespace postil::python
