#include "normal_form.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "conditions.hpp"
#include "region.hpp"

namespace postil {
namespace {

constexpr std::size_t kMostConjunctions = 1000;  // of one rule
constexpr std::size_t kMostRows = 1'000'000;     // in all of them
constexpr std::size_t kFew = 64;                 // as many are left as they come, the impossible and repeated ones too

// One 0/1 question, of whose features one at most is 1, answered by true or false for each answer: that none is, that this
// one is. As a number it is `none` + sum of (when[f] - none) x_f.
struct Switch {
  std::uint32_t number = FeatureFacts::kNone;
  bool none = false;
  std::map<std::uint32_t, bool> when;  // features that are not named: as none

  [[nodiscard]] bool at(std::uint32_t feature) const {
    const auto found = when.find(feature);
    return found == when.end() ? none : found->second;
  }
};

class Expansion {
 public:
  Expansion(const Conditions& conditions, const FeatureFacts& facts) : conditions_(conditions), facts_(facts) {}

  NormalForm run(std::uint32_t node) {
    NormalForm out;
    Branches branches = of(node);
    if (pruned_) prune(branches);
    for (const Branch& branch : branches) {
      Conjunction& rows = out.conjunctions.emplace_back();
      for (const std::uint32_t row : branch) rows.push_back(rows_[row]);
    }
    out.cut = cut_;
    return out;
  }

 private:
  using Node = Conditions::Node;
  using Kind = Conditions::Node::Kind;
  using Branch = std::vector<std::uint32_t>;  // rows, rising: in the order in which they were first met
  using Branches = std::vector<Branch>;

  const Branches& of(std::uint32_t node) {
    const auto known = done_.find(node);
    if (known != done_.end()) return known->second;
    Branches found = expand(node);
    return done_.emplace(node, std::move(found)).first->second;
  }

  Branches expand(std::uint32_t place) {
    const Node& node = conditions_.nodes[place];
    switch (node.kind) {
      case Kind::row: return {{number_of(used(node.row))}};
      case Kind::missing:
      case Kind::known: return answered(node);
      case Kind::all: {
        Branches out{{}};
        for (const std::uint32_t part : node.parts)  // what has one branch, in one go: there may be many
          if (const Branches& only = of(part); only.size() == 1)
            out[0].insert(out[0].end(), only[0].begin(), only[0].end());
        std::sort(out[0].begin(), out[0].end());
        out[0].erase(std::unique(out[0].begin(), out[0].end()), out[0].end());
        for (const std::uint32_t part : node.parts)
          if (const Branches& several = of(part); several.size() != 1) out = product(out, several);
        return out;
      }
      case Kind::any: return alternatives(node);
      case Kind::at_least: break;
    }
    if (std::optional<AdviceRow> clause = sum_of(node.parts, node.count)) return {{number_of(std::move(*clause))}};
    if (node.parts.size() * node.count > kMostRows) {
      cut_ = true;
      return {};
    }
    // ways[k]: the ways to satisfy k of the parts so far
    std::vector<Branches> ways(node.count + 1);
    ways[0] = {{}};
    for (const std::uint32_t part : node.parts) {
      const Branches here = of(part);
      for (std::uint32_t k = node.count; k >= 1; --k) {
        append(product(ways[k - 1], here), ways[k]);
        limit(ways[k]);
      }
    }
    return std::move(ways[node.count]);
  }

  // ---- clauses ----

  // All that `or` joins here, ors within ors included: what is about 0/1 questions in one row, the rest one by one.
  Branches alternatives(const Node& node) {
    std::vector<std::uint32_t> parts;
    std::set<std::uint32_t> seen;
    for (std::vector<std::uint32_t> open(node.parts.rbegin(), node.parts.rend()); !open.empty();) {
      const std::uint32_t part = open.back();
      open.pop_back();
      if (!seen.insert(part).second) continue;
      const std::vector<std::uint32_t>& inner = conditions_.nodes[part].parts;
      if (conditions_.nodes[part].kind == Kind::any)
        open.insert(open.end(), inner.rbegin(), inner.rend());
      else
        parts.push_back(part);
    }
    const auto is_simple = [&](std::uint32_t part) { return switch_of(part) || counts(part); };
    std::vector<std::uint32_t> simple;
    std::copy_if(parts.begin(), parts.end(), std::back_inserter(simple), is_simple);
    Branches out;
    for (const std::uint32_t part : parts) {  // the clause stands where its first part does
      if (simple.size() < 2 || !is_simple(part))
        append(of(part), out);
      else if (part == simple[0])
        append({{number_of(*sum_of(simple, 1))}}, out);
    }
    limit(out);
    return out;
  }

