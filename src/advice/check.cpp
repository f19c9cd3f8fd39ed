// check.cpp: rules against each other.
//
// Most pairs are decided without a search: each set has a point of its own, and two such points put together are a point of
// both, or can be made one; and a point of one set that is not in the other shows that it is not contained.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_set>

#include "conditions.hpp"
#include "one_hyperplane.hpp"
#include "postil/rules.hpp"
#include "postil/text.hpp"
#include "region.hpp"

namespace postil {
namespace {

constexpr std::size_t kLargestProgram = 400'000;  // sets times features, for one hyperplane obeying all
constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

// The ranges that a set gives single features, by feature: a quick look whether two sets can meet.
using SetRanges = std::vector<std::pair<std::uint32_t, Interval>>;

SetRanges ranges_of(const AdviceSet& set, const Box& box) {
  std::map<std::uint32_t, Interval> found;
  for (const AdviceRow& row : set.rows) {
    if (row.terms.size() != 1) continue;
    const std::uint32_t feature = row.terms[0].first;
    found.try_emplace(feature, Interval{box.low[feature], box.high[feature]}).first->second.narrow(row);
  }
  return {found.begin(), found.end()};
}

bool apart(const SetRanges& a, const SetRanges& b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (x->first == y->first && (x->second.above(y->second) || y->second.above(x->second))) return true;
    if (x->first <= y->first)
      ++x;
    else
      ++y;
  }
  return false;
}

// Of labels that are numbers, sets of opposite z contradict each other only where this holds: what the one calls the least lies
// above what the other calls the most. None: they are about classes, and do so wherever both hold.
std::optional<AdviceRow> crossing(const Advice& advice, const AdviceSet& a, const AdviceSet& b) {
  if (!advice.rules[a.rule].claim) return std::nullopt;
  const LinearFunction &low = (a.z > 0 ? a : b).target, &high = (a.z > 0 ? b : a).target;
  std::map<std::uint32_t, double> terms;  // high - low < 0
  for (const auto& [feature, coefficient] : high.terms) terms[feature] += coefficient;
  for (const auto& [feature, coefficient] : low.terms) terms[feature] -= coefficient;
  AdviceRow out{{}, low.constant - high.constant, true, false};
  for (const auto& [feature, coefficient] : terms)
    if (coefficient != 0) out.terms.emplace_back(feature, coefficient);
  return out;
}

// What a point must satisfy that shows a contradiction.
std::vector<const AdviceRow*> rows_of(const AdviceSet& a, const AdviceSet& b,
                                      const std::optional<AdviceRow>& crossing) {
  std::vector<const AdviceRow*> rows = pointers(a.rows);
  for (const AdviceRow& row : b.rows) rows.push_back(&row);
  if (crossing && !crossing->terms.empty()) rows.push_back(&*crossing);
  return rows;
}

// Whether wherever `b` speaks of a number, it says at least as much as `a`; of ends that differ only in their constants.
bool says_as_much(const std::optional<Claim>& b, const std::optional<Claim>& a) {
  if (!a || !b) return !a && !b;
  const auto covers = [](const std::optional<LinearFunction>& ends, const std::optional<LinearFunction>& of,
                         double sign) {
    return !of || (ends && ends->terms == of->terms && sign * ends->constant >= sign * of->constant);
  };
  return covers(b->low, a->low, 1) && covers(b->high, a->high, -1) && (b->strict || !a->strict);
}

class Checker {
 public:
  Checker(const Advice& advice, const CheckProgress& progress)
      : advice_(advice), progress_(progress), value_(advice.box.low.size()), mentioned_(advice.box.low.size()) {
    group_.assign(advice.box.low.size(), kNoGroup);
    for (std::uint32_t g = 0; g < advice.one_of.size(); ++g)
      for (const std::uint32_t feature : advice.one_of[g]) group_[feature] = g;
    for (const AdviceSet& set : advice.sets) {
      ranges_.push_back(ranges_of(set, advice.box));
      const std::optional<Point> found = find_point(pointers(set.rows), advice.box, advice.one_of);
      empty_.push_back(found ? 0 : 1);
      points_.emplace_back(found ? std::vector<std::pair<std::uint32_t, double>>(found->begin(), found->end())
                                 : std::vector<std::pair<std::uint32_t, double>>());
    }
  }

  RuleCheck run() {
    find_empty();
    find_pairs();
    find_directions();
    find_implied();
    find_satisfiable();
    return std::move(out_);
  }

