// html.cpp: markup, tables and pictures for pages that stand alone.
#include "html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "html_style.hpp"

namespace postil::html {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// A character may stand in a page: no control but tab and newline, nothing that turns the direction of writing, no surrogate.
bool allowed(std::uint32_t code) {
  if (code < 0x20) return code == '\n' || code == '\t';
  if (code >= 0x7f && code < 0xa0) return false;
  if (code == 0x200e || code == 0x200f || code == 0x61c || code == 0xfeff) return false;
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) return false;
  return (code < 0xd800 || code > 0xdfff) && (code & 0xfffe) != 0xfffe && code <= 0x10ffff;
}

// The character that begins at `at`, and how many bytes it takes; 0 bytes: there is none.
std::pair<std::uint32_t, std::size_t> character(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xf0 && first < 0xf5   ? 4
                            : first >= 0xe0 && first < 0xf0 ? 3
                            : first >= 0xc2 && first < 0xe0 ? 2
                                                            : 0;
  if (bytes == 0 || at + bytes > text.size()) return {0, 0};
  std::uint32_t code = first & (0x7fU >> bytes);
  for (std::size_t k = 1; k < bytes; ++k) {
    const auto next = static_cast<unsigned char>(text[at + k]);
    if ((next & 0xc0) != 0x80) return {0, 0};
    code = code << 6 | (next & 0x3fU);
  }
  if ((bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000)) return {0, 0};
  return {code, bytes};
}

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = character(text, at);
    if (bytes == 0 || !allowed(code))
      out += kReplacement;
    else if (code == '&')
      out += "&amp;";
    else if (code == '<')
      out += "&lt;";
    else if (code == '>')
      out += "&gt;";
    else if (code == '"')
      out += "&quot;";
    else if (code == '\'')
      out += "&#39;";
    else
      out += text.substr(at, bytes);
    at += std::max<std::size_t>(bytes, 1);
  }
  return out;
}

std::string number(double x) { return fmt::format("{:.6g}", std::round(100 * x) / 100 + 0.0); }  // of a picture

}  // namespace

// The only one who writes markup.
class Tag {
 public:
  static Html raw(std::string markup) {
    Html out;
    out.markup_ = std::move(markup);
    return out;
  }
  static std::string open(Literal name, Attributes attributes) {
    std::string out = "<" + std::string(name.text());
    for (const Attribute& attribute : attributes)
      out += fmt::format(" {}=\"{}\"", attribute.name.text(), escaped(attribute.value));
    return out;
  }
};

Html::Html(std::string_view text) : markup_(escaped(text)) {}
Html Html::of(Literal markup) { return Tag::raw(std::string(markup.text())); }

Html tag(Literal name, Attributes attributes, const Html& content) {
  return Tag::raw(fmt::format("{}>{}</{}>", Tag::open(name, attributes), content.markup(), name.text()));
}

Html lone(Literal name, Attributes attributes) { return Tag::raw(Tag::open(name, attributes) + "/>"); }

// ---- pieces of pages ----

Html paragraph(const Html& content) { return tag("p", content); }
Html strong(const Html& content) { return tag("strong", content); }

Html list(const std::vector<Html>& items) {
  Html out;
  for (const Html& item : items) out += tag("li", item);
  return tag("ul", out);
}

Html section(Literal id, std::string_view heading, const Html& content) {
  const std::string title = std::string(id.text()) + "-title";
  return tag("section", {{"id", std::string(id.text())}, {"aria-labelledby", title}},
             tag("h2", {{"id", title}}, heading) + content) +
         Html::of("\n");
}

Html value(std::string_view id, double number, std::string_view shown) {
  const std::string exact = std::isfinite(number) ? fmt::format("{}", number) : "";
  return id.empty() ? tag("data", {{"value", exact}}, shown)
                    : tag("data", {{"id", std::string(id)}, {"value", exact}}, shown);
}

Html count(std::string_view id, std::uint64_t number) {
  const std::string exact = fmt::format("{}", number);
  return id.empty() ? tag("data", {{"value", exact}}, grouped(number))
                    : tag("data", {{"id", std::string(id)}, {"value", exact}}, grouped(number));
}

