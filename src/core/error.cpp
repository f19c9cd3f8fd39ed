#include "postil/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postil {
namespace {

constexpr std::pair<Code, std::string_view> kCodes[] = {
    {Code::failed, "failed"},
    {Code::bad_option, "bad_option"},
    {Code::bad_data, "bad_data"},
    {Code::bad_syntax, "bad_syntax"},
    {Code::damaged_file, "damaged_file"},
    {Code::wrong_version, "wrong_version"},
    {Code::cannot_read, "cannot_read"},
    {Code::cannot_write, "cannot_write"},
    {Code::bad_encoding, "bad_encoding"},
    {Code::empty, "empty"},
    {Code::unknown_column, "unknown_column"},
    {Code::unknown_class, "unknown_class"},
    {Code::unknown_name, "unknown_name"},
    {Code::missing_column, "missing_column"},
    {Code::missing_value, "missing_value"},
    {Code::missing_label, "missing_label"},
    {Code::one_class, "one_class"},
    {Code::not_a_number, "not_a_number"},
    {Code::unexpected_number, "unexpected_number"},
    {Code::out_of_range, "out_of_range"},
    {Code::wrong_count, "wrong_count"},
    {Code::duplicate, "duplicate"},
    {Code::conflict, "conflict"},
    {Code::too_many, "too_many"},
    {Code::too_long, "too_long"},
    {Code::overflow, "overflow"},
    {Code::unsupported, "unsupported"},
    {Code::needs_rules, "needs_rules"},
    {Code::impossible, "impossible"},
};
// In the order of the codes, so that a code is its place.
static_assert([] {
  for (std::size_t k = 0; k < std::size(kCodes); ++k)
    if (static_cast<std::size_t>(kCodes[k].first) != k) return false;
  return static_cast<std::size_t>(Code::impossible) + 1 == std::size(kCodes);
}());

std::string place_text(const Where& place) {
  std::string text = place.file;
  for (const std::uint64_t number : {place.line, place.column}) {
    if (number == 0) break;
    text += text.empty() ? fmt::format("{}", number) : fmt::format(":{}", number);
  }
  return text.empty() ? text : text + ": ";
}

}  // namespace

std::string_view word(Code code) { return kCodes[static_cast<std::size_t>(code)].second; }

std::string neutral_words(const Option& option) {
  if (option.key.empty() && option.value.empty()) return option.name;
  std::string text = option.name == "set" ? "" : option.name + ' ';
  text += option.key;
  if (!option.key.empty() && !option.value.empty()) text += '=';
  return text + option.value;
}

void Text::add_text(const Text& text) {
  std::uint32_t last = 0;  // hints keep apart
  for (const Piece& piece : pieces_) last = std::max(last, piece.hint);
  const std::vector<Piece> more = text.pieces_;  // perhaps our own
  for (const Piece& piece : more) {
    pieces_.push_back(piece);
    if (piece.hint > 0) pieces_.back().hint += last;
  }
}

std::string Text::plain(const Words& words) const {
  std::string out;
  for (std::size_t k = 0; k < pieces_.size();) {
    const std::uint32_t hint = pieces_[k].hint;
    const std::size_t before = out.size();
    bool known = true;
    do {
      const Piece& piece = pieces_[k];
      if (piece.option.name.empty()) {
        out += piece.plain;
      } else {
        const std::string called = words(piece.option);
        known = known && !called.empty();
        out += called.empty() ? neutral_words(piece.option) : called;
      }
      ++k;
    } while (hint > 0 && k < pieces_.size() && pieces_[k].hint == hint);
    if (hint > 0 && !known) out.resize(before);
  }
  return out;
}

Text Failure::text() const {
  const Text help = remedy.empty() ? Text() : Text::hint("; ", remedy);
  return {place_text(place), message, help, details};
}

std::string Error::message() const {
  Failure without_place = failure_;
  without_place.place = {};
  return without_place.text().plain();
}

}  // namespace postil
