// generate_text.cpp: sparse rows that look like tf-idf vectors of documents, with a planted hyperplane.
//
// Each row holds `nonzeros` different features drawn by Zipf's law, p(k) ~ 1/k; a feature of rank k that occurs c times
// in the "document" has the value (1 + ln c) ln(1/p(k)); rows have length 1, rounded to 5 decimals.
#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/math.hpp"
#include "generators.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    integer_param("features", "", 50000, {1, 1e8}, "size of the vocabulary"),
    integer_param("nonzeros", "", 77, {1, 1e5}, "different features a row; at most half of them all"),
    number_param("noise", "", 0.05, {0, 0.5}, "share of labels that are turned")};

class Vocabulary {
 public:
  explicit Vocabulary(std::size_t features) : cumulative_(features) {
    double sum = 0;
    for (std::size_t k = 0; k < features; ++k) cumulative_[k] = sum += 1.0 / static_cast<double>(k + 1);
  }
  std::uint32_t draw(Random& random) const {
    const double target = random.uniform() * cumulative_.back();
    return static_cast<std::uint32_t>(std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, target) -
                                      cumulative_.begin());
  }
  [[nodiscard]] double rarity(std::uint32_t feature) const {  // ln(1/p)
    return portable_log(cumulative_.back() * static_cast<double>(feature + 1));
  }

 private:
  std::vector<double> cumulative_;
};

void run(const GenerateJob& job) {
  const auto features = static_cast<std::size_t>(job.params.number("features"));
  const std::size_t nonzeros =
      std::min(static_cast<std::size_t>(job.params.number("nonzeros")), std::max<std::size_t>(1, features / 2));
  const double noise = job.params.number("noise");
  const Vocabulary vocabulary(features);
  Random random(job.seed);
  std::vector<double> concept_weights(features);
  for (double& w : concept_weights) w = random.normal();
  const std::vector<std::string> names =
      job.format == Format::csv ? numbered("f", features) : std::vector<std::string>();
  Writer writer(job.path, job.format, names, "label");
  std::vector<std::uint32_t> index, count(features);
  std::vector<double> value;
  for_each_row(job, [&](std::uint64_t) {
    index.clear();
    value.clear();
    while (index.size() < nonzeros) {
      const std::uint32_t feature = vocabulary.draw(random);
      if (count[feature]++ == 0) index.push_back(feature);
    }
    std::sort(index.begin(), index.end());
    double length = 0;
    for (const std::uint32_t feature : index) {
      value.push_back((1 + portable_log(count[feature])) * vocabulary.rarity(feature));
      length += value.back() * value.back();
      count[feature] = 0;
    }
    for (double& v : value) v = std::max(rounded(v / std::sqrt(length), 1e5), 1e-5);
    const Row row{.indices = index.data(), .values = value.data(), .count = static_cast<std::uint32_t>(index.size())};
    const bool positive = (dot(row, concept_weights.data()) >= 0) != (random.uniform() < noise);
    writer.write(row, positive ? "1" : "-1");
  });
  writer.commit();
}

}  // namespace

extern const GeneratorInfo text_generator{.name = "text",
                                          .help = "sparse tf-idf-like rows with a planted hyperplane and turned labels",
                                          .format = Format::libsvm,
                                          .rows = 10000,
                                          .params = kParams,
                                          .run = run};

}  // namespace postil
