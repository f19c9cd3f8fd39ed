// repair.cpp: what labelled rows say a rule should have been (docs/how-to/improve-rules.md).
//
// Numbers     Where all else in a rule holds, one comparison decides whether the rule does. The share of rows on which the rule would
//             be right changes along the values compared: solvers/change_point.hpp finds where, with an interval, and how often
//             chance would find as much if the number as it stands were right.
// Conditions  that are there: the rows that only this one keeps out. They are one side of a table of two by two, all other rows on
//             which the rule does not hold are the other, and p is that of Fisher's exact test that the first are no more often right.
//             Besides, they must not be less often right than those that the condition lets in.
//             that are not: among the rows on which the rule holds, each column has a change point of its own, upwards and downwards,
//             and each category is a table of two by two; p is from permutations, too.
// Honesty     Half of the chance allowed goes to what is there, half to what is not; within each half Holm's correction (1979) counts
//             every comparison, column and direction looked at   [holm1979simple]
#include "postil/repair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "advice/make_condition.hpp"
#include "advice/rule_parts.hpp"
#include "advice/rule_truth.hpp"
#include "chances.hpp"
#include "core/math.hpp"
#include "postil/error.hpp"
#include "postil/watch.hpp"
#include "round_number.hpp"
#include "solvers/change_point.hpp"

namespace postil {
namespace {

constexpr std::size_t kRowsAtOnce = 4096, kMostBins = 128, kMostLines = 20, kMostCategories = 50;
constexpr std::uint64_t kLeastRows = 5;  // labelled rows that a changed comparison must still hold on
constexpr double kAnyChance = 0.05;      // of any proposal, where labels have nothing to do with the columns
constexpr double kNotLess = 0.2;         // p below which rows that a condition keeps out are less often right

struct Seen {
  double value = 0;
  bool hit = false;
};

std::vector<HitBin> binned(std::vector<Seen> seen) {
  std::sort(seen.begin(), seen.end(), [](const Seen& a, const Seen& b) { return a.value < b.value; });
  std::vector<HitBin> out;
  for (const Seen& s : seen) {
    if (out.empty() || out.back().high != s.value) out.push_back({s.value, s.value, 0, 0});
    ++out.back().count;
    out.back().hits += s.hit ? 1 : 0;
  }
  return out;
}

Gap gap_at(std::span<const HitBin> bins, std::size_t boundary, bool low_belongs) {
  return {boundary == 0 ? -kInfinity : bins[boundary - 1].high,
          boundary == bins.size() ? kInfinity : bins[boundary].low, low_belongs};
}

// The number in an interval of boundaries that is as round as the one that was written, or finer where none that round lies in it.
struct Rounded {
  double number = 0;
  Decimals step;
};
std::optional<Rounded> rounded(std::span<const HitBin> bins, const std::vector<double>& likely, const ChangePoint& at,
                               bool low_belongs, Decimals coarsest) {
  constexpr int kFiner = 12;
  for (Decimals step = coarsest; step.digits > coarsest.digits - kFiner; --step.digits) {
    std::optional<double> best;
    double of_best = -kInfinity;
    for (std::size_t b = at.first; b <= at.last; ++b) {
      if (!(likely[b] > of_best)) continue;
      if (const auto number = multiple_in(gap_at(bins, b, low_belongs), step)) {
        best = number;
        of_best = likely[b];
      }
    }
    if (best && 2 * (at.log_likelihood - of_best) <= kChangeInterval) return Rounded{*best, step};
  }
  return std::nullopt;
}

// ---- the rows, once for all questions ----

struct Scan {  // of a comparison
  const ComparedNumber* number = nullptr;
  ConditionPart part;
  std::vector<Seen> seen;
  RuleRepair::Record always;  // where the rule holds whatever the number
};

struct Exclusion {  // by a condition
  const JoinedCondition* joined = nullptr;
  ConditionPart part;
  RuleRepair::Record out, in;  // rows on which all other conditions hold
};

struct RuleRows {
  RuleRepair::Record on;               // where it holds
  std::uint64_t agreeing = 0;          // labelled rows, wherever, that are what it says
  std::vector<std::uint32_t> numbers;  // of those on which it holds ...
  std::vector<bool> right;             // ... and where it is right
};

// Up to 64 labelled rows: what conditions are on them, and where each rule is right, whether it holds there or not.
struct RowsAtHand {
  RuleTruth& truth;
  std::vector<RuleTruth::Word> right;
  RuleTruth::Word here;  // a bit for each
  std::uint32_t number;  // of the first among all
};

std::vector<RuleTruth::Word> right_of(const Advice& advice, const Schema& schema, const Block& encoded,
                                      std::size_t first, std::size_t rows) {
  std::vector<RuleTruth::Word> out(advice.rules.size());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t r = 0; r < advice.rules.size(); ++r)
      if (advice.rules[r].agrees(encoded.labels()[first + i], encoded.row(first + i), schema.scaling))
        out[r] |= RuleTruth::Word(1) << i;
  return out;
}

// All labelled rows in turn: f(RowsAtHand).
template <class F>
void for_all_rows(const DataSet& data, const Advice& advice, const Schema& schema, const F& f) {
  RuleTruth truth(advice, schema, data.table());
  Encoder encoder(schema, data.table());
  std::vector<std::uint32_t> numbers;
  for (std::size_t begin = 0; begin < data.rows(); begin += kRowsAtOnce) {
    numbers.resize(std::min(kRowsAtOnce, data.rows() - begin));
    std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(begin));
    const Block raw = data.select(numbers), encoded = encoder.encode(data.select(numbers));
    for (std::size_t first = 0; first < raw.rows(); first += RuleTruth::kTogether) {
      const std::size_t rows = truth.look_at(raw, first);
      const RuleTruth::Word all = ~RuleTruth::Word(0);
      f(RowsAtHand{truth, right_of(advice, schema, encoded, first, rows), all >> (RuleTruth::kTogether - rows),
                   static_cast<std::uint32_t>(begin + first)});
    }
    look_up();
  }
}

