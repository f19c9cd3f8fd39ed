// generate_synthetic.cpp: the two-dimensional data of the Adviceptron paper's Figure 1, as far as it can be read off
// the picture.
//
//   positive   1/2 N((1.5, -1), s^2 I) + 1/2 N((5.5, 0.4), s^2 I)
//   negative   N((4, 4), s^2 [[1.7, 1.2], [1.2, 1.7]])                    both classes equally likely
#include <cmath>

#include "generators.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    number_param("spread", "s", 1.0, Range::positive,
                 "standard deviation of each cloud: 1 looks like Figure 1, 1.3 gives Figure 2a's errors")};

void run(const GenerateJob& job) {
  const double s = job.params.number("spread");
  // The lower triangular root of [[1.7, 1.2], [1.2, 1.7]].
  const double root11 = std::sqrt(1.7), root21 = 1.2 / root11, root22 = std::sqrt(1.7 - root21 * root21);
  Random random(job.seed);
  Writer writer(job.path, job.format, {"x1", "x2"}, "label");
  for_each_row(job, [&](std::uint64_t) {
    const bool positive = random.uniform() < 0.5;
    const bool left = random.uniform() < 0.5;
    const double a = random.normal(), b = random.normal();
    double x[2];
    if (positive) {
      x[0] = (left ? 1.5 : 5.5) + s * a;
      x[1] = (left ? -1.0 : 0.4) + s * b;
    } else {
      x[0] = 4 + s * root11 * a;
      x[1] = 4 + s * (root21 * a + root22 * b);
    }
    for (double& value : x) value = rounded(value, 1e6);
    writer.write({.values = x, .count = 2}, positive ? "positive" : "negative");
  });
  writer.commit();
}

}  // namespace

extern const GeneratorInfo synthetic_generator{
    .name = "synthetic",
    .help = "two clouds against one in the plane, as in Figure 1 of the Adviceptron paper",
    .format = Format::csv,
    .rows = 1000,
    .params = kParams,
    .run = run};

}  // namespace postil
