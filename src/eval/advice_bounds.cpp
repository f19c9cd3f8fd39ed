// advice_bounds.cpp: bounds of the learners with rules.
//
// Source   000, Theorem 1, as corrected in docs/mathematics.md A2; 004, Theorem 1, as corrected in A6; part C.
// Choices  The bounds hold for every reference, so whichever makes them smallest is fair.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "advice/advice_loss.hpp"
#include "core/kernels.hpp"
#include "learners/advice_rows.hpp"
#include "postil/error.hpp"
#include "postil/evaluate.hpp"
#include "postil/text.hpp"
#include "separators.hpp"
#include "state_peek.hpp"

namespace postil {
namespace {

double squared(std::span<const double> v) {
  double sum = 0;
  for (const double value : v) sum += value * value;
  return sum;
}

std::unique_ptr<Learner> fresh_learner(const Model& model, const TaskAdvice& advice) {
  std::unique_ptr<Learner> learner = model.learner().make(model.params());
  learner->grow(model.schema().features);
  learner->take_advice(advice);
  return learner;
}

template <class F>
void for_each_example(const Model& model, std::size_t task, std::span<const Block> blocks, const F& f) {
  for (const Block& block : blocks)
    for (std::size_t i = 0; i < block.rows(); ++i)
      if (!std::isnan(block.labels()[i])) f(block.row(i), sign_of(model, task, block.labels()[i]));
}

}  // namespace

void check_bounded(const LearnerInfo& learner, const Params& params) {
  const auto need = [&](std::string_view name, std::initializer_list<std::string_view> allowed) {
    const std::string text = params.texts().at(std::string(name));
    if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return;
    throw ParamError(
        {.code = Code::unsupported,
         .subject = {"parameter", std::string(name)},
         .message = Text(Option{"bounds"}, fmt::format(" of {}: {} is {}, the theorem needs {}", learner.name, name,
                                                       text, fmt::join(allowed, " or "))),
         .found = text,
         .expected = fmt::format("{}", fmt::join(allowed, " or "))});
  };
  if (learner.promises == Promises::regret) {
    need("bias", {"none"});
    need("start", {"zero"});
    need("passive", {"never"});
    need("average", {"none"});
    need("mu_decay", {"0"});
    need("advice_step", {"plus", "exact"});
  } else if (learner.promises == Promises::mistakes_with_advice) {
    need("bias", {"none", "pinned"});
    need("average", {"none"});
  } else if (learner.promises == Promises::ellipsoid) {
    need("step", {"sqrt"});
    need("epsilon", {"0"});
  } else if (learner.promises == Promises::mistakes) {
    need("multiclass", {"ovr"});
  } else if (learner.promises == Promises::nothing) {
    std::vector<std::string> bounded;
    for (const LearnerInfo* other : learners())
      if (other->promises != Promises::nothing) bounded.emplace_back(other->name);
    throw ParamError({.code = Code::unsupported,
                      .subject = {"learner", std::string(learner.name)},
                      .message = Text(Option{"bounds"}, " are about ", joined(bounded), ", not about ", learner.name)});
  }
}

std::vector<MixtureBound> mixture_bounds(const Model& model) {
  std::vector<MixtureBound> out;
  for (std::size_t task = 0; task < model.outputs(); ++task) {
    MixtureBound& bound = out.emplace_back();
    const std::optional<AdviceExplanation> explained = model.explain_advice(task);
    if (!explained || !explained->mixture) continue;
    const AdviceReport::Mixture& mixture = *explained->mixture;
    bound.rounds = mixture.rounds;
    bound.loss = mixture.loss;
    const double shared = std::log(1 + static_cast<double>(mixture.rounds) / 99);
    for (const AdviceReport::Mixture::Part& part : mixture.parts)
      bound.parts.push_back({part.name + (part.memory > 0 ? fmt::format(", last {}", part.memory) : ""), part.loss,
                             std::log(1 / part.start) + shared});
  }
  return out;
}

std::vector<WagerBound> wager_bounds(const Model& model) {
  const double prior = model.params().number("prior");
  std::vector<WagerBound> out;
  for (std::size_t task = 0; task < model.outputs(); ++task) {
    WagerBound bound;
    if (const std::optional<AdviceExplanation> explained = model.explain_advice(task); explained && explained->wager) {
      const AdviceReport::Wager& wager = *explained->wager;
      bound = {
          wager.rounds, wager.blended, wager.plain,
          (1 + std::log2(1 / (1 - prior))) * (std::sqrt(static_cast<double>(wager.rounds) * std::log(2.0)) / 2 + 1.82)};
    }
    out.push_back(bound);
  }
  return out;
}

std::vector<AdviceMistakeBound> advice_mistake_bounds(const Model& model, std::span<const Block> blocks) {
  check_bounded(model.learner(), model.params());
  const double lambda = model.params().number("lambda");
  const bool pinned = model.params().choice("bias") == "pinned";
  std::vector<AdviceMistakeBound> out;
  for (std::size_t task = 0; task < model.outputs(); ++task) {
    const TaskAdvice advice =
        model.advice() ? advice_for(*model.advice(), model.schema(), model.question(task)) : TaskAdvice{};
    const std::unique_ptr<Learner> start = fresh_learner(model, advice);  // at w_1, with r
    StatePeek at_start(*start);
    LinearModel w1 = *start->linear(), r{std::vector<double>(w1.weights.size()), at_start.numbers["r_bias"]};
    const std::vector<double>& local = at_start.tensors["r"];
    for (std::size_t f = 0; f < local.size(); ++f) r.weights[advice.features[f].number] = local[f];
    double trust = 0;
    for (const TaskAdvice::Set& set : advice.sets) trust += set.trust;
    const double nu = 1 / (1 + model.params().number("mu") * trust);

    AdviceMistakeBound bound;
    StatePeek now(model.learner_of(task));
    bound.mistakes = now.counters["mistakes"];
    bound.advice_updates = now.counters["advice_updates"];
    for_each_example(model, task, blocks, [&](const Row& x, double) {
      bound.radius = std::max(bound.radius, squared_norm(x) + (pinned ? 1 : 0));
    });
    const double xx = bound.radius;
    bound.radius = std::sqrt(xx);
    const auto distance = [&](const LinearModel& a, const LinearModel& b, double scale) {  // |a - scale b|^2
      double sum = pinned ? std::pow(a.bias - scale * b.bias, 2) : 0;
      for (std::size_t j = 0; j < a.weights.size(); ++j) sum += std::pow(a.weights[j] - scale * b.weights[j], 2);
      return sum;
    };
    for (const LinearModel& u : separators(model, task, blocks, pinned ? 1 : 0)) {
      double margin = std::numeric_limits<double>::infinity();
      for_each_example(model, task, blocks, [&](const Row& x, double y) {
        margin = std::min(margin, y * (dot(x, u.weights.data()) + (pinned ? u.bias : 0)));
      });
      if (!(margin > 0) || std::isinf(margin)) continue;
      for (int k = 1; k <= 400; ++k) {  // lengths of u from the shortest that the theorem allows
        const double scale = lambda * xx / (2 * margin) * std::pow(10, 0.01 * k), gamma = scale * margin;
        const double value =
            (distance(w1, u, scale) + (1 - nu) * distance(r, u, scale) * static_cast<double>(bound.advice_updates)) /
            (2 * lambda * gamma - lambda * lambda * xx);
        if (bound.bound && value >= *bound.bound) continue;
        bound.bound = value;
        bound.margin = gamma;
      }
    }
    out.push_back(bound);
  }
  return out;
}

namespace {

// The reference of the regret bound and what it would have lost.
struct Reference {
  std::vector<double> w;  // all features
  std::vector<double> u;  // all rows
  double lost = 0;
};

// Theorem 1, term by term, over a replay of the run.
class RegretSum {
 public:
  RegretSum(const Model& model, std::size_t task)
      : advice_(model.advice() ? advice_for(*model.advice(), model.schema(), model.question(task)) : TaskAdvice{}),
        rows_(advice_, false),
        lambda_(model.params().number("lambda")),
        mu_(model.params().number("mu")) {
    double trust = 0;
    out_.eta_coefficient = out_.zeta_coefficient = 1;
    for (const AdviceRows::Set& set : rows_.sets()) {
      trust += set.trust;
      double d = 0;
      for (std::size_t k = set.begin; k < set.end; ++k) d += rows_.d(k) * rows_.d(k);
      const double D = largest_eigenvalue(rows_.gram(set, false), set.end - set.begin);
      out_.delta_d = std::max(out_.delta_d, std::sqrt(D));
      out_.delta = std::max(out_.delta, std::sqrt(d));
      coefficients_.push_back({1 - 2 * mu_ * set.trust * D, 1 - 2 * mu_ * set.trust * d});
      out_.eta_coefficient = std::min(out_.eta_coefficient, coefficients_.back().first);
      out_.zeta_coefficient = std::min(out_.zeta_coefficient, coefficients_.back().second);
    }
    nu_ = 1 / (1 + mu_ * trust);
    trust_ = trust;
  }

