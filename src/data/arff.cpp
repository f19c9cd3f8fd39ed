// arff.cpp: ARFF, the text format of Weka and OpenML (docs/formats.md).
//
//   header  = '@relation' name { '@attribute' name type } '@data'      keywords in any case; % begins a comment
//   type    = 'numeric' | 'real' | 'integer' | 'string' | 'date' [format] | '{' value { ',' value } '}'
//   row     = value { ',' value } | '{' [ number value { ',' number value } ] '}'      sparse: attributes count from 0
//   value   = '?' | text | "'" text "'" | '"' text '"'                 in quotes, a backslash stands before an escape
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "core/failures.hpp"
#include "line_translator.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

struct Attribute {
  enum class Type : std::uint8_t { number, text, date, nominal };
  std::string name;
  Type type = Attribute::Type::text;
  std::vector<std::string> values;  // of a nominal one
  std::unordered_set<std::string> known;
};

// Reads one line from left to right.
class Line {
 public:
  Line(std::string_view text, std::uint64_t number) : text_(text), number_(number) {
    if (text_.ends_with('\n')) text_.remove_suffix(1);
    if (text_.ends_with('\r')) text_.remove_suffix(1);
    skip_spaces();
  }

  [[nodiscard]] bool at_end() const { return at_ == text_.size() || text_[at_] == '%'; }
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    skip_spaces();
    return true;
  }
  bool take_word(std::string_view word) {
    if (lower_case(text_.substr(at_, word.size())) != word) return false;
    const std::size_t end = at_ + word.size();
    if (end < text_.size() && std::string_view(" \t{%").find(text_[end]) == std::string_view::npos) return false;
    at_ = end;
    skip_spaces();
    return true;
  }

  struct Value {
    std::string text;
    bool quoted = false;
    [[nodiscard]] bool missing() const { return !quoted && text == "?"; }
  };
  // Up to one of `ends`, which is not taken.
  Value value(std::string_view ends) {
    Value out;
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
      out.quoted = true;
      out.text = quoted();
    } else {
      const std::size_t from = at_;
      while (at_ < text_.size() && text_[at_] != '%' && ends.find(text_[at_]) == std::string_view::npos) ++at_;
      if (at_ > from && at_end() && at_ < text_.size() && text_[at_ - 1] != ' ' && text_[at_ - 1] != '\t')
        fail("a % within a value", "quotes about the value, or a space before a comment");
      out.text = trimmed(text_.substr(from, at_ - from));
      if (out.text.empty()) fail("nothing", "a value");
    }
    skip_spaces();
    return out;
  }

  [[noreturn]] void fail(std::string_view found, std::string_view expected) const {
    fail({.code = Code::bad_syntax,
          .message = fmt::format("found {}, expected {}", found, expected),
          .found = std::string(found),
          .expected = std::string(expected)});
  }
  [[noreturn]] void fail(Failure failure) const {
    failure.place.line = number_;
    throw failure;
  }
  [[nodiscard]] std::string rest() const { return at_end() ? "the end of the line" : in_quotes(text_.substr(at_)); }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  std::string quoted() {
    const char mark = text_[at_++];
    std::string out;
    for (; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == mark) {
        ++at_;
        return out;
      }
      if (c == '\\' && at_ + 1 < text_.size()) {
        c = text_[++at_];
        if (c == 'n' || c == 'r' || c == 't') c = ' ';
      }
      out += c;
    }
    fail("a text without its closing quote", fmt::format("{} before the end of the line", mark));
  }

  std::string_view text_;
  std::uint64_t number_;
  std::size_t at_ = 0;
};

Attribute read_attribute(Line& line, const std::vector<std::string>& ignored) {
  Attribute out;
  out.name = line.value(" \t{").text;
  if (line.take('{')) {
    out.type = Attribute::Type::nominal;
    bool more = !line.take('}');
    while (more) {
      std::string value = line.value(",}").text;
      if (out.known.insert(value).second) out.values.push_back(std::move(value));
      more = line.take(',');
      if (!more && !line.take('}')) line.fail(line.rest(), "',' or '}'");
    }
    return out;
  }
  const bool ignore = std::find(ignored.begin(), ignored.end(), out.name) != ignored.end();
  if (line.take_word("numeric") || line.take_word("real") || line.take_word("integer")) {
    out.type = Attribute::Type::number;
  } else if (line.take_word("date")) {
    out.type = Attribute::Type::date;
    constexpr std::string_view kKnown[] = {"yyyy-MM-dd", "yyyy-MM-dd HH:mm", "yyyy-MM-dd HH:mm:ss"};
    std::string format = line.at_end() ? std::string(kKnown[0]) : line.value("").text;
    for (const std::string_view t : {"'T'", "T"})
      if (const std::size_t at = format.find(t); at != std::string::npos) format.replace(at, t.size(), " ");
    if (!ignore && std::find(std::begin(kKnown), std::end(kKnown), format) == std::end(kKnown))
      line.fail({.code = Code::unsupported,
                 .subject = {"column", shown(out.name)},
                 .message = Text("column ", in_quotes(out.name), ": found dates as ", in_quotes(format),
                                 ", expected yyyy-MM-dd or yyyy-MM-dd HH:mm:ss"),
                 .found = shown(format),
                 .expected = "yyyy-MM-dd",
                 .remedy = Text(Option{"ignore", "", out.name}, " leaves the column out")});
  } else if (!line.take_word("string")) {
    line.fail(line.rest(), "a type: numeric, real, integer, string, date or {values, ...}");
  }
  return out;
}