 private:
  using Values = std::vector<std::pair<std::uint32_t, double>>;

  void find_empty() {
    out_.empty.resize(advice_.rules.size());
    for (std::size_t r = 0; r < advice_.rules.size(); ++r) out_.empty[r] = advice_.rules[r].dropped;
    for (std::size_t s = 0; s < advice_.sets.size(); ++s) {
      const AdviceSet& set = advice_.sets[s];
      if (empty_[s] != 0 && set.class_number == advice_.rules[set.rule].class_number) ++out_.empty[set.rule];
    }
  }

  // ---- rules that meet ----

  // Conflicts and overlaps, each pair of rules once per class.
  void find_pairs() {
    std::set<std::array<std::uint32_t, 3>> seen;
    const std::size_t n = advice_.sets.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (progress_ && i % 64 == 0) progress_(i, n);
      if (empty_[i] != 0) continue;
      for (std::size_t k = i + 1; k < n; ++k) {
        const AdviceSet &a = advice_.sets[i], &b = advice_.sets[k];
        if (a.rule == b.rule || empty_[k] != 0) continue;
        const bool same_class = a.class_number == b.class_number;
        if (same_class ? a.z == b.z : !(a.z > 0 && b.z > 0)) continue;
        if (seen.contains({a.rule, b.rule, a.class_number}) || !meet(i, k)) continue;
        seen.insert({a.rule, b.rule, a.class_number});
        (same_class ? out_.conflicts : out_.overlaps)
            .push_back({a.rule, b.rule, a.class_number, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k)});
      }
    }
  }

  // Directions of one column for one class: opposite, or said before.
  void find_directions() {
    std::map<std::tuple<std::uint32_t, std::uint32_t, double>, std::uint32_t> first;  // class, feature, sign: the rule
    for (std::uint32_t r = 0; r < advice_.rules.size(); ++r) {
      const CompiledRule& rule = advice_.rules[r];
      if (!rule.direction) continue;
      const auto [feature, z] = *rule.direction;
      if (const auto found = first.find({rule.class_number, feature, -z}); found != first.end())
        out_.opposed.push_back({found->second, r, rule.class_number});
      if (const auto [found, is_new] = first.try_emplace({rule.class_number, feature, z}, r); !is_new)
        out_.implied.push_back({r, found->second, rule.class_number});
    }
  }

  [[nodiscard]] bool meet(std::size_t i, std::size_t k) {
    if (apart(ranges_[i], ranges_[k])) return false;
    const std::optional<AdviceRow> cross = crossing(advice_, advice_.sets[i], advice_.sets[k]);
    if (cross && cross->terms.empty()) {
      if (!(cross->bound > 0)) return false;
    } else if (cross) {
      return find_point(rows_of(advice_.sets[i], advice_.sets[k], cross), advice_.box, advice_.one_of).has_value();
    }
    const auto larger = [](double x, double y) { return std::max(x, y); };
    const auto smaller = [](double x, double y) { return std::min(x, y); };
    return in_both(i, k, [](double x, double /*y*/) { return x; }) || in_both(i, k, larger) ||
           in_both(i, k, [](double /*x*/, double y) { return y; }) || in_both(i, k, smaller) ||
           find_point(rows_of(advice_.sets[i], advice_.sets[k], {}), advice_.box, advice_.one_of).has_value();
  }
  // Whether the points of both sets, put together, lie in both.
  template <class Choose>
  [[nodiscard]] bool in_both(std::size_t i, std::size_t k, const Choose& choose) {
    ++stamp_;
    for (const auto& [feature, value] : points_[i]) put(feature, value);
    for (const auto& [feature, value] : points_[k])
      put(feature, mentioned_[feature] == stamp_ ? choose(value_[feature], value) : value);
    std::unordered_set<std::uint32_t> taken;  // columns that have their category
    for (const Values* point : {&points_[i], &points_[k]})
      for (const auto& entry : *point)
        if (group_[entry.first] != kNoGroup && value_[entry.first] > 0 && mentioned_[entry.first] == stamp_) {
          mentioned_[entry.first] = 0;  // once
          if (value_[entry.first] != 1 || !taken.insert(group_[entry.first]).second) return false;
        }
    return holds(advice_.sets[i]) && holds(advice_.sets[k]);
  }
  void put(std::uint32_t feature, double value) {
    value_[feature] = value;
    mentioned_[feature] = stamp_;
  }
  [[nodiscard]] bool holds(const AdviceSet& set) const {
    return std::all_of(set.rows.begin(), set.rows.end(), [&](const AdviceRow& row) {
      double sum = 0;
      for (const auto& [feature, coefficient] : row.terms) sum += coefficient * value_[feature];
      return admits(row, sum);
    });
  }

  // ---- rules implied by another ----

  // Puts set i's point where leaves() looks for it.
  void stand_in(std::size_t i) {
    ++stamp_;
    for (const auto& [feature, value] : points_[i]) put(feature, value);
  }
  // Whether a point of the set that stand_in was called with, its free features chosen badly, breaks a row.
  [[nodiscard]] bool leaves(const AdviceRow& row) const {
    double most = 0;
    for (const auto& [feature, coefficient] : row.terms) {
      if (mentioned_[feature] == stamp_)
        most += coefficient * value_[feature];
      else if (group_[feature] == kNoGroup)
        most += coefficient * (coefficient > 0 ? advice_.box.high[feature] : advice_.box.low[feature]);
      else
        return false;  // at most one of a group: left to the search
    }
    return row.equality ? most > row.bound : !admits(row, most);
  }

  [[nodiscard]] bool contained(std::size_t i, std::size_t k) const {  // set i, which stands in, within set k
    const AdviceSet &a = advice_.sets[i], &b = advice_.sets[k];
    if (std::any_of(b.rows.begin(), b.rows.end(), [&](const AdviceRow& row) { return leaves(row); })) return false;
    for (const AdviceRow& row : b.rows) {
      AdviceRow beyond = row;  // a point of set i that breaks this row
      beyond.equality = false;
      beyond.strict = !row.strict;
      const auto meets = [&] {
        std::vector<const AdviceRow*> rows = pointers(a.rows);
        rows.push_back(&beyond);
        return find_point(rows, advice_.box, advice_.one_of).has_value();
      };
      for (auto& [feature, coefficient] : beyond.terms) coefficient = -coefficient;
      beyond.bound = -row.bound;
      if (meets()) return false;
      if (!row.equality) continue;
      beyond = row;
      beyond.equality = false;
      beyond.strict = true;
      if (meets()) return false;
    }
    return true;
  }

  void find_implied() {
    std::vector<std::vector<std::size_t>> sets(advice_.rules.size());
    for (std::size_t s = 0; s < advice_.sets.size(); ++s)
      if (empty_[s] == 0 && advice_.sets[s].class_number == advice_.rules[advice_.sets[s].rule].class_number)
        sets[advice_.sets[s].rule].push_back(s);
    const auto inside = [&](std::uint32_t a, std::uint32_t b) {
      return !sets[a].empty() && !advice_.rules[a].cut &&
             std::all_of(sets[a].begin(), sets[a].end(), [&](std::size_t i) {
               stand_in(i);
               return std::any_of(sets[b].begin(), sets[b].end(), [&](std::size_t k) { return contained(i, k); });
             });
    };
    for (std::uint32_t a = 0; a < advice_.rules.size(); ++a) {
      if (progress_ && a % 64 == 0) progress_(a, advice_.rules.size());
      for (std::uint32_t b = 0; b < advice_.rules.size(); ++b) {
        const CompiledRule &x = advice_.rules[a], &y = advice_.rules[b];
        if (a == b || x.class_number != y.class_number || x.positive != y.positive || !says_as_much(y.claim, x.claim) ||
            !inside(a, b))
          continue;
        if (a < b && says_as_much(x.claim, y.claim) && inside(b, a)) continue;  // the same: the later one is told
        out_.implied.push_back({a, b, x.class_number});
        break;
      }
    }
  }

  // ---- one hyperplane for all rules of a task ----

  [[nodiscard]] bool hyperplane(const std::vector<const AdviceSet*>& sets, const std::set<std::uint32_t>& rules,
                                const std::vector<std::uint32_t>& features) const {
    std::vector<HyperplaneDemand> demands;
    std::vector<Direction> signs;
    for (const AdviceSet* set : sets)
      if (rules.contains(set->rule))
        demands.push_back({&set->rows, set->z, advice_.rules[set->rule].claim ? 0.0 : 1.0, &set->target});
    for (const std::uint32_t rule : rules)
      if (const std::optional<Direction>& direction = advice_.rules[rule].direction) signs.push_back(*direction);
    return one_hyperplane_obeys(demands, features, advice_.box, advice_.one_of, signs);
  }

  void find_satisfiable() {
    std::map<std::uint32_t, std::vector<const AdviceSet*>> tasks;
    for (std::size_t s = 0; s < advice_.sets.size(); ++s)
      if (empty_[s] == 0) tasks[advice_.sets[s].class_number].push_back(&advice_.sets[s]);
    for (const auto& entry : tasks) {
      const std::uint32_t class_number = entry.first;
      const std::vector<const AdviceSet*>& sets = entry.second;
      std::set<std::uint32_t> features;
      std::set<std::uint32_t> rules;
      for (const AdviceSet* set : sets) {
        rules.insert(set->rule);
        for (const auto& [feature, coefficient] : set->target.terms) features.insert(feature);
        for (const AdviceRow& row : set->rows)
          for (const auto& [feature, coefficient] : row.terms) features.insert(feature);
      }
      for (std::uint32_t r = 0; r < advice_.rules.size(); ++r)
        if (advice_.rules[r].direction && advice_.rules[r].class_number == class_number) rules.insert(r);
      Satisfiable result{class_number, true, true, {}};
      const std::vector<std::uint32_t> used(features.begin(), features.end());
      // Opposite advice that meets settles it: no score is both above 0 and below.
      const auto conflict = std::find_if(out_.conflicts.begin(), out_.conflicts.end(),
                                         [&](const RulePair& pair) { return pair.class_number == class_number; });
      if (conflict != out_.conflicts.end()) {
        result.yes = false;
        result.core = {conflict->a, conflict->b};
      } else if (sets.size() * used.size() > kLargestProgram) {
        result.known = false;
      } else if (!hyperplane(sets, rules, used)) {
        result.yes = false;
        result.core = smallest_core({rules.begin(), rules.end()}, [&](const std::vector<std::uint32_t>& chosen) {
          return hyperplane(sets, {chosen.begin(), chosen.end()}, used);
        });
      }
      out_.satisfiable.push_back(std::move(result));
    }
  }

  const Advice& advice_;
  const CheckProgress& progress_;
  std::vector<SetRanges> ranges_;         // per set
  std::vector<std::uint8_t> empty_;       // per set
  std::vector<Values> points_;            // per set, one of its points
  std::vector<std::uint32_t> group_;      // per feature: the column whose category it is
  std::vector<double> value_;             // per feature, at the point looked at ...
  std::vector<std::uint64_t> mentioned_;  // ... where this is stamp_
  std::uint64_t stamp_ = 0;
  RuleCheck out_;
};

}  // namespace

