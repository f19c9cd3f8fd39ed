#include "postil/error.hpp"

#include <fmt/format.h>

namespace postil {
namespace {

std::string place(const Where& where) {
  std::string text = where.file;
  for (const std::uint64_t number : {where.line, where.column}) {
    if (number == 0) break;
    text += text.empty() ? fmt::format("{}", number) : fmt::format(":{}", number);
  }
  return text.empty() ? text : text + ": ";
}

}  // namespace

Error::Error(Where where, const std::string& message)
    : std::runtime_error(place(where) + message), where_(std::move(where)), message_(message) {}

}  // namespace postil
