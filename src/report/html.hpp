// Markup in which every text is escaped. Text can only come in through the constructors of Html, which escape it; names of tags and
// attributes are literals of this program, and values of attributes are escaped too. So what users and files say stays text.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace postil::html {

// A text that stands in the source of this program.
class Literal {
 public:
  consteval Literal(const char* text) : text_(text) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class Html {
 public:
  Html() = default;
  // What is no valid UTF-8, no character, or would turn the direction of writing comes out as U+FFFD.
  Html(std::string_view text);                                     // NOLINT(google-explicit-constructor)
  Html(const std::string& text) : Html(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  Html(const char* text) : Html(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)
  static Html of(Literal markup);                                  // markup of this program's own

  Html& operator+=(const Html& more) {
    markup_ += more.markup_;
    return *this;
  }
  friend Html operator+(Html a, const Html& b) { return std::move(a += b); }
  [[nodiscard]] const std::string& markup() const { return markup_; }
  [[nodiscard]] bool empty() const { return markup_.empty(); }

 private:
  friend class Tag;
  std::string markup_;
};

struct Attribute {
  Literal name;
  std::string value;
};
using Attributes = std::initializer_list<Attribute>;

Html tag(Literal name, Attributes attributes, const Html& content);
inline Html tag(Literal name, const Html& content) { return tag(name, {}, content); }
Html lone(Literal name, Attributes attributes);  // without content: <meta ...>, <rect .../>

// ---- pieces of pages ----

Html paragraph(const Html& content);
Html strong(const Html& content);
Html list(const std::vector<Html>& items);
Html section(Literal id, std::string_view heading, const Html& content);
// What programs may want to read exactly, as people read it. `id` may be empty.
Html value(std::string_view id, double number, std::string_view shown);
Html count(std::string_view id, std::uint64_t number);
std::string grouped(std::uint64_t number);     // 1,234,567
std::string shortened(std::string_view text);  // long names, for tables

// A table with a caption; the first cell of each row is its head. `align`: per column '<' or '>'.
class Sheet {
 public:
  Sheet(std::string caption, std::vector<std::string> heads, std::string_view align);
  void add(std::vector<Html> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] Html html() const;

 private:
  std::string caption_;
  std::vector<std::string> heads_;
  std::string align_;
  std::vector<std::vector<Html>> rows_;
};

// ---- pictures ----

// A share of 1; `mark`: what is usual; negative: none.
Html share_bar(double share, double mark = -1);
Html signed_bar(double value, double largest);  // right of the middle if positive, hatched on the left if negative

// Lines and points over a square from 0 to 1 or any other range, with labelled axes.
class Chart {
 public:
  struct Axis {
    std::string label;
    double low = 0, high = 1;
    bool percent = true;
  };
  struct Point {
    double x = 0, y = 0;
  };
  Chart(std::string title, std::string description, Axis x, Axis y);
  void line(const std::vector<Point>& points, bool dashed = false);
  void steps(const std::vector<Point>& points);   // lines that only go along the axes
  void point(Point at, double low, double high);  // with an interval up and down; low > high: none
  [[nodiscard]] Html html() const;

 private:
  [[nodiscard]] double across(double x) const;
  [[nodiscard]] double down(double y) const;
  std::string title_, description_;
  Axis x_, y_;
  Html marks_;
};

// The whole page: head with a policy that forbids scripts and all requests, style, body.
std::string page(std::string_view title, const Html& body);

}  // namespace postil::html