RuleCheck check_rules(const Advice& advice, const CheckProgress& progress) { return Checker(advice, progress).run(); }

RawPoint witness(const Advice& advice, const RulePair& pair) {
  const AdviceSet &a = advice.sets[pair.set_a], &b = advice.sets[pair.set_b];
  const std::optional<AdviceRow> cross = crossing(advice, a, b);
  const std::optional<Point> found = find_point(rows_of(a, b, cross), advice.box, advice.one_of);
  RawPoint out;
  if (found) out.insert(found->begin(), found->end());
  for (auto& [feature, value] : out) value += 0.0;  // -0 is 0
  return out;
}

bool disagree(const CompiledRule& a, const CompiledRule& b, const Row& x, const Scaling& scaling) {
  if (a.claim && b.claim) {
    const Claim of_a = a.claim->in(scaling), of_b = b.claim->in(scaling);
    const auto above = [&](const std::optional<LinearFunction>& low, const std::optional<LinearFunction>& high) {
      return low && high && low->at(x) > high->at(x);
    };
    return above(of_a.low, of_b.high) || above(of_b.low, of_a.high);
  }
  return a.class_number == b.class_number ? a.positive != b.positive : a.positive && b.positive;
}

std::vector<NamedValue> named_values(const RawPoint& point, const Schema& schema) {
  std::vector<NamedValue> out;
  if (schema.sparse())
    for (const auto& [feature, value] : point)
      out.push_back({schema.feature_name(feature), format_number(value), false});
  for (const Column& column : schema.columns) {
    if (!column.categorical()) {
      if (const auto found = point.find(column.features[0]); found != point.end())
        out.push_back({column.name, column.text_of(found->second), false});
    } else {
      std::string best;
      double largest = 0.5;
      bool any = false;
      for (std::uint32_t k = 0; k < column.categories.size(); ++k) {
        const auto found = point.find(column.features[k]);
        any |= found != point.end();
        if (found == point.end() || found->second < largest) continue;
        largest = found->second;
        best = column.categories[k];
      }
      if (any) out.push_back({column.name, best, true});
    }
  }
  return out;
}

}  // namespace postil
