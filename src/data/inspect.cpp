// inspect.cpp: what a data file holds, cell by cell, before anything is learned from it.
#include "postil/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "chunker.hpp"
#include "core/failures.hpp"
#include "layout.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::size_t kMostTexts = 1000;    // counted one by one in a column
constexpr std::size_t kShownTexts = 8;      // of them
constexpr std::size_t kNamesFrom = 20;      // so many different texts may be names of rows, ...
constexpr double kNamesShare = 0.5;         // ... if they are this share of the rows
constexpr std::uint64_t kManyNumbers = 20;  // labels of so many different numbers are no classes
constexpr double kRareClass = 0.05;

using As = InspectedColumn::Role;
using Counted = std::vector<std::pair<std::string, std::uint64_t>>;

std::string of_rows(std::uint64_t count) { return fmt::format("{} {}", count, count == 1 ? "row" : "rows"); }

// "3 mg" -> "mg": what stands behind a number. Empty: no such text.
std::string_view unit_of(std::string_view text, char decimal) {
  std::size_t end = 0;
  while (end < text.size() && (text[end] == decimal || text[end] == '-' || (text[end] >= '0' && text[end] <= '9')))
    ++end;
  const std::string_view unit = trimmed(text.substr(end));
  const auto odd = [](char c) {
    return (c >= '0' && c <= '9') || c == ',' || c == ';' || c == ':' || c == '/' || c == '.';
  };
  if (end == 0 || unit.empty() || unit.size() > 8 || std::any_of(unit.begin(), unit.end(), odd)) return {};
  return parse_number(text.substr(0, end)) || decimal == ',' ? unit : std::string_view();
}

// 31/12/2024, 31.12.24, 12-31-2024
bool looks_like_other_date(std::string_view text) {
  const std::size_t first = text.find_first_of("/.-");
  if (first == std::string_view::npos || first == 0 || first > 4) return false;
  const std::size_t second = text.find(text[first], first + 1);
  if (second == std::string_view::npos || second - first < 2 || second - first > 4) return false;
  const std::string_view day = text.substr(0, first), year = text.substr(second + 1, 4);
  const auto digits = [](std::string_view part) {
    return part.find_first_not_of("0123456789 :") == std::string_view::npos;
  };
  return digits(day) && !year.empty() && digits(year);
}

std::string counted(std::uint64_t count, const char* one, const char* several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

// Ways of writing a number or a time that are read as texts.
struct Form {
  std::string_view what, remedy;
  bool (*is_written_so)(std::string_view text);
};

// 1 234 567,8: groups of three digits behind a mark, which may have several bytes.
bool is_grouped_by(std::string_view text, std::initializer_list<std::string_view> marks) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const auto digits = [&] { return std::min(text.find_first_not_of("0123456789"), text.size()); };
  const std::size_t first = digits();
  if (first == 0 || first > 3) return false;
  text.remove_prefix(first);
  bool grouped = false;
  for (;;) {
    const auto mark =
        std::find_if(marks.begin(), marks.end(), [&](std::string_view known) { return text.starts_with(known); });
    if (mark == marks.end()) break;
    text.remove_prefix(mark->size());
    if (digits() != 3) return false;
    text.remove_prefix(3);
    grouped = true;
  }
  if (text.starts_with('.') || text.starts_with(',')) text.remove_prefix(1);
  return grouped && digits() == text.size();
}

bool is_time_of_day(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == 0 || colon > 2 || text.size() < colon + 3 || text.size() > colon + 6) return false;
  for (std::size_t k = 0; k < text.size(); ++k)
    if (k == colon || k == colon + 3 ? text[k] != ':' : text[k] < '0' || text[k] > '9') return false;
  return text.size() != colon + 4 && text.size() != colon + 5;
}

constexpr Form kForms[] = {
    {"numbers with spaces", "remove the spaces to read them as numbers",
     [](std::string_view text) {
       return is_grouped_by(text, {" ", "\u00a0", "\u202f", "\u2009"});
     }},
    {"numbers with apostrophes", "remove the apostrophes to read them as numbers",
     [](std::string_view text) {
       return is_grouped_by(text, {"'", "\u2019"});
     }},
    {"times of day", "write the time as a number, 12.5 for 12:30, to read them as numbers", is_time_of_day}};

