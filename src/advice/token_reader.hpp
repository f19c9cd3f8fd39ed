// The words of one statement, read from left to right.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "lexer.hpp"
#include "postil/text.hpp"
#include "problems.hpp"

namespace postil {

class TokenReader {
 protected:
  explicit TokenReader(const Line& line) : line_(line) {}

  [[nodiscard]] const Token& peek(std::size_t ahead) const {
    return line_.tokens[std::min(at_ + ahead, line_.tokens.size() - 1)];
  }
  [[nodiscard]] const Token& here() const { return peek(0); }
  Token take() { return line_.tokens[std::min(at_++, line_.tokens.size() - 1)]; }
  [[nodiscard]] bool is_sign(std::string_view sign) const {
    return here().kind == TokenKind::sign && here().text == sign;
  }
  [[nodiscard]] bool is_word(std::string_view word) const {
    return here().kind == TokenKind::name && lower_case(here().text) == word;
  }
  [[nodiscard]] static bool is_column(const Token& token) {
    return (token.kind == TokenKind::name && !is_keyword(token.text)) || token.kind == TokenKind::quoted_name;
  }
  bool skip_sign(std::string_view sign) {
    if (!is_sign(sign)) return false;
    ++at_;
    return true;
  }
  void expect_sign(std::string_view sign, std::string_view what) {
    if (!skip_sign(sign)) fail_expected(what.empty() ? fmt::format("'{}'", sign) : std::string(what));
  }
  void expect_word(std::string_view word) {
    if (!is_word(word)) fail_expected(fmt::format("'{}'", word));
    ++at_;
  }
  [[noreturn]] static void fail(Spot spot, Code code, std::string message) {
    fail_at({.spot = spot, .message = std::move(message), .code = code});
  }
  [[noreturn]] void fail_expected(const std::string& what) const {
    const Token& token = here();
    const std::string found = token.kind == TokenKind::end ? "the end of the line" : in_quotes(token.text);
    fail_at({.spot = token.spot,
             .message = Text("found ", found, ", expected ", what),
             .found = token.kind == TokenKind::end ? found : shown(token.text),
             .expected = what});
  }

  const Line& line_;
  std::size_t at_ = 0;
};

}  // namespace postil
