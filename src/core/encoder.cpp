// encoder.cpp: raw rows to the rows that learners see.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "clones.hpp"
#include "failures.hpp"
#include "kernels.hpp"
#include "postil/error.hpp"
#include "postil/schema.hpp"
#include "row_forms.hpp"

namespace postil {
namespace {

// Puts the row from the last start to `end` into the order of its features: those that came late stand behind all others.
void sort_row(BlockData& data, std::uint64_t end) {
  const std::uint64_t begin = data.starts.back();
  for (std::uint64_t k = begin + 1; k < end; ++k)
    for (std::uint64_t i = k; i > begin && data.indices[i] < data.indices[i - 1]; --i) {
      std::swap(data.indices[i], data.indices[i - 1]);
      std::swap(data.values[i], data.values[i - 1]);
    }
}

template <class Value>
[[gnu::always_inline]] inline void scale_all(const Value* x, const double* shift, const double* scale, double* out,
                                             std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) out[j] = (static_cast<double>(x[j]) - shift[j]) / scale[j];
}
POSTIL_CLONES void scale_f64(const double* x, const double* shift, const double* scale, double* out, std::size_t n) {
  scale_all(x, shift, scale, out, n);
}
POSTIL_CLONES void scale_f32(const float* x, const double* shift, const double* scale, double* out, std::size_t n) {
  scale_all(x, shift, scale, out, n);
}

}  // namespace

void scale_row(const Row& raw, const Scaling& scaling, double* out) {
  if (raw.single)
    scale_f32(static_cast<const float*>(raw.values), scaling.shift.data(), scaling.scale.data(), out, raw.count);
  else
    scale_f64(static_cast<const double*>(raw.values), scaling.shift.data(), scaling.scale.data(), out, raw.count);
}

Encoder::Encoder(const Schema& schema, const Table& table) : schema_(schema), table_(table) {
  surprises_.broken.resize(schema_.columns.size());
  surprises_.unseen.resize(schema_.columns.size());
  category_.resize(schema_.columns.size());
  for (std::uint32_t j = 0; j < schema_.columns.size(); ++j) {
    const Column& column = schema_.columns[j];
    complete_ &= column.seen.missing == 0;
    expanded_ |= column.categorical() || column.features != std::vector{j};
    promises_.push_back(column.promised.kind == Kind::integer || column.promised.kind == Kind::binary ||
                        std::isfinite(column.promised.low) || std::isfinite(column.promised.high));
  }
}

void Encoder::learn_texts() {
  for (std::size_t j = 0; j < schema_.columns.size(); ++j) {
    const std::vector<std::string>& texts = table_.columns[j].texts;
    if (category_[j].size() == texts.size()) continue;
    std::unordered_map<std::string_view, std::int64_t> places;
    for (const std::string& category : schema_.columns[j].categories)
      places.emplace(category, static_cast<std::int64_t>(places.size()));
    for (std::size_t code = category_[j].size(); code < texts.size(); ++code) {
      const auto found = places.find(texts[code]);
      category_[j].push_back(found == places.end() ? -1 : found->second);
    }
  }
  const std::vector<std::string>& classes = schema_.label.classes;
  for (std::size_t code = class_.size(); code < table_.labels.size(); ++code) {
    const auto found = std::find(classes.begin(), classes.end(), table_.labels[code]);
    class_.push_back(found == classes.end() ? -1 : found - classes.begin());
  }
}

void Encoder::admit(std::size_t column, std::size_t code) {
  if (code < category_[column].size())
    category_[column][code] = static_cast<std::int64_t>(schema_.columns[column].categories.size()) - 1;
}

void Encoder::encode_labels(BlockData& data) {
  if (schema_.label.real()) return;  // regression: the label is the number
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    double& label = data.labels[i];
    if (std::isnan(label)) continue;
    const auto code = static_cast<std::size_t>(label);
    if (class_[code] < 0)
      throw DataError(not_a_class(table_.labels[code], schema_.label.classes,
                                  {table_.source, data.lines.empty() ? 0 : data.lines[i], 0}));
    label = static_cast<double>(class_[code]);
  }
}

bool Encoder::right_as_it_is(const Block& raw) const {
  if (schema_.projection.components > 0 || !schema_.scaling.identity() || expanded_) return false;
  if (schema_.sparse() ? raw.width() > schema_.features : !raw.dense() || !trusted_ || !complete_) return false;
  if (raw.labels().empty() || schema_.label.real()) return true;
  for (std::size_t code = 0; code < class_.size(); ++code)
    if (class_[code] != static_cast<std::int64_t>(code)) return false;
  return true;
}

Block Encoder::encode(Block raw) {
  learn_texts();
  if (right_as_it_is(raw)) return raw;
  BlockData data = raw.release();
  encode_labels(data);
  data = schema_.sparse() ? sparse_form(std::move(data))
                          : dense_form(std::move(data), static_cast<std::uint32_t>(schema_.columns.size()));
  Block block = schema_.sparse() ? encode_sparse(std::move(data))
                : expanded_      ? encode_expanded(std::move(data))
                                 : encode_in_place(std::move(data));
  return schema_.projection.components > 0 ? projected(std::move(block)) : std::move(block);
}

