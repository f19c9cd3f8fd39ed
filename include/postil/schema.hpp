// The schema: what the columns are, and how raw rows become rows that a learner sees.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postil/archive.hpp"
#include "postil/row.hpp"

namespace postil {

enum class Kind : std::uint8_t { number, integer, binary, categorical, date, percent };
enum class Missing : std::uint8_t { mean, zero, indicator, refuse };  // what stands for a missing value
enum class Scale : std::uint8_t { none, standard, minmax, maxabs };

// The words for them in options and files; the second form throws ParamError with the known words.
std::string_view word(Kind kind);
std::string_view word(Missing missing);
std::string_view word(Scale scale);
Kind kind_of(std::string_view word);
Missing missing_of(std::string_view word);
Scale scale_of(std::string_view word);
// How numbers of a column of this kind stand in the data: as date, percent or number.
constexpr Kind written_as(Kind kind) { return kind == Kind::date || kind == Kind::percent ? kind : Kind::number; }
// A number as it stands in columns of this kind: 126, 2024-03-01, 12.5%.
std::string text_of(double value, Kind kind);

// Count, mean and variance of numbers as they come, in one stable pass (Welford 1962), and their range.
struct Moments {
  std::uint64_t count = 0;
  double mean = 0;
  double squares = 0;  // sum of (x - mean)^2
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double x) {
    ++count;
    const double delta = x - mean;
    mean += delta / static_cast<double>(count);
    squares += delta * (x - mean);
    if (x < low) low = x;
    if (x > high) high = x;
  }
  void add_zeros(std::uint64_t zeros);  // as if add(0) had been called so often, up to rounding
  static Moments of_zeros_and_ones(std::uint64_t zeros, std::uint64_t ones);
  [[nodiscard]] double variance() const {
    return count == 0 ? 0 : squares / static_cast<double>(count);
  }  // of the population
};

// What a reader knows of the columns it reads. In raw blocks a number is itself, a missing value is NaN, a text is its
// place in `texts`, and a label its place in `labels`. A date is its days since 1970-01-01, a percentage the number before %.
struct TableColumn {
  enum class Type : std::uint8_t { unknown, number, text };
  std::string name;
  Type type = Type::unknown;
  std::vector<std::string> texts;  // in the order of their first appearance
  Kind written = Kind::number;     // written_as of its kind
};

// Columns that have names, all of which every row has; or f1, f2, ... as many as turn up, of which a row has a few.
enum class Columns : std::uint8_t { named, sparse };

struct Table {
  std::string source;  // file name, for messages
  Columns form = Columns::named;
  std::vector<TableColumn> columns;  // named, without the label
  std::uint32_t width = 0;           // sparse: one more than the largest index so far
  std::string label_name;            // empty: no label column
  std::vector<std::string> labels;   // distinct label values in the order of their first appearance

  [[nodiscard]] bool sparse() const { return form == Columns::sparse; }
  [[nodiscard]] std::uint32_t row_width() const {
    return sparse() ? width : static_cast<std::uint32_t>(columns.size());
  }
};

// Where the codes of one table stand in another.
struct TableCodes {
  std::vector<std::size_t> columns, labels;
  std::vector<std::vector<std::size_t>> texts;  // by column
};
// Of `from` in `into`, which gets the columns, texts and labels that it has not. Throws DataError where the two contradict each
// other.
TableCodes unite(Table& into, const Table& from);

// What a user has declared of a column. Only this bounds rules. Values that break it are kept, counted and reported.
struct Promise {
  std::optional<Kind> kind;
  double low = -std::numeric_limits<double>::infinity();  // the domain
  double high = std::numeric_limits<double>::infinity();
};

// What its rows have shown so far. Serves scaling and hints, and stands in for missing values; later rows may refute it.
struct Guess {
  Kind kind = Kind::number;               // the narrowest that all its values have
  Moments numbers;                        // of a column of numbers
  std::vector<std::uint64_t> categories;  // how many rows were of each; empty: not known
  std::uint64_t missing = 0;

  [[nodiscard]] std::uint64_t rows() const;
};

// One raw column.
struct Column {
  std::string name;
  Promise promised;
  Guess seen;
  Missing missing = Missing::mean;
  std::vector<std::string> na;          // what else means "missing" here
  std::vector<std::string> categories;  // that rows have shown or the user has named
  std::vector<std::uint32_t> features;  // the numbers of its features: of its value or of each category, then of the
                                        // indicator of a missing value