// 45,231: a number whose comma may separate thousands.
bool may_be_thousands(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  const std::size_t first = cell.find_first_of("123456789");
  return comma != std::string_view::npos && first < comma && comma - first <= 3 && cell.size() - comma == 4 &&
         cell.find_first_not_of("0123456789", comma + 1) == std::string_view::npos;
}

bool named_like_an_identifier(const std::string& name) {
  const std::string lower = lower_case(name);
  return lower == "id" || lower == "index" || lower == "row" || lower == "nr" || lower == "no" || lower == "uuid" ||
         lower.ends_with("_id") || lower.ends_with(" id") || lower.ends_with("_nr") || lower.ends_with("_no") ||
         lower.ends_with("number") || lower.starts_with("unnamed") || lower.starts_with("id_") ||
         (name.size() > 2 && name.ends_with("Id")) || (name.size() > 2 && name.ends_with("ID"));
}

// All cells of one column.
class CellCounts {
 public:
  CellCounts(const CsvColumn& column, const CsvFormat& format, bool wished)
      : column_(column), format_(format), wished_(wished) {}

  // Whether it is a value.
  bool add(std::string_view cell, std::uint64_t line) {
    const auto [kind, value] = read(cell);
    if (is_missing(cell, value)) {
      ++missing_;
      return false;
    }
    if (!value && means_missing(cell) && !(is_class() && cell != "NA" && lower_case(cell) != "nan")) {
      ++words_[std::string(cell)];
      return true;
    }
    if (!value && is_not_finite(cell)) {
      if (not_finite_ == 0) first_not_finite_ = {std::string(cell), line};
      if (not_finite_texts_.size() < kShownTexts) not_finite_texts_.emplace(cell);
      ++not_finite_;
      return true;
    }
    if (distinct_.size() < kInspectedRows) distinct_.insert(std::hash<std::string_view>()(cell));
    if (value)
      add_number(cell, kind, *value, line);
    else
      add_text(cell, line);
    return true;
  }

  // What the reader makes of the column, and what a person should know of it.
  void finish(std::uint64_t rows, InspectedColumn& out, std::vector<Remark>& remarks) {
    const auto say = [&](const Text& text) { remarks.push_back({out.name, text}); };
    const std::uint64_t in_words = total_of_words();
    const std::uint64_t numbers = numbers_.count;
    out.missing = missing_ + (numbers > 0 || texts_ == 0 ? in_words : exactly_na());
    out.distinct = distinct_.size();
    out.numbers = numbers_;
    out.values = most_frequent();
    const bool mixed = kinds() > 1;
    if (texts_ > 0 || column_.type == TableColumn::Type::text)
      out.kind = Kind::categorical;
    else if (of_kind_[static_cast<std::size_t>(Kind::date)] == numbers)
      out.kind = numbers > 0 ? Kind::date : Kind::number;
    else if (of_kind_[static_cast<std::size_t>(Kind::percent)] == numbers)
      out.kind = Kind::percent;
    else
      out.kind = !whole_ ? Kind::number : numbers_.low >= 0 && numbers_.high <= 1 ? Kind::binary : Kind::integer;
    if (not_finite_ > 0) say_what_is_not_finite(out, say);
    if (numbers + texts_ == 0) {
      if (not_finite_ == 0) say("no row has a value");
      return;
    }
    if (texts_ == 0 && in_words > 0)
      say(fmt::format("{} {} as missing ({})", joined_words(), words_.size() == 1 ? "counts" : "count",
                      of_rows(in_words)));
    if (texts_ > 0 && in_words > exactly_na()) say_which_words_are_categories(out, in_words - exactly_na(), say);
    if (mixed) say_what_is_mixed(out, say);
    for (const auto& [way, example] : written_)
      say(fmt::format("'{}' is read as {}", example, format_number(*number(example).second)));
    if (thousands_ > 1 && thousands_ == with_comma_)
      say(fmt::format(
          "all numbers with a comma have three digits behind it; '{}' is read as {}, and if the comma separates "
          "thousands, remove it",
          thousands_example_, format_number(*number(thousands_example_).second)));
    if (out.role == As::label) return;
    if (!mixed && texts_ > 0) say_of_texts(rows, out, say);
    if (out.role == As::left_out) return;
    if (!mixed && numbers > 1 && texts_ == 0 && out.distinct == numbers && whole_ && out.kind == Kind::integer &&
        (named_like_an_identifier(out.name) ? out.distinct > 10 : runs_ && out.distinct > kNamesFrom)) {
      leave_out(out, say, "every row has another number, which tells rows apart and nothing else");
    } else if (out.distinct == 1 && rows > 1 && out.missing == 0) {
      say(fmt::format("the same in every row, {}", in_quotes(texts_ > 0 ? counts_.begin()->first : first_number_)));
    }
  }

