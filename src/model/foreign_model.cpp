// foreign_model.cpp: model files of LIBSVM (3.x) and LIBLINEAR (2.x).
//
// Both are lines of "key value ...", then "SV" and a support vector a line, or "w" and a feature a line. A score belongs to the
// first of the labels. LIBSVM: sum coefficient k(vector, x) - rho; LIBLINEAR: w'x, and with bias B >= 0 one more feature B.
#include "postil/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/failures.hpp"
#include "core/kernels.hpp"
#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::uint32_t kMostFeatures = 10'000'000;

// ---- out ----

// The labels in the file's order, the positive class first where there are two.
std::vector<std::string> labels_of(const Model& model) {
  const std::vector<std::string> names = foreign_labels(model);
  std::vector<std::string> labels;
  for (std::size_t k = 0; k < model.outputs(); ++k) labels.push_back(names[model.class_of(k)]);
  if (labels.size() == 1) labels.push_back(names[1 - model.class_of(0)]);
  return labels;
}

void check_classes(const Model& model, bool two) {
  if (model.outputs() == 0 && !model.schema().label.real())
    throw ModelError(
        {.code = Code::one_class, .message = "this model has seen one class only; there is nothing to write yet"});
  if (model.schema().label.real())
    throw ModelError({.code = Code::unsupported, .message = "such files hold classifiers; this model does regression"});
  for (std::size_t k = 0; k < model.outputs(); ++k)
    if (const std::optional<LinearModel> linear = model.learner_of(k).linear(); linear && !linear->whole)
      throw ModelError({.code = Code::unsupported,
                        .message = "such files hold hyperplanes; this model is a mixture of several learners"});
  if (model.one_against_one())
    throw ModelError({.code = Code::unsupported,
                      .message = "models that set classes one against one cannot be written to such files"});
  if (two && model.outputs() != 1)
    throw ModelError(
        {.code = Code::unsupported,
         .message = "a LIBSVM file of more than two classes sets one against one, this model one against the rest"});
}

template <class Sparse>
void put_vector(std::string& out, double coefficient, const Sparse& values) {
  out += fmt::format("{}", coefficient);
  for (const auto& [index, value] : values)
    if (value != 0) out += fmt::format(" {}:{}", index + 1, value);
  out += '\n';
}

// ---- in ----

// The lines of a text, and where one is.
class Lines {
 public:
  Lines(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line = rest_.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return true;
  }
  [[noreturn]] void fail(const std::string& message) const { throw ModelError({name_, number_, 0}, message); }
  double number(std::string_view text, const char* what) const {
    const std::optional<double> value = parse_number(text);
    if (!value) throw ModelError(not_expected(Code::not_a_number, text, what, {name_, number_, 0}));
    return *value;
  }

 private:
  std::string_view rest_;
  const std::string& name_;
  std::uint64_t number_ = 0;
};

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) break;
    at = std::min(line.find_first_of(" \t", begin), line.size());
    out.push_back(line.substr(begin, at - begin));
  }
  return out;
}

// Reads "key value ..." up to the line that is `last`.
std::map<std::string, std::vector<std::string_view>, std::less<>> read_head(Lines& lines, std::string_view last) {
  std::map<std::string, std::vector<std::string_view>, std::less<>> head;
  for (std::string_view line; lines.next(line);) {
    std::vector<std::string_view> parts = words(line);
    if (parts.empty()) continue;
    if (parts[0] == last) return head;
    const std::string key(parts[0]);
    parts.erase(parts.begin());
    head[key] = std::move(parts);
  }
  lines.fail(fmt::format("the file ends before a line {}", in_quotes(last)));
}

std::string_view one(const Lines& lines, const std::map<std::string, std::vector<std::string_view>, std::less<>>& head,
                     const char* key) {
  const auto found = head.find(key);
  if (found == head.end() || found->second.size() != 1)
    lines.fail(fmt::format("expected a line {} with one value before this one", in_quotes(key)));
  return found->second[0];
}

// A learner's state from numbers by name.
class Feed final : public StateReader {
 public:
  void tensor(std::string_view name, std::vector<double>& values) override {
    if (const auto found = tensors.find(name); found != tensors.end()) values = found->second;
  }
  void number(std::string_view name, double& value) override {
    if (const auto found = tensors.find(name); found != tensors.end()) value = found->second.at(0);
  }
  void counter(std::string_view name, std::uint64_t& value) override {
    if (const auto found = tensors.find(name); found != tensors.end())
      value = static_cast<std::uint64_t>(found->second.at(0));
  }
  [[nodiscard]] bool has(std::string_view name) const override { return tensors.contains(name); }
  std::map<std::string, std::vector<double>, std::less<>> tensors;
};

