// Every generator's declaration, and what they share.
#pragma once

#include "postil/data.hpp"
#include "postil/random.hpp"

namespace postil {

extern const GeneratorInfo diabetes_generator;
extern const GeneratorInfo synthetic_generator;
extern const GeneratorInfo tuberculosis_generator;
extern const GeneratorInfo text_generator;
extern const GeneratorInfo dense_generator;

double rounded(double x, double units);                                       // to the nearest 1/units
std::vector<std::string> numbered(std::string_view stem, std::size_t count);  // stem1, stem2, ...

// Calls row(i) for each row, telling progress.
template <class WriteRow>
void for_each_row(const GenerateJob& job, const WriteRow& row) {
  for (std::uint64_t i = 0; i < job.rows; ++i) {
    row(i);
    if (job.progress && i % 4096 == 4095) job.progress(i + 1);
  }
}

}  // namespace postil
