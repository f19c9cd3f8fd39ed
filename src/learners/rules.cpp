// rules.cpp: the rules as written, as a classifier.
//
// Source   Votes of rules, each counted by how often it is right: Ratner et al., Snorkel, VLDB 2017, section 2, without a model
//          of how rules depend on each other   [ratner2017snorkel]
// Problem  (1)  h_i = (a_i n_i + k_i)/(n_i + m_i)   how often rule i is right: a_i as its author says, as if seen on n_i rows,
//                                                   and k_i times among the m_i labelled rows on which it held
//          (2)  v(x) = sum of z_i g(h_i) over the rules that hold on x,   g(h) = max(ln h/(1 - h), g0)
//          (3)  f(x) = v(x); where that is 0, since no rule holds or they cancel, the prior o = ln (n+ + 1)/(n- + 1), n+ and n-
//               being the labelled rows on which no rule held or they cancelled
// Updates  k_i, m_i, n+ and n- count; nothing else is learned.
// Cost     O(rules that hold on x) a round.
// Choices  A rule never votes against what it says: g is at least g0 = 1/100. Who wants that learned takes `advised`.
//          Where these are as many, as before the first label, o is for the one that the rules name least, and weaker
//          than any vote.
//          Of several classes, a rule for one of them votes against each of the others.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "advice/rule_votes.hpp"
#include "core/math.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "rule_places.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    number_param("sure", "a", kUnsaidSure, Range::unit,
                 "share of rows on which a rule is assumed to be right if its author does not say"),
    number_param("rows", "n", 10, Range::non_negative,
                 "how many labelled rows this assumption, or the author's statement, counts for"),
    choice_or_number_param(
        "prior", "", "labels", Range::unit, "labels",
        "share of the positive class where no rule holds: taken from the labels there, or this number")};

class RulesAsWritten final : public Learner {
 public:
  explicit RulesAsWritten(const Params& params) : sure_(params.number("sure")), rows_(params.number("rows")) {
    if (!params.is_word("prior")) given_ = params.number("prior");
  }

  void take_advice(const TaskAdvice& advice) override {
    std::map<std::pair<std::string, double>, std::pair<double, double>> counted;  // of rules that stay: k_i, m_i
    for (std::size_t i = 0; i < rules_.size(); ++i) counted[{rules_[i].text, rules_[i].z}] = {hits_[i], held_[i]};
    restore_advice(advice);
    hits_.assign(rules_.size(), 0);
    held_.assign(rules_.size(), 0);
    for (std::size_t i = 0; i < rules_.size(); ++i)
      if (const auto found = counted.find({rules_[i].text, rules_[i].z}); found != counted.end())
        std::tie(hits_[i], held_[i]) = found->second;
    weigh();
  }
  void restore_advice(const TaskAdvice& advice) override {
    rules_ = advice.rules;
    places_ = RulePlaces(rules_);
  }
  bool turn_round() override {
    std::swap(positive_, negative_);
    for (TaskAdvice::Rule& rule : rules_) rule.z = -rule.z;
    weigh();
    return true;
  }
  void grow(std::size_t /*features*/) override {}

  [[nodiscard]] double score(const Row& x) const override {  // (3)
    const double v = votes_on(x);
    return v != 0 ? v : prior();
  }
  [[nodiscard]] std::optional<Votes> votes(const Row& x) const override {
    Votes out;
    places_.for_each(x, [&](std::size_t i) { out.rules.emplace_back(rules_[i].number, votes_[i]); });
    out.otherwise = prior();
    return out;
  }
  Step learn(const Row& x, double y, double weight) override {
    const double v = votes_on(x);
    const Step step{.score = v != 0 ? v : prior(), .updated = true};
    if (v == 0) (y > 0 ? positive_ : negative_) += weight;
    places_.for_each(x, [&](std::size_t i) {
      held_[i] += weight;
      if (rules_[i].z * y > 0) hits_[i] += weight;
      votes_[i] = vote(i);
    });
    return step;
  }

  void write(StateWriter& out) const override { state(*this, out); }
  void read(StateReader& in) override {
    state(*this, in);
    if (whole()) weigh();
  }
  template <class Self, class Archive>
  static void state(Self& self, Archive& archive) {
    archive.tensor("hits", self.hits_);
    archive.tensor("held", self.held_);
    archive.number("positive", self.positive_);
    archive.number("negative", self.negative_);
  }
  [[nodiscard]] bool fits(std::size_t /*features*/) const override { return whole(); }
  [[nodiscard]] std::optional<LinearModel> linear() const override { return std::nullopt; }
  [[nodiscard]] std::optional<ScoreFormula> formula() const override {
    ScoreFormula out;
    out.voices = votes_;
    for (const TaskAdvice::Rule& rule : rules_) out.rules.push_back(rule.number);
    out.limit = kInfinity;
    out.silent = prior();
    out.silent_if_cancelled = true;
    out.parts.push_back({.vote = 1});
    return out;
  }