  // x >= 1, where x counts something: as good as a 0/1 question where one of several is asked for.
  [[nodiscard]] bool counts(std::uint32_t part) const {
    const AdviceRow& row = conditions_.nodes[part].row;
    return conditions_.nodes[part].kind == Kind::row && row.terms.size() == 1 && !row.equality && !row.strict &&
           row.terms[0].second == -1 && row.bound == -1 && facts_.count[row.terms[0].first] != 0;
  }

  // The sum of the parts as numbers, at least `count`; none if one of them has no number.
  std::optional<AdviceRow> sum_of(const std::vector<std::uint32_t>& parts, std::uint32_t count) {
    std::map<std::uint32_t, double> terms;
    double bound = -static_cast<double>(count);
    for (const std::uint32_t part : parts) {
      if (const std::optional<Switch> on = switch_of(part)) {
        bound += on->none ? 1 : 0;
        for (const auto& [feature, is] : on->when) terms[feature] -= (is ? 1 : 0) - (on->none ? 1 : 0);
      } else if (count == 1 && counts(part)) {
        terms[conditions_.nodes[part].row.terms[0].first] -= 1;
      } else {
        return std::nullopt;
      }
    }
    AdviceRow row;
    row.bound = bound;
    for (const auto& [feature, coefficient] : terms)
      if (coefficient != 0) row.terms.emplace_back(feature, coefficient);
    return row;
  }

  // What a condition says about one 0/1 question, if that is all that it is about.
  std::optional<Switch> switch_of(std::uint32_t place) {
    const auto known = switches_.find(place);
    if (known != switches_.end()) return known->second;
    return switches_.emplace(place, find_switch(conditions_.nodes[place])).first->second;
  }
  std::optional<Switch> find_switch(const Node& node) {
    Switch out;
    if (node.kind == Kind::row) {
      out.none = admits(node.row, 0);
      for (const auto& [feature, coefficient] : node.row.terms) {
        if (!join(out, facts_.switch_[feature])) return std::nullopt;
        out.when[feature] = admits(node.row, coefficient);
      }
      return out.number == FeatureFacts::kNone ? std::nullopt : std::optional(out);
    }
    if (node.parts.empty()) return std::nullopt;
    std::vector<Switch> parts;
    for (const std::uint32_t part : node.parts) {
      const std::optional<Switch> of = switch_of(part);
      if (!of || !join(out, of->number)) return std::nullopt;
      for (const auto& entry : of->when) out.when[entry.first] = false;
      parts.push_back(*of);
    }
    const auto needed = static_cast<std::ptrdiff_t>(node.kind == Kind::all   ? node.parts.size()
                                                    : node.kind == Kind::any ? 1
                                                                             : node.count);
    out.none = std::count_if(parts.begin(), parts.end(), [](const Switch& part) { return part.none; }) >= needed;
    for (auto& entry : out.when)
      entry.second =
          std::count_if(parts.begin(), parts.end(), [&](const Switch& part) { return part.at(entry.first); }) >= needed;
    return out;
  }
  static bool join(Switch& to, std::uint32_t number) {
    if (number == FeatureFacts::kNone || (to.number != FeatureFacts::kNone && to.number != number)) return false;
    to.number = number;
    return true;
  }

  // ---- rows ----

  // Whether a value is missing: its indicator, if there is one; else no row says it, and none is needed where it is known.
  Branches answered(const Node& node) {
    const std::uint32_t indicator = facts_.missing[node.feature];
    const bool missing = node.kind == Kind::missing;
    if (indicator != FeatureFacts::kNone)
      return {{number_of({{{indicator, missing ? -1.0 : 1.0}}, missing ? -1.0 : 0.0, false, false})}};
    if (!missing) return {{}};
    cut_ = true;
    return {};
  }

  [[nodiscard]] AdviceRow used(AdviceRow row) const {
    const bool whole = std::all_of(row.terms.begin(), row.terms.end(), [&](const auto& term) {
      return facts_.whole[term.first] != 0 && term.second == std::floor(term.second);
    });
    if (!whole) return row;
    if (row.equality && row.bound != std::floor(row.bound)) return {{}, -1, false, false};  // 0 <= -1: never
    row.bound = row.strict ? std::ceil(row.bound) - 1 : std::floor(row.bound);
    row.strict = false;
    return row;
  }

  std::uint32_t number_of(AdviceRow row) {
    const auto [found, is_new] =
        numbers_.emplace(std::tuple(row.terms, row.bound, row.strict, row.equality), rows_.size());
    if (is_new) rows_.push_back(std::move(row));
    return found->second;
  }

  // ---- branches ----

  void append(Branches more, Branches& to) {
    std::move(more.begin(), more.end(), std::back_inserter(to));
    if (to.size() > 4 * kMostConjunctions) limit(to);  // not at every one: they are compared with each other
  }

