#include "postil/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "advice/rule_truth.hpp"
#include "core/failures.hpp"
#include "core/kernels.hpp"
#include "core/math.hpp"
#include "core/parallel.hpp"
#include "postil/error.hpp"
#include "postil/random.hpp"
#include "postil/text.hpp"
#include "postil/watch.hpp"

namespace postil {

void check_room(std::uint64_t features, std::uint64_t tasks, std::uint64_t memory) {
  if (features == 0 || tasks <= memory / kBytesPerWeight / features) return;
  const double weights = static_cast<double>(features) * static_cast<double>(tasks);
  const std::string size = fmt::format("{:.0f}GB", std::ceil(weights * static_cast<double>(kBytesPerWeight) / 1e9));
  throw DataError({.code = Code::too_many,
                   .message = fmt::format("{} features{} need about {} of memory; the limit is {:.3g}GB", features,
                                          tasks > 1 ? fmt::format(" for each of {} classes", tasks) : "", size,
                                          static_cast<double>(memory) / 1e9),
                   .found = size,
                   .remedy = fewer_features(weights)});
}

Model::Model(Schema schema, const LearnerInfo& learner, Params params, std::uint64_t memory)
    : schema_(std::move(schema)), info_(&learner), params_(std::move(params)), memory_(memory) {
  const auto classes = static_cast<std::uint32_t>(schema_.label.classes.size());
  check_room(schema_.width(), classes > 2 ? classes : 1, memory_);
  if (!schema_.label.real()) rivalry_ = info_->make(params_)->rivalry();
  if (classes == 0 || classes == 2) tasks_.push_back(fresh_task(schema_.label.positive));
  for (std::uint32_t c = 0; classes > 2 && c < classes; ++c) {
    if (rivalry_ != Rivalry::pairs) tasks_.push_back(fresh_task(c));
    for (std::uint32_t other = c + 1; rivalry_ == Rivalry::pairs && other < classes; ++other) {
      tasks_.push_back(fresh_task(c));
      tasks_.back().against = other;
    }
  }
  scores_.resize(outputs());
  seen_.resize(classes);
  progressive_.scores.reserve(info_->log_odds ? 0 : ProgressiveScores::kMost * outputs());
  progressive_.labels.reserve(ProgressiveScores::kMost);
}

Task Model::fresh_task(std::uint32_t class_number) const {
  Task task{{class_number}, schema_.label.real() ? info_->make_regressor(params_) : info_->make(params_)};
  task.learner->rows_again(again_);
  task.learner->grow(schema_.width());
  return task;
}

// ---- rules ----

void Model::advise(const RuleFile& rules, bool more_to_come) {
  check_takes_advice(*info_, params_);
  if (!info_->takes_advice && counters_.examples > 0)
    throw ParamError(fmt::format("{} took rules as its start only; they cannot change now", info_->name));
  Schema grown = schema_;  // with the categories that the rules name
  for (const auto& [name, categories] : categories_in(rules))
    for (std::size_t j = 0; j < grown.columns.size(); ++j)
      for (const std::string& category : categories)
        if (grown.columns[j].name == name && grown.columns[j].categorical() && can_grow() &&
            std::find(grown.columns[j].categories.begin(), grown.columns[j].categories.end(), category) ==
                grown.columns[j].categories.end())
          grown.add_category(j, category);
  Advice compiled = compile_rules(rules, grown, {.more_to_come = more_to_come});
  schema_ = std::move(grown);
  grow_learners();
  advise(std::move(compiled), rules.text);
}

void Model::advise(Advice compiled, std::string text) {
  advice_ = std::move(compiled);
  rules_ = std::move(text);
  for (Task& task : tasks_) task.learner->take_advice(task_advice(task));
  Ledger fresh(*advice_, schema_.scaling);
  if (ledger_) fresh.inherit(*ledger_);
  ledger_ = std::move(fresh);
}

TaskAdvice Model::task_advice(const Task& task) const { return advice_for(*advice_, schema_, task); }

std::optional<AdviceExplanation> Model::explain_advice(std::size_t task) const {
  const std::optional<AdviceReport> report = tasks_[task].learner->advice_report();
  if (!advice_ || !report) return std::nullopt;
  const TaskAdvice advice = task_advice(tasks_[task]);
  const Scaling& scaling = schema_.scaling;
  AdviceExplanation out;
  out.wager = report->wager;
  out.mixture = report->mixture;
  out.rules = report->rules;
  out.converged = report->converged;
  for (std::size_t i = 0; i < advice.sets.size(); ++i) {
    const AdviceReport::Set& from = report->sets[i];
    AdviceExplanation::Set set;
    set.set = advice.sets[i].number;
    set.u = from.multipliers;
    set.part_bias = from.part_bias;
    if (!from.ideal.empty()) set.ideal.emplace();
    for (std::size_t f = 0; f < advice.features.size(); ++f) {
      const std::uint32_t j = advice.features[f].number;
      const double scale = scaling.identity() ? 1 : scaling.scale[j], shift = scaling.identity() ? 0 : scaling.shift[j];
      set.estimate.emplace_back(j, from.estimate[f] / scale);
      if (set.ideal) set.ideal->emplace_back(j, from.ideal[f] * scale + shift);
      if (!from.part.empty()) set.part.emplace_back(j, from.part[f]);
    }
    out.sets.push_back(std::move(set));
  }
  return out;
}

namespace {

// Sums beyond the largest double, of rows far outside what was learned from, count as the largest.
double bounded(double score) {
  constexpr double kMost = std::numeric_limits<double>::max();
  return std::isnan(score) ? 0 : std::clamp(score, -kMost, kMost);
}

class FiniteCheck final : public StateWriter {
 public:
  void tensor(std::string_view /*name*/, std::span<const double> values) override {
    for (const double value : values) finite &= std::isfinite(value);
  }
  void number(std::string_view /*name*/, double value) override { finite &= std::isfinite(value); }
  void counter(std::string_view /*name*/, std::uint64_t /*value*/) override {}
  bool finite = true;
};

}  // namespace

void Model::score(const Row& x, std::span<double> scores) const {
  std::vector<double> answers(one_against_one() ? tasks_.size() : 0);
  const std::span<double> to = answers.empty() ? scores : answers;
  for (std::size_t k = 0; k < tasks_.size(); ++k) to[k] = bounded(tasks_[k].learner->score(x));
  if (!answers.empty()) combine(answers, scores);
}

// As scikit-learn has it: so the votes decide, and the sum is worth less than one of them.
void Model::combine(std::span<const double> answers, std::span<double> scores) const {
  std::vector<double> sums(scores.size());
  std::fill(scores.begin(), scores.end(), 0);
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    const std::uint32_t a = tasks_[k].class_number, b = *tasks_[k].against;
    ++scores[answers[k] >= 0 ? a : b];
    sums[a] += answers[k];
    sums[b] -= answers[k];
  }
  for (std::size_t c = 0; c < scores.size(); ++c) scores[c] += sums[c] / (3 * (std::fabs(sums[c]) + 1));
}

