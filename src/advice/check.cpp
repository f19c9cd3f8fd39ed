// check.cpp: rules against each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "core/text.hpp"
#include "postil/rule_check.hpp"
#include "region.hpp"

namespace postil {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kLargestProgram = 400'000;  // sets times features, for one hyperplane obeying all
constexpr std::size_t kMostForPairs = 60, kMostForTriples = 20;

// The ranges that a set gives single features, by feature: a quick look whether two sets can meet.
using Ranges = std::vector<std::pair<std::uint32_t, Interval>>;

Ranges ranges_of(const AdviceSet& set, const Box& box) {
  std::map<std::uint32_t, Interval> found;
  for (const AdviceRow& row : set.rows) {
    if (row.terms.size() != 1) continue;
    const std::uint32_t feature = row.terms[0].first;
    found.try_emplace(feature, Interval{box.low[feature], box.high[feature]}).first->second.narrow(row);
  }
  return {found.begin(), found.end()};
}

bool apart(const Ranges& a, const Ranges& b) {
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (x->first == y->first && (x->second.above(y->second) || y->second.above(x->second))) return true;
    if (x->first <= y->first)
      ++x;
    else
      ++y;
  }
  return false;
}

RawPoint raw(const Point& point) {
  RawPoint out(point.begin(), point.end());
  for (auto& [feature, value] : out) value += 0.0;  // -0 is 0
  return out;
}

std::vector<const AdviceRow*> rows_of(const AdviceSet& a, const AdviceSet& b) {
  std::vector<const AdviceRow*> rows = pointers(a.rows);
  for (const AdviceRow& row : b.rows) rows.push_back(&row);
  return rows;
}

class Checker {
 public:
  Checker(const Advice& advice, const CheckProgress& progress) : advice_(advice), progress_(progress) {
    for (const AdviceSet& set : advice.sets) ranges_.push_back(ranges_of(set, advice.box));
  }

  RuleCheck run() {
    find_empty();
    find_pairs();
    find_implied();
    find_satisfiable();
    return std::move(out_);
  }

 private:
  void find_empty() {
    out_.empty.resize(advice_.rules.size());
    for (std::size_t r = 0; r < advice_.rules.size(); ++r) out_.empty[r] = advice_.rules[r].dropped;
    empty_.resize(advice_.sets.size());
    for (std::size_t s = 0; s < advice_.sets.size(); ++s) {
      const AdviceSet& set = advice_.sets[s];
      const bool own = set.class_number == advice_.rules[set.rule].class_number;
      empty_[s] = !find_point(pointers(set.rows), advice_.box, advice_.one_of);
      if (empty_[s] && own) ++out_.empty[set.rule];
    }
  }

  // Conflicts and overlaps, each pair of rules once per class.
  void find_pairs() {
    std::set<std::array<std::uint32_t, 3>> seen;
    const std::size_t n = advice_.sets.size();
    for (std::size_t i = 0; i < n; ++i) {
      if (progress_ && i % 64 == 0) progress_(i, n);
      for (std::size_t k = i + 1; k < n; ++k) {
        const AdviceSet &a = advice_.sets[i], &b = advice_.sets[k];
        if (a.rule == b.rule || empty_[i] || empty_[k]) continue;
        const bool same_class = a.class_number == b.class_number;
        if (same_class ? a.z == b.z : !(a.z > 0 && b.z > 0)) continue;
        if (seen.contains({a.rule, b.rule, a.class_number}) || apart(ranges_[i], ranges_[k])) continue;
        const std::optional<Point> witness = find_point(rows_of(a, b), advice_.box, advice_.one_of);
        if (!witness) continue;
        seen.insert({a.rule, b.rule, a.class_number});
        (same_class ? out_.conflicts : out_.overlaps).push_back({a.rule, b.rule, a.class_number, raw(*witness)});
      }
    }
  }

  // ---- rules implied by another ----

  [[nodiscard]] bool bounded_by(const AdviceSet& a, std::uint32_t feature, bool above) const {
    const double end = above ? advice_.box.high[feature] : advice_.box.low[feature];
    if (std::isfinite(end)) return true;
    for (const AdviceRow& row : a.rows)
      for (const auto& [f, coefficient] : row.terms)
        if (f == feature) return true;
    return false;
  }

