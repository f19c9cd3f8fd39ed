#include "lexer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "postil/text.hpp"

namespace postil {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Signs as they may be spelt, longest first, and as the parser knows them.
struct Sign {
  std::string_view spelt, known;
};
constexpr Sign kSigns[] = {
    {"∧", "and"}, {"∨", "or"},   {"¬", "not"}, {"⇒", "=>"},  {"→", "=>"},  {"≥", ">="},  {"≤", "<="},  {"≠", "!="},
    {"−", "-"},   {"∈", "in"},   {"=>", "=>"}, {">=", ">="}, {"<=", "<="}, {"!=", "!="}, {"<>", "!="}, {"==", "="},
    {"..", ".."}, {"&&", "and"}, {"->", "=>"}, {"||", "or"}, {"&", "and"}, {"|", "or"},  {"!", "not"}, {"%", "%"},
    {"=", "="},   {"<", "<"},    {">", ">"},   {"+", "+"},   {"-", "-"},   {"*", "*"},   {"/", "/"},   {"(", "("},
    {")", ")"},   {"[", "["},    {"]", "]"},   {"{", "{"},   {"}", "}"},   {",", ","},   {":", ":"}};

const Sign* sign_at(std::string_view text) {
  if (text.empty() || (is_letter(text[0]) && static_cast<unsigned char>(text[0]) < 0x80)) return nullptr;
  const auto* found =
      std::find_if(std::begin(kSigns), std::end(kSigns), [&](const Sign& s) { return text.starts_with(s.spelt); });
  return found == std::end(kSigns) ? nullptr : found;
}

constexpr std::array<std::string_view, 9> kKeywords = {"and", "or",    "not", "between", "in",
                                                       "at",  "least", "of",  "define"};

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Lexed run() {
    if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
    for (std::uint32_t number = 1; !text_.empty(); ++number) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      take_line(text_.substr(0, end), number);
      text_.remove_prefix(std::min(end + 1, text_.size()));
    }
    finish();
    out_.end = std::move(comments_);
    while (!out_.end.empty() && out_.end.back().empty()) out_.end.pop_back();
    return std::move(out_);
  }

 private:
  void take_line(std::string_view line, std::uint32_t number) {
    line_ = line;
    at_ = counted_ = counted_characters_ = 0;
    number_ = number;
    const bool indented = !line.empty() && is_space(line[0]);
    skip_spaces();
    if (at_ == line_.size()) {
      finish();
      take_blank();
      return;
    }
    if (line_[at_] == '#') {
      if (!indented) finish();
      const std::string_view text = comment();
      if (!text.empty())
        (open_ ? current_.before : comments_).emplace_back(text);
      else if (!open_)
        take_blank();
      return;
    }
    if (!indented || !open_) finish();
    if (!open_) {
      open_ = true;
      broken_ = false;
      current_ = Line();
      current_.before = std::move(comments_);
      comments_.clear();
    }
    const std::size_t begin = at_;
    std::size_t code_end = at_;
    while (at_ < line_.size()) {
      if (line_[at_] == '#') {
        add_after(comment());
        break;
      }
      take_token();
      code_end = at_;
      skip_spaces();
    }
    if (!current_.text.empty()) current_.text += ' ';
    current_.text += trimmed(line_.substr(begin, code_end - begin));
  }

  // One of several; none at the beginning.
  void take_blank() {
    if (comments_.empty() ? !out_.lines.empty() : !comments_.back().empty()) comments_.emplace_back();
  }

  void skip_spaces() {
    while (at_ < line_.size() && is_space(line_[at_])) ++at_;
  }
  std::string_view comment() {  // from # to the end of the line
    const Spot begin = spot(at_);
    out_.comments.push_back({TokenKind::end, "", 0, begin, spot(line_.size()).column - begin.column});
    std::string_view found = line_.substr(at_ + 1);
    at_ = line_.size();
    while (!found.empty() && is_space(found.back())) found.remove_suffix(1);
    while (!found.empty() && is_space(found.front())) found.remove_prefix(1);
    return found;
  }
  void add_after(std::string_view found) {
    if (!current_.after.empty() && !found.empty()) current_.after += ' ';
    current_.after += found;
  }

  // Counts on from the last place asked for: tokens come in order, so a line is counted once.
  [[nodiscard]] Spot spot(std::size_t at) {
    if (at < counted_) counted_ = counted_characters_ = 0;
    counted_characters_ += characters(line_.substr(counted_, at - counted_));
    counted_ = at;
    return {number_, static_cast<std::uint32_t>(counted_characters_ + 1)};
  }
  void problem(std::size_t at, std::string message) {
    broken_ = true;
    out_.problems.push_back({spot(at), std::move(message)});
  }
  void add(TokenKind kind, std::string text, std::size_t at, double number = 0) {
    const Spot begin = spot(at);
    const auto length = static_cast<std::uint32_t>(spot(at_).column - begin.column);
    current_.tokens.push_back({kind, std::move(text), number, begin, length});
  }

  void take_token() {
    const std::size_t begin = at_;
    const std::string_view rest = line_.substr(at_);
    if (const Sign* sign = sign_at(rest)) {  // before names, whose letters may be any beyond ASCII
      at_ += sign->spelt.size();
      add(TokenKind::sign, std::string(sign->known), begin);
      return;
    }
    const char c = rest[0];
    if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1])))
      take_number();
    else if (is_letter(c))
      take_name();
    else if (c == '`')
      take_quoted('`', TokenKind::quoted_name);
    else if (c == '"')
      take_quoted('"', TokenKind::text);
    else {
      problem(at_, c == '\''
                       ? "found ', expected a rule; texts stand in \"double quotes\", column names in `backquotes`"
                   : c == ';' ? "found ';', expected the end of the line: every rule has a line of its own"
                              : fmt::format("found {}, expected a rule", in_quotes(rest.substr(0, 1))));
      at_ = line_.size();
    }
  }

  // 2024-03-01, 2024-03-01T12:30. Nothing but a date looks like one: a difference of numbers has spaces or fewer digits.
  bool take_date() {
    const std::size_t begin = at_;
    const std::string_view rest = line_.substr(at_);
    if (rest.size() < 10 || rest[4] != '-' || rest[7] != '-') return false;
    for (const std::size_t k : {0, 1, 2, 3, 5, 6, 8, 9})
      if (!is_digit(rest[k])) return false;
    std::size_t end = 10;
    if (end < rest.size() && rest[end] == 'T')
      while (end < rest.size() && (is_digit(rest[end]) || is_letter(rest[end]) || rest[end] == ':' || rest[end] == '.'))
        ++end;
    at_ += end;
    const std::string_view text = rest.substr(0, end);
    const std::optional<double> days = parse_date(text);
    if (!days)
      problem(begin, fmt::format("found {}, expected a date such as 2024-03-01 or 2024-03-01T12:30", in_quotes(text)));
    add(TokenKind::date, format_date(days.value_or(0)), begin, days.value_or(0));
    return true;
  }

  void take_number() {
    if (take_date()) return;
    const std::size_t begin = at_;
    while (at_ < line_.size() && is_digit(line_[at_])) ++at_;
    if (at_ < line_.size() && line_[at_] == '.' && !line_.substr(at_).starts_with("..")) {
      ++at_;
      while (at_ < line_.size() && is_digit(line_[at_])) ++at_;
    }
    if (at_ < line_.size() && (line_[at_] == 'e' || line_[at_] == 'E')) {
      std::size_t ahead = at_ + 1;
      if (ahead < line_.size() && (line_[ahead] == '+' || line_[ahead] == '-')) ++ahead;
      if (ahead < line_.size() && is_digit(line_[ahead])) {
        at_ = ahead;
        while (at_ < line_.size() && is_digit(line_[at_])) ++at_;
      }
    }
    const std::string_view text = line_.substr(begin, at_ - begin);
    const std::optional<double> number = parse_number(text);
    if (at_ < line_.size() && is_letter(line_[at_]) && sign_at(line_.substr(at_)) == nullptr)
      problem(
          begin,
          fmt::format("found {}, expected a number (texts that begin with a digit stand in \"double quotes\", names of "
                      "columns in `backquotes`)",
                      in_quotes(line_.substr(begin, std::min<std::size_t>(at_ - begin + 8, line_.size() - begin)))));
    else if (!number)
      problem(begin, fmt::format("the number {} is out of range", in_quotes(text)));
    add(TokenKind::number, std::string(text), begin, number.value_or(0));
  }

  // Letters, digits, _ and single dots.
  void take_name() {
    const std::size_t begin = at_;
    while (at_ < line_.size()) {
      const char c = line_[at_];
      const bool dot = c == '.' && at_ + 1 < line_.size() && (is_letter(line_[at_ + 1]) || is_digit(line_[at_ + 1]));
      if (!is_digit(c) && !dot && (!is_letter(c) || sign_at(line_.substr(at_)) != nullptr)) break;
      ++at_;
    }
    const std::string_view name = line_.substr(begin, at_ - begin);
    if (!valid_utf8(name)) {
      problem(begin, fmt::format("the name {} is not valid UTF-8", in_quotes(name)));
      at_ = line_.size();
      return;
    }
    const std::string lower = lower_case(name);
    const bool sign = lower == "and" || lower == "or" || lower == "not" || lower == "in";
    add(sign ? TokenKind::sign : TokenKind::name, sign ? lower : std::string(name), begin);
  }

  // The quote itself is written twice.
  void take_quoted(char quote, TokenKind kind) {
    const std::size_t begin = at_++;
    std::string text;
    for (;; ++at_) {
      if (at_ == line_.size()) {
        problem(begin, fmt::format("the {} that begins here is not closed", quote == '`' ? "name" : "text"));
        return;
      }
      if (line_[at_] != quote) {
        text += line_[at_];
      } else if (at_ + 1 < line_.size() && line_[at_ + 1] == quote) {
        text += quote;
        ++at_;
      } else {
        break;
      }
    }
    ++at_;
    if (text.empty()) problem(begin, fmt::format("found an empty {}", quote == '`' ? "name" : "text"));
    if (!valid_utf8(text) || text.find('\0') != std::string::npos)
      problem(begin, fmt::format("the {} is not valid UTF-8", quote == '`' ? "name" : "text"));
    add(kind, std::move(text), begin);
  }

  void finish() {
    if (!open_) return;
    open_ = false;
    const Spot last = current_.tokens.empty() ? Spot{number_, 1} : current_.tokens.back().spot;
    current_.tokens.push_back({TokenKind::end, "", 0, after(last), 0});
    (broken_ ? out_.broken : out_.lines).push_back(std::move(current_));
    current_ = Line();
  }
  [[nodiscard]] Spot after(Spot last) const {
    const Token& token = current_.tokens.empty() ? Token() : current_.tokens.back();
    return {last.line, last.column + static_cast<std::uint32_t>(std::max<std::size_t>(1, characters(token.text)))};
  }

  std::string_view text_, line_;
  std::size_t at_ = 0;
  std::size_t counted_ = 0, counted_characters_ = 0;  // bytes of the line, and the characters in them
  std::uint32_t number_ = 0;
  bool open_ = false, broken_ = false;
  Line current_;
  std::vector<std::string> comments_;
  Lexed out_;
};

}  // namespace

Lexed lex_rules(std::string_view text) { return Lexer(text).run(); }

std::string in_marks(std::string_view text, char mark) {
  std::string out(1, mark);
  for (const char c : text) {
    out += c;
    if (c == mark) out += c;
  }
  return out + mark;
}

bool is_keyword(std::string_view word) {
  const std::string lower = lower_case(word);
  return std::find(kKeywords.begin(), kKeywords.end(), lower) != kKeywords.end();
}

bool is_plain_name(std::string_view word) {
  if (word.empty() || !is_letter(word[0]) || is_keyword(word)) return false;
  const Lexed lexed = lex_rules(word);
  return lexed.problems.empty() && lexed.lines.size() == 1 && lexed.lines[0].tokens.size() == 2 &&
         lexed.lines[0].tokens[0].kind == TokenKind::name && lexed.lines[0].tokens[0].text == word;
}

}  // namespace postil
