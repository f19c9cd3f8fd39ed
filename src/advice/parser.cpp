// parser.cpp: from words to statements, by recursive descent along the grammar of docs/rules.md.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "lexer.hpp"
#include "postil/schema.hpp"
#include "postil/text.hpp"
#include "problems.hpp"
#include "token_reader.hpp"

namespace postil {
namespace {

constexpr int kDeepest = 100;  // parentheses within parentheses
constexpr double kMostTrust = 10, kMostMargin = 1e9, kMostSureRows = 1e9;

// Functions of columns that are conditions; `sum` is a number.
constexpr std::string_view kFunctions[] = {"absent", "present", "any", "all", "none"};

class Parser : private TokenReader {
 public:
  explicit Parser(const Line& line) : TokenReader(line) {}

  Statement statement() {
    Statement out;
    out.spot = line_.tokens[0].spot;
    out.before = line_.before;
    out.after = line_.after;
    if (is_word("class") && peek(2).text == "=" && peek(1).kind != TokenKind::sign)
      out.what = class_statement();
    else if (is_word("domain") && is_column(peek(1)))
      out.what = domain_statement();
    else if (is_word("integer") && is_column(peek(1)))
      out.what = integer_statement();
    else if (is_word("define"))
      out.what = define_statement();
    else
      out.what = rule_statement();
    if (here().kind != TokenKind::end) fail_expected("the end of the line");
    return out;
  }

 private:
  // ---- statements ----

  ClassStatement class_statement() {
    take();
    ClassStatement out;
    out.name = take().text;
    expect_sign("=", "");
    out.value = class_value().first;
    return out;
  }

  DomainStatement domain_statement() {
    take();
    DomainStatement out;
    out.items = items("a column");
    expect_sign("in", "'in [low, high]'");
    expect_sign("[", "'[' and the least and greatest value");
    const Spot spot = here().spot;
    out.low = end_of_domain(out.written);
    expect_sign(",", "");
    out.high = end_of_domain(out.written);
    expect_sign("]", "");
    if (!(out.low <= out.high))
      fail(spot, Code::impossible,
           fmt::format("the domain from {} to {} is empty", format_number(out.low), format_number(out.high)));
    return out;
  }
  double end_of_domain(Kind& written) {
    if (here().kind == TokenKind::date) {
      written = Kind::date;
      return take().number;
    }
    const double out = signed_number(true);
    if (skip_sign("%")) written = Kind::percent;
    return out;
  }

  IntegerStatement integer_statement() {
    take();
    return {items("a column")};
  }

  DefineStatement define_statement() {
    take();
    DefineStatement out;
    if (!is_column(here())) fail_expected("a name for the condition");
    out.name = take().text;
    expect_sign("=", "'=' and the condition");
    out.condition = condition();
    return out;
  }

  RuleStatement rule_statement() {
    RuleStatement out;
    out.text = line_.text;
    if (has_head()) head(out);
    if (is_direction()) return direction_rule(std::move(out));
    const bool if_then = is_word("if") && begins_condition(peek(1));
    if (if_then) take();
    out.condition = condition();
    except(out.condition);
    if (if_then && is_word("then"))
      take();
    else
      expect_sign("=>", if_then ? "'and', 'or' or 'then class'" : "'and', 'or' or '=> class'");
    out.consequent = consequent();
    except(out.condition);
    return out;
  }
  // more x => class, less x => class
  [[nodiscard]] bool is_direction() const {
    const std::string next = lower_case(peek(1).text);
    return (is_word("more") || is_word("less")) && (is_column(peek(1)) || peek(1).kind == TokenKind::text) &&
           next != "is" && next != "unless" && next != "then";
  }
  RuleStatement direction_rule(RuleStatement out) {
    if (out.sure || out.margin)
      fail_at(
          {.spot = line_.tokens[0].spot,
           .message = fmt::format("a direction has no {}: it holds on no row, it says how the score moves; [trust = "
                                  "2] makes it count twice",
                                  out.sure ? "sure" : "margin"),
           .code = Code::unsupported});
    out.condition.kind = is_word("more") ? Condition::Kind::more : Condition::Kind::less;
    out.condition.spot = take().spot;
    out.condition.items = {item("a column; one that is no plain word stands in `backquotes`")};
    if (!out.condition.items[0].last.empty())
      fail(out.condition.items[0].spot, Code::unsupported, "a direction is about one column: write a rule for each");
    expect_sign("=>", "'=> class': a direction is about one column and has no other condition");
    out.consequent = consequent();
    return out;
  }
  [[nodiscard]] static bool begins_condition(const Token& token) {
    return token.kind != TokenKind::end &&
           (token.kind != TokenKind::sign || token.text == "(" || token.text == "not" || token.text == "-");
  }
  // C unless D: C and not D.
  void except(Condition& out) {
    if (!is_word("unless")) return;
    Condition exception;
    exception.kind = Condition::Kind::negation;
    exception.spot = take().spot;
    exception.parts.push_back(condition());
    Condition both;
    both.kind = Condition::Kind::all;
    both.spot = out.spot;
    both.parts = {std::move(out), std::move(exception)};
    out = std::move(both);
  }