template <class F>
void for_each_bit(RuleTruth::Word word, const F& f) {
  for (; word != 0; word &= word - 1) f(static_cast<std::size_t>(std::countr_zero(word)));
}

RuleRepair::Record record_of(RuleTruth::Word rows, RuleTruth::Word right) {
  return {static_cast<std::uint64_t>(std::popcount(rows)), static_cast<std::uint64_t>(std::popcount(rows & right))};
}
void add(RuleRepair::Record& to, const RuleRepair::Record& more) {
  to.rows += more.rows;
  to.right += more.right;
}

// ---- proposals ----

struct Proposal {
  RuleRepair repair;
  double p = 1;     // of its question alone
  double gain = 0;  // among those for the same rule
};

class Repairer {
 public:
  Repairer(const RuleFile& file, const Advice& advice, const Schema& schema, const DataSet& data,
           const RepairOptions& options)
      : file_(file),
        advice_(advice),
        schema_(schema),
        data_(data),
        options_(options),
        parts_(parts_of_rules(file, schema, advice)),
        rules_(advice.rules.size()) {}

  RepairReport run() {
    report_.labelled = data_.rows();
    look();
    total_ = scans_.size() + count_additions();
    for (const Scan& scan : scans_) weigh_number(scan);
    weigh_exclusions();
    weigh_additions();
    choose();
    try_out();
    return std::move(report_);
  }

