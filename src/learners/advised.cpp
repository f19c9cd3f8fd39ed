// advised.cpp: three small logistic learners, of examples, of rules and of both, mixed by Bayes' rule.
//
// Source   docs/mathematics.md part D. Each learner: belief.hpp. Mixing predictions by what they have cost: Vovk, A game of
//          prediction with expert advice, 1998; with a share for each, so that one that fell behind can come back: Herbster and
//          Warmuth, Tracking the best expert, 1998   [vovk1998game, herbster1998tracking]
// Problem  Use the rules from the first example on, be no worse for them in the end whatever they say, and give probabilities.
// Columns  1, and then, by blocks
//          x   the row minus the mean of the rows studied (rows of many or sparse columns: as they are); S = mean |x|^2
//          g   a plane: (1 - k) g_0 + k h, both of mean square 1. g_0 is what all rules ask of a hyperplane
//              (advice_hyperplane.hpp); h was learned from the rows studied, with the rules' votes for labels;
//              k = (1 - 10/votes of the rarer side)_+
//          v   the vote: the voices of the rules that hold, at most one strong; where none holds, -z if three in four of the rules
//              say z (and any has ever held), else 0
//          r_i z_i where rule i holds
//          c   -o where rules hold and the base rate speaks against them: a rule that fires claims to know better
// Learners (mean / variance of the weights they begin with; one number: mean 0)
//              odds  1    x      g              v              r_i  c
//          N   .1    1    64/S                                             examples
//          R   .3    .5          2k / k         2 - k / 1      q    1/.25   rules
//          G   .6    .3   3/S    1.5 + k/2 / 1  1.5 - k/2 / 1  q    1/.25   both          q = .3 min(1, 3/rules)
//          If the plane contradicts the votes on the rows studied (rules that no hyperplane obeys), r < 1 of it is believed:
//          k r for k, 1.5 r for the first 1.5 and 2 - r/2 for the second;  r = (agreement - .5)/.4, cut at 0 and 1
// Updates  o = t/(t + 5) ln (n+ + 1)/(n- + 1), the base rate so far
//          p = sum_k Q_k sigma(f_k + o);  after the label Q_k ~ Q_k sigma(y (f_k + o)),  Q = (1 - a) Q + a odds, a = 1/(100 + t)
//          and each learner learns the example at the offset o
//          drift=auto: N, R and G thrice, with memories (belief.hpp) of all rows, about 1,000 and about 100, each with its own base
//          rate; their odds divided by three
//          of several classes: the offset of each has minus the log of the others' summed odds besides, so that together they are
//          one softmax
// Cost     O(values of x) a round, and of the rules those that hold; with few columns the square of their number (belief.hpp).
// Choices  What each part is for, and what was left out: docs/defaults-advised.md, measured on 20 tasks.
//          Rows learned again, in later passes, move the learners, but not Q, n+, n- and t: what they say has been counted.
//          Shards: the normal distributions gain what each shard has added to them, losses and counts add up, and Q is what the summed
//          losses make of it. drift=none only: what is forgotten cannot be added up.
//          A rule that is sure = a% has the voice (ln a/(1 - a))/2, and q 10/(10 + n) of n rows.
//          Without rules N predicts alone, and is a linear classifier.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <type_traits>

#include "advice/advice_hyperplane.hpp"
#include "belief.hpp"
#include "core/kernels.hpp"
#include "core/math.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "local_features.hpp"
#include "postil/random.hpp"
#include "rule_voices.hpp"

namespace postil {
namespace {

constexpr Range kOpenUnit{0, 1, true, true};
constexpr ParamSpec kParams[] = {
    number_param("prior", "", 0.9, kOpenUnit, "probability, before the first example, that the rules help"),
    choice_param("bias", "1", "1|none", "an intercept, or none"),
    choice_param("drift", "none", "none|auto", "auto: also learners that forget, for a world that changes")};

enum Few : std::size_t { kOne, kPlane, kVote, kClaim, kFew };
constexpr double kShareOfRules = 1.0 / 3;  // of R in what R and G have together

class Advised final : public Learner {
 public:
  explicit Advised(const Params& params)
      : prior_(params.number("prior")),
        constant_(params.choice("bias") == "none" ? 0 : 1),
        memories_(params.choice("drift") == "auto" ? kMemories.size() : 1) {
    begin();
  }

  // ---- rules ----