  [[nodiscard]] bool many_numbers() const {
    return texts_ == 0 && (distinct_.size() > kManyNumbers || (!whole_ && distinct_.size() > 2));
  }
  [[nodiscard]] Counted all() const {
    Counted out(counts_.begin(), counts_.end());
    return by_frequency(std::move(out));
  }
  void add_label(std::string_view cell, std::uint64_t line) {
    if (!add(cell, line)) return;
    if (parse_number(cell) && counts_.size() < kMostTexts) ++counts_[format_number(*parse_number(cell))];
  }

 private:
  static constexpr std::size_t kKinds = 6;
  struct First {
    std::string cell;
    std::uint64_t line = 0;
  };

  // What the reader takes the cell for.
  [[nodiscard]] std::pair<Kind, std::optional<double>> read(std::string_view cell) const {
    if (column_.type == TableColumn::Type::text) return {Kind::categorical, std::nullopt};
    return number(cell);
  }
  [[nodiscard]] bool is_missing(std::string_view cell, std::optional<double> value) const {
    const auto among = [](const auto& list, const auto& wanted) {
      return std::find(list.begin(), list.end(), wanted) != list.end();
    };
    return cell.empty() || cell == "?" || among(column_.missing_texts, cell) ||
           (value && among(column_.missing_numbers, *value));
  }

  void add_number(std::string_view cell, Kind kind, double value, std::uint64_t line) {
    const auto place = static_cast<std::size_t>(kind);
    if (of_kind_[place]++ == 0) first_[place] = {std::string(cell), line};
    if (numbers_.count > 0) runs_ &= value == last_ + 1;
    numbers_.add(value);
    last_ = value;
    whole_ &= value == std::floor(value);
    if (first_number_.empty()) first_number_ = std::string(cell);
    if (kind != Kind::number) return;
    if (!parse_number(format_.decimal_comma ? with_decimal_point(cell).value_or("") : std::string(cell)))
      written_.emplace(parse_money(cell) ? "money" : "groups", cell);
    if (!format_.decimal_comma || cell.find(',') == std::string_view::npos) return;
    ++with_comma_;
    if (may_be_thousands(cell) && thousands_++ == 0) thousands_example_ = std::string(cell);
  }

  void add_text(std::string_view cell, std::uint64_t line) {
    if (texts_ == 0) first_text_ = {std::string(cell), line};
    ++texts_;
    const std::string_view unit = unit_of(cell, format_.decimal_comma ? ',' : '.');
    with_unit_ += !unit.empty() && (texts_ == 1 || unit == unit_);
    if (texts_ == 1) unit_ = std::string(unit);
    other_dates_ += looks_like_other_date(cell);
    for (std::size_t k = 0; k < std::size(kForms); ++k) of_form_[k] += kForms[k].is_written_so(cell);
    if (const auto found = counts_.find(std::string(cell)); found != counts_.end())
      ++found->second;
    else if (counts_.size() < kMostTexts)
      counts_.emplace(cell, 1);
  }

  // In how many ways cells are written that the reader does not take together.
  [[nodiscard]] std::ptrdiff_t kinds() const {
    return std::count_if(std::begin(of_kind_), std::end(of_kind_), [](std::uint64_t count) { return count > 0; }) +
           (texts_ > 0 ? 1 : 0);
  }
  // Of all texts; null: none.
  [[nodiscard]] const Form* form() const {
    for (std::size_t k = 0; k < std::size(kForms); ++k)
      if (texts_ > 0 && of_form_[k] == texts_) return &kForms[k];
    return nullptr;
  }

  // Among labels of classes "-" is one like any other.
  [[nodiscard]] bool is_class() const {
    return column_.role == CsvColumn::Role::label && format_.label_use == LabelUse::classes;
  }
  static Counted by_frequency(Counted counts) {
    std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    return counts;
  }
  [[nodiscard]] Counted most_frequent() const {
    Counted out = all();
    if (out.size() > kShownTexts) out.resize(kShownTexts);
    return out;
  }