std::string grouped(std::uint64_t number) {
  std::string out = fmt::format("{}", number);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, 1, ',');
  return out;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 120;  // bytes
  if (text.size() <= kMost) return std::string(text);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

Sheet::Sheet(std::string caption, std::vector<std::string> heads, std::string_view align)
    : caption_(std::move(caption)), heads_(std::move(heads)), align_(align) {}

Html Sheet::html() const {
  const auto right = [&](std::size_t k) { return k < align_.size() && align_[k] == '>'; };
  Html head, body;
  for (std::size_t k = 0; k < heads_.size(); ++k)
    head += heads_[k].empty() ? tag("td", {})  // of pictures
            : right(k)        ? tag("th", {{"scope", "col"}, {"class", "number"}}, heads_[k])
                              : tag("th", {{"scope", "col"}}, heads_[k]);
  for (const std::vector<Html>& row : rows_) {
    Html cells;
    for (std::size_t k = 0; k < row.size(); ++k)
      cells += k == 0     ? tag("th", {{"scope", "row"}}, row[k])
               : right(k) ? tag("td", {{"class", "number"}}, row[k])
                          : tag("td", row[k]);
    body += tag("tr", cells) + Html::of("\n");
  }
  return tag(
      "div", {{"class", "scroll"}, {"role", "region"}, {"aria-label", caption_}, {"tabindex", "0"}},
      tag("table", tag("caption", caption_) + tag("thead", tag("tr", head)) + Html::of("\n") + tag("tbody", body)));
}

// ---- pictures ----

namespace {

double within(double x, double low, double high) { return std::isnan(x) ? low : std::clamp(x, low, high); }

Html bar(const std::string& label, const Html& parts) {
  return tag("svg",
             {{"class", "bar"},
              {"viewBox", "0 0 100 10"},
              {"preserveAspectRatio", "none"},
              {"role", "img"},
              {"aria-label", label}},
             lone("rect", {{"class", "ground"}, {"width", "100"}, {"height", "10"}}) + parts);
}
Html part(Literal kind, double from, double to) {
  return lone("rect", {{"class", std::string(kind.text())},
                       {"x", number(from)},
                       {"y", "0"},
                       {"width", number(std::max(to - from, 0.0))},
                       {"height", "10"}});
}

}  // namespace

Html share_bar(double share, double mark) {
  if (std::isnan(share)) return {};
  Html parts = part("yes", 0, 100 * within(share, 0, 1));
  if (mark >= 0) parts += part("mark", within(100 * mark, 1, 99) - 0.8, within(100 * mark, 1, 99) + 0.8);
  return bar(fmt::format("{:.0f} %{}", 100 * share, mark >= 0 ? fmt::format(", usual {:.0f} %", 100 * mark) : ""),
             parts);
}

Html signed_bar(double value, double largest) {
  const double half = largest > 0 && std::isfinite(value) ? within(50 * std::fabs(value) / largest, 0, 50) : 0;
  const Html parts = value >= 0 ? part("yes", 50, 50 + half) : part("no", 50 - half, 50);
  return bar(value >= 0 ? "for" : "against", parts + part("mark", 49.5, 50.5));
}

namespace {

constexpr double kWidth = 360, kHeight = 330, kLeft = 52, kRight = 22, kTop = 12, kBottom = 50;

// Round steps, about five of them.
std::vector<double> ticks(const Chart::Axis& axis) {
  const double span = axis.high - axis.low;
  if (!(span > 0) || !std::isfinite(span)) return {axis.low};
  double step = std::pow(10.0, std::floor(std::log10(span / 4)));
  for (const double factor : {2.0, 2.5, 2.0})
    if (span / step > 6) step *= factor;
  std::vector<double> out;
  for (double k = std::ceil(axis.low / step - 1e-9); k * step <= axis.high + 1e-9 * span && out.size() < 20; k += 1)
    out.push_back(k * step);
  return out;
}

std::string tick_text(const Chart::Axis& axis, double at) {
  return axis.percent ? fmt::format("{:.4g} %", 100 * at + 0.0) : fmt::format("{:.4g}", at + 0.0);
}

}  // namespace

