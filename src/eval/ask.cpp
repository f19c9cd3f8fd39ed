// ask.cpp: which rows to label next (docs/how-to/improve-rules.md).
//
// Source   Lindley, On a measure of the information provided by an experiment, 1956; Houlsby, Huszar, Ghahramani and Lengyel,
//          Bayesian active learning for classification and preference learning, 2011   [houlsby2011bald]
// Value    What the label of a row would tell of the model: H(p) - E H(p_w), where p is the probability predicted, p_w that of one of
//          the models still possible, H the entropy. It is large where the models still possible contradict each other: those that
//          rules and examples speak for, and those within the variance of each. It is small where the label is plain, and where it
//          is open, but learning would not make it plainer.
//          A learner believes a few normal distributions of its log-odds (Learner::believe): the expectation is a sum over them of a
//          Gauss-Hermite rule of seven points. Several classes: the sum over the questions "this one?".
//          Scores that are no log-odds: every model still possible is sure of its sign, so the value is H(Phi(mean/deviation)).
//          Learners that do not know how unsure they are: H(p).
// Choice   Of rows chosen together, each should tell what the others do not, and tell it of many rows. Let C be how the predicted
//          probabilities of rows vary together over the models still possible: within each normal distribution by its covariance
//          times the slopes of both probabilities, between them by their means. Then seeing the label of row i, whose variance is
//          v_i = p_i (1 - p_i), is expected to take C_ij^2/v_i from the variance of p_j (the best linear forecast of p_j), and so
//          from what deciding for the likelier answer costs at row j: the mean of (1/2 - p_j)_+ for p_j normal, where 1/2 is the
//          boundary. Chosen is the row with the largest sum over a sample of the pool, times v_i, since the forecast promises too much
//          of labels that are plain beforehand. Then C loses C_.i C_i./v_i, and the next is chosen. Likeness needs no measure of its
//          own: what is like a chosen row has little left to tell. Cohn, Ghahramani and Jordan 1996 did so for regression.
//          docs/how-to/improve-rules.md has what the parts are worth.   [cohn1996active]
//          Learners that do not know how unsure they are: each value is multiplied by 1 - exp(-2 d^2/m), d the distance to the nearest
//          row chosen, m the mean squared distance of rows of the pool. Of equal rows one is looked at.
// Memory   Of the pool the rows of largest value, kCandidates for each to be chosen, and a sample, of which the first are those chosen
//          by chance.
#include "postil/ask.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <unordered_set>

#include "core/math.hpp"
#include "postil/error.hpp"
#include "postil/probabilities.hpp"
#include "postil/random.hpp"
#include "postil/text.hpp"
#include "postil/watch.hpp"