  // "id:", "id [...]:" or "[...]:" before the condition.
  [[nodiscard]] bool has_head() const {
    if (is_sign("[")) return true;
    std::size_t length = 0;  // of what stands where a name does
    while (peek(length).kind == TokenKind::name || peek(length).kind == TokenKind::quoted_name ||
           peek(length).kind == TokenKind::number || (peek(length).kind == TokenKind::sign && peek(length).text == "-"))
      ++length;
    const Token& after = peek(length);
    if (length == 0 || after.kind != TokenKind::sign || (after.text != ":" && (after.text != "[" || length > 1)))
      return false;
    if (length > 1)
      fail_at({.spot = here().spot,
               .message = "the name of a rule is one word",
               .expected = "a name such as my_rule, or `my-rule` in backquotes"});
    if (here().kind == TokenKind::number && here().number > 0 && here().number < 1)
      fail_at(
          {.spot = here().spot,
           .message = fmt::format(
               "found {} where the name of a rule is expected; to say how often the rule is right, write [sure = {}]:",
               here().text, format_number(here().number)),
           .found = here().text,
           .expected = "a name"});
    return true;
  }
  void head(RuleStatement& out) {
    if (!is_sign("[")) out.id = take().text;
    if (skip_sign("[")) {
      do {
        const Token key = here();
        const bool trust = is_word("trust");
        if (is_word("sure")) {
          sure(out);
          continue;
        }
        if (!trust && !is_word("margin")) fail_expected("sure = 80%, trust = number or margin = number");
        take();
        expect_sign("=", "");
        const Spot spot = here().spot;
        const double value = signed_number(false);
        std::optional<double>& to = trust ? out.trust : out.margin;
        if (to) fail(key.spot, Code::duplicate, fmt::format("{} is given twice", key.text));
        const double most = trust ? kMostTrust : kMostMargin;
        const std::string expected =
            fmt::format("a number {} {}", trust ? "above 0 and at most" : "from 0 to", format_number(most));
        if (!(trust ? value > 0 : value >= 0) || value > most)
          fail_at({.spot = spot,
                   .message = fmt::format(
                       "{} is {}, expected {}{}", key.text, format_number(value), expected,
                       trust && value > 10 && value <= 100
                           ? fmt::format("; to say how often the rule is right, write sure = {}%", format_number(value))
                           : ""),
                   .code = Code::out_of_range,
                   .subject = {"parameter", key.text},
                   .found = format_number(value),
                   .expected = expected});
        to = value;
      } while (skip_sign(","));
      expect_sign("]", "',' or ']'");
    }
    expect_sign(":", "':' and the condition");
  }

  // sure = 80% [of rows], or sure = 0.8
  void sure(RuleStatement& out) {
    const Spot key = take().spot;
    expect_sign("=", "'=' and a percentage");
    const Token number = here();
    double rate = signed_number(false);
    const bool percent = skip_sign("%");
    if (percent) rate /= 100;
    if (!(rate >= 0 && rate <= 1)) {
      const bool forgotten = !percent && rate > 1 && rate <= 100;
      fail_at({.spot = number.spot,
               .message = fmt::format("sure is {}{}, expected {}", format_number(percent ? rate * 100 : rate),
                                      percent ? "%" : "",
                                      forgotten ? format_number(rate) + "%" : "a percentage from 0% to 100%"),
               .code = Code::out_of_range,
               .subject = {"parameter", "sure"},
               .found = number.text,
               .expected = "a percentage from 0% to 100%"});
    }
    if (out.sure) fail(key, Code::duplicate, "sure is given twice");
    out.sure = Sure{rate, {}};
    if (!is_word("of")) return;
    take();
    const Token rows = here();
    const double count = signed_number(false);
    if (!(count >= 0 && count <= kMostSureRows))
      fail(rows.spot, Code::out_of_range,
           fmt::format("expected a number of rows from 0 to {}", format_number(kMostSureRows)));
    out.sure->rows = count;
  }

