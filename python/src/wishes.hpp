// What Python asks of a model that is to be made, and the rules it is given.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "postil/postil.hpp"

namespace nb = nanobind;

namespace postil::python {

struct Wishes {
  Recipe recipe;
  ColumnWishes columns;
};
Wishes wishes_of(const nb::dict& from);

RuleFile rules_of(const std::string& text, const std::string& source);  // throws ParseError
void add_rules(nb::module_& m);                                         // rules.cpp

}  // namespace postil::python