namespace postil {
namespace {

constexpr std::size_t kCandidates = 30, kFewest = 300, kMost = 1000, kSample = 300, kPairs = 1000;
constexpr double kUnlike = 4;  // novelty beyond it is told

double entropy(double p) { return p <= 0 || p >= 1 ? 0 : -p * portable_log(p) - (1 - p) * portable_log(1 - p); }

struct Node {
  double at, weight;
};
// Of the standard normal distribution.
constexpr std::array<Node, 7> kHermite{{{0, 0.4571428571428571},
                                        {1.1544053947399682, 0.2401231786050127},
                                        {-1.1544053947399682, 0.2401231786050127},
                                        {2.366759410734541, 0.03075712396758651},
                                        {-2.366759410734541, 0.03075712396758651},
                                        {3.750439717725742, 0.0005482688559722178},
                                        {-3.750439717725742, 0.0005482688559722178}}};

// What the label tells, where log-odds are believed to be these plus `others`.
double told_by_label(std::span<const ScoreBelief> beliefs, double others) {
  constexpr double kFar = 30;
  double p = 0, left = 0;
  for (const ScoreBelief& belief : beliefs) {
    const double deviation = std::sqrt(std::max(0.0, belief.variance));
    for (const Node& node : kHermite) {
      const double of_one = sigmoid(std::clamp(belief.mean + others + deviation * node.at, -kFar, kFar));
      p += belief.share * node.weight * of_one;
      left += belief.share * node.weight * entropy(of_one);
    }
  }
  return std::max(0.0, entropy(std::clamp(p, 0.0, 1.0)) - left);
}
double told_by_sign(std::span<const ScoreBelief> beliefs) {
  double p = 0;
  for (const ScoreBelief& b : beliefs)
    p += b.share * (b.variance > 0 ? std::erfc(-b.mean / std::sqrt(2 * b.variance)) / 2 : b.mean >= 0 ? 1 : 0);
  return entropy(std::clamp(p, 0.0, 1.0));
}

using Sparse = std::vector<std::pair<std::uint32_t, double>>;

Sparse values_of(const Row& x) {
  Sparse out;
  for (std::size_t k = 0; k < x.count; ++k)
    if (x.value(k) != 0) out.emplace_back(x.index(k), x.value(k));
  return out;
}
double squared_distance(const Sparse& a, const Sparse& b) {
  double sum = 0;
  auto i = a.begin(), k = b.begin();
  while (i != a.end() || k != b.end()) {
    const bool left = k == b.end() || (i != a.end() && i->first <= k->first);
    const bool right = i == a.end() || (k != b.end() && k->first <= i->first);
    const double difference = (left ? i->second : 0) - (right ? k->second : 0);
    sum += difference * difference;
    if (left) ++i;
    if (right) ++k;
  }
  return sum;
}
std::uint64_t hash_of(const Sparse& x) {
  std::uint64_t hash = 0;
  for (const auto& [index, value] : x)
    hash = (hash ^ (std::uint64_t{index} << 32U) ^ std::bit_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15 +
           (hash >> 29U);
  return hash;
}

struct Candidate {
  AskedRow told;
  Sparse x;
  std::shared_ptr<const Block> row;
  double order = 0;  // a random number: between equal values, and for the sample
};

class Asker {
 public:
  Asker(const Model& model, const AskOptions& options) : model_(model), options_(options), random_(options.seed) {
    if (!model.schema().label.real() && model.outputs() > 0) probability_.emplace(model);
    scores_.resize(model.outputs());
    log_odds_ = model.learner().log_odds;
  }

  Asked run(Source& pool) {
    const auto by_chance = static_cast<std::size_t>(
        std::min<double>(std::ceil(options_.random * static_cast<double>(options_.count)), double(options_.count)));
    most_ = std::max(options_.count, std::clamp(kCandidates * options_.count, kFewest, kMost));
    sample_most_ = std::max(by_chance, kSample);
    ModelEncoder encoder(model_, pool.table());
    for (Block raw; pool.next(raw); raw = Block()) {
      std::vector<bool> passed(raw.rows());
      for (std::size_t i = 0; i < raw.rows(); ++i) passed[i] = !options_.labelled && raw.label(i).has_value();
      BlockData data = raw.release();
      data.labels.clear();
      const Block block = encoder.encode(Block(std::move(data)));
      for (std::size_t i = 0; i < block.rows(); ++i) {
        if (out_.seen % 1024 == 0) look_up();
        if (passed[i])
          ++out_.had_label;
        else
          take(block, i);
        ++out_.seen;
      }
      if (options_.progress) options_.progress(out_.seen, pool.bytes_read(), pool.bytes_total());
    }
    choose(by_chance);
    return std::move(out_);
  }

 private:
  void take(const Block& block, std::size_t i) {
    const Row x = block.row(i);
    Candidate candidate;
    candidate.told.row = out_.seen;
    candidate.told.line = block.line(i);
    candidate.told.value = value_of(x);
    candidate.order = random_.uniform();
    const bool in_sample = sample_.size() < sample_most_ || candidate.order < sample_.front().order;
    const bool in_best = best_.size() < most_ || better(candidate, best_.front());
    if (!in_sample && !in_best) return;
    candidate.x = values_of(x);
    candidate.row = std::make_shared<const Block>(block.copied(i, 1));
    tell(x, candidate.told);
    if (in_sample) {  // the smallest random numbers
      sample_.push_back(candidate);
      std::push_heap(sample_.begin(), sample_.end(), by_order);
      if (sample_.size() > sample_most_) {
        std::pop_heap(sample_.begin(), sample_.end(), by_order);
        sample_.pop_back();
      }
    }
    if (!in_best) return;
    if (!known_.insert(hash_of(candidate.x)).second) return;
    best_.push_back(std::move(candidate));
    std::push_heap(best_.begin(), best_.end(), better);
    if (best_.size() > most_) {
      std::pop_heap(best_.begin(), best_.end(), better);
      known_.erase(hash_of(best_.back().x));
      best_.pop_back();
    }
  }
  static bool by_order(const Candidate& a, const Candidate& b) { return a.order < b.order; }
  static bool better(const Candidate& a, const Candidate& b) {
    return a.told.value != b.told.value ? a.told.value > b.told.value : a.order < b.order;
  }

  double value_of(const Row& x) {
    if (model_.outputs() == 0) return 0;
    model_.score(x, scores_);
    if (model_.schema().label.real()) {
      model_.believe(x, 0, beliefs_);
      return beliefs_.empty() ? 0 : beliefs_[0].variance;
    }
    probabilities_.resize(probability_->classes());
    probability_->of(scores_, probabilities_);
    double value = 0;
    for (std::size_t task = 0; task < model_.questions(); ++task) {
      model_.believe(x, task, beliefs_);
      if (beliefs_.empty()) break;
      if (log_odds_)
        value += told_by_label(beliefs_, model_.questions() == 1 ? 0 : -others_than(task));
      else
        value += told_by_sign(beliefs_);
    }
    if (!beliefs_.empty()) return value;
    for (const double p : probabilities_) value -= p > 0 ? p * portable_log(p) : 0;
    return value;
  }
  // Logarithm of the summed odds of the other classes.
  [[nodiscard]] double others_than(std::size_t task) const {
    double most = -kInfinity, sum = 0;
    for (std::size_t k = 0; k < scores_.size(); ++k)
      if (k != task) most = std::max(most, scores_[k]);
    for (std::size_t k = 0; k < scores_.size(); ++k)
      if (k != task) sum += quick_exp(scores_[k] - most);
    return most + portable_log(sum);
  }

  // What is told of a row; scores_ and probabilities_ are its own.
  void tell(const Row& x, AskedRow& told) {
    const Schema& schema = model_.schema();
    const std::optional<Advice>& advice = model_.advice();
    if (!scores_.empty()) {
      told.label = model_.decide(scores_);
      if (probability_) told.probability = probabilities_[static_cast<std::size_t>(*told.label)];
    }
    const auto set = [&](AskReason reason, std::string why) {
      told.reason = reason;
      told.why = std::move(why);
    };
    if (advice)
      for (std::size_t i = 0; i < x.holds.size(); ++i)
        for (std::size_t k = i + 1; k < x.holds.size(); ++k) {
          const CompiledRule &a = advice->rules[x.holds[i]], &b = advice->rules[x.holds[k]];
          if (disagree(a, b, x, schema.scaling))
            return set(AskReason::rules_disagree,
                       fmt::format("rules {} and {} disagree here", in_quotes(a.id), in_quotes(b.id)));
        }
    if (!told.label)
      return set(AskReason::nothing_yet, "the model knows nothing yet: as different as possible from the others");
    if (advice)
      for (const std::uint32_t r : x.holds)
        if (!advice->rules[r].agrees(*told.label, x, schema.scaling))
          return set(AskReason::rule_against,
                     schema.label.real()
                         ? fmt::format("rule {} speaks against the prediction", in_quotes(advice->rules[r].id))
                         : fmt::format("rule {} says {}, the model says {}", in_quotes(advice->rules[r].id),
                                       schema.label.said(advice->rules[r].class_number, advice->rules[r].positive),
                                       model_.label_text(*told.label)));
    novelty_.resize(model_.outputs());
    if (!model_.learner().ellipsoid && model_.novelty(x, novelty_) &&
        *std::min_element(novelty_.begin(), novelty_.end()) > kUnlike)
      return set(AskReason::unknown, "unlike the rows that were learned");
    if (!probability_) return set(AskReason::unknown, "the prediction is least certain here");
    std::vector<std::size_t> order(probabilities_.size());
    for (std::size_t c = 0; c < order.size(); ++c) order[c] = c;
    std::partial_sort(order.begin(), order.begin() + 2, order.end(),
                      [&](std::size_t a, std::size_t b) { return probabilities_[a] > probabilities_[b]; });
    set(AskReason::between_classes,
        fmt::format("could be {} ({:.0f} %) or {} ({:.0f} %)", schema.label.classes[order[0]],
                    100 * probabilities_[order[0]], schema.label.classes[order[1]], 100 * probabilities_[order[1]]));
  }

  void choose(std::size_t by_chance) {
    std::sort(best_.begin(), best_.end(), better);
    std::sort(sample_.begin(), sample_.end(), by_order);
    std::vector<AskedRow> chance, wanted;
    std::unordered_set<std::uint64_t> known;  // of equal rows, one
    for (const Candidate& candidate : sample_)
      if (chance.size() < by_chance && known.insert(hash_of(candidate.x)).second) {
        chance.push_back(candidate.told);
        chance.back().reason = AskReason::random;
        chance.back().why = "at random, to keep error rates and the record of the rules honest";
      }
    std::vector<const Candidate*> from;  // those of largest value, and the sample
    for (const std::vector<Candidate>* of : {&best_, &sample_})
      for (const Candidate& candidate : *of)
        if (known.insert(hash_of(candidate.x)).second) from.push_back(&candidate);
    const std::size_t count = options_.count - chance.size();
    const bool knows = !beliefs_.empty() && log_odds_ && !model_.schema().label.real();
    for (const std::size_t k : knows ? by_covariance(from, count) : by_likeness(from, count))
      wanted.push_back(from[k]->told);
    // Those chosen by chance stand evenly among the others.
    std::size_t a = 0, b = 0;
    while (a < wanted.size() || b < chance.size()) {
      const bool next =
          b == chance.size() || (a < wanted.size() && (a + 1) * (chance.size() + 1) <= (b + 1) * (wanted.size() + 1));
      out_.rows.push_back(next ? wanted[a++] : chance[b++]);
    }
  }

  [[nodiscard]] std::vector<std::size_t> by_likeness(const std::vector<const Candidate*>& from, std::size_t count) {
    double mean = 0;
    for (std::size_t k = 0; k < kPairs && from.size() > 1; ++k)
      mean += squared_distance(from[random_.below(from.size())]->x, from[random_.below(from.size())]->x) / kPairs;
    std::vector<double> nearest(from.size(), kInfinity);
    std::vector<std::size_t> out;
    while (out.size() < std::min(count, from.size())) {
      std::size_t best = from.size();
      double of_best = -1;
      for (std::size_t k = 0; k < from.size(); ++k) {
        if (nearest[k] == 0) continue;
        const double unlike = mean > 0 ? 1 - quick_exp(-2 * nearest[k] / mean) : 1;
        const double value = (from[k]->told.value + kLittle) * unlike;
        if (value > of_best) {
          of_best = value;
          best = k;
        }
      }
      if (best == from.size()) break;
      out.push_back(best);
      for (std::size_t k = 0; k < from.size(); ++k)
        nearest[k] = std::min(nearest[k], squared_distance(from[k]->x, from[best]->x));
    }
    return out;
  }

  // How the probabilities of a question's yes vary together, over rows.
  struct Together {
    std::vector<double> c;         // rows x rows
    std::vector<double> variance;  // of each label
    std::vector<double> mean;
  };
  [[nodiscard]] Together together(const std::vector<Row>& rows, std::size_t question) {
    const std::size_t n = rows.size();
    std::vector<std::vector<double>> p, slope;  // by distribution and row
    std::vector<double> share;
    Together out;
    out.c.assign(n * n, 0);
    out.variance.resize(n);
    std::vector<double> mean(n);
    for (std::size_t i = 0; i < n; ++i) {
      model_.score(rows[i], scores_);
      const double others = model_.questions() == 1 ? 0 : -others_than(question);
      model_.believe(rows[i], question, beliefs_);
      p.resize(beliefs_.size(), std::vector<double>(n));
      slope.resize(beliefs_.size(), std::vector<double>(n));
      share.resize(beliefs_.size());
      for (std::size_t k = 0; k < beliefs_.size(); ++k) {
        // The mean of sigma over a normal distribution is about sigma of its mean, drawn towards 0 (MacKay 1992).
        const double drawn = 1 / std::sqrt(1 + beliefs_[k].variance * 0.39269908169872414);
        p[k][i] = sigmoid(std::clamp((beliefs_[k].mean + others) * drawn, -30.0, 30.0));
        slope[k][i] = drawn * p[k][i] * (1 - p[k][i]);
        share[k] = beliefs_[k].share;
        mean[i] += share[k] * p[k][i];
      }
      out.variance[i] = std::max(1e-12, mean[i] * (1 - mean[i]));
    }
    out.mean = mean;
    std::vector<std::vector<double>> with;
    for (std::size_t i = 0; i < n; ++i) {
      look_up();
      model_.covary(rows[i], rows, question, with);
      double* row = out.c.data() + i * n;
      for (std::size_t k = 0; k < share.size(); ++k)
        for (std::size_t j = 0; j < n; ++j)
          row[j] += share[k] * (slope[k][i] * slope[k][j] * with[k][j] + (p[k][i] - mean[i]) * (p[k][j] - mean[j]));
    }
    return out;
  }

  // What is lost by deciding for the likelier answer, if the probability is normal about its mean: the mean of (1/2 - p)_+.
  static double regret(double mu, double variance) {
    if (!(variance > 1e-18)) return 0;
    const double tau = std::sqrt(variance), z = mu / tau;
    return tau * 0.3989422804014327 * quick_exp(-z * z / 2) - mu * std::erfc(z / std::sqrt(2.0)) / 2;
  }
  [[nodiscard]] std::vector<std::size_t> by_covariance(std::vector<const Candidate*> from, std::size_t count) {
    constexpr double kMostNumbers = 2e7;
    const std::size_t questions = model_.questions();
    const auto room = static_cast<std::size_t>(std::sqrt(kMostNumbers / static_cast<double>(questions)));
    const std::size_t sampled = std::min(sample_.size(), room / 3), n = std::min(from.size(), room - sampled);
    std::vector<Row> rows;
    for (std::size_t k = 0; k < n; ++k) rows.push_back(from[k]->row->row(0));
    for (std::size_t k = 0; k < sampled; ++k) rows.push_back(sample_[k].row->row(0));
    std::vector<Together> of;
    for (std::size_t q = 0; q < questions; ++q) of.push_back(together(rows, q));
    const std::size_t all = rows.size();
    std::vector<std::size_t> out;
    std::vector<bool> chosen(n);
    while (out.size() < std::min(count, n)) {
      std::size_t best = n;
      double of_best = -1;
      for (std::size_t i = 0; i < n; ++i) {
        if (chosen[i]) continue;
        double takes = 0;
        for (const Together& t : of) {
          double sum = 0;
          const double* row = t.c.data() + i * all;
          for (std::size_t j = n; j < all; ++j) {
            const double from_boundary = std::fabs(t.mean[j] - 0.5), variance = t.c[j * all + j];
            sum += regret(from_boundary, variance) - regret(from_boundary, variance - row[j] * row[j] / t.variance[i]);
          }
          takes += sum * t.variance[i];
        }
        if (takes > of_best) {
          of_best = takes;
          best = i;
        }
      }
      chosen[best] = true;
      out.push_back(best);
      for (Together& t : of) {
        const std::vector<double> row(t.c.begin() + static_cast<std::ptrdiff_t>(best * all),
                                      t.c.begin() + static_cast<std::ptrdiff_t>((best + 1) * all));
        for (std::size_t i = 0; i < all; ++i) {
          const double factor = row[i] / t.variance[best];
          for (std::size_t j = 0; factor != 0 && j < all; ++j) t.c[i * all + j] -= factor * row[j];
        }
      }
    }
    return out;
  }

  static constexpr double kLittle = 1e-9;  // rows that would tell nothing are still chosen by how different they are
  const Model& model_;
  const AskOptions& options_;
  Random random_;
  std::optional<Probabilities> probability_;
  bool log_odds_ = false;
  std::size_t most_ = 0, sample_most_ = 0;
  std::vector<Candidate> best_, sample_;  // heaps: the least of the best, the largest number of the sample
  std::unordered_set<std::uint64_t> known_;
  Asked out_;
  std::vector<double> scores_, probabilities_, novelty_;
  std::vector<ScoreBelief> beliefs_;
};

}  // namespace

std::string_view word(AskReason reason) {
  constexpr std::string_view kWords[] = {"random",  "rules_disagree",  "rule_against",
                                         "unknown", "between_classes", "nothing_yet"};
  return kWords[static_cast<std::size_t>(reason)];
}

Asked ask(const Model& model, Source& pool, const AskOptions& options) { return Asker(model, options).run(pool); }

}  // namespace postil
