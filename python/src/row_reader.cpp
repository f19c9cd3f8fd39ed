// row_reader.cpp: one row as Python's users write it: an array, a sparse row, a list, a dict of features by name.
#include "row_reader.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "postil/text.hpp"
#include "rows.hpp"

namespace postil::python {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

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
    const std::string column = table.sparse() ? fmt::format("f{}", j + 1) : table.columns[j].name;
    throw DataError(not_finite(fmt::format("column {}", in_quotes(column)), column, value));
  }
}

// A date, a time, or the text of one, as days since 1970-01-01; times of other zones as they are in UTC. NaN: not a time.
std::optional<double> date_of(PyObject* value) {
  const nb::handle given(value);
  std::string text;
  if (PyUnicode_Check(value) != 0) {
    text = nb::cast<std::string>(given);
  } else if (nb::cast<std::string>(nb::inst_name(given)) == "numpy.datetime64") {
    text = nb::cast<std::string>(nb::str(given));
  } else if (PyObject_HasAttrString(value, "isoformat") != 0) {
    nb::object time = nb::borrow(given);
    if (nb::hasattr(time, "tzinfo") && !time.attr("tzinfo").is_none())
      time = time.attr("astimezone")(nb::module_::import_("datetime").attr("timezone").attr("utc"))
                 .attr("replace")(nb::arg("tzinfo") = nb::none());
    text = nb::cast<std::string>(nb::str(time.attr("isoformat")()));
  }
  return text == "NaT" ? kMissing : parse_date(text);
}

}  // namespace

std::uint32_t RowReader::width() const { return session_.table().row_width(); }

bool RowReader::numbers() const {
  const std::vector<TableColumn>& columns = session_.table().columns;
  return std::none_of(columns.begin(), columns.end(),
                      [](const TableColumn& column) { return column.type == TableColumn::Type::text; });
}

std::optional<std::size_t> RowReader::column_of(nb::handle name) {
  const Table& table = session_.table();
  if (!places_.is_valid() || known_ > table.columns.size()) {  // the latter: a session that went back
    places_ = nb::dict();
    known_ = 0;
  }
  for (; known_ < table.columns.size(); ++known_) places_[table.columns[known_].name.c_str()] = known_;
  PyObject* place = PyDict_GetItemWithError(places_.ptr(), name.ptr());
  if (place == nullptr && PyUnicode_CheckExact(name.ptr()) == 0)  // columns have texts for names
    place = PyDict_GetItemWithError(places_.ptr(), nb::object(nb::str(name)).ptr());
  if (place == nullptr) return std::nullopt;
  return PyLong_AsSize_t(place);
}

double RowReader::value_of(std::size_t column, PyObject* value, bool learning) {
  const TableColumn& to = session_.table().columns[column];
  if (value == Py_None) return kMissing;
  if (to.type == TableColumn::Type::text) {
    const std::string text = nb::cast<std::string>(nb::str(nb::handle(value)));
    return learning ? session_.text_code(column, text) : session_.text_code_if_known(column, text);
  }
  if (PyFloat_CheckExact(value)) return PyFloat_AsDouble(value);
  if (to.written == Kind::percent && PyUnicode_Check(value) != 0)
    if (const std::optional<double> percent = parse_percent(nb::cast<std::string>(nb::handle(value)))) return *percent;
  if (to.written == Kind::date)
    if (const std::optional<double> days = date_of(value)) return *days;
  const double number = PyFloat_AsDouble(value);
  if (number != -1 || PyErr_Occurred() == nullptr) return number;
  PyErr_Clear();
  throw DataError({}, fmt::format("column {}: found {}, expected a {}", in_quotes(to.name),
                                  nb::cast<std::string>(nb::repr(nb::handle(value))),
                                  to.written == Kind::date ? "date" : "number"));
}

