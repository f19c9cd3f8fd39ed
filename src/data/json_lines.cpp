// json_lines.cpp: JSON lines (NDJSON), one object a line (docs/formats.md).
//
//   {"age": 50, "smoker": true, "lab": {"glucose": 126.5}, "outcome": "diabetes"}
// Keys are columns; those of an object within the object are joined with a point: lab.glucose. An absent key and null
// are missing values. Numbers are copied digit by digit, so that the CSV parser rounds them once.
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <unordered_map>

#include "core/failures.hpp"
#include "line_translator.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

namespace ondemand = simdjson::ondemand;

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using Places = std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>>;

[[noreturn]] void fail(std::uint64_t line, Failure failure) {
  failure.place.line = line;
  throw failure;
}

[[noreturn]] void fail_syntax(std::uint64_t line, std::string_view why, std::string_view remedy = "") {
  fail(line, {.code = Code::bad_syntax,
              .message = fmt::format("found {}, expected one JSON object on each line", why),
              .found = std::string(why),
              .expected = "one JSON object on each line",
              .remedy = std::string(remedy)});
}

std::string_view what_is_wrong(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR: return "text that is not valid UTF-8";
    case simdjson::UNCLOSED_STRING: return "a text without its closing quote";
    case simdjson::UNESCAPED_CHARS: return "a control character within a text";
    case simdjson::STRING_ERROR: return "a text with a wrong escape";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT: return "an object that does not end on its line";
    case simdjson::DEPTH_ERROR: return "objects too deep within each other";
    default: return "text that is not valid JSON";
  }
}

// What simdjson gives, or the failure with the line it stands on.
template <class T>
T checked(simdjson::simdjson_result<T> result, std::uint64_t line) {
  T value;
  if (const simdjson::error_code error = std::move(result).get(value); error != simdjson::SUCCESS)
    fail_syntax(line, what_is_wrong(error));
  return value;
}

enum class Holds : std::uint8_t { nothing, number, text, truth, list };

struct Member {
  Holds holds = Holds::nothing;
  std::string_view text;  // a number as it is written; a text without its escapes
};

// Calls use(line, key, member) for all that the objects hold, and end_line(line, is_row) behind each line.
class Walker {
 public:
  template <class Use, class End>
  void walk(std::string_view lines, const Use& use, const End& end_line) {
    const simdjson::padded_string text(lines);
    const char* const data = text.data();
    std::uint64_t line = 0;
    for (std::size_t at = 0; at < lines.size();) {
      const std::size_t end = lines.find('\n', at);
      std::string_view content = trimmed(lines.substr(at, end - at));
      if (content.ends_with('\r')) content.remove_suffix(1);
      ++line;
      const bool is_row = !content.empty();
      if (is_row) {
        const auto from = static_cast<std::size_t>(content.data() - lines.data());
        key_.clear();
        ondemand::document document =
            checked(parser_.iterate(simdjson::padded_string_view(data + from, content.size(),
                                                                 lines.size() - from + simdjson::SIMDJSON_PADDING)),
                    line);
        const auto type = document.type();
        if (type.error() != simdjson::SUCCESS || type.value_unsafe() != ondemand::json_type::object)
          content[0] == '[' ? fail_syntax(line, "a list", "python -m postil.convert reads lists of objects")
                            : fail_syntax(line, "text that is no object");
        walk_object(checked(document.get_object(), line), line, use);
        if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
          fail_syntax(line, "more text behind an object");
      }
      end_line(line, is_row);
      at = end + 1;
    }
  }

