// metric.cpp: looking at a learned metric.
#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "postil/learner.hpp"
#include "solvers/dense.hpp"

namespace postil {

std::vector<MetricAxis> principal_axes(const LearnedMetric& metric) {
  const std::size_t side = metric.side();
  const std::size_t n = side - (metric.constant ? 1 : 0);
  Matrix b(n, n);
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) b(i, j) = metric.values[i * side + j];
  const std::vector<double> values = eigenvectors(b);
  std::vector<MetricAxis> axes;
  axes.reserve(n);
  for (std::size_t k = n; k-- > 0;) axes.push_back({values[k], {b.column(k).begin(), b.column(k).end()}});
  return axes;
}

void into_axes(std::span<const MetricAxis> axes, const Row& x, std::span<double> out) {
  for (std::size_t k = 0; k < axes.size(); ++k)
    out[k] = std::sqrt(std::max(0.0, axes[k].value)) * dot(x, axes[k].direction.data());
}

}  // namespace postil
