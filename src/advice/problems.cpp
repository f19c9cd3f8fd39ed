// problems.cpp: mistakes in rules as the user sees them, with the line and a caret under the place.
#include "problems.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "postil/text.hpp"

namespace postil {

namespace {

constexpr std::size_t kMostProblems = 20;
constexpr std::size_t kExcerpt = 120;  // characters of a line that are shown

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }  // a character of UTF-8

// The line of a problem, or the part of a long one around it, and a caret under its place.
std::string excerpt(const RuleProblem& problem, const RuleFile& file) {
  std::string_view rest = file.text;
  for (std::uint32_t line = 1; line < problem.spot.line && !rest.empty(); ++line)
    rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::size_t place = 0;  // bytes before it
  for (std::size_t column = 1; place < line.size() && column < problem.spot.column; ++column) do
      ++place;
    while (place < line.size() && continues(line[place]));
  std::size_t begin = place > kExcerpt / 2 && line.size() > kExcerpt ? place - kExcerpt / 2 : 0;
  while (begin < place && continues(line[begin])) ++begin;
  std::size_t end = std::min(line.size(), begin + kExcerpt);
  while (end < line.size() && end > begin && continues(line[end])) --end;
  const std::string_view shown = line.substr(begin, end - begin);
  if (shown.empty() || !valid_utf8(shown)) return "";
  std::string clean(shown);  // what would move a terminal's cursor
  for (char& c : clean)
    if ((c >= 0 && c < ' ' && c != '\t') || c == '\x7f') c = '?';
  const std::string_view left = begin > 0 ? "..." : "", right = end < line.size() ? "..." : "";
  std::string caret(left.size(), ' ');
  for (const char c : line.substr(begin, place - begin))
    if (!continues(c)) caret += c == '\t' ? '\t' : ' ';
  return fmt::format("\n  {}{}{}\n  {}^", left, clean, right, caret);
}

}  // namespace

Failure failure_of(const RuleProblem& problem, const RuleFile& file) {
  return {.code = problem.code,
          .place = {file.source, problem.spot.line, problem.spot.column},
          .subject = problem.subject,
          .message = problem.message,
          .found = problem.found,
          .expected = problem.expected,
          .remedy = problem.remedy,
          .details = excerpt(problem, file)};
}

std::string describe(const RuleProblem& problem, const RuleFile& file) {
  return failure_of(problem, file).text().plain();
}

void throw_problems(const std::vector<RuleProblem>& problems, const RuleFile& file) {
  if (problems.empty()) return;
  Failure first = failure_of(problems[0], file);  // the others follow in its details
  for (std::size_t k = 1; k < std::min(problems.size(), kMostProblems); ++k)
    first.details += Text("\n", failure_of(problems[k], file).text());
  if (problems.size() > kMostProblems) first.details += fmt::format("\nand {} more", problems.size() - kMostProblems);
  throw ParseError(std::move(first));
}

RuleFile without_problems(ParsedRules parsed) {
  throw_problems(parsed.problems, parsed.file);
  return std::move(parsed.file);
}

}  // namespace postil
