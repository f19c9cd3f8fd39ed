// Small things done with text and the numbers in it, for messages and files.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace postil {

std::string format_number(double value);  // the shortest text that reads back as the same double
bool valid_utf8(std::string_view text);
// A table in columns; `align`: per column '<' or '>'.
std::string aligned(const std::vector<std::vector<std::string>>& lines, std::string_view align);
std::string percent(double share);              // 12.5%, and - for NaN
std::string shown(std::string_view text);       // for a message: at most 40 bytes, odd bytes as \xNN
std::string in_quotes(std::string_view text);   // the same, as 'text'
std::string lower_case(std::string_view text);  // ASCII
std::string joined(std::span<const std::string> items, std::string_view separator = ", ");
std::vector<std::string> split(std::string_view text, char separator);
std::string_view trimmed(std::string_view text);  // without spaces and tabs at either end

constexpr std::size_t kMostNamesShown = 40;

// The known name that is nearest to a mistyped one, or empty if none is near.
std::string nearest_name(std::string_view name, std::span<const std::string> known);
// "did you mean 'x'?" or, when nothing is near and the list is short, "known: a, b, c"; may be empty.
std::string did_you_mean(std::string_view name, std::span<const std::string> known);
std::string suggestion(std::string_view name, std::span<const std::string> known);  // the same behind "; "

// ---- numbers: the careful form for single texts; the fast form for data files is data/scan_number.hpp ----

// The double nearest to a decimal number: [+-] digits [. digits] [e [+-] digits]. Nothing else: no hexadecimal, no
// infinities, no spaces; a number too large for a double is none. A number too small for a double is 0.
std::optional<double> parse_number(std::string_view text);

// ---- numbers that are written as something else ----

// Days since 1970-01-01: 2024-03-01, or with a time behind T or a space: 12:30, 12:30:59, 12:30:59.25; Z may follow. Years 1 to
// 9999.
std::optional<double> parse_date(std::string_view text);
std::string format_date(double days);                        // reads back as the same, to a millisecond
std::optional<double> parse_percent(std::string_view text);  // 12.5%: the number before the sign
std::optional<double> parse_grouped(std::string_view text);  // 1,234,567.8

std::optional<double> parse_money(std::string_view text);  // $1,234.50, 45 €: the number
// A number with a decimal comma as one with a decimal point: 1.234,5 is 1234.5; what stands before and behind it stays.
std::optional<std::string> with_decimal_point(std::string_view text);

// N/A, null, nan, -, . and their like, in any case: no value, where the rest of a column are numbers.
bool means_missing(std::string_view text);

// Text that means "not a number" or infinity in any usual spelling, or a decimal number beyond the largest double.
bool is_not_finite(std::string_view text);

}  // namespace postil