std::string Model::question_text(std::size_t task) const {
  const std::vector<std::string>& names = schema_.label.classes;
  const Task& of = tasks_[task];
  return of.against ? fmt::format("{} against {}", names[of.class_number], names[*of.against]) : names[of.class_number];
}

bool Model::novelty(const Row& x, std::span<double> out) const {
  if (one_against_one()) std::fill(out.begin(), out.end(), std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    const std::optional<double> value = tasks_[k].learner->novelty(x);
    if (!value) return false;
    if (!one_against_one()) {
      out[k] = bounded(*value);
      continue;
    }
    for (const std::uint32_t c : {tasks_[k].class_number, *tasks_[k].against})  // how near to any that knows the class
      out[c] = std::min(out[c], bounded(*value));
  }
  return !tasks_.empty();
}

std::optional<LearnedMetric> Model::metric(std::size_t task) const {
  std::optional<LearnedMetric> seen = tasks_[task].learner->metric();
  const Projection& projection = schema_.projection;
  if (!seen || projection.components == 0) return seen;
  // axes' B axes
  const std::size_t n = schema_.features, k = projection.components, side = k + (seen->constant ? 1 : 0);
  LearnedMetric out{std::vector<double>(n * n), false};
  std::vector<double> through(k * n);  // B axes
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = 0; b < k; ++b)
      axpy(seen->values[a * side + b], {.values = projection.axis(b).data(), .count = schema_.features},
           through.data() + a * n);
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t i = 0; i < n; ++i)
      axpy(projection.axis(a)[i], {.values = through.data() + a * n, .count = schema_.features},
           out.values.data() + i * n);
  return out;
}

