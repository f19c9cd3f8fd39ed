// list.cpp: decision lists as Weka prints them.
//
//   PART   plas <= 127 AND                                  JRip   (plas >= 132) and (mass >= 30) => class=yes (182.0/48.0)
//          mass <= 26.4: no (117.0/1.0)                             => class=no (567.0/106.0)
//
//          : no (10.0)
//
// The last rule of a list has no condition: it says what everything else is, and becomes a comment. (117.0/1.0): of so many rows
// so many were something else, which is how sure the rule is.
#include <fmt/format.h>

#include <algorithm>

#include "advice/printer.hpp"
#include "forms.hpp"
#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::string_view kPart = "PART decision list", kJrip = "JRIP rules:";

// A name or value in quotes, or bare, at the front of a text, which it is taken from.
std::string take_word(std::string_view& text, std::string_view ends) {
  std::string out;
  if (!text.empty() && (text[0] == '\'' || text[0] == '"')) {
    const char quote = text[0];
    text.remove_prefix(1);
    while (!text.empty() && text[0] != quote) {
      if (text[0] == '\\' && text.size() > 1) text.remove_prefix(1);
      out += text[0];
      text.remove_prefix(1);
    }
    if (!text.empty()) text.remove_prefix(1);
    return out;
  }
  const std::size_t end = std::min(text.find_first_of(ends), text.size());
  out = trimmed(text.substr(0, end));
  text.remove_prefix(end);
  return out;
}

class ListReader {
 public:
  ListReader(const std::string& text, const std::string& source, bool unordered)
      : text_(text), source_(source), unordered_(unordered) {}

