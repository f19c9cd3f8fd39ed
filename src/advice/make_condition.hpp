// Conditions made by the program, as people would write them.
#pragma once

#include <string>

#include "postil/rules.hpp"

namespace postil {

Term number_term(double number, Kind written);    // as its column writes numbers: 126, 2024-03-01, 12.5%
Term category_term(const std::string& category);  // a bare word where that reads back as the same
Condition comparison(const std::string& column, Relation relation, Term with);
Consequent class_named(const std::string& name);

}  // namespace postil