bool Model::done() const {
  return !tasks_.empty() &&
         std::all_of(tasks_.begin(), tasks_.end(), [](const Task& task) { return task.learner->done(); });
}

bool Model::finite() const {
  FiniteCheck check;
  for (const Task& task : tasks_) {
    task.learner->write(check);
    if (const std::optional<LinearModel> linear = task.learner->linear()) check.tensor("weights", linear->weights);
  }
  return check.finite;
}

bool Model::silent_on(const Row& x, double predicted) const {
  for (const Task& task : tasks_)
    if (tasks_.size() == 1 || task.class_number == predicted) {
      const std::optional<Votes> votes = task.learner->votes(x);
      return votes && votes->sum() == 0;
    }
  return false;
}

bool Model::may_be_silent() const { return !tasks_.empty() && tasks_[0].learner->votes({}).has_value(); }

double Model::decide(std::span<const double> scores) const {
  if (schema_.label.real()) return scores[0];
  if (tasks_.empty()) return 0;
  if (tasks_.size() == 1) return scores[0] >= 0 ? tasks_[0].class_number : 1 - tasks_[0].class_number;
  return class_of(static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin()));
}

void Model::study(std::span<const Block> rows, std::span<const Block> more) {
  if (!info_->studies) return;
  std::size_t count = 0, at = 0;
  for (const Block& block : rows) count += block.rows();
  std::vector<Row> views;
  for (const Block& block : rows)
    for (std::size_t i = 0; i < block.rows(); ++i, ++at)
      if (count <= kStudied || at * kStudied >= views.size() * count) views.push_back(block.row(i));
  for (const Block& block : more)
    for (std::size_t i = 0; i < block.rows(); ++i) views.push_back(block.row(i));
  for (Task& task : tasks_) task.learner->study(views);
}

void Model::begin_rounds(bool first_pass) {
  if (again_ == !first_pass) return;
  again_ = !first_pass;
  for (Task& task : tasks_) task.learner->rows_again(again_);
}

namespace {

// Minus the logarithm of the sum of the others' odds.
double odds_against(std::span<const double> scores, std::size_t own) {
  double most = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t k = 0; k < scores.size(); ++k)
    if (k != own) most = std::max(most, scores[k]);
  for (std::size_t k = 0; k < scores.size(); ++k)
    if (k != own) sum += quick_exp(scores[k] - most);
  return -(most + portable_log(sum));
}

}  // namespace

double Model::against(std::size_t task, std::size_t own, std::size_t rival) const {
  if (rivalry_ == Rivalry::softmax) return odds_against(present_, task);
  if (task != own && task != rival) return -std::numeric_limits<double>::infinity();
  return -present_[task == own ? rival : own];
}

double Model::learn(const Row& x, double label, double weight, bool first_pass, std::uint64_t line) {
  if (std::isnan(label)) {
    if (first_pass) count_unlabelled();
    score(x, scores_);
    return decide(scores_);
  }
  const bool real = schema_.label.real();
  if (!schema_.label.weights.empty()) weight *= schema_.label.weights[static_cast<std::size_t>(label)];
  begin_rounds(first_pass);
  std::size_t own = 0, rival = tasks_.size();  // the task of the label, and of the others the one that scores highest
  if (rivals()) {
    present_.resize(tasks_.size());
    for (std::size_t k = 0; k < tasks_.size(); ++k) {
      const Learner::Looked looked = tasks_[k].learner->look(x);
      scores_[k] = bounded(looked.score);
      present_[k] = bounded(looked.present);
      if (tasks_[k].class_number == label)
        own = k;
      else if (rival == tasks_.size() || present_[k] > present_[rival])
        rival = k;
    }
  }
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    const double y = real ? label : tasks_[k].class_number == label ? 1 : -1;
    Step step{scores_[k], false};
    if (rivals())
      step.updated = tasks_[k].learner->learn_looked(x, y, weight, against(k, own, rival));
    else
      step = tasks_[k].learner->learn(x, y, weight);
    scores_[k] = bounded(step.score);
    tasks_[k].updates += step.updated ? 1 : 0;
    counters_.updates += step.updated ? 1 : 0;
    const bool together = rivals() && rivalry_ == Rivalry::top;  // one mistake, of the class that should have won
    const bool mistake = !real && (together ? k == own && present_[own] <= present_[rival] : y * step.score <= 0);
    counters_.mistakes += mistake ? 1 : 0;
    pass_.loss += real ? weight * std::fabs(scores_[k] - y) : mistake ? weight : 0;
    pass_.weight += weight;
  }
  if (ledger_ && first_pass && x.judged) ledger_->add(x, label, line);
  return count_round(label, weight, first_pass);
}