// Classes in Postil's order, and for each its place in the file's.
Schema schema_of(const Lines& lines, const std::vector<std::string_view>& labels, std::uint32_t features,
                 std::vector<std::size_t>& places) {
  Schema schema;
  schema.form = Columns::sparse;
  schema.features = features;
  schema.label.name = "label";
  std::vector<std::string> names;
  names.reserve(labels.size());
  for (const std::string_view label : labels) {
    lines.number(label, "a label");
    names.push_back(canonical_label(label));
  }
  schema.label.classes = ordered_classes(names);
  if (std::adjacent_find(schema.label.classes.begin(), schema.label.classes.end()) != schema.label.classes.end())
    lines.fail("two of its labels are the same");
  for (const std::string& name : schema.label.classes)
    places.push_back(static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
  if (names.size() == 2) schema.label.positive = places[0] == 0 ? 0 : 1;
  return schema;
}

Model feed_model(Schema schema, const std::map<std::string, std::string>& settings, std::span<Feed> feeds,
                 const std::string& name) {
  const LearnerInfo& info = find_learner("svm");
  Model model(std::move(schema), info, Params(info.name, info.params, settings));
  for (std::size_t k = 0; k < model.outputs(); ++k) {
    model.learner_of(k).read(feeds[k]);
    if (!model.learner_of(k).fits(model.schema().features))
      throw ModelError({name, 0, 0}, "its numbers do not fit together");
  }
  if (!model.finite()) throw ModelError({name, 0, 0}, "its numbers are too large");
  return model;
}

Model from_liblinear(Lines& lines, const std::string& name) {
  const auto head = read_head(lines, "w");
  const std::string solver(one(lines, head, "solver_type"));
  if (solver.find("SVR") != std::string::npos || solver.find("ONECLASS") != std::string::npos)
    lines.fail(fmt::format("solver_type {} is no classifier", solver));
  const double classes = lines.number(one(lines, head, "nr_class"), "a number of classes");
  const double features = lines.number(one(lines, head, "nr_feature"), "a number of features");
  const double bias = lines.number(one(lines, head, "bias"), "a bias");
  const auto labels = head.find("label");
  if (labels == head.end() || static_cast<double>(labels->second.size()) != classes || classes < 2)
    lines.fail("it does not name as many labels as it has classes, two at least");
  if (features != std::floor(features) || features < 0 || features > kMostFeatures)
    lines.fail(fmt::format("{} features are impossible", features));
  // Crammer and Singer's machine has one weight vector a class even where there are two.
  const std::size_t columns = labels->second.size() == 2 && solver != "MCSVM_CS" ? 1 : labels->second.size();
  std::vector<std::size_t> places;
  std::vector<std::vector<double>> weights(columns);
  std::string_view line;
  const auto rows = static_cast<std::size_t>(features) + (bias >= 0 ? 1 : 0);
  for (std::size_t j = 0; j < rows; ++j) {
    if (!lines.next(line)) lines.fail(fmt::format("the file ends after {} of {} rows of weights", j, rows));
    const std::vector<std::string_view> parts = words(line);
    if (parts.size() != columns) lines.fail(fmt::format("found {} weights, expected {}", parts.size(), columns));
    for (std::size_t c = 0; c < columns; ++c) weights[c].push_back(lines.number(parts[c], "a weight"));
  }
  while (lines.next(line))
    if (!words(line).empty()) lines.fail(fmt::format("expected the end of the file after {} rows of weights", rows));
  Schema schema = schema_of(lines, labels->second, static_cast<std::uint32_t>(features), places);
  std::vector<Feed> feeds;
  const auto feed = [&](std::vector<double> w) {
    double b = 0;
    if (bias >= 0) {
      b = w.back() * bias;
      w.pop_back();
    }
    feeds.emplace_back();
    feeds.back().tensors = {{"w", std::move(w)}, {"b", {b}}};
  };
  if (labels->second.size() == 2) {
    if (columns == 2)
      for (std::size_t j = 0; j < rows; ++j) weights[0][j] -= weights[1][j];
    feed(weights[0]);
  } else {
    for (const std::size_t place : places) feed(weights[place]);
  }
  return feed_model(std::move(schema), {{"kernel", "linear"}}, feeds, name);
}

Model from_libsvm(Lines& lines, const std::string& name) {
  const auto head = read_head(lines, "SV");
  const std::string_view type = one(lines, head, "svm_type"), kernel = one(lines, head, "kernel_type");
  if (type != "c_svc" && type != "nu_svc")
    lines.fail(fmt::format("svm_type {} is no classifier that Postil has", in_quotes(type)));
  if (kernel != "linear" && kernel != "polynomial" && kernel != "rbf")
    lines.fail(fmt::format("kernel_type {} is none that Postil reads: linear, polynomial, rbf", in_quotes(kernel)));
  const auto labels = head.find("label");
  if (labels == head.end() || labels->second.size() != 2)
    lines.fail("it has other than two labels: LIBSVM sets more classes one against one, Postil one against the rest");
  if (head.contains("nr_class") && one(lines, head, "nr_class") != "2")
    lines.fail(
        fmt::format("nr_class is {}, expected 2, as many as it has labels", in_quotes(one(lines, head, "nr_class"))));
  const double rho = lines.number(one(lines, head, "rho"), "a number");
  std::map<std::string, std::string> settings{{"kernel", std::string(kernel)}};
  for (const char* key : {"gamma", "degree", "coef0"})
    if (const auto found = head.find(key); found != head.end() && kernel != "linear")
      settings[key] = std::string(one(lines, head, key));
  std::vector<double> coefficients, values, indices, starts{0}, norms;
  std::uint32_t width = 0;
  for (std::string_view line; lines.next(line);) {
    const std::vector<std::string_view> parts = words(line);
    if (parts.empty()) continue;
    coefficients.push_back(lines.number(parts[0], "a coefficient"));
    double norm = 0, last = 0;
    for (std::size_t k = 1; k < parts.size(); ++k) {
      const std::size_t colon = parts[k].find(':');
      if (colon == std::string_view::npos)
        lines.fail(fmt::format("found {}, expected index:value", in_quotes(parts[k])));
      const double index = lines.number(parts[k].substr(0, colon), "an index");
      if (!(index > last) || index != std::floor(index) || index > kMostFeatures)
        lines.fail(fmt::format("found index {}, expected whole numbers from 1 that grow", parts[k].substr(0, colon)));
      last = index;
      width = std::max(width, static_cast<std::uint32_t>(index));
      indices.push_back(index - 1);
      values.push_back(lines.number(parts[k].substr(colon + 1), "a value"));
      norm += values.back() * values.back();
    }
    starts.push_back(static_cast<double>(values.size()));
    norms.push_back(norm);
  }
  if (const double vectors = lines.number(one(lines, head, "total_sv"), "a number of vectors");
      vectors != static_cast<double>(coefficients.size()))
    lines.fail(fmt::format("the file ends after {} of {} support vectors", coefficients.size(), vectors));
  std::vector<std::size_t> places;
  Schema schema = schema_of(lines, labels->second, width, places);
  Feed feed;
  feed.tensors["b"] = {-rho};
  if (kernel == "linear") {
    std::vector<double>& w = feed.tensors["w"];
    w.resize(width);
    for (std::size_t i = 0; i < coefficients.size(); ++i)
      for (auto k = static_cast<std::size_t>(starts[i]); k < static_cast<std::size_t>(starts[i + 1]); ++k)
        w[static_cast<std::size_t>(indices[k])] += coefficients[i] * values[k];
  } else {
    feed.tensors["coefficients"] = coefficients;
    feed.tensors["rows.width"] = {static_cast<double>(width)};
    feed.tensors["rows.values"] = values;
    feed.tensors["rows.indices"] = indices;
    feed.tensors["rows.starts"] = starts;
    feed.tensors["rows.norms"] = norms;
  }
  try {
    return feed_model(std::move(schema), settings, std::span(&feed, 1), name);
  } catch (const ParamError& error) {
    Failure failure = error.failure();
    failure.place = {name};
    throw ModelError(std::move(failure));
  }
}

}  // namespace