  [[nodiscard]] std::pair<Kind, std::optional<double>> number(std::string_view cell) const {
    std::string plain(cell);
    if (format_.decimal_comma && cell.find_first_of(".,") != std::string_view::npos) {
      const std::optional<std::string> with_point = with_decimal_point(cell);
      if (!with_point) return {Kind::date, parse_date(cell)};
      plain = *with_point;
    }
    if (const auto value = parse_number(plain)) return {Kind::number, value};
    if (const auto value = parse_date(plain)) return {Kind::date, value};
    if (const auto value = parse_percent(plain)) return {Kind::percent, value};
    if (const auto value = parse_money(plain)) return {Kind::number, value};
    return {Kind::number, format_.delimiter == ',' ? parse_grouped(plain) : std::nullopt};
  }
  [[nodiscard]] std::uint64_t total_of_words() const {
    std::uint64_t total = 0;
    for (const auto& [word, count] : words_) total += count;
    return total;
  }
  [[nodiscard]] std::uint64_t exactly_na() const {  // missing among texts too
    std::uint64_t total = 0;
    for (const auto& [word, count] : words_)
      if (word == "NA" || lower_case(word) == "nan") total += count;
    return total;
  }
  [[nodiscard]] std::string joined_words() const {
    std::vector<std::string> words;
    for (const auto& [word, count] : words_) words.push_back(in_quotes(word));
    return joined(words, " and ");
  }

  // "--na x=inf makes it missing"
  static Text made_missing(const InspectedColumn& out, const std::vector<std::string>& cells) {
    Text text;
    for (const std::string& cell : cells) text += Text(cell == cells[0] ? "" : " and ", Option{"na", out.name, cell});
    text += cells.size() == 1 ? " makes it missing" : " make them missing";
    return text;
  }

  template <class Say>
  void say_what_is_not_finite(const InspectedColumn& out, const Say& say) const {
    say(Text(fmt::format("{}, such as {} (line {}), which {} refused; ",
                         counted(not_finite_, "value that is not finite", "values that are not finite"),
                         in_quotes(first_not_finite_.cell), first_not_finite_.line, not_finite_ == 1 ? "is" : "are"),
             made_missing(out, {not_finite_texts_.begin(), not_finite_texts_.end()})));
  }

  template <class Say>
  void say_which_words_are_categories(const InspectedColumn& out, std::uint64_t rows, const Say& say) const {
    std::vector<std::string> words, quoted;
    for (const auto& [word, count] : words_)
      if (word != "NA" && lower_case(word) != "nan") {
        words.push_back(word);
        quoted.push_back(in_quotes(word));
      }
    say(Text(fmt::format("{} {} like any other ({}); ", joined(quoted, " and "),
                         words.size() == 1 ? "is a category" : "are categories", of_rows(rows)),
             made_missing(out, words)));
  }

  template <class Say>
  void say_what_is_mixed(const InspectedColumn& out, const Say& say) const {
    struct Words {
      Kind kind;
      const char *one, *several;
    };
    constexpr Words kWords[] = {{Kind::number, "number", "numbers"},
                                {Kind::date, "date", "dates"},
                                {Kind::percent, "percentage", "percentages"}};
    const auto such_as = [](const First& first) {
      return fmt::format(", such as {} (line {})", in_quotes(first.cell), first.line);
    };
    std::vector<std::string> parts;
    for (const Words& words : kWords) {
      const auto place = static_cast<std::size_t>(words.kind);
      if (of_kind_[place] == 0) continue;
      parts.push_back(counted(of_kind_[place], words.one, words.several));
      if (words.kind != Kind::number || texts_ == 0) parts.back() += such_as(first_[place]);
    }
    const Counted texts = all();
    if (texts_ > 0) parts.push_back(counted(texts_, "text", "texts") + such_as(first_text_));
    Text text(joined(parts, " and "), "; ");
    if (const Form* written = form())
      text += Text(written->remedy, ", ");
    else if (texts_ > 0 && other_dates_ == texts_)
      text += "write them as 2024-03-01 to read them as dates, ";
    else if (texts.size() == 1)
      text += Text(made_missing(out, {texts[0].first}), ", ");
    text += Text(Option{"kind", out.name, "categorical"}, " reads all as text");
    say(text);
  }