  void take_advice(const TaskAdvice& advice) override {
    const std::vector<TaskAdvice::Rule> before = voices_.rules();
    const bool had = ruled();
    set_advice(advice);
    g0_ = advice_hyperplane(advice_, {.bias = constant_ != 0});
    kappa_ = 0;
    g0_factor_ = plane_trust_ = 1;
    make_plane({});
    if (t_ == 0) return begin();
    if (had != ruled()) {  // what examples have taught stays, and rules that come late find it
      const std::size_t before_kinds = parts_.size() / memories_;
      std::vector<Belief> examples;
      for (std::size_t m = 0; m < memories_; ++m) examples.push_back(std::move(parts_[m * before_kinds]));
      begin();
      for (std::size_t m = 0; m < memories_; ++m) {
        if (ruled()) parts_[m * kinds() + kBoth].take_x(examples[m]);
        parts_[m * kinds()] = std::move(examples[m]);
      }
      return;
    }
    if (!ruled()) return;
    std::map<std::pair<std::string, double>, std::uint32_t> places;
    for (std::uint32_t i = 0; i < before.size(); ++i) places.emplace(std::pair(before[i].text, before[i].z), i);
    std::vector<std::uint32_t> from;
    for (const TaskAdvice::Rule& rule : voices_.rules()) {
      const auto found = places.find({rule.text, rule.z});
      from.push_back(found == places.end() ? Belief::kNew : found->second);
    }
    const std::vector<Belief::Normal> fresh = rule_weights();
    for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k].rearrange_rules(from, few_weights(kind(k)), fresh);
  }

  void restore_advice(const TaskAdvice& advice) override {
    set_advice(advice);
    begin();  // shapes, for read()
  }

  bool turn_round() override {
    for (Belief& part : parts_) part.turn_round();
    voices_.turn_round();
    for (TaskAdvice::Set& set : advice_.sets) set.z = -set.z;
    for (TaskAdvice::Sign& sign : advice_.directions) sign.z = -sign.z;
    for (std::vector<double>* values : {&plane_, &g0_.weights})
      for (double& value : *values) value = -value;
    plane_bias_ = -plane_bias_;
    g0_.bias = -g0_.bias;
    for (BaseRate& rate : rates_) {
      std::swap(rate.positive, rate.negative);
      rate.settle();
    }
    return true;
  }

  // ---- what the rows look like, whatever their labels ----

  void study(std::span<const Row> rows) override {
    constexpr double kPseudo = 5, kLeast = 1e-9;
    if (rows.empty()) return;
    studied_ = rows.size();
    const auto count = static_cast<double>(rows.size());
    const bool centred = features_ <= kWidestCentred && constant_ != 0;
    mean_.assign(centred ? features_ : 0, 0);
    if (centred)
      for (const Row& x : rows) axpy(1 / (count + kPseudo), x, mean_.data());
    const double of_mean = dot(mean_, mean_);
    double squares = 0;
    bool ever = false;
    for (const Row& x : rows) {
      squares += squared_norm(x) + (centred ? of_mean - 2 * dot(x, mean_.data()) : 0);
      ever |= voices_.hold(x);
    }
    size_ = std::max(kLeast, squares / count);
    if (!ever) voices_.set_silent(0);
    if (ruled()) {
      const LinearModel h = learn_from_votes(rows);
      g0_factor_ = 1 / std::sqrt(mean_square(
                           rows, [&](const Row& x) { return g0_at(x); }, kPseudo));
      make_plane(h);
      plane_trust_ = agreement(rows);
    }
    begin();
  }

  // ---- learning ----

  void grow(std::size_t features) override {
    if (features <= features_) return;
    features_ = features;
    if (ruled()) {  // rules may name features that are still to come
      const std::size_t before = plane_.size();
      plane_.resize(features_, 0);
      add_rules_plane(before, features_);
    }
    if (studied_ == 0) size_ = static_cast<double>(features_);
    if (t_ == 0)
      begin();
    else
      for (Belief& part : parts_) part.grow(features_);
  }

  [[nodiscard]] double score(const Row& x) const override {
    return with_columns(x, [&](const Phi& phi) { return mixed(scores(phi)); });
  }

  Step learn(const Row& x, double y, double weight) override {
    const double before = look(x).score;
    learn_looked(x, y, weight, 0);
    return {.score = before, .updated = weight > 0};
  }

