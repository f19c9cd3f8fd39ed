// Errors: what was found, where, what was expected.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace postil {

// A place in a file; 0 means "not known". Lines and columns count from 1, columns count bytes.
struct Where {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t column = 0;
};

// Everything the library throws. what() is "file:line:column: message".
class Error : public std::runtime_error {
 public:
  Error(Where where, const std::string& message);
  [[nodiscard]] const Where& where() const noexcept { return where_; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }  // without the place

 private:
  Where where_;
  std::string message_;
};

// A parameter, option or name that does not exist or is out of range.
class ParamError : public Error {
 public:
  explicit ParamError(const std::string& message) : Error({}, message) {}
};

// Data that cannot be read, or do not fit the model.
class DataError : public Error {
  using Error::Error;
};

// Text in one of our own languages that cannot be understood.
class ParseError : public Error {
  using Error::Error;
};

// A model file that is damaged, foreign or from another version.
class ModelError : public Error {
  using Error::Error;
};

// A value or the failure that stands in its place: std::expected's names, except that value() throws the failure
// itself, as exception type E, with its place.
struct Failure {
  Where where;
  std::string message;
};

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
    if (!has_value()) throw E(error().where, error().message);
  }
  std::variant<T, Failure> state_;
};

}  // namespace postil
