#include "postil/params.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "failures.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

Params::Value default_value(const ParamSpec& spec) {
  if (spec.kind == ParamKind::flag) return spec.number != 0;
  if (!spec.word.empty()) return std::string(spec.word);
  return spec.number;
}

std::string expected(const ParamSpec& spec) {
  std::string words = joined(split(spec.choices, '|'), " or ");
  switch (spec.kind) {
    case ParamKind::number: return "a number in " + spec.range.text();
    case ParamKind::integer: return "a whole number in " + spec.range.text();
    case ParamKind::flag: return "true or false";
    case ParamKind::choice: return words;
    case ParamKind::number_or_choice: return "a number in " + spec.range.text() + " or " + words;
  }
  return {};
}

std::optional<Params::Value> parsed(const ParamSpec& spec, const std::string& text) {
  if (spec.kind == ParamKind::flag) {
    const std::string word = lower_case(text);
    if (word == "true" || word == "1" || word == "yes") return true;
    if (word == "false" || word == "0" || word == "no") return false;
    return std::nullopt;
  }
  if (!spec.choices.empty())
    for (const std::string& word : split(spec.choices, '|'))
      if (word == text) return word;
  if (spec.kind == ParamKind::choice) return std::nullopt;
  const std::optional<double> number = parse_number(text);
  if (!number || !spec.range.contains(*number)) return std::nullopt;
  if (spec.kind == ParamKind::integer && *number != std::floor(*number)) return std::nullopt;
  return *number;
}

}  // namespace

std::string Range::text() const {
  return fmt::format("{}{}, {}{}", low_open || std::isinf(low) ? "(" : "[", format_number(low), format_number(high),
                     high_open || std::isinf(high) ? ")" : "]");
}

Params::Params(std::string_view owner, std::span<const ParamSpec> specs,
               const std::map<std::string, std::string>& given) {
  std::vector<std::string> names;
  for (const ParamSpec& spec : specs) {
    names.emplace_back(spec.name);
    values_.emplace(spec.name, default_value(spec));
  }
  for (const auto& [name, text] : given) {
    const ParamSpec* spec = nullptr;
    for (const ParamSpec& candidate : specs)
      if (candidate.name == name) spec = &candidate;
    if (spec == nullptr)
      throw ParamError(unknown(Code::unknown_name, "parameter", name,
                               fmt::format("{} has no parameter {}", owner, in_quotes(name)), names));
    std::optional<Value> value = parsed(*spec, text);
    if (!value)
      throw ParamError(
          {.code = Code::out_of_range,
           .subject = {"parameter", name},
           .message = fmt::format("{}: {} is {}, expected {}", owner, name, in_quotes(text), expected(*spec)),
           .found = shown(text),
           .expected = expected(*spec)});
    values_[name] = *std::move(value);
  }
}

double Params::number(std::string_view name) const { return std::get<double>(values_.find(name)->second); }
bool Params::flag(std::string_view name) const { return std::get<bool>(values_.find(name)->second); }
const std::string& Params::choice(std::string_view name) const {
  return std::get<std::string>(values_.find(name)->second);
}
bool Params::is_word(std::string_view name) const {
  return std::holds_alternative<std::string>(values_.find(name)->second);
}

std::map<std::string, std::string> Params::texts() const {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : values_) {
    if (const auto* number = std::get_if<double>(&value))
      out[name] = format_number(*number);
    else if (const auto* flag = std::get_if<bool>(&value))
      out[name] = *flag ? "true" : "false";
    else
      out[name] = std::get<std::string>(value);
  }
  return out;
}

std::map<std::string, std::string> parse_settings(std::span<const std::string> settings) {
  std::map<std::string, std::string> out;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0)
      throw ParamError({.code = Code::bad_syntax,
                        .subject = {"option", "set"},
                        .message = Text(Option{"set"}, " ", in_quotes(setting), ": expected key=value"),
                        .found = shown(setting),
                        .expected = "key=value"});
    out[setting.substr(0, equals)] = setting.substr(equals + 1);
  }
  return out;
}

}  // namespace postil
