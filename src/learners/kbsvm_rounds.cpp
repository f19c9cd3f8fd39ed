#include "kbsvm_rounds.hpp"

#include <algorithm>

#include "core/kernels.hpp"

namespace postil {

// ---- on each shard ----

void KbsvmRounds::begin_answer() {
  if (done_) return;
  (void)begin();
  sums_.assign(ask_along_.empty() ? point_size() : size_, 0);
}

void KbsvmRounds::add(const Row& x, double y, double weight, const std::optional<double>& epsilon) {
  if (sums_.empty()) return;  // nothing is asked
  const double pull = kbsvm_pull(y, dot(x, ask_.data()) + ask_.back(), epsilon);
  if (pull == 0) return;
  const std::size_t last = size_ - 1;  // of the bias
  if (!ask_along_.empty()) {
    const double step = weight * (dot(x, ask_along_.data()) + ask_along_.back());
    axpy(step, x, sums_.data());
    sums_[last] += step;
    return;
  }
  double* const gradient = sums_.data() + 1;
  double* const diagonal = gradient + size_;
  sums_[0] += weight * pull * pull / 2;
  axpy(-weight * pull, x, gradient);
  gradient[last] -= weight * pull;
  for (std::size_t k = 0; k < x.count; ++k) diagonal[x.index(k)] += weight * x.value(k) * x.value(k);
  diagonal[last] += weight;
  if (!small()) return;
  double* const hessian = diagonal + size_;  // row i has i + 1 numbers
  for (std::size_t k = 0; k < x.count; ++k) {
    const std::size_t i = x.index(k);
    const double scaled = weight * x.value(k);
    double* const row = hessian + i * (i + 1) / 2;
    if (scaled == 0) continue;
    for (std::size_t l = 0; l <= k; ++l) row[x.index(l)] += scaled * x.value(l);
  }
  double* const row = hessian + last * (last + 1) / 2;
  axpy(weight, x, row);
  row[last] += weight;
}

void KbsvmRounds::write_answer(StateWriter& out) const {
  if (!done_) out.tensor("answer", sums_);
}

// ---- where the answers come together ----

const std::vector<double>& KbsvmRounds::begin() {
  if (begin_.empty()) ask_ = begin_ = std::vector<double>(size_);
  return begin_;
}

void KbsvmRounds::take_answer(StateReader& sums) {
  (void)begin();
  std::vector<double> answer;
  sums.tensor("answer", answer);
  if (answer.size() != (ask_along_.empty() ? point_size() : size_)) answer.clear();  // damaged: asked again
  if (answer.empty()) return;
  if (ask_along_.empty())
    points_.push_back({ask_, std::move(answer)});
  else
    products_.push_back({ask_along_, std::move(answer)});
}

double KbsvmRounds::value(std::span<const double> x) {
  const auto found = std::find_if(points_.begin(), points_.end(),
                                  [&](const Point& point) { return std::equal(x.begin(), x.end(), point.x.begin()); });
  if (found == points_.end()) {
    ask_.assign(x.begin(), x.end());
    ask_along_.clear();
    throw Asks();
  }
  at_ = static_cast<std::size_t>(found - points_.begin());
  return found->answer[0];
}

// Asked for at accepted points only.
void KbsvmRounds::add_gradient(double factor, std::span<double> out) {
  if (points_[at_].x != begin_) {
    Point accepted = std::move(points_[at_]);
    begin_ = accepted.x;
    points_.clear();
    points_.push_back(std::move(accepted));
    products_.clear();
    at_ = 0;
    ++iterations_;
  }
  const std::span<const double> gradient = answer(1, size_);
  for (std::size_t j = 0; j < size_; ++j) out[j] += factor * gradient[j];
}

void KbsvmRounds::add_hessian_diagonal(double factor, std::span<double> out) {
  const std::span<const double> diagonal = answer(1 + size_, size_);
  for (std::size_t j = 0; j < size_; ++j) out[j] += factor * diagonal[j];
}

void KbsvmRounds::add_hessian_times(double factor, std::span<const double> v, std::span<double> out) {
  if (small()) {
    const std::span<const double> hessian = answer(1 + 2 * size_, size_ * (size_ + 1) / 2);
    for (std::size_t i = 0; i < size_; ++i) {
      const std::span<const double> row = hessian.subspan(i * (i + 1) / 2, i + 1);
      for (std::size_t j = 0; j < i; ++j) {
        out[i] += factor * row[j] * v[j];
        out[j] += factor * row[j] * v[i];
      }
      out[i] += factor * row[i] * v[i];
    }
    return;
  }
  const auto found = std::find_if(products_.begin(), products_.end(), [&](const Product& product) {
    return std::equal(v.begin(), v.end(), product.v.begin());
  });
  if (found == products_.end()) {
    ask_ = begin_;
    ask_along_.assign(v.begin(), v.end());
    throw Asks();
  }
  for (std::size_t j = 0; j < size_; ++j) out[j] += factor * found->answer[j];
}

// ---- state ----

void KbsvmRounds::write(StateWriter& out) const {
  if (done_) out.counter("rounds.done", 1);
  if (begin_.empty()) return;
  out.tensor("rounds.begin", begin_);
  out.tensor("rounds.ask", ask_);
  out.tensor("rounds.ask_along", ask_along_);
  out.number("rounds.first", first_);
  out.counter("rounds.iterations", iterations_);
  std::vector<double> points, products;
  for (const Point& point : points_) {
    points.insert(points.end(), point.x.begin(), point.x.end());
    points.insert(points.end(), point.answer.begin(), point.answer.end());
  }
  for (const Product& product : products_) {
    products.insert(products.end(), product.v.begin(), product.v.end());
    products.insert(products.end(), product.answer.begin(), product.answer.end());
  }
  out.tensor("rounds.points", points);
  out.tensor("rounds.products", products);
}

void KbsvmRounds::read(StateReader& in) {
  done_ = in.has("rounds.done");
  if (!in.has("rounds.begin")) return;
  std::vector<double> points, products;
  in.tensor("rounds.begin", begin_);
  in.tensor("rounds.ask", ask_);
  in.tensor("rounds.ask_along", ask_along_);
  in.number("rounds.first", first_);
  in.counter("rounds.iterations", iterations_);
  in.tensor("rounds.points", points);
  in.tensor("rounds.products", products);
  size_ = begin_.size();
  const auto cut = [](const std::vector<double>& from, std::size_t first, std::size_t count) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(first);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(count));
  };
  const std::size_t of_point = size_ + point_size(), of_product = 2 * size_;
  if (size_ == 0 || points.size() % of_point != 0 || products.size() % of_product != 0) {
    size_ = 0;  // fits no features
    return;
  }
  for (std::size_t k = 0; k < points.size(); k += of_point)
    points_.push_back({cut(points, k, size_), cut(points, k + size_, point_size())});
  for (std::size_t k = 0; k < products.size(); k += of_product)
    products_.push_back({cut(products, k, size_), cut(products, k + size_, size_)});
}

bool KbsvmRounds::fits(std::size_t features) const {
  if (begin_.empty()) return true;
  return size_ == features + 1 && ask_.size() == size_ && (ask_along_.empty() || ask_along_.size() == size_) &&
         first_ >= 0;
}

}  // namespace postil
