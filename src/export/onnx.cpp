// onnx.cpp: a model as an ONNX graph.
//
// The graph repeats, with operators of ai.onnx 15 in double precision, what Encoder, RuleTruth, the learners and Probabilities do:
// stand-ins for missing values, scaling, principal components, rules, scores, probabilities, labels. Categories go through the
// OneHotEncoder of ai.onnx.ml, which knows texts; its linear and SVM operators are left alone, since they compute in single
// precision. The file is a protobuf (onnx.proto of ONNX 1.x), whose fields are written here by number.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/math.hpp"
#include "formula.hpp"
#include "postil/error.hpp"
#include "postil/export.hpp"
#include "postil/probabilities.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

// ---- protobuf ----

class Message {
 public:
  Message& number(unsigned field, std::uint64_t value) {
    varint(field << 3U);
    varint(value);
    return *this;
  }
  Message& bytes(unsigned field, std::string_view value) {
    varint(field << 3U | 2U);
    varint(value.size());
    out_ += value;
    return *this;
  }
  Message& message(unsigned field, const Message& value) { return bytes(field, value.out_); }
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7U) out_ += static_cast<char>(value % 128 + 128);
    out_ += static_cast<char>(value);
  }
  std::string out_;
};

enum Type : std::uint8_t { kInt64 = 7, kString = 8, kBool = 9, kDouble = 11 };
using Shape = std::vector<std::size_t>;

template <class Value>
std::string little_endian(const std::vector<Value>& values) {
  std::string out;
  out.reserve(values.size() * sizeof(Value));
  for (const Value value : values) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned byte = 0; byte < 8; ++byte) out += static_cast<char>(bits >> (8 * byte) & 255U);
  }
  return out;
}

Message attribute(const char* name, std::int64_t value) {
  Message out;
  out.bytes(1, name).number(3, static_cast<std::uint64_t>(value)).number(20, 2);
  return out;
}
Message attribute(const char* name, const std::vector<std::int64_t>& values) {
  Message out;
  out.bytes(1, name);
  for (const std::int64_t value : values) out.number(8, static_cast<std::uint64_t>(value));
  out.number(20, 7);
  return out;
}
Message attribute(const char* name, const std::vector<std::string>& values) {
  Message out;
  out.bytes(1, name);
  for (const std::string& value : values) out.bytes(9, value);
  out.number(20, 8);
  return out;
}

// ---- the graph ----

// Values are named tensors; all but constants have a row for each row of the data.
class Graph {
 public:
  using Value = std::string;

  void reserve(const std::string& name) { names_.insert(name); }
  Value input(const std::string& name, Type type, std::size_t width) {
    declare(11, name, type, {width});
    return name;
  }
  void output(const Value& value, const std::string& name, Type type, const Shape& row) {
    graph_.message(1, node("Identity", {value}, unique(name), {}));
    declare(12, last_, type, row);
  }

  Value constant(const std::vector<double>& values, const Shape& shape) {
    return tensor(kDouble, shape, little_endian(values));
  }
  Value constant(double value) { return constant(std::vector{value}, {}); }
  Value row(const std::vector<double>& values) { return constant(values, {1, values.size()}); }
  Value constant(const std::vector<std::int64_t>& values) {
    return tensor(kInt64, {values.size()}, little_endian(values));
  }
  Value texts(const std::vector<std::string>& values) {
    Message out = head(kString, {values.size()});
    for (const std::string& value : values) out.bytes(6, value);
    return keep(std::move(out));
  }

  Value add(const char* op, const std::vector<Value>& inputs, const std::vector<Message>& attributes = {},
            const char* domain = "") {
    graph_.message(1, node(op, inputs, unique("v"), attributes, domain));
    return last_;
  }
  Value cast(const Value& value, Type to) { return add("Cast", {value}, {attribute("to", std::int64_t{to})}); }
  Value join(const std::vector<Value>& values) {
    return values.size() == 1 ? values[0] : add("Concat", values, {attribute("axis", std::int64_t{1})});
  }
  Value column(const Value& value, std::size_t k) {  // as a matrix of one column
    return add("Gather", {value, constant(std::vector{static_cast<std::int64_t>(k)})},
               {attribute("axis", std::int64_t{1})});
  }
  Value flat(const Value& value) { return add("Squeeze", {value, constant(std::vector<std::int64_t>{1})}); }