class ArffRows final : public LineTranslator {
 public:
  explicit ArffRows(std::vector<Attribute> attributes) : attributes_(std::move(attributes)) {}

  void translate(std::string_view lines, std::string& csv) const override {
    std::uint64_t number = 0;
    while (!lines.empty()) {
      const std::size_t end = lines.find('\n') + 1;
      Line line(lines.substr(0, end), ++number);
      lines.remove_prefix(end);
      if (!line.at_end()) {
        if (line.take('{'))
          sparse_row(line, csv);
        else
          dense_row(line, csv);
        if (!line.at_end()) line.fail(line.rest(), "the end of the row");
      }
      csv += '\n';
    }
  }

 private:
  void dense_row(Line& line, std::string& csv) const {
    for (std::size_t j = 0; j < attributes_.size(); ++j) {
      if (j > 0 && !line.take(','))
        line.fail({.code = Code::wrong_count,
                   .subject = {"row"},
                   .message = fmt::format("found {} values, expected {}", j, attributes_.size()),
                   .found = fmt::format("{} values", j),
                   .expected = fmt::format("{} values", attributes_.size())});
      put(line, j, line.value(","), csv);
    }
    if (line.take(','))
      line.fail(line.rest(),
                fmt::format("the end of the row: there are {} attributes, and weights of rows are not read",
                            attributes_.size()));
  }

  void sparse_row(Line& line, std::string& csv) const {
    std::size_t next = 0;
    const auto zeros_up_to = [&](std::size_t end) {
      for (; next < end; ++next) {
        const Attribute& attribute = attributes_[next];
        const bool nominal = attribute.type == Attribute::Type::nominal && !attribute.values.empty();
        put(line, next,
            {attribute.type == Attribute::Type::number ? "0"
             : nominal                                 ? attribute.values[0]
                                                       : "?",
             nominal},
            csv);
      }
    };
    bool more = !line.take('}');
    while (more) {
      const std::string index = line.value(" \t,}").text;
      std::size_t number = 0;
      const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), number);
      if (error != std::errc() || end != index.data() + index.size() || number >= attributes_.size() || number < next)
        line.fail(in_quotes(index), fmt::format("the number of an attribute, from {} to {}, in increasing order", next,
                                                attributes_.size() - 1));
      zeros_up_to(number);
      put(line, number, line.value(",}"), csv);
      next = number + 1;
      more = line.take(',');
      if (!more && !line.take('}')) line.fail(line.rest(), "',' or '}'");
    }
    zeros_up_to(attributes_.size());
  }

  void put(const Line& line, std::size_t j, const Line::Value& value, std::string& csv) const {
    const Attribute& attribute = attributes_[j];
    if (j > 0) csv += ',';
    if (value.missing()) {
      if (j == 0) csv += "\"\"";  // a line of nothing would be no row
      return;
    }
    if (attribute.type == Attribute::Type::nominal && !attribute.known.contains(value.text))
      line.fail({.code = Code::bad_data,
                 .subject = {"column", shown(attribute.name)},
                 .message = Text("column ", in_quotes(attribute.name), ": found ", in_quotes(value.text),
                                 ", expected one of the declared values: ", joined(attribute.values)),
                 .found = shown(value.text),
                 .expected = joined(attribute.values)});
    if (attribute.type == Attribute::Type::number &&
        value.text.find_first_not_of("0123456789+-.eE") == std::string::npos)
      csv += value.text;
    else
      append_csv_text(csv, value.text);
  }

  std::vector<Attribute> attributes_;
};

// The keyword a line begins with, without its '@'; empty if none.
std::string keyword(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('@')) return {};
  return lower_case(line.substr(1, line.find_first_of(" \t\r\n{%") - 1));
}

}  // namespace

bool looks_like_arff(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && line[0] != '%' && line[0] != '\r') return keyword(line) == "relation";
    text.remove_prefix(end + 1);
  }
  return false;
}

std::optional<ForeignHeader> arff_header(std::string_view text, const std::vector<std::string>& ignored) {
  ForeignHeader header;
  std::vector<Attribute> attributes;
  while (!text.empty()) {
    const std::size_t end = text.find('\n') + 1;
    if (end == 0) return std::nullopt;
    const std::string_view content = text.substr(0, end);
    text.remove_prefix(end);
    header.bytes += end;
    Line line(content, ++header.lines);
    if (line.at_end()) continue;
    const std::string word = keyword(content);
    if (word == "relation") continue;
    if (word == "data") {
      if (attributes.empty()) line.fail("@data", "@attribute lines before it");
      for (const Attribute& attribute : attributes) {
        header.names.push_back(attribute.name);
        header.kinds.emplace(attribute.name, attribute.type == Attribute::Type::number ? Kind::number
                                             : attribute.type == Attribute::Type::date ? Kind::date
                                                                                       : Kind::categorical);
      }
      header.translator = std::make_unique<ArffRows>(std::move(attributes));
      return header;
    }
    if (word != "attribute" || !line.take_word("@attribute")) line.fail(line.rest(), "@relation, @attribute or @data");
    attributes.push_back(read_attribute(line, ignored));
    if (!line.at_end()) line.fail(line.rest(), "the end of the line");
  }
  return std::nullopt;
}

}  // namespace postil