void Model::learn(const Block& block, bool first_pass,
                  const std::function<void(std::size_t row, double predicted)>& told) {
  const std::size_t rows = block.rows();
  const std::span<const double> labels = block.labels();
  if (labels.empty()) {
    counters_.unlabelled += first_pass ? rows : 0;
    return;
  }
  begin_rounds(first_pass);
  if (rivals()) {  // one row after the other
    for (std::size_t i = 0; i < rows; ++i) {
      if (i % kLookUpRows == 0) look_up();
      const double predicted = learn(block.row(i), labels[i], block.weight(i), first_pass, block.line(i));
      if (told && first_pass && !std::isnan(labels[i])) told(i, predicted);
    }
    return;
  }
  weights_.clear();
  if (block.weighted() || !schema_.label.weights.empty())
    for (std::size_t i = 0; i < rows; ++i)
      weights_.push_back(block.weight(i) * (schema_.label.weights.empty() || std::isnan(labels[i])
                                                ? 1
                                                : schema_.label.weights[static_cast<std::size_t>(labels[i])]));
  y_.resize(rows);
  steps_.resize(rows * tasks_.size());
  const bool real = schema_.label.real();
  for (std::size_t k = 0; k < tasks_.size(); ++k, look_up()) {
    const auto own = static_cast<double>(tasks_[k].class_number);
    for (std::size_t i = 0; i < rows; ++i)
      y_[i] = real || labels[i] != labels[i] ? labels[i] : labels[i] == own ? 1 : -1;  // NaN: no label
    const std::span<Step> steps = std::span(steps_).subspan(k * rows, rows);
    tasks_[k].learner->learn_block(block, y_, weights_, steps);
    std::uint64_t updates = 0, mistakes = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const bool there = y_[i] == y_[i];
      updates += (there & steps[i].updated) ? 1 : 0;
      mistakes += (there & (y_[i] * steps[i].score <= 0)) ? 1 : 0;
    }
    add_pass_loss(steps);
    tasks_[k].updates += updates;
    counters_.updates += updates;
    counters_.mistakes += real ? 0 : mistakes;
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (std::isnan(labels[i])) {
      counters_.unlabelled += first_pass ? 1 : 0;
      continue;
    }
    if (!first_pass) {  // nobody asks for the prediction
      ++counters_.examples;
      continue;
    }
    for (std::size_t k = 0; k < tasks_.size(); ++k) scores_[k] = bounded(steps_[k * rows + i].score);
    if (const Row x = block.row(i); ledger_ && x.judged) ledger_->add(x, labels[i], block.line(i));
    const double predicted = count_round(labels[i], weights_.empty() ? 1 : weights_[i], first_pass);
    if (told) told(i, predicted);
  }
}

// In the same order as row by row.
void Model::add_pass_loss(std::span<const Step> steps) {
  const bool real = schema_.label.real();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (std::isnan(y_[i])) continue;
    const double weight = weights_.empty() ? 1 : weights_[i];
    pass_.loss += real ? weight * std::fabs(bounded(steps[i].score) - y_[i]) : y_[i] * steps[i].score <= 0 ? weight : 0;
    pass_.weight += weight;
  }
}

