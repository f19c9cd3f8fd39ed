// lint.cpp: a text of rules for editors, finished or not.
#include <algorithm>
#include <map>
#include <set>

#include "lexer.hpp"
#include "postil/rules.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

using Is = RuleWord::Kind;

constexpr std::string_view kWords[] = {"and",  "at least", "between", "class",    "define",     "domain",
                                       "if",   "in",       "integer", "is known", "is missing", "less",
                                       "more", "not",      "or",      "then",     "unless"};
constexpr std::string_view kCalls[] = {"absent", "all", "any", "count", "known", "missing", "none", "present", "sum"};
constexpr std::size_t kMostCompletions = 200;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), lower_case(word)) != list.end();
}

class Linter {
 public:
  Linter(const std::string& text, const Schema* schema) : parsed_(parse_rules(text, "rules")), lexed_(lex_rules(text)) {
    for (const Statement& statement : parsed_.file.statements) {
      if (const auto* define = std::get_if<DefineStatement>(&statement.what)) definitions_.insert(define->name);
      if (const auto* name = std::get_if<ClassStatement>(&statement.what)) classes_.insert(name->name);
    }
    known_ = schema != nullptr;
    schema_ = known_ ? *schema : schema_of_rules(parsed_.file);
    for (const Column& column : schema_.columns) columns_.emplace(column.name, &column);
    classes_.insert(schema_.label.classes.begin(), schema_.label.classes.end());
  }

  RuleLint run(std::optional<Spot> cursor) {
    for (const std::vector<Line>* lines : {&lexed_.lines, &lexed_.broken})
      for (const Line& line : *lines) take(line);
    for (const Token& comment : lexed_.comments) out_.words.push_back({Is::comment, comment.spot, comment.length});
    std::sort(out_.words.begin(), out_.words.end(),
              [](const RuleWord& a, const RuleWord& b) { return place(a.spot) < place(b.spot); });
    find_problems();
    if (cursor) complete(*cursor);
    return std::move(out_);
  }

 private:
  static std::pair<std::uint32_t, std::uint32_t> place(Spot spot) { return {spot.line, spot.column}; }

  // ---- words ----

  // Whether a class stands behind a token, given that for the token before it: not behind the comparison of a number.
  static bool says_class(bool before, const Token& token) {
    if (token.text == "=>" || is_one_of(token.text, {"then"})) return true;
    return before && !is_one_of(token.text, {"unless", "between", "in", "<", "<=", "=", ">=", ">"});
  }

