// A session while Python uses it: what several threads may ask of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "postil/postil.hpp"
#include "row_reader.hpp"
#include "rows.hpp"

namespace postil::python {

struct FitOptions {
  std::uint64_t passes = 1;
  std::uint64_t seed = 0;
  bool shuffle = true;
  std::function<bool(const Model&)> after_pass;
};

// Everything here may be called by several threads; one that learns keeps the others waiting.
class Engine {
 public:
  // Learns from all rows, in passes. Throws as train does.
  static std::unique_ptr<Engine> fit(Rows& rows, const Recipe& recipe, const ColumnWishes& wishes,
                                     const FitOptions& options);
  // Will learn from rows of these columns as they come.
  static std::unique_ptr<Engine> begin(const Rows& like, const Recipe& recipe, const ColumnWishes& wishes);
  explicit Engine(Session session, std::function<Session()> fresh = {})
      : session_(std::move(session)), fresh_(std::move(fresh)), reader_(session_) {}

  void fit_more(Rows& rows, const FitOptions& options);  // passes over other rows, for what is settled
  // One row after the other, each predicted before it is learned. If one is refused, nothing has changed.
  void learn(Rows& rows, bool missing_allowed);
  // One row: an array of numbers, a sparse row or a dict by column name. `label`: a code as label_code gives it.
  void learn_one(nb::handle x, double label, double weight);

  // Of each row and task. Needs: ready. Refuses values as Rows::check_finite does.
  void scores(Rows& rows, double* out) const;
  bool novelty(Rows& rows, double* out) const;
  // Of each row, along the axes of each task's ellipsoid; out has rows x the sum of their numbers.
  [[nodiscard]] std::vector<std::vector<MetricAxis>> axes() const;  // none: there is no ellipsoid
  void transform(Rows& rows, const std::vector<std::vector<MetricAxis>>& axes, double* out) const;
  bool silent(Rows& rows, double* out) const;  // 1: the model has nothing to say; false: it always has
  std::vector<double> scores_one(nb::handle x);
  [[nodiscard]] Block one_of(Rows& rows) const;  // its first row, raw

  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] const Session& session() const { return session_; }
  [[nodiscard]] std::vector<std::string> column_names() const;
  [[nodiscard]] std::uint32_t width() const;
  [[nodiscard]] std::mutex& mutex() const { return mutex_; }

 private:
  template <class Use>
  bool all_rows(Rows& rows, const Use& use) const;  // as the learner sees them, until it says false
  template <class Work>
  void or_go_back(const Work& work);

  Session session_;
  std::function<Session()> fresh_;  // the session as it began; none: it began with a model
  RowReader reader_;
  std::vector<double> room_;
  mutable std::mutex mutex_;
};

}  // namespace postil::python