void Model::fit(std::span<const Block> blocks) {
  std::vector<double> labels, weights;
  bool weighted = false;
  for (const Block& block : blocks)
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const double label = block.labels().empty() ? std::numeric_limits<double>::quiet_NaN() : block.labels()[i];
      labels.push_back(label);
      weights.push_back(block.weight(i) * (schema_.label.weights.empty() || std::isnan(label)
                                               ? 1
                                               : schema_.label.weights[static_cast<std::size_t>(label)]));
      weighted |= weights.back() != 1;
      if (std::isnan(label))
        count_unlabelled();
      else
        ++counters_.examples;
      if (!std::isnan(label) && !seen_.empty()) seen_[static_cast<std::size_t>(label)] += weights.back();
      if (const Row x = block.row(i); ledger_ && x.judged && !std::isnan(label)) ledger_->add(x, label, block.line(i));
    }
  if (!weighted) weights.clear();
  fit_reports_.clear();
  std::vector<double> y(labels.size());
  for (Task& task : tasks_) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = schema_.label.real() ? labels[i] : task.sign_of(labels[i]);
    fit_reports_.push_back(task.learner->fit({blocks, y, weights}));
    task.updates = 1;
    ++counters_.updates;
  }
  ++counters_.passes;
  if (schema_.label.real()) return;
  cross_validate(blocks, labels, weights);
  std::size_t k = 0;
  for (const Block& block : blocks)  // mistakes on what was learned from
    for (std::size_t i = 0; i < block.rows(); ++i, ++k) {
      if (std::isnan(labels[k])) continue;
      for (const Task& task : tasks_)
        counters_.mistakes += task.sign_of(labels[k]) * task.learner->score(block.row(i)) <= 0 ? 1 : 0;
    }
}

// Scores of rows that the learner has not seen, of at most a thousand, in three folds.
void Model::cross_validate(std::span<const Block> blocks, std::span<const double> labels,
                           std::span<const double> weights) {
  constexpr std::size_t kRows = 1000, kFolds = 3;
  struct Place {
    std::uint32_t block, row;
    std::size_t number;
  };
  std::vector<Place> places;
  std::size_t number = 0;
  for (std::uint32_t b = 0; b < blocks.size(); ++b)
    for (std::uint32_t i = 0; i < blocks[b].rows(); ++i, ++number)
      if (!std::isnan(labels[number])) places.push_back({b, i, number});
  progressive_ = {};
  if (info_->log_odds || places.size() < 2 * kFolds) return;
  Random random(0);
  random.shuffle(std::span(places));
  places.resize(std::min(places.size(), kRows));
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<Block> rows;
    std::vector<double> given, y, weighed;
    for (std::size_t k = 0; k < places.size(); ++k)
      if (k % kFolds != fold) {
        rows.emplace_back(blocks[places[k].block].copied(places[k].row, 1));
        given.push_back(labels[places[k].number]);
        if (!weights.empty()) weighed.push_back(weights[places[k].number]);
      }
    std::vector<std::unique_ptr<Learner>> learners;
    for (const Task& task : tasks_) {
      y.clear();
      for (const double label : given) y.push_back(task.sign_of(label));
      std::unique_ptr<Learner> learner = info_->make(params_);
      learner->grow(schema_.width());
      if (advice_) learner->take_advice(task_advice(task));
      try {
        learner->fit({rows, y, weighed});
      } catch (const Error&) {  // a machine that these rows do not determine
        progressive_ = {};
        return;
      }
      learners.push_back(std::move(learner));
    }
    for (std::size_t k = fold; k < places.size() && progressive_.labels.size() < ProgressiveScores::kMost;
         k += kFolds) {
      std::vector<double> answers(tasks_.size());
      for (std::size_t t = 0; t < tasks_.size(); ++t)
        answers[t] = bounded(learners[t]->score(blocks[places[k].block].row(places[k].row)));
      if (one_against_one())
        combine(answers, scores_);
      else
        scores_ = answers;
      progressive_.add(scores_, labels[places[k].number]);
    }
  }
}

void ProgressiveScores::add(std::span<const double> row, double label) {
  if (labels.size() < kMost) {
    scores.insert(scores.end(), row.begin(), row.end());
    labels.push_back(label);
    return;
  }
  std::copy(row.begin(), row.end(), scores.begin() + static_cast<std::ptrdiff_t>(next * row.size()));
  labels[next] = label;
  next = (next + 1) % kMost;
}

double Model::count_round(double label, double weight, bool first_pass) {
  ++counters_.examples;
  const double predicted = decide(scores_);
  if (!first_pass) return predicted;
  count_prediction(loss(predicted, label));
  if (schema_.label.real()) return predicted;
  seen_[static_cast<std::size_t>(label)] += weight;
  if (!info_->log_odds) progressive_.add(scores_, label);
  return predicted;
}

double Model::loss(double predicted, double label) const {
  return schema_.label.real() ? std::fabs(predicted - label) : predicted != label ? 1 : 0;
}

