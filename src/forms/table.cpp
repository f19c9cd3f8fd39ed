// table.cpp: rules from a table, one comparison a line.
//
//   rule,column,operator,value,class,sure
//   risk,glucose,>=,126,diabetes,0.8
//   risk,bmi,>=,30,diabetes,
//
// Lines of one rule are joined by and; without that column each line is a rule. Columns may stand in any order.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "advice/printer.hpp"
#include "data/chunk.hpp"
#include "data/scan_number.hpp"
#include "forms.hpp"
#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::string_view kColumns[] = {"rule", "column", "operator", "value", "class", "sure", "trust"};

// The places of the columns in a heading, if it is one.
std::map<std::string, std::size_t> heading(const std::vector<std::string>& cells) {
  std::map<std::string, std::size_t> out;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::string name = lower_case(trimmed(cells[k]));
    if (std::find(std::begin(kColumns), std::end(kColumns), name) != std::end(kColumns)) out.emplace(name, k);
  }
  return out;
}

char delimiter_of(std::string_view line) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char delimiter : kDelimiters)
    if (const auto count = std::count(line.begin(), line.end(), delimiter); count > most) {
      most = count;
      best = delimiter;
    }
  return best;
}

std::string_view first_line(std::string_view text) { return text.substr(0, std::min(text.find('\n'), text.size())); }

// What the lines of a table say, by rule.
struct TableRule {
  std::string id, conditions, says, sure, trust;
  std::uint64_t line = 0;
};

class TableReader {
 public:
  TableReader(const std::string& text, const std::string& source) : source_(source), text_(text) {
    if (text_.find('\0') != std::string::npos) fail("found a NUL byte, expected text");
    if (!valid_utf8(text_)) fail("it is not valid UTF-8");
    if (!text_.ends_with('\n')) text_ += '\n';
    size_ = text_.size();
    text_.append(kScanPadding, '\0');
    delimiter_ = delimiter_of(first_line(text_));
  }

