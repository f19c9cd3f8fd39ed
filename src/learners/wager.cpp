// wager.cpp: two learners, one of which takes advice, and a wager between them.
//
// Source   docs/mathematics.md part C. AROW: Crammer, Kulesza and Dredze, NIPS 2009 [crammer2009arow]; AdaHedge:
//          de Rooij, van Erven, Gruenwald and Koolen, JMLR 2014 [derooij2014adahedge].
// Problem  Use the rules from the first example on, and be no worse for them in the end, whatever they say.
// Updates  g_0 = the hyperplane all sets and directions ask for, g_i = the one set i asks for alone
//          (advice/advice_hyperplane.hpp)
//          N: diagonal AROW on (x, 1):                  w = 0, V = 1
//          G: diagonal AROW on (x, 1, g_0(x), ..., g_m(x)): w = 0 but 1 on g_0; V = stiff on x, 3 on 1, 1 on g_0,
//             trust_i min(1, 3/m) on g_i
//          eta = ln 2 / Delta,  q_k ~ pi_k exp(-eta L_k),  p_G = q_G 100 / (100 + t),  p_N = 1 - p_G
//          score = p_N f_N + p_G f_G
//          l_k = (1 - y clip(f_k, -1, 1)) / 2,  Delta += max(0, q'l + ln(sum q_k exp(-eta l_k)) / eta),  L += l,  t += 1
//          both: S = mean |x|^2 of their own input, r = r0 S, h = 1 - y f; if h > 0: w += y h / (x'Vx + r) V x, 1/V += x^2/r
// Cost     O(nnz(x) + what the g_i weigh) a round.
// Choices  A feature's four numbers stand side by side: one place in memory a value, not four.
//          An example of weight c has r / c in place of r; the wager counts it once.
//          Without rules N predicts alone.  Test: Wager.WithoutRulesIsArow.
#include <algorithm>
#include <cmath>

#include "advice/advice_hyperplane.hpp"
#include "core/math.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "local_features.hpp"

namespace postil {
namespace {

constexpr Range kOpenUnit{0, 1, true, true};
constexpr ParamSpec kParams[] = {
    number_param("r0", "r", 0.3, Range::positive, "how little an example counts, in units of the mean |x|^2"),
    number_param("stiff", "", 0.3, Range::positive,
                 "how freely the advised half moves its weights away from the rules"),
    number_param("prior", "", 0.7, kOpenUnit, "how far the advised half is believed before the first example"),
    choice_param("bias", "1", "1|none", "an intercept, or none")};

constexpr double kFade = 100, kBiasVariance = 3, kEtaMost = 2, kLn2 = 0.693147180559945309;

class Wager final : public Learner {
 public:
  explicit Wager(const Params& params)
      : r0_(params.number("r0")),
        stiff_(params.number("stiff")),
        prior_(params.number("prior")),
        constant_(params.choice("bias") == "none" ? 0 : 1) {}

  // ---- rules ----

  void take_advice(const TaskAdvice& advice) override {
    const std::vector<Plane> before = std::move(planes_);
    const std::vector<TaskAdvice::Set> sets_before = sets();
    const std::vector<double> c_before = std::move(c_), vc_before = std::move(vc_);
    const bool first = before.empty();
    const std::vector<std::uint32_t> numbers = advice.numbers(), numbers_before = advice_.numbers();
    restore_advice(advice);
    planes_.clear();
    c_.clear();
    vc_.clear();
    if (advice_.empty()) return;

    AdviceHyperplane start;  // the rules' hyperplane so far, on the features that are still named
    start.bias = whole_.bias;
    start.scale = whole_.scale;
    for (const std::uint32_t number : numbers) {
      const auto found = std::lower_bound(numbers_before.begin(), numbers_before.end(), number);
      const bool known = !first && found != numbers_before.end() && *found == number;
      start.weights.push_back(known ? whole_.weights[static_cast<std::size_t>(found - numbers_before.begin())] : 0);
    }
    whole_ = advice_hyperplane(advice, {.bias = constant_ != 0, .start = first ? nullptr : &start});
    planes_.push_back(plane_of(whole_, advice));
    c_.push_back(first ? (t_ == 0 ? 1 : 0) : c_before[0]);
    vc_.push_back(first ? 1 : vc_before[0]);
    const double variance = std::min(1.0, 3 / static_cast<double>(sets().size()));
    for (std::size_t i = 0; i < sets().size(); ++i) {
      const auto same = std::find_if(sets_before.begin(), sets_before.end(), [&](const TaskAdvice::Set& other) {
        return other.z == sets()[i].z && other.margin == sets()[i].margin && other.rows == sets()[i].rows;
      });
      const bool known = same != sets_before.end();
      const std::size_t k = known ? static_cast<std::size_t>(same - sets_before.begin()) + 1 : 0;
      if (known && same->trust == sets()[i].trust) {
        planes_.push_back(before[k]);
      } else {
        const TaskAdvice own = advice.only(i);
        planes_.push_back(plane_of(advice_hyperplane(own, {.bias = constant_ != 0}), own));
      }
      c_.push_back(known ? c_before[k] : 0);
      vc_.push_back(known ? vc_before[k] * sets()[i].trust / same->trust : variance * sets()[i].trust);
    }
    locate_planes();
    if (first && t_ > 0) begin_advised_half();
  }