  // Columns and scores of a row that is to be learned next.
  [[nodiscard]] Rivalry rivalry() const override { return Rivalry::softmax; }
  Looked look(const Row& x) override {
    phi_ = columns(x, few_, held_.data());
    Scores scores{};
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      looks_[k] = parts_[k].look(phi_);
      scores[k] = looks_[k].f + offset(k);
    }
    const double score = mixed(scores);
    return {score, score};
  }
  bool learn_looked(const Row& /*x*/, double y, double weight, double others) override {
    if (!(weight > 0)) return false;
    if (!again_) weigh(y, weight, others);
    look_at_usual(others);
    for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k].learn(phi_, looks_[k], y, offset(k) + others, weight);
    if (again_) return true;
    ++t_;
    ++rounds_;
    for (std::size_t m = 0; m < memories_; ++m) rates_[m].count(y, weight, kMemories[m]);
    return true;
  }
  void rows_again(bool again) override { again_ = again; }

  // ---- how sure it is ----

  void believe(const Row& x, std::vector<ScoreBelief>& out) const override {
    with_columns(x, [&](const Phi& phi) {
      for (std::size_t k = 0; k < parts_.size(); ++k)
        out.push_back({odds_[k], parts_[k].score(phi) + offset(k), parts_[k].variance(phi)});
      return 0;
    });
  }
  void covary(const Row& x, std::span<const Row> others, std::vector<std::vector<double>>& out) const override {
    const auto times = with_columns(x, [&](const Phi& phi) {
      std::vector<std::vector<double>> u;
      for (const Belief& part : parts_) u.push_back(part.times(phi));
      return u;
    });
    out.resize(parts_.size());
    for (const Row& other : others)
      with_columns(other, [&](const Phi& phi) {
        for (std::size_t k = 0; k < parts_.size(); ++k) out[k].push_back(parts_[k].along(times[k], phi));
        return 0;
      });
  }
  // By what the examples alone have taught.
  [[nodiscard]] std::optional<double> novelty(const Row& x) const override {
    if (!(usual_ > 0)) return std::nullopt;
    return with_columns(x, [&](const Phi& phi) { return parts_[kExamples].variance(phi) / usual_; });
  }

  // ---- state ----

  template <class Self, class Archive>
  static void state(Self& self, Archive& archive) {
    double silent = self.voices_.silent();
    archive.number("silent", silent);
    if constexpr (!std::is_const_v<Self>) self.voices_.set_silent(silent);
    archive.tensor("odds", self.odds_);
    archive.tensor("mean", self.mean_);
    archive.tensor("plane", self.plane_);
    archive.tensor("losses", self.losses_);
    archive.tensor("mistakes", self.mistakes_);
    if (self.memories_ > 1) archive.number("mistakes_without_rules", self.mistakes_without_rules_);
    archive.number("plane_bias", self.plane_bias_);
    archive.number("kappa", self.kappa_);
    archive.number("rules_plane_factor", self.g0_factor_);
    archive.number("mean_square", self.size_);
    archive.number("positive", self.rates_[0].positive);
    archive.number("negative", self.rates_[0].negative);
    for (std::size_t m = 1; m < self.memories_; ++m) {
      const std::string of = kRecent[m];
      archive.number("positive" + of, self.rates_[m].positive);
      archive.number("negative" + of, self.rates_[m].negative);
      archive.number("labels" + of, self.rates_[m].labels);
    }
    archive.counter("t", self.t_);
    archive.counter("studied", self.studied_);
  }
  void write(StateWriter& out) const override {
    state(*this, out);
    if (rounds_ != t_) out.counter("rounds", rounds_);
    if (plane_trust_ != 1) out.number("plane_trust", plane_trust_);
    if (usual_ > 0) out.number("usual_variance", usual_);
    for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k].write(out, state_name(k));
    if (ruled()) g0_.write(out);
  }
  void read(StateReader& in) override {
    state(*this, in);
    rates_[0].labels = static_cast<double>(t_);
    for (BaseRate& rate : rates_) rate.settle();
    rounds_ = t_;
    if (in.has("rounds")) in.counter("rounds", rounds_);
    plane_trust_ = 1;
    if (in.has("plane_trust")) in.number("plane_trust", plane_trust_);
    usual_ = 0;
    if (in.has("usual_variance")) in.number("usual_variance", usual_);
    make_parts();
    for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k].read(in, state_name(k));
    if (ruled()) g0_.read(in, advice_);
  }
  [[nodiscard]] bool fits(std::size_t features) const override {
    const auto count = [](double value) { return value >= 0 && value <= 1e15; };
    const auto weight = [](double value) { return value >= 0 && std::isfinite(value); };
    const auto share = [](double value) { return value >= 0 && value <= 1; };
    if (odds_.size() != parts_.size() || losses_.size() != parts_.size() + 1 || mistakes_.size() != losses_.size() ||
        !g0_.whole)
      return false;
    if (!std::all_of(mistakes_.begin(), mistakes_.end(), count) || !count(mistakes_without_rules_)) return false;
    if (!(std::fabs(std::accumulate(odds_.begin(), odds_.end(), -1.0)) < 1e-6)) return false;
    if (!std::all_of(odds_.begin(), odds_.end(), share) || !share(kappa_) || !share(plane_trust_) || !weight(usual_))
      return false;
    for (const BaseRate& rate : rates_)
      if (!weight(rate.positive) || !weight(rate.negative) || !weight(rate.labels)) return false;
    if (!(size_ > 0) || mean_.size() > features) return false;
    if (plane_.size() != (ruled() ? features : 0)) return false;
    return std::all_of(parts_.begin(), parts_.end(), [&](const Belief& part) { return part.fits(features); });
  }

  // ---- rows in several places ----

  void write_gains(const Learner& start, double /*rows*/, StateWriter& out) const override {
    const auto& before = static_cast<const Advised&>(start);
    std::vector<double> losses = losses_, mistakes = mistakes_;
    for (std::size_t k = 0; k < losses.size(); ++k) {
      losses[k] -= before.losses_[k];
      mistakes[k] -= before.mistakes_[k];
    }
    out.tensor("losses", losses);
    out.tensor("mistakes", mistakes);
    out.number("positive", rates_[0].positive - before.rates_[0].positive);
    out.number("negative", rates_[0].negative - before.rates_[0].negative);
    out.number("labels", static_cast<double>(t_ - before.t_));
    for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k].write_gains(before.parts_[k], out, state_name(k));
  }
  bool take_gains(StateReader& sums) override {
    std::vector<double> losses, mistakes;
    double positive = 0, negative = 0, labels = 0;
    sums.tensor("losses", losses);
    sums.tensor("mistakes", mistakes);
    sums.number("positive", positive);
    sums.number("negative", negative);
    sums.number("labels", labels);
    for (std::size_t k = 0; k < losses_.size(); ++k) {
      losses_[k] += losses.at(k);
      mistakes_[k] += mistakes.at(k);
    }
    t_ += count_of(labels);
    rounds_ += count_of(labels);
    rates_[0].positive += positive;
    rates_[0].negative += negative;
    rates_[0].labels = static_cast<double>(t_);
    rates_[0].settle();
    if (labels > 0) weigh_by(losses);
    for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k].take_gains(sums, state_name(k));
    return false;
  }

  // ---- what it has come to ----

  // At the base rate, where every learner's part of the log-odds is its share of the mixture.
  [[nodiscard]] std::optional<LinearModel> linear() const override {
    LinearModel out;
    out.weights.assign(features_, 0);
    out.whole = parts_.size() == 1;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const LinearModel part = linear_part(k);
      axpy(odds_[k], part.weights, out.weights);
      out.bias += odds_[k] * part.bias;
    }
    return out;
  }

  [[nodiscard]] std::optional<ScoreFormula> formula() const override {
    ScoreFormula out;
    out.silent = voices_.silent();
    out.base = offset(0);
    for (std::size_t i = 0; i < voices_.size(); ++i) {
      out.rules.push_back(voices_.rules()[i].number);
      out.voices.push_back(voices_.voice(i));
      out.limit = std::max(out.limit, std::fabs(voices_.voice(i)));
    }
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      ScoreFormula::Part& part = out.parts.emplace_back(ScoreFormula::Part{odds_[k], linear_part(k)});
      if (!parts_[k].sees_rules()) continue;
      part.vote = parts_[k].few_mean(kVote);
      part.claim = parts_[k].few_mean(kClaim);
      for (std::size_t i = 0; i < voices_.size(); ++i)
        part.rules.push_back(parts_[k].rule_mean(i) * voices_.rules()[i].z);
    }
    return out;
  }

  [[nodiscard]] std::vector<MixturePart> parts_where(std::uint32_t rule) const override {
    std::vector<MixturePart> out;
    const double o = offset(0);
    const auto [least, most] = voices_.range_where(rule);
    for (std::size_t k = 0; parts_.size() > 1 && k < parts_.size(); ++k) {
      MixturePart& part = out.emplace_back(MixturePart{odds_[k], linear_part(k)});
      if (!parts_[k].sees_rules()) continue;
      const auto between = [&](double weight, double low, double high) {
        part.low += std::min(weight * low, weight * high);
        part.high += std::max(weight * low, weight * high);
      };
      between(parts_[k].few_mean(kVote), least, most);
      const bool claims = o != 0 && (o > 0 ? least < 0 : most > 0);
      if (claims) between(parts_[k].few_mean(kClaim), std::min(0.0, -o), std::max(0.0, -o));
      for (std::size_t i = 0; i < voices_.size(); ++i) {
        const double z = voices_.rules()[i].z, sure = voices_.rules()[i].number == rule ? z : 0;
        between(parts_[k].rule_mean(i), std::min(sure, z), std::max(sure, z));
      }
    }
    return out;
  }

  // Each part counts as much as the mixture moves with it: v_k ~ Q_k sigma'(f_k + o).
  [[nodiscard]] std::optional<LogOdds> contributions(const Row& x) const override {
    return with_columns(x, [&](const Phi& phi) { return told(phi); });
  }

  [[nodiscard]] std::optional<AdviceReport> advice_report() const override {
    if (!ruled()) return std::nullopt;
    AdviceReport out;
    const AdviceHyperplane solved =
        g0_.sets.empty() && !advice_.sets.empty() ? advice_hyperplane(advice_, {.bias = constant_ != 0}) : g0_;
    out.converged = solved.converged;
    for (const AdviceHyperplane::Set& set : solved.sets)
      out.sets.push_back({set.multipliers, set.estimate, set.ideal, {}, 0});
    AdviceReport::Mixture& mixture = out.mixture.emplace();
    for (std::size_t k = 0; k < parts_.size(); ++k)
      mixture.parts.push_back({kNames[kind(k)], parts_[k].memory(), start_[k], odds_[k], losses_[k],
                               static_cast<std::uint64_t>(mistakes_[k])});
    mixture.loss = losses_.back();
    mixture.mistakes = static_cast<std::uint64_t>(mistakes_.back());
    mixture.mistakes_without_rules = static_cast<std::uint64_t>(memories_ > 1 ? mistakes_without_rules_ : mistakes_[0]);
    mixture.rounds = rounds_;
    for (std::size_t i = 0; i < voices_.size(); ++i) {
      double weight = 0;
      for (std::size_t k = 0; k < parts_.size(); ++k)
        if (parts_[k].sees_rules())
          weight +=
              odds_[k] * (parts_[k].few_mean(kVote) * voices_.voice(i) + parts_[k].rule_mean(i) * voices_.rules()[i].z);
      out.rules.emplace_back(voices_.rules()[i].number, weight * voices_.rules()[i].z);  // for what it says
    }
    return out;
  }

 private:
  static constexpr std::array<std::uint64_t, 3> kMemories{0, 1000, 100};  // in rows; the first forgets nothing
  static constexpr const char* kRecent[] = {"", ".recent", ".latest"};
  enum Kind : std::size_t { kExamples, kRules, kBoth, kKinds };  // N, R, G
  static constexpr const char* kNames[] = {"examples", "rules as written", "rules and examples"};
  static constexpr const char* kStates[] = {"examples", "rules", "both"};
  static constexpr std::size_t kMostParts = kKinds * kMemories.size(), kWidestCentred = 1000;
  using Scores = std::array<double, kMostParts>;
  [[nodiscard]] std::size_t kinds() const { return ruled() ? std::size_t{kKinds} : 1; }
  [[nodiscard]] std::size_t kind(std::size_t part) const { return part % kinds(); }
  [[nodiscard]] std::string state_name(std::size_t part) const {
    return std::string(kStates[kind(part)]) + kRecent[part / kinds()];
  }
  static double square(double value) { return value * value; }

  void set_advice(const TaskAdvice& advice) {
    advice_ = advice;
    voices_.take(advice.rules);
    held_.resize(voices_.size());
  }
  // A part without what rules add: weights of the features, and the offset.
  [[nodiscard]] LinearModel linear_part(std::size_t k) const {
    const Belief& part = parts_[k];
    LinearModel out;
    out.weights.assign(features_, 0);
    out.bias = offset(k) + constant_ * part.few_mean(kOne);
    if (part.sees_x())
      for (std::size_t j = 0; j < features_; ++j) {
        out.weights[j] = part.x_mean(j);
        if (j < mean_.size()) out.bias -= out.weights[j] * mean_[j];
      }
    if (!part.sees_rules()) return out;
    axpy(part.few_mean(kPlane), plane_, out.weights);
    out.bias += part.few_mean(kPlane) * plane_bias_;
    return out;
  }
  [[nodiscard]] bool ruled() const { return voices_.size() > 0 || !advice_.empty(); }
  [[nodiscard]] std::vector<Belief::Normal> rule_weights() const {
    std::vector<Belief::Normal> out;
    const double q = 0.3 * std::min(1.0, 3 / std::max(1.0, static_cast<double>(voices_.size())));
    for (const TaskAdvice::Rule& rule : voices_.rules())
      out.push_back({0, rule.sure ? q * 10 / (10 + rule.sure->rows.value_or(10)) : q * rule.trust});
    return out;
  }
  // The table of learners.
  [[nodiscard]] std::vector<Belief::Normal> few_weights(std::size_t kind) const {
    const double r = plane_trust_, k = kappa_ * r, b = constant_;
    if (kind == kExamples) return {{0, b}};
    if (kind == kRules) return {{0, 0.5 * b}, {2 * k, k}, {2 - k, 1}, {1, 0.25}};
    return {{0, 0.3 * b}, {1.5 * r + k / 2, 1}, {2 - r / 2 - k / 2, 1}, {1, 0.25}};
  }
  void make_parts() {
    constexpr double kX[] = {64, 0, 3};
    const std::vector<Belief::Normal> rules = rule_weights();
    parts_.clear();
    for (std::size_t k = 0; k < memories_ * kinds(); ++k)
      parts_.emplace_back(few_weights(kind(k)), rules, features_, kX[kind(k)] / size_, kMemories[k / kinds()]);
  }
  void begin() {
    make_parts();
    std::vector<double> of_kinds{1};
    if (ruled()) of_kinds = {1 - prior_, kShareOfRules * prior_, (1 - kShareOfRules) * prior_};
    odds_.clear();
    for (std::size_t k = 0; k < parts_.size(); ++k) odds_.push_back(of_kinds[kind(k)] / static_cast<double>(memories_));
    start_ = odds_;
    rounds_ = 0;
    losses_.assign(parts_.size() + 1, 0);
    mistakes_ = losses_;
    mistakes_without_rules_ = 0;
  }

  // ---- the plane ----

  // h, and kappa: a learner of examples, taught by the votes.
  LinearModel learn_from_votes(std::span<const Row> rows) {
    constexpr std::size_t kMostOfASide = 700;
    constexpr double kWorth = 10, kStiff = 16;  // each side counts as ten labels
    std::vector<std::pair<Row, double>> taught;
    std::size_t yes = 0, no = 0;
    for (const Row& x : rows) {
      const double vote = voices_.vote(x);
      std::size_t& side = vote > 0 ? yes : no;
      if (vote == 0 || side == kMostOfASide) continue;
      ++side;
      taught.emplace_back(x, vote > 0 ? 1 : -1);
    }
    kappa_ = 0;
    const double fewer = static_cast<double>(std::min(yes, no));
    if (!(fewer > kWorth)) return {};
    Belief pupil({{0, constant_}}, {}, features_, kStiff / size_);
    Random random(0);
    random.shuffle(std::span(taught));
    const std::array<double, 1> one{1};
    for (const auto& [x, y] : taught) {
      const Phi phi{one, {}, x, mean_};
      pupil.learn(phi, pupil.look(phi), y, 0, kWorth / static_cast<double>(y > 0 ? yes : no));
    }
    LinearModel h;
    h.bias = pupil.few_mean(kOne);
    for (std::size_t j = 0; j < features_; ++j) {
      h.weights.push_back(pupil.x_mean(j));
      if (j < mean_.size()) h.bias -= h.weights[j] * mean_[j];
    }
    const double size = std::sqrt(mean_square(
        rows, [&](const Row& x) { return dot(x, h.weights.data()) + h.bias; }, 0));
    if (!(size > 0)) return {};
    for (double& value : h.weights) value /= size;
    h.bias /= size;
    kappa_ = 1 - kWorth / fewer;
    return h;
  }
  // (1 - k) g_0 + k h
  void make_plane(const LinearModel& h) {
    plane_.assign(ruled() ? features_ : 0, 0);
    plane_bias_ = ruled() ? (1 - kappa_) * g0_factor_ * g0_.bias + kappa_ * h.bias : 0;
    if (ruled()) add_rules_plane(0, features_);
    if (!h.weights.empty()) axpy(kappa_, h.weights, plane_);
  }
  void add_rules_plane(std::size_t first, std::size_t end) {  // its weights on these features
    for (std::size_t f = 0; f < advice_.features.size(); ++f)
      if (const std::uint32_t j = advice_.features[f].number; j >= first && j < end)
        plane_[j] += (1 - kappa_) * g0_factor_ * g0_.weights[f];
  }
  // r: how far the plane says what the votes say, where both sides have some, each side counting as much.
  [[nodiscard]] double agreement(std::span<const Row> rows) const {
    constexpr double kFewest = 3, kChance = 0.5, kEnough = 0.9;
    double right[2] = {}, count[2] = {};
    for (const Row& x : rows) {
      const double vote = voices_.vote(x);
      if (vote == 0) continue;
      ++count[vote > 0 ? 1 : 0];
      right[vote > 0 ? 1 : 0] += vote * plane_at(x) > 0 ? 1 : 0;
    }
    if (std::min(count[0], count[1]) < kFewest) return 1;
    const double share = (right[0] / count[0] + right[1] / count[1]) / 2;
    return std::clamp((share - kChance) / (kEnough - kChance), 0.0, 1.0);
  }
  // Of a function of the rows, with so many more whose value is 1.
  template <class F>
  static double mean_square(std::span<const Row> rows, const F& f, double more) {
    double sum = more;
    for (const Row& x : rows) sum += square(f(x));
    return sum / (more + static_cast<double>(rows.size()));
  }
  [[nodiscard]] double g0_at(const Row& x) const {
    double sum = g0_.bias;
    LocalFeatures(advice_.numbers()).for_each(x, [&](std::uint32_t place, double value) {
      sum += g0_.weights[place] * value;
    });
    return sum;
  }
  [[nodiscard]] double plane_at(const Row& x) const { return dot(x, plane_.data()) + plane_bias_; }

  // ---- a round ----

  // The base rate, as the part remembers it.
  [[nodiscard]] double offset(std::size_t part) const { return constant_ == 0 ? 0 : rates_[part / kinds()].log_odds; }
  // `held`: room for the rules that hold.
  Phi columns(const Row& x, std::array<double, kFew>& few, Phi::Held* held) const {
    few[kOne] = 1;
    if (!ruled()) return {few, {}, x, mean_};
    std::size_t count = 0;
    const double vote = voices_.vote(x, [&](std::uint32_t place) {
      held[count++] = {place, voices_.rules()[place].z};
    });
    const double o = offset(0);
    few[kPlane] = plane_at(x);
    few[kVote] = vote;
    few[kClaim] = count > 0 && vote * o < 0 ? -o : 0;
    return {few, {held, count}, x, mean_};
  }
  template <class F>
  std::invoke_result_t<F, const Phi&> with_columns(const Row& x, const F& f) const {
    std::array<double, kFew> few{};
    std::array<Phi::Held, 64> held{};
    std::vector<Phi::Held> many(x.holds.size() > held.size() ? x.holds.size() : 0);
    return f(columns(x, few, many.empty() ? held.data() : many.data()));
  }
  [[nodiscard]] Scores scores(const Phi& phi) const {
    Scores out{};
    for (std::size_t k = 0; k < parts_.size(); ++k) out[k] = parts_[k].score(phi) + offset(k);
    return out;
  }
  [[nodiscard]] LogOdds told(const Phi& phi) const {
    const Scores scores = this->scores(phi);
    Scores v{};
    double sum = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const double p = sigmoid(scores[k]);
      v[k] = odds_[k] * std::max(p * (1 - p), 1e-12);
      sum += v[k];
    }
    LogOdds out;
    out.remainder = mixed(scores);
    std::vector<double> on_features(features_), on_rules(phi.rules.size());
    double voices = 0;
    for (const Phi::Held& held : phi.rules) voices += voices_.voice(held.place);
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const Belief& part = parts_[k];
      const double share = v[k] / sum;
      out.remainder -= share * scores[k];
      out.base += share * (offset(k) + part.few_mean(kOne));
      if (part.sees_x())
        part.for_each_feature(phi,
                              [&](std::size_t j, double value) { on_features[j] += share * part.x_mean(j) * value; });
      if (!part.sees_rules()) continue;
      out.plane += share * part.few_mean(kPlane) * phi.few[kPlane];
      const double vote = share * (part.few_mean(kVote) * phi.few[kVote] + part.few_mean(kClaim) * phi.few[kClaim]);
      if (phi.rules.empty()) out.silence += vote;
      for (std::size_t i = 0; i < phi.rules.size(); ++i) {  // the vote is theirs, as loud as each is
        const Phi::Held& held = phi.rules[i];
        on_rules[i] += share * part.rule_mean(held.place) * held.value +
                       (voices != 0 ? vote * voices_.voice(held.place) / voices : 0);
      }
    }
    for (std::uint32_t j = 0; j < features_; ++j)
      if (on_features[j] != 0) out.features.emplace_back(j, on_features[j]);
    for (std::size_t i = 0; i < phi.rules.size(); ++i)
      out.rules.emplace_back(voices_.rules()[phi.rules[i].place].number, on_rules[i]);
    return out;
  }
  // The log-odds of the mixture.
  [[nodiscard]] double mixed(const Scores& scores) const {
    if (parts_.size() == 1) return scores[0];
    double yes = 0, no = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      yes += odds_[k] * sigmoid(std::clamp(scores[k], -kFar, kFar));
      no += odds_[k] * sigmoid(-std::clamp(scores[k], -kFar, kFar));
    }
    return portable_log(yes / no);
  }
  void look_at_usual(double others) {
    const Belief::Look& look = looks_[kExamples];
    const double p = sigmoid(std::clamp(look.f + offset(0) + others, -kFar, kFar));
    const double after = look.s / (1 + p * (1 - p) * look.s);
    usual_ += (after - usual_) / static_cast<double>(std::min(t_ + 1, kRowsLast));
  }
  // Bayes' rule, and the share.
  void weigh(double y, double weight, double others) {
    double sum = 0, best = 0;
    Scores cost{};
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const double margin = y * (looks_[k].f + offset(k) + others);
      cost[k] = -portable_log(sigmoid(std::clamp(margin, -kFar, kFar)));
      losses_[k] += weight * cost[k];
      mistakes_[k] += margin <= 0 ? 1 : 0;
      best = k == 0 ? cost[k] : std::min(best, cost[k]);
    }
    double likely = 0, without_rules = 0, of_those = 0;  // the label, relative to the best part's
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const double likelihood = odds_[k] * quick_exp(-(cost[k] - best));
      likely += likelihood;
      if (kind(k) == kExamples) {
        without_rules += likelihood;
        of_those += odds_[k];
      }
      odds_[k] *= quick_exp(-weight * (cost[k] - best));
      sum += odds_[k];
    }
    const double own = best - portable_log(likely);
    losses_.back() += weight * own;
    mistakes_.back() += own >= kLn2 ? 1 : 0;
    mistakes_without_rules_ += without_rules * quick_exp(-best) <= of_those / 2 ? 1 : 0;
    share_out(sum);
  }

  // The same, for many examples at once that have cost each part so much.
  void weigh_by(const std::vector<double>& losses) {
    const double best = *std::min_element(losses.begin(), losses.begin() + static_cast<std::ptrdiff_t>(parts_.size()));
    double sum = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) sum += odds_[k] *= quick_exp(-(losses[k] - best));
    share_out(sum);
  }
  // Odds that come to `sum` become the mixture's, and a share of it is as at the start.
  void share_out(double sum) {
    constexpr double kShare = 100;
    const double share = 1 / (kShare + static_cast<double>(t_));
    for (std::size_t k = 0; k < parts_.size(); ++k) odds_[k] = (1 - share) * (odds_[k] / sum) + share * start_[k];
  }

  static constexpr std::uint64_t kRowsLast = 64;
  static constexpr double kFar = 700, kLn2 = 0.693147180559945309;
  double prior_, constant_;
  std::size_t features_ = 0;
  std::size_t memories_;                   // how many of kMemories
  std::vector<Belief> parts_;              // N; with rules R and G; the same again for every memory
  std::vector<double> odds_, start_;       // Q, and before the first example
  std::vector<double> losses_, mistakes_;  // of each part, and of the mixture
  double mistakes_without_rules_ = 0;      // of the parts that know none, mixed alike
  struct BaseRate {
    double positive = 0, negative = 0, labels = 0;  // n+, n-, t
    void count(double y, double weight, std::uint64_t memory) {
      const double kept = memory == 0 ? 1 : 1 - 1 / static_cast<double>(memory);
      positive = kept * positive + (y > 0 ? weight : 0);
      negative = kept * negative + (y > 0 ? 0 : weight);
      labels = kept * labels + 1;
      settle();
    }
    void settle() {
      constexpr double kSlow = 5;
      const bool counts = labels > 0 && positive >= 0 && negative >= 0;  // a forged file may say anything
      log_odds = !counts ? 0 : labels / (labels + kSlow) * portable_log((positive + 1) / (negative + 1));
    }
    double log_odds = 0;  // o
  };
  std::array<BaseRate, kMemories.size()> rates_;
  std::uint64_t t_ = 0, studied_ = 0;
  std::uint64_t rounds_ = 0;  // that losses and mistakes are of: since there are rules, or none
  bool again_ = false;
  double usual_ = 0;  // variance of N's score of a row it has learned, on the mean over about the last kRowsLast rows

  TaskAdvice advice_;
  RuleVoices voices_;
  std::vector<double> mean_;  // of the rows studied; empty: rows are taken as they are
  double size_ = 1;           // S
  AdviceHyperplane g0_;
  std::vector<double> plane_;
  double plane_bias_ = 0, g0_factor_ = 1, kappa_ = 0;
  double plane_trust_ = 1;  // r

  // Work space of a round.
  std::array<double, kFew> few_{};
  std::vector<Phi::Held> held_;
  Phi phi_;
  std::array<Belief::Look, kMostParts> looks_{};
};