 private:
  template <class Use>
  void walk_object(ondemand::object object, std::uint64_t line, const Use& use) {
    const std::size_t outer = key_.size();
    for (auto result : object) {
      ondemand::field field = checked(std::move(result), line);
      key_.resize(outer);
      if (outer > 0) key_ += '.';
      key_ += checked(field.unescaped_key(), line);
      ondemand::value value = field.value();
      const auto type = value.type();
      if (type.error() != simdjson::SUCCESS) {
        use(line, key_, other(value, line));
        continue;
      }
      switch (type.value_unsafe()) {
        case ondemand::json_type::object: walk_object(checked(value.get_object(), line), line, use); break;
        case ondemand::json_type::array: use(line, key_, Member{Holds::list, {}}); break;
        case ondemand::json_type::string:
          use(line, key_, Member{Holds::text, checked(value.get_string(), line)});
          break;
        case ondemand::json_type::boolean:
          use(line, key_, Member{Holds::truth, checked(value.get_bool(), line) ? "true" : "false"});
          break;
        case ondemand::json_type::null:
          if (!checked(value.is_null(), line)) fail_syntax(line, what_is_wrong(simdjson::N_ATOM_ERROR));
          use(line, key_, Member{});
          break;
        case ondemand::json_type::number: {
          const std::string_view number = trimmed(value.raw_json_token());
          if (const auto parsed = value.get_double(); parsed.error() != simdjson::SUCCESS) {
            if (!is_not_finite(number)) fail_syntax(line, what_is_wrong(parsed.error()));
            fail(line, of_column(not_expected(Code::not_a_number, number, "a finite number"), key_));
          }
          use(line, key_, Member{Holds::number, number});
        }
      }
    }
    key_.resize(outer);
  }

  // NaN, as Python writes it, is a missing value; Infinity is refused with these words.
  Member other(ondemand::value& value, std::uint64_t line) const {
    std::string_view token = value.raw_json_token();
    token = token.substr(0, token.find_first_of(" \t\r\n,}]"));
    if (token == "NaN") return {};
    if (is_not_finite(token)) fail(line, of_column(not_expected(Code::not_a_number, token, "a finite number"), key_));
    fail_syntax(line, what_is_wrong(simdjson::TAPE_ERROR));
  }

  static Failure of_column(Failure failure, const std::string& column) {
    failure.subject = {"column", shown(column)};
    failure.message = Text("column ", in_quotes(column), ": ", failure.message);
    return failure;
  }

  ondemand::parser parser_;
  std::string key_;
};

class JsonLines final : public LineTranslator {
 public:
  enum class Later : std::uint8_t { ignored, refused };  // keys that are no column

  JsonLines(Places places, std::vector<bool> used, Later later)
      : places_(std::move(places)), used_(std::move(used)), later_(later) {}

  void translate(std::string_view lines, std::string& csv) const override {
    Walker walker;
    std::vector<std::string> cells(used_.size());
    std::vector<std::uint64_t> set_on(used_.size(), 0);  // the line that has set each cell
    bool any = false;
    walker.walk(
        lines,
        [&](std::uint64_t line, const std::string& key, Member member) {
          const auto found = places_.find(key);
          if (found == places_.end()) {
            if (later_ == Later::refused && member.holds != Holds::nothing) fail_late(line, key);
            return;
          }
          const std::size_t place = found->second;
          any = true;
          if (set_on[place] == line)
            fail(line, {.code = Code::duplicate,
                        .subject = {"column", shown(key)},
                        .message = Text("the key ", in_quotes(key), " stands twice in one object")});
          set_on[place] = line;
          cells[place].clear();
          if (!used_[place]) return;
          if (member.holds == Holds::list) fail_list(line, key);
          if (member.holds == Holds::number)
            cells[place] = member.text;
          else if (member.holds != Holds::nothing)
            append_csv_text(cells[place], member.text);
        },
        [&](std::uint64_t line, bool is_row) {
          if (is_row) {
            if (!any) fail_stranger(line);
            any = false;
            for (std::size_t place = 0; place < cells.size(); ++place) {
              if (place > 0) csv += ',';
              if (set_on[place] == line && !cells[place].empty())
                csv += cells[place];
              else if (place == 0)
                csv += "\"\"";  // a line of nothing would be no row
            }
          }
          csv += '\n';
        });
  }