  void restore_advice(const TaskAdvice& advice) override {
    advice_ = advice;
    local_ = LocalFeatures(advice.numbers());
  }

  bool turn_round() override {
    for (std::size_t j = 0; j < state_.size(); j += 2) state_[j] = -state_[j];
    bias_[0] = -bias_[0];
    bias_[2] = -bias_[2];
    for (Plane& plane : planes_) plane.turn();
    for (double& value : whole_.weights) value = -value;
    whole_.bias = -whole_.bias;
    for (TaskAdvice::Set& set : advice_.sets) set.z = -set.z;
    for (TaskAdvice::Sign& sign : advice_.directions) sign.z = -sign.z;
    if (!planes_.empty()) index_planes();
    return true;
  }

  // ---- learning ----

  void grow(std::size_t features) override {
    if (features <= state_.size() / 4) return;
    state_.reserve(4 * features);
    while (state_.size() < 4 * features) state_.insert(state_.end(), {0, 1, 0, stiff_});
  }

  [[nodiscard]] double score(const Row& x) const override {
    Scores f = scores(x);
    if (planes_.empty()) return f.n;
    for (std::size_t i = 0; i < planes_.size(); ++i) f.g += c_[i] * planes_[i].bias;
    local_.for_each(x, [&](std::uint32_t place, double value) {
      for (std::size_t e = columns_[place]; e < columns_[place + 1]; ++e)
        f.g += c_[entries_[e].plane] * entries_[e].weight * value;
    });
    const Shares p = shares();
    return (1 - p.advised) * f.n + p.advised * f.g;
  }

  Step learn(const Row& x, double y, double weight) override {
    Scores f = scores(x);
    if (!planes_.empty()) {
      evaluate(x);
      for (std::size_t i = 0; i < g_.size(); ++i) f.g += c_[i] * g_[i];
    }
    const Shares p = shares();
    const double predicted = planes_.empty() ? f.n : (1 - p.advised) * f.n + p.advised * f.g;
    if (!(weight > 0)) return {.score = predicted, .updated = false};
    if (!planes_.empty()) wager(y, f, p);
    ++t_;
    return {.score = predicted, .updated = update(x, y, weight, f)};
  }

  template <class Self, class Archive>
  static void numbers(Self& self, Archive& archive) {
    archive.tensor("halves", self.state_);  // per feature: w_N, V_N, w_G, V_G
    archive.tensor("bias_halves", self.bias_);
    archive.tensor("coefficients", self.c_);
    archive.tensor("coefficient_variances", self.vc_);
    archive.tensor("mean_squared_norms", self.mean_);
    archive.tensor("losses", self.losses_);
    archive.number("delta", self.delta_);
    archive.counter("t", self.t_);
  }
  void write(StateWriter& out) const override {
    numbers(*this, out);
    std::vector<double> planes;
    for (const Plane& plane : planes_) {
      planes.insert(planes.end(), plane.weights.begin(), plane.weights.end());
      planes.push_back(plane.bias);
    }
    write_sparse(out, "hyperplanes", planes);
    if (!planes_.empty()) whole_.write(out);
  }
  void read(StateReader& in) override {
    numbers(*this, in);
    std::vector<double> planes;
    const std::size_t size = sets().size() * advice_.features.size() > kLongestSparse ? 0 : shape_planes();
    whole_state_ = read_sparse(in, "hyperplanes", size, planes);
    std::size_t at = 0;
    for (Plane& plane : planes_) {
      if (!whole_state_) break;
      for (double& value : plane.weights) value = planes[at++];
      plane.bias = planes[at++];
    }
    whole_.read(in, advice_);
    if (whole_state_) locate_planes();
  }
  [[nodiscard]] bool fits(std::size_t features) const override {
    const auto positive = [](double v) { return v > 0; };
    if (state_.size() != 4 * features || bias_.size() != 4 || mean_.size() != 2 || losses_.size() != 3) return false;
    if (c_.size() != planes_.size() || vc_.size() != planes_.size() || !whole_state_ || !whole_.whole || !(delta_ > 0))
      return false;
    for (std::size_t j = 1; j < state_.size(); j += 2)
      if (!(state_[j] > 0)) return false;
    return std::all_of(vc_.begin(), vc_.end(), positive) && bias_[1] > 0 && bias_[3] > 0;
  }