  template <class Say>
  void say_of_texts(std::uint64_t rows, InspectedColumn& out, const Say& say) const {
    if (with_unit_ == texts_ && !unit_.empty() && out.distinct > 2)
      say(Text(
          fmt::format("numbers with the unit {} are read as {} categories; remove the unit to read them as numbers",
                      in_quotes(unit_), out.distinct)));
    if (const Form* written = form())
      say(fmt::format("{} are read as {} categories; {}", written->what, out.distinct, written->remedy));
    const bool dates = other_dates_ == texts_;
    if (dates)
      say(fmt::format("dates in this form are read as {} categories; as 2024-03-01 they are dates", out.distinct));
    if (wished_) return;
    if (out.distinct > kNamesFrom &&
        static_cast<double>(out.distinct) > kNamesShare * static_cast<double>(rows - out.missing)) {
      leave_out(out, say, fmt::format("{} different texts stand in {}", out.distinct, of_rows(rows)));
      return;
    }
    std::map<std::string, std::string> spellings;
    for (const auto& [text, count] : all())
      if (const auto [other, is_new] = spellings.emplace(lower_case(text), text); !is_new)
        say(fmt::format("{} and {} are two categories", in_quotes(other->second), in_quotes(text)));
  }

  template <class Say>
  static void leave_out(InspectedColumn& out, const Say& say, const std::string& why) {
    say(Text("left out, since ", why, "; ", Option{"kind", out.name, std::string(word(out.kind))}, " keeps it"));
    out.role = As::left_out;
  }

  const CsvColumn& column_;
  const CsvFormat& format_;
  const bool wished_;  // the user has said what it is
  std::uint64_t missing_ = 0, texts_ = 0, with_unit_ = 0, other_dates_ = 0;
  First first_text_;
  std::map<std::string, std::uint64_t> words_;  // that mean "missing"
  std::unordered_set<std::size_t> distinct_;
  std::uint64_t of_kind_[kKinds] = {};
  First first_[kKinds];  // of each kind
  std::uint64_t of_form_[std::size(kForms)] = {};
  std::uint64_t not_finite_ = 0;
  std::set<std::string> not_finite_texts_;
  First first_not_finite_;
  std::uint64_t with_comma_ = 0, thousands_ = 0;  // numbers with a decimal comma; those of the form 45,231
  std::string thousands_example_;
  Moments numbers_;
  double last_ = 0;
  bool whole_ = true, runs_ = true;  // runs: each number is one more than that before
  std::string first_number_, unit_;
  std::map<std::string, std::string> written_;  // way of writing -> an example
  std::unordered_map<std::string, std::uint64_t> counts_;
};

class CsvInspector {
  // What reads a piece of text, whose lines are counted from 1.
  template <class Read>
  auto in_file(const Read& read) const {
    try {
      return read();
    } catch (Failure& failure) {
      failure.place.line += line_;
      throw;
    }
  }

 public:
  CsvInspector(Chunker& chunker, const Layout& layout, const ReadOptions& options, std::uint64_t most)
      : chunker_(chunker), layout_(layout), options_(options), most_(most), line_(layout.lines_read) {
    for (const CsvColumn& column : csv_.columns) counts_.emplace_back(column, csv_, wished(column));
  }

  void run(Inspection& out) {
    Array<char> text;
    std::string csv;
    const auto complete = [&](std::string_view part) {
      return layout_.translator ? complete_lines(part) : complete_csv_records(part, csv_.delimiter);
    };
    while (out.rows < most_) {
      const std::size_t size = chunker_.next(text, complete);
      if (size == 0) break;
      if (size == Chunker::kTooLong) throw too_long();
      std::string_view rest(text.data(), size);
      rest = in_file([&] {
        if (const auto nul = find_nul(rest)) throw Failure(*nul);
        return layout_.translator ? translated(*layout_.translator, rest, csv) : rest;
      });
      out.complete = add_records(rest, out) && chunker_.empty();
    }
    if (out.rows < most_) out.complete = true;
    finish(out);
  }

 private:
  [[nodiscard]] bool wished(const CsvColumn& column) const { return options_.wishes.kinds.contains(column.name); }