  void take(const Line& line) {
    const std::vector<Token>& tokens = line.tokens;
    bool consequent = false;
    for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
      consequent = says_class(consequent, tokens[k]);
      out_.words.push_back({kind_of(tokens, k, consequent), tokens[k].spot, tokens[k].length});
    }
  }

  [[nodiscard]] Is kind_of(const std::vector<Token>& tokens, std::size_t k, bool consequent) const {
    const Token& token = tokens[k];
    const Token& next = tokens[k + 1];
    const auto before = [&](std::string_view sign) { return k > 0 && tokens[k - 1].text == sign; };
    switch (token.kind) {
      case TokenKind::number:
      case TokenKind::date: return consequent ? Is::class_name : Is::number;
      case TokenKind::text: return consequent ? Is::class_name : Is::text;
      case TokenKind::sign: return is_one_of(token.text, {"and", "or", "not", "in"}) ? Is::keyword : Is::sign;
      default: break;
    }
    if (next.text == ":" || (k == 0 && next.text == "[")) return Is::rule_name;
    if (token.kind == TokenKind::name) {
      if (next.text == "(" &&
          std::find(std::begin(kCalls), std::end(kCalls), lower_case(token.text)) != std::end(kCalls))
        return Is::function;
      const bool begins = (k == 0 || before(":")) && next.kind != TokenKind::sign &&
                          is_one_of(token.text, {"if", "class", "domain", "integer", "define"});
      const bool joins = k > 0 && is_one_of(token.text, {"then", "unless", "is"});
      const bool option =
          (before("[") || before(",")) && next.text == "=" && is_one_of(token.text, {"sure", "trust", "margin"});
      const bool asks = k > 1 && is_one_of(tokens[before("not") ? k - 2 : k - 1].text, {"is"}) &&
                        is_one_of(token.text, {"missing", "known", "null"});
      const bool direction = (k == 0 || before(":")) && is_one_of(token.text, {"more", "less"}) &&
                             (next.kind == TokenKind::name || next.kind == TokenKind::quoted_name) &&
                             !is_one_of(next.text, {"is", "unless", "then"});
      if (is_keyword(token.text) || begins || joins || option || asks || direction) return Is::keyword;
    }
    if (consequent || (k > 0 && is_one_of(tokens[k - 1].text, {"class"}))) return Is::class_name;
    if (definitions_.contains(token.text) || (k > 0 && is_one_of(tokens[k - 1].text, {"define"})))
      return Is::definition;
    if (columns_.contains(token.text)) return Is::column;
    if (category_column(tokens, k) != nullptr) return Is::category;
    if (!known_ || schema_.sparse()) return Is::column;
    return Is::unknown;
  }

  // The column of categories that the word at k is compared with.
  [[nodiscard]] const Column* category_column(const std::vector<Token>& tokens, std::size_t k) const {
    const auto column = [&](std::size_t at) -> const Column* {
      const auto found = columns_.find(tokens[at].text);
      return found != columns_.end() && found->second->categorical() ? found->second : nullptr;
    };
    if (k >= 2 && is_one_of(tokens[k - 1].text, {"=", "!=", "is"})) return column(k - 2);
    if (k >= 3 && tokens[k - 1].text == "not" && is_one_of(tokens[k - 2].text, {"is"})) return column(k - 3);
    std::size_t open = k;  // of the braces that it stands in
    while (open > 0 && tokens[open].text != "{" && tokens[open].text != "}") --open;
    if (open < 2 || tokens[open].text != "{") return nullptr;
    return tokens[open - 2].text == "not" && open >= 3 ? column(open - 3) : column(open - 2);
  }

  // ---- problems ----

  void find_problems() {
    std::vector<RuleProblem> problems = parsed_.problems;
    if (known_) (void)compile_rules(parsed_.file, schema_, {.mistakes = parsed_.problems, .problems = &problems});
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> lengths;
    for (const RuleWord& word : out_.words) lengths[place(word.spot)] = word.length;
    for (const RuleProblem& problem : problems) {
      const auto at = lengths.find(place(problem.spot));
      const std::uint32_t length = at == lengths.end() ? 1 : at->second;
      Text message = problem.message;
      if (!problem.remedy.plain().empty()) message += Text("; ", problem.remedy);
      out_.problems.push_back({problem.spot, length, message.plain()});
    }
    std::stable_sort(
        out_.problems.begin(), out_.problems.end(),
        [](const RuleLint::Problem& a, const RuleLint::Problem& b) { return place(a.spot) < place(b.spot); });
  }

  // ---- completions ----

  void add(Is kind, const std::string& text, const std::string& begun) {
    if (out_.completions.size() == kMostCompletions || !lower_case(text).starts_with(lower_case(begun))) return;
    const bool name = kind == Is::column || kind == Is::definition;
    const bool value = kind == Is::category || kind == Is::class_name;
    const bool number = value && parse_number(text).has_value();
    out_.completions.push_back({kind, (!name && !value) || number || is_plain_name(text) ? text
                                      : name                                             ? in_marks(text, '`')
                                                                                         : in_marks(text, '"')});
  }
  void complete(Spot cursor) {
    std::vector<Token> before;  // of the statement, up to the cursor
    std::string begun;
    for (const std::vector<Line>* lines : {&lexed_.lines, &lexed_.broken})
      for (const Line& line : *lines) {
        const auto inside = [&](const Token& token) { return place(token.spot) < place(cursor); };
        if (!inside(line.tokens[0]) || place(line.tokens.back().spot) < std::pair(cursor.line, std::uint32_t{0}))
          continue;
        before.clear();
        for (const Token& token : line.tokens)
          if (token.kind != TokenKind::end && inside(token)) before.push_back(token);
      }
    if (!before.empty()) {
      const Token& last = before.back();
      const bool touches = last.spot.line == cursor.line && last.spot.column + last.length >= cursor.column;
      if (touches && (last.kind == TokenKind::name || is_one_of(last.text, {"and", "or", "not", "in"}))) {
        begun = last.text.substr(0, cursor.column - last.spot.column);
        before.pop_back();
      }
    }
    if (std::any_of(lexed_.comments.begin(), lexed_.comments.end(), [&](const Token& comment) {
          return comment.spot.line == cursor.line && comment.spot.column < cursor.column;
        }))
      return;
    const std::size_t length = before.size();
    const auto last = [&](std::size_t back) { return back < length ? lower_case(before[length - 1 - back].text) : ""; };
    const auto begins = [&](std::size_t at) { return at == length || before[length - 1 - at].text == ":"; };
    const auto keywords = [&](std::initializer_list<const char*> words) {
      for (const char* word : words) add(Is::keyword, word, begun);
    };
    bool consequent = false;
    std::ptrdiff_t open = 0;  // brackets
    for (const Token& token : before) {
      consequent = says_class(consequent, token);
      open += token.text == "[" ? 1 : token.text == "]" ? -1 : 0;
    }
    const bool option = open > 0 && (last(0) == "[" || last(0) == ",") && last(1) != "in";
    before.emplace_back();  // the word that is begun
    if (option) return keywords({"sure", "trust", "margin"});
    if (consequent || (last(0) == "=" && is_one_of(last(2), {"class"}))) {  // class name = value
      if (schema_.label.real()) add(Is::class_name, schema_.label.name, begun);
      for (const std::string& name : classes_) add(Is::class_name, name, begun);
      return;
    }
    if (is_one_of(last(1), {"more", "less"}) && begins(2)) return keywords({"=>"});
    const bool direction = is_one_of(last(0), {"more", "less"}) && begins(1);
    if (is_one_of(last(0), {"is"}) || (last(0) == "not" && is_one_of(last(1), {"is"}))) keywords({"missing", "known"});
    if (const Column* column = category_column(before, before.size() - 1)) {
      for (const std::string& category : column->categories) add(Is::category, category, begun);
      return;
    }
    for (const Column& column : schema_.columns)
      if (!direction || !column.categorical()) add(Is::column, column.name, begun);
    if (direction) return;
    for (const std::string& name : definitions_) add(Is::definition, name, begun);
    for (const std::string_view call : kCalls) add(Is::function, std::string(call) + "(", begun);
    for (const std::string_view keyword : kWords) add(Is::keyword, std::string(keyword), begun);
  }

  ParsedRules parsed_;
  Lexed lexed_;
  bool known_ = false;
  Schema schema_;
  std::map<std::string, const Column*> columns_;
  std::set<std::string> definitions_, classes_;
  RuleLint out_;
};

}  // namespace

RuleLint lint_rules(const std::string& text, const Schema* schema, std::optional<Spot> cursor) {
  return Linter(text, schema).run(cursor);
}

std::string_view word(RuleWord::Kind kind) {
  switch (kind) {
    case Is::keyword: return "keyword";
    case Is::function: return "function";
    case Is::column: return "column";
    case Is::definition: return "definition";
    case Is::category: return "category";
    case Is::class_name: return "class";
    case Is::rule_name: return "rule";
    case Is::number: return "number";
    case Is::text: return "text";
    case Is::sign: return "sign";
    case Is::comment: return "comment";
    case Is::unknown: break;
  }
  return "unknown";
}

}  // namespace postil