  // ---- what it has come to ----

  [[nodiscard]] std::optional<LinearModel> linear() const override {
    const double advised = planes_.empty() ? 0 : shares().advised;
    LinearModel out;
    out.weights.reserve(state_.size() / 4);
    for (std::size_t j = 0; j < state_.size(); j += 4) out.weights.push_back(blend(advised, state_[j], state_[j + 2]));
    out.bias = constant_ * blend(advised, bias_[0], bias_[2]);
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      for (std::size_t k = 0; k < planes_[i].places.size(); ++k)
        out.weights[local_.numbers()[planes_[i].places[k]]] += advised * c_[i] * planes_[i].weights[k];
      out.bias += advised * c_[i] * planes_[i].bias;
    }
    return out;
  }

  [[nodiscard]] std::optional<AdviceReport> advice_report() const override {
    if (planes_.empty()) return std::nullopt;
    AdviceReport out;
    const double advised = shares().advised;
    out.wager = {advised, losses_[0], losses_[1], losses_[2], t_};
    const AdviceHyperplane solved = whole_.sets.empty() ? advice_hyperplane(advice_, {.bias = constant_ != 0}) : whole_;
    out.converged = solved.converged;
    // g_0 belongs to all rules; each is credited with what its own g_i explains of it.
    const auto spread = [&](const Plane& plane, double factor, std::vector<double>& to) {
      for (std::size_t k = 0; k < plane.places.size(); ++k) to[plane.places[k]] += factor * plane.weights[k];
    };
    std::vector<std::vector<double>> own(sets().size(), std::vector<double>(local_.size()));
    for (std::size_t i = 0; i < sets().size(); ++i) spread(planes_[i + 1], 1, own[i]);
    std::vector<double> whole(local_.size());
    spread(planes_[0], 1, whole);
    const std::vector<double> shares = shares_of(whole, own);
    for (std::size_t i = 0; i < sets().size(); ++i) {
      const AdviceHyperplane::Set& from = solved.sets[i];
      const double factor = advised * (c_[0] * shares[i] + c_[i + 1]);
      AdviceReport::Set set{from.multipliers, from.estimate, from.ideal, std::vector<double>(local_.size()), 0};
      spread(planes_[i + 1], factor, set.part);
      set.part_bias = factor * planes_[i + 1].bias;
      out.sets.push_back(std::move(set));
    }
    return out;
  }

 private:
  struct Plane {
    std::vector<std::uint32_t> numbers, places;  // features, and their places among the named ones
    std::vector<double> weights;
    double bias = 0;

    void locate(const LocalFeatures& local) {
      places.clear();
      for (const std::uint32_t number : numbers) places.push_back(local.place(number));
    }
    void turn() {
      for (double& weight : weights) weight = -weight;
      bias = -bias;
    }
  };
  [[nodiscard]] const std::vector<TaskAdvice::Set>& sets() const { return advice_.sets; }
  struct Scores {
    double n, g;    // of the halves; g without its coefficients
    double xx;      // |x|^2 with the constant
    double vn, vg;  // x'Vx of the halves
  };
  struct Shares {
    double q, advised;  // of G, before and after the fade
    double eta;
  };

  static Plane plane_of(const AdviceHyperplane& from, const TaskAdvice& advice) {
    Plane out;
    out.numbers = advice.numbers();
    out.weights = from.weights;
    out.bias = from.bias;
    return out;
  }

