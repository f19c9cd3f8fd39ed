// A model while Python uses it: fitted to rows at hand, or learning from rows as they come.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "postil/postil.hpp"
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
  // Will learn from rows of these columns as they come. The schema is settled at once if nothing about it depends on rows:
  // columns of numbers, no scaling, no rules, all classes known. Otherwise the first 256 labelled rows settle it, as in
  // `postil stream`; but what predicts has always learned from all of them.
  static std::unique_ptr<Engine> begin(const Rows& like, const Recipe& recipe, const ColumnWishes& wishes);
  explicit Engine(Model model);  // one that was saved; goes on learning where it was

  void fit_more(Rows& rows, const FitOptions& options);  // passes over other rows, for what is settled
  // One row after the other, each predicted before it is learned. If one is refused, nothing has changed.
  void learn(Rows& rows, bool missing_allowed);
  // One row: an array of numbers, a sparse row or a dict by column name. `label`: a code as label_code gives it.
  void learn_one(nb::handle x, double label, double weight);
  void advise(const RuleFile& rules);

  // Of each row and task. Before there is a model: none.
  void scores(Rows& rows, double* out) const;
  bool novelty(Rows& rows, double* out) const;
  std::vector<double> scores_one(nb::handle x);
  double decide(const std::vector<double>& scores) const;  // a class's number

  [[nodiscard]] bool ready() const;  // there is a model that predicts
  [[nodiscard]] bool settled() const { return !stream_; }
  // What predicts: while a stream is not settled, made of all its rows.
  [[nodiscard]] const Model& model() const;
  [[nodiscard]] std::string to_bytes();
  double label_code(const std::string& text);  // of a label in rows to learn from; a new class gets a new one
  [[nodiscard]] const std::vector<std::string>& labels() const { return columns_.own.labels; }  // by code
  [[nodiscard]] std::vector<std::string> column_names() const;
  [[nodiscard]] std::uint32_t width() const {
    return columns_.own.anonymous ? columns_.own.width : static_cast<std::uint32_t>(columns_.own.columns.size());
  }
  [[nodiscard]] bool sparse() const { return columns_.own.anonymous; }
  [[nodiscard]] bool missing_allowed() const { return missing_allowed_; }
  [[nodiscard]] std::string row_report(Rows& rows, bool json, std::size_t top) const;
  [[nodiscard]] std::mutex& mutex() const { return mutex_; }

 private:
  // What a stream knows of its columns.
  struct Columns final : Source {
    Table own;
    bool next(Block& /*block*/) override { return false; }
    [[nodiscard]] const Table& table() const override { return own; }
    [[nodiscard]] Format format() const override { return own.anonymous ? Format::libsvm : Format::csv; }
  };

  Engine() = default;
  void settle(Model model);
  void after_change();
  Encoder& encoder();  // of model_
  template <class Work>
  void or_go_back(const Work& work);
  Block adopt(Block raw, const Table& from);  // codes of texts become those of our own table
  void arrange(Rows& rows) const;
  [[nodiscard]] double class_of(double code) const;
  void learn_checked(Rows& rows);
  void learn_settled(Block raw);
  Row row_of(nb::handle x, bool may_grow);
  Row row_of_dict(nb::handle dict, bool may_grow);
  Row row_of_sparse(nb::handle x);
  Row row_of_list(nb::handle x);
  Row read_one(nb::handle x, bool may_grow);
  void read_dict(nb::handle dict, bool may_grow);
  std::size_t column_of(nb::handle name, bool may_grow);
  double text_code(std::size_t column, const std::string& text, bool remember);

  Columns columns_;
  std::optional<Model> model_;
  std::unique_ptr<Stream> stream_;      // while the schema is not settled
  mutable std::optional<Model> ahead_;  // of all rows of the stream, when its own model is behind
  std::optional<Encoder> encoder_;      // made when first asked for
  bool numbers_ = true;                 // no column of text
  bool missing_allowed_ = false;        // something stands for missing values
  bool plain_ = false;                  // raw rows are rows
  bool scaled_ = false;                 // raw rows need nothing but scaling
  nb::object places_;                   // dict: column name -> place; made when first asked for, under the lock
  std::vector<double> values_;          // one row
  std::vector<std::uint32_t> indices_;
  std::vector<std::pair<std::uint32_t, double>> pairs_;
  Block encoded_;
  mutable std::mutex mutex_;
};

}  // namespace postil::python