  // |D_i'u_i + z_i w|^2
  [[nodiscard]] double eta(const AdviceRows::Set& set, std::span<const double> w, std::span<const double> u) const {
    std::vector<double> du(rows_.features());
    rows_.add_transposed(1, set, u, du);
    double sum = squared(w) + squared(du);
    for (std::size_t f = 0; f < du.size(); ++f) sum += 2 * set.z * du[f] * w[rows_.local().numbers()[f]];
    return std::max(0.0, sum);
  }
  [[nodiscard]] double zeta(const AdviceRows::Set& set, std::span<const double> u) const {
    double sum = set.margin;
    for (std::size_t k = set.begin; k < set.end; ++k) sum += rows_.d(k) * u[k];
    return std::max(0.0, sum);
  }
  // w^ = nu w + (1 - nu) r
  [[nodiscard]] std::vector<double> blended(std::span<const double> w, std::span<const double> u) const {
    std::vector<double> r(rows_.features()), out(w.begin(), w.end());
    for (const AdviceRows::Set& set : rows_.sets()) rows_.add_transposed(-set.z * set.trust / trust_, set, u, r);
    for (double& value : out) value *= nu_;
    for (std::size_t f = 0; f < r.size(); ++f) out[rows_.local().numbers()[f]] += (1 - nu_) * r[f];
    return out;
  }