 private:
  void look() {
    for (const ComparedNumber& number : parts_.numbers)
      scans_.push_back({&number, {advice_.conditions, number.node, advice_.rules[number.rule].condition}, {}, {}});
    for (const JoinedCondition& joined : parts_.joined)
      exclusions_.push_back({&joined, {advice_.conditions, joined.node, advice_.rules[joined.rule].condition}, {}, {}});
    for_all_rows(data_, advice_, schema_, [&](const RowsAtHand& rows) {
      for (std::size_t r = 0; r < rules_.size(); ++r) look_at_rule(rows, r);
      for (Scan& scan : scans_) look_at_number(rows, scan);
      for (Exclusion& exclusion : exclusions_) look_at_condition(rows, exclusion);
    });
  }
  void look_at_rule(const RowsAtHand& rows, std::size_t r) {
    const RuleTruth::Word on = rows.truth.truth(advice_.rules[r].condition) & rows.here, right = rows.right[r];
    add(rules_[r].on, record_of(on, right));
    rules_[r].agreeing += static_cast<std::uint64_t>(std::popcount(right));
    for_each_bit(on, [&](std::size_t i) {
      rules_[r].numbers.push_back(rows.number + static_cast<std::uint32_t>(i));
      rules_[r].right.push_back((right >> i & 1) != 0);
    });
  }
  void look_at_number(const RowsAtHand& rows, Scan& scan) const {
    const ComparedNumber& n = *scan.number;
    const RuleTruth::Word decided = rows.truth.decided_by(scan.part) & rows.here, right = rows.right[n.rule];
    add(scan.always, record_of(rows.truth.truth(scan.part.whole) & rows.here & ~decided, right));
    if (decided == 0) return;
    std::array<double, RuleTruth::kTogether> sums;
    rows.truth.sums(advice_.conditions.nodes[n.node].row, sums.data());
    for_each_bit(decided, [&](std::size_t i) {
      if (const double value = n.sign * (sums[i] - n.offset); !std::isnan(value))
        scan.seen.push_back({value + 0.0, (right >> i & 1) != 0});
    });
  }
  void look_at_condition(const RowsAtHand& rows, Exclusion& exclusion) const {
    const RuleTruth::Word decided = rows.truth.decided_by(exclusion.part) & rows.here;
    const RuleTruth::Word in = decided & rows.truth.truth(exclusion.part.part);
    add(exclusion.in, record_of(in, rows.right[exclusion.joined->rule]));
    add(exclusion.out, record_of(decided & ~in, rows.right[exclusion.joined->rule]));
  }

  void progress() {
    look_up();
    if (options_.progress) options_.progress(++done_, total_);
  }

  void weigh_number(const Scan& scan) {
    progress();
    const ComparedNumber& n = *scan.number;
    NumberEvidence& evidence = report_.numbers.emplace_back();
    evidence.rule = n.rule;
    evidence.text = n.text;
    evidence.number = n.number;
    evidence.above = n.above();
    evidence.written = n.written;
    evidence.rows = scan.seen.size();
    Proposal& proposal = numbers_.emplace_back();
    std::vector<HitBin> bins = binned(scan.seen);
    if (bins.empty()) return;
    const auto is_below = [&](const HitBin& bin) {
      return n.at_is_below() ? bin.high <= n.number : bin.high < n.number;
    };
    const auto named =
        static_cast<std::size_t>(std::partition_point(bins.begin(), bins.end(), is_below) - bins.begin());
    const ChangeSide side{n.above(), kLeastRows};
    const ChangePoint found = change_point(bins, named, side);
    draw_curve(scan, bins, n, evidence);
    if (!std::isfinite(found.log_likelihood)) return;
    Random random(options_.seed + report_.numbers.size());
    std::vector<HitBin> coarse = bins;
    const std::size_t boundary = coarsen(coarse, named, kMostBins);
    const auto [redrawn_first, redrawn_last] = redrawn_interval(coarse, side, random);
    const Gap from = gap_at(bins, found.first, false), from_redrawn = gap_at(coarse, redrawn_first, false);
    const Gap until = gap_at(bins, found.last, false), until_redrawn = gap_at(coarse, redrawn_last, false);
    const double low = std::min(from.low, from_redrawn.low), high = std::max(until.high, until_redrawn.high);
    const std::vector<double> likely = log_likelihoods(bins, side);
    const std::optional<Rounded> best = rounded(bins, likely, found, n.at_is_below(), step_for(n));
    if (!best) return;
    evidence.best = best->number;
    const auto inward = [&](double end, double direction) -> std::optional<double> {
      if (!std::isfinite(end)) return std::nullopt;
      const double k = best->step.in(end);
      const double to = best->step.times(direction > 0 ? std::ceil(k) : std::floor(k)) + 0.0;
      return direction > 0 ? std::min(to, best->number) : std::max(to, best->number);
    };
    evidence.low = inward(low, 1);
    evidence.high = inward(high, -1);
    const bool outside = (evidence.low && n.number < *evidence.low) || (evidence.high && n.number > *evidence.high);
    if (found.gain > 0 && outside) {
      const double gain = coarse.size() == bins.size() ? found.gain : change_point(coarse, boundary, side).gain;
      proposal.p = chance_of_gain(coarse, boundary, side, gain, random);
    }
    proposal.gain = found.gain;
    proposal.repair.edit = {.rule = n.rule, .path = n.path, .operand = n.operand, .number = best->number};
    proposal.repair.before = n.text;
    proposal.repair.written = n.written;
    proposal.repair.low = evidence.low;
    proposal.repair.high = evidence.high;
  }
  [[nodiscard]] static Decimals step_for(const ComparedNumber& n) {
    return n.written == Kind::date ? Decimals{0} : step_of(n.number);
  }