  // Whether all of them were wanted.
  bool add_records(std::string_view rest, Inspection& out) {
    while (!rest.empty() && out.rows < most_) {
      const CsvRecord record = in_file([&] { return first_csv_record(rest, csv_.delimiter); });
      if (!record.found) {
        line_ += record.lines;
        return true;
      }
      if (record.cells.size() != counts_.size())
        throw Failure{.code = Code::wrong_count,
                      .place = {"", line_ + record.line, 0},
                      .subject = {"row"},
                      .message = fmt::format("found {} cells, expected {}", record.cells.size(), counts_.size()),
                      .found = fmt::format("{} cells", record.cells.size()),
                      .expected = fmt::format("{} cells", counts_.size())};
      for (std::size_t c = 0; c < counts_.size(); ++c) {
        if (csv_.columns[c].role == CsvColumn::Role::label)
          counts_[c].add_label(record.cells[c], line_ + record.line);
        else
          counts_[c].add(record.cells[c], line_ + record.line);
      }
      ++out.rows;
      line_ += record.lines;
      rest.remove_prefix(record.end);
    }
    return rest.empty();
  }

  void finish(Inspection& out) {
    for (std::size_t c = 0; c < counts_.size(); ++c) {
      const CsvColumn& column = csv_.columns[c];
      InspectedColumn& to = out.columns.emplace_back();
      to.name = column.name;
      to.role = column.role == CsvColumn::Role::label  ? As::label
                : column.name == options_.weight       ? As::weight
                : column.role == CsvColumn::Role::skip ? As::ignored
                                                       : As::feature;
      if (to.role == As::label) {
        out.numeric_label = counts_[c].many_numbers();
        out.classes = counts_[c].all();
      }
      std::vector<Remark> none;
      const bool used = to.role == As::feature || to.role == As::label;
      if (to.role == As::feature && wished(column)) {
        std::vector<Remark> said;
        counts_[c].finish(out.rows, to, said);
        if (to.role == As::left_out)
          to.role = As::feature;
        else
          out.remarks.insert(out.remarks.end(), said.begin(), said.end());
        continue;
      }
      counts_[c].finish(out.rows, to, used ? out.remarks : none);
    }
  }

  Chunker& chunker_;
  const Layout& layout_;
  const CsvFormat& csv_ = layout_.csv;
  const ReadOptions& options_;
  std::uint64_t most_;
  std::uint64_t line_;
  std::vector<CellCounts> counts_;
};