  [[nodiscard]] bool contained(std::size_t i, std::size_t k) const {  // set i within set k
    const AdviceSet &a = advice_.sets[i], &b = advice_.sets[k];
    for (const AdviceRow& row : b.rows)  // a feature that set i leaves free cannot be held by it
      for (const auto& [feature, coefficient] : row.terms)
        if (!bounded_by(a, feature, coefficient > 0)) return false;
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
      if (!empty_[s] && advice_.sets[s].class_number == advice_.rules[advice_.sets[s].rule].class_number)
        sets[advice_.sets[s].rule].push_back(s);
    const auto inside = [&](std::uint32_t a, std::uint32_t b) {
      return !sets[a].empty() && std::all_of(sets[a].begin(), sets[a].end(), [&](std::size_t i) {
        return std::any_of(sets[b].begin(), sets[b].end(), [&](std::size_t k) { return contained(i, k); });
      });
    };
    for (std::uint32_t a = 0; a < advice_.rules.size(); ++a)
      for (std::uint32_t b = 0; b < advice_.rules.size(); ++b) {
        const CompiledRule &x = advice_.rules[a], &y = advice_.rules[b];
        if (a == b || x.class_number != y.class_number || x.positive != y.positive || !inside(a, b)) continue;
        if (a < b && inside(b, a)) continue;  // the same region: the later one is told
        out_.implied.push_back({a, b, x.class_number, {}});
        break;
      }
  }

  // ---- one hyperplane for all rules of a task ----

  // D_i'u_i + p_i - q_i + groups + z_i w = 0,  z_i b - d_i'u_i - high'p_i + low'q_i - groups >= 1 for all sets i
  [[nodiscard]] bool hyperplane(const std::vector<const AdviceSet*>& sets,
                                const std::vector<std::uint32_t>& features) const {
    LinearProgram program;
    std::map<std::uint32_t, std::uint32_t> w;
    for (const std::uint32_t feature : features) w[feature] = program.add_column(0, -kInfinity, kInfinity);
    const std::uint32_t b = program.add_column(0, -kInfinity, kInfinity);
    for (const AdviceSet* set : sets) {
      std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, double>>> balance;  // per feature
      std::vector<std::pair<std::uint32_t, double>> margin{{b, set->z}};
      for (const std::uint32_t feature : features) balance[feature].emplace_back(w.at(feature), set->z);
      const auto multiplier = [&](double d, bool free) {
        const std::uint32_t u = program.add_column(0, free ? -kInfinity : 0, kInfinity);
        if (d != 0) margin.emplace_back(u, -d);
        return u;
      };
      for (const AdviceRow& row : set->rows) {
        const std::uint32_t u = multiplier(row.bound, row.equality);
        for (const auto& [feature, coefficient] : row.terms) balance[feature].emplace_back(u, coefficient);
      }
      for (const std::uint32_t feature : features) {
        if (std::isfinite(advice_.box.high[feature]))
          balance[feature].emplace_back(multiplier(advice_.box.high[feature], false), 1);
        if (std::isfinite(advice_.box.low[feature]))
          balance[feature].emplace_back(multiplier(-advice_.box.low[feature], false), -1);
      }
      for (const std::vector<std::uint32_t>& group : advice_.one_of) {
        if (std::none_of(group.begin(), group.end(), [&](std::uint32_t f) { return w.contains(f); })) continue;
        const std::uint32_t u = multiplier(1, false);
        for (const std::uint32_t feature : group)
          if (w.contains(feature)) balance[feature].emplace_back(u, 1);
      }
      for (const auto& [feature, terms] : balance) program.add_row(terms, 0, 0);
      program.add_row(margin, 1, kInfinity);
    }
    return program.solve().status == LinearProgram::Status::optimal;
  }

