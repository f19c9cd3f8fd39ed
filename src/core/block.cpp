#include <cassert>

#include "row_forms.hpp"

namespace postil {

RulesThatHold RulesThatHold::part(std::size_t first, std::size_t rows) const {
  RulesThatHold out;
  if (!known()) return out;
  for (std::size_t i = first; i <= first + rows; ++i) out.starts.push_back(starts[i] - starts[first]);
  const auto from = [&](std::size_t row) { return this->rules.begin() + static_cast<std::ptrdiff_t>(starts[row]); };
  out.rules.assign(from(first), from(first + rows));
  return out;
}

void BlockData::clear() {
  kept.clear();
  starts.clear();
  indices.clear();
  values.clear();
  labels.clear();
  weights.clear();
  lines.clear();
  rules.starts.clear();
  rules.rules.clear();
  width = 0;
}

Block::Block(BlockData data) : data_(std::move(data)) {
  if (!data_.starts.empty()) {
    starts_ = data_.starts.data();
    indices_ = data_.indices.data();
    rows_ = data_.starts.size() - 1;
  } else {
    rows_ = data_.width != 0 ? data_.values.size() / data_.width : data_.labels.size();
  }
  values_ = data_.values.data();
  labels_ = data_.labels;
  weights_ = data_.weights;
  width_ = data_.width;
}

Block Block::borrow_dense(std::span<const double> values, std::uint32_t width, std::span<const double> labels) {
  Block block;
  block.borrowed_ = true;
  block.values_ = values.data();
  block.labels_ = labels;
  block.rows_ = width == 0 ? labels.size() : values.size() / width;
  block.width_ = width;
  return block;
}

Block Block::borrow_dense(std::span<const float> values, std::uint32_t width, std::span<const double> labels) {
  Block block = borrow_dense(std::span<const double>(), width, labels);
  block.values_ = values.data();
  block.rows_ = width == 0 ? labels.size() : values.size() / width;
  block.single_ = true;
  return block;
}

Block Block::borrow_csr(std::span<const std::uint64_t> starts, std::span<const std::uint32_t> indices,
                        std::span<const double> values, std::uint32_t width, std::span<const double> labels) {
  assert(!starts.empty());
  Block block;
  block.borrowed_ = true;
  block.starts_ = starts.data();
  block.indices_ = indices.data();
  block.values_ = values.data();
  block.labels_ = labels;
  block.rows_ = starts.size() - 1;
  block.width_ = width;
  return block;
}

Block Block::borrow_csr(std::span<const std::uint64_t> starts, std::span<const std::uint32_t> indices,
                        std::span<const float> values, std::uint32_t width, std::span<const double> labels) {
  Block block = borrow_csr(starts, indices, std::span<const double>(), width, labels);
  block.values_ = values.data();
  block.single_ = true;
  return block;
}

std::size_t Block::nonzeros() const noexcept {
  return starts_ == nullptr ? rows_ * width_ : static_cast<std::size_t>(starts_[rows_] - starts_[0]);
}

std::size_t Block::bytes() const noexcept {
  const std::size_t value = single_ ? sizeof(float) : sizeof(double);
  return nonzeros() * (value + (dense() ? 0 : sizeof(std::uint32_t))) + rows_ * (dense() ? 16 : 24);
}

BlockData Block::copied(std::size_t first, std::size_t rows) const {
  const auto part = [&](std::span<const double> of) { return of.empty() ? of : of.subspan(first, rows); };
  BlockData data;
  data.width = width_;
  data.labels.assign(part(labels_).begin(), part(labels_).end());
  data.weights.assign(part(weights_).begin(), part(weights_).end());
  if (!dense()) {
    for (std::size_t i = first; i <= first + rows; ++i) data.starts.push_back(starts_[i] - starts_[first]);
    data.indices.assign(indices_ + starts_[first], indices_ + starts_[first + rows]);
  }
  data.rules = data_.rules.part(first, rows);
  if (rows > 0 && line(first) > 0)
    for (std::size_t i = first; i < first + rows; ++i) data.lines.push_back(line(i));
  const std::size_t begin = dense() ? first * width_ : starts_[first];  // the values of all rows are one array
  const std::size_t end = dense() ? begin + rows * width_ : starts_[first + rows];
  if (begin == end) return data;
  if (single_)
    data.values.assign(static_cast<const float*>(values_) + begin, static_cast<const float*>(values_) + end);
  else
    data.values.assign(static_cast<const double*>(values_) + begin, static_cast<const double*>(values_) + end);
  return data;
}

void BlockData::append(const Row& row, std::uint32_t row_width) {
  if (!row.dense()) {
    if (starts.empty()) starts.push_back(0);
    indices.insert(indices.end(), row.indices, row.indices + row.count);
  }
  for (std::size_t k = 0; k < row.count; ++k) values.push_back(row.value(k));
  if (!row.dense()) starts.push_back(values.size());
  if (row.judged) {
    if (rules.starts.empty()) rules.starts.push_back(0);
    rules.rules.insert(rules.rules.end(), row.holds.begin(), row.holds.end());
    rules.starts.push_back(rules.rules.size());
  }
  width = row_width;
}

Block Block::view() const {
  assert(borrowed_);
  Block out;
  out.starts_ = starts_;
  out.indices_ = indices_;
  out.values_ = values_;
  out.labels_ = labels_;
  out.weights_ = weights_;
  out.rows_ = rows_;
  out.first_line_ = first_line_;
  out.width_ = width_;
  out.single_ = single_;
  out.borrowed_ = true;
  out.set_rules(data_.rules);
  return out;
}

BlockData Block::release() {
  if (borrowed_) {
    BlockData data = copied();
    *this = Block();
    return data;
  }
  BlockData data = std::move(data_);
  if (weights_.data() != data.weights.data())
    data.weights.assign(weights_.begin(), weights_.end());  // others lent them
  for (std::size_t i = 0; first_line_ > 0 && i < rows_; ++i) data.lines.push_back(first_line_ + i);
  *this = Block();
  return data;
}

BlockData sparse_form(BlockData data) {
  if (!data.starts.empty()) return data;
  BlockData out;
  out.width = data.width;
  out.starts.push_back(0);
  for (std::size_t k = 0; k < data.values.size(); ++k) {
    if (data.values[k] != 0) {
      out.indices.push_back(static_cast<std::uint32_t>(k % data.width));
      out.values.push_back(data.values[k]);
    }
    if ((k + 1) % data.width == 0) out.starts.push_back(out.values.size());
  }
  out.labels = std::move(data.labels);
  out.lines = std::move(data.lines);
  out.weights = std::move(data.weights);
  return out;
}

BlockData dense_form(BlockData data, std::uint32_t width) {
  if (data.starts.empty()) return data;
  BlockData out;
  out.width = width;
  const std::size_t rows = data.starts.size() - 1;
  out.values.assign(rows * width, 0);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::uint64_t k = data.starts[i]; k < data.starts[i + 1]; ++k)
      out.values[i * width + data.indices[k]] = data.values[k];
  out.labels = std::move(data.labels);
  out.lines = std::move(data.lines);
  out.weights = std::move(data.weights);
  return out;
}

}  // namespace postil
