#include "line_translator.hpp"

#include "scan_number.hpp"

namespace postil {

void append_csv_text(std::string& csv, std::string_view text) {
  csv += '"';
  for (const char c : text) {
    if (c == '"') csv += '"';
    csv += c == '\n' ? ' ' : c;
  }
  csv += '"';
}

std::string_view translated(const LineTranslator& translator, std::string_view lines, std::string& csv) {
  csv.clear();
  translator.translate(lines, csv);
  const std::size_t size = csv.size();
  csv.append(kScanPadding, '\0');
  return {csv.data(), size};
}

}  // namespace postil
