// Problems that are met in several places.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil {

// A name that is none of those known: "MESSAGE; did you mean 'x'?"
inline Failure unknown(Code code, std::string_view kind, std::string_view name, Text message,
                       std::span<const std::string> known, Where place = {}) {
  return {.code = code,
          .place = std::move(place),
          .subject = {std::string(kind), shown(name)},
          .message = std::move(message),
          .found = shown(name),
          .expected = known.size() > kMostNamesShown ? std::string() : joined(known),
          .remedy = did_you_mean(name, known)};
}

// A text where a number or another form is needed: "found 'x', expected a number".
inline Failure not_expected(Code code, std::string_view found, std::string_view expected, Where place = {}) {
  return {.code = code,
          .place = std::move(place),
          .message = Text("found ", in_quotes(found), ", expected ", expected),
          .found = shown(found),
          .expected = std::string(expected)};
}

// The class of which the other one is only the opposite, made up since rules name no other; null: there is none.
inline const std::string* only_named_class(std::span<const std::string> classes) {
  for (const std::size_t named : {0, 1})
    if (classes.size() == 2 && classes[1 - named] == "not " + classes[named]) return &classes[named];
  return nullptr;
}

// A label that is none of the classes there are.
inline Failure not_a_class(std::string_view name, std::span<const std::string> classes, Where place) {
  Text remedy;
  if (const std::string* named = only_named_class(classes))
    remedy = Text(Option{"classes", "", shown(name) + "," + *named}, " in training names both classes");
  return {.code = Code::unknown_class,
          .place = std::move(place),
          .subject = {"class", shown(name)},
          .message = Text("found class ", in_quotes(name), ", expected one of: ", joined(classes)),
          .found = shown(name),
          .expected = joined(classes),
          .remedy = std::move(remedy)};
}

// What a weight counts as, with all that learners keep beside it.
inline constexpr std::uint64_t kBytesPerWeight = 64;

// What helps where weights would take more memory than a model may.
inline Text fewer_features(double weights) {
  const double gigabytes = std::ceil(weights * static_cast<double>(kBytesPerWeight) / 1e9);
  return Text("renumber the features without gaps, hash them into fewer, or allow more with ",
              Option{"memory", "", fmt::format("{:.0f}GB", gigabytes)});
}

// A missing value where none may be.
inline Failure missing_value(const std::string& column, std::string_view expected, Where place) {
  return {.code = Code::missing_value,
          .place = std::move(place),
          .subject = {"column", column},
          .message = Text("column ", in_quotes(column), ": a missing value, expected ", expected),
          .expected = std::string(expected)};
}

// All labels name one class.
inline Failure one_class(std::string_view name, const std::string& column, Where place) {
  return {.code = Code::one_class,
          .place = std::move(place),
          .subject = {"column", column},
          .message = Text("found only one class, ", in_quotes(name), ", in column ", in_quotes(column)),
          .found = shown(name),
          .expected = "two classes or more",
          .remedy = Text(Option{"classes", "", "a,b"}, " names classes that are still to come")};
}

}  // namespace postil
