// printer.cpp: the canonical text of rules.
#include <fmt/format.h>

#include <cmath>

#include "lexer.hpp"
#include "postil/schema.hpp"
#include "postil/text.hpp"
#include "printer.hpp"

namespace postil {
namespace {

std::string name_text(const std::string& name, bool quoted) {
  return quoted ? in_marks(name, '`') : postil::name_text(name);
}

std::string print(const ColumnItem& item) {
  std::string out = name_text(item.first, item.quoted);
  if (!item.last.empty()) out += ".." + name_text(item.last, item.quoted);
  return out;
}

std::string print(const std::vector<ColumnItem>& items) {
  std::string out;
  for (const ColumnItem& item : items) out += (out.empty() ? "" : ", ") + print(item);
  return out;
}

std::string print(const Linear& linear) {
  std::string out;
  for (const Term& term : linear) {
    const bool negative = std::signbit(term.coefficient);
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    const std::string size = format_number(std::fabs(term.coefficient));
    const std::string factor = size == "1" ? "" : size + "*";
    switch (term.kind) {
      case Term::Kind::number: out += size; break;
      case Term::Kind::column: out += factor + print(term.items[0]); break;
      case Term::Kind::sum: out += factor + "sum(" + print(term.items) + ")"; break;
      case Term::Kind::text: out += in_marks(term.text, '"'); break;
      case Term::Kind::date: out += term.text; break;
      case Term::Kind::percent: out += size + "%"; break;
    }
    if (term.divisor) out += "/" + print(*term.divisor);
  }
  return out;
}

std::string categories(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word_text(word);
  return fmt::format("in {{{}}}", out);
}

bool binds_less(Condition::Kind inner, Condition::Kind outer) {
  if (inner == Condition::Kind::any) return true;
  return inner == Condition::Kind::all && outer != Condition::Kind::any;
}

std::string print_part(const Condition& part, Condition::Kind outer) {
  const std::string text = postil::print(part);
  return binds_less(part.kind, outer) ? "(" + text + ")" : text;
}

std::string print(const Sure& sure) {
  const double percent = std::round(sure.rate * 1e12) / 1e10;
  return (percent / 100 == sure.rate ? format_number(percent) + "%" : format_number(sure.rate)) +
         (sure.rows ? " of " + format_number(*sure.rows) : "");
}

struct Printer {
  std::string operator()(const ClassStatement& s) const {
    return fmt::format("class {} = {}", postil::name_text(s.name), in_marks(s.value, '"'));
  }
  std::string operator()(const DomainStatement& s) const {
    return fmt::format("domain {} in [{}, {}]", print(s.items), text_of(s.low, s.written), text_of(s.high, s.written));
  }
  std::string operator()(const IntegerStatement& s) const { return "integer " + print(s.items); }
  std::string operator()(const DefineStatement& s) const {
    return fmt::format("define {} = {}", postil::name_text(s.name), postil::print(s.condition));
  }
  std::string operator()(const RuleStatement& s) const { return postil::print(s); }
};

void print_comments(const std::vector<std::string>& comments, std::string& out) {
  for (const std::string& comment : comments) out += comment.empty() ? "\n" : "# " + comment + "\n";
}

}  // namespace

std::string_view word(Relation relation) {
  constexpr std::string_view kSigns[] = {"<", "<=", "=", ">=", ">", "!="};
  return kSigns[static_cast<std::size_t>(relation)];
}

std::string name_text(std::string_view name) { return is_plain_name(name) ? std::string(name) : in_marks(name, '`'); }

std::string word_text(std::string_view word) {
  const std::optional<double> percent = parse_percent(word), days = parse_date(word);
  const bool number = (parse_number(word) && canonical_label(word) == word) ||
                      (percent && *percent >= 0 && format_number(*percent) + "%" == word) ||
                      (days && format_date(*days) == word);
  return number || is_plain_name(word) ? std::string(word) : in_marks(word, '"');
}

std::string print(const Condition& c) {
  switch (c.kind) {
    case Condition::Kind::compare: {
      std::string out = print(c.operands[0]);
      for (std::size_t k = 0; k < c.relations.size(); ++k)
        out += fmt::format(" {} {}", word(c.relations[k]), print(c.operands[k + 1]));
      return out;
    }
    case Condition::Kind::between:
      return fmt::format("{} between {} and {}", print(c.operands[0]), print(c.operands[1]), print(c.operands[2]));
    case Condition::Kind::within: return fmt::format("{} {}", print(c.items[0]), categories(c.words));
    case Condition::Kind::columns: return fmt::format("{}({})", c.words[0], print(c.items));
    case Condition::Kind::missing: return print(c.items[0]) + " is missing";
    case Condition::Kind::name: return print(c.items[0]);
    case Condition::Kind::more: return "more " + print(c.items[0]);
    case Condition::Kind::less: return "less " + print(c.items[0]);
    case Condition::Kind::negation:
      if (c.parts[0].kind == Condition::Kind::missing) return print(c.parts[0].items[0]) + " is known";
      if (c.parts[0].kind == Condition::Kind::within)
        return fmt::format("{} not {}", print(c.parts[0].items[0]), categories(c.parts[0].words));
      return "not " + print_part(c.parts[0], Condition::Kind::negation);
    case Condition::Kind::at_least:
    case Condition::Kind::count: {
      std::string parts;
      for (const Condition& part : c.parts) parts += (parts.empty() ? "" : ", ") + print(part);
      return c.kind == Condition::Kind::count ? fmt::format("count({}) {} {}", parts, word(c.relations[0]), c.count)
                                              : fmt::format("at least {} of ({})", c.count, parts);
    }
    case Condition::Kind::all:
    case Condition::Kind::any: break;
  }
  std::string out;
  for (const Condition& part : c.parts)
    out += (out.empty() ? "" : c.kind == Condition::Kind::all ? " and " : " or ") + print_part(part, c.kind);
  return out;
}

std::string print(const RuleStatement& rule) {
  std::string head = rule.id.empty() ? "" : name_text(rule.id);
  std::vector<std::string> options;
  if (rule.sure) options.push_back("sure = " + print(*rule.sure));
  if (rule.trust) options.push_back("trust = " + format_number(*rule.trust));
  if (rule.margin) options.push_back("margin = " + format_number(*rule.margin));
  if (!options.empty()) head += fmt::format("{}[{}]", head.empty() ? "" : " ", joined(options));
  const Consequent& c = rule.consequent;
  return fmt::format("{}{}{} => {}{}", head, head.empty() ? "" : ": ", print(rule.condition), c.negated ? "not " : "",
                     c.number     ? print(*c.number)
                     : c.sign > 0 ? "+1"
                     : c.sign < 0 ? "-1"
                     : c.quoted   ? in_marks(c.name, '"')
                                  : c.name);
}

std::string print_rules(const RuleFile& file) {
  std::string out;
  for (const Statement& statement : file.statements) {
    print_comments(statement.before, out);
    out += std::visit(Printer(), statement.what);
    if (!statement.after.empty()) out += "  # " + statement.after;
    out += '\n';
  }
  print_comments(file.end, out);
  return out;
}

}  // namespace postil