ModelFormat model_format_of(std::string_view head) {
  if (head.starts_with("svm_type ")) return ModelFormat::libsvm;
  if (head.starts_with("solver_type ")) return ModelFormat::liblinear;
  return head.size() > 8 && head[8] == '{' && head.substr(4, 4) == std::string_view("\0\0\0\0", 4) ? ModelFormat::postil
                                                                                                   : ModelFormat::none;
}

std::vector<std::string> foreign_labels(const Model& model) {
  std::vector<std::string> names = model.schema().label.classes;
  const bool numbers = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    const std::optional<double> number = parse_number(name);
    return number && *number == std::floor(*number) && std::fabs(*number) <= 2147483647;
  });
  for (std::size_t c = 0; !numbers && c < names.size(); ++c) names[c] = fmt::format("{}", c + 1);
  return names;
}

std::string to_libsvm(const Model& model) {
  check_classes(model, true);
  const std::vector<std::string> labels = labels_of(model);
  const std::optional<KernelExpansion> kernel = model.learner_of(0).expansion();
  std::string out = "svm_type c_svc\n";
  if (!kernel) {  // one vector that is all of w
    const LinearExplanation linear = model.explain(0);
    std::vector<std::pair<std::size_t, double>> w;
    for (std::size_t j = 0; j < linear.raw_weights.size(); ++j) w.emplace_back(j, linear.raw_weights[j]);
    out += fmt::format("kernel_type linear\nnr_class 2\ntotal_sv 1\nrho {}\nlabel {} {}\nnr_sv 1 0\nSV\n",
                       -linear.raw_bias, labels[0], labels[1]);
    put_vector(out, 1, w);
    return out;
  }
  if (!model.schema().scaling.identity() || model.schema().projection.components > 0)
    throw ModelError({.code = Code::unsupported,
                      .message = "a LIBSVM file cannot say how features are scaled before a kernel",
                      .remedy = Text("train with ", Option{"scale", "", "none"})});
  out += fmt::format("kernel_type {}\n", kernel->kernel);
  if (kernel->kernel == "polynomial") out += fmt::format("degree {}\n", kernel->degree);
  out += fmt::format("gamma {}\n", kernel->gamma);
  if (kernel->kernel == "polynomial") out += fmt::format("coef0 {}\n", kernel->coef0);
  const auto positive =
      std::count_if(kernel->coefficients.begin(), kernel->coefficients.end(), [](double c) { return c > 0; });
  out +=
      fmt::format("nr_class 2\ntotal_sv {}\nrho {}\nlabel {} {}\nnr_sv {} {}\nSV\n", kernel->rows.size(), -kernel->bias,
                  labels[0], labels[1], positive, kernel->rows.size() - static_cast<std::size_t>(positive));
  for (const bool first : {true, false})  // the positive class's vectors first
    for (std::size_t i = 0; i < kernel->rows.size(); ++i)
      if ((kernel->coefficients[i] > 0) == first) put_vector(out, kernel->coefficients[i], kernel->rows[i]);
  return out;
}

