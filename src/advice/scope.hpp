// What the names in rules stand for: columns and categories of a schema, classes, definitions; and what is known of the
// features behind them, from promises and statements, and as far as rows have shown.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "normal_form.hpp"
#include "postil/rules.hpp"

namespace postil {

class Scope {
 public:
  // Needs: all outlive it.
  Scope(const RuleFile& file, const Schema& schema, const CompileOptions& options);

  // ---- statements that are no rules; then, once ----
  void take(const Statement& statement);
  void finish();

  // ---- columns ----
  struct Place {
    std::uint32_t column = 0, feature = 0;  // its first feature
  };
  [[nodiscard]] std::optional<Place> find_column(const std::string& name) const;
  [[nodiscard]] Place need_column(const std::string& name, Spot spot) const;
  [[nodiscard]] bool categorical(const Place& place) const;
  [[nodiscard]] std::uint32_t number_feature(const std::string& name, Spot spot) const;  // of a column of numbers
  [[nodiscard]] std::vector<std::uint32_t> features_of(const std::vector<ColumnItem>& items) const;
  [[nodiscard]] std::vector<std::uint32_t> categories(const ColumnItem& item, const std::vector<std::string>& words);
  // As TableColumn::written; none: no row and nobody has told it yet.
  [[nodiscard]] std::optional<Kind> written(std::uint32_t feature) const { return written_[feature]; }
  // Throws RuleMistake if numbers written like this do not fit columns; plain ones fit all but dates.
  void expect_written(const ColumnItem& item, Kind as) const;
  [[nodiscard]] bool is_positive(std::uint32_t feature) const { return box_.low[feature] > 0; }  // by promise
  // A column that may stand alone as a condition: nothing says that it holds other numbers than 0 and 1.
  [[nodiscard]] bool can_be_yes_no(const Place& place) const;

  // ---- other names ----
  [[nodiscard]] const Condition* definition(const std::string& name) const;
  // The task's class, and whether the rule says yes to it.
  [[nodiscard]] std::pair<std::uint32_t, bool> task_of(const Consequent& consequent) const;
  void check_names_label(const Consequent& consequent) const;  // of a label that is a number

  // ---- features; once all statements are known ----
  enum class Trust : std::uint8_t { promises, rows };  // rows: and what they have shown so far
  [[nodiscard]] FeatureFacts facts(Trust trust) const;
  [[nodiscard]] const Schema& schema() const { return schema_; }
  void move_to(Advice& advice) const;  // box, stated, integers, one_of

 private:
  [[nodiscard]] const Column& column(const Place& place) const { return schema_.columns[place.column]; }
  [[nodiscard]] bool zero_one(std::uint32_t feature, Trust trust) const;
  void take_class(const ClassStatement& statement, Spot spot);
  [[nodiscard]] std::optional<std::uint32_t> class_called(const std::string& value) const;

  const RuleFile& file_;
  const Schema& schema_;
  const CompileOptions& options_;
  std::unordered_map<std::string, Place> places_;
  std::vector<std::string> names_;
  std::map<std::uint32_t, std::unordered_map<std::string_view, std::uint32_t>> features_of_categories_;  // by column
  std::map<std::string, std::string> class_names_;
  std::map<std::string, const Condition*> definitions_;
  std::map<std::uint32_t, std::pair<double, double>> domains_;
  std::set<std::uint32_t> stated_whole_;
  std::vector<std::optional<Kind>> written_;  // by feature
  Box box_;
  std::vector<std::uint8_t> promised_whole_, whole_;  // by feature: whole numbers by promise; or as rows have shown
  std::vector<std::uint8_t> seen_binary_;             // only 0 and 1 so far
};

}  // namespace postil