 private:
  [[noreturn]] static void fail_late(std::uint64_t line, const std::string& key) {
    fail(line,
         {.code = Code::unknown_column,
          .subject = {"column", shown(key)},
          .message = Text("the key ", in_quotes(key), " appears here for the first time"),
          .found = shown(key),
          .expected = "the keys of the first rows",
          .remedy = Text("where rows come from a pipe, the first must have all keys (null, if there is no value); ",
                         Option{"ignore", "", key}, " leaves it out")});
  }
  [[noreturn]] static void fail_list(std::uint64_t line, const std::string& key) {
    fail(line,
         {.code = Code::unsupported,
          .subject = {"column", shown(key)},
          .message = Text("column ", in_quotes(key), ": found a list, expected a number, text, true, false or null"),
          .found = "a list",
          .expected = "a number, text, true, false or null",
          .remedy = Text(Option{"ignore", "", key}, " leaves the column out")});
  }
  [[noreturn]] void fail_stranger(std::uint64_t line) const {
    fail(line, {.code = Code::missing_column,
                .subject = {"row"},
                .message = "the object has none of the columns",
                .expected = "an object with one of the columns at least"});
  }

  Places places_;
  std::vector<bool> used_;
  Later later_;
};

}  // namespace

struct JsonKeys::Impl {
  explicit Impl(const ReadOptions& read_options) : options(read_options) {}

  [[nodiscard]] bool is_feature(std::string_view name) const {
    const auto among = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    if (options.schema == nullptr) return !among(options.ignore);
    const auto& columns = options.schema->columns;
    return std::any_of(columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; }) ||
           (options.more_columns && !among(options.ignore) && !among(options.schema->ignored));
  }
  // What is wanted besides features.
  [[nodiscard]] std::vector<std::string> wanted() const {
    std::vector<std::string> out = options.keep;
    if (options.schema != nullptr && options.use_label)
      out.push_back(options.label.value_or(options.schema->label.name));
    if (options.weight) out.push_back(*options.weight);
    return out;
  }
  void add(std::string_view name) {
    if (places.emplace(name, names.size()).second) names.emplace_back(name);
  }

  const ReadOptions& options;
  Places places;
  std::vector<std::string> names;
  std::map<std::string, Kind> kinds;
};

JsonKeys::JsonKeys(const ReadOptions& options) : impl_(std::make_unique<Impl>(options)) {}
JsonKeys::~JsonKeys() = default;

void JsonKeys::add(std::string_view lines) {
  Walker walker;
  walker.walk(
      lines,
      [&](std::uint64_t, const std::string& key, Member member) {
        impl_->add(key);
        // A text of digits is a text: "01234" is no number to whoever put it in quotes.
        if (member.holds == Holds::text && parse_number(member.text)) impl_->kinds[key] = Kind::categorical;
      },
      [](std::uint64_t, bool) {});
}

ForeignHeader JsonKeys::header(bool all_lines_seen) const {
  Impl found = *impl_;
  if (!all_lines_seen && found.options.schema != nullptr) {
    for (const Column& column : found.options.schema->columns) found.add(column.name);
    for (const std::string& name : found.wanted()) found.add(name);
  }
  if (!all_lines_seen)  // they may come later
    for (const std::string& name : found.options.ignore) found.add(name);
  const std::vector<std::string> wanted = found.wanted();
  std::vector<bool> used;
  for (const std::string& name : found.names)
    used.push_back(found.is_feature(name) || std::find(wanted.begin(), wanted.end(), name) != wanted.end());
  const bool open = found.options.schema == nullptr || found.options.more_columns;
  ForeignHeader header;
  header.names = found.names;
  header.kinds = std::move(found.kinds);
  header.translator =
      std::make_unique<JsonLines>(std::move(found.places), std::move(used),
                                  open && !all_lines_seen ? JsonLines::Later::refused : JsonLines::Later::ignored);
  return header;
}

}  // namespace postil