  // All pairs; where there are too many, those that can be among the shortest kMostConjunctions: with both sides sorted, the
  // k-th shortest pair (i, j) has (i + 1)(j + 1) <= k.
  Branches product(Branches left, Branches right) {
    const bool many = left.size() * right.size() > kMostConjunctions;
    if (many) {
      cut_ = true;
      sort_by_length(left);
      sort_by_length(right);
    }
    Branches out;
    for (std::size_t i = 0; i < left.size(); ++i)
      for (std::size_t j = 0; j < right.size() && (!many || (i + 1) * (j + 1) <= kMostConjunctions); ++j) {
        Branch& both = out.emplace_back();
        std::set_union(left[i].begin(), left[i].end(), right[j].begin(), right[j].end(), std::back_inserter(both));
      }
    limit(out);
    return out;
  }

  // ---- what is impossible, or part of another ----

  // The range that a branch leaves each feature, by its rows about one feature; and its other rows.
  struct Region {
    std::map<std::uint32_t, Interval> ranges;
    Branch others;
    std::uint64_t mark =
        0;  // a bit for each feature and other row, 64 in all: what has one that another lacks cannot contain it
  };
  [[nodiscard]] Region region_of(const Branch& branch) const {
    Region out;
    for (const std::uint32_t row : branch)
      if (rows_[row].terms.size() == 1) {
        const std::uint32_t feature = rows_[row].terms[0].first;
        out.ranges[feature].narrow(rows_[row]);
        out.mark |= std::uint64_t{1} << (feature * 7 % 64);
      } else {
        out.others.push_back(row);
        out.mark |= std::uint64_t{1} << (row * 13 % 64);
      }
    return out;
  }
  static bool contains(const Region& outer, const Region& inner) {
    return (outer.mark & ~inner.mark) == 0 &&
           std::includes(inner.others.begin(), inner.others.end(), outer.others.begin(), outer.others.end()) &&
           std::all_of(outer.ranges.begin(), outer.ranges.end(), [&](const auto& range) {
             const auto found = inner.ranges.find(range.first);
             return found != inner.ranges.end() && range.second.contains(found->second);
           });
  }

  // Drops branches that no point satisfies, those that lie in another, and rows that others of their branch make needless.
  void prune(Branches& branches) {
    pruned_ = true;
    std::vector<Region> regions;
    Branches possible;
    for (Branch& branch : branches) {
      Region region = region_of(branch);
      if (std::any_of(region.ranges.begin(), region.ranges.end(),
                      [](const auto& range) { return range.second.empty(); }))
        continue;
      std::erase_if(branch, [&](std::uint32_t row) {
        return rows_[row].terms.size() == 1 && !region.ranges.at(rows_[row].terms[0].first).needs(rows_[row]);
      });
      possible.push_back(std::move(branch));
      regions.push_back(std::move(region));
    }
    branches.clear();
    for (std::size_t i = 0; i < possible.size(); ++i) {
      bool needed = true;
      for (std::size_t k = 0; k < possible.size() && needed; ++k)  // of two that are the same, the first
        needed = k == i || !contains(regions[k], regions[i]) || (k > i && contains(regions[i], regions[k]));
      if (needed) branches.push_back(std::move(possible[i]));
    }
  }
  static void sort_by_length(Branches& branches) {
    std::stable_sort(branches.begin(), branches.end(),
                     [](const Branch& x, const Branch& y) { return x.size() < y.size(); });
  }

  // Drops what is there twice; where there are many, also what is needless; then, if there are too many, those of the most rows.
  void limit(Branches& branches) {
    if (branches.size() < 2) return;
    std::set<Branch> seen;
    std::erase_if(branches, [&](const Branch& branch) { return !seen.insert(branch).second; });
    if (branches.size() > kFew) prune(branches);
    const auto rows = [&] {
      std::size_t sum = 0;
      for (const Branch& branch : branches) sum += branch.size();
      return sum;
    };
    if (branches.size() <= kMostConjunctions && rows() <= kMostRows) return;
    cut_ = true;
    sort_by_length(branches);
    if (branches.size() > kMostConjunctions) branches.resize(kMostConjunctions);
    for (std::size_t sum = rows(); sum > kMostRows && branches.size() > 1; branches.pop_back())
      sum -= branches.back().size();
  }

  const Conditions& conditions_;
  const FeatureFacts& facts_;
  bool cut_ = false, pruned_ = false;
  std::vector<AdviceRow> rows_;
  std::map<std::tuple<std::vector<std::pair<std::uint32_t, double>>, double, bool, bool>, std::uint32_t> numbers_;
  std::unordered_map<std::uint32_t, Branches> done_;
  std::unordered_map<std::uint32_t, std::optional<Switch>> switches_;
};

}  // namespace

NormalForm normal_form(const Conditions& conditions, std::uint32_t node, const FeatureFacts& facts) {
  return Expansion(conditions, facts).run(node);
}

}  // namespace postil