  [[nodiscard]] std::string file(const std::map<std::string, std::string>& metadata) {
    graph_.bytes(2, "postil");
    Message model;
    model.number(1, 8).bytes(2, "postil").message(7, graph_);
    Message standard, ml;
    model.message(8, standard.bytes(1, "").number(2, 15)).message(8, ml.bytes(1, "ai.onnx.ml").number(2, 1));
    for (const auto& [key, value] : metadata) {
      Message entry;
      model.message(14, entry.bytes(1, key).bytes(2, value));
    }
    return model.text();
  }

 private:
  std::string unique(const std::string& wanted) {
    std::string name = wanted;
    if (wanted == "v") name = fmt::format("v{}", ++count_);
    while (!names_.insert(name).second) name += '_';
    return last_ = name;
  }
  static Message node(const char* op, const std::vector<Value>& inputs, const Value& output,
                      const std::vector<Message>& attributes, const char* domain = "") {
    Message out;
    for (const Value& input : inputs) out.bytes(1, input);
    out.bytes(2, output).bytes(3, output).bytes(4, op);
    for (const Message& attribute : attributes) out.message(5, attribute);
    if (*domain != 0) out.bytes(7, domain);
    return out;
  }
  static Message head(Type type, const Shape& shape) {
    Message out;
    for (const std::size_t size : shape) out.number(1, size);
    out.number(2, type);
    return out;
  }
  Value tensor(Type type, const Shape& shape, const std::string& raw) {
    Message out = head(type, shape);
    out.bytes(9, raw);
    return keep(std::move(out));
  }
  Value keep(Message tensor) {
    tensor.bytes(8, unique("v"));
    graph_.message(5, tensor);
    return last_;
  }
  void declare(unsigned field, const std::string& name, Type type, const Shape& row) {
    Message rows, shape, tensor, of, out;
    shape.message(1, rows.bytes(2, "rows"));
    for (const std::size_t size : row) {
      Message width;
      shape.message(1, width.number(1, size));
    }
    tensor.number(1, type).message(2, shape);
    graph_.message(field, out.bytes(1, name).message(2, of.message(1, tensor)));
  }

  Message graph_;
  std::set<std::string> names_;
  std::string last_;
  std::size_t count_ = 0;
};

