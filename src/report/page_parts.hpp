// The sections of a page on a model. Each gives no markup where there is nothing to say.
#pragma once

#include <string>
#include <utility>

#include "html.hpp"
#include "page_counts.hpp"

namespace postil {

struct PageFacts {
  const Model& model;
  const PageOptions& options;
  const PageCounts& counts;

  [[nodiscard]] const Label& label() const { return model.schema().label; }
  [[nodiscard]] bool numbers() const { return label().real(); }
  [[nodiscard]] bool two() const { return label().classes.size() == 2; }
  [[nodiscard]] const std::string& positive() const { return label().classes[label().positive]; }
  [[nodiscard]] std::string row_name(std::uint64_t number) const;  // as its reader counts rows
};

constexpr std::uint64_t kFewRows = 50;  // fewer: a caution beside what is said of them

// 78.0% to 84.2%
std::string interval_text(std::pair<double, double> interval);
// 81.3% (488 of 600 rows; 95 % interval 78.0% to 84.2%)
html::Html share_told(std::string_view id, std::uint64_t hits, std::uint64_t count, std::string_view what = "rows");
html::Html share_value(std::string_view id, std::uint64_t hits, std::uint64_t count);
std::string share_interval(std::uint64_t hits, std::uint64_t count);
double share_of(std::uint64_t part, std::uint64_t whole);  // NaN: of nothing
std::string sized(double value);                           // 4 digits
html::Html note(std::string_view title, const html::Html& content);

// Of the mean of |error| and of the root of the mean of squared errors.
std::pair<double, double> mean_interval(const Moments& of);
std::pair<double, double> rmse_interval(const NumberErrors& errors);

// page_results.cpp: how good the predictions are.
html::Html quality_section(const PageFacts& facts);
html::Html groups_section(const PageFacts& facts);
// page_model.cpp: what the model consists of, and single rows.
html::Html rules_section(const PageFacts& facts);
html::Html weights_section(const PageFacts& facts);
html::Html examples_section(const PageFacts& facts);
// page_data.cpp: the rows beside those the model was made from.
html::Html data_section(const PageFacts& facts);
bool looks_like_training(const PageFacts& facts);
std::uint64_t training_rows(const Model& model);  // that its columns were settled from

}  // namespace postil