  RegretBound run(const Model& model, std::size_t task, std::span<const Block> blocks,
                  std::vector<Reference> references) {
    double xx = 0;
    for_each_example(model, task, blocks, [&](const Row& x, double) { xx = std::max(xx, squared_norm(x)); });
    out_.radius = std::sqrt(xx);
    const double data = lambda_ / (1 + nu_ * lambda_ * xx);
    const std::unique_ptr<Learner> learner = fresh_learner(model, advice_);
    std::vector<double> w(model.schema().features), u(rows_.rows());
    for_each_example(model, task, blocks, [&](const Row& x, double y) {
      const auto xi = [&](std::span<const double> of) { return std::pow(std::max(0.0, 1 - y * dot(x, of.data())), 2); };
      out_.loss += data * xi(blended(w, u));
      learner->learn(x, y, 1);
      w = learner->linear()->weights;
      for (std::size_t i = 0; i < rows_.sets().size(); ++i) {
        const AdviceRows::Set& set = rows_.sets()[i];
        out_.loss += mu_ * set.trust *
                     (coefficients_[i].first * eta(set, w, u) + coefficients_[i].second * std::pow(zeta(set, u), 2));
      }
      for (Reference& of : references) {
        of.lost += lambda_ * xi(of.w);
        for (const AdviceRows::Set& set : rows_.sets())
          of.lost += mu_ * set.trust * (std::pow(zeta(set, of.u), 2) + eta(set, of.w, u) + eta(set, w, of.u));
      }
      u = StatePeek(*learner).tensors["multipliers"];
      ++out_.rounds;
    });
    out_.bound = std::numeric_limits<double>::infinity();
    for (const Reference& of : references)
      out_.bound = std::min(out_.bound, of.lost + squared(of.w) / nu_ + squared(of.u));
    return out_;
  }

  [[nodiscard]] std::vector<double> best_multipliers(std::span<const double> w) const {
    AdviceLoss loss(advice_, Ranges::promised);
    std::vector<double> local, out(rows_.rows());
    for (const std::uint32_t number : rows_.local().numbers()) local.push_back(w[number]);
    loss.value(local, 0);
    for (std::size_t i = 0; i < rows_.sets().size(); ++i) {
      const std::vector<double> u = loss.multipliers(i, advice_);
      std::copy(u.begin(), u.end(), out.begin() + static_cast<std::ptrdiff_t>(rows_.sets()[i].begin));
    }
    return out;
  }
  [[nodiscard]] std::size_t rows() const { return rows_.rows(); }

 private:
  // By the power method, rounded up.
  static double largest_eigenvalue(const std::vector<double>& m, std::size_t n) {
    std::vector<double> v(n, 1), next(n);
    double value = 0;
    for (int step = 0; step < 500; ++step) {
      for (std::size_t i = 0; i < n; ++i) {
        next[i] = 0;
        for (std::size_t j = 0; j < n; ++j) next[i] += m[i * n + j] * v[j];
      }
      value = std::sqrt(squared(next) / std::max(squared(v), 1e-300));
      const double length = std::sqrt(squared(next));
      if (length == 0) break;
      for (std::size_t i = 0; i < n; ++i) v[i] = next[i] / length;
    }
    double trace = 0;
    for (std::size_t i = 0; i < n; ++i) trace += m[i * n + i];
    return std::min(trace, 1.000001 * value);
  }

  TaskAdvice advice_;
  AdviceRows rows_;
  double lambda_, mu_, nu_ = 1, trust_ = 1;
  std::vector<std::pair<double, double>> coefficients_;  // of eta and zeta, per set
  RegretBound out_;
};

}  // namespace

std::vector<RegretBound> regret_bounds(const Model& model, std::span<const Block> blocks) {
  check_bounded(model.learner(), model.params());
  std::vector<RegretBound> out;
  for (std::size_t task = 0; task < model.outputs(); ++task) {
    RegretSum sum(model, task);
    std::vector<Reference> references;
    references.push_back({std::vector<double>(model.schema().features), std::vector<double>(sum.rows())});
    for (const LinearModel& w : separators(model, task, blocks, 0))
      references.push_back({w.weights, sum.best_multipliers(w.weights)});
    out.push_back(sum.run(model, task, blocks, std::move(references)));
  }
  return out;
}

}  // namespace postil