  // The features of advice_.only(set).
  [[nodiscard]] std::vector<std::uint32_t> numbers_of(std::size_t set) const {
    std::vector<std::uint32_t> own, out;
    for (const AdviceRow& row : sets()[set].rows)
      for (const auto& [feature, coefficient] : row.terms) own.push_back(feature);
    std::sort(own.begin(), own.end());
    for (const TaskAdvice::Feature& f : advice_.features)
      if (f.stated || std::binary_search(own.begin(), own.end(), f.number)) out.push_back(f.number);
    return out;
  }
  // Makes room for the planes of the advice; how many numbers they hold.
  std::size_t shape_planes() {
    planes_.clear();
    std::size_t size = 0;
    for (std::size_t i = 0; !advice_.empty() && i <= sets().size(); ++i) {
      Plane& plane = planes_.emplace_back();
      plane.numbers = i == 0 ? advice_.numbers() : numbers_of(i - 1);
      plane.weights.resize(plane.numbers.size());
      size += plane.weights.size() + 1;
    }
    return size;
  }
  void locate_planes() {
    for (Plane& plane : planes_) plane.locate(local_);
    if (!planes_.empty()) index_planes();
    g_.assign(planes_.size(), 0);
  }
  // The planes by feature.
  void index_planes() {
    columns_.assign(local_.size() + 1, 0);
    for (const Plane& plane : planes_)
      for (const std::uint32_t place : plane.places) ++columns_[place + 1];
    for (std::size_t f = 0; f < local_.size(); ++f) columns_[f + 1] += columns_[f];
    entries_.resize(columns_.back());
    std::vector<std::size_t> next(columns_.begin(), columns_.end() - 1);
    for (std::uint32_t i = 0; i < planes_.size(); ++i)
      for (std::size_t k = 0; k < planes_[i].places.size(); ++k)
        entries_[next[planes_[i].places[k]]++] = {i, planes_[i].weights[k]};
  }

  void begin_advised_half() {
    for (std::size_t j = 0; j < state_.size(); j += 4) {
      state_[j + 2] = state_[j];
      state_[j + 3] = state_[j + 1];
    }
    bias_[2] = bias_[0];
    bias_[3] = bias_[1];
    mean_[1] = mean_[0];
  }

  static double blend(double advised, double n, double g) { return (1 - advised) * n + advised * g; }

  [[nodiscard]] Scores scores(const Row& x) const {
    Scores f{bias_[0] * constant_, bias_[2] * constant_, constant_, bias_[1] * constant_, bias_[3] * constant_};
    for (std::size_t k = 0; k < x.count; ++k) {
      const double* s = state_.data() + 4 * static_cast<std::size_t>(x.index(k));
      const double value = x.value(k), square = value * value;
      f.n += s[0] * value;
      f.g += s[2] * value;
      f.xx += square;
      f.vn += s[1] * square;
      f.vg += s[3] * square;
    }
    return f;
  }

  // g_i(x)
  void evaluate(const Row& x) {
    for (std::size_t i = 0; i < planes_.size(); ++i) g_[i] = planes_[i].bias;
    local_.for_each(x, [&](std::uint32_t place, double value) {
      for (std::size_t e = columns_[place]; e < columns_[place + 1]; ++e)
        g_[entries_[e].plane] += entries_[e].weight * value;
    });
  }

  [[nodiscard]] Shares shares() const {
    const double eta = kLn2 / delta_;
    const double odds = prior_ / (1 - prior_) * portable_exp(-eta * (losses_[1] - losses_[0]));
    const double q = std::isinf(odds) ? 1 : odds / (1 + odds);
    return {q, q * kFade / (kFade + static_cast<double>(t_)), eta};
  }

  void wager(double y, const Scores& f, const Shares& p) {
    const double n = (1 - y * std::clamp(f.n, -1.0, 1.0)) / 2, g = (1 - y * std::clamp(f.g, -1.0, 1.0)) / 2;
    const double mixed = portable_log((1 - p.q) * portable_exp(-p.eta * n) + p.q * portable_exp(-p.eta * g)) / p.eta;
    delta_ += std::max(0.0, (1 - p.q) * n + p.q * g + mixed);
    losses_[0] += n;
    losses_[1] += g;
    losses_[2] += (1 - p.advised) * n + p.advised * g;
  }

