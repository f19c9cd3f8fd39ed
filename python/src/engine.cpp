#include "engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

namespace postil::python {
namespace {

TrainOptions passes_over(const FitOptions& options) {
  TrainOptions out;
  out.passes = options.passes;
  out.seed = options.seed;
  out.order = options.shuffle ? Order::shuffle : Order::file;
  out.memory = out.cache = std::numeric_limits<std::uint64_t>::max();
  out.after_pass = options.after_pass;
  return out;
}

// scikit-learn makes every estimator without parameters: one of rules alone then knows nothing, and its user is told.
void check(const Recipe& recipe) {
  if (recipe.rules || !recipe.info().needs_advice) recipe.check();
}

bool all_finite(const Block& block) {
  if (block.rows() == 0 || block.nonzeros() == 0) return true;
  const Row first = block.row(0);  // the values of all rows stand one after the other
  return first.single ? postil::all_finite(static_cast<const float*>(first.values), block.nonzeros())
                      : postil::all_finite(static_cast<const double*>(first.values), block.nonzeros());
}

}  // namespace

std::unique_ptr<Engine> Engine::fit(Rows& rows, const Recipe& recipe, const ColumnWishes& wishes,
                                    const FitOptions& options) {
  check(recipe);
  TrainOptions train_options = passes_over(options);
  train_options.recipe = recipe;
  train_options.read.wishes = wishes;
  rows.rewind();
  return std::make_unique<Engine>(Session(train(rows, train_options)));
}

std::unique_ptr<Engine> Engine::begin(const Rows& like, const Recipe& recipe, const ColumnWishes& wishes) {
  check(recipe);
  Table columns = like.table();
  columns.label_name = "label";
  for (TableColumn& column : columns.columns) column.texts.clear();
  const auto fresh = [=] { return Session(recipe, wishes, columns); };
  return std::make_unique<Engine>(fresh(), fresh);
}

std::vector<std::string> Engine::column_names() const {
  std::vector<std::string> names;
  for (const TableColumn& column : session_.table().columns) names.push_back(column.name);
  return names;
}

std::uint32_t Engine::width() const { return session_.table().row_width(); }

// ---- learning ----

// If the work fails, the session is what it was.
template <class Work>
void Engine::or_go_back(const Work& work) {
  const std::string before = session_.model() != nullptr ? session_.to_bytes() : "";
  try {
    work();
  } catch (...) {
    session_ = before.empty() ? fresh_() : Session::from_bytes(before, "before");
    throw;
  }
}

// A matrix of a settled session's numbers that is one block is checked as a whole before it is learned. Of other rows the state
// before is kept, to go back to. Long matrices are checked block by block, while a block is at hand anyway.
void Engine::learn(Rows& rows, bool missing_allowed) {
  constexpr std::size_t kLong = 1 << 20, kOfState = 16;  // values; and times as many as the state has numbers
  const bool in_blocks = session_.settled() && rows.matrix() && rows.values() > kLong &&
                         rows.values() / kOfState > static_cast<std::size_t>(width()) * session_.model()->outputs();
  const auto learn_all = [&] {
    rows.arrange(session_.table(), true);
    rows.rewind();
    Session::Feed feed(session_, rows.table());
    for (Block block; rows.next(block);) session_.learn(feed.adopt(std::move(block)));
  };
  if (!in_blocks) {
    rows.check_finite(missing_allowed);
    if (rows.rows() == 1 || (session_.plain() && rows.one_block()))
      learn_all();
    else
      or_go_back(learn_all);
    return;
  }
  rows.check_weights();
  rows.check_while_read(missing_allowed);
  or_go_back(learn_all);
}

void Engine::learn_one(nb::handle x, double label, double weight) {
  if (!(weight >= 0) || !std::isfinite(weight))
    throw DataError({}, fmt::format("a weight of {}; expected a finite number, not negative", weight));
  session_.learn(reader_.read(x, true), label, weight);
}

void Engine::fit_more(Rows& rows, const FitOptions& options) {
  if (!session_.settled()) throw ParamError("the first rows of a stream are learned once each");
  rows.arrange(session_.table());
  rows.rewind();
  TrainOptions train_options = passes_over(options);
  train_options.recipe.learner = session_.model()->learner().name;
  or_go_back([&] {
    Model model = std::move(session_).release();
    train_options.init = &model;
    session_ = Session(train(rows, train_options));
  });
}

// ---- predicting ----

std::vector<double> Engine::scores_one(nb::handle x) {
  const Row raw = reader_.read(x, false);
  const Model& model = *session_.model();
  std::vector<double> out(model.outputs());
  if (const std::optional<Row> row = session_.encoded(raw, room_)) {
    model.score(*row, out);
    return out;
  }
  BlockData data;
  data.width = width();
  if (!raw.dense()) {
    data.indices.assign(raw.indices, raw.indices + raw.count);
    data.starts = {0, raw.count};
  }
  for (std::size_t k = 0; k < raw.count; ++k) data.values.push_back(raw.value(k));
  data.labels = {std::numeric_limits<double>::quiet_NaN()};
  const Block encoded = session_.encode(Block(std::move(data)));
  model.score(encoded.row(0), out);
  return out;
}

void Engine::scores(Rows& rows, double* out) const {
  const bool missing_allowed = session_.missing_allowed();
  rows.check_weights();
  if (missing_allowed) rows.check_finite(true);
  rows.arrange(session_.table());
  std::atomic<bool> finite =
      true;  // values are looked at while they are near; a bad one is then looked for from the beginning
  const auto block_of = [&](std::size_t first, std::size_t count) {
    Block block = rows.block(first, count);
    if (!missing_allowed && !all_finite(block)) finite = false;
    return block;
  };
  try {
    score_rows(*session_.model(), rows.table(), rows.rows(), block_of, out);
  } catch (...) {
    rows.check_finite(missing_allowed);
    throw;
  }
  if (!finite) rows.check_finite(missing_allowed);
}

template <class Use>
bool Engine::all_rows(Rows& rows, const Use& use) const {
  rows.arrange(session_.table());
  ModelEncoder encoder(*session_.model(), rows.table());
  rows.rewind();
  for (Block block; rows.next(block);) {
    block = encoder.encode(std::move(block));
    for (std::size_t i = 0; i < block.rows(); ++i)
      if (!use(block.row(i))) return false;
  }
  return true;
}

bool Engine::novelty(Rows& rows, double* out) const {
  const Model& model = *session_.model();
  return all_rows(rows, [&](const Row& row) {
    const bool known = model.novelty(row, {out, model.outputs()});
    out += model.outputs();
    return known;
  });
}

std::vector<std::vector<MetricAxis>> Engine::axes() const {
  std::vector<std::vector<MetricAxis>> out;
  for (std::size_t task = 0; task < session_.model()->questions(); ++task)
    if (const std::optional<LearnedMetric> metric = session_.model()->learner_of(task).metric())
      out.push_back(principal_axes(*metric));
  return out;
}

void Engine::transform(Rows& rows, const std::vector<std::vector<MetricAxis>>& axes, double* out) const {
  all_rows(rows, [&](const Row& row) {
    for (const std::vector<MetricAxis>& of : axes) {
      into_axes(of, row, {out, of.size()});
      out += of.size();
    }
    return true;
  });
}

bool Engine::silent(Rows& rows, double* out) const {
  const Model& model = *session_.model();
  std::vector<double> scores(model.outputs());
  return model.may_be_silent() && all_rows(rows, [&](const Row& row) {
           model.score(row, scores);
           *out++ = model.silent_on(row, model.decide(scores)) ? 1 : 0;
           return true;
         });
}

Block Engine::one_of(Rows& rows) const {
  rows.arrange(session_.table());
  return rows.block(0, 1);
}

}  // namespace postil::python
