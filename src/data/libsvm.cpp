// libsvm.cpp: reads LIBSVM / SVMlight text (docs/formats.md).
//
//   line    = [label {space pair}] [space] ["#" comment] end-of-line
//   label   = any text without white space or ':'; "?" for none
//   pair    = index ":" number | "qid:" integer       indices from 1, increasing
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "chunk.hpp"
#include "core/failures.hpp"
#include "postil/text.hpp"
#include "scan_number.hpp"
#include "tokens.hpp"

namespace postil {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t'; }
bool ends_token(char c) { return is_space(c) || c == '\n' || c == '\r' || c == '\0'; }

class LibsvmParser {
 public:
  LibsvmParser(std::string_view text, LabelUse label_use, ParsedChunk& out)
      : begin_(text.data()), end_(begin_ + text.size()), label_use_(label_use), out_(out), data_(out.data) {}

  void run() {
    data_.starts.push_back(0);
    for (const char* p = begin_; p != end_;) {
      const char* batch_end = end_of_batch(p);
      tokens_.find(p, static_cast<std::size_t>(batch_end - p), {':', true});
      const char* base = p;
      const std::uint32_t* token = tokens_.data();
      while (p != batch_end) {
        line_start_ = p;
        ++out_.lines;
        if (const char* next = read_plain_line(p, base, token)) {
          p = next;
          continue;
        }
        p = read_line(p);
        while (base + *token < p && base + *token != batch_end) ++token;
      }
    }
    data_.indices.resize(used_);
    data_.values.resize(used_);
  }

 private:
  // Lines are read in batches that stay in the fast cache. Ends behind a line end.
  const char* end_of_batch(const char* p) const {
    constexpr std::size_t kBatch = 32 * 1024;
    const auto left = static_cast<std::size_t>(end_ - p);
    if (left <= kBatch) return end_;
    const void* last = ::memrchr(p, '\n', kBatch);
    if (last == nullptr) last = std::memchr(p, '\n', left);
    return static_cast<const char*>(last) + 1;
  }

  // The fast way, for lines in the usual form: one space between tokens, short numbers, nothing else. Returns the next
  // line, or null and leaves everything as it was: then read_line reads the line, and finds what is wrong with it, if
  // anything.
  const char* read_plain_line(const char* p, const char* base, const std::uint32_t*& first_token) {
    const std::uint32_t* token = first_token;
    const char* end = base + *token++;  // of the current token
    if (*p == '#' || end == p || *end == ':') return nullptr;
    const char* label_end = end;
    std::uint32_t* indices = data_.indices.data() + used_;
    double* values = data_.values.data() + used_;
    const std::uint32_t* const full = data_.indices.data() + room_;
    std::uint64_t last = 0;
    while (*end == ' ') {
      const char* start = end + 1;
      const char* colon = base + token[0];
      const auto length = static_cast<unsigned>(colon - start);
      if (*colon != ':' || length - 1 >= 8 || indices == full) return nullptr;
      std::uint64_t digits = 0;
      std::memcpy(&digits, start, 8);
      digits = (digits ^ 0x3030303030303030U) << (64 - 8 * length);
      const std::uint64_t index = eight_digits(digits);
      end = base + token[1];
      token += 2;
      if (not_digits(digits) != 0 || index <= last) return nullptr;
      if (!read_short_number(colon + 1, static_cast<std::size_t>(end - colon - 1), *values) &&
          scan_number(colon + 1, *values) != end)
        return nullptr;
      *indices++ = static_cast<std::uint32_t>(index - 1);
      ++values;
      last = index;
    }
    if (*end == '\r' && end[1] == '\n') end = base + *token++;
    if (*end != '\n' || last > kMostFeatures) return nullptr;
    used_ = static_cast<std::size_t>(indices - data_.indices.data());
    read_label(p, label_end);
    if (last > data_.width) data_.width = static_cast<std::uint32_t>(last);
    end_row();
    first_token = token;
    return end + 1;
  }

  // The careful way.
  const char* read_line(const char* p) {
    while (is_space(*p)) ++p;
    if (*p != '\n' && *p != '#' && *p != '\r') {
      const char* label_end = token_end(p);
      read_label(p, label_end);
      p = read_pairs(label_end);
      end_row();
    }
    return end_line(p);
  }

  void end_row() {
    data_.starts.push_back(used_);
    data_.lines.push_back(out_.lines);
  }

  const char* token_end(const char* p) const {
    while (!ends_token(*p)) ++p;
    return p;
  }
  std::string_view token(const char* p) const { return {p, static_cast<std::size_t>(token_end(p) - p)}; }