// What a dict names, 0 or missing elsewhere: sparse if that is all a learner needs, else all columns.
Row RowReader::row_of_dict(nb::handle dict, bool learning) {
  const Table& table = session_.table();
  if (table.sparse()) throw DataError({}, "the columns of a sparse matrix have no names; expected a sparse row");
  pairs_.clear();
  std::vector<std::pair<std::string, PyObject*>> late;  // columns that no row has had
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dict.ptr(), &at, &key, &value) != 0;) {
    const std::optional<std::size_t> column = column_of(key);
    if (column)
      pairs_.emplace_back(static_cast<std::uint32_t>(*column), value_of(*column, value, learning));
    else if (learning && value != Py_None)  // one to be predicted: what was never learned says nothing
      late.emplace_back(nb::cast<std::string>(nb::str(nb::handle(key))), value);
  }
  for (const auto& [name, first] : late) {
    const bool text = PyUnicode_Check(first) != 0;
    const std::optional<double> days = text ? std::nullopt : date_of(first);
    const double number = text ? 0 : days ? *days : PyFloat_AsDouble(first);
    if (!text && number == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw DataError({}, fmt::format("column {}: found {}, expected a number", in_quotes(name),
                                      nb::cast<std::string>(nb::repr(nb::handle(first)))));
    }
    const auto refused = [&](double given) { return !session_.missing_allowed() && !std::isfinite(given); };
    if (refused(number) ||
        std::any_of(pairs_.begin(), pairs_.end(), [&](const auto& pair) { return refused(pair.second); }))
      throw DataError({},
                      fmt::format("Input X contains NaN or infinity beside the new column {}; expected finite numbers",
                                  in_quotes(name)));
    const std::size_t column = session_.add_column(
        {name, text ? TableColumn::Type::text : TableColumn::Type::number, {}, days ? Kind::date : Kind::number},
        number);
    pairs_.emplace_back(static_cast<std::uint32_t>(column), value_of(column, first, learning));
  }
  const std::size_t columns = table.columns.size();  // perhaps more than before
  if (session_.takes_sparse_rows() && pairs_.size() < columns) {
    std::sort(pairs_.begin(), pairs_.end());
    indices_.clear();
    values_.clear();
    for (const auto& [j, number] : pairs_) {
      indices_.push_back(j);
      values_.push_back(number);
    }
    return {indices_.data(), values_.data(), static_cast<std::uint32_t>(pairs_.size()), false};
  }
  const bool missing = session_.missing_allowed();
  values_.assign(columns, missing ? kMissing : 0);
  for (std::size_t j = 0; j < columns && !missing; ++j)
    if (table.columns[j].type == TableColumn::Type::text) values_[j] = session_.text_code(j, "");  // no category
  for (const auto& [j, number] : pairs_) values_[j] = number;
  return {nullptr, values_.data(), static_cast<std::uint32_t>(columns), false};
}

Row RowReader::row_of_sparse(nb::handle x) {
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
  if (session_.takes_sparse_rows()) return {indices_.data(), values_.data(), lent.count, false};
  std::vector<double> dense(width());
  for (std::size_t k = 0; k < lent.count; ++k) dense[indices_[k]] = values_[k];
  values_ = std::move(dense);
  return {nullptr, values_.data(), width(), false};
}

Row RowReader::row_of_list(nb::handle x) {
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
Row RowReader::row_of(nb::handle x, bool learning) {
  if (PyDict_Check(x.ptr()) != 0) return row_of_dict(x, learning);
  if (nb::hasattr(x, "keys")) {  // another mapping, or a Series
    nb::dict dict;
    for (const nb::handle item : nb::list(x.attr("items")())) dict[item[0]] = item[1];
    return row_of_dict(dict, learning);
  }
  if (!numbers()) throw DataError({}, "this model has columns of text; expected one row as a dict of features by name");
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

Row RowReader::read(nb::handle x, bool learning) {
  const Row row = row_of(x, learning);
  if (!session_.missing_allowed()) check_row(row, session_.table());
  return row;
}

}  // namespace postil::python