Block Encoder::projected(Block block) const {
  const Projection& projection = schema_.projection;
  std::vector<double> middle;  // of the rows, seen along the axes
  for (std::size_t k = 0; k < projection.components; ++k)
    middle.push_back(dot(projection.axis(k), std::span<const double>(projection.mean)));
  BlockData out;
  out.width = projection.components;
  out.values.reserve(block.rows() * projection.components);
  for (std::size_t i = 0; i < block.rows(); ++i) {
    const Row x = block.row(i);
    for (std::size_t k = 0; k < projection.components; ++k)
      out.values.push_back(dot(x, projection.axis(k).data()) - middle[k]);
  }
  BlockData data = block.release();
  out.labels = std::move(data.labels);
  out.lines = std::move(data.lines);
  out.weights = std::move(data.weights);
  return Block(std::move(out));
}

Block Encoder::encode_sparse(BlockData data) {
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
  data = dense_form(std::move(data), width);
  for (std::size_t k = 0; k < data.values.size(); ++k)
    data.values[k] = (data.values[k] - scaling.shift[k % width]) / scaling.scale[k % width];
  return Block(std::move(data));
}

double Encoder::number(std::size_t j, double raw, std::uint64_t line) {
  const Column& column = schema_.columns[j];
  if (std::isnan(raw)) {
    if (column.missing == Missing::refuse)
      throw DataError(missing_value(column.name, "a number", {table_.source, line, 0}));
    return column.missing == Missing::zero ? 0 : column.seen.numbers.mean;
  }
  const Promise& promised = column.promised;
  if (promises_[j] != 0 &&
      (raw < promised.low || raw > promised.high || (promised.kind == Kind::binary && raw != 0 && raw != 1) ||
       (promised.kind == Kind::integer && raw != std::floor(raw))))
    ++surprises_.broken[j];
  return raw;
}

Block Encoder::encode_in_place(BlockData data) {
  const std::size_t width = schema_.columns.size();
  const Scaling& scaling = schema_.scaling;
  if (trusted_ && complete_) {  // nothing is missing and nothing to be checked
    for (std::size_t k = 0; !scaling.identity() && k < data.values.size(); k += width)
      scale_row({.values = data.values.data() + k, .count = static_cast<std::uint32_t>(width)}, scaling,
                data.values.data() + k);
    return Block(std::move(data));
  }
  for (std::size_t i = 0, k = 0; k < data.values.size(); ++i)
    for (std::size_t j = 0; j < width; ++j, ++k) {
      double& x = data.values[k];
      if ((promises_[j] != 0 && !trusted_) || std::isnan(x)) x = number(j, x, data.lines.empty() ? 0 : data.lines[i]);
      if (!scaling.identity()) x = (x - scaling.shift[j]) / scaling.scale[j];
    }
  return Block(std::move(data));
}

Block Encoder::encode_expanded(BlockData raw) {
  const std::size_t width = schema_.columns.size();
  const std::size_t rows = std::max(raw.labels.size(), width == 0 ? 0 : raw.values.size() / width);
  const Scaling& scaling = schema_.scaling;
  BlockData out;
  out.width = schema_.features;
  out.starts.reserve(rows + 1);
  out.starts.push_back(0);
  std::size_t most = width;  // values of a row
  for (const Column& column : schema_.columns) most += column.missing == Missing::indicator ? 1 : 0;
  out.indices.resize(rows * most);
  out.values.resize(rows * most);
  std::size_t size = 0;
  const auto put = [&](std::uint32_t feature, double x) {
    if (x == 0) return;
    out.indices[size] = feature;
    out.values[size++] = x;
  };
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t line = raw.lines.empty() ? 0 : raw.lines[i];
    for (std::size_t j = 0; j < width; ++j) {
      const Column& column = schema_.columns[j];
      const double x = raw.values[i * width + j];
      if (!column.categorical()) {
        const std::uint32_t feature = column.features[0];
        const double value = std::isnan(x) || promises_[j] != 0 ? number(j, x, line) : x;
        put(feature, scaling.identity() ? value : (value - scaling.shift[feature]) / scaling.scale[feature]);
      } else if (!std::isnan(x)) {
        const bool known = x >= 0 && x < static_cast<double>(category_[j].size());  // else a number among categories
        const std::int64_t category = known ? category_[j][static_cast<std::size_t>(x)] : -1;
        if (category < 0)
          ++surprises_.unseen[j];
        else
          put(column.features[static_cast<std::size_t>(category)], 1);
      } else if (column.missing == Missing::refuse) {
        throw DataError(missing_value(column.name, "a category", {table_.source, line, 0}));
      }
      if (std::isnan(x) && column.missing == Missing::indicator) put(column.features.back(), 1);
    }
    sort_row(out, size);
    out.starts.push_back(size);
  }
  out.indices.resize(size);
  out.values.resize(size);
  out.labels = std::move(raw.labels);
  out.lines = std::move(raw.lines);
  out.weights = std::move(raw.weights);
  return Block(std::move(out));
}

}  // namespace postil