std::string to_liblinear(const Model& model) {
  check_classes(model, false);
  const std::vector<std::string> labels = labels_of(model);
  std::vector<LinearExplanation> tasks;
  bool bias = false;
  for (std::size_t k = 0; k < model.outputs(); ++k) {
    tasks.push_back(model.explain(k));
    bias |= tasks.back().raw_bias != 0;
  }
  std::string out = fmt::format("solver_type L2R_L2LOSS_SVC_DUAL\nnr_class {}\nlabel", labels.size());
  for (const std::string& label : labels) out += " " + label;
  out += fmt::format("\nnr_feature {}\nbias {}\nw\n", tasks[0].raw_weights.size(), bias ? 1 : -1);
  for (std::size_t j = 0; j < tasks[0].raw_weights.size(); ++j) {
    for (const LinearExplanation& task : tasks) out += fmt::format("{} ", task.raw_weights[j]);
    out += '\n';
  }
  if (!bias) return out;
  for (const LinearExplanation& task : tasks) out += fmt::format("{} ", task.raw_bias);
  return out + "\n";
}

Model from_foreign_model(std::string_view text, const std::string& name) {
  Lines lines(text, name);
  const ModelFormat format = model_format_of(text);
  if (format == ModelFormat::liblinear) return from_liblinear(lines, name);
  if (format == ModelFormat::libsvm) return from_libsvm(lines, name);
  throw ModelError({.code = Code::unknown_name,
                    .place = {name, 1, 0},
                    .subject = {"format"},
                    .message = "found neither 'svm_type' (LIBSVM) nor 'solver_type' (LIBLINEAR) at its beginning",
                    .expected = "svm_type or solver_type"});
}

}  // namespace postil
