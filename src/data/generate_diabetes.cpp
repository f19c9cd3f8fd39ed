// generate_diabetes.cpp: made-up patients with the columns of the Pima Indians Diabetes data. Each column has roughly the mean,
// spread and correlations published of those data, and the odds of diabetes follow the usual logistic regression on them.
// No row is a person's.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math.hpp"
#include "generators.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    number_param("missing", "", 0.04, {0, 1}, "share of blood pressures and body mass indices that are not known")};

struct Patient {
  double age, pregnancies, glucose, blood_pressure, bmi, pedigree;

  [[nodiscard]] double log_odds() const {
    return -9.3 + 0.037 * glucose + 0.09 * bmi + 0.02 * age + 0.1 * pregnancies + 0.9 * pedigree -
           0.01 * blood_pressure;
  }
};

Patient draw(Random& random) {
  const auto normal = [&](double mean, double deviation, double low, double high) {
    return std::clamp(mean + deviation * random.normal(), low, high);
  };
  Patient out;
  out.age = std::floor(std::clamp(21 - 12 * portable_log(1 - random.uniform()), 21.0, 81.0));
  out.pregnancies = std::floor(normal(0.14 * (out.age - 21) + 2, 2, 0, 14));
  out.bmi = rounded(normal(32.4, 6.8, 18, 60), 10);
  out.glucose = std::floor(normal(115 + 0.5 * (out.age - 33) + 1.1 * (out.bmi - 32), 27, 55, 220));
  out.blood_pressure = std::floor(normal(72 + 0.3 * (out.age - 33) + 0.5 * (out.bmi - 32), 11, 38, 122));
  out.pedigree = rounded(std::clamp(0.39 * portable_exp(0.6 * random.normal()), 0.08, 2.4), 1000);
  return out;
}

void run(const GenerateJob& job) {
  const double missing = job.params.number("missing");
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  Random random(job.seed);
  Writer writer(job.path, job.format, {"age", "pregnancies", "glucose", "blood_pressure", "bmi", "pedigree"},
                "outcome");
  for_each_row(job, [&](std::uint64_t) {
    const Patient patient = draw(random);
    const bool ill = random.uniform() * (1 + portable_exp(-patient.log_odds())) < 1;
    double x[] = {patient.age, patient.pregnancies, patient.glucose, patient.blood_pressure,
                  patient.bmi, patient.pedigree};
    if (random.uniform() < missing) x[3] = kUnknown;
    if (random.uniform() < missing) x[4] = kUnknown;
    writer.write({.values = x, .count = 6}, ill ? "diabetes" : "healthy");
  });
  writer.commit();
}

}  // namespace

extern const GeneratorInfo diabetes_generator{.name = "diabetes",
                                              .help = "made-up patients, some with diabetes, as in the Pima data",
                                              .format = Format::csv,
                                              .rows = 768,
                                              .params = kParams,
                                              .run = run};

}  // namespace postil
