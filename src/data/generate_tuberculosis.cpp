// generate_tuberculosis.cpp: simulated M. tuberculosis isolates, 43 spacers and the repeats at MIRU24, in six lineages.
//
// Spacers are lost and never come back. Each sublineage starts from a founder; an isolate copies a random earlier
// member of its sublineage and, with the lineage's probability `new_pattern`, loses one more run of spacers, whose
// length follows a Zipf law. The recorded row then suffers typing noise. The MIRU24 probabilities are guesses around
// the rule "at most 1 repeat: modern, 2 or more: ancestral". 37,710 isolates, as many as the lineages had, show 3,000
// to 3,400 distinct patterns; the collection it imitates had 3,198.
#include <array>
#include <bitset>
#include <string_view>
#include <vector>

#include "core/math.hpp"
#include "generators.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::size_t kSpacers = 43;
constexpr double kZipfExponent = 2.2;
constexpr double kLoss = 0.0003;  // a present spacer is typed as absent
constexpr double kGain = 0.0001;  // an absent spacer is typed as present

struct Sublineage {
  std::string_view name;
  double weight;
  std::string_view deleted;  // besides the lineage's deletions; '~' marks spacers kept although the lineage lost them
};

struct Lineage {
  std::string_view name;
  double isolates;
  double new_pattern;
  std::string_view deleted;
  std::vector<std::pair<double, double>> miru24;  // repeats, probability
  std::vector<Sublineage> sublineages;
};

const std::vector<Lineage>& facts() {
  static const std::vector<Lineage> lineages = {{"east_asian",
                                                 4924,
                                                 0.015,
                                                 "1-34",
                                                 {{0, 0.004}, {1, 0.991}, {2, 0.005}},
                                                 {{"Beijing", 0.93, ""}, {"Bj_b", 0.04, "40"}, {"Bj_c", 0.03, "37"}}},
                                                {"east_african_indian",
                                                 1469,
                                                 0.14,
                                                 "4-7,23-34",
                                                 {{0, 0.004}, {1, 0.991}, {2, 0.005}},
                                                 {{"CAS1-Delhi", 0.74, ""},
                                                  {"CAS", 0.15, "35-36"},
                                                  {"CAS1-Kili", 0.055, "10,20-22,35"},
                                                  {"CAS2", 0.05, "8-10"},
                                                  {"CAS-old", 0.005, "~29-32"}}},
                                                {"euro_american",
                                                 25161,
                                                 0.115,
                                                 "33-36",
                                                 {{0, 0.004}, {1, 0.991}, {2, 0.005}},
                                                 {{"T1", 0.215, ""},           {"H3", 0.12, "31"},
                                                  {"X2", 0.12, "18,39-42"},    {"X1", 0.09, "18"},
                                                  {"X3", 0.08, "4-12,18"},     {"LAM9", 0.07, "21-24"},
                                                  {"H1", 0.052, "26-31"},      {"LAM3", 0.037, "9-11,21-24"},
                                                  {"T2", 0.03, "40"},          {"LAM1", 0.027, "3,21-24"},
                                                  {"S", 0.025, "9-10"},        {"LAM2", 0.019, "3,13,21-24"},
                                                  {"LAM6", 0.017, "21-24,29"}, {"LAM5", 0.012, "13,21-24"},
                                                  {"T5", 0.018, "23"},         {"Cameroon", 0.011, "23-25"},
                                                  {"H2", 0.01, "1-24,26-31"},  {"T3", 0.01, "13"},
                                                  {"H37Rv", 0.01, "20-21"},    {"LAM4", 0.009, "21-24,40"},
                                                  {"Ural", 0.009, "29-31"},    {"LAM11", 0.005, "21-24,27-30"},
                                                  {"T4", 0.004, "19"}}},
                                                {"indo_oceanic",
                                                 5309,
                                                 0.16,
                                                 "29-32,34",
                                                 {{1, 0.012}, {2, 0.95}, {3, 0.02}, {4, 0.01}, {5, 0.005}, {6, 0.003}},
                                                 {{"EAI2-Manila", 0.39, "3,20-21"},
                                                  {"EAI5", 0.245, ""},
                                                  {"EAI3-IND", 0.13, "2-3,37-39"},
                                                  {"EAI4-VNM", 0.09, "26-27"},
                                                  {"EAI1-SOM", 0.075, "40"},
                                                  {"EAI6-BGD1", 0.046, "23"},
                                                  {"EAI2-nth", 0.017, "3,8-25"},
                                                  {"EAI-33", 0.007, "33,35-36"}}},
                                                {"africanum",
                                                 154,
                                                 0.25,
                                                 "8-9,39",
                                                 {{1, 0.015}, {2, 0.86}, {3, 0.08}, {4, 0.035}, {5, 0.01}},
                                                 {{"AFRI_1", 0.59, "7"},
                                                  {"AFRI_2", 0.26, "10-12,21-24,37-38"},
                                                  {"AFRI_3", 0.08, "10-12,37-38"},
                                                  {"AFRI", 0.07, ""}}},
                                                {"bovis",
                                                 693,
                                                 0.15,
                                                 "3,9,16,39-43",
                                                 {{1, 0.008}, {2, 0.972}, {3, 0.02}},
                                                 {{"BOV_1", 0.44, ""},
                                                  {"BOV_2", 0.29, "6,8,10-12"},
                                                  {"BOV", 0.12, "8,10-11"},
                                                  {"BOV_3", 0.13, "5-8,10-14"},
                                                  {"CAPRAE", 0.02, "1,4-8,10-15,28"}}}};
  return lineages;
}