  Consequent consequent() {
    Consequent out;
    if (skip_sign("not")) out.negated = true;
    out.spot = here().spot;
    if (is_column(here()) && begins_comparison(peek(1))) return about_a_number(std::move(out));
    if ((is_sign("+") || is_sign("-")) && peek(1).kind == TokenKind::number && peek(1).number == 1) {
      out.sign = take().text == "+" ? 1 : -1;
      take();
      return out;
    }
    if (is_sign("+") || is_sign("-")) {
      if (peek(1).kind != TokenKind::number) {
        out.sign = take().text == "+" ? 1 : -1;
        return out;
      }
    }
    std::tie(out.name, out.quoted) = class_value();
    return out;
  }

  [[nodiscard]] static bool begins_comparison(const Token& token) {
    if (token.kind == TokenKind::name) return lower_case(token.text) == "between";
    return token.kind == TokenKind::sign &&
           (token.text == "in" || token.text == "<" || token.text == "<=" || token.text == "=" || token.text == ">=" ||
            token.text == ">" || token.text == "!=");
  }
  // charges >= 20000, charges between 1000 and 2*age, charges = 3*age + 2
  Consequent about_a_number(Consequent out) {
    Condition said = comparison();
    const bool between = said.kind == Condition::Kind::between;
    if (out.negated || (!between && (said.kind != Condition::Kind::compare || said.relations.size() != 1 ||
                                     said.relations[0] == Relation::unequal)))
      fail_at({.spot = out.spot,
               .message = "a rule about a number says that it is >=, <=, =, < or > something, or between two ends",
               .code = Code::unsupported,
               .expected = "for example => charges >= 20000"});
    out.name = said.operands[0][0].items[0].first;
    out.quoted = said.operands[0][0].items[0].quoted;
    out.number = std::move(said);
    return out;
  }

  // A label value as it is compared, and whether it stood in quotes.
  std::pair<std::string, bool> class_value() {
    std::string text;
    if (is_sign("+") || is_sign("-")) {
      text = take().text;
      if (here().kind == TokenKind::number) text += take().text;
    } else if (here().kind == TokenKind::sign && here().text != "(") {
      fail_expected("a class; one that is no plain word stands in \"double quotes\": \">50K\"");
    } else if (here().kind == TokenKind::end || here().kind == TokenKind::sign) {
      fail_expected("a class");
    } else {
      const bool quoted = here().kind == TokenKind::text || here().kind == TokenKind::quoted_name;
      text = take().text;
      if (quoted) return {text, true};
    }
    return {canonical_label(text), false};
  }

  // ---- conditions ----

  Condition condition() {
    if (++depth_ > kDeepest) fail(here().spot, Code::too_many, "the condition is nested too deeply");
    Condition out = joined_by("or", Condition::Kind::any,
                              [this] { return joined_by("and", Condition::Kind::all, [this] { return unary(); }); });
    --depth_;
    return out;
  }

  template <class Part>
  Condition joined_by(std::string_view sign, Condition::Kind kind, const Part& part) {
    Condition first = part();
    if (!is_sign(sign)) return first;
    Condition out;
    out.kind = kind;
    out.spot = first.spot;
    out.parts.push_back(std::move(first));
    while (skip_sign(sign)) out.parts.push_back(part());
    return out;
  }

  Condition unary() {
    const Spot spot = here().spot;
    if (!skip_sign("not")) return primary();
    if (++depth_ > kDeepest) fail(spot, Code::too_many, "the condition is nested too deeply");
    Condition out;
    out.kind = Condition::Kind::negation;
    out.spot = spot;
    out.parts.push_back(unary());
    --depth_;
    return out;
  }

  Condition primary() {
    if (skip_sign("(")) {
      Condition inner = condition();
      expect_sign(")", "'and', 'or' or ')'");
      return inner;
    }
    if (is_word("at") && lower_case(peek(1).text) == "least") return at_least();
    const bool call = peek(1).kind == TokenKind::sign && peek(1).text == "(";
    if (call && is_word("count")) return count();
    if (call && (is_word("missing") || is_word("known"))) {
      const bool known = lower_case(take().text) == "known";
      take();
      Condition out = missing(item("a column"), known);
      expect_sign(")", "");
      return out;
    }
    for (const std::string_view function : kFunctions)
      if (call && is_word(function)) return columns(function);
    return comparison();
  }

