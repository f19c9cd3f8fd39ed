// generate_dense.cpp: dense rows of independent normal numbers with a planted hyperplane.
#include "core/kernels.hpp"
#include "generators.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {integer_param("features", "", 54, {1, 1e6}, "numbers a row"),
                                 number_param("noise", "", 0.05, {0, 0.5}, "share of labels that are turned")};

void run(const GenerateJob& job) {
  const auto features = static_cast<std::size_t>(job.params.number("features"));
  const double noise = job.params.number("noise");
  Random random(job.seed);
  std::vector<double> concept_weights(features), x(features);
  for (double& w : concept_weights) w = random.normal();
  Writer writer(job.path, job.format, numbered("f", features), "label");
  for_each_row(job, [&](std::uint64_t) {
    for (double& value : x) value = rounded(random.normal(), 1e4);
    const Row row{.values = x.data(), .count = static_cast<std::uint32_t>(features)};
    const bool positive = (dot(row, concept_weights.data()) >= 0) != (random.uniform() < noise);
    writer.write(row, positive ? "1" : "-1");
  });
  writer.commit();
}

}  // namespace

extern const GeneratorInfo dense_generator{.name = "dense",
                                           .help = "dense normal rows with a planted hyperplane and turned labels",
                                           .format = Format::csv,
                                           .rows = 10000,
                                           .params = kParams,
                                           .run = run};

}  // namespace postil
