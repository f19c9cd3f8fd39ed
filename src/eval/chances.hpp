// How often chance does as much, exactly; and what asking many questions at once makes of it.
#pragma once

#include <cstdint>
#include <vector>

namespace postil {

// At least `found` hits among `drawn` of `count` rows, of which `hits` are such: drawn without replacement (Fisher's exact test).
double chance_of_hits(std::uint64_t found, std::uint64_t drawn, std::uint64_t count, std::uint64_t hits);
// At least `hits` of `count`, each with probability p.
double chance_of_binomial(std::uint64_t hits, std::uint64_t count, double p);

// Holm 1979: p of each becomes such that of all, one or more below a bound come about by chance no more often than that.
void correct_for_number(std::vector<double*> ps);

}  // namespace postil
