#include "normal_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "problems.hpp"

namespace postil {
namespace {

constexpr std::size_t kMostConjunctions = 10'000;  // of one rule

class Expansion {
 public:
  Expansion(std::span<const std::uint8_t> whole, Spot spot) : whole_(whole), spot_(spot) {}

  [[nodiscard]] std::vector<Conjunction> of(const Formula& f) const {
    switch (f.kind) {
      case Formula::Kind::row: return {{used(f.row)}};
      case Formula::Kind::any: {
        std::vector<Conjunction> out;
        for (const Formula& part : f.parts) append(of(part), out);
        return out;
      }
      case Formula::Kind::all: {
        std::vector<Conjunction> out{{}};
        for (const Formula& part : f.parts) out = product(std::move(out), of(part));
        return out;
      }
      case Formula::Kind::at_least: break;
    }
    // ways[k]: the ways to satisfy k of the parts so far
    std::vector<std::vector<Conjunction>> ways(f.count + 1);
    ways[0] = {{}};
    for (const Formula& part : f.parts) {
      const std::vector<Conjunction> here = of(part);
      for (std::uint32_t k = f.count; k >= 1; --k) append(product(ways[k - 1], here), ways[k]);
    }
    return std::move(ways[f.count]);
  }

 private:
  void check(std::size_t conjunctions) const {
    if (conjunctions > kMostConjunctions)
      fail_at({.spot = spot_,
               .message = fmt::format("the rule has more than {} conjunctions when its or-branches are multiplied out",
                                      kMostConjunctions),
               .code = Code::too_many,
               .expected = fmt::format("at most {} conjunctions", kMostConjunctions),
               .remedy = "split it into several rules"});
  }
  void append(std::vector<Conjunction> more, std::vector<Conjunction>& to) const {
    check(to.size() + more.size());
    std::move(more.begin(), more.end(), std::back_inserter(to));
  }
  [[nodiscard]] std::vector<Conjunction> product(std::vector<Conjunction> left,
                                                 const std::vector<Conjunction>& right) const {
    check(left.size() * right.size());
    if (right.size() == 1) {
      for (Conjunction& a : left) a.insert(a.end(), right[0].begin(), right[0].end());
      return left;
    }
    std::vector<Conjunction> out;
    for (const Conjunction& a : left)
      for (const Conjunction& b : right) {
        out.push_back(a);
        out.back().insert(out.back().end(), b.begin(), b.end());
      }
    return out;
  }

  [[nodiscard]] AdviceRow used(AdviceRow row) const {
    const bool whole = std::all_of(row.terms.begin(), row.terms.end(), [&](const auto& term) {
      return whole_[term.first] != 0 && term.second == std::floor(term.second);
    });
    if (!whole) return row;
    if (row.equality && row.bound != std::floor(row.bound)) return {{}, -1, false, false};  // 0 <= -1: never
    row.bound = row.strict ? std::ceil(row.bound) - 1 : std::floor(row.bound);
    row.strict = false;
    return row;
  }

  std::span<const std::uint8_t> whole_;
  Spot spot_;
};

void drop_repeated(Conjunction& rows) {
  const auto before = [](const AdviceRow* a, const AdviceRow* b) {
    return std::tie(a->terms, a->bound, a->strict, a->equality) < std::tie(b->terms, b->bound, b->strict, b->equality);
  };
  std::set<const AdviceRow*, decltype(before)> seen(before);
  Conjunction kept;
  kept.reserve(rows.size());  // so that what was seen stays where it is
  for (AdviceRow& row : rows) {
    if (seen.contains(&row)) continue;
    kept.push_back(std::move(row));
    seen.insert(&kept.back());
  }
  rows = std::move(kept);
}

}  // namespace

std::vector<Conjunction> normal_form(const Formula& condition, std::span<const std::uint8_t> whole, Spot spot) {
  std::vector<Conjunction> out = Expansion(whole, spot).of(condition);
  for (Conjunction& rows : out) drop_repeated(rows);
  return out;
}

}  // namespace postil
