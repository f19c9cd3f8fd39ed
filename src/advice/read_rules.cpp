#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "problems.hpp"

namespace postil {

ParsedRules load_rules(const std::string& path) {
  constexpr std::size_t kLargest = 100'000'000;
  const std::string name = path == "-" ? "standard input" : path;
  const auto fail = [&](const char* what) {
    throw DataError({.code = Code::cannot_read, .place = {name}, .message = Text("cannot read: ", what)});
  };
  std::string text;
  {
    const auto close = [](std::FILE* file) {
      if (file != stdin) std::fclose(file);
    };
    const std::unique_ptr<std::FILE, decltype(close)> file(path == "-" ? stdin : std::fopen(path.c_str(), "rbe"),
                                                           close);
    if (!file) fail(std::strerror(errno));
    char buffer[65536];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) {
      text.append(buffer, got);
      if (text.size() > kLargest) fail("more than 100 MB of rules");
    }
    if (std::ferror(file.get()) != 0) fail(errno == EISDIR ? "it is a directory" : std::strerror(errno));
  }
  return parse_rules(std::move(text), name);
}

RuleFile read_rules(const std::string& path) { return without_problems(load_rules(path)); }

}  // namespace postil
