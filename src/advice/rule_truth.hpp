// Whether rules hold on raw rows, exactly as written, missing values included; many rows at a time.
//
// A condition's truth on 64 rows is one word. Each node of the conditions is worked out once for all rules that share it:
// comparisons from the columns of those rows, the rest by logic on words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "postil/row.hpp"
#include "postil/rules.hpp"
#include "postil/schema.hpp"

namespace postil {

// A part of a condition: where the other parts leave it open, it decides whether the whole is true.
struct ConditionPart {
  std::uint32_t part = 0, whole = 0;        // places in Conditions::nodes
  std::vector<std::uint32_t> between = {};  // what stands on the part and in the whole, the whole last

  ConditionPart(const Conditions& conditions, std::uint32_t of_part, std::uint32_t of_whole);
};

class RuleTruth {
 public:
  using Word = std::uint64_t;  // a bit for each of the rows looked at, the lowest for the first
  static constexpr std::size_t kTogether = 64;

  // Needs: all three outlive it; the table's columns are the schema's. Texts may be added to the table.
  RuleTruth(const Advice& advice, const Schema& schema, const Table& table);

  RulesThatHold of(const Block& raw);

  // The rows from `first` on, up to kTogether of them: gives how many. What is asked next is about these.
  std::size_t look_at(const Block& raw, std::size_t first);
  [[nodiscard]] Word truth(std::uint32_t node) const { return truth_[node]; }
  [[nodiscard]] Word decided_by(const ConditionPart& part);  // true with the part true, false with it false
  void sums(const AdviceRow& row, double* to) const;         // terms'x of kTogether rows; NaN: a value is missing

 private:
  // What a comparison asks of a raw row: a number, or whether a category is there.
  struct Question {
    std::uint32_t column = 0;
    bool category = false;
    std::uint32_t place = 0;  // of the category in the schema
  };
  void learn_texts();
  template <class Value>
  void gather_dense(const Block& raw, std::size_t first, std::size_t rows);
  void gather_sparse(const Block& raw, std::size_t first, std::size_t rows);
  [[nodiscard]] const double* values_of(std::uint32_t column) const {
    return values_.data() + slot_[column] * kTogether;
  }
  void answer(const Question& question, double* to) const;
  [[nodiscard]] const double* answers_of(std::uint32_t feature) const {
    const Question& question = questions_[question_[feature]];
    return question.category ? answers_.data() + question_[feature] * kTogether : values_of(question.column);
  }
  [[nodiscard]] Word compare(const AdviceRow& row) const;
  [[nodiscard]] Word truth_of(const Conditions::Node& node) const;
  [[nodiscard]] Word missing(std::uint32_t column) const;

  const Advice& advice_;
  const Schema& schema_;
  const Table& table_;
  std::vector<Question> questions_;                   // by feature, of those that are asked for
  std::vector<std::uint32_t> question_;               // feature -> place in questions_
  std::vector<std::uint32_t> columns_;                // of raw rows, that are asked for, rising
  std::vector<std::uint32_t> slot_;                   // column -> place in columns_
  std::vector<std::vector<std::uint32_t>> category_;  // per column that is asked for one: text code -> category
  std::vector<double> values_, answers_;              // kTogether of each column and of each question
  std::vector<Word> truth_;                           // of each node
  std::vector<Word> saved_;                           // work space of decided_by
  std::vector<std::vector<std::uint32_t>> holding_;   // of each of kTogether rows
};

}  // namespace postil
