// Score cards: a model of two classes as whole points that people can add up, and what a total means. docs/export.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "postil/evaluate.hpp"
#include "postil/model.hpp"

namespace postil {

struct ScorecardOptions {
  std::size_t items = 10;  // columns and rules at most; those that matter most
  std::size_t bins = 5;    // of a column of numbers, at most
  std::uint64_t seed = 0;  // of the split into rows that make the card and rows that test it
};

struct Scorecard {
  struct Condition {
    std::string text;                   // "126 to 150"
    std::optional<double> from, below;  // of numbers: from <= x < below
    int points = 0;
    std::uint64_t rows = 0;  // of those that made the card
  };
  struct Item {
    std::string name;  // a column, or a rule
    std::vector<Condition> conditions;
  };
  struct Band {
    int low = 0, high = 0;                        // totals
    std::uint64_t rows = 0, positives = 0;        // of those that made the card
    double probability = 0, least = 0, most = 0;  // their share, and its 95 % interval (Wilson)
    std::uint64_t test_rows = 0, test_positives = 0;
  };
  struct Quality {  // on the test rows
    std::optional<double> auc;
    double brier = 0;
  };
  std::string positive, learner;
  std::vector<Item> items;
  std::vector<Band> bands;   // by rising totals
  std::size_t left_out = 0;  // columns and rules beyond the most
  double unit = 1;           // of the model's score, that a point is worth
  Quality card, model;
  std::uint64_t rows = 0, test_rows = 0;
  bool own_test = false;  // the test rows came from a file of their own
};

// Needs: rows read with the model's schema. Without `test` a third of the rows of each class tests the card and has no other part
// in it. Throws ModelError for a model that is no sum over columns and rules; DataError for too few rows.
Scorecard make_scorecard(const Model& model, const DataSet& data, const DataSet* test = nullptr,
                         const ScorecardOptions& options = {});
std::string scorecard_text(const Scorecard& card);
std::string scorecard_json(const Scorecard& card);
std::string scorecard_csv(const Scorecard& card);

}  // namespace postil
