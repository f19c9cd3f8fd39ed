// Data files for Python: what the command's readers read, as arrays.
#include "files.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <vector>

#include "postil/postil.hpp"

namespace postil::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace)

template <class T>
nb::object array_of(std::vector<T> values) {
  auto* owned = new std::vector<T>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner));
}

struct Contents {
  std::vector<std::vector<double>> columns;  // of named ones
  std::vector<std::int64_t> starts = {0};    // of a sparse matrix
  std::vector<std::int32_t> indices;
  std::vector<double> values;
  std::vector<double> labels, weights;
  Table table;
};

Contents read_all(const std::string& path, const ReadOptions& options) {
  Contents out;
  Reader reader(path, options);
  for (Block block; reader.next(block);) {
    const bool sparse = reader.table().sparse();
    out.columns.resize(reader.table().columns.size());
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const Row row = block.row(i);
      for (std::size_t k = 0; k < row.count; ++k) {
        if (!sparse) {
          out.columns[row.index(k)].push_back(row.value(k));
          continue;
        }
        out.indices.push_back(static_cast<std::int32_t>(row.index(k)));
        out.values.push_back(row.value(k));
      }
      if (sparse) out.starts.push_back(static_cast<std::int64_t>(out.values.size()));
    }
    out.labels.insert(out.labels.end(), block.labels().begin(), block.labels().end());
  }
  out.table = reader.table();
  return out;
}

// {names, columns} or {indptr, indices, data, width}; {labels, classes, label}. Codes of texts as Rows.columns takes them.
nb::dict read_table(const std::string& path, const std::optional<std::string>& label, bool numbers,
                    const std::optional<std::vector<std::string>>& ignored) {
  ReadOptions options;
  options.label = label;
  options.real_labels = numbers;
  if (ignored) {  // rows without labels
    options.ignore = *ignored;
    options.use_label = false;
    options.unlabelled = true;
  }
  Contents from;
  {
    const nb::gil_scoped_release release;
    from = read_all(path, options);
  }
  nb::dict out;
  if (from.table.sparse()) {
    out["indptr"] = array_of(std::move(from.starts));
    out["indices"] = array_of(std::move(from.indices));
    out["data"] = array_of(std::move(from.values));
    out["width"] = from.table.width;
  } else {
    nb::list columns, names;
    for (std::size_t j = 0; j < from.table.columns.size(); ++j) {
      TableColumn& column = from.table.columns[j];
      if (column.type == TableColumn::Type::text)
        for (double& code : from.columns[j])
          if (std::isnan(code)) code = -1;  // missing
      nb::object values = array_of(std::move(from.columns[j]));
      names.append(column.name);
      if (column.type == TableColumn::Type::text)
        columns.append(nb::make_tuple(values, column.texts));
      else if (column.written != Kind::number)
        columns.append(nb::make_tuple(values, std::string(word(column.written))));
      else
        columns.append(values);
    }
    out["names"] = std::move(names);
    out["columns"] = std::move(columns);
  }
  out["labels"] = array_of(std::move(from.labels));
  out["classes"] = from.table.labels;
  out["label"] = from.table.label_name;
  return out;
}

}  // namespace

void add_files(nb::module_& m) {
  m.def("read_table", &read_table, "path"_a, "label"_a.none() = nb::none(), "numbers"_a = false,
        "ignored"_a.none() = nb::none(),
        "A text file (CSV, LIBSVM, JSON lines, ARFF) as arrays; numbers: its labels are numbers; ignored: columns to "
        "leave out, and there are no labels");
}

}  // namespace postil::python