std::string Model::label_text(double label) const {
  return schema_.label.real() ? format_number(label) : schema_.label.classes[static_cast<std::size_t>(label)];
}

void Model::succeed(const Counters& earlier) {
  counters_.rows = earlier.rows;
  counters_.unlabelled = earlier.unlabelled;
  counters_.first_seen = earlier.first_seen;
  counters_.first_loss = earlier.first_loss;
}

void Model::replace_schema(Schema schema) { schema_ = std::move(schema); }

// ---- growing ----

void Model::grow_learners() {
  for (Task& task : tasks_) task.learner->grow(schema_.width());
}

void Model::grow(std::uint32_t features) {
  if (features <= schema_.features || !can_grow()) return;
  check_room(features, tasks_.size(), memory_);
  schema_.features = features;
  if (!schema_.scaling.identity()) {
    schema_.scaling.shift.resize(features, 0);
    schema_.scaling.scale.resize(features, 1);
  }
  grow_learners();
}

void Model::add_column(Column column, double scale) {
  schema_.add_column(std::move(column), scale);
  grow_learners();
}

void Model::add_category(std::size_t column, const std::string& category) {
  schema_.add_category(column, category);
  grow_learners();
}

namespace {

// A learner's state in memory.
class Memory final : public StateWriter, public StateReader {
 public:
  void tensor(std::string_view name, std::span<const double> values) override {
    tensors_[std::string(name)].assign(values.begin(), values.end());
  }
  void number(std::string_view name, double value) override { tensors_[std::string(name)] = {value}; }
  void counter(std::string_view name, std::uint64_t value) override { counters_[std::string(name)] = value; }
  void tensor(std::string_view name, std::vector<double>& values) override { values = tensors_.at(std::string(name)); }
  void number(std::string_view name, double& value) override { value = tensors_.at(std::string(name))[0]; }
  void counter(std::string_view name, std::uint64_t& value) override { value = counters_.at(std::string(name)); }
  [[nodiscard]] bool has(std::string_view name) const override { return tensors_.contains(std::string(name)); }

 private:
  std::map<std::string, std::vector<double>> tensors_;
  std::map<std::string, std::uint64_t> counters_;
};

}  // namespace

std::unique_ptr<Learner> Model::turned_round(const Task& task) const {
  Memory memory;
  task.learner->write(memory);
  std::unique_ptr<Learner> copy = info_->make(params_);
  copy->grow(schema_.width());
  if (advice_) copy->restore_advice(task_advice(task));
  copy->read(memory);
  if (!copy->turn_round()) return nullptr;
  return copy;
}

bool Model::add_class(const std::string& name) {
  Label& label = schema_.label;
  const auto number = static_cast<std::uint32_t>(label.classes.size());
  check_room(schema_.width(), number < 2 ? 1 : number + 1, memory_);
  bool carried = true;
  if (number == 2) {  // the question about the positive class stays; the other class gets the same, turned round
    std::unique_ptr<Learner> other = turned_round(tasks_[0]);
    carried = other != nullptr;
    Task task =
        carried ? Task{{1 - label.positive}, std::move(other), tasks_[0].updates} : fresh_task(1 - label.positive);
    tasks_.insert(label.positive == 0 ? tasks_.end() : tasks_.begin(), std::move(task));
  }
  label.classes.push_back(name);
  if (!label.weights.empty()) label.weights.push_back(1);
  if (number == 1) label.positive = ordered_classes(label.classes).back() == name ? 1 : 0;
  tasks_.push_back(fresh_task(number == 1 ? label.positive : number));
  scores_.resize(tasks_.size());
  seen_.resize(label.classes.size());
  progressive_ = {};
  if (rules_.empty()) return carried;
  if (number > 2) {
    if (advice_) tasks_.back().learner->take_advice(task_advice(tasks_.back()));
    return carried;
  }
  // Which task a rule belongs to depends on how many classes there are.
  const std::optional<Ledger> before = std::exchange(ledger_, std::nullopt);
  advise(compile_rules(parse_rules(rules_, "rules").file, schema_, {.more_to_come = true}), rules_);
  if (before) ledger_->take_over(*before);
  return carried;
}

LinearExplanation Model::explain(std::size_t task) const {
  std::optional<LinearModel> linear = tasks_[task].learner->linear();
  if (!linear) throw ParamError(fmt::format("{} has no weights: it does not predict with one hyperplane", info_->name));
  return explain(std::move(*linear));
}

