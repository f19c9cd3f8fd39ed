// components.cpp: principal components, by the eigenvectors of the covariances.
//
// Each axis has its largest entry positive, so that the same data give the same signs.
#include "components.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "postil/error.hpp"
#include "solvers/dense.hpp"

namespace postil {

Projection principal_components(std::span<const Block> blocks, std::uint32_t features, std::uint32_t components) {
  constexpr std::uint32_t kMostFeatures = 10000;
  constexpr std::size_t kTogether = 512;
  if (components > features)
    throw ParamError({.code = Code::out_of_range,
                      .subject = {"option", "pca"},
                      .message = Text(Option{"pca", "", fmt::format("{}", components)},
                                      fmt::format(": there are only {} features", features)),
                      .found = fmt::format("{}", components),
                      .expected = fmt::format("at most {}", features)});
  if (features > kMostFeatures)
    throw DataError(
        {.code = Code::too_many,
         .subject = {"option", "pca"},
         .message = Text(Option{"pca"}, fmt::format(": {} features, at most {} are possible", features, kMostFeatures)),
         .found = fmt::format("{} features", features),
         .expected = fmt::format("at most {}", kMostFeatures)});
  Projection out;
  out.components = components;
  out.mean.resize(features);
  double rows = 0;
  for (const Block& block : blocks)
    for (std::size_t i = 0; i < block.rows(); ++i, ++rows) {
      const Row x = block.row(i);
      for (std::size_t k = 0; k < x.count; ++k) out.mean[x.index(k)] += x.value(k);
    }
  for (double& mean : out.mean) mean /= std::max(rows, 1.0);
  Matrix covariance(features, features), some(features, kTogether);
  std::size_t filled = 0;
  const auto add = [&] {
    std::fill(some.data() + filled * features, some.data() + some.values().size(), 0);
    add_outer(1, some, 1, covariance);
    filled = 0;
  };
  for (const Block& block : blocks)
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const Row x = block.row(i);
      const std::span<double> to = some.column(filled);
      for (std::size_t j = 0; j < features; ++j) to[j] = -out.mean[j];
      for (std::size_t k = 0; k < x.count; ++k) to[x.index(k)] += x.value(k);
      if (++filled == kTogether) add();
    }
  if (filled > 0) add();
  const std::vector<double> values = eigenvectors(covariance);
  double held = 0, total = 0;
  for (std::size_t k = 0; k < features; ++k) {
    const std::size_t at = features - 1 - k;
    total += std::max(0.0, values[at]);
    if (k >= components) continue;
    held += std::max(0.0, values[at]);
    const std::span<const double> axis = covariance.column(at);
    out.axes.insert(out.axes.end(), axis.begin(), axis.end());
  }
  out.share = total > 0 ? held / total : 1;
  return out;
}

}  // namespace postil
