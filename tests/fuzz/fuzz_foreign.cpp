// No bytes may crash the reader of LIBSVM's and LIBLINEAR's models; a model that it accepts must predict, and go out and come back
// with the same scores.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  try {
    const Model model = from_foreign_model({reinterpret_cast<const char*>(data), size}, "fuzz");
    std::vector<double> x(model.schema().features, 0.5), before(model.outputs()), after(model.outputs());
    const Row row{.values = x.data(), .count = model.schema().features};
    model.score(row, before);
    const bool linear = !model.learner_of(0).expansion();
    const Model again = from_foreign_model(linear ? to_liblinear(model) : to_libsvm(model), "again");
    if (again.schema().features != model.schema().features) return 0;  // vectors of zeros are not written
    again.score(row, after);
    for (std::size_t k = 0; k < before.size(); ++k)
      fuzz::require(std::abs(before[k] - after[k]) <= 1e-6 * (1 + std::abs(before[k])) || std::abs(before[k]) > 1e100);
  } catch (const Error&) {
  }
  return 0;
}