  Condition columns(std::string_view function) {
    Condition out;
    out.kind = Condition::Kind::columns;
    out.spot = take().spot;
    out.words.emplace_back(function);
    take();
    out.items = items("a column");
    expect_sign(")", "',' or ')'");
    return out;
  }

  Condition at_least() {
    Condition out;
    out.kind = Condition::Kind::at_least;
    out.spot = take().spot;
    take();
    const Token number = here();
    if (number.kind != TokenKind::number || number.number != std::floor(number.number) || number.number < 1 ||
        number.number > 1e6)
      fail_expected("a whole number of 1 or more");
    take();
    out.count = static_cast<std::uint32_t>(number.number);
    expect_word("of");
    list(out);
    return out;
  }

  // count(a, b, c) >= 2, and the other relations.
  Condition count() {
    Condition out;
    out.kind = Condition::Kind::count;
    out.spot = take().spot;
    list(out);
    const std::optional<Relation> found = relation();
    if (!found) fail_expected("a comparison such as >= 2");
    take();
    out.relations.push_back(*found);
    const Token number = here();
    if (number.kind != TokenKind::number || number.number != std::floor(number.number) || number.number > 1e6)
      fail_expected("a whole number");
    take();
    out.count = static_cast<std::uint32_t>(number.number);
    return out;
  }
  static Condition negated(Condition part) {
    Condition out;
    out.kind = Condition::Kind::negation;
    out.spot = part.spot;
    out.parts.push_back(std::move(part));
    return out;
  }
  static Condition missing(ColumnItem column, bool known) {
    Condition out;
    out.kind = Condition::Kind::missing;
    out.spot = column.spot;
    out.items.push_back(std::move(column));
    return known ? negated(std::move(out)) : out;
  }

  // Conditions in parentheses, separated by commas; also ranges of columns.
  void list(Condition& out) {
    expect_sign("(", "'(' and conditions separated by commas");
    ++commas_;
    do {
      if (is_column(here()) && peek(1).kind == TokenKind::sign && peek(1).text == "..") {
        Condition range;
        range.kind = Condition::Kind::name;
        range.spot = here().spot;
        range.items.push_back(item("a column"));
        out.parts.push_back(std::move(range));
      } else {
        out.parts.push_back(condition());
      }
    } while (skip_sign(","));
    --commas_;
    expect_sign(")", "',' or ')'");
  }

  [[nodiscard]] std::optional<Relation> relation() const {
    if (here().kind != TokenKind::sign) return std::nullopt;
    const std::string& sign = here().text;
    if (sign == "<") return Relation::less;
    if (sign == "<=") return Relation::at_most;
    if (sign == "=") return Relation::equal;
    if (sign == ">=") return Relation::at_least;
    if (sign == ">") return Relation::greater;
    if (sign == "!=") return Relation::unequal;
    return std::nullopt;
  }

  Condition comparison() {
    Condition out;
    out.spot = here().spot;
    Linear first = linear();
    const auto only_column = [&]() -> const ColumnItem* {
      return first.size() == 1 && first[0].kind == Term::Kind::column && first[0].coefficient == 1 ? &first[0].items[0]
                                                                                                   : nullptr;
    };
    if (relation()) {
      out.kind = Condition::Kind::compare;
      out.operands.push_back(std::move(first));
      while (const std::optional<Relation> found = relation()) {
        take();
        out.relations.push_back(*found);
        out.operands.push_back(linear());
      }
      return out;
    }
    if (is_word("is") && only_column() != nullptr) return is(std::move(out), first[0].items[0]);
    if (is_sign("not") && (lower_case(peek(1).text) == "between" || peek(1).text == "in")) {
      take();
      return negated(range_or_list(std::move(out), std::move(first)));
    }
    if (is_word("between") || is_sign("in")) return range_or_list(std::move(out), std::move(first));
    if (only_column() == nullptr) fail_expected("a comparison: <, <=, =, >=, >, between or in");
    out.kind = Condition::Kind::name;
    out.items = first[0].items;
    return out;
  }