  void read_label(const char* p, const char* end) {
    const std::string_view text(p, static_cast<std::size_t>(end - p));
    double label = std::numeric_limits<double>::quiet_NaN();
    if (text.find(':') != std::string_view::npos)
      fail(p, not_expected(Code::bad_syntax, text, "a label before the first pair"));
    if (text != "?" && label_use_ == LabelUse::classes) {
      const auto [number, is_new] = out_.labels.insert(text);
      if (is_new) {
        if (std::optional<Failure> failure = text_problem(text)) fail(p, of_label(*std::move(failure)));
        if (number >= kMostClasses) fail(p, too_many_labels());
      }
      label = number;
    } else if (label_use_ == LabelUse::numbers && read_short_number(p, text.size(), label)) {
      // done
    } else if (text != "?" && label_use_ == LabelUse::numbers) {
      const std::optional<double> number = parse_number(text);
      if (!number) fail(p, of_label(not_expected(Code::not_a_number, text, "a finite number")));
      label = *number;
    }
    data_.labels.push_back(label);
  }

  // The pairs up to the end of the line or a comment.
  const char* read_pairs(const char* p) {
    std::uint64_t last = 0;
    for (;;) {
      while (is_space(*p)) ++p;
      const EightBytes word(p);
      std::uint64_t index = 0;
      const char* colon = p + word.count;
      if (word.count == 0) {
        if (*p == '\n' || *p == '\r' || *p == '#') break;
        p = read_query(p);
        continue;
      }
      if (word.count < 8) {
        index = word.value(word.count);
      } else {
        colon = read_long_index(p, index);
      }
      if (*colon != ':') fail(p, not_expected(Code::bad_syntax, token(p), "index:value"));
      if (index <= last) fail_index(p, index, last);
      double value = 0;
      const char* end = scan_number(colon + 1, value);
      if (end == nullptr || !ends_token(*end)) end = read_long_value(colon + 1, value);
      if (used_ == room_) make_room();
      data_.indices[used_] = static_cast<std::uint32_t>(index - 1);
      data_.values[used_] = value;
      ++used_;
      last = index;
      p = end;
    }
    if (last > data_.width) data_.width = static_cast<std::uint32_t>(last);
    return p;
  }

  const char* read_long_index(const char* p, std::uint64_t& index) {
    const char* q = p;
    for (index = 0; *q >= '0' && *q <= '9'; ++q)
      if (index <= kMostFeatures) index = index * 10 + static_cast<std::uint64_t>(*q - '0');
    if (index > kMostFeatures)
      fail(p, not_expected(Code::out_of_range, token(p), fmt::format("an index of at most {}", kMostFeatures)));
    return q;
  }

  const char* read_long_value(const char* p, double& value) {
    const char* end = token_end(p);
    const std::string_view text(p, static_cast<std::size_t>(end - p));
    const std::optional<double> number = parse_number(text);
    if (!number) fail(p, not_expected(Code::not_a_number, text, is_not_finite(text) ? "a finite number" : "a number"));
    value = *number;
    return end;
  }

  const char* read_query(const char* p) {
    const char* end = token_end(p);
    const std::string_view text(p, static_cast<std::size_t>(end - p));
    if (text.starts_with("qid:") && text.size() > 4 &&
        text.find_first_not_of("0123456789", 4) == std::string_view::npos)
      return end;
    fail(p, not_expected(Code::bad_syntax, text, "index:value"));
  }

  [[noreturn]] void fail_index(const char* p, std::uint64_t index, std::uint64_t last) const {
    if (index == 0)
      fail(p, {.code = Code::out_of_range,
               .message = "found index 0, expected indices from 1",
               .found = "index 0",
               .expected = "indices from 1"});
    if (index == last)
      fail(p, {.code = Code::duplicate,
               .message = fmt::format("found index {} twice", index),
               .found = fmt::format("index {} twice", index)});
    fail(p, {.code = Code::bad_syntax,
             .message = fmt::format("found index {} after {}, expected increasing indices", index, last),
             .found = fmt::format("index {} after {}", index, last),
             .expected = "increasing indices"});
  }

  const char* end_line(const char* p) const {
    if (*p == '#') p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end_ - p)));
    if (*p == '\r') ++p;
    if (*p != '\n') fail(p, not_expected(Code::bad_syntax, token(p), "the end of the line"));
    return p + 1;
  }

  void make_room() {
    room_ = room_ == 0 ? static_cast<std::size_t>(end_ - begin_) / 12 + 16 : room_ * 2;
    data_.indices.resize(room_);
    data_.values.resize(room_);
  }

  static Failure of_label(Failure failure) {
    failure.subject = {"label"};
    failure.message = Text("label: ", failure.message);
    return failure;
  }
  [[noreturn]] void fail(const char* p, Failure failure) const {
    failure.place = {"", out_.lines, static_cast<std::uint64_t>(p - line_start_) + 1};
    throw failure;
  }

  const char* begin_;
  const char* end_;
  const char* line_start_ = nullptr;
  LabelUse label_use_;
  ParsedChunk& out_;
  BlockData& data_;
  std::size_t used_ = 0, room_ = 0;
  Tokens tokens_;
};

}  // namespace

void parse_libsvm(std::string_view text, LabelUse label_use, ParsedChunk& out) {
  out.clear(0);
  try {
    LibsvmParser(text, label_use, out).run();
  } catch (Failure& failure) {
    out.failure = std::move(failure);
  }
}

}  // namespace postil
