#include "postil/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace postil {
namespace {

double ratio(double a, double b) { return b == 0 ? 0 : a / b; }

}  // namespace

std::optional<double> area_under_curve(std::span<const double> scores, const std::vector<bool>& positive) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] < scores[b]; });
  double wins = 0, negatives = 0, positives = 0;  // wins: pairs with the positive above, ties half
  for (std::size_t i = 0; i < order.size();) {
    double tied_positive = 0, tied_negative = 0;
    const double score = scores[order[i]];
    for (; i < order.size() && scores[order[i]] == score; ++i)
      (positive[order[i]] ? tied_positive : tied_negative) += 1;
    wins += tied_positive * (negatives + tied_negative / 2);
    positives += tied_positive;
    negatives += tied_negative;
  }
  if (positives == 0 || negatives == 0) return std::nullopt;
  return wins / (positives * negatives);
}

Evaluation::Evaluation(std::size_t classes, std::uint32_t positive)
    : positive_(positive),
      confusion_(classes, std::vector<std::uint64_t>(classes)),
      scores_(classes == 2 ? 1 : classes) {}

void Evaluation::add(std::uint32_t truth, std::uint32_t predicted, std::span<const double> scores,
                     std::span<const double> probabilities) {
  constexpr double kLeast = 1e-15;  // a probability of 0 that comes true must not cost everything
  log_loss_ -= std::log(std::clamp(probabilities[truth], kLeast, 1.0));
  for (std::size_t c = 0; c < probabilities.size(); ++c) {
    const double miss = probabilities[c] - (c == truth ? 1 : 0);
    if (probabilities.size() != 2 || c == positive_) brier_ += miss * miss;
  }
  const auto likeliest =
      static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) - probabilities.begin());
  const double said = probabilities[likeliest];
  Reliability& tenth =
      tenths_[std::min(tenths_.size() - 1, static_cast<std::size_t>(said * static_cast<double>(tenths_.size())))];
  ++tenth.rows;
  tenth.said += said;
  tenth.right += likeliest == truth ? 1 : 0;
  ++confusion_[truth][predicted];
  ++examples_;
  if (truth_.size() < kMostScores / scores_.size()) {
    truth_.push_back(truth);
    for (std::size_t k = 0; k < scores_.size(); ++k) scores_[k].push_back(scores[k]);
  } else if (const std::uint64_t place = chance_.below(examples_); place < truth_.size()) {
    truth_[place] = truth;
    for (std::size_t k = 0; k < scores_.size(); ++k) scores_[k][place] = scores[k];
  }
}

std::uint64_t Evaluation::examples() const { return examples_; }

std::uint64_t Evaluation::correct() const {
  std::uint64_t sum = 0;
  for (std::size_t c = 0; c < confusion_.size(); ++c) sum += confusion_[c][c];
  return sum;
}

double Evaluation::accuracy() const { return ratio(static_cast<double>(correct()), static_cast<double>(examples())); }

double Evaluation::balanced_error() const {
  double sum = 0, occurring = 0;
  for (std::size_t c = 0; c < confusion_.size(); ++c) {
    const auto total =
        static_cast<double>(std::accumulate(confusion_[c].begin(), confusion_[c].end(), std::uint64_t{0}));
    if (total == 0) continue;
    sum += 1 - static_cast<double>(confusion_[c][c]) / total;
    occurring += 1;
  }
  return ratio(sum, occurring);
}

double Evaluation::f1() const {
  double sum = 0, counted = 0;
  for (std::size_t c = 0; c < confusion_.size(); ++c) {
    if (confusion_.size() == 2 && c != positive_) continue;
    double truly = 0, predicted = 0;
    for (std::size_t k = 0; k < confusion_.size(); ++k) {
      truly += static_cast<double>(confusion_[c][k]);
      predicted += static_cast<double>(confusion_[k][c]);
    }
    if (truly + predicted == 0 && confusion_.size() > 2) continue;
    sum += ratio(2 * static_cast<double>(confusion_[c][c]), truly + predicted);
    counted += 1;
  }
  return ratio(sum, counted);
}

double Evaluation::log_loss() const { return ratio(log_loss_, static_cast<double>(examples_)); }
double Evaluation::brier_score() const { return ratio(brier_, static_cast<double>(examples_)); }

std::vector<Evaluation::Reliability> Evaluation::reliability() const {
  std::vector<Reliability> out = tenths_;
  for (Reliability& tenth : out) {
    tenth.said = ratio(tenth.said, static_cast<double>(tenth.rows));
    tenth.right = ratio(tenth.right, static_cast<double>(tenth.rows));
  }
  return out;
}

std::vector<ClassRecord> class_records(const std::vector<std::vector<std::uint64_t>>& confusion) {
  std::vector<ClassRecord> out(confusion.size());
  for (std::size_t truth = 0; truth < confusion.size(); ++truth) {
    out[truth].right = confusion[truth][truth];
    for (std::size_t predicted = 0; predicted < confusion.size(); ++predicted) {
      out[truth].rows += confusion[truth][predicted];
      out[predicted].predicted += confusion[truth][predicted];
    }
  }
  return out;
}

double Evaluation::calibration_error() const {
  double sum = 0;
  for (const Reliability& tenth : tenths_) sum += std::fabs(tenth.said - tenth.right);
  return ratio(sum, static_cast<double>(examples_));
}

std::optional<double> Evaluation::auc() const {
  double sum = 0, counted = 0;
  for (std::size_t k = 0; k < scores_.size(); ++k) {
    const std::uint32_t asked = scores_.size() == 1 ? positive_ : static_cast<std::uint32_t>(k);
    std::vector<bool> positive(truth_.size());
    for (std::size_t i = 0; i < truth_.size(); ++i) positive[i] = truth_[i] == asked;
    const std::optional<double> area = area_under_curve(scores_[k], positive);
    if (!area) continue;
    sum += *area;
    counted += 1;
  }
  if (counted == 0) return std::nullopt;
  return sum / counted;
}

std::vector<RiskCoverage::Point> RiskCoverage::points(std::span<const double> shares) const {
  std::vector<std::pair<double, bool>> rows = rows_;
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::uint64_t> wrong{0};  // among so many of the surest
  for (const auto& row : rows) wrong.push_back(wrong.back() + (row.second ? 1 : 0));
  std::vector<Point> out;
  for (const double share : shares) {
    auto answered = static_cast<std::size_t>(std::ceil(share * static_cast<double>(rows.size()) - 1e-9));
    if (answered == 0 || answered > rows.size()) continue;
    const double at_least = rows[answered - 1].first;
    while (answered < rows.size() && rows[answered].first == at_least) ++answered;
    out.push_back({at_least, answered, wrong[answered]});
  }
  return out;
}

void RegressionEvaluation::add(double truth, double predicted) {
  ++count_;
  absolute_ += std::fabs(truth - predicted);
  squared_ += (truth - predicted) * (truth - predicted);
  const double delta = truth - mean_;
  mean_ += delta / static_cast<double>(count_);
  spread_ += delta * (truth - mean_);
}

double RegressionEvaluation::mae() const { return ratio(absolute_, static_cast<double>(count_)); }
double RegressionEvaluation::rmse() const { return std::sqrt(ratio(squared_, static_cast<double>(count_))); }
std::optional<double> RegressionEvaluation::r2() const {
  if (!(spread_ > 0)) return std::nullopt;
  return 1 - squared_ / spread_;
}

}  // namespace postil