  // x is missing, known, in {...}, between ...; x is red, x is not red: = and !=
  Condition is(Condition out, const ColumnItem& column) {
    take();
    const bool no = skip_sign("not");
    if (is_word("missing") || is_word("known") || is_word("null"))
      return missing(column, (lower_case(take().text) == "known") != no);
    Term term;
    term.kind = Term::Kind::column;
    term.spot = column.spot;
    term.items = {column};
    if (is_word("between") || is_sign("in")) {
      Condition inside = range_or_list(std::move(out), {term});
      return no ? negated(std::move(inside)) : inside;
    }
    out.kind = Condition::Kind::compare;
    out.operands = {{term}, linear()};
    out.relations = {no ? Relation::unequal : Relation::equal};
    return out;
  }

  // between low and high; in [low, high]; in {categories}
  Condition range_or_list(Condition out, Linear first) {
    if (is_word("between")) {
      take();
      out.kind = Condition::Kind::between;
      out.operands.push_back(std::move(first));
      out.operands.push_back(linear());
      expect_sign("and", "'and' and the upper end");
      out.operands.push_back(linear());
      return out;
    }
    if (is_sign("in") && peek(1).text == "[") {
      take();
      take();
      out.kind = Condition::Kind::between;
      out.operands.push_back(std::move(first));
      ++commas_;
      out.operands.push_back(linear());
      --commas_;
      expect_sign(",", "',' and the upper end");
      out.operands.push_back(linear());
      expect_sign("]", "");
      return out;
    }
    if (first.size() != 1 || first[0].kind != Term::Kind::column || first[0].coefficient != 1)
      fail_expected("a comparison; 'in {...}' is for a column of categories");
    take();
    out.kind = Condition::Kind::within;
    out.items = first[0].items;
    expect_sign("{", "'{' and categories, or '[low, high]'");
    do {
      const Token token = here();
      if (token.kind == TokenKind::sign && (token.text == "+" || token.text == "-")) {
        take();
        if (here().kind != TokenKind::number) fail_expected("a category");
        out.words.push_back(canonical_label(token.text + take().text));
        continue;
      }
      if (token.kind == TokenKind::end || token.kind == TokenKind::sign) fail_expected("a category");
      out.words.push_back(token.kind == TokenKind::number ? canonical_label(take().text) : take().text);
      if (token.kind == TokenKind::number && skip_sign("%")) out.words.back() += '%';
    } while (skip_sign(","));
    expect_sign("}", "',' or '}'");
    return out;
  }

  // ---- numbers and columns ----

  Linear linear() {
    Linear out;
    double sign = 1;
    bool more = true;
    while (more) {
      while (is_sign("+") || is_sign("-")) sign *= take().text == "-" ? -1 : 1;
      out.push_back(term(sign));
      more = is_sign("+") || is_sign("-");
      sign = 1;
    }
    return out;
  }

  // Numbers and at most one column or sum, joined by * and /.
  Term term(double sign) {
    Term out;
    out.spot = here().spot;
    out.coefficient = sign;
    bool divide = false;
    for (;;) {
      const Token token = here();
      if (token.kind == TokenKind::number) {
        const double number = grouped_number();
        if (divide && number == 0) fail(token.spot, Code::out_of_range, "division by zero");
        out.coefficient = divide ? out.coefficient / number : out.coefficient * number;
        if (!std::isfinite(out.coefficient)) fail(token.spot, Code::out_of_range, "the number is out of range");
        if (is_sign("%") && out.kind == Term::Kind::number) {
          take();
          out.kind = Term::Kind::percent;
          return out;
        }
      } else if (token.kind == TokenKind::date && !divide && out.kind == Term::Kind::number &&
                 std::fabs(out.coefficient) == 1) {
        take();
        out.kind = Term::Kind::date;
        out.text = token.text;
        return out;
      } else if (divide && is_column(token) && !out.divisor && out.kind != Term::Kind::text) {
        take();
        out.divisor = ColumnItem{token.text, "", token.kind == TokenKind::quoted_name, token.spot};
      } else if (divide) {
        fail_expected("a number or a column to divide by");
      } else if (out.kind != Term::Kind::number) {
        fail(token.spot, Code::unsupported, "a product of columns is not linear");
      } else if (token.kind == TokenKind::text) {
        take();
        if (sign != 1 || out.coefficient != 1) fail(token.spot, Code::not_a_number, "a text is not a number");
        out.kind = Term::Kind::text;
        out.text = token.text;
        return out;
      } else if (is_word("sum") && peek(1).text == "(" && peek(1).kind == TokenKind::sign) {
        take();
        take();
        out.kind = Term::Kind::sum;
        out.items = items("a column");
        expect_sign(")", "',' or ')'");
      } else if (is_column(token)) {
        out.kind = Term::Kind::column;
        take();
        out.items.push_back({token.text, "", token.kind == TokenKind::quoted_name, token.spot});
      } else {
        fail_expected(is_sign("(") ? "a number or a column; parentheses are for conditions"
                                   : "a number, a column or a condition");
      }
      if (is_sign("*"))
        divide = false;
      else if (is_sign("/"))
        divide = true;
      else
        return out;
      take();
    }
  }