Chart::Chart(std::string title, std::string description, Axis x, Axis y)
    : title_(std::move(title)), description_(std::move(description)), x_(std::move(x)), y_(std::move(y)) {}

double Chart::across(double x) const {
  return kLeft + within((x - x_.low) / (x_.high - x_.low), 0, 1) * (kWidth - kLeft - kRight);
}
double Chart::down(double y) const {
  return kHeight - kBottom - within((y - y_.low) / (y_.high - y_.low), 0, 1) * (kHeight - kTop - kBottom);
}

void Chart::line(const std::vector<Point>& points, bool dashed) {
  std::string path;
  for (const Point& at : points)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", number(across(at.x)), number(down(at.y)));
  if (!path.empty()) marks_ += lone("path", {{"class", dashed ? "line dashed" : "line"}, {"d", path}});
}

void Chart::steps(const std::vector<Point>& points) {
  std::vector<Point> corners;
  for (const Point& at : points) {
    if (!corners.empty()) corners.push_back({at.x, corners.back().y});
    corners.push_back(at);
  }
  line(corners);
}

void Chart::point(Point at, double low, double high) {
  if (low <= high)
    marks_ += lone(
        "path", {{"class", "range"},
                 {"d", fmt::format("M{0} {1}L{0} {2}", number(across(at.x)), number(down(low)), number(down(high)))}});
  marks_ += lone(
      "circle",
      {{"class", "dot"}, {"cx", number(across(at.x))}, {"cy", number(down(at.y))}, {"r", low <= high ? "4" : "2.2"}});
}

Html Chart::html() const {
  Html frame;
  for (const double at : ticks(x_)) {
    const std::string x = number(across(at));
    frame += lone("path", {{"class", "grid"},
                           {"d", fmt::format("M{0} {1}L{0} {2}", x, number(kTop), number(kHeight - kBottom))}});
    frame +=
        tag("text", {{"x", x}, {"y", number(kHeight - kBottom + 16)}, {"text-anchor", "middle"}}, tick_text(x_, at));
  }
  for (const double at : ticks(y_)) {
    const std::string y = number(down(at));
    frame += lone(
        "path", {{"class", "grid"}, {"d", fmt::format("M{0} {2}L{1} {2}", number(kLeft), number(kWidth - kRight), y)}});
    frame +=
        tag("text", {{"x", number(kLeft - 5)}, {"y", number(down(at) + 4)}, {"text-anchor", "end"}}, tick_text(y_, at));
  }
  const double middle_x = (kLeft + kWidth - kRight) / 2, middle_y = (kTop + kHeight - kBottom) / 2;
  frame +=
      tag("text", {{"class", "label"}, {"x", number(middle_x)}, {"y", number(kHeight - 12)}, {"text-anchor", "middle"}},
          shortened(x_.label));
  frame += tag("text",
               {{"class", "label"},
                {"x", "0"},
                {"y", "0"},
                {"text-anchor", "middle"},
                {"transform", fmt::format("translate(12 {}) rotate(-90)", number(middle_y))}},
               shortened(y_.label));
  return tag("figure", tag("svg",
                           {{"class", "chart"},
                            {"viewBox", fmt::format("0 0 {} {}", kWidth, kHeight)},
                            {"role", "img"},
                            {"aria-label", title_ + ". " + description_}},
                           frame + marks_) +
                           tag("figcaption", strong(title_) + ". " + description_));
}

std::string page(std::string_view title, const Html& body) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  out +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\"/>\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  out += "<meta name=\"color-scheme\" content=\"light dark\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n";
  out += tag("title", title).markup() + "\n<style>\n" + std::string(kStyle) + "</style>\n</head>\n";
  out += tag("body", body).markup() + "\n</html>\n";
  return out;
}

}  // namespace postil::html
