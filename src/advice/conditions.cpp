#include "conditions.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <set>

namespace postil {
namespace {

std::size_t hash_of(const Conditions::Node& node) {
  std::size_t hash = 0;
  const auto mix = [&](std::uint64_t value) { hash = (std::rotl(hash, 5) ^ value) * 0x9E3779B97F4A7C15U; };
  mix(static_cast<std::uint64_t>(node.kind));
  mix(node.feature);
  mix(node.count);
  mix((node.row.strict ? 1U : 0U) + (node.row.equality ? 2U : 0U));
  mix(std::hash<double>()(node.row.bound));
  for (const auto& [feature, coefficient] : node.row.terms) {
    mix(feature);
    mix(std::hash<double>()(coefficient));
  }
  for (const std::uint32_t part : node.parts) mix(part);
  return hash;
}

// Where nodes stand, by their hashes.
using Index = std::unordered_multimap<std::size_t, std::uint32_t>;
std::uint32_t find_in(const std::vector<Conditions::Node>& nodes, const Index& index, const Conditions::Node& node) {
  const auto [from, to] = index.equal_range(hash_of(node));
  const auto found = std::find_if(from, to, [&](const auto& entry) { return nodes[entry.second] == node; });
  return found == to ? Conditions::kNowhere : found->second;
}

}  // namespace

std::uint32_t ConditionList::find(const Node& node) const { return find_in(to_.nodes, places_, node); }

std::uint32_t ConditionList::add(Node node) {
  if (const std::uint32_t known = find(node); known != Conditions::kNowhere) return known;
  const auto place = static_cast<std::uint32_t>(to_.nodes.size());
  places_.emplace(hash_of(node), place);
  to_.nodes.push_back(std::move(node));
  return place;
}

std::uint32_t ConditionList::join(Node::Kind kind, std::vector<std::uint32_t> parts) {
  std::set<std::uint32_t> seen;
  std::erase_if(parts, [&](std::uint32_t part) { return !seen.insert(part).second; });
  if (parts.size() == 1) return parts[0];
  return add({.kind = kind, .parts = std::move(parts)});
}

std::vector<std::uint8_t> Conditions::truths(std::span<const double> x) const {
  std::vector<std::uint8_t> out;
  out.reserve(nodes.size());
  for (const Node& node : nodes) {
    const auto is_true = [&](std::uint32_t part) { return out[part] != 0; };
    bool truth = false;
    switch (node.kind) {
      case Node::Kind::row: {
        double sum = 0;
        for (const auto& [feature, coefficient] : node.row.terms) sum += coefficient * x[feature];
        truth = admits(node.row, sum);
        break;
      }
      case Node::Kind::missing: truth = std::isnan(x[node.feature]); break;
      case Node::Kind::known: truth = !std::isnan(x[node.feature]); break;
      case Node::Kind::all: truth = std::all_of(node.parts.begin(), node.parts.end(), is_true); break;
      case Node::Kind::any: truth = std::any_of(node.parts.begin(), node.parts.end(), is_true); break;
      case Node::Kind::at_least: truth = std::count_if(node.parts.begin(), node.parts.end(), is_true) >= node.count;
    }
    out.push_back(truth ? 1 : 0);
  }
  return out;
}

std::vector<const Conditions::Node*> Conditions::leaves(std::uint32_t node) const {
  std::vector<const Node*> out;
  std::set<std::uint32_t> seen{node};
  for (std::vector<std::uint32_t> open{node}; !open.empty();) {
    const Node& next = nodes[open.back()];
    open.pop_back();
    if (next.kind == Node::Kind::row || next.kind == Node::Kind::missing || next.kind == Node::Kind::known)
      out.push_back(&next);
    for (auto part = next.parts.rbegin(); part != next.parts.rend(); ++part)  // the first is looked at first
      if (seen.insert(*part).second) open.push_back(*part);
  }
  return out;
}

ConditionIndex::ConditionIndex(const Conditions& of) : of_(of) {
  for (std::uint32_t k = 0; k < of.nodes.size(); ++k) places_.emplace(hash_of(of.nodes[k]), k);
}

std::vector<std::uint32_t> ConditionIndex::places_of(const Conditions& other) const {
  std::vector<std::uint32_t> out;
  for (Conditions::Node node : other.nodes) {
    for (std::uint32_t& part : node.parts) part = out[part];
    out.push_back(find_in(of_.nodes, places_, node));
  }
  return out;
}

std::vector<std::uint32_t> Conditions::places_of(const Conditions& other) const {
  return ConditionIndex(*this).places_of(other);
}

}  // namespace postil
