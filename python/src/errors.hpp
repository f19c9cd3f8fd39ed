// Errors of the library as exceptions of the package.
#pragma once

#include <string>

#include "postil/error.hpp"

namespace postil::python {

// What Python calls the options that the library's messages name: scale='standard'. Empty: it has no such option.
std::string python_words(const Option& option);

// From here on, what the library throws arrives as postil.Error with its parts as attributes.
void add_errors();

}  // namespace postil::python