  RuleFile run() {
    CsvRecord record = next();
    if (!record.found) fail("the table is empty");
    places_ = heading(record.cells);
    for (const char* needed : {"column", "operator", "value", "class"})
      if (!places_.contains(needed))
        fail(
            fmt::format("there is no column {}; a table of rules has column, operator, value, class, and perhaps rule, "
                        "sure, trust",
                        in_quotes(needed)));
    const std::size_t width = record.cells.size();
    for (record = next(); record.found; record = next()) {
      if (record.cells.size() != width) fail(fmt::format("found {} cells, expected {}", record.cells.size(), width));
      take(record.cells);
    }
    std::string out;
    for (const TableRule& rule : rules_) {
      std::vector<std::string> options;
      if (!rule.sure.empty()) options.push_back("sure = " + rule.sure);
      if (!rule.trust.empty()) options.push_back("trust = " + rule.trust);
      std::string head = rule.id.empty() ? "" : name_text(rule.id);
      if (!options.empty()) head += fmt::format("{}[{}]", head.empty() ? "" : " ", joined(options));
      const std::string line =
          fmt::format("{}{}{} => {}\n", head, head.empty() ? "" : ": ", rule.conditions, rule.says);
      check(line, rule.line);
      out += line;
    }
    return rules_of(out, source_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { fail_in_form(source_, line_, message); }

  CsvRecord next() {
    try {
      CsvRecord record = first_csv_record(std::string_view(text_).substr(at_, size_ - at_), delimiter_);
      line_ = lines_ + record.line;
      lines_ += record.lines;
      at_ += record.end;
      return record;
    } catch (const Failure& failure) {
      line_ = lines_ + failure.place.line;
      fail(failure.message.plain());
    }
  }

  [[nodiscard]] std::string cell(const std::vector<std::string>& cells, const char* name) const {
    const auto found = places_.find(name);
    if (found == places_.end()) return "";
    const std::string_view text = trimmed(cells[found->second]);
    if (text.find_first_of("\r\n") != std::string_view::npos) fail("a cell goes over several lines");
    return std::string(text);
  }

  void take(const std::vector<std::string>& cells) {
    const std::string id = cell(cells, "rule"), name = cell(cells, "class");
    const std::string says = (name.starts_with("not ") ? "not " : "") +
                             class_text(name.starts_with("not ") ? trimmed(name.substr(4)) : name);
    if (name.empty()) fail("the class is missing");
    const std::size_t number = id.empty() ? rules_.size() : places_of_.try_emplace(id, rules_.size()).first->second;
    if (number == rules_.size()) rules_.push_back({id, "", says, "", "", line_});
    TableRule& rule = rules_[number];
    if (rule.says != says) fail(fmt::format("rule {} is about two classes", in_quotes(id)));
    rule.conditions += (rule.conditions.empty() ? "" : " and ") + comparison(cells);
    for (const char* option : {"sure", "trust"}) {
      std::string& to = option[0] == 's' ? rule.sure : rule.trust;
      const std::string given = cell(cells, option);
      if (!given.empty() && !to.empty() && given != to)
        fail(fmt::format("rule {} has two of {}", in_quotes(id), option));
      if (!given.empty()) to = given;
    }
  }

  [[nodiscard]] std::string comparison(const std::vector<std::string>& cells) const {
    const std::string column = cell(cells, "column"), sign = lower_case(cell(cells, "operator")),
                      value = cell(cells, "value");
    if (column.empty()) fail("the column is missing");
    const std::string name = name_text(column);
    if (sign == "is missing" || sign == "is null") return name + " is missing";
    if (sign == "is known" || sign == "is not null") return name + " is known";
    if (value.empty()) fail("the value is missing");
    if (sign == "in" || sign == "not in") {
      std::string list;
      for (const std::string& part :
           split(value.starts_with('{') ? value.substr(1, value.find('}') - 1) : value, delimiter_ == ',' ? '|' : ','))
        list += (list.empty() ? "" : ", ") + number_or_word(std::string(trimmed(part)));
      return fmt::format("{} {} {{{}}}", name, sign, list);
    }
    static const std::map<std::string, std::string> signs{
        {"<", "<"}, {"<=", "<="}, {"=<", "<="}, {"=", "="},       {"==", "="}, {"is", "="}, {">=", ">="}, {"=>", ">="},
        {">", ">"}, {"!=", "!="}, {"<>", "!="}, {"is not", "!="}, {"≤", "<="}, {"≥", ">="}, {"≠", "!="}};
    const auto found = signs.find(sign);
    if (found == signs.end())
      fail(fmt::format("found operator {}, expected <, <=, =, >=, >, !=, in, not in, is missing or is known",
                       in_quotes(sign)));
    return fmt::format("{} {} {}", name, found->second, number_or_word(value));
  }

  // Numbers, percentages and dates as they are, all else as a category.
  static std::string number_or_word(const std::string& value) {
    if (const std::optional<double> number = parse_grouped(value)) return format_number(*number);
    if (const std::optional<double> days = parse_date(value)) return format_date(*days);
    if (parse_number(value) || parse_percent(value)) return value;
    return word_text(value);
  }

  // A line of rules that is none is a mistake of its line in the table.
  void check(const std::string& text, std::uint64_t line) {
    const ParsedRules parsed = parse_rules(text, source_);
    if (parsed.problems.empty()) return;
    line_ = line;
    fail(parsed.problems[0].message.plain());
  }

  const std::string& source_;
  std::string text_;
  std::size_t at_ = 0, size_ = 0;
  std::uint64_t line_ = 0, lines_ = 0;
  char delimiter_ = ',';
  std::map<std::string, std::size_t> places_;  // of the columns
  std::vector<TableRule> rules_;
  std::map<std::string, std::size_t> places_of_;  // by id
};

}  // namespace

bool looks_like_table(std::string_view text) {
  const std::string_view line = first_line(text);
  std::map<std::string, std::size_t> found =
      heading(split(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line, delimiter_of(line)));
  return found.contains("column") && found.contains("operator");
}

RuleFile rules_from_table(const std::string& text, const std::string& source) {
  return TableReader(text, source).run();
}

}  // namespace postil