 private:
  static constexpr double kNegative = -1e-6;  // o where nothing speaks for either class

  [[nodiscard]] double vote(std::size_t i) const {
    const TaskAdvice::Rule& rule = rules_[i];
    const double a = rule.sure ? rule.sure->rate : sure_, n = rule.sure ? rule.sure->rows.value_or(rows_) : rows_;
    const double seen = n + held_[i];
    const double h = seen > 0 ? (a * n + hits_[i]) / seen : a;  // (1)
    return rule.z * vote_of(h);
  }
  [[nodiscard]] double votes_on(const Row& x) const {  // (2)
    double v = 0;
    places_.for_each(x, [&](std::size_t i) { v += votes_[i]; });
    return v;
  }
  [[nodiscard]] double prior() const {
    if (given_) return log_odds(*given_);
    if (positive_ != negative_) return portable_log((positive_ + 1) / (negative_ + 1));
    return rules_.empty() && positive_ == 0 ? 0 : unnamed_;  // 0: nobody has said anything yet
  }
  void weigh() {
    votes_.resize(rules_.size());
    unnamed_ = kNegative;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      votes_[i] = vote(i);
      if (rules_[i].own) unnamed_ -= kWeakestVote * rules_[i].z / static_cast<double>(rules_.size() + 1);
    }
  }
  [[nodiscard]] bool whole() const {
    const auto is_count = [](double value) { return value >= 0 && std::isfinite(value); };
    return hits_.size() == rules_.size() && held_.size() == rules_.size() && is_count(positive_) &&
           is_count(negative_) && std::all_of(hits_.begin(), hits_.end(), is_count) &&
           std::all_of(held_.begin(), held_.end(), is_count);
  }

  double sure_, rows_;
  std::optional<double> given_;  // the prior, if the user has said it
  std::vector<TaskAdvice::Rule> rules_;
  RulePlaces places_;                   // in the lists below
  std::vector<double> hits_, held_;     // k_i, m_i
  double positive_ = 0, negative_ = 0;  // n+, n-
  std::vector<double> votes_;           // z_i g(h_i)
  double unnamed_ = kNegative;          // o where n+ = n-
};

constexpr std::string_view kPage = R"(
The rules exactly as they are written, as a classifier: what they say where they hold, elsewhere the class that is usual there. It is what advice is worth before anything is learned from it, and the line that every learner with rules has to beat.

**Problem.** Every rule that holds on a row votes for what it says, with $g(h_i) = \ln\frac{h_i}{1 - h_i}$, where $h_i = \frac{a_i n_i + k_i}{n_i + m_i}$ is how often it is right: $a_i$ as its author says (`[sure = 80% of 20]`: $a_i = .8$ as if seen on $n_i = 20$ rows), and $k_i$ times among the $m_i$ labelled rows on which it held. The class with the most votes wins. Where no rule holds, or they cancel, the prior decides: the share of each class among the labelled rows of which this is true, what `prior` says, or, before the first such row, the class that the rules name least.

**Update.** Counts of classes, and of each rule's hits. A rule never votes against what it says, however often it is wrong: whether that pays is for other learners to find out.

**Regression** (rules such as `=> charges >= 20000`). The mean of the labels so far, moved to the nearest end of what the rules that hold allow; halfway between where they contradict each other. `sure`, `rows` and `prior` mean nothing there.

**When not to use it.** To predict, where there are labels: `advised` starts from the same rules and learns. Where a row's probability matters: votes of rules that say the same thing twice are counted twice.
)";

}  // namespace

extern const LearnerInfo rules_info{.name = "rules",
                                    .title = "Rules as written",
                                    .reference = "ratner2017snorkel",
                                    .mode = Mode::online,
                                    .takes_advice = true,
                                    .kernels = false,
                                    .python_name = "RulesClassifier",
                                    .params = kParams,
                                    .make = make_learner<RulesAsWritten>,
                                    .page = kPage,
                                    .make_regressor = make_rules_of_numbers,
                                    .default_for = DefaultFor::comparison,
                                    .needs_advice = true,
                                    .compact = true};

}  // namespace postil
