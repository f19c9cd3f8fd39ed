// Reading decimal numbers: the careful form for single texts. The fast form for data files is data/scan_number.hpp.
#pragma once

#include <optional>
#include <string_view>

namespace postil {

// The double nearest to a decimal number: [+-] digits [. digits] [e [+-] digits]. Nothing else: no hexadecimal, no
// infinities, no spaces; a number too large for a double is none. A number too small for a double is 0.
std::optional<double> parse_number(std::string_view text);

// Text that means "not a number" or infinity in any usual spelling, or a decimal number beyond the largest double.
bool is_not_finite(std::string_view text);

}  // namespace postil
