// english.cpp: rules as sentences, for those who will not learn a language to read them.
#include <fmt/format.h>

#include <cmath>

#include "forms.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

std::string listed(const std::vector<std::string>& items, std::string_view last) {
  std::string out;
  for (std::size_t k = 0; k < items.size(); ++k)
    out += (k == 0 ? "" : k + 1 == items.size() ? fmt::format(" {} ", last) : ", ") + items[k];
  return out;
}

std::string name(const ColumnItem& item) {
  return item.last.empty() ? item.first : fmt::format("{} to {}", item.first, item.last);
}
std::vector<std::string> names(const std::vector<ColumnItem>& items) {
  std::vector<std::string> out;
  for (const ColumnItem& item : items) out.push_back(name(item));
  return out;
}

std::string linear(const Linear& terms) {
  std::string out;
  for (const Term& term : terms) {
    const bool negative = std::signbit(term.coefficient);
    out += out.empty() ? (negative ? "minus " : "") : (negative ? " minus " : " plus ");
    const double size = std::fabs(term.coefficient);
    const std::string factor = size == 1 ? "" : format_number(size) + " times ";
    switch (term.kind) {
      case Term::Kind::number: out += format_number(size); break;
      case Term::Kind::percent: out += format_number(size) + "%"; break;
      case Term::Kind::date:
      case Term::Kind::text: out += term.text; break;
      case Term::Kind::column: out += factor + name(term.items[0]); break;
      case Term::Kind::sum: out += factor + "the sum of " + listed(names(term.items), "and"); break;
    }
    if (term.divisor) out += " divided by " + name(*term.divisor);
  }
  return out;
}

std::string_view relation_words(Relation relation) {
  switch (relation) {
    case Relation::less: return "is below";
    case Relation::at_most: return "is at most";
    case Relation::equal: return "is";
    case Relation::at_least: return "is at least";
    case Relation::greater: return "is above";
    case Relation::unequal: return "is not";
  }
  return "";
}

bool joins(const Condition& c) { return c.kind == Condition::Kind::all || c.kind == Condition::Kind::any; }

std::string sentence(const Condition& c);

std::string part_of(const Condition& part) { return joins(part) ? "(" + sentence(part) + ")" : sentence(part); }

std::string sentence(const Condition& c) {
  std::vector<std::string> parts;
  switch (c.kind) {
    case Condition::Kind::compare:
      for (std::size_t k = 0; k < c.relations.size(); ++k)
        parts.push_back(
            fmt::format("{} {} {}", linear(c.operands[k]), relation_words(c.relations[k]), linear(c.operands[k + 1])));
      return listed(parts, "and");
    case Condition::Kind::between:
      return fmt::format("{} is between {} and {}", linear(c.operands[0]), linear(c.operands[1]),
                         linear(c.operands[2]));
    case Condition::Kind::within: return fmt::format("{} is {}", name(c.items[0]), listed(c.words, "or"));
    case Condition::Kind::columns:
      if (c.words[0] == "any") return fmt::format("at least one of {} is there", listed(names(c.items), "and"));
      if (c.words[0] == "absent" || c.words[0] == "none")
        return fmt::format("none of {} is there", listed(names(c.items), "and"));
      return fmt::format("all of {} are there", listed(names(c.items), "and"));
    case Condition::Kind::missing: return name(c.items[0]) + " is missing";
    case Condition::Kind::name: return name(c.items[0]);
    case Condition::Kind::negation: {
      const Condition& part = c.parts[0];
      if (part.kind == Condition::Kind::missing) return name(part.items[0]) + " is known";
      if (part.kind == Condition::Kind::within)
        return fmt::format("{} is not {}", name(part.items[0]), listed(part.words, "or"));
      if (part.kind == Condition::Kind::name) return "not " + name(part.items[0]);
      return "it is not so that " + part_of(part);
    }
    case Condition::Kind::all:
    case Condition::Kind::any:
      for (const Condition& part : c.parts) parts.push_back(part_of(part));
      return listed(parts, c.kind == Condition::Kind::all ? "and" : "or");
    case Condition::Kind::at_least:
    case Condition::Kind::count: {
      for (const Condition& part : c.parts) parts.push_back(sentence(part));
      const std::string many = c.kind == Condition::Kind::at_least
                                   ? fmt::format("at least {}", c.count)
                                   : fmt::format("{}{}",
                                                 c.relations[0] == Relation::less       ? "fewer than "
                                                 : c.relations[0] == Relation::at_most  ? "at most "
                                                 : c.relations[0] == Relation::equal    ? "exactly "
                                                 : c.relations[0] == Relation::at_least ? "at least "
                                                 : c.relations[0] == Relation::greater  ? "more than "
                                                                                        : "not exactly ",
                                                 c.count);
      return fmt::format("{} of these are true: {}", many, joined(parts, "; "));
    }
    case Condition::Kind::more: return "the more " + name(c.items[0]);
    case Condition::Kind::less: return "the less " + name(c.items[0]);
  }
  return "";
}

struct Writer {
  std::string operator()(const ClassStatement& s) const {
    return fmt::format("{} means that the label is {}.", s.name, s.value);
  }
  std::string operator()(const DomainStatement& s) const {
    const std::string columns = listed(names(s.items), "and");
    if (std::isinf(s.low)) return fmt::format("{}: always at most {}.", columns, text_of(s.high, s.written));
    if (std::isinf(s.high)) return fmt::format("{}: always at least {}.", columns, text_of(s.low, s.written));
    return fmt::format("{}: always from {} to {}.", columns, text_of(s.low, s.written), text_of(s.high, s.written));
  }
  std::string operator()(const IntegerStatement& s) const {
    return fmt::format("{}: always a whole number.", listed(names(s.items), "and"));
  }
  std::string operator()(const DefineStatement& s) const {
    return fmt::format("{} means: {}.", s.name, sentence(s.condition));
  }
  std::string operator()(const RuleStatement& s) const {
    const std::string head = s.id.empty() ? "" : s.id + ": ";
    const std::string says =
        (s.consequent.negated ? "not " : "") + (s.consequent.number     ? sentence(*s.consequent.number)
                                                : s.consequent.sign > 0 ? "the positive class"
                                                : s.consequent.sign < 0 ? "the negative class"
                                                                        : s.consequent.name);
    std::string out = s.condition.direction()
                          ? fmt::format("{}{}, the more likely {}.", head, sentence(s.condition), says)
                          : fmt::format("{}if {}, then {}.", head, sentence(s.condition), says);
    if (s.id.empty()) out[0] = out[0] == 'i' ? 'I' : 'T';  // If, The
    if (s.sure) {
      out += fmt::format(" This is right in {} of 100 cases", format_number(std::round(s.sure->rate * 1e6) / 1e4));
      out += s.sure->rows ? fmt::format(", as if seen in {}.", format_number(*s.sure->rows)) : ".";
    }
    if (s.trust) out += fmt::format(" It has trust {}.", format_number(*s.trust));
    if (s.margin) out += fmt::format(" It has margin {}.", format_number(*s.margin));
    return out;
  }
};

}  // namespace

std::string rules_to_english(const RuleFile& file) {
  std::string out;
  for (const Statement& statement : file.statements) out += std::visit(Writer(), statement.what) + "\n";
  return out;
}

}  // namespace postil