constexpr std::string_view kPage = R"(
The recommended learner, with rules and without. It answers from the rules before the first label, learns from every label, and gives probabilities. If the rules are wrong it finds out, and is then about as good as if it had never seen them.

**Problem.** Be right at once if the rules are right; lose little to a learner without rules if they are wrong; say how likely an answer is.

**Update.** Three logistic learners, each a normal distribution over its weights that one example moves exactly (the minimiser of the example's log loss plus the distance from the distribution before): one sees the columns, one sees what the rules say, one sees both. The columns about rules are: each rule that holds; their vote; and a plane that blends the hyperplane all rules ask for with one learned from rows without labels, where the rules' votes stand for labels. The prediction is $p = \sum_k Q_k\,\sigma(f_k + o)$, where $o$ is the base rate so far. After the label, $Q_k$ is multiplied by the probability that part $k$ gave to it (Bayes' rule), and a small share is spread again so that a part that fell behind can come back.

With several classes there is one such mixture for each, and they compete: together they are one softmax. With few columns (80, rules included) each learner keeps a full covariance, otherwise variances.

**Drift.** With `drift=auto` every part stands three times in the mixture: one that forgets nothing, one that remembers about the last 1,000 examples and one about the last 100. Forgetting means that a part goes back, step by step, to what it began with, the rules included; each also has its own base rate. The mixture finds out which memory serves best at present.

**Promise.** The total log loss is at most that of each part $k$ plus $\ln(1/Q_k^0) + \ln(1 + T/99)$ after $T$ examples of weight 1, whatever the rules and the labels: 2.3 + 2.4 nats more than the examples alone after a thousand (`train --bounds` shows both sides).

**Weights.** With rules, `weights` in `explain` are the mixture's at the base rate: the parts' weights of each column times $Q_k$. They are not the whole score, to which rules add where they hold. `explain --row` shows all of it, in log-odds. Without rules, and with `drift=none`, the score is `weights`·x + `bias`.

**When not to use it.** If rules must hold, not only help: `kbsvm` with `advice=hard`. If the world changes, set `drift=auto`: by default the learner believes that all examples, old and new, tell of the same world.
)";

}  // namespace

extern const LearnerInfo advised_info{
    .name = "advised",
    .title = "Examples, rules and both under one mixture",
    .reference = "herbster1998tracking",
    .mode = Mode::online,
    .takes_advice = true,
    .kernels = false,
    .python_name = "AdviceClassifier",
    .params = kParams,
    .make = make_learner<Advised>,
    .page = kPage,
    .default_for = DefaultFor::examples,
    .promises = Promises::mixture,
    .log_odds = true,
    .studies = true,
    .shards = "what each shard adds to the normal distributions and losses is added up",
    .shard_settings = "drift=none"};

}  // namespace postil
