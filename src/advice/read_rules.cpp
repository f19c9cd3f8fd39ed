#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "problems.hpp"

namespace postil {

RulesText read_rules_text(const std::string& path) {
  constexpr std::size_t kLargest = 100'000'000;
  RulesText out{.source = path == "-" ? "standard input" : path, .text = {}};
  const auto fail = [&](const char* what) {
    throw DataError({.code = Code::cannot_read, .place = {out.source}, .message = Text("cannot read: ", what)});
  };
  const auto close = [](std::FILE* file) {
    if (file != stdin) std::fclose(file);
  };
  const std::unique_ptr<std::FILE, decltype(close)> file(path == "-" ? stdin : std::fopen(path.c_str(), "rbe"), close);
  if (!file) fail(std::strerror(errno));
  char buffer[65536];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) {
    out.text.append(buffer, got);
    if (out.text.size() > kLargest) fail("more than 100 MB of rules");
  }
  if (std::ferror(file.get()) != 0) fail(errno == EISDIR ? "it is a directory" : std::strerror(errno));
  return out;
}

ParsedRules load_rules(const std::string& path) {
  RulesText read = read_rules_text(path);
  return parse_rules(std::move(read.text), std::move(read.source));
}

RuleFile read_rules(const std::string& path) { return without_problems(load_rules(path)); }

}  // namespace postil
