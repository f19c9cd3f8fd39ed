#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

// Figure 1 of Freund and Schapire, with every v_k kept.
TEST(VotedPerceptron, EqualsTheVoteOfAllVectors) {
  const LearnerInfo& info = find_learner("voted-perceptron");
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Examples stream = random_stream(seed, 200, 6);
    auto learner = info.make(Params(info.name, info.params, {{"bias", "0.5"}}));
    learner->grow(6);
    std::vector<Vector> v{Vector(7)};
    Vector c{0};
    for (std::size_t t = 0; t < stream.x.size(); ++t) {
      Vector x = stream.x[t];
      x.push_back(0.5);
      double vote = 0;
      for (std::size_t k = 0; k < v.size(); ++k) vote += inner(v[k], x) >= 0 ? c[k] : -c[k];
      const Step step = learner->learn({.values = stream.x[t].data(), .count = 6}, stream.y[t], 1);
      EXPECT_NEAR(step.score, t == 0 ? 0 : vote / static_cast<double>(t), 1e-12);
      if (stream.y[t] * inner(v.back(), x) <= 0) {
        Vector next = v.back();
        add(next, stream.y[t], x);
        v.push_back(next);
        c.push_back(1);
      } else {
        c.back() += 1;
      }
    }
  }
}

}  // namespace
}  // namespace postil
