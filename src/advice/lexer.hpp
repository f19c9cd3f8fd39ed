// Words of the rule language, with their places. Statements are told apart here: a line that begins with a space goes on
// with the statement above it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "postil/rules.hpp"

namespace postil {

enum class TokenKind : std::uint8_t { number, date, name, quoted_name, text, sign, end };

struct Token {
  TokenKind kind = TokenKind::end;
  std::string text;   // name or text without its quotes; a sign in its ASCII spelling: "<=", "=>", "and" for the symbol
  double number = 0;  // of a date: days since 1970-01-01
  Spot spot;
  std::uint32_t length = 0;  // in characters, as typed
};

struct Line {                 // one statement's words
  std::vector<Token> tokens;  // the last is `end`
  std::vector<std::string> before;
  std::string after;
  std::string text;  // as typed, on one line
};

struct Lexed {
  std::vector<Line> lines;
  std::vector<Line> broken;  // statements with a mistake in their words, as far as they were understood
  std::vector<Token> comments;
  std::vector<std::string> end;       // comments behind the last statement
  std::vector<RuleProblem> problems;  // the statements they are in are left out
};
Lexed lex_rules(std::string_view text);

std::string in_marks(std::string_view text, char mark);  // inside, the mark is written twice
bool is_keyword(std::string_view word);                  // cannot be a bare name
bool is_plain_name(std::string_view word);               // can be written without backquotes

}  // namespace postil
