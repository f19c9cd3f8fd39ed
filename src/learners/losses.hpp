// What a score f costs for a label of +1 or -1, or for a number y, and the slope dL/df that gradient learners follow.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/math.hpp"

namespace postil {

class Loss {
 public:
  explicit Loss(std::string_view word, double epsilon = 0) : kind_(kind_of(word)), epsilon_(epsilon) {}

  [[nodiscard]] double slope(double f, double y) const {  // dL/df
    switch (kind_) {
      case Kind::perceptron: return y * f <= 0 ? -y : 0;
      case Kind::hinge: return y * f < 1 ? -y : 0;
      case Kind::squared_hinge: return -2 * y * std::max(0.0, 1 - y * f);
      case Kind::logistic: return -y / (1 + portable_exp(y * f));
      case Kind::squared: return f - y;  // of L = 1/2 (f - y)^2
      case Kind::epsilon_insensitive: return std::fabs(f - y) <= epsilon_ ? 0 : f > y ? 1 : -1;
      case Kind::huber: return std::clamp(f - y, -epsilon_, epsilon_);
    }
    return 0;
  }
  [[nodiscard]] bool for_numbers() const {
    return kind_ == Kind::squared || kind_ == Kind::epsilon_insensitive || kind_ == Kind::huber;
  }
  [[nodiscard]] bool logistic() const { return kind_ == Kind::logistic; }

 private:
  enum class Kind { perceptron, hinge, squared_hinge, logistic, squared, epsilon_insensitive, huber };
  static Kind kind_of(std::string_view word) {
    if (word == "perceptron") return Kind::perceptron;
    if (word == "hinge") return Kind::hinge;
    if (word == "squared-hinge") return Kind::squared_hinge;
    if (word == "logistic") return Kind::logistic;
    if (word == "epsilon-insensitive") return Kind::epsilon_insensitive;
    return word == "huber" ? Kind::huber : Kind::squared;
  }

  Kind kind_;
  double epsilon_;
};

}  // namespace postil
