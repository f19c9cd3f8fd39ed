// JSON from files, taken at its word: no key twice, and whole numbers where whole numbers are meant.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace postil {

struct JsonMistake : nlohmann::json::exception {
  explicit JsonMistake(const std::string& what) : exception(600, what.c_str()) {}
};

// Throws nlohmann's exceptions, and JsonMistake for a key that stands twice in one object.
inline nlohmann::json parse_strictly(std::string_view text) {
  using nlohmann::json;
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  return json::parse(text, [&](int /*depth*/, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw JsonMistake("the key '" + parsed.get<std::string>() + "' stands twice");
    return true;
  });
}

// Throws JsonMistake for fractions, negative numbers, and those too large.
template <class T>
T whole_number(const nlohmann::json& json) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > std::numeric_limits<T>::max())
    throw JsonMistake("found " + json.dump() + ", expected a whole number");
  return static_cast<T>(json.get<std::uint64_t>());
}

}  // namespace postil
