// A model while it learns: rows come, whoever brings them, and each is answered and learned.
//
// The schema of a session is settled by its first 256 labelled rows. Until then they are kept, with a sample of those without a
// label; at 1, 2, 4, ... 256 of them, and when a class comes for the first time, the schema is made anew from all of them and fresh
// learners learn them again. In between every row is learned when it comes, with the schema there is. At 256 the rows are dropped.
// They are part of the model file, so a session that is stopped and resumed gives the same bits as one that never stopped. Whatever
// has been settled, new columns, categories and classes may come at any time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "postil/model.hpp"
#include "postil/train.hpp"

namespace postil {

struct Settling;

class Session {
 public:
  static constexpr std::uint64_t kSettlingRows = 256;

  struct Answer {
    std::optional<std::string> predicted;                       // none before the first label, unless there are rules
    std::vector<double> scores;                                 // of the model that predicted
    std::vector<std::pair<std::string, double>> probabilities;  // of its classes, if they are asked for
    std::string truth;                                          // the row's own label; empty: none
    bool learned = false;
    struct Said {  // a rule that holds on the row
      std::string id;
      std::optional<bool> agrees;  // with the row's label
    };
    std::vector<Said> rules;
  };

  // Nothing is learned yet. `columns`: those of the rows to come, as far as they are known. Rules answer at once. Throws ParamError
  // if the learner wants all rows at once, ParseError if the rules do not fit the columns.
  Session(Recipe recipe, ColumnWishes wishes, Table columns);
  explicit Session(Model model);                 // goes on with a model whose schema is settled
  static Session load(const std::string& path);  // throws ModelError
  static Session from_bytes(std::string_view bytes, const std::string& name);  // throws ModelError
  ~Session();
  Session(Session&&);
  Session& operator=(Session&&);

  // ---- rows: raw blocks with the codes of this session's table ----

  // Predicts each row and then, if it has a label, learns it. If one is refused, nothing has changed. Throws DataError.
  std::vector<Answer> take(Block raw);
  // The same, without answers. Needs: missing values only where they are allowed.
  using Told = std::function<void(double label, double predicted, std::uint32_t features)>;
  void learn(Block raw, const Told& told = {});             // `told` hears of labelled rows as Model::learn tells them
  void learn(const Row& raw, double label, double weight);  // one row of a settled session; NaN: no label
  void skip_row();                                          // one that could not be read
  // Other rules from here on: what was learned from examples stays. Throws as Model::advise, and then nothing has changed.
  void advise(const RuleFile& rules);

  // Rows of another table, with the codes of this session's: texts, labels and columns that are new are added. The columns
  // there are stand first, in the same order.
  class Feed {
   public:
    Feed(Session& session, const Table& from);  // Needs: both outlive it
    Block adopt(Block raw);

   private:
    Session* session_;
    const Table* from_;
    std::vector<std::vector<double>> texts_;  // per column: their codes -> ours
    std::vector<double> labels_;              // likewise; -1: a class that is refused
    bool same_ = true;                        // all of them are the same
  };

  // For those that make rows themselves.
  [[nodiscard]] const Table& table() const { return table_; }
  // A new column. `first`: one of its values, if it holds numbers; it sets the scale of the column where others are scaled.
  std::size_t add_column(TableColumn column, double first);  // without texts
  double text_code(std::size_t column, const std::string& text);
  // The same for a text that need not be remembered: one that is not known counts as no category.
  double text_code_if_known(std::size_t column, const std::string& text);
  void labels_are(LabelKind kind);  // as far as that is not known; before the first
  // Of a class. Throws DataError if the user has named all classes and this is none of them.
  double label_code(const std::string& text);

  // ---- what there is ----

  [[nodiscard]] const Model* model() const {
    return model_ ? &*model_ : nullptr;
  }  // none before the first label or rules
  [[nodiscard]] bool settled() const { return settling_ == nullptr; }
  [[nodiscard]] std::uint64_t rows() const;                        // taken or skipped
  [[nodiscard]] Model release() && { return std::move(*model_); }  // Needs: model(); the end of this session
  [[nodiscard]] std::string to_bytes() const;                      // Needs: model()
  [[nodiscard]] const Surprises* surprises() const { return encoder_ ? &encoder_->surprises() : nullptr; }
  [[nodiscard]] bool missing_allowed() const;  // something stands for missing values
  [[nodiscard]] bool plain() const { return settled() && shape_ != Shape::other; }  // rows need scaling at most
  // Rows that are kept have all columns, so that there is room for more of them.
  [[nodiscard]] bool takes_sparse_rows() const { return table_.sparse() || (settled() && shape_ == Shape::as_it_is); }
  [[nodiscard]] Block encode(Block raw);  // Needs: model()
  // One row, if it needs no more than scaling to be a learner's; `room` may hold it. None: encode() does it.
  [[nodiscard]] std::optional<Row> encoded(const Row& raw, std::vector<double>& room) const;

  std::function<void(const Text&)> note;  // what the user should know
  bool tell_probabilities = false;        // in answers; where scores are no log-odds that takes a while
  bool by_line = false;  // the ledger calls rows by their lines in the source, not by their numbers in this session

 private:
  Session();
  void begin();    // a model of what the rules say, before there is a row
  void rebuild();  // a model of all rows kept
  [[nodiscard]] Table table_of_rows() const;
  bool can_rebuild();              // the same, unless rules that were given before these rows do not fit them
  void look_at(const Block& raw);  // a row without a label
  void replace_model(Model fresh);
  void take_row(Block raw, Answer* answer);
  [[nodiscard]] bool worth_keeping(std::optional<double> label) const;
  void check(const Block& raw) const;            // throws DataError if a value is missing where none may be
  [[nodiscard]] Block in_full(Block raw) const;  // named columns are looked at one by one
  [[nodiscard]] bool brings_something_new(const Block& raw, std::size_t row) const;
  [[nodiscard]] bool admits_class(const std::string& text) const;
  std::unordered_map<std::string, std::size_t>& places_of(std::size_t column);  // of its texts in the table
  void admit(const Block& raw);  // categories and columns of labelled rows become the model's
  void add_class(const std::string& name);
  [[nodiscard]] std::string label_text(std::optional<double> label) const;  // of our table; empty: none
  [[nodiscard]] std::optional<double> class_of(
      std::optional<double> label) const;  // the model's number, or a regressor's
  void schema_changed();
  void watch_scores();  // after a round of learning
  void check_round(const Row& x, double weight,
                   std::uint64_t line);  // throws DataError if learning the row could overflow

  Table table_;
  std::unique_ptr<Settling> settling_;  // null: settled
  std::optional<Model> model_;
  std::optional<ModelEncoder> encoder_;
  std::uint64_t rows_before_model_ = 0;
  bool careful_ = false;  // a score was very large
  std::vector<std::unordered_map<std::string, std::size_t>>
      text_places_;                                  // per column: where a text stands in the table
  std::vector<double> room_, scores_;                // work space
  std::vector<std::vector<std::uint8_t>> admitted_;  // per column and text code: the model knows it
  enum class Shape : std::uint8_t {
    as_it_is,
    scaled,
    other
  } shape_ = Shape::other;  // of raw rows, seen from the learner
};

}  // namespace postil