  // Both halves, each on its own input.
  bool update(const Row& x, double y, double weight, const Scores& f) {
    double xx_g = f.xx, vg = f.vg;
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      xx_g += g_[i] * g_[i];
      vg += vc_[i] * g_[i] * g_[i];
    }
    const auto seen = static_cast<double>(t_);
    mean_[0] += (f.xx - mean_[0]) / seen;
    const double r_n = r0_ * (mean_[0] > 0 ? mean_[0] : 1) / weight;
    const double h_n = 1 - y * f.n;
    const double step_n = h_n > 0 ? y * h_n / (f.vn + r_n) : 0;
    double step_g = 0, r_g = 1;
    if (!planes_.empty()) {
      mean_[1] += (xx_g - mean_[1]) / seen;
      r_g = r0_ * (mean_[1] > 0 ? mean_[1] : 1) / weight;
      const double h_g = 1 - y * f.g;
      step_g = h_g > 0 ? y * h_g / (vg + r_g) : 0;
    }
    if (step_n == 0 && step_g == 0) return false;
    const double share_n = step_n == 0 ? 0 : 1 / r_n, share_g = step_g == 0 ? 0 : 1 / r_g;
    for (std::size_t k = 0; k < x.count; ++k) {
      double* s = state_.data() + 4 * static_cast<std::size_t>(x.index(k));
      move(s, x.value(k), step_n, share_n);
      move(s + 2, x.value(k), step_g, share_g);
    }
    move(bias_.data(), constant_, step_n, share_n);
    move(bias_.data() + 2, constant_, step_g, share_g);
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      c_[i] += step_g * vc_[i] * g_[i];
      vc_[i] /= 1 + vc_[i] * g_[i] * g_[i] * share_g;
    }
    return true;
  }
  // w += step V x, 1/V += x^2 / r
  static void move(double* w_and_v, double x, double step, double one_over_r) {
    w_and_v[0] += step * w_and_v[1] * x;
    w_and_v[1] /= 1 + w_and_v[1] * x * x * one_over_r;
  }

  double r0_, stiff_, prior_, constant_;
  std::vector<double> state_;                         // per feature: w_N, V_N, w_G, V_G
  std::vector<double> bias_{0, 1, 0, kBiasVariance};  // the same of the constant
  std::vector<double> c_, vc_;                        // G's weights on g_0 ... g_m and their variances
  std::vector<double> mean_{0, 0};                    // of |x|^2, of N's and of G's input
  std::vector<double> losses_{0, 0, 0};               // of N, of G, of the two together
  double delta_ = kLn2 / kEtaMost;
  std::uint64_t t_ = 0;

  TaskAdvice advice_;
  LocalFeatures local_;
  AdviceHyperplane whole_;     // g_0 with what each set has to do with it
  std::vector<Plane> planes_;  // g_0 ... g_m
  struct Entry {
    std::uint32_t plane;
    double weight;
  };
  std::vector<std::size_t> columns_;  // per named feature: where its entries begin
  std::vector<Entry> entries_;
  std::vector<double> g_;  // work space
  bool whole_state_ = true;
};

constexpr std::string_view kPage = R"(
The learner that was recommended first: advice helps from the first example on, and cannot hurt for long. Two AROW learners run side by side, one that knows nothing of the rules and one that starts from them; the prediction is a blend whose weights follow their losses, and the advised half's share fades with the number of examples.

**Problem.** Be right at once if the rules are right; be as good as a learner without rules in the end if they are wrong.

**Update.** The rules are compiled into hyperplanes $g_0$ (all of them together) and $g_i$ (each advice set alone): $\min \frac12|w|^2 + \frac\mu2\sum_i(|D_i'u_i + z_i w|^2 + (1 + d_i'u_i - z_i b)_+^2)$, $u \ge 0$, $\mu = 100$, with the features' known or seen ranges among the rows.
$N$ is AROW on $(x, 1)$; $G$ is AROW on $(x, 1, g_0(x), \dots, g_m(x))$ and starts at $g_0$. AdaHedge gives $q_G$ from the clipped losses, $p_G = q_G \cdot 100/(100 + t)$, and the score is $(1 - p_G) f_N + p_G f_G$.

**Promise.** The loss of the clipped blend is at most that of $N$ plus $(1 + \log_2\frac{1}{1 - prior})(\frac12\sqrt{T\ln 2} + 1.82)$, whatever the rules say (`train --bounds` shows both sides).

**When not to use it.** If the world changes: AROW's variances only shrink. If the rules must hold, not only help: `kbsvm` with `advice=hard`.
)";

}  // namespace

extern const LearnerInfo wager_info{.name = "wager",
                                    .title = "A wager of two AROW learners",
                                    .reference = "derooij2014adahedge",
                                    .mode = Mode::online,
                                    .takes_advice = true,
                                    .kernels = false,
                                    .python_name = "WagerClassifier",
                                    .params = kParams,
                                    .make = make_learner<Wager>,
                                    .page = kPage,
                                    .promises = Promises::wager};

}  // namespace postil