  void find_satisfiable() {
    std::map<std::uint32_t, std::vector<const AdviceSet*>> tasks;
    for (std::size_t s = 0; s < advice_.sets.size(); ++s)
      if (!empty_[s]) tasks[advice_.sets[s].class_number].push_back(&advice_.sets[s]);
    for (const auto& entry : tasks) {
      const std::uint32_t class_number = entry.first;
      const std::vector<const AdviceSet*>& sets = entry.second;
      std::set<std::uint32_t> features;
      std::set<std::uint32_t> rules;
      for (const AdviceSet* set : sets) {
        rules.insert(set->rule);
        for (const AdviceRow& row : set->rows)
          for (const auto& [feature, coefficient] : row.terms) features.insert(feature);
      }
      Satisfiable result{class_number, true, true, {}};
      const std::vector<std::uint32_t> used(features.begin(), features.end());
      if (sets.size() * used.size() > kLargestProgram) {
        result.known = false;
        out_.satisfiable.push_back(std::move(result));
        continue;
      }
      // Opposite advice that meets settles it: no score is both above 0 and below.
      const auto conflict = std::find_if(out_.conflicts.begin(), out_.conflicts.end(),
                                         [&](const RulePair& pair) { return pair.class_number == class_number; });
      if (conflict != out_.conflicts.end()) {
        result.yes = false;
        result.core = {conflict->a, conflict->b};
      } else if (!hyperplane(sets, used)) {
        result.yes = false;
        result.core = smallest_core({rules.begin(), rules.end()}, [&](const std::vector<std::uint32_t>& chosen) {
          std::vector<const AdviceSet*> some;
          for (const AdviceSet* set : sets)
            if (std::find(chosen.begin(), chosen.end(), set->rule) != chosen.end()) some.push_back(set);
          return hyperplane(some, used);
        });
      }
      out_.satisfiable.push_back(std::move(result));
    }
  }

  // A smallest subset of rules that cannot be obeyed together: by trial for two and three rules where there are not too
  // many (one alone always can); beyond that one from which no rule can be taken away.
  template <class Possible>
  static std::vector<std::uint32_t> smallest_core(std::vector<std::uint32_t> rules, const Possible& possible) {
    const std::size_t n = rules.size();
    for (std::size_t i = 0; n <= kMostForPairs && i < n; ++i)
      for (std::size_t k = i + 1; k < n; ++k)
        if (!possible({rules[i], rules[k]})) return {rules[i], rules[k]};
    for (std::size_t i = 0; n <= kMostForTriples && i < n; ++i)
      for (std::size_t k = i + 1; k < n; ++k)
        for (std::size_t l = k + 1; l < n; ++l)
          if (!possible({rules[i], rules[k], rules[l]})) return {rules[i], rules[k], rules[l]};
    for (std::size_t many = std::max<std::size_t>(1, n / 2);; many /= 2) {  // many at a time, then fewer, then one
      for (std::size_t i = 0; i < rules.size();) {
        std::vector<std::uint32_t> without = rules;
        const auto from = without.begin() + static_cast<std::ptrdiff_t>(i);
        without.erase(from, from + static_cast<std::ptrdiff_t>(std::min(many, without.size() - i)));
        if (without.empty() || possible(without))
          i += many;
        else
          rules = std::move(without);
      }
      if (many == 1) return rules;
    }
  }

  const Advice& advice_;
  const CheckProgress& progress_;
  std::vector<Ranges> ranges_;
  std::vector<std::uint8_t> empty_;  // per set
  RuleCheck out_;
};

}  // namespace

RuleCheck check_rules(const Advice& advice, const CheckProgress& progress) { return Checker(advice, progress).run(); }

std::vector<NamedValue> named_values(const RawPoint& point, const Schema& schema) {
  std::vector<NamedValue> out;
  std::uint32_t first = 0;
  if (schema.anonymous)
    for (const auto& [feature, value] : point)
      out.push_back({schema.feature_name(feature), format_number(value), false});
  for (const Column& column : schema.columns) {
    const std::uint32_t features = column.features();
    if (column.kind != Kind::categorical) {
      if (const auto found = point.find(first); found != point.end())
        out.push_back({column.name, format_number(found->second), false});
    } else {
      std::string best;
      double largest = 0.5;
      bool any = false;
      for (std::uint32_t k = 0; k < column.categories.size(); ++k) {
        const auto found = point.find(first + k);
        any |= found != point.end();
        if (found == point.end() || found->second < largest) continue;
        largest = found->second;
        best = column.categories[k];
      }
      if (any) out.push_back({column.name, best, true});
    }
    first += features;
  }
  return out;
}

}  // namespace postil