void inspect_libsvm(Reader& reader, std::uint64_t most, Inspection& out) {
  std::vector<std::uint64_t> labels;
  std::size_t read_more = 1;
  for (Block block; out.rows < most && (read_more = reader.next(block) ? 1 : 0) != 0;) {
    out.rows += block.rows();
    labels.resize(reader.table().labels.size());
    for (std::size_t i = 0; i < block.rows(); ++i) {
      out.nonzeros += block.row(i).count;
      if (!block.labels().empty() && !std::isnan(block.labels()[i]))
        ++labels[static_cast<std::size_t>(block.labels()[i])];
    }
  }
  out.complete = read_more == 0;
  out.features = reader.table().width;
  for (std::size_t k = 0; k < labels.size(); ++k) out.classes.emplace_back(reader.table().labels[k], labels[k]);
  std::sort(out.classes.begin(), out.classes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  const auto whole = [](const auto& entry) {
    const std::optional<double> value = parse_number(entry.first);
    return value && *value == std::floor(*value);
  };
  const bool numbers = std::all_of(out.classes.begin(), out.classes.end(),
                                   [](const auto& entry) { return parse_number(entry.first).has_value(); });
  out.numeric_label =
      numbers && (out.classes.size() > kManyNumbers || !std::all_of(out.classes.begin(), out.classes.end(), whole));
}

// What concerns the label and the file as a whole.
void remark_on_label(Inspection& out, const ReadOptions& options) {
  const auto say = [&](const Text& text) { out.remarks.insert(out.remarks.begin(), {out.label, text}); };
  std::uint64_t labelled = 0;
  for (const auto& [name, count] : out.classes) labelled += count;
  if (out.label.empty() || labelled == 0) return;
  if (out.numeric_label && !options.real_labels) {
    say(Text(fmt::format("the label has {} different numbers; ",
                         out.classes.size() == kMostTexts ? "many" : fmt::format("{}", out.classes.size())),
             Option{"task", "", "regression"}, " predicts numbers instead of classes"));
    return;
  }
  if (options.real_labels) return;
  if (out.classes.size() == 1) say(fmt::format("all labels are {}", in_quotes(out.classes[0].first)));
  if (out.classes.size() > kNamesFrom &&
      static_cast<double>(out.classes.size()) > kNamesShare * static_cast<double>(labelled))
    say(Text(fmt::format("nearly every row has a label of its own ({} labels); ", out.classes.size()), Option{"label"},
             " names another column"));
  const auto& [rare, count] = out.classes.back();
  if (const double share = static_cast<double>(count) / static_cast<double>(labelled);
      out.classes.size() == 2 && share < kRareClass)
    say(Text(fmt::format("only {:.2g} % of the labels are {}; ", 100 * share, in_quotes(rare)),
             Option{"decide", "", "balanced"}, " or ", Option{"decide", "", "cost:fp=1,fn=10"},
             " decides otherwise than by the likelier class"));
  std::map<std::string, std::string> spellings;
  for (const auto& [text, rows] : out.classes)
    if (const auto [other, is_new] = spellings.emplace(lower_case(text), text); !is_new)
      say(fmt::format("{} and {} are two classes", in_quotes(other->second), in_quotes(text)));
}

// `open`: the bytes from their beginning; `read`: a reader of them.
template <class Open, class Read>
Inspection inspect_rows(const std::string& path, const Open& open, const Read& read, ReadOptions options,
                        std::uint64_t rows) {
  Inspection out;
  out.source = path == "-" ? "standard input" : path;
  options.schema = nullptr;
  try {
    Chunker chunker(open(), 256 * 1024);
    const Layout layout = find_layout(chunker, path, options, open);
    out.format = layout.format;
    out.label = layout.table.label_name;
    const std::string name = lower_case(out.label);
    out.label_by_name = options.label || name == "label" || name == "class" || name == "target";
    if (layout.format == Format::libsvm) {
      options.format = Format::libsvm;
      Reader reader = read(options);
      inspect_libsvm(reader, rows, out);
    } else {
      out.delimiter = layout.csv.delimiter;
      out.decimal_comma = layout.csv.decimal_comma;
      out.header = layout.lines_read > 0 || layout.translator;
      CsvInspector(chunker, layout, options, rows).run(out);
      if (out.rows == 0) throw Failure{.code = Code::empty, .message = "there are no rows behind the header"};
      if (!out.header)
        out.remarks.push_back({"", Text("the first line is read as a row, not as names of columns; ",
                                        Option{"header", "", "yes"}, " reads it as names")});
      if (out.decimal_comma)
        out.remarks.push_back(
            {"", Text("numbers are read with decimal commas; ", Option{"decimal", "", "point"}, " undoes that")});
    }
  } catch (Failure& failure) {
    failure.place.file = out.source;
    throw DataError(std::move(failure));
  }
  remark_on_label(out, options);
  return out;
}

}  // namespace

Inspection inspect(const std::string& path, const ReadOptions& options, std::uint64_t rows) {
  if (path == "-") {  // cannot be read twice
    const std::unique_ptr<ByteSource> input = open_source(path);
    std::string bytes, part(kBuffer, '\0');
    while (const std::size_t size = input->read(part.data(), part.size())) bytes.append(part, 0, size);
    Inspection out = inspect_memory(std::move(bytes), options, rows);
    out.source = "standard input";
    return out;
  }
  return inspect_rows(
      path, [&] { return open_source(path); }, [&](const ReadOptions& read) { return Reader(path, read); }, options,
      rows);
}

Inspection inspect_memory(std::string bytes, const ReadOptions& options, std::uint64_t rows) {
  return inspect_rows(
      "memory", [&] { return memory_source(bytes); },
      [&](const ReadOptions& read) { return Reader::from_memory(bytes, read); }, options, rows);
}

void leave_out(const Inspection& inspection, ReadOptions& options) {
  for (const InspectedColumn& column : inspection.columns) {
    if (column.role != As::left_out) continue;
    options.ignore.push_back(column.name);
    options.wishes.ignored.push_back(column.name);
  }
}

}  // namespace postil
