// What a data file holds, as text and as JSON.
#include "postil/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "postil/json.hpp"
#include "postil/report.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::size_t kShownValues = 4;

std::string_view word(InspectedColumn::Role role) {
  constexpr std::string_view kWords[] = {"feature", "label", "weight", "ignored", "left out"};
  return kWords[static_cast<std::size_t>(role)];
}
std::string_view kind_word(const InspectedColumn& column) {
  return column.kind == Kind::categorical ? "text" : word(column.kind);
}

std::string name_of(char delimiter) { return delimiter == '\t' ? "tabs" : fmt::format("'{}'", delimiter); }

std::string way_of(const Inspection& inspection) {
  switch (inspection.format) {
    case Format::libsvm: return "LIBSVM text";
    case Format::jsonl: return "JSON lines";
    case Format::arff: return "ARFF";
    default: return fmt::format("cells separated by {}", name_of(inspection.delimiter));
  }
}

std::string counted(const std::vector<std::pair<std::string, std::uint64_t>>& values, std::size_t most,
                    std::uint64_t others, std::uint64_t total) {
  std::vector<std::string> parts;
  for (const auto& [text, count] : values) {
    if (parts.size() == most) break;
    parts.push_back(total == 0 ? fmt::format("{} {}", shown(text), count)
                               : fmt::format("{} {} ({:.3g} %)", shown(text), count,
                                             100 * static_cast<double>(count) / static_cast<double>(total)));
  }
  if (others > parts.size()) parts.push_back(fmt::format("{} more", others - parts.size()));
  return joined(parts);
}

std::string values_of(const InspectedColumn& column) {
  if (column.kind == Kind::categorical) return counted(column.values, kShownValues, column.distinct, 0);
  if (column.numbers.count == 0) return "";
  if (column.kind == Kind::binary) return fmt::format("0 or 1, {:.3g} % are 1", 100 * column.numbers.mean);
  const auto shown_number = [&](double value) {
    return column.kind == Kind::date      ? text_of(value, Kind::date)
           : column.kind == Kind::percent ? fmt::format("{:.6g}%", value)
                                          : fmt::format("{:.6g}", value);
  };
  const std::string range =
      fmt::format("{} to {}", shown_number(column.numbers.low), shown_number(column.numbers.high));
  return column.kind == Kind::date ? range : fmt::format("{}, mean {}", range, shown_number(column.numbers.mean));
}

std::uint64_t labelled(const Inspection& inspection) {
  std::uint64_t total = 0;
  for (const auto& [name, count] : inspection.classes) total += count;
  return total;
}

}  // namespace

std::string inspection_text(const Inspection& inspection, const Words& words) {
  const bool named = has_names(inspection.format);
  std::string out = fmt::format("{}: {}, {}{} rows", inspection.source, way_of(inspection),
                                inspection.complete ? "" : "the first ", inspection.rows);
  if (named)
    out += fmt::format(", {} columns{}\n\n", inspection.columns.size(), inspection.header ? "" : " without names");
  else
    out += fmt::format(
        ", features up to number {}, {:.3g} values in a row\n", inspection.features,
        static_cast<double>(inspection.nonzeros) / static_cast<double>(std::max<std::uint64_t>(1, inspection.rows)));
  std::vector<std::vector<std::string>> lines{{"  column", "used as", "holds", "missing", "values"}};
  for (const InspectedColumn& column : inspection.columns) {
    const bool label = column.role == InspectedColumn::Role::label;
    lines.push_back({"  " + shown(column.name), std::string(word(column.role)), std::string(kind_word(column)),
                     fmt::format("{}", column.missing),
                     label && !inspection.numeric_label
                         ? counted(inspection.classes, kShownValues, inspection.classes.size(), labelled(inspection))
                         : values_of(column)});
  }
  if (named) out += aligned(lines, "<<<><");
  if (!named)
    out += fmt::format("Labels: {}\n",
                       counted(inspection.classes, kShownValues, inspection.classes.size(), labelled(inspection)));
  if (named && !inspection.label.empty() && !inspection.label_by_name)
    out += Text(fmt::format("\nThe label is the last column, {}; ", in_quotes(inspection.label)), Option{"label"},
                " names another.\n")
               .plain(words);
  for (std::size_t k = 0; k < inspection.remarks.size(); ++k) {
    const Remark& remark = inspection.remarks[k];
    out += fmt::format("{}{}{}\n", k == 0 ? "\n" : "", remark.column.empty() ? "" : shown(remark.column) + ": ",
                       remark.text.plain(words));
  }
  return out;
}

std::string inspection_json(const Inspection& inspection, const Words& words) {
  const auto counts = [](const std::vector<std::pair<std::string, std::uint64_t>>& list) {
    Json out = Json::array();
    for (const auto& [text, count] : list) out.push_back({{"value", text}, {"rows", count}});
    return out;
  };
  Json columns = Json::array();
  for (const InspectedColumn& column : inspection.columns) {
    const bool numbers = column.numbers.count > 0 && column.kind != Kind::categorical;
    columns.push_back({{"name", column.name},
                       {"role", word(column.role)},
                       {"kind", word(column.kind)},
                       {"missing", column.missing},
                       {"distinct", column.distinct},
                       {"low", numbers ? Json(column.numbers.low) : Json()},
                       {"high", numbers ? Json(column.numbers.high) : Json()},
                       {"mean", numbers ? Json(column.numbers.mean) : Json()},
                       {"values", counts(column.values)}});
  }
  Json remarks = Json::array();
  for (const Remark& remark : inspection.remarks)
    remarks.push_back(
        {{"column", remark.column.empty() ? Json() : Json(remark.column)}, {"text", remark.text.plain(words)}});
  const bool csv = inspection.format == Format::csv;
  Json out{{"file", inspection.source},
           {"format", word(inspection.format)},
           {"delimiter", csv ? Json(std::string(1, inspection.delimiter)) : Json()},
           {"header", csv ? Json(inspection.header) : Json()},
           {"decimal", csv ? Json(inspection.decimal_comma ? "comma" : "point") : Json()},
           {"rows", inspection.rows},
           {"complete", inspection.complete},
           {"features", has_names(inspection.format) ? Json() : Json(inspection.features)},
           {"label",
            {{"name", inspection.label.empty() ? Json() : Json(inspection.label)},
             {"by_name", inspection.label_by_name},
             {"numeric", inspection.numeric_label},
             {"classes", counts(inspection.numeric_label ? decltype(inspection.classes)() : inspection.classes)}}},
           {"columns", columns},
           {"remarks", remarks}};
  return out.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace postil