LinearExplanation Model::explain(LinearModel linear) const {
  LinearExplanation out;
  out.weights = std::move(linear.weights);
  out.bias = linear.bias;
  out.whole = linear.whole;
  if (const Projection& projection = schema_.projection; projection.components > 0) {  // back to the features
    std::vector<double> whole(schema_.features);
    for (std::size_t k = 0; k < projection.components; ++k) {
      axpy(out.weights[k], projection.axis(k), whole);
    }
    out.bias -= dot(std::span<const double>(whole), std::span<const double>(projection.mean));
    out.weights = std::move(whole);
  }
  out.raw_bias = out.bias;
  out.raw_weights = out.weights;
  if (schema_.scaling.identity()) return out;
  // w (raw - shift)/scale + b
  for (std::size_t j = 0; j < out.weights.size(); ++j) {
    out.raw_weights[j] = out.weights[j] / schema_.scaling.scale[j];
    out.raw_bias -= out.raw_weights[j] * schema_.scaling.shift[j];
  }
  out.raw_bias = bounded(out.raw_bias);
  return out;
}

ModelEncoder::ModelEncoder(const Model& model, const Table& table) : encoder_(model.schema(), table) {
  if (model.advice()) truth_ = std::make_unique<RuleTruth>(*model.advice(), model.schema(), table);
}
ModelEncoder::~ModelEncoder() = default;
ModelEncoder::ModelEncoder(ModelEncoder&&) noexcept = default;

Block ModelEncoder::encode(Block raw) {
  if (!truth_) return encoder_.encode(std::move(raw));
  RulesThatHold rules = truth_->of(raw);
  Block out = encoder_.encode(std::move(raw));
  out.set_rules(std::move(rules));
  return out;
}

void score_rows(const Model& model, const Table& table, std::size_t rows,
                const std::function<Block(std::size_t first, std::size_t count)>& raw, double* out) {
  constexpr std::size_t kOfTask = 2048, kTogether = 256;  // so few that what is copied of them stays near
  const std::vector<Column>& columns = model.schema().columns;
  const bool trusted = std::all_of(columns.begin(), columns.end(),  // missing values were refused at the door
                                   [](const Column& column) { return column.missing == Missing::refuse; });
  const std::size_t tasks = (rows + kOfTask - 1) / kOfTask, outputs = model.outputs();
  in_parallel(
      tasks,
      [&](std::size_t task) {
        ModelEncoder encoder(model, table);
        if (trusted) encoder.trust();
        const std::size_t end = std::min(rows, (task + 1) * kOfTask);
        for (std::size_t first = task * kOfTask; first < end; first += kTogether) {
          const Block block = encoder.encode(raw(first, std::min(kTogether, end - first)));
          for (std::size_t i = 0; i < block.rows(); ++i) {
            if (i % kLookUpRows == 0) look_up();
            model.score(block.row(i), {out + (first + i) * outputs, outputs});
          }
        }
      },
      tasks < 4 ? 1 : 0);
}

std::vector<std::string> describe(const Surprises& surprises, const Schema& schema) {
  std::vector<std::string> sentences;
  for (std::size_t j = 0; j < surprises.broken.size(); ++j) {
    const Column& column = schema.columns[j];
    const std::uint64_t broken = surprises.broken[j], unseen = surprises.unseen[j];
    if (broken > 0)
      sentences.push_back(fmt::format(
          "column {}: {} value{} outside what was declared ({}{})", in_quotes(column.name), broken,
          broken == 1 ? "" : "s", word(column.kind()),
          column.promised.low > -1e308 || column.promised.high < 1e308
              ? fmt::format(", {} to {}", format_number(column.promised.low), format_number(column.promised.high))
              : ""));
    if (unseen > 0)
      sentences.push_back(
          fmt::format("column {}: {} value{} of categories that training did not know, counted as none of the known",
                      in_quotes(column.name), unseen, unseen == 1 ? "" : "s"));
  }
  if (surprises.unseen_features > 0)
    sentences.push_back(fmt::format("{} value{} of features that training did not know, left out",
                                    surprises.unseen_features, surprises.unseen_features == 1 ? "" : "s"));
  return sentences;
}

}  // namespace postil
