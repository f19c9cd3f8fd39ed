// The module postil._postil: what the package needs of the library, and no more.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <numeric>

#include "arrow.hpp"
#include "engine.hpp"
#include "errors.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "postil/postil.hpp"
#include "rows.hpp"
#include "shards.hpp"
#include "wishes.hpp"

namespace postil::python {
namespace {

using namespace nb::literals;  // NOLINT(google-build-using-namespace)

using Doubles = nb::ndarray<nb::numpy, double, nb::c_contig>;

Doubles to_numpy(std::vector<double> values, std::vector<std::size_t> shape) {
  auto* owned = new std::vector<double>(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  return {owned->data(), shape.size(), shape.data(), owner};
}

// A file as a whole, or the old one stays; no path: nothing.
void write_file(const std::optional<std::string>& path, std::string_view bytes) {
  if (!path) return;
  OutputFile out(*path);
  out.write(bytes);
  out.commit();
}

// ---- models ----

// Takes the engine for one call. A thread that must wait lets the others run meanwhile.
class Taken {
 public:
  explicit Taken(const Engine& engine) : lock_(engine.mutex(), std::try_to_lock) {
    if (lock_.owns_lock()) return;
    const nb::gil_scoped_release release;
    lock_.lock();
  }

 private:
  std::unique_lock<std::mutex> lock_;
};

const Model& ready_model(const Engine& engine) {
  if (engine.session().model() == nullptr) throw ModelError({}, "nothing was learned yet");
  return *engine.session().model();
}

// What is asked of the model, while nobody learns.
template <class Ask>
auto asked(const Ask& ask) {
  return [ask](const Engine& engine) {
    const Taken taken(engine);
    return ask(ready_model(engine));
  };
}

// What is asked of the session itself.
template <class Ask>
auto of_session(const Ask& ask) {
  return [ask](const Engine& engine) {
    const Taken taken(engine);
    return ask(engine.session());
  };
}

nb::dict counters_of(const Engine& engine) {
  const Taken taken(engine);
  const Counters& c = ready_model(engine).counters();
  nb::dict out;
  out["rows"] = c.rows;
  out["examples"] = c.examples;
  out["passes"] = c.passes;
  out["updates"] = c.updates;
  out["mistakes"] = c.mistakes;
  out["progressive_error"] = c.progressive_error();
  return out;
}

std::vector<nb::dict> fit_reports_of(const Engine& engine) {
  const Taken taken(engine);
  std::vector<nb::dict> out;
  for (const FitReport& report : ready_model(engine).fit_reports()) {
    nb::dict entry;
    entry["objective"] = report.objective;
    entry["residual"] = report.residual;
    entry["iterations"] = report.iterations;
    entry["converged"] = report.converged;
    entry["status"] = report.status;
    entry["gap"] = report.gap;
    entry["multipliers"] = report.multipliers;
    out.push_back(std::move(entry));
  }
  return out;
}

std::optional<std::pair<Doubles, Doubles>> linear_of(const Engine& engine) {
  const Taken taken(engine);
  const Model& model = ready_model(engine);
  std::vector<double> weights, biases;
  for (std::size_t k = 0; k < model.questions(); ++k) {
    if (!model.learner_of(k).linear()) return std::nullopt;
    const LinearExplanation task = model.explain(k);
    weights.insert(weights.end(), task.raw_weights.begin(), task.raw_weights.end());
    biases.push_back(task.raw_bias);
  }
  const std::size_t questions = model.questions(), features = model.schema().features;
  return std::pair(to_numpy(std::move(weights), {questions, features}), to_numpy(std::move(biases), {questions}));
}

// Of each feature: its column, and the square of its weight times its deviation, summed over the questions.
std::pair<Doubles, Doubles> feature_sizes_of(const Engine& engine) {
  const Taken taken(engine);
  const Model& model = ready_model(engine);
  const Schema& schema = model.schema();
  std::vector<double> columns(schema.features), sizes(schema.features);
  const std::vector<Schema::Origin> origins = schema.sparse() ? std::vector<Schema::Origin>() : schema.origins();
  std::vector<std::uint32_t> all(schema.features);
  std::iota(all.begin(), all.end(), 0);
  const std::vector<Moments> moments = schema.moments(all);
  for (std::size_t k = 0; k < model.questions(); ++k) {
    const LinearExplanation question = model.explain(k);
    for (std::size_t j = 0; j < sizes.size(); ++j) {
      const double variance = moments[j].count > 0 ? moments[j].variance() : 1;
      sizes[j] += question.raw_weights[j] * question.raw_weights[j] * variance;
    }
  }
  for (std::size_t j = 0; j < columns.size(); ++j)
    columns[j] = static_cast<double>(schema.sparse() ? j : origins[j].column);
  const std::size_t features = columns.size();
  return {to_numpy(std::move(columns), {features}), to_numpy(std::move(sizes), {features})};
}

Doubles scores_of(const Engine& engine, Rows& rows) {
  std::vector<double> out;
  std::size_t outputs = 0;
  {
    const Interruptible interruptible;
    const nb::gil_scoped_release release;
    const std::lock_guard lock(engine.mutex());
    outputs = ready_model(engine).outputs();
    out.resize(rows.rows() * outputs);
    engine.scores(rows, out.data());
  }
  return to_numpy(std::move(out), {rows.rows(), outputs});
}

using Scores = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
Doubles probabilities_of(const Engine& engine, const Scores& scores) {
  const Taken taken(engine);
  const Model& model = ready_model(engine);
  if (scores.shape(1) != model.outputs()) throw ParamError("these are not this model's scores");
  const Probabilities probability(model);
  const std::size_t rows = scores.shape(0), classes = probability.classes();
  std::vector<double> out(rows * classes);
  for (std::size_t i = 0; i < rows; ++i)
    probability.of({scores.data() + i * model.outputs(), model.outputs()}, {out.data() + i * classes, classes});
  return to_numpy(std::move(out), {rows, classes});
}

nb::object novelty_of(const Engine& engine, Rows& rows) {
  const Taken taken(engine);
  const std::size_t outputs = ready_model(engine).outputs();
  rows.check_finite(engine.session().missing_allowed());
  std::vector<double> out(rows.rows() * outputs);
  if (!engine.novelty(rows, out.data())) return nb::none();
  return nb::cast(to_numpy(std::move(out), {rows.rows(), outputs}));
}

std::string asked_of(const Engine& engine, Rows& rows, std::size_t count, double random, std::uint64_t seed) {
  const Taken taken(engine);
  const Model& model = ready_model(engine);
  rows.check_finite(engine.session().missing_allowed());
  rows.rewind();
  const Interruptible interruptible;
  const nb::gil_scoped_release release;
  AskOptions options;
  options.count = count;
  options.random = random;
  options.seed = seed;
  return ask_json(model, ask(model, rows, options));
}

std::size_t axis_count(const Engine& engine) {
  const Taken taken(engine);
  ready_model(engine);
  std::size_t count = 0;
  for (const std::vector<MetricAxis>& of : engine.axes()) count += of.size();
  return count;
}

nb::object transform_of(const Engine& engine, Rows& rows) {
  const Taken taken(engine);
  ready_model(engine);
  rows.check_finite(engine.session().missing_allowed());
  const std::vector<std::vector<MetricAxis>> axes = engine.axes();
  if (axes.empty()) return nb::none();
  std::size_t columns = 0;
  for (const std::vector<MetricAxis>& of : axes) columns += of.size();
  std::vector<double> out(rows.rows() * columns);
  engine.transform(rows, axes, out.data());
  return nb::cast(to_numpy(std::move(out), {rows.rows(), columns}));
}

nb::object silent_on(const Engine& engine, Rows& rows) {
  const Taken taken(engine);
  ready_model(engine);
  rows.check_finite(engine.session().missing_allowed());
  std::vector<double> out(rows.rows());
  if (!engine.silent(rows, out.data())) return nb::none();
  return nb::cast(to_numpy(std::move(out), {rows.rows()}));
}

nb::list ledger_of(const Engine& engine) {
  const Taken taken(engine);
  const Model& model = ready_model(engine);
  nb::list out;
  for (const RuleRecord& record : rule_records(model)) {
    const Ledger::Entry& entry = record.entry;
    nb::dict rule;
    rule["id"] = record.id;
    rule["text"] = record.text;
    rule["class"] = model.label_text(record.class_number);
    rule["polarity"] = record.positive ? 1 : -1;
    rule["fired"] = entry.fired;
    rule["agreed"] = entry.agreed;
    rule["contradicted"] = entry.contradicted;
    rule["precision"] = entry.precision;
    rule["base_rate"] = entry.base_rate;
    rule["z"] = entry.z;
    rule["verdict"] = std::string(word(entry.verdict));
    rule["closeness"] = entry.closeness;
    rule["direction"] =
        record.direction ? nb::cast(model.schema().feature_name(record.direction->feature)) : nb::none();
    rule["influence"] = record.influence;
    rule["trust"] = record.trust;
    rule["contradicted_by"] = entry.contradicted_by;
    out.append(std::move(rule));
  }
  return out;
}

Audience audience(std::size_t top) { return {.words = python_words, .top = top, .rows_from_zero = true}; }

nb::tuple row_story_of(const Engine& engine, Rows& rows, std::size_t top) {
  const Taken taken(engine);
  const Model& model = ready_model(engine);
  rows.check_finite(engine.session().missing_allowed());
  const Block row = engine.one_of(rows);
  const RowStory story = explain_row(model, rows.table(), row, 0);
  const auto listed = [](const std::vector<RowSum::Part>& parts) {
    nb::list list;
    for (const RowSum::Part& part : parts) list.append(nb::make_tuple(part.score, part.text, part.feature));
    return list;
  };
  nb::list tasks, sums;
  for (std::size_t k = 0; k < story.tasks.size(); ++k) {
    const RowStory::Task& from = story.tasks[k];
    const RowSum sum = row_sum(model, story, k);
    sums.append(nb::make_tuple(sum.title, listed(sum.parts), listed(sum.by_rule)));
    nb::dict task;
    nb::list features, rules;
    for (const std::uint32_t j : story.shown(k)) {
      nb::dict feature;
      feature["feature"] = model.schema().feature_name(j);
      feature["value"] = story.values[j];
      feature["contribution"] = from.by_feature[j];
      features.append(std::move(feature));
    }
    for (const RowStory::Voice& voice : from.by_rule) {
      nb::dict rule;
      rule["id"] = voice.rule;
      rule["contribution"] = voice.score;
      rule["holds"] = voice.holds;
      rules.append(std::move(rule));
    }
    task["class"] = from.class_name;
    task["score"] = from.score;
    task["bias"] = from.bias;
    task["features"] = std::move(features);
    task["rules"] = std::move(rules);
    task["data"] = from.by_data;
    if (from.log_odds) {
      task["plane"] = from.log_odds->plane;
      task["no_rule_holds"] = from.log_odds->silence;
      task["remainder"] = from.log_odds->remainder;
    }
    tasks.append(std::move(task));
  }
  nb::dict out;
  out["label"] = model.schema().label.real() ? nb::cast(story.label) : nb::cast(model.label_text(story.label));
  if (nb::len(tasks) == 1)
    out.update(nb::cast<nb::dict>(tasks[0]));
  else
    out["per_class"] = std::move(tasks);
  return nb::make_tuple(std::move(out), row_text(model, story, audience(top)), std::move(sums));
}

nb::tuple explanation_of(const Engine& engine, const std::string& certify, std::size_t top) {
  const Taken taken(engine);
  const Model& model = ready_model(engine);
  std::optional<Advice> advice;
  if (!certify.empty()) advice = compile_rules(rules_of(certify, "rules"), model.schema());
  const Advice* rules = advice ? &*advice : nullptr;
  return nb::make_tuple(explain_json(model, rules), explain_text(model, audience(top), rules), explain_title(model),
                        explain_notes(model), ledger_notes(model, true));
}

// `groups`: names, and a text for each row.
std::string report_of(const Engine& engine, Rows& rows,
                      const std::vector<std::pair<std::string, std::vector<std::string>>>& groups,
                      std::vector<std::pair<std::string, std::string>> origin, const std::string& title,
                      const std::string& purpose, const std::string& trained, std::size_t examples,
                      const std::optional<std::string>& path) {
  const Taken taken(engine);
  const Model& model = ready_model(engine);
  rows.check_finite(engine.session().missing_allowed());
  rows.arrange(engine.session().table());
  rows.rewind();
  PageOptions options{.title = title,
                      .purpose = purpose,
                      .trained = trained,
                      .examples = examples,
                      .origin = std::move(origin),
                      .rows_from_zero = true};
  for (const auto& [name, texts] : groups) {
    if (texts.size() != rows.rows())
      throw DataError(
          {}, fmt::format("by: {} has {} values, but there are {} rows", in_quotes(name), texts.size(), rows.rows()));
    options.by.push_back(name);
  }
  Sha256 sum;
  sum.add(model.to_bytes());
  options.origin.emplace_back("SHA-256 of the model as it would be saved", sum.hex());
  ModelPage page(model, rows.table(), std::move(options));
  for (Block block; rows.next(block); block = Block()) {
    const auto first = static_cast<std::size_t>(page.rows());
    const std::size_t count = block.rows();
    BlockData data = block.release();
    for (std::size_t i = first; i < first + count; ++i)
      for (const auto& [name, texts] : groups) data.kept.push_back(texts[i]);
    page.add(Block(std::move(data)));
  }
  std::string html = page.html();
  write_file(path, html);
  return html;
}

// ---- other forms ----

nb::bytes onnx_of(const Engine& engine, const std::optional<std::string>& path) {
  const Taken taken(engine);
  const std::string written = to_onnx(ready_model(engine));
  write_file(path, written);
  return nb::bytes(written.data(), written.size());
}

std::string sql_of(const Engine& engine, const std::string& table, const std::optional<std::string>& path) {
  const Taken taken(engine);
  std::string written = to_sql(ready_model(engine), table);
  write_file(path, written);
  return written;
}

// As JSON, text and CSV.
std::vector<std::string> scorecard_of(const Engine& engine, Rows& rows, Rows* test, std::size_t items, std::size_t bins,
                                      std::uint64_t seed) {
  const Interruptible interruptible;
  const nb::gil_scoped_release release;
  const std::lock_guard lock(engine.mutex());
  const Model& model = ready_model(engine);
  const auto read = [&](Rows& from) {
    from.check_finite(engine.session().missing_allowed());
    from.arrange(engine.session().table());
    from.rewind();
    return DataSet(from);
  };
  const DataSet data = read(rows);
  std::optional<DataSet> other;
  if (test != nullptr) other.emplace(read(*test));
  const Scorecard card =
      make_scorecard(model, data, other ? &*other : nullptr, {.items = items, .bins = bins, .seed = seed});
  return {scorecard_json(card), scorecard_text(card), scorecard_csv(card)};
}

void add_rows(nb::module_& m) {
  nb::class_<Rows>(m, "Rows", "Rows that Python lends, without copies.")
      .def_static("dense", &Rows::dense, "matrix"_a, "names"_a.none() = nb::none(), "float64 or float32 in C order")
      .def_static("csr", &Rows::csr, "indptr"_a, "indices"_a, "data"_a, "width"_a,
                  "None if the indices of a row do not increase")
      .def_static("columns", &Rows::columns, "arrays"_a, "names"_a, "rows"_a,
                  "arrays of numbers, or pairs of codes and the texts they stand for")
      .def("append", &Rows::append, "batch"_a, "takes the rows of another batch of the same columns")
      .def("rename", &Rows::rename, "names"_a)
      .def("drop", &Rows::drop, "name"_a, "leaves a column out, if there is one of this name")
      .def("set_labels", &Rows::set_labels, "codes"_a, "classes"_a, "codes are places in classes; no classes: numbers")
      .def("set_weights", &Rows::set_weights, "weights"_a)
      .def("__len__", &Rows::rows)
      .def_prop_ro("width", &Rows::width)
      .def_prop_ro("names", [](const Rows& rows) {
        std::vector<std::string> names;
        for (const TableColumn& column : rows.table().columns) names.push_back(column.name);
        return names;
      });
  nb::class_<ArrowBatches>(m, "ArrowBatches", "The record batches of an Arrow stream.")
      .def(nb::init<const nb::capsule&>(), "capsule"_a)
      .def_prop_ro("names", &ArrowBatches::names)
      .def("next", &ArrowBatches::next, "the next batch; None at the end");
}

using AfterPass = std::function<bool(std::uint64_t, double)>;
using Tell = std::function<void(const std::string&, std::uint64_t)>;

Interruptible::Tell telling(const std::optional<Tell>& tell) {
  if (!tell) return {};
  return [&tell](std::string_view what, std::uint64_t done) { (*tell)(std::string(what), done); };
}

// Called by a thread that learns, and so without the interpreter's lock.
std::function<bool(const Model&)> with_lock(const std::optional<AfterPass>& after_pass) {
  if (!after_pass) return {};
  return [call = std::make_shared<AfterPass>(*after_pass)](const Model& model) {  // copied without the lock
    const nb::gil_scoped_acquire acquire;
    return (*call)(model.counters().passes + 1, model.pass_loss().mean());
  };
}

void add_engine(nb::module_& m) {
  nb::class_<Engine>(m, "Engine", "A model, fitted to rows or learning as they come.")
      .def_static(
          "fit",
          [](Rows& rows, const nb::dict& recipe, std::uint64_t passes, bool shuffle, std::uint64_t seed,
             const std::optional<AfterPass>& after_pass, const std::optional<Tell>& tell) {
            const Wishes wishes = wishes_of(recipe);
            const FitOptions options{passes, seed, shuffle, with_lock(after_pass)};
            const Interruptible interruptible(telling(tell));
            const nb::gil_scoped_release release;
            rows.check_finite(wishes.columns.missing.at("") != Missing::refuse);
            return Engine::fit(rows, wishes.recipe, wishes.columns, options);
          },
          "rows"_a, "recipe"_a, "passes"_a = 1, "shuffle"_a = true, "seed"_a = 0, "after_pass"_a.none() = nb::none(),
          "tell"_a.none() = nb::none(),
          "Learns from all rows. tell(what, done) hears how far it is. after_pass(passes, loss) says whether another "
          "pass should follow: loss is the "
          "weighted share of mistakes in the last, or the mean |error|.")
      .def_static(
          "begin",
          [](const Rows& like, const nb::dict& recipe) {
            const Wishes wishes = wishes_of(recipe);
            return Engine::begin(like, wishes.recipe, wishes.columns);
          },
          "like"_a, "recipe"_a, "Will learn from rows of these columns as they come.")
      .def(
          "fit_more",
          [](Engine& engine, Rows& rows, std::uint64_t passes, bool shuffle, std::uint64_t seed,
             const std::optional<AfterPass>& after_pass, const std::optional<Tell>& tell) {
            const FitOptions options{passes, seed, shuffle, with_lock(after_pass)};
            const Interruptible interruptible(telling(tell));
            const nb::gil_scoped_release release;
            const std::lock_guard lock(engine.mutex());
            rows.check_finite(engine.session().missing_allowed());
            engine.fit_more(rows, options);
          },
          "rows"_a, "passes"_a = 1, "shuffle"_a = true, "seed"_a = 0, "after_pass"_a.none() = nb::none(),
          "tell"_a.none() = nb::none())
      .def(
          "learn",
          [](Engine& engine, Rows& rows, bool missing_allowed) {
            const Interruptible interruptible;
            const nb::gil_scoped_release release;
            const std::lock_guard lock(engine.mutex());
            engine.learn(rows, missing_allowed);
          },
          "rows"_a, "missing_allowed"_a = false, "Learns from the rows in turn, as learn_one would from each.")
      .def(
          "learn_one",
          [](Engine& engine, nb::handle x, double label, double weight) {
            const Taken taken(engine);
            engine.learn_one(x, label, weight);
          },
          "x"_a, "label"_a, "weight"_a = 1.0)
      .def(
          "labels_are",
          [](Engine& engine, const std::string& kind) {
            const Taken taken(engine);
            engine.session().labels_are(label_kind_of(kind));
          },
          "kind"_a, "text, integer, number or truth: before the first label")
      .def_prop_ro("label_kind", asked([](const Model& model) { return std::string(word(model.schema().label.kind)); }))
      .def(
          "label_code",
          [](Engine& engine, const std::string& text) {
            const Taken taken(engine);
            return engine.session().label_code(text);
          },
          "text"_a, "what learn and learn_one call a class; a new one gets a new code")
      .def_prop_ro("labels", of_session([](const Session& session) { return session.table().labels; }),
                   "the classes, by label_code")
      .def(
          "advise",
          [](Engine& engine, const std::string& rules, const std::string& source) {
            const Taken taken(engine);
            engine.session().advise(rules_of(rules, source));
          },
          "rules"_a, "source"_a = "advice")
      .def(
          "fill",
          [](const Engine& engine, Rows& rows, bool only) {
            const Taken taken(engine);
            rows.fill(engine.session().table(), engine.session().missing_allowed(), only);
          },
          "rows"_a, "only"_a = false,
          "the model's columns that the rows of a frame lack, as absent; only: others are dropped")
      .def("scores", &scores_of, "rows"_a, "of each row and task")
      .def("probabilities", &probabilities_of, "scores"_a, "of each class, given what scores gave; their sum is 1")
      .def("silent", &silent_on, "rows"_a, "1 where no rule holds or they cancel; None if there is always an answer")
      .def("novelty", &novelty_of, "rows"_a,
           "how unlike each row is to those learned; None if the learner does not know")
      .def("ask", &asked_of, "rows"_a, "count"_a, "random"_a, "seed"_a, "which rows to label next, as JSON")
      .def_prop_ro("axis_count", &axis_count, "columns of transform; 0: the learner has no ellipsoid")
      .def("transform", &transform_of, "rows"_a,
           "each row along the axes of the ellipsoid of each task; None if the learner has no ellipsoid")
      .def(
          "scores_one",
          [](Engine& engine, nb::handle x) {
            const Taken taken(engine);
            ready_model(engine);
            return engine.scores_one(x);
          },
          "x"_a)
      .def(
          "predict_one",
          [](Engine& engine, nb::handle x) -> nb::object {
            const Taken taken(engine);
            const Model* model = engine.session().model();
            if (model == nullptr) return nb::none();
            const double answer = model->decide(engine.scores_one(x));
            return model->schema().label.real() ? nb::cast(answer) : nb::cast(model->label_text(answer));
          },
          "x"_a, "a class, or the score in regression; None if nothing was learned")
      .def(
          "probabilities_one",
          [](Engine& engine, nb::handle x) -> std::vector<std::pair<std::string, double>> {
            const Taken taken(engine);
            const Model* model = engine.session().model();
            if (model == nullptr) return {};
            const std::vector<double> scores = engine.scores_one(x);
            const Probabilities probability(*model);
            std::vector<double> shares(probability.classes());
            probability.of(scores, shares);
            std::vector<std::pair<std::string, double>> out;
            for (std::size_t c = 0; c < shares.size(); ++c)
              out.emplace_back(model->schema().label.classes[c], shares[c]);
            return out;
          },
          "x"_a, "each class and its probability; none if nothing was learned")
      .def_prop_ro("ready", of_session([](const Session& session) { return session.model() != nullptr; }),
                   "there is something to predict with")
      .def_prop_ro("settled", of_session([](const Session& session) { return session.settled(); }),
                   "the schema is known; before that, all rows are kept")
      .def_prop_ro("missing_allowed", of_session([](const Session& session) { return session.missing_allowed(); }))
      .def_prop_ro("column_names",
                   [](const Engine& engine) {
                     const Taken taken(engine);
                     return engine.column_names();
                   })
      .def_prop_ro("width",
                   [](const Engine& engine) {
                     const Taken taken(engine);
                     return engine.width();
                   })
      .def_prop_ro("sparse", of_session([](const Session& session) { return session.table().sparse(); }))
      .def_prop_ro("outputs", asked([](const Model& model) { return model.outputs(); }))
      .def_prop_ro("classes", asked([](const Model& model) { return model.schema().label.classes; }))
      .def_prop_ro("class_count", asked([](const Model& model) { return model.schema().label.classes.size(); }))
      .def_prop_ro("positive", asked([](const Model& model) { return model.schema().label.positive; }))
      .def_prop_ro("learner", asked([](const Model& model) { return std::string(model.learner().name); }))
      .def_prop_ro("params", asked([](const Model& model) { return model.params().texts(); }))
      .def_prop_ro("scale", asked([](const Model& model) { return std::string(word(model.schema().scale)); }))
      .def_prop_ro("rules", asked([](const Model& model) { return model.rules(); }))
      .def_prop_ro("features", asked([](const Model& model) { return model.schema().feature_names(); }))
      .def_prop_ro("class_weights", asked([](const Model& model) { return model.schema().label.weights; }))
      .def_prop_ro("missing", asked([](const Model& model) {
                     const std::vector<Column>& columns = model.schema().columns;
                     return std::string(columns.empty() ? "refuse" : word(columns[0].missing));
                   }),
                   "what stands for a missing value in the first column")
      .def_prop_ro("counters", &counters_of)
      .def_prop_ro("fit_reports", &fit_reports_of)
      .def("feature_sizes", &feature_sizes_of,
           "of each feature its column, and the square of its weight times its deviation, summed over the questions")
      .def("linear", &linear_of, "weights and biases in raw units, a row for each task; None: it has no weights")
      .def(
          "standardised_columns",
          [](const Engine& engine) {
            const Taken taken(engine);
            std::vector<std::string> names;
            for (const Column& column : ready_model(engine).schema().columns)
              if (const Moments& seen = column.seen.numbers;
                  seen.count > 2 && std::fabs(seen.mean) < 1e-6 && std::fabs(seen.variance() - 1) < 1e-2)
                names.push_back(column.name);
            return names;
          },
          "those whose mean is 0 and whose deviation is 1 in the rows learned from")
      .def(
          "odd_units",
          [](const Engine& engine) {
            const Taken taken(engine);
            const Model& model = ready_model(engine);
            std::vector<std::string> out;
            if (!model.advice() || model.counters().examples < 30) return out;  // too few rows to tell
            out = odd_constants(*model.advice(), model.schema());
            for (std::string& text : broken_promises(*model.advice(), model.schema())) out.push_back(std::move(text));
            return out;
          },
          "where the rules and the rows learned from do not seem to be in the same units")
      .def("explain", &explanation_of, "certify"_a = "", "top"_a = 20,
           "what the model has learned: JSON, the text, its first line, what it says of kernels and ellipsoids, and of "
           "rules below their table")
      .def("report", &report_of, "rows"_a, "groups"_a, "origin"_a, "title"_a = "", "purpose"_a = "", "trained"_a = "",
           "examples"_a = 3, "path"_a.none() = nb::none(),
           "a page on the model and these rows, as HTML; also written to a file, if there is a path")
      .def(
          "bounds_json",
          [](const Engine& engine, Rows& rows, std::uint64_t passes) {
            const Taken taken(engine);
            const Model& model = ready_model(engine);
            rows.arrange(engine.session().table());
            rows.rewind();
            return report_bounds(model, rows, passes).json;
          },
          "rows"_a, "passes"_a = 1, "what theory promises of a model just fitted to these rows, in their order")
      .def(
          "ledger_text",
          [](const Engine& engine) {
            const Taken taken(engine);
            const Model& model = ready_model(engine);
            return std::pair(ledger_text(model, false, audience(0)), ledger_notes(model));
          },
          "the table of the rules, and what is said below it for each task")
      .def("ledger", &ledger_of, "what became of each rule: a dict a rule")
      .def(
          "explain_row", &row_story_of, "rows"_a, "top"_a = 20,
          "why the first row gets its score: a dict as `postil explain --row --json` prints it, the text, and its sums")
      .def("to_onnx", &onnx_of, "path"_a.none() = nb::none(), "an ONNX file; also written, if there is a path")
      .def("to_sql", &sql_of, "table"_a = "data", "path"_a.none() = nb::none(),
           "a query that predicts the rows of a table; also written to a file, if there is a path")
      .def("scorecard", &scorecard_of, "rows"_a, "test"_a.none() = nb::none(), "items"_a = 10, "bins"_a = 5,
           "seed"_a = 0, "the model as points that people add up: JSON, the text, and CSV")
      .def("to_bytes",
           [](Engine& engine) {
             const Taken taken(engine);
             ready_model(engine);
             const std::string bytes = engine.session().to_bytes();
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def(
          "save",
          [](Engine& engine, const std::string& path) {
            const Taken taken(engine);
            ready_model(engine);
            write_file(path, engine.session().to_bytes());
          },
          "path"_a)
      .def_static(
          "load", [](const std::string& path) { return std::make_unique<Engine>(Session::load(path)); }, "path"_a)
      .def_static(
          "from_bytes",
          [](const nb::bytes& bytes, const std::string& name) {
            return std::make_unique<Engine>(
                Session::from_bytes({static_cast<const char*>(bytes.data()), bytes.size()}, name));
          },
          "bytes"_a, "name"_a = "bytes");
}

// ---- comparing ----

// Row numbers, as numpy has them.
using Numbers = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<std::uint32_t> numbers_of(const Numbers& array, std::size_t rows) {
  std::vector<std::uint32_t> out(array.data(), array.data() + array.size());
  for (const std::uint32_t row : out)
    if (row >= rows) throw ParamError(fmt::format("a split names row {} of {}", row, rows));
  return out;
}

nb::tuple compare_on(Rows& rows, const std::vector<std::vector<nb::dict>>& entrants,
                     const std::vector<std::pair<Numbers, Numbers>>& splits,
                     const std::vector<std::uint64_t>& checkpoints, const std::string& metric, std::size_t folds,
                     std::uint64_t passes, std::uint64_t seed, unsigned threads) {
  EvaluateOptions options;
  options.folds = folds;
  options.passes = passes;
  options.seed = seed;
  options.threads = threads;
  std::vector<Entrant> recipes;
  for (const std::vector<nb::dict>& entrant : entrants) {
    recipes.emplace_back();
    for (const nb::dict& recipe : entrant) {
      Wishes wishes = wishes_of(recipe);
      wishes.recipe.check();
      options.wishes = wishes.columns;
      recipes.back().push_back(std::move(wishes.recipe));
    }
    if (recipes.back().empty()) throw ParamError("an entrant has no recipe");
  }
  if (folds < 2) throw ParamError(fmt::format("folds is {}, expected 2 at least", folds));
  std::vector<Split> drawn;
  for (const auto& [train, test] : splits) {
    drawn.push_back({numbers_of(train, rows.rows()), numbers_of(test, rows.rows())});
    if (drawn.back().train.empty() || drawn.back().test.empty())
      throw ParamError("a split has no rows to learn from, or none to test on");
  }
  if (recipes.empty() || drawn.empty() || checkpoints.empty() ||
      !std::is_sorted(checkpoints.begin(), checkpoints.end()))
    throw ParamError("expected entrants, splits and rising checkpoints");
  options.metric = metric_of(metric, recipes[0][0].label.regression);
  Contest contest;
  {
    const Interruptible interruptible;
    const nb::gil_scoped_release release;
    rows.check_finite(options.wishes.missing.at("") != Missing::refuse);
    rows.rewind();
    const DataSet data(rows);
    contest = compare(data, drawn, recipes, checkpoints, options);
  }
  std::vector<double> values;
  for (const auto& entrant : contest.values)
    for (const std::vector<double>& at : entrant) values.insert(values.end(), at.begin(), at.end());
  return nb::make_tuple(to_numpy(std::move(values), {recipes.size(), checkpoints.size(), drawn.size()}),
                        contest.chosen);
}

}  // namespace

NB_MODULE(_postil, m) {
  m.doc() = "The engine of Postil.";
  m.attr("__version__") = POSTIL_VERSION;
  add_errors();
  add_rows(m);
  add_engine(m);
  add_rules(m);
  add_files(m);
  add_shards(m);
  m.def(
      "compare", &compare_on, "rows"_a, "entrants"_a, "splits"_a, "checkpoints"_a, "metric"_a = "error", "folds"_a = 5,
      "passes"_a = 1, "seed"_a = 0, "threads"_a = 1,
      "The metric on the test rows of each split, [entrant][checkpoint][split], and which of an entrant's recipes each "
      "split chose, by cross-validation of its training rows.");
  m.def(
      "write_file", [](const std::string& path, const std::string& text) { write_file(path, text); }, "path"_a,
      "text"_a, "The file as a whole, or the old one stays.");
  m.def("learners_json", [] { return learners_json(); });
  m.def(
      "canonical_label",
      [](const std::string& text, const std::string& kind) { return canonical_label(text, label_kind_of(kind)); },
      "text"_a, "kind"_a = "");
  m.def(
      "generate",
      [](const std::string& name, const std::string& path, std::uint64_t rows, std::uint64_t seed,
         const std::map<std::string, std::string>& params) {
        const GeneratorInfo& info = find_generator(name);
        info.run({path, Format::csv, rows == 0 ? info.rows : rows, seed, Params(info.name, info.params, params), {}});
      },
      "name"_a, "path"_a, "rows"_a = 0, "seed"_a = 0, "params"_a = std::map<std::string, std::string>(),
      "Writes generated data, as `postil make` does, to a CSV file.");
}

}  // namespace postil::python
