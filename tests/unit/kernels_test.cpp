#include "core/kernels.hpp"

#include "support.hpp"

namespace postil {
namespace {

// The order of summation that kernels.hpp promises, written down once more.
double eight_lanes(const std::vector<double>& x, const std::vector<double>& w) {
  double lane[8] = {};
  for (std::size_t k = 0; k < x.size(); ++k) lane[k % 8] += x[k] * w[k];
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

class Kernels : public testing::TestWithParam<std::size_t> {};

TEST_P(Kernels, DenseSumsInEightLanes) {
  Random random(GetParam());
  std::vector<double> x, w;
  std::vector<float> x32;
  for (std::size_t k = 0; k < GetParam(); ++k) {
    x.push_back(random.normal());
    w.push_back(random.normal());
    x32.push_back(static_cast<float>(x.back()));
  }
  const auto n = static_cast<std::uint32_t>(x.size());
  EXPECT_EQ(dot({.values = x.data(), .count = n}, w.data()), eight_lanes(x, w));
  EXPECT_EQ(dot_with({.values = x.data(), .count = n}, [&](std::size_t j) { return w[j]; }), eight_lanes(x, w));
  EXPECT_EQ(squared_norm({.values = x.data(), .count = n}), eight_lanes(x, x));
  const std::vector<double> widened(x32.begin(), x32.end());
  EXPECT_EQ(dot({.values = x32.data(), .count = n, .single = true}, w.data()), eight_lanes(widened, w));
  EXPECT_EQ(squared_norm({.values = x32.data(), .count = n, .single = true}), eight_lanes(widened, widened));
  std::vector<double> sum = w, sum32 = w;
  axpy(0.3, {.values = x.data(), .count = n}, sum.data());
  axpy(0.3, {.values = x32.data(), .count = n, .single = true}, sum32.data());
  for (std::size_t k = 0; k < n; ++k) {
    EXPECT_EQ(sum[k], w[k] + 0.3 * x[k]);
    EXPECT_EQ(sum32[k], w[k] + 0.3 * widened[k]);
  }
}
INSTANTIATE_TEST_SUITE_P(Lengths, Kernels, testing::Values(0, 1, 7, 8, 9, 16, 54, 1000, 1003));

TEST(Kernels, SparseSumsFromLeftToRight) {
  const std::vector<std::uint32_t> index{1, 4, 5};
  const std::vector<double> x{1e16, 1, -1e16}, w{9, 1, 9, 9, 1, 1};
  const std::vector<float> x32{1.5F, 2, -3};
  EXPECT_EQ(dot({.indices = index.data(), .values = x.data(), .count = 3}, w.data()), (1e16 + 1) - 1e16);
  EXPECT_EQ(dot({.indices = index.data(), .values = x32.data(), .count = 3, .single = true}, w.data()), 0.5);
  EXPECT_EQ(squared_norm({.indices = index.data(), .values = x32.data(), .count = 3, .single = true}), 2.25 + 4 + 9);
  std::vector<double> sum(6);
  axpy(2, {.indices = index.data(), .values = x32.data(), .count = 3, .single = true}, sum.data());
  EXPECT_EQ(sum, (std::vector<double>{0, 3, 0, 0, 4, -6}));
}

TEST(Block, BorrowsWithoutCopying) {
  const std::vector<float> values{1, 2, 3, 4};
  const std::vector<double> labels{0, 1};
  const Block dense = Block::borrow_dense(std::span(values), 2, labels);
  EXPECT_EQ(dense.rows(), 2U);
  EXPECT_EQ(dense.row(1).values, values.data() + 2);
  EXPECT_EQ(dense.row(1).value(0), 3);
  const std::vector<std::uint64_t> starts{0, 1, 1, 4};
  const std::vector<std::uint32_t> indices{2, 0, 1, 5};
  const Block sparse = Block::borrow_csr(starts, indices, std::span(values), 6);
  EXPECT_EQ(sparse.rows(), 3U);
  EXPECT_EQ(sparse.row(2).values, values.data() + 1);
  EXPECT_EQ(sparse.row(2).extent(), 6U);
  EXPECT_EQ(sparse.row(1).count, 0U);
  EXPECT_EQ(sparse.nonzeros(), 4U);
  Block part = Block::borrow_csr(std::span(starts).subspan(2), indices, std::span(values), 6);
  const BlockData copy = part.release();
  EXPECT_EQ(copy.starts, (std::vector<std::uint64_t>{0, 3}));
  EXPECT_EQ(Block(copy).row(0).value(2), 4);
  EXPECT_EQ(Block(copy).row(0).index(2), 5U);
}

TEST(Block, MovesKeepTheViews) {
  BlockData data;
  data.width = 2;
  data.values = {1, 2, 3, 4};
  data.labels = {0, 1};
  Block block(std::move(data));
  const Block moved = std::move(block);
  EXPECT_EQ(moved.row(1).value(1), 4);
  EXPECT_EQ(moved.labels()[1], 1);
}

}  // namespace
}  // namespace postil