  // The rule's record with other numbers.
  void draw_curve(const Scan& scan, std::span<const HitBin> bins, const ComparedNumber& n, NumberEvidence& to) const {
    RuleRepair::Record all = scan.always;
    if (n.above())
      for (const HitBin& bin : bins) add(all, {bin.count, bin.hits});
    const std::size_t every = bins.size() / NumberEvidence::kPoints + 1;
    for (std::size_t b = 0; b <= bins.size(); ++b) {
      if (b % every == 0 && b > 0 && b < bins.size())
        if (const auto number = roundest_in(gap_at(bins, b, n.at_is_below()))) to.curve.push_back({*number, all});
      if (b == bins.size()) break;
      if (n.above())
        all = {all.rows - bins[b].count, all.right - bins[b].hits};
      else
        add(all, {bins[b].count, bins[b].hits});
    }
  }

  void weigh_exclusions() {
    for (const Exclusion& e : exclusions_) {
      Proposal& proposal = drops_.emplace_back();
      const RuleRows& rule = rules_[e.joined->rule];
      proposal.gain = static_cast<double>(e.out.right);
      proposal.repair.edit = {.kind = RuleEdit::Kind::drop, .rule = e.joined->rule, .part = e.joined->part};
      proposal.repair.before = e.joined->text;
      if (e.out.rows < kLeastRows) continue;
      const RuleRepair::Record outside{report_.labelled - rule.on.rows, rule.agreeing - rule.on.right};
      const double no_more =
          1 - chance_of_hits(e.out.right + 1, e.out.rows, e.out.rows + e.in.rows, e.out.right + e.in.right);
      if (no_more < kNotLess) continue;
      proposal.p = chance_of_hits(e.out.right, e.out.rows, outside.rows, outside.right);
    }
  }

  // ---- conditions that are not there ----

  [[nodiscard]] bool can_be_added(const Column& column) const {
    return column.categorical() ? column.categories.size() <= kMostCategories : !column.features.empty();
  }
  [[nodiscard]] bool can_have_more(std::size_t rule) const {
    const RuleRows& rows = rules_[rule];
    return !advice_.rules[rule].direction && rows.on.rows >= 2 * kLeastRows && rows.on.right < rows.on.rows &&
           rows.on.right > 0;
  }
  [[nodiscard]] std::size_t count_additions() const {
    std::size_t of_columns = 0;
    for (const Column& column : schema_.columns)
      if (can_be_added(column)) of_columns += column.categorical() ? 2 * column.categories.size() : 2;
    std::size_t rules = 0;
    for (std::size_t r = 0; r < rules_.size(); ++r) rules += can_have_more(r) ? 1 : 0;
    return rules * of_columns;
  }

  void weigh_additions() {
    for (std::uint32_t r = 0; r < rules_.size() && !schema_.sparse(); ++r) {
      if (!can_have_more(r)) continue;
      const Block rows = data_.select(rules_[r].numbers);
      for (std::uint32_t j = 0; j < schema_.columns.size(); ++j) {
        if (!can_be_added(schema_.columns[j])) continue;
        if (schema_.columns[j].categorical())
          add_categories(r, j, rows);
        else
          add_number(r, j, rows);
      }
    }
  }

