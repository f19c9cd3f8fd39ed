// Rows and blocks of rows: the only form in which examples move through the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace postil {

// A vector whose resize() leaves new numbers unset, for arrays that are filled at once anyway.
template <class T>
struct Unset : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = Unset<U>;
  };
  template <class U>
  void construct(U* p) {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Arguments>
  void construct(U* p, Arguments&&... arguments) {
    ::new (static_cast<void*>(p)) U(std::forward<Arguments>(arguments)...);
  }
};
template <class T>
using Array = std::vector<T, Unset<T>>;

// For arrays that others lend.
bool all_finite(const double* x, std::size_t n);  // none is infinite or NaN
bool all_finite(const float* x, std::size_t n);
// What tells whether the indices of CSR rows are right: the largest, and how many are not above the one before.
struct IndexSurvey {
  std::uint32_t largest = 0;
  std::uint64_t falls = 0;
};
IndexSurvey survey_indices(const std::uint32_t* indices, std::size_t n);

// One example's features, as a view. Dense: value k belongs to feature k. Sparse: to feature indices[k], increasing.
struct Row {
  const std::uint32_t* indices = nullptr;  // null: dense
  const void* values = nullptr;            // count doubles, or floats if `single`
  std::uint32_t count = 0;
  bool single = false;
  bool judged = false;                        // whether it is known ...
  std::span<const std::uint32_t> holds = {};  // ... which of the model's rules hold on the raw row: these, in order

  [[nodiscard]] bool dense() const noexcept { return indices == nullptr; }
  [[nodiscard]] std::uint32_t index(std::size_t k) const noexcept {
    return indices == nullptr ? static_cast<std::uint32_t>(k) : indices[k];
  }
  [[nodiscard]] double value(std::size_t k) const noexcept {
    return single ? static_cast<double>(static_cast<const float*>(values)[k]) : static_cast<const double*>(values)[k];
  }
  // Asks for the memory of a row that will be looked at soon. Inlined, since GCC takes calls that do no more for useless.
  [[gnu::always_inline]] inline void prefetch() const noexcept {
    constexpr std::size_t kLine = 64;
    const auto* at = static_cast<const char*>(values);
    for (std::size_t k = 0; k < count * (single ? sizeof(float) : sizeof(double)); k += kLine)
      __builtin_prefetch(at + k);
    if (indices == nullptr) return;
    for (std::size_t k = 0; k < count; k += kLine / sizeof(std::uint32_t)) __builtin_prefetch(indices + k);
  }
  // One more than the largest feature index: how long a weight vector must be.
  [[nodiscard]] std::uint32_t extent() const noexcept {
    return indices == nullptr ? count : (count == 0 ? 0 : indices[count - 1] + 1);
  }
};

// Which rules hold on each of some rows.
struct RulesThatHold {
  std::vector<std::uint64_t> starts;  // rows + 1 offsets; empty: not known
  std::vector<std::uint32_t> rules;   // of each row in turn, rising

  [[nodiscard]] bool known() const noexcept { return !starts.empty(); }
  [[nodiscard]] std::span<const std::uint32_t> on(std::size_t row) const noexcept {
    return std::span(rules).subspan(starts[row], starts[row + 1] - starts[row]);
  }
  [[nodiscard]] RulesThatHold part(std::size_t first, std::size_t rows) const;
};

// The arrays of a block that owns its memory. `starts` empty: dense, `width` values a row.
// A label is a class code or a real number; NaN where there is none.
struct BlockData {
  std::vector<std::uint64_t> starts;  // CSR: rows + 1 offsets into indices and values
  Array<std::uint32_t> indices;
  Array<double> values;
  std::vector<double> labels;
  std::vector<double> weights;       // empty: every row weighs 1
  std::vector<std::uint64_t> lines;  // the line of the file each row began on; empty: not from a file
  std::vector<std::string> kept;     // cells of ReadOptions::keep, row by row; copies of a block are without them
  RulesThatHold rules;
  std::uint32_t width = 0;  // dense: values a row; CSR: one more than the largest index

  void clear();                                          // keeps the memory
  void append(const Row& row, std::uint32_t row_width);  // a row without label, of the form that the first had
};

