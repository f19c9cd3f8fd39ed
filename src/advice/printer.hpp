// Names and values as rules write them.
#pragma once

#include <string>
#include <string_view>

namespace postil {

std::string name_text(
    std::string_view name);  // of a column, a rule, a definition: in backquotes, unless it is a plain word
std::string word_text(std::string_view word);  // a category or class: bare, if that reads back as the same word

}  // namespace postil