  void consider(std::uint32_t rule, std::span<const HitBin> bins, bool above,
                const std::function<Condition(std::size_t boundary)>& condition) {
    progress();
    const ChangeSide side{above, kLeastRows};
    const std::size_t nothing = above ? 0 : bins.size();  // every row is on the side where the rule holds
    const ChangePoint found = change_point(bins, nothing, side);
    Proposal& proposal = additions_.emplace_back();
    if (!(found.gain > 0) || found.best == nothing) return;
    std::vector<HitBin> coarse(bins.begin(), bins.end());
    const std::size_t boundary = coarsen(coarse, nothing, kMostBins);
    Random random(options_.seed + 1'000'003 * additions_.size());
    const double gain = coarse.size() == bins.size() ? found.gain : change_point(coarse, boundary, side).gain;
    proposal.p = chance_of_gain(coarse, boundary, side, gain, random);
    proposal.gain = found.gain;
    proposal.repair.edit = {.kind = RuleEdit::Kind::add, .rule = rule, .condition = condition(found.best)};
    proposal.repair.after = print(*proposal.repair.edit.condition);
  }

  // The rule compares the column already, in this direction.
  [[nodiscard]] bool compares(std::uint32_t rule, const Column& column, bool above) const {
    const auto leaves = advice_.conditions.leaves(advice_.rules[rule].condition);
    return std::any_of(leaves.begin(), leaves.end(), [&](const Conditions::Node* leaf) {
      return leaf->kind == Conditions::Node::Kind::row && leaf->row.terms.size() == 1 &&
             leaf->row.terms[0].first == column.features[0] && (leaf->row.terms[0].second < 0) == above;
    });
  }
  void add_number(std::uint32_t rule, std::uint32_t j, const Block& rows) {
    const Column& column = schema_.columns[j];
    std::vector<Seen> seen;
    for (std::size_t i = 0; i < rows.rows(); ++i)
      if (const double value = rows.row(i).value(j); !std::isnan(value)) seen.push_back({value, rules_[rule].right[i]});
    const std::vector<HitBin> bins = binned(std::move(seen));
    for (const bool above : {true, false})
      if (!compares(rule, column, above))
        consider(rule, bins, above, [&](std::size_t b) {
          const double number = *roundest_in(gap_at(bins, b, !above));
          return comparison(column.name, above ? Relation::at_least : Relation::at_most,
                            number_term(number, column.written()));
        });
  }
  void add_categories(std::uint32_t rule, std::uint32_t j, const Block& rows) {
    const Column& column = schema_.columns[j];
    const std::vector<std::string>& texts = data_.table().columns[j].texts;
    std::map<std::string, RuleRepair::Record> records;
    RuleRepair::Record all;
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const double code = rows.row(i).value(j);
      if (std::isnan(code)) continue;
      const RuleRepair::Record one{1, rules_[rule].right[i] ? 1U : 0U};
      add(records[texts[static_cast<std::size_t>(code)]], one);
      add(all, one);
    }
    for (const std::string& category : column.categories) {
      const RuleRepair::Record own = records[category];
      const HitBin other{0, 0, all.rows - own.rows, all.right - own.right}, is{1, 1, own.rows, own.right};
      for (const bool above : {true, false})
        consider(rule, std::vector{other, is}, above, [&](std::size_t) {
          return comparison(column.name, above ? Relation::equal : Relation::unequal, category_term(category));
        });
    }
  }

  // ---- which are made ----

  void choose() {
    std::vector<double*> there, new_ones;
    for (Proposal& p : numbers_) there.push_back(&p.p);
    for (Proposal& p : drops_) there.push_back(&p.p);
    for (Proposal& p : additions_) new_ones.push_back(&p.p);
    correct_for_number(there);
    correct_for_number(new_ones);
    for (std::size_t k = 0; k < numbers_.size(); ++k) report_.numbers[k].chance = std::min(1.0, 2 * numbers_[k].p);
    const auto made = [&](const Proposal& p) { return 2 * p.p <= kAnyChance; };
    const auto best_of_rule = [&](const std::vector<Proposal>& all, std::uint32_t rule) {
      const Proposal* best = nullptr;
      for (const Proposal& p : all)
        if (made(p) && p.repair.edit.rule == rule && (best == nullptr || p.gain > best->gain)) best = &p;
      if (best != nullptr) take(*best);
    };
    for (std::uint32_t r = 0; r < rules_.size(); ++r) {
      for (const Proposal& p : numbers_)
        if (made(p) && p.repair.edit.rule == r) take(p);
      best_of_rule(drops_, r);
      best_of_rule(additions_, r);
    }
  }
  void take(const Proposal& proposal) {
    RuleRepair repair = proposal.repair;
    repair.chance = 2 * proposal.p;
    RuleFile edited = alone(repair.edit.rule);
    RuleEdit edit = repair.edit;
    edit.rule = 0;
    try {
      edited = with_edits(edited, std::span(&edit, 1));
      (void)compile_rules(edited, schema_);
    } catch (const Error&) {
      return;  // nothing would be left of the rule, or no row could satisfy it
    }
    repair.rule = print(*rule_statements(edited)[0]);
    if (repair.edit.kind == RuleEdit::Kind::move) repair.after = text_of(repair.edit.number, repair.written);
    for (Statement& statement : edited.statements)
      if (std::holds_alternative<RuleStatement>(statement.what)) edited_.push_back(std::move(statement));
    report_.repairs.push_back(std::move(repair));
  }

  // One rule of the file, and all that is no rule.
  [[nodiscard]] RuleFile alone(std::uint32_t rule) const {
    RuleFile out{.source = file_.source, .text = {}, .statements = {}, .end = {}};
    std::uint32_t seen = 0;
    for (const Statement& statement : file_.statements)
      if (!std::holds_alternative<RuleStatement>(statement.what) || seen++ == rule) out.statements.push_back(statement);
    return out;
  }

  // The changed rules are compiled and applied beside the rules as they are: what is told of them is what they do.
  void try_out() {
    if (edited_.empty()) return;
    RuleFile file = alone(UINT32_MAX);
    file.statements.insert(file.statements.end(), edited_.begin(), edited_.end());
    const Advice changed = compile_rules(file, schema_);
    std::vector<std::vector<std::uint64_t>> holds(edited_.size(), std::vector<std::uint64_t>((data_.rows() + 63) / 64));
    for_all_rows(data_, changed, schema_, [&](const RowsAtHand& rows) {
      for (std::size_t k = 0; k < edited_.size(); ++k) {
        const RuleTruth::Word on = rows.truth.truth(changed.rules[k].condition) & rows.here;
        add(report_.repairs[k].would, record_of(on, rows.right[k]));
        holds[k][rows.number / RuleTruth::kTogether] = on;
      }
    });
    for (std::size_t k = 0; k < edited_.size(); ++k) {
      RuleRepair& repair = report_.repairs[k];
      const RuleRows& rule = rules_[repair.edit.rule];
      repair.was = rule.on;
      for (const std::uint32_t row : rule.numbers) holds[k][row / 64] ^= std::uint64_t{1} << (row % 64);
      for (std::size_t w = 0; w < holds[k].size(); ++w)
        for_each_bit(holds[k][w], [&](std::size_t i) {
          ++repair.changed;
          if (repair.lines.size() < kMostLines) repair.lines.push_back(data_.line(64 * w + i));
        });
    }
  }

  const RuleFile& file_;
  const Advice& advice_;
  const Schema& schema_;
  const DataSet& data_;
  const RepairOptions& options_;
  RuleParts parts_;
  std::vector<RuleRows> rules_;
  std::vector<Scan> scans_;
  std::vector<Exclusion> exclusions_;
  std::vector<Proposal> numbers_, drops_, additions_;  // numbers_: as report_.numbers
  std::vector<Statement> edited_;                      // the rule of each repair
  RepairReport report_;
  std::uint64_t done_ = 0, total_ = 0;
};

}  // namespace

std::string_view word(RuleEdit::Kind kind) {
  constexpr std::string_view kWords[] = {"move", "drop", "add"};
  return kWords[static_cast<std::size_t>(kind)];
}

RepairReport suggest_repairs(const RuleFile& file, const Advice& advice, const Schema& schema, const DataSet& data,
                             const RepairOptions& options) {
  return Repairer(file, advice, schema, data, options).run();
}

}  // namespace postil
