#include "advice_hyperplane.hpp"

#include <algorithm>
#include <cmath>

#include "advice_loss.hpp"
#include "core/kernels.hpp"
#include "solvers/newton.hpp"
#include "solvers/shifted_system.hpp"

namespace postil {
namespace {

constexpr double kNothing = 1e-9;  // docs/mathematics.md part C: s below it
// Rules of one class may be content with any b of an interval; this keeps to the nearest without moving b by more than 1e-9.
constexpr double kBiasRidge = 1e-10;

// x = (w, b)
class CompileProblem final : public SmoothFunction {
 public:
  CompileProblem(AdviceLoss& loss, const HyperplaneOptions& options)
      : loss_(loss), mu_(options.mu), bias_(options.bias) {}

  double value(std::span<const double> x) override {
    x_.assign(x.begin(), x.end());
    double sum = kBiasRidge * x.back() * x.back();
    for (const double w : x.first(x.size() - 1)) sum += w * w;
    return sum / 2 + mu_ * loss_.value(x.first(x.size() - 1), x.back());
  }
  void gradient(std::span<double> out) override {
    std::copy(x_.begin(), x_.end(), out.begin());
    out.back() *= kBiasRidge;
    loss_.add_gradient(mu_, out.first(out.size() - 1), out.back());
    if (!bias_) out.back() = 0;
  }
  void hessian_times(std::span<const double> v, std::span<double> out) override {
    std::copy(v.begin(), v.end(), out.begin());
    out.back() *= kBiasRidge;
    loss_.add_hessian_times(mu_, v.first(v.size() - 1), v.back(), out.first(out.size() - 1), out.back());
    if (!bias_) out.back() = 0;
  }
  void hessian_diagonal(std::span<double> out) override {
    std::fill(out.begin(), out.end(), 1);
    out.back() = kBiasRidge;
    loss_.add_hessian_diagonal(mu_, out.first(out.size() - 1), out.back());
  }

 private:
  AdviceLoss& loss_;
  double mu_;
  bool bias_;
  std::vector<double> x_;
};

// The features' mean, inside their ranges, as a set.
TaskAdvice::Set mean_says(double z, const TaskAdvice& advice) {
  TaskAdvice::Set set;
  set.z = z;
  for (const TaskAdvice::Feature& f : advice.features) {
    const double low = std::isinf(f.low) ? f.seen_low : f.low, high = std::isinf(f.high) ? f.seen_high : f.high;
    set.rows.push_back({{{f.number, 1.0}}, std::min(std::max(f.mean, low), high), false, true});
  }
  return set;
}

void add_points(const TaskAdvice::Sign& direction, const TaskAdvice& advice, std::vector<TaskAdvice::Set>& to) {
  const std::size_t place = advice.place(direction.feature);
  if (advice.features[place].variance == 0) return;  // the column does not change
  for (const double side : {1.0, -1.0}) {
    TaskAdvice::Set point = mean_says(side * direction.z, advice);
    point.trust = direction.trust;
    point.rows[place].bound += side * advice.features[place].spread();
    to.push_back(std::move(point));
  }
}

}  // namespace

AdviceHyperplane advice_hyperplane(const TaskAdvice& advice, const HyperplaneOptions& options) {
  AdviceHyperplane out;
  const std::size_t n = advice.features.size();
  out.weights.assign(n, 0);
  if (advice.empty()) return out;
  TaskAdvice all = advice;
  const bool one_sided =
      !advice.sets.empty() && std::all_of(advice.sets.begin(), advice.sets.end(),
                                          [&](const TaskAdvice::Set& set) { return set.z == advice.sets[0].z; });
  if (!advice.of_numbers) {
    if (one_sided && options.mean_opposes) all.sets.push_back(mean_says(-advice.sets[0].z, advice));
    for (const TaskAdvice::Sign& direction : advice.directions) add_points(direction, advice, all.sets);
    all.directions.clear();
  }

  AdviceLoss loss(all, Ranges::seen);
  CompileProblem problem(loss, options);
  std::vector<double> x(n + 1), g(n + 1);
  problem.value(x);
  problem.gradient(g);
  double size = 0;
  for (const double value : g) size += value * value;
  if (const AdviceHyperplane* start = options.start; start != nullptr && start->weights.size() == n) {
    for (std::size_t f = 0; f < n; ++f) x[f] = start->weights[f] * start->scale;
    x[n] = options.bias ? start->bias * start->scale : 0;
  }
  const NewtonResult result = minimise(problem, x, {.tolerance = 1e-12 * std::sqrt(size)});
  out.converged = result.converged && loss.converged();

  double score = x[n];
  for (std::size_t f = 0; f < n; ++f) {
    out.scale += x[f] * x[f] * advice.features[f].variance;
    score += x[f] * advice.features[f].mean;
  }
  out.scale = advice.of_numbers ? 1 : std::sqrt(out.scale + score * score);
  const double divide = out.scale < kNothing ? 0 : 1 / out.scale;
  for (std::size_t f = 0; f < n; ++f) out.weights[f] = x[f] * divide;
  out.bias = x[n] * divide;
  for (std::size_t i = 0; i < advice.sets.size(); ++i) {
    AdviceHyperplane::Set set{{}, loss.multipliers(i), loss.estimate(i), loss.ideal_point(i)};
    for (const double y : loss.cone(i).y())  // w = mu sum trust z y at the minimum
      set.force.push_back(options.mu * advice.sets[i].trust * advice.sets[i].z * y * divide);
    out.sets.push_back(std::move(set));
  }
  return out;
}

void AdviceHyperplane::write(StateWriter& out) const {
  write_sparse(out, "plane.weights", weights);
  out.tensor("plane.numbers", std::vector{bias, scale, converged ? 1.0 : 0.0});
}

void AdviceHyperplane::read(StateReader& in, const TaskAdvice& advice) {
  if (!in.has("plane.numbers")) return;
  std::vector<double> numbers;
  in.tensor("plane.numbers", numbers);
  whole = read_sparse(in, "plane.weights", advice.features.size(), weights) && numbers.size() == 3;
  sets.clear();
  if (!whole) return;
  bias = numbers[0];
  scale = numbers[1];
  converged = numbers[2] != 0;
}

std::vector<double> shares_of(std::span<const double> whole, const std::vector<std::vector<double>>& others) {
  const std::size_t m = others.size();
  std::vector<double> h(m * m), b(m), x(m);
  const std::vector<unsigned char> free(m, 0);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < m; ++k) h[i * m + k] = dot(others[i], others[k]);
    h[i * m + i] = h[i * m + i] * (1 + 1e-6) + 1e-12;  // of rules that say the same, each a share
    b[i] = dot(others[i], whole);
  }
  nonnegative_qp(h, b, free, x);
  return x;
}

}  // namespace postil