  [[nodiscard]] Kind kind() const { return promised.kind.value_or(seen.kind); }
  [[nodiscard]] bool categorical() const { return kind() == Kind::categorical; }
  [[nodiscard]] Kind written() const { return written_as(kind()); }
  [[nodiscard]] std::string text_of(double value) const { return postil::text_of(value, kind()); }
  // Features but the indicator.
  [[nodiscard]] std::size_t values() const { return categorical() ? categories.size() : 1; }
};

// What labels were before they became the names of classes, for front ends that hand them back.
enum class LabelKind : std::uint8_t { unknown, text, integer, number, truth };
std::string_view word(LabelKind kind);
LabelKind label_kind_of(std::string_view word);  // throws ParamError

struct Label {
  std::string name;
  std::vector<std::string> classes;  // numbers in order, then names in order; empty for regression
  std::uint32_t positive = 0;        // place of the positive class among two
  std::vector<double> weights;       // of an example of each class; empty: 1
  bool all_known = false;            // the user has said that there are no others
  LabelKind kind = LabelKind::unknown;

  [[nodiscard]] bool real() const { return classes.empty(); }  // regression
  // What a rule or task is about: the class, or a label that is a number.
  [[nodiscard]] const std::string& subject(std::uint32_t class_number) const {
    return real() ? name : classes[class_number];
  }
  // What is said of a row by "it is of this class" or, unless `yes`, "it is not": of two classes the other one.
  [[nodiscard]] std::string said(std::uint32_t class_number, bool yes) const {
    if (yes || classes.size() != 2) return (yes ? "" : "not ") + subject(class_number);
    return classes[1 - class_number];
  }
};

// x = (raw - shift) / scale; both empty: x = raw.
struct Scaling {
  std::vector<double> shift;
  std::vector<double> scale;
  [[nodiscard]] bool identity() const { return scale.empty(); }
};

// Principal components: what learners see is axes (x - mean) of the scaled features x. No components: x itself.
struct Projection {
  std::uint32_t components = 0;
  std::vector<double> mean;  // of the features
  std::vector<double> axes;  // one after the other, each as long as mean
  double share = 0;          // of the variance that they hold

  [[nodiscard]] std::span<const double> axis(std::size_t k) const {
    return std::span(axes).subspan(k * mean.size(), mean.size());
  }
};

struct Schema {
  Columns form = Columns::named;
  std::vector<Column> columns;  // named
  std::vector<Kind> kinds;      // sparse: of each feature, for rules; empty: numbers
  std::vector<Moments> seen;    // sparse: of each feature, for rules
  std::uint32_t features = 0;   // width of encoded rows
  Label label;
  Scale scale = Scale::none;
  Scaling scaling;  // per feature
  Projection projection;
  std::vector<std::string> ignored;  // columns of the data that are none of the model's

  [[nodiscard]] bool sparse() const { return form == Columns::sparse; }
  [[nodiscard]] std::uint32_t width() const {  // of the rows that learners see
    return projection.components > 0 ? projection.components : features;
  }

  // Numbers the features of all columns in order.
  void number_features();
  // Later additions, behind all features there are; they give the number of the new feature. A column of numbers is not
  // shifted, and scaled as said.
  std::uint32_t add_category(std::size_t column, const std::string& category);
  std::uint32_t add_column(Column column, double divide);

  // Where features come from, by number: a column, and a place among its features.
  struct Origin {
    std::uint32_t column = 0, place = 0;
  };
  [[nodiscard]] std::vector<Origin> origins() const;  // Needs: named columns
  [[nodiscard]] std::string feature_name(std::uint32_t feature) const;
  [[nodiscard]] std::vector<std::string> feature_names() const;
  // Of these features in the rows the schema was made from, raw; no count: not known.
  [[nodiscard]] std::vector<Moments> moments(const std::vector<std::uint32_t>& features) const;
};

// The columns of a schema as a reader knows them, with its categories and classes.
Table table_of(const Schema& schema);

// What a user may say about columns beforehand.
struct ColumnWishes {
  std::map<std::string, Kind> kinds;
  std::map<std::string, std::vector<std::string>> categories;  // that columns of text may have
  std::map<std::string, Missing> missing;                      // "" for all columns
  std::map<std::string, std::vector<std::string>> na;          // "" for all columns
  std::vector<std::string> ignored;                            // no columns of the model, now or later
};