  // 1,234,567.8 too, where no list makes its commas mean something else.
  double grouped_number() {
    const Token first = take();
    std::string digits = first.text;
    Token last = first;
    const auto follows = [](const Token& token, const Token& before) {
      return token.spot.line == before.spot.line && token.spot.column == before.spot.column + before.length;
    };
    while (commas_ == 0 && is_sign(",") && follows(here(), last) && peek(1).kind == TokenKind::number &&
           follows(peek(1), here()) && std::min(peek(1).text.find('.'), peek(1).text.size()) == 3) {
      take();
      last = take();
      digits += "," + last.text;
    }
    if (digits == first.text) return first.number;
    const std::optional<double> number = parse_grouped(digits);
    if (!number)
      fail(first.spot, Code::bad_syntax,
           fmt::format("found {}, expected a number such as 1234.5 or 1,234.5", in_quotes(digits)));
    return *number;
  }

  double signed_number(bool infinite) {
    double sign = 1;
    while (is_sign("+") || is_sign("-")) sign *= take().text == "-" ? -1 : 1;
    if (infinite && (is_word("inf") || is_word("infinity"))) {
      take();
      return sign * std::numeric_limits<double>::infinity();
    }
    if (here().kind != TokenKind::number) fail_expected("a number");
    return sign * take().number;
  }

  ColumnItem item(const std::string& what) {
    if (!is_column(here())) fail_expected(what);
    const Token token = take();
    ColumnItem out{token.text, "", token.kind == TokenKind::quoted_name, token.spot};
    if (skip_sign("..")) {
      if (!is_column(here())) fail_expected("the last column of the range");
      out.quoted |= here().kind == TokenKind::quoted_name;
      out.last = take().text;
    }
    return out;
  }
  std::vector<ColumnItem> items(const std::string& what) {
    std::vector<ColumnItem> out;
    do out.push_back(item(what));
    while (skip_sign(","));
    return out;
  }

  int depth_ = 0;
  int commas_ = 0;  // inside lists, where a comma goes on with the next
};

// Names that stand for two things, in the order of the file.
void check_names(const RuleFile& file, std::vector<RuleProblem>& problems) {
  std::set<std::string> ids, definitions, classes;
  for (const Statement& statement : file.statements) {
    const auto twice = [&](std::set<std::string>& names, const std::string& name, std::string_view what) {
      if (!name.empty() && !names.insert(name).second)
        problems.push_back({.spot = statement.spot,
                            .message = fmt::format("the {} {} appears twice", what, in_quotes(name)),
                            .code = Code::duplicate,
                            .subject = {std::string(what), name}});
    };
    if (const auto* rule = std::get_if<RuleStatement>(&statement.what)) twice(ids, rule->id, "rule");
    if (const auto* define = std::get_if<DefineStatement>(&statement.what))
      twice(definitions, define->name, "definition");
    if (const auto* name = std::get_if<ClassStatement>(&statement.what)) twice(classes, name->name, "class");
  }
}

}  // namespace

ParsedRules parse_rules(std::string text, std::string source) {
  ParsedRules out;
  out.file.source = std::move(source);
  out.file.text = std::move(text);
  Lexed lexed = lex_rules(out.file.text);
  out.problems = std::move(lexed.problems);
  out.file.end = std::move(lexed.end);
  for (const Line& line : lexed.lines) {
    try {
      out.file.statements.push_back(Parser(line).statement());
    } catch (const RuleMistake& stop) {
      out.problems.push_back(stop.problem);
    }
  }
  check_names(out.file, out.problems);
  std::stable_sort(out.problems.begin(), out.problems.end(), [](const RuleProblem& a, const RuleProblem& b) {
    return std::pair(a.spot.line, a.spot.column) < std::pair(b.spot.line, b.spot.column);
  });
  return out;
}

}  // namespace postil
