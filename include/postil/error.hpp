// Errors as data: what is wrong, where, what was found, what was expected, what would help.
//
// The library has no words for options. Its messages name them as Option, and each front end puts its own words there:
// the command an option, Python a keyword.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace postil {

// ---- messages ----

// Something a user can set, whatever a front end calls it: {"classes"}, {"scale", "", "standard"},
// {"kind", "glucose", "categorical"}; a parameter of the learner is {"set", "start", "advice"}.
struct Option {
  std::string name;
  std::string key = {};
  std::string value = {};
  bool operator==(const Option&) const = default;
};

// What a front end calls an option; empty: it has no such option.
using Words = std::function<std::string(const Option&)>;
std::string neutral_words(const Option& option);  // "classes", "kind glucose=categorical", "start=advice"

class Text;
template <class Part>
concept TextPart =
    std::same_as<Part, Option> || std::same_as<Part, Text> || std::convertible_to<const Part&, std::string_view>;

// A message: text with options in it.
class Text {
 public:
  Text() = default;
  // Of texts, options and other messages, one behind the other.
  template <TextPart First, TextPart... More>
  Text(const First& first, const More&... more) {  // NOLINT(google-explicit-constructor)
    add(first);
    (add(more), ...);
  }
  // A remark that is left out where a front end has not all of its options.
  template <class... Parts>
  static Text hint(const Parts&... parts) {
    Text text(parts...);
    for (Piece& piece : text.pieces_) piece.hint = 1;
    return text;
  }

  Text& operator+=(const Text& more) {
    add_text(more);
    return *this;
  }
  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  [[nodiscard]] std::string plain(const Words& words = neutral_words) const;
  bool operator==(const Text&) const = default;

 private:
  struct Piece {
    std::string plain;
    Option option;           // if it has a name: instead of the text
    std::uint32_t hint = 0;  // pieces of one hint have the same number, from 1
    bool operator==(const Piece&) const = default;
  };
  template <class Part>
  void add(const Part& part) {
    if constexpr (std::same_as<Part, Text>)
      add_text(part);
    else if constexpr (std::same_as<Part, Option>)
      pieces_.push_back({"", part});
    else if (const std::string_view plain = part; !plain.empty())
      pieces_.push_back({std::string(plain), {}});
  }
  void add_text(const Text& text);

  std::vector<Piece> pieces_;
};

// ---- failures ----

// What kind of failure; word() is part of the interface.
enum class Code : std::uint8_t {
  failed,  // none of the others
  bad_option,
  bad_data,
  bad_syntax,
  damaged_file,
  wrong_version,
  cannot_read,
  cannot_write,
  bad_encoding,
  empty,
  unknown_column,
  unknown_class,
  unknown_name,
  missing_column,
  missing_value,
  missing_label,
  one_class,
  not_a_number,
  unexpected_number,
  out_of_range,
  wrong_count,
  duplicate,
  conflict,
  too_many,
  too_long,
  overflow,
  unsupported,
  needs_rules,
  impossible,
};
std::string_view word(Code code);

// A place in a file; 0 means "not known". Lines and columns count from 1; columns count bytes, in rules characters.
struct Where {
  std::string file = {};
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

struct Subject {     // what it is about
  std::string kind;  // column, class, option, parameter, learner, tensor, rule, ...; empty: nothing in particular
  std::string name = {};
};

// What is wrong, in parts. The members are in this order for designated initialisers:
// throw DataError({.code = Code::empty, .place = {path}, .message = "there are no rows"});
struct Failure {
  Code code = Code::failed;
  Where place = {};
  Subject subject = {};
  Text message = {};
  std::string found = {}, expected = {};  // short; empty: not known
  Text remedy = {};                       // "did you mean 'age'?"; may be empty
  Text details = {};                      // lines to be shown below; may be empty

  // "file:line:column: message; remedy", and the details. A remedy is left out where a front end has not all of its
  // options.
  [[nodiscard]] Text text() const;
};

// Everything the library throws. what() is the text of the failure in neutral words.
class Error : public std::runtime_error {
 public:
  explicit Error(Failure failure) : std::runtime_error(failure.text().plain()), failure_(std::move(failure)) {}
  Error(Where place, Text message) : Error(Code::failed, std::move(place), std::move(message)) {}

  [[nodiscard]] const Failure& failure() const noexcept { return failure_; }
  [[nodiscard]] Code code() const noexcept { return failure_.code; }
  [[nodiscard]] const Where& where() const noexcept { return failure_.place; }
  [[nodiscard]] std::string message() const;  // without the place, in neutral words

 protected:
  Error(Code code, Where place, Text message)
      : Error(Failure{.code = code, .place = std::move(place), .message = std::move(message)}) {}

 private:
  Failure failure_;
};

// A parameter, option or name that does not exist or is out of range.
class ParamError : public Error {
 public:
  explicit ParamError(Failure failure) : Error(std::move(failure)) {}
  explicit ParamError(Text message) : Error(Code::bad_option, {}, std::move(message)) {}
};

// Data that cannot be read, or do not fit the model.
class DataError : public Error {
 public:
  explicit DataError(Failure failure) : Error(std::move(failure)) {}
  DataError(Where place, Text message) : Error(Code::bad_data, std::move(place), std::move(message)) {}
};

// Text in one of our own languages that cannot be understood.
class ParseError : public Error {
 public:
  explicit ParseError(Failure failure) : Error(std::move(failure)) {}
  ParseError(Where place, Text message) : Error(Code::bad_syntax, std::move(place), std::move(message)) {}
};

// A model file that is damaged, foreign or from another version.
class ModelError : public Error {
 public:
  explicit ModelError(Failure failure) : Error(std::move(failure)) {}
  ModelError(Where place, Text message) : Error(Code::damaged_file, std::move(place), std::move(message)) {}
};

// A value or the failure that stands in its place: std::expected's names, except that value() throws the failure itself,
// as exception type E.
template <class T, class E = DataError>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Failure failure)
      : state_(std::in_place_index<1>, std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }
  [[nodiscard]] const Failure& error() const { return std::get<1>(state_); }

  T& value() & {
    check();
    return std::get<0>(state_);
  }
  T&& value() && {
    check();
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return *std::get_if<0>(&state_); }
  T* operator->() { return std::get_if<0>(&state_); }

 private:
  void check() const {
    if (!has_value()) throw E(error());
  }
  std::variant<T, Failure> state_;
};

}  // namespace postil
