// Learning from rows as they come: predict, then learn if there is a label.
//
// The schema of a stream is settled by its first 256 labelled rows. Until then these are kept, and at 1, 2, 4, ... 256
// of them the schema is made anew from all of them and they are learned again by fresh learners; in between, the latest
// of these models predicts. Then the rows are dropped and every row is learned once. The rows kept are part of the model
// file, so a stream that is stopped and resumed gives the same bits as one that never stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "postil/reader.hpp"
#include "postil/train.hpp"

namespace postil {

class Stream {
 public:
  static constexpr std::uint64_t kSettlingRows = 256;

  struct Answer {
    std::optional<std::string> predicted;  // none before the first label, unless there are rules
    std::vector<double> scores;            // of the model that predicted
    std::string truth;                     // the row's own label; empty: none
    bool learned = false;
    struct Said {  // a rule that holds on the row
      std::string id;
      std::optional<bool> agrees;  // with the row's label
    };
    std::vector<Said> rules;
  };

  // Needs: the source outlives the stream and was made with `read`, which is resuming() if there is a model already.
  Stream(const Source& source, const ReadOptions& read, Recipe recipe);
  Stream(const Source& source, Model model);
  static ReadOptions resuming(const Model& model, ReadOptions read);

  void begin();  // rules answer before there is a row: makes a model of what they say, if they can be understood
  Answer take(Block raw);  // of one row
  void skip_row();         // one that could not be read
  // Other rules from here on: what was learned from examples stays. Throws as Model::advise, and then nothing has changed.
  void advise(const RuleFile& rules);

  [[nodiscard]] Model* model() { return model_ ? &*model_ : nullptr; }  // none before the first label or rules
  [[nodiscard]] bool settled() const { return settled_; }
  [[nodiscard]] Model release() && { return std::move(*model_); }  // Needs: model(); the end of this stream
  // Whether rows came since the model was last made of all of them, and the model that is; Needs: model().
  [[nodiscard]] bool behind() const;
  [[nodiscard]] Model of_all_rows() const;
  // What is to be saved: predicts with all rows taken so far, also while the schema is not settled. Needs: model().
  [[nodiscard]] std::string to_bytes();
  [[nodiscard]] std::uint64_t rows_before_model() const { return rows_before_model_; }
  [[nodiscard]] const Surprises* surprises() const { return encoder_ ? &encoder_->surprises() : nullptr; }

  std::function<void(const std::string&)> note;

 private:
  [[nodiscard]] bool worth_keeping(const std::string& label) const;
  [[nodiscard]] std::string text_of(const Row& row, const std::string& label, double weight) const;
  [[nodiscard]] std::optional<double> label_number(const std::string& label) const;
  void tell_unknown_class(const std::string& label);
  [[nodiscard]] Model build(std::uint64_t rows) const;  // of the first rows kept
  [[nodiscard]] Model with_something_to_ask(Model fresh) const;
  void rebuild();
  void replace_model(Model fresh);
  [[nodiscard]] std::uint64_t row_number() const {
    return model_ ? model_->counters().rows + rows_before_model_ : rows_before_model_;
  }

  const Source& source_;
  WarmUp warm_up_;
  bool settled_ = false;
  std::string only_class_;  // that all labels so far name; empty: none yet, or several
  std::optional<Model> model_;
  std::optional<Encoder> encoder_;
  std::uint64_t rows_before_model_ = 0;
  bool told_unknown_class_ = false;
};

}  // namespace postil