using Value = Graph::Value;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class OnnxWriter {
 public:
  explicit OnnxWriter(const Model& model) : model_(model), schema_(model.schema()) {}

  std::string run() {
    const std::optional<std::vector<ScoreFormula>> formulas = formulas_of(model_, "ONNX");
    check_size();
    for (const char* name : {"label", "probabilities", "scores", "prediction"})
      for (const Column& column : schema_.columns)
        if (column.name == name) graph_.reserve(name);
    read_columns();
    encode();
    std::vector<Value> answers;
    if (!formulas)
      answers = kernel_scores();
    else if (std::all_of(formulas->begin(), formulas->end(), is_linear))
      answers = {linear(*formulas)};
    else
      for (const ScoreFormula& formula : *formulas) answers.push_back(score(formula));
    predict(graph_.join(answers));
    return graph_.file({{"classes", nlohmann::json(schema_.label.classes).dump()},
                        {"columns", columns_json()},
                        {"learner", std::string(model_.learner().name)}});
  }

 private:
  static bool is_linear(const ScoreFormula& formula) { return formula.rules.empty() && formula.parts.size() == 1; }

  // Protobuf files end at 2 GB, and rows are dense.
  void check_size() const {
    constexpr double kMost = 1e9;  // bytes
    double numbers = static_cast<double>(schema_.width()) * static_cast<double>(model_.questions());
    if (schema_.projection.components > 0) numbers += static_cast<double>(schema_.projection.axes.size());
    for (std::size_t k = 0; k < model_.questions(); ++k)
      if (const std::optional<KernelExpansion> kernel = model_.learner_of(k).expansion())
        numbers += static_cast<double>(kernel->rows.size()) * static_cast<double>(schema_.width());
    if (numbers * sizeof(double) > kMost)
      cannot_hold(fmt::format("the ONNX file would need {:.1f} GB; the maximum is 1 GB", numbers * 8e-9),
                  "train with fewer features, or project them onto principal components");
  }

  [[nodiscard]] std::string columns_json() const {
    nlohmann::json out = nlohmann::json::array();
    for (const Column& column : schema_.columns)
      out.push_back({{"name", column.name}, {"kind", word(column.kind())}, {"missing", word(column.missing)}});
    if (schema_.sparse())
      for (const std::string& name : schema_.feature_names())
        out.push_back({{"name", name}, {"kind", "number"}, {"missing", "zero"}});
    return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  // ---- columns ----

  // Raw values: numbers, NaN where missing; of text, the indicators of each category, and whether it is missing.
  void read_columns() {
    const std::size_t width = schema_.sparse() ? schema_.features : schema_.columns.size();
    if (width == 0) cannot_hold("this model has no columns, so that ONNX would have no input");
    const bool texts = std::any_of(schema_.columns.begin(), schema_.columns.end(),
                                   [](const Column& column) { return column.categorical(); });
    for (std::uint32_t j = 0; j < width; ++j)
      if (schema_.sparse() || !schema_.columns[j].categorical()) {
        number_of_[j] = static_cast<std::uint32_t>(numbers_.size());
        numbers_.push_back(j);
      }
    if (!texts) {
      graph_.reserve("columns");
      raw_ = graph_.input("columns", kDouble, width);
    } else {
      for (const Column& column : schema_.columns) graph_.reserve(column.name);
      std::vector<Value> inputs;
      for (const Column& column : schema_.columns) {
        Value value = graph_.input(column.name, column.categorical() ? kString : kDouble, 1);
        if (!column.categorical()) inputs.push_back(std::move(value));
      }
      if (!inputs.empty()) raw_ = graph_.join(inputs);
    }
    if (schema_.sparse()) return;
    for (std::size_t layer = 0;; ++layer) {  // numbers that mean "missing"
      std::vector<double> values(numbers_.size(), kNaN);
      bool any = false;
      for (std::size_t k = 0; k < numbers_.size(); ++k)
        if (const std::vector<double> missing = numbers_for_missing(schema_.columns[numbers_[k]]);
            layer < missing.size()) {
          values[k] = missing[layer];
          any = true;
        }
      if (!any) break;
      raw_ = graph_.add("Where", {graph_.add("Equal", {raw_, graph_.row(values)}), graph_.constant(kNaN), raw_});
    }
  }

  Value one_hot(const Value& column, const std::vector<std::string>& categories) {
    const Value hot = graph_.add("OneHotEncoder", {column},
                                 {attribute("cats_strings", categories), attribute("zeros", 1)}, "ai.onnx.ml");
    return graph_.cast(graph_.flat(hot), kDouble);
  }
  // 1 where a text is missing, as a column.
  const Value& text_missing(const Column& column) {
    Value& out = text_missing_[column.name];
    if (!out.empty()) return out;
    out = graph_.add("ReduceMax", {one_hot(column.name, words_for_missing(column))},
                     {attribute("axes", std::vector<std::int64_t>{1})});
    return out;
  }

  // The features as learners see them; place_ has where each stands.
  void encode() {
    std::vector<Value> blocks;
    place_.assign(schema_.features, 0);
    std::uint32_t at = 0;
    if (!numbers_.empty()) {
      std::vector<double> fill;
      for (const std::uint32_t j : numbers_) {
        place_[schema_.sparse() ? j : schema_.columns[j].features[0]] = at++;
        fill.push_back(schema_.sparse() ? 0 : stand_in(schema_.columns[j]).value_or(kNaN));
      }
      missing_ = graph_.add("IsNaN", {raw_});
      blocks.push_back(graph_.add("Where", {missing_, graph_.row(fill), raw_}));
    }
    for (std::size_t j = 0; j < schema_.columns.size(); ++j) {
      const Column& column = schema_.columns[j];
      if (column.categorical() && !column.categories.empty()) {
        blocks.push_back(one_hot(column.name, column.categories));
        hot_[column.name] = blocks.back();
        for (std::size_t k = 0; k < column.categories.size(); ++k) place_[column.features[k]] = at++;
      }
      if (column.missing != Missing::indicator) continue;
      blocks.push_back(
          column.categorical()
              ? text_missing(column)
              : graph_.cast(graph_.column(missing_, number_of_.at(static_cast<std::uint32_t>(j))), kDouble));
      place_[column.features.back()] = at++;
    }
    if (blocks.empty()) cannot_hold("this model has no features, so that there is nothing to compute in ONNX");
    encoded_ = graph_.join(blocks);
    if (const Scaling& scaling = schema_.scaling; !scaling.identity()) {
      encoded_ = graph_.add(
          "Div", {graph_.add("Sub", {encoded_, graph_.row(placed(scaling.shift))}), graph_.row(placed(scaling.scale))});
    }
    const Projection& projection = schema_.projection;
    if (projection.components == 0) return;
    std::vector<double> axes(static_cast<std::size_t>(schema_.features) * projection.components);
    for (std::size_t k = 0; k < projection.components; ++k)
      for (std::size_t j = 0; j < schema_.features; ++j)
        axes[place_[j] * projection.components + k] = projection.axis(k)[j];
    encoded_ = graph_.add("MatMul", {graph_.add("Sub", {encoded_, graph_.row(placed(projection.mean))}),
                                     graph_.constant(axes, {schema_.features, projection.components})});
    for (std::uint32_t k = 0; k < projection.components; ++k) seen_place_.push_back(k);
  }
  [[nodiscard]] std::vector<double> placed(const std::vector<double>& of_features) const {
    std::vector<double> out(schema_.features);
    for (std::size_t j = 0; j < of_features.size(); ++j) out[place_[j]] = of_features[j];
    return out;
  }
  // Where a learner's feature stands in encoded_.
  [[nodiscard]] std::size_t seen_place(std::size_t j) const { return seen_place_.empty() ? place_[j] : seen_place_[j]; }

  // ---- scores ----

  // weights'x + bias of each model, side by side.
  Value linear(const std::vector<LinearModel>& models) {
    const std::size_t count = models.size();
    std::vector<double> weights(schema_.width() * count), biases;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t j = 0; j < models[k].weights.size(); ++j)
        weights[seen_place(j) * count + k] = models[k].weights[j];
      biases.push_back(models[k].bias);
    }
    return graph_.add("Add", {graph_.add("MatMul", {encoded_, graph_.constant(weights, {schema_.width(), count})}),
                              graph_.row(biases)});
  }
  Value linear(const std::vector<ScoreFormula>& formulas) {
    std::vector<LinearModel> models;
    for (const ScoreFormula& formula : formulas) models.push_back(formula.parts[0].linear);
    return linear(models);
  }

  Value score(const ScoreFormula& formula) {
    std::vector<LinearModel> models;
    std::vector<double> votes, claims, shares, of_rules;
    for (const ScoreFormula::Part& part : formula.parts) {
      models.push_back(part.linear);
      votes.push_back(part.vote);
      claims.push_back(part.claim);
      shares.push_back(part.share);
    }
    for (std::size_t i = 0; i < formula.rules.size(); ++i)
      for (const ScoreFormula::Part& part : formula.parts) of_rules.push_back(part.rules.empty() ? 0 : part.rules[i]);
    const std::size_t count = models.size();
    Value sums = linear(models);
    const auto add = [&](const Value& more) { sums = graph_.add("Add", {sums, more}); };
    if (!formula.rules.empty()) {
      std::vector<Value> holds;
      Value any, vote;
      for (std::size_t i = 0; i < formula.rules.size(); ++i) {  // in the order in which the model adds
        const Value& truth = condition(model_.advice()->rules[formula.rules[i]].condition);
        holds.push_back(graph_.cast(truth, kDouble));
        const Value voice = graph_.add("Mul", {holds.back(), graph_.constant(formula.voices[i])});
        any = i == 0 ? truth : graph_.add("Or", {any, truth});
        vote = i == 0 ? voice : graph_.add("Add", {vote, voice});
      }
      if (std::isfinite(formula.limit))
        vote = graph_.add("Clip", {vote, graph_.constant(-formula.limit), graph_.constant(formula.limit)});
      const Value silent = graph_.constant(formula.silent);
      if (formula.silent_if_cancelled)
        vote = graph_.add("Where", {graph_.add("Equal", {vote, graph_.constant(0.0)}), silent, vote});
      else
        vote = graph_.add("Where", {any, vote, silent});
      add(graph_.add("Mul", {vote, graph_.row(votes)}));
      const Value against =
          graph_.add("Less", {graph_.add("Mul", {vote, graph_.constant(formula.base)}), graph_.constant(0.0)});
      const Value claim = graph_.add(
          "Where", {graph_.add("And", {any, against}), graph_.constant(-formula.base), graph_.constant(0.0)});
      add(graph_.add("Mul", {claim, graph_.row(claims)}));
      add(graph_.add("MatMul", {graph_.join(holds), graph_.constant(of_rules, {formula.rules.size(), count})}));
    } else if (formula.silent_if_cancelled) {  // a class that no rule speaks of
      add(graph_.row(std::vector<double>(count, formula.silent)));
    }
    if (count == 1) return sums;
    constexpr double kFar = 700;
    const Value bounded = graph_.add("Clip", {sums, graph_.constant(-kFar), graph_.constant(kFar)});
    const Value of = graph_.constant(shares, {count, 1});
    const Value yes = graph_.add("MatMul", {graph_.add("Sigmoid", {bounded}), of});
    const Value no = graph_.add("MatMul", {graph_.add("Sigmoid", {graph_.add("Neg", {bounded})}), of});
    return graph_.add("Log", {graph_.add("Div", {yes, no})});
  }

  // sum_i a_i k(x_i, x) + b of each question.
  std::vector<Value> kernel_scores() {
    std::vector<Value> out;
    for (std::size_t t = 0; t < model_.questions(); ++t) {
      const KernelExpansion kernel = *model_.learner_of(t).expansion();
      const std::size_t count = kernel.rows.size();
      if (count == 0) {  // what a learner that has kept no row yet says of every row
        out.push_back(linear(std::vector{LinearModel{{}, kernel.bias}}));
        continue;
      }
      // One row a column; times what would come next, since engines fuse that in single precision.
      const double factor = kernel.kernel == "rbf" ? -2 : kernel.kernel == "polynomial" ? kernel.gamma : 1;
      std::vector<double> rows(schema_.width() * count), squares;
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (const auto& [j, value] : kernel.rows[i]) {
          rows[seen_place(j) * count + i] = factor * value;
          sum += value * value;
        }
        squares.push_back(sum);
      }
      Value k = graph_.add("MatMul", {encoded_, graph_.constant(rows, {schema_.width(), count})});
      if (kernel.kernel == "rbf") {  // exp(-gamma (|x|^2 - 2 x'z + |z|^2))
        const Value own = graph_.add(
            "ReduceSum", {graph_.add("Mul", {encoded_, encoded_}), graph_.constant(std::vector<std::int64_t>{1})});
        const Value apart = graph_.add("Add", {graph_.add("Add", {k, own}), graph_.row(squares)});
        const Value positive = graph_.add("Max", {apart, graph_.constant(0.0)});
        k = graph_.add("Exp", {graph_.add("Mul", {positive, graph_.constant(-kernel.gamma)})});
      } else if (kernel.kernel == "polynomial") {
        const Value inner = graph_.add("Add", {k, graph_.constant(kernel.coef0)});
        k = inner;
        for (int power = 1; power < kernel.degree; ++power) k = graph_.add("Mul", {k, inner});
      } else {
        cannot_hold(fmt::format("ONNX cannot hold the kernel '{}'", kernel.kernel), "linear, polynomial and rbf work");
      }
      out.push_back(graph_.add("Add", {graph_.add("MatMul", {k, graph_.constant(kernel.coefficients, {count, 1})}),
                                       graph_.constant(kernel.bias)}));
    }
    return out;
  }

  // ---- rules ----

  // A raw feature as a column, NaN where it is missing.
  const Value& raw_feature(std::uint32_t feature) {
    Value& out = raw_features_[feature];
    if (!out.empty()) return out;
    if (schema_.sparse()) {  // absent is 0
      const Value column = graph_.column(raw_, feature);
      out = graph_.add("Where", {graph_.add("IsNaN", {column}), graph_.constant(0.0), column});
      return out;
    }
    const Schema::Origin origin = origin_of(feature);
    const Column& column = schema_.columns[origin.column];
    if (!column.categorical()) {
      out = graph_.column(raw_, number_of_.at(origin.column));
      return out;
    }
    const Value missing = graph_.cast(text_missing(column), kBool);
    out = graph_.add("Where", {missing, graph_.constant(kNaN), graph_.column(hot_.at(column.name), origin.place)});
    return out;
  }
  Schema::Origin origin_of(std::uint32_t feature) {
    if (origins_.empty()) origins_ = schema_.origins();
    return origins_[feature];
  }
  Value missing_of(std::uint32_t feature) {
    if (!schema_.sparse())
      if (const Column& column = schema_.columns[origin_of(feature).column]; column.categorical())
        return graph_.cast(text_missing(column), kBool);
    return graph_.add("IsNaN", {raw_feature(feature)});
  }

  // Where a condition holds. What is unknown does not: no comparison with NaN does.
  const Value& condition(std::uint32_t number) {
    using Kind = Conditions::Node::Kind;
    if (const auto found = truths_.find(number); found != truths_.end()) return found->second;
    const Conditions::Node& node = model_.advice()->conditions.nodes[number];
    Value out;
    switch (node.kind) {
      case Kind::row: out = compare(node.row); break;
      case Kind::missing: out = missing_of(node.feature); break;
      case Kind::known: out = graph_.add("Not", {missing_of(node.feature)}); break;
      case Kind::all:
      case Kind::any:
        for (const std::uint32_t part : node.parts) {
          const Value one = condition(part);
          out = out.empty() ? one : graph_.add(node.kind == Kind::all ? "And" : "Or", {out, one});
        }
        break;
      case Kind::at_least: {
        std::vector<Value> parts;
        for (const std::uint32_t part : node.parts) parts.push_back(graph_.cast(condition(part), kDouble));
        if (parts.empty()) break;
        const Value count =
            graph_.add("ReduceSum", {graph_.join(parts), graph_.constant(std::vector<std::int64_t>{1})});
        out = graph_.add("GreaterOrEqual", {count, graph_.constant(static_cast<double>(node.count))});
      }
    }
    if (out.empty()) {  // nothing to ask for: all of nothing holds, any of nothing does not
      const bool holds = node.kind == Kind::all || (node.kind == Kind::at_least && node.count == 0);
      const Value first = graph_.column(encoded_, 0);
      out = graph_.add("Equal", {graph_.add("IsNaN", {first}), graph_.add("IsNaN", {first})});
      if (!holds) out = graph_.add("Not", {out});
    }
    return truths_[number] = out;
  }
  Value compare(const AdviceRow& row) {
    const char* op = row.equality ? "Equal" : row.strict ? "Less" : "LessOrEqual";
    if (row.terms.size() == 1 && row.terms[0].second == 1)
      return graph_.add(op, {raw_feature(row.terms[0].first), graph_.constant(row.bound)});
    Value sum = graph_.constant(std::vector{0.0}, {1, 1});
    for (const auto& [feature, coefficient] : row.terms)
      sum = graph_.add("Add", {sum, graph_.add("Mul", {raw_feature(feature), graph_.constant(coefficient)})});
    if (row.terms.empty())  // a row for each row of the data
      sum = graph_.add("Mul", {graph_.column(encoded_, 0), graph_.constant(0.0)});
    return graph_.add(op, {sum, graph_.constant(row.bound)});
  }

  // ---- answers ----

  void predict(Value scores) {
    const Label& label = schema_.label;
    if (label.real()) {
      graph_.output(scores, "prediction", kDouble, {1});
      return;
    }
    if (model_.one_against_one()) scores = votes(scores);
    Value index;
    if (model_.outputs() == 1) {
      const Value no = graph_.add("Less", {scores, graph_.constant(0.0)});
      const std::int64_t yes = label.positive;
      index = graph_.flat(
          graph_.add("Where", {no, graph_.constant(std::vector{1 - yes}), graph_.constant(std::vector{yes})}));
    } else {
      std::vector<std::int64_t> classes;
      for (std::size_t k = 0; k < model_.outputs(); ++k) classes.push_back(model_.class_of(k));
      index = graph_.add("ArgMax", {scores}, {attribute("axis", std::int64_t{1}), attribute("keepdims", 0)});
      index = graph_.add("Gather", {graph_.constant(classes), index});
    }
    const std::vector<std::int64_t> numbers = whole_numbers(label);
    const Value names = numbers.empty() ? graph_.texts(label.classes) : graph_.constant(numbers);
    graph_.output(graph_.add("Gather", {names, index}), "label", numbers.empty() ? kString : kInt64, {});
    graph_.output(probabilities(scores), "probabilities", kDouble, {label.classes.size()});
    graph_.output(scores, "scores", kDouble, {model_.outputs()});
  }
  // Of classes that are all called by whole numbers.
  static std::vector<std::int64_t> whole_numbers(const Label& label) {
    constexpr double kMost = 1e15;
    std::vector<std::int64_t> out;
    for (const std::string& name : label.classes) {
      const std::optional<double> number = parse_number(name);
      if (label.kind == LabelKind::text || !number || std::fabs(*number) > kMost || format_number(*number) != name ||
          *number != std::floor(*number))
        return {};
      out.push_back(static_cast<std::int64_t>(*number));
    }
    return out;
  }

  // Model::combine
  Value votes(const Value& answers) {
    const std::size_t classes = schema_.label.classes.size(), pairs = model_.questions();
    std::vector<double> first(pairs * classes), second(pairs * classes), signs(pairs * classes);
    for (std::size_t k = 0; k < pairs; ++k) {
      const std::size_t a = k * classes + model_.question(k).class_number,
                        b = k * classes + *model_.question(k).against;
      first[a] = signs[a] = second[b] = 1;
      signs[b] = -1;
    }
    const auto through = [&](const Value& value, const std::vector<double>& matrix) {
      return graph_.add("MatMul", {value, graph_.constant(matrix, {pairs, classes})});
    };
    const Value no = graph_.add("Less", {answers, graph_.constant(0.0)});
    const Value won = graph_.add("Add", {through(graph_.cast(graph_.add("Not", {no}), kDouble), first),
                                         through(graph_.cast(no, kDouble), second)});
    const Value sums = through(answers, signs);
    const Value size =
        graph_.add("Mul", {graph_.add("Add", {graph_.add("Abs", {sums}), graph_.constant(1.0)}), graph_.constant(3.0)});
    return graph_.add("Add", {won, graph_.add("Div", {sums, size})});
  }

  // Probabilities::of
  Value probabilities(const Value& scores) {
    constexpr double kFar = Probabilities::kFar;
    const double slope = Probabilities(model_).slope();
    const std::size_t classes = schema_.label.classes.size();
    if (model_.outputs() == 1) {
      std::vector<double> signs(classes, -slope);
      signs[model_.class_of(0)] = slope;
      const Value odds = graph_.add("Mul", {scores, graph_.row(signs)});
      return graph_.add("Sigmoid", {graph_.add("Clip", {odds, graph_.constant(-kFar), graph_.constant(kFar)})});
    }
    const Value most = graph_.add("ReduceMax", {scores}, {attribute("axes", std::vector<std::int64_t>{1})});
    const Value below = graph_.add("Mul", {graph_.add("Sub", {scores, most}), graph_.constant(slope)});
    const Value likely = graph_.add("Exp", {graph_.add("Max", {below, graph_.constant(-kFar)})});
    const Value sum = graph_.add("ReduceSum", {likely, graph_.constant(std::vector<std::int64_t>{1})});
    std::vector<std::int64_t> output_of(classes);
    for (std::size_t k = 0; k < model_.outputs(); ++k) output_of[model_.class_of(k)] = static_cast<std::int64_t>(k);
    return graph_.add("Gather", {graph_.add("Div", {likely, sum}), graph_.constant(output_of)},
                      {attribute("axis", std::int64_t{1})});
  }

  const Model& model_;
  const Schema& schema_;
  Graph graph_;
  Value raw_, missing_, encoded_;                     // columns of numbers; where they are missing; features
  std::vector<std::uint32_t> numbers_;                // columns of raw_
  std::map<std::uint32_t, std::uint32_t> number_of_;  // column to place in raw_
  std::map<std::string, Value> hot_, text_missing_;   // by column
  std::vector<std::size_t> place_, seen_place_;
  std::vector<Schema::Origin> origins_;
  std::map<std::uint32_t, Value> raw_features_, truths_;
};

}  // namespace

std::string to_onnx(const Model& model) { return OnnxWriter(model).run(); }

}  // namespace postil