  RuleFile run() {
    if (text_.find('\0') != std::string_view::npos || !valid_utf8(text_)) fail("it is not valid UTF-8 text");
    bool begun = false, part = false;
    std::string open;  // a rule of PART that goes on with the next line
    for (std::string_view rest = text_; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = trimmed(rest.substr(0, end > 0 && rest[end - 1] == '\r' ? end - 1 : end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      ++line_;
      if (line.starts_with(kPart) || line.starts_with(kJrip)) {
        begun = true;
        part = line.starts_with(kPart);
      } else if (!begun || line.empty() || line.find_first_not_of("-=") == std::string_view::npos) {
        continue;
      } else if (line.starts_with("Number of Rules")) {
        break;
      } else if (!part) {
        take_jrip(line);
      } else {
        open += (open.empty() ? "" : " ") + std::string(line);
        if (!lower_case(line).ends_with(" and")) {
          take_part(open);
          open.clear();
        }
      }
    }
    if (!begun) line_ = 0;  // of no line in particular
    if (!begun) fail(fmt::format("expected a list that begins with {} or {}", in_quotes(kPart), in_quotes(kJrip)));
    if (!open.empty()) fail("the last rule is not finished");
    if (!unordered_ && rules_ > 1)
      out_ = "# The first rule of the list that holds decides: each is for rows that none before it is for.\n" + out_;
    return rules_of(out_ + otherwise_, source_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { fail_in_form(source_, line_, message); }

  // a <= 1 AND b = red: class (10.0/1.0)
  void take_part(std::string_view text) {
    std::vector<std::string> conditions;
    std::string_view rest = trimmed(text);
    while (!rest.starts_with(':')) {
      conditions.push_back(comparison(rest, " :"));
      rest = trimmed(rest);
      if (lower_case(rest).starts_with("and ")) rest = trimmed(rest.substr(4));
      if (rest.empty()) fail("found the end of a rule, expected ': class'");
    }
    rest = trimmed(rest.substr(1));
    const std::string name = take_word(rest, "(");
    add(conditions, name, trimmed(rest));
  }

  // (a >= 1) and (b = red) => class=yes (10.0/1.0)
  void take_jrip(std::string_view text) {
    std::vector<std::string> conditions;
    std::string_view rest = text;
    while (!rest.starts_with("=>")) {
      if (!rest.starts_with('(')) fail(fmt::format("found {}, expected '(condition)' or '=>'", in_quotes(rest)));
      rest = trimmed(rest.substr(1));
      conditions.push_back(comparison(rest, ")"));
      rest = trimmed(rest);
      if (!rest.starts_with(')')) fail(fmt::format("found {}, expected ')'", in_quotes(rest)));
      rest = trimmed(rest.substr(1));
      if (lower_case(rest).starts_with("and ")) rest = trimmed(rest.substr(4));
      if (rest.empty()) fail("found the end of a rule, expected '=> class'");
    }
    rest = trimmed(rest.substr(2));
    take_word(rest, "=");  // the label's name
    if (!rest.starts_with('=')) fail("expected 'label=class' behind '=>'");
    rest.remove_prefix(1);
    const std::string name = take_word(rest, "(");
    add(conditions, name, trimmed(rest));
  }

  // glucose >= 126, color = red; what follows it is left in `rest`.
  std::string comparison(std::string_view& rest, std::string_view ends) {
    const std::string column = take_word(rest, "<>=!");
    rest = trimmed(rest);
    std::size_t size = rest.find_first_not_of("<>=!");
    if (size == std::string_view::npos) size = rest.size();
    const std::string_view sign = rest.substr(0, size);
    if (column.empty() || (sign != "<" && sign != "<=" && sign != "=" && sign != ">=" && sign != ">" && sign != "!="))
      fail(
          fmt::format("found {}, expected a comparison such as glucose >= 126", in_quotes(column + std::string(rest))));
    rest = trimmed(rest.substr(size));
    const std::string value = take_word(rest, ends);
    if (value.empty()) fail(fmt::format("the value that {} is compared with is missing", in_quotes(column)));
    return fmt::format("{} {} {}", name_text(column), sign,
                       parse_number(value) || parse_date(value) ? value : word_text(value));
  }

  void add(const std::vector<std::string>& conditions, const std::string& name, std::string_view counts) {
    if (name.empty()) fail("the class is missing");
    const std::string says = class_text(name);
    if (conditions.empty()) {
      otherwise_ = fmt::format("# everything else: {}\n", says);
      return;
    }
    ++rules_;
    const std::string all = joined(conditions, " and ");
    std::string text = all;
    if (!unordered_) {
      text = fmt::format("list_{}", rules_);
      out_ += fmt::format("define {} = {}\n", text, all);
      if (!earlier_.empty()) text += fmt::format(" and not {}", in_parentheses(earlier_));
      earlier_.push_back(fmt::format("list_{}", rules_));
    }
    out_ += fmt::format("r{}{}: {} => {}\n", rules_, sure(counts), text, says);
    if (const std::ptrdiff_t whole = rules_ / kBlock; !unordered_ && rules_ % kBlock == 0) {  // one name for many
      const auto first = earlier_.end() - kBlock;
      out_ += fmt::format("define list_block_{} = {}\n", whole,
                          joined(std::span<const std::string>(first, earlier_.end()), " or "));
      earlier_.erase(first, earlier_.end());
      earlier_.insert(earlier_.begin(), fmt::format("list_block_{}", whole));
    }
  }
  static std::string in_parentheses(const std::vector<std::string>& names) {
    return names.size() == 1 ? names[0] : "(" + joined(names, " or ") + ")";
  }

  // (117.0/1.0): covered, and of those wrong.
  std::string sure(std::string_view counts) const {
    if (counts.empty()) return "";
    const std::size_t close = counts.find(')');
    if (!counts.starts_with('(') || close == std::string_view::npos)
      fail(fmt::format("found {}, expected (covered/wrong)", in_quotes(counts)));
    const std::vector<std::string> numbers = split(counts.substr(1, close - 1), '/');
    const std::optional<double> covered = parse_number(numbers[0]);
    const std::optional<double> wrong = numbers.size() > 1 ? parse_number(numbers[1]) : std::optional(0.0);
    if (!covered || !wrong || numbers.size() > 2 || !(*covered > 0 && *wrong >= 0 && *wrong <= *covered) ||
        *covered > 1e9)
      fail(fmt::format("found {}, expected (covered/wrong)", in_quotes(counts)));
    return fmt::format(" [sure = {:.4g}% of {:.6g}]", 100 * (1 - *wrong / *covered), *covered);
  }

  std::string_view text_;
  const std::string& source_;
  bool unordered_;
  std::uint64_t line_ = 0;
  std::ptrdiff_t rules_ = 0;
  static constexpr std::ptrdiff_t kBlock = 50;  // definitions that get a name together
  std::string out_, otherwise_;
  std::vector<std::string> earlier_;  // names for what holds before
};

}  // namespace

bool looks_like_list(std::string_view text) {
  return text.find(kPart) != std::string_view::npos || text.find(kJrip) != std::string_view::npos;
}

RuleFile rules_from_list(const std::string& text, const std::string& source, bool unordered) {
  return ListReader(text, source, unordered).run();
}

}  // namespace postil
