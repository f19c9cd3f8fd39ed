// Parameters: declared once in a table, checked once against it, read by name.
#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace postil {

enum class ParamKind { number, integer, flag, choice, number_or_choice };

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;  // low itself is outside
  bool high_open = false;

  [[nodiscard]] constexpr bool contains(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
  [[nodiscard]] std::string text() const;  // "(0, inf)"
  static const Range any, positive, non_negative, unit;
};
constexpr Range Range::any{};
constexpr Range Range::positive{0, std::numeric_limits<double>::infinity(), true, true};
constexpr Range Range::non_negative{0, std::numeric_limits<double>::infinity(), false, true};
constexpr Range Range::unit{0, 1};

// One parameter. Make one with the functions below, so that each kind says only what it needs.
struct ParamSpec {
  std::string_view name;
  std::string_view symbol;  // the letter in the paper
  ParamKind kind;
  double number;             // default, unless `word` is given
  std::string_view word;     // default of a choice
  Range range;               // numbers
  std::string_view choices;  // words, separated by '|'
  std::string_view help;     // one sentence
};

constexpr ParamSpec number_param(std::string_view name, std::string_view symbol, double value, Range range,
                                 std::string_view help) {
  return {name, symbol, ParamKind::number, value, {}, range, {}, help};
}
constexpr ParamSpec integer_param(std::string_view name, std::string_view symbol, double value, Range range,
                                  std::string_view help) {
  return {name, symbol, ParamKind::integer, value, {}, range, {}, help};
}
constexpr ParamSpec flag_param(std::string_view name, bool value, std::string_view help) {
  return {name, {}, ParamKind::flag, value ? 1.0 : 0.0, {}, {}, {}, help};
}
constexpr ParamSpec choice_param(std::string_view name, std::string_view value, std::string_view choices,
                                 std::string_view help) {
  return {name, {}, ParamKind::choice, 0, value, {}, choices, help};
}
// A number in `range` or one of the words; the default is the number.
constexpr ParamSpec number_or_choice_param(std::string_view name, std::string_view symbol, double value, Range range,
                                           std::string_view choices, std::string_view help) {
  return {name, symbol, ParamKind::number_or_choice, value, {}, range, choices, help};
}

// The same, but the default is a word.
constexpr ParamSpec choice_or_number_param(std::string_view name, std::string_view symbol, std::string_view word,
                                           Range range, std::string_view choices, std::string_view help) {
  return {name, symbol, ParamKind::number_or_choice, 0, word, range, choices, help};
}

// The values of all parameters of one table: those given, and the defaults of the rest.
class Params {
 public:
  using Value = std::variant<double, bool, std::string>;

  Params() = default;
  // Throws ParamError, naming the owner, for an unknown name or a value outside its range.
  Params(std::string_view owner, std::span<const ParamSpec> specs, const std::map<std::string, std::string>& given);

  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] const std::string& choice(std::string_view name) const;
  [[nodiscard]] bool is_word(std::string_view name) const;  // number_or_choice: a word was given
  [[nodiscard]] const std::map<std::string, Value, std::less<>>& all() const { return values_; }
  [[nodiscard]] std::map<std::string, std::string> texts() const;  // as they would be given again

 private:
  std::map<std::string, Value, std::less<>> values_;
};

// "key=value" pairs as typed after --set; throws ParamError.
std::map<std::string, std::string> parse_settings(std::span<const std::string> settings);

}  // namespace postil
