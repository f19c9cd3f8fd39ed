#include "make_condition.hpp"

#include "lexer.hpp"
#include "postil/schema.hpp"
#include "postil/text.hpp"
#include "printer.hpp"

namespace postil {

namespace {

Term column_term(const std::string& name) {
  Term out;
  out.kind = Term::Kind::column;
  out.items = {{name, "", false, {}}};
  return out;
}

}  // namespace

Term number_term(double number, Kind written) {
  Term out;
  if (written == Kind::date) {
    out.kind = Term::Kind::date;
    out.text = format_date(number);
    return out;
  }
  if (written == Kind::percent) out.kind = Term::Kind::percent;
  out.coefficient = number;
  return out;
}

Term category_term(const std::string& category) {
  if (is_plain_name(category)) return column_term(category);
  Term out;
  out.kind = Term::Kind::text;
  out.text = category;
  return out;
}

Condition comparison(const std::string& column, Relation relation, Term with) {
  Condition out;
  out.kind = Condition::Kind::compare;
  out.operands = {{column_term(column)}, {std::move(with)}};
  out.relations = {relation};
  return out;
}

Consequent class_named(const std::string& name) {
  Consequent out;
  out.name = name;
  out.quoted = word_text(name) != name;
  return out;
}

}  // namespace postil