// Class names in the order of Label::classes.
std::vector<std::string> ordered_classes(std::vector<std::string> labels);
// The one spelling of a label value: numbers print shortest (+1, 1 and 1.0 are "1"), "+" and "-" count as 1 and -1. Of labels that
// are text: the text, so that "1" and "01" are two classes.
std::string canonical_label(std::string_view text, LabelKind kind = LabelKind::unknown);

// Makes a schema from raw rows.
class Survey {
 public:
  // Needs: table outlives the survey; it may grow between calls.
  // `kinds`: also of sparse columns, which costs a look at every value.
  Survey(const Table& table, Scale scale, ColumnWishes wishes, bool kinds = false);
  void add(const Block& raw, std::size_t at_most = std::numeric_limits<std::size_t>::max());  // the first rows of it
  // What another survey has seen. Needs: its table's codes were united into this one's, and are these.
  void merge(const Survey& other, const TableCodes& codes);
  void write(StateWriter& out) const;  // what was seen so far
  bool read(StateReader& in);          // into a fresh survey of a table that has grown as it had then; false: damaged
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] bool any_missing() const;
  [[nodiscard]] const std::vector<std::uint64_t>& label_counts() const { return label_counts_; }  // by label code
  // Throws DataError if a wish names no column or the data contradict it.
  [[nodiscard]] Schema finish() const;

 private:
  [[nodiscard]] Schema finish_sparse() const;
  void check_names(const Schema& schema) const;
  void scale_features(Schema& schema) const;
  void make_room();  // for all columns of the table
  [[nodiscard]] Moments moments(std::size_t column) const;
  void set_moments(std::size_t column, const Moments& seen);
  const Table& table_;
  Scale scale_;
  ColumnWishes wishes_;
  std::uint64_t rows_ = 0;
  std::vector<std::uint64_t> label_counts_;
  std::vector<Moments> sparse_;  // of the values that are there, per feature
  bool kinds_ = false;
  std::vector<Kind> sparse_kinds_;                       // if wanted: the narrowest so far
  std::vector<std::vector<std::uint64_t>> text_counts_;  // named columns of text: rows by code
  // Named columns, each number an array over them so that a row is one loop of vector instructions.
  std::vector<double> count_, mean_, squares_, low_, high_;
  std::vector<double> not_whole_, not_binary_;  // 0: no such value seen
};

// Values that broke a promise of the schema, per column. They are used all the same.
struct Surprises {
  std::vector<std::uint64_t> broken;  // numbers outside the domain or against the kind
  std::vector<std::uint64_t> unseen;  // categories that training did not know; count as none of the known
  std::uint64_t unseen_features = 0;  // sparse: features that training did not know; left out
};

// Turns the raw blocks of one table into blocks for learners.
class Encoder {
 public:
  // Needs: both outlive the encoder and the table's columns are the schema's; texts, labels and sparse width may
  // grow.
  Encoder(const Schema& schema, const Table& table);

  // Labels become places in schema.label.classes. Throws DataError for a label the schema does not know, and for a
  // missing value where the schema refuses it. A block that is right as it is passes through, lent memory and all.
  Block encode(Block raw);
  // The text with this code has become the column's last category.
  void admit(std::size_t column, std::size_t code);
  void trust() { trusted_ = true; }  // the rows are those the schema was made from: their promises need no check
  [[nodiscard]] const Surprises& surprises() const { return surprises_; }

 private:
  [[nodiscard]] bool right_as_it_is(const Block& raw) const;
  void encode_labels(BlockData& data);
  Block encode_sparse(BlockData data);
  Block encode_in_place(BlockData data);
  Block encode_expanded(BlockData raw);
  [[nodiscard]] Block projected(Block block) const;
  void learn_texts();
  double number(std::size_t column, double raw, std::uint64_t line);  // substituted if missing, checked, unscaled

  const Schema& schema_;
  const Table& table_;
  bool expanded_ = false;  // column j is not feature j
  bool complete_ = true;   // no value was missing in the rows the schema was made from
  bool trusted_ = false;
  std::vector<std::uint8_t> promises_;               // per column: has a kind or domain to check
  std::vector<std::vector<std::int64_t>> category_;  // per column: text code -> category, -1 unseen
  std::vector<std::int64_t> class_;                  // label code -> class, -1 unknown
  Surprises surprises_;
};

}  // namespace postil