// A few thousand rows, dense or CSR. Owns its memory (BlockData) or borrows a caller's arrays, which must then outlive
// it.
class Block {
 public:
  Block() = default;
  explicit Block(BlockData data);
  Block(Block&&) noexcept = default;  // moving keeps the vectors' memory, so the views stay right
  Block& operator=(Block&&) noexcept = default;
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Needs: values of rows x width numbers, row by row; labels of `rows` numbers or empty.
  static Block borrow_dense(std::span<const double> values, std::uint32_t width, std::span<const double> labels = {});
  static Block borrow_dense(std::span<const float> values, std::uint32_t width, std::span<const double> labels = {});
  // Needs: starts of rows + 1 offsets; indices increasing in each row and below width.
  static Block borrow_csr(std::span<const std::uint64_t> starts, std::span<const std::uint32_t> indices,
                          std::span<const double> values, std::uint32_t width, std::span<const double> labels = {});
  static Block borrow_csr(std::span<const std::uint64_t> starts, std::span<const std::uint32_t> indices,
                          std::span<const float> values, std::uint32_t width, std::span<const double> labels = {});

  void borrow_weights(std::span<const double> weights) { weights_ = weights; }  // one a row; empty: 1
  void number_rows(std::uint64_t first) {                                       // line(i) is first + i
    data_.lines.clear();
    first_line_ = first;
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::uint32_t width() const noexcept { return width_; }
  [[nodiscard]] bool dense() const noexcept { return starts_ == nullptr; }
  [[nodiscard]] std::size_t nonzeros() const noexcept;  // stored values
  [[nodiscard]] std::size_t bytes() const noexcept;     // memory of the arrays

  [[nodiscard]] Row row(std::size_t i) const noexcept {
    const bool judged = data_.rules.known();
    const std::span<const std::uint32_t> holds = judged ? data_.rules.on(i) : std::span<const std::uint32_t>();
    if (starts_ == nullptr) return {nullptr, at(i * width_), width_, single_, judged, holds};
    const std::uint64_t first = starts_[i];
    return {indices_ + first, at(first), static_cast<std::uint32_t>(starts_[i + 1] - first), single_, judged, holds};
  }
  void set_rules(RulesThatHold rules) { data_.rules = std::move(rules); }
  // Empty, or one a row with NaN for none.
  [[nodiscard]] std::span<const double> labels() const noexcept { return labels_; }
  [[nodiscard]] std::optional<double> label(std::size_t i) const noexcept {
    return labels_.empty() || labels_[i] != labels_[i] ? std::nullopt : std::optional(labels_[i]);
  }
  [[nodiscard]] double weight(std::size_t i) const noexcept { return weights_.empty() ? 1.0 : weights_[i]; }
  [[nodiscard]] bool weighted() const noexcept { return !weights_.empty(); }
  [[nodiscard]] std::uint64_t line(std::size_t i) const noexcept {  // 0: not known
    return !data_.lines.empty() ? data_.lines[i] : first_line_ == 0 ? 0 : first_line_ + i;
  }

  [[nodiscard]] const BlockData& data() const noexcept { return data_; }  // empty when borrowed
  BlockData release();  // takes the arrays, to change or to fill again; those of a borrowed block are copied
  [[nodiscard]] BlockData copied() const { return copied(0, rows_); }
  [[nodiscard]] BlockData copied(std::size_t first, std::size_t rows) const;  // so many rows from there on
  [[nodiscard]] bool borrowed() const noexcept { return borrowed_; }
  [[nodiscard]] Block view() const;  // borrows what this block borrows. Needs: it does

 private:
  [[nodiscard]] const void* at(std::uint64_t k) const noexcept {
    return single_ ? static_cast<const void*>(static_cast<const float*>(values_) + k)
                   : static_cast<const void*>(static_cast<const double*>(values_) + k);
  }
  BlockData data_;
  const std::uint64_t* starts_ = nullptr;
  const std::uint32_t* indices_ = nullptr;
  const void* values_ = nullptr;
  std::span<const double> labels_, weights_;
  std::size_t rows_ = 0;
  std::uint64_t first_line_ = 0;
  std::uint32_t width_ = 0;
  bool single_ = false;
  bool borrowed_ = false;
};

}  // namespace postil