using Spacers = std::bitset<kSpacers>;  // 1: present

// "1-3,7,~9": sets the spacers named to absent, those behind '~' to present.
void apply_deletions(Spacers& spacers, std::string_view text) {
  if (text.empty()) return;
  for (std::string part : split(text, ',')) {
    const bool keep = part[0] == '~';
    if (keep) part.erase(0, 1);
    const std::vector<std::string> ends = split(part, '-');
    const auto first = static_cast<std::size_t>(*parse_number(ends.front())),
               last = static_cast<std::size_t>(*parse_number(ends.back()));
    for (std::size_t k = first; k <= last; ++k) spacers[k - 1] = keep;
  }
}

// The place drawn from weights that need not sum to 1.
template <class Items, class Weight>
std::size_t draw(Random& random, const Items& items, const Weight& weight) {
  double sum = 0;
  for (const auto& item : items) sum += weight(item);
  double target = random.uniform() * sum;
  for (std::size_t i = 0; i + 1 < items.size(); ++i) {
    target -= weight(items[i]);
    if (target < 0) return i;
  }
  return items.size() - 1;
}

class Simulator {
 public:
  Simulator() {
    for (std::size_t length = 1; length <= kSpacers; ++length)
      deletion_weight_[length - 1] = portable_pow(static_cast<double>(length), -kZipfExponent);
    for (const Lineage& lineage : facts()) {
      std::vector<std::vector<Spacers>>& members = members_.emplace_back();
      for (const Sublineage& sublineage : lineage.sublineages) {
        Spacers founder;
        founder.set();
        apply_deletions(founder, lineage.deleted);
        apply_deletions(founder, sublineage.deleted);
        members.push_back({founder});
      }
    }
  }

  // A new isolate of a lineage: spacers and then miru24, as recorded.
  void isolate(std::size_t lineage_number, Random& random, std::array<double, kSpacers + 1>& row) {
    const Lineage& lineage = facts()[lineage_number];
    const std::size_t sub = draw(random, lineage.sublineages, [](const Sublineage& s) { return s.weight; });
    std::vector<Spacers>& members = members_[lineage_number][sub];
    Spacers spacers = members[random.below(members.size())];
    if (random.uniform() < lineage.new_pattern) lose_run(spacers, random);
    members.push_back(spacers);
    for (std::size_t k = 0; k < kSpacers; ++k) {
      const bool mistyped = random.uniform() < (spacers[k] ? kLoss : kGain);
      row[k] = spacers[k] != mistyped ? 1 : 0;
    }
    row[kSpacers] = lineage.miru24[draw(random, lineage.miru24, [](const auto& m) { return m.second; })].first;
  }

 private:
  void lose_run(Spacers& spacers, Random& random) const {
    if (spacers.none()) return;
    std::uint64_t nth = random.below(spacers.count());
    std::size_t start = 0;
    while (!spacers[start] || nth-- > 0) ++start;
    const std::size_t length = 1 + draw(random, deletion_weight_, [](double w) { return w; });
    for (std::size_t k = start; k < kSpacers && k < start + length; ++k) spacers[k] = false;
  }

  std::array<double, kSpacers> deletion_weight_{};
  std::vector<std::vector<std::vector<Spacers>>> members_;  // per lineage and sublineage, the founder first
};

void run(const GenerateJob& job) {
  Random random(job.seed);
  Simulator simulator;
  std::vector<std::string> names = numbered("spacer_", kSpacers);
  names.emplace_back("miru24");
  Writer writer(job.path, job.format, names, "lineage");
  std::array<double, kSpacers + 1> row{};
  for_each_row(job, [&](std::uint64_t) {
    const std::size_t lineage = draw(random, facts(), [](const Lineage& l) { return l.isolates; });
    simulator.isolate(lineage, random, row);
    writer.write({.values = row.data(), .count = kSpacers + 1}, facts()[lineage].name);
  });
  writer.commit();
}

}  // namespace

extern const GeneratorInfo tuberculosis_generator{
    .name = "tuberculosis",
    .help = "simulated M. tuberculosis isolates: 43 spacers and miru24, six lineages",
    .format = Format::csv,
    .rows = 37710,
    .params = {},
    .run = run};

}  // namespace postil
