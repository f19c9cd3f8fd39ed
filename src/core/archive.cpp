#include "postil/archive.hpp"

#include <cmath>

namespace postil {

void write_sparse(StateWriter& out, const std::string& name, std::span<const double> values) {
  std::vector<double> places, others;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (values[k] == 0 && !std::signbit(values[k])) continue;
    places.push_back(static_cast<double>(k));
    others.push_back(values[k]);
  }
  if (2 * places.size() >= values.size()) return out.tensor(name, values);
  out.counter(name + ".size", values.size());
  out.tensor(name + ".places", places);
  out.tensor(name, others);
}

bool read_sparse(StateReader& in, const std::string& name, std::size_t size, std::vector<double>& values) {
  values.clear();
  if (!in.has(name + ".places")) {
    in.tensor(name, values);
    if (values.size() != size) values.clear();
    return values.size() == size;
  }
  std::uint64_t length = 0;
  std::vector<double> places, others;
  in.counter(name + ".size", length);
  in.tensor(name + ".places", places);
  in.tensor(name, others);
  if (length != size || size > kLongestSparse || places.size() != others.size()) return false;
  for (const double place : places)
    if (!(place >= 0 && place < static_cast<double>(size)) || place != std::floor(place)) return false;
  values.resize(size);
  for (std::size_t k = 0; k < places.size(); ++k) values[static_cast<std::size_t>(places[k])] = others[k];
  return true;
}

}  // namespace postil
