#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

TEST(MarginPerceptron, EqualsTheNaiveLoop) {
  expect_naive("margin-perceptron", {{"margin", "0.7"}}, 1, [] {
    return [](Vector& w, const Vector& x, double y) {
      if (y * inner(w, x) <= 0.7) add(w, y, x);
    };
  });
}

TEST(MarginPerceptron, MarginZeroIsThePerceptron) {
  expect_naive("margin-perceptron", {{"margin", "0"}}, 1, [] {
    return [](Vector& w, const Vector& x, double y) {
      if (y * inner(w, x) <= 0) add(w, y, x);
    };
  });
}

}  // namespace
}  // namespace postil
