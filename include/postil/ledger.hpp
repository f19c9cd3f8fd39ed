// The ledger: what the examples have said about each rule.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "postil/advice.hpp"
#include "postil/archive.hpp"
#include "postil/row.hpp"

namespace postil {

class Ledger {
 public:
  Ledger(const Advice& advice, const Scaling& scaling);  // of the rows that will be added
  void inherit(const Ledger& earlier);                   // what was written about rules that are still there
  void take_over(const Ledger& earlier) { records_ = earlier.records_; }  // of the same rules in the same order

  // An example, with the truth of the rules beside it; `line` is what to call it later. Does not allocate.
  void add(const Row& x, std::uint32_t class_number, std::uint64_t line);

  enum class Verdict : std::uint8_t { open, supported, contradicted };
  struct Entry {
    std::uint64_t fired = 0, agreed = 0, contradicted = 0;  // labelled examples on which it held
    std::vector<std::uint64_t> contradicted_by;             // lines of the last few
    std::optional<double> precision;                        // agreed / fired
    std::optional<double> base_rate;                        // of what it says, over all examples since it is there
    std::optional<double> z;  // how many standard deviations its hits lie above those of chance, two more granted
    Verdict verdict = Verdict::open;
    std::optional<double> closeness;  // correlation of minus the distance to its region with being what it says
  };
  [[nodiscard]] Entry entry(std::size_t rule) const;

  void write(StateWriter& out) const;
  void read(StateReader& in);
  [[nodiscard]] bool fits() const;

 private:
  static constexpr std::size_t kLines = 5, kNumbers = 9 + kLines;
  struct Rule {
    Formula condition;
    std::uint32_t class_number;
    bool positive;
    std::vector<std::vector<AdviceRow>>
        regions;  // its sets, over places in the learner's coordinates, rows of length 1
  };
  struct Record {
    double fired = 0, agreed = 0;
    double says = 0;  // examples, wherever, that are what the rule says
    double count = 0, mean_d = 0, mean_y = 0, dd = 0, dy = 0,
           yy = 0;                       // minus distance and label, as Welford keeps them
    std::array<double, kLines> lines{};  // the last first; 0: none
  };
  void locate(const Row& x);
  [[nodiscard]] double distance(const Rule& rule) const;

  std::vector<std::uint32_t> features_;  // that rules mention, by number
  std::vector<Rule> rules_;
  std::vector<Record> records_;
  std::vector<double> x_;  // their values in the row at hand
  bool whole_ = true;
};

}  // namespace postil
