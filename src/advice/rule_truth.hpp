// Whether rules hold on raw rows, exactly as written. A comparison with a missing value is unknown, and a rule that depends on
// it does not hold (as in SQL).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "postil/row.hpp"
#include "postil/rules.hpp"
#include "postil/schema.hpp"

namespace postil {

class RuleTruth {
 public:
  // Needs: all three outlive it; the table's columns are the schema's. Texts may be added to the table.
  RuleTruth(const Advice& advice, const Schema& schema, const Table& table);

  // One flag a rule for each row in turn.
  std::vector<std::uint8_t> of(const Block& raw);
  [[nodiscard]] std::uint32_t rules() const { return static_cast<std::uint32_t>(conditions_.size()); }

 private:
  // What a rule asks of a raw row: a number, whether a category is there, or whether a value is missing.
  struct Question {
    enum class Kind : std::uint8_t { number, category, missing };
    std::uint32_t column = 0;
    Kind kind = Kind::number;
    std::uint32_t category = 0;
  };
  [[nodiscard]] double answer(const Question& question, double raw) const;
  void learn_texts();

  const Schema& schema_;
  const Table& table_;
  std::vector<Formula> conditions_;  // over places in questions_
  std::vector<Question> questions_;
  std::vector<std::vector<std::uint32_t>> category_;  // per column that is asked for one: text code -> category
  std::vector<double> answers_;                       // work space
};

}  // namespace postil
