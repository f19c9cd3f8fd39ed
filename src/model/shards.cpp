// shards.cpp: rounds of learning over rows that stand in several places (docs/shards.md).
//
// Between rounds there is a plan: the recipe, the round, and from the second round on a model. A round takes it, with the rows of
// a shard, to a state; states are merged in a binary tree over the shards' numbers; of the whole tree comes the next plan, or in
// the end the model. The state of shard 0 brings the plan along, so that finish_shards needs nothing else.
#include "postil/shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/failures.hpp"
#include "core/math.hpp"
#include "core/strict_json.hpp"
#include "file_state.hpp"
#include "model_parts.hpp"
#include "postil/random.hpp"
#include "postil/watch.hpp"
#include "settling.hpp"
#include "shard_survey.hpp"

namespace postil {
namespace {

using Json = nlohmann::json;

constexpr const char* kPlan = "postil_shards";         // metadata of a plan ...
constexpr const char* kState = "postil_shards_state";  // ... and of a state
constexpr std::size_t kWindow = 65'536;                // rows that are shuffled together
constexpr std::size_t kSlice = 8192;                   // rows encoded at once

[[noreturn]] void fail(const std::string& name, std::string message) {
  throw ModelError({name, 0, 0}, std::move(message));
}

// Steele, Lea and Flood's SplitMix64: each number its own, and no pattern left.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// What is thrown while JSON is taken apart, as a ModelError.
template <class F>
auto checked(const std::string& name, const F& f) {
  try {
    return f();
  } catch (const Json::exception& error) {
    fail(name, fmt::format("damaged metadata: {}", error.what()));
  } catch (const std::out_of_range&) {
    fail(name, "its parts do not fit together");
  }
}

// ---- plans ----

Json reading_json(const ReadOptions& read) {
  const auto text = [](const std::optional<std::string>& value) { return value ? Json(*value) : Json(); };
  return {{"format", word(read.format)},
          {"delimiter", read.delimiter ? Json(std::string(1, *read.delimiter)) : Json()},
          {"header", read.header ? Json(*read.header) : Json()},
          {"decimal_comma", read.decimal_comma ? Json(*read.decimal_comma) : Json()},
          {"label", text(read.label)},
          {"weight", text(read.weight)},
          {"ignore", read.ignore}};
}

ReadOptions reading_from_json(const Json& json) {
  ReadOptions out;
  if (const auto format = json.at("format").get<std::string>(); !format.empty()) out.format = format_of(format);
  if (const auto delimiter = json.at("delimiter"); !delimiter.is_null())
    out.delimiter = delimiter.get<std::string>().at(0);
  if (!json.at("header").is_null()) out.header = json["header"].get<bool>();
  if (!json.at("decimal_comma").is_null()) out.decimal_comma = json["decimal_comma"].get<bool>();
  if (!json.at("label").is_null()) out.label = json["label"].get<std::string>();
  if (!json.at("weight").is_null()) out.weight = json["weight"].get<std::string>();
  out.ignore = json.at("ignore").get<std::vector<std::string>>();
  return out;
}

struct Plan {
  Recipe recipe;
  ReadOptions read;
  std::uint64_t rounds = 0, round = 0;  // of learning; `round` is the next one
  std::vector<std::uint64_t> rows;      // of each shard
  std::string model;                    // bytes; empty: rows are still to be surveyed

  [[nodiscard]] bool learning() const { return !model.empty(); }

  [[nodiscard]] std::string encode() const {
    TensorFile file;
    file.metadata[kPlan] = Json{
        {"version", 1},
        {"rounds", rounds},
        {"round", round},
        {"memory", recipe.memory},
        {"recipe", recipe_json(recipe, read.wishes)},
        {"read",
         reading_json(read)}}.dump();
    file.tensors["rows"] = rows;
    FileWriter(file, "").text("model", model);
    return file.encode();
  }
  static Plan decode(const TensorFile& file, const std::string& name) {
    Plan out;
    const Json json = parse_strictly(file.metadata.at(kPlan));
    if (json.at("version") != 1) fail(name, "a plan of another version of Postil");
    out.rounds = whole_number<std::uint64_t>(json.at("rounds"));
    out.round = whole_number<std::uint64_t>(json.at("round"));
    out.recipe = recipe_from_json(json.at("recipe"));
    out.recipe.label.more_to_come = false;
    out.recipe.memory = whole_number<std::uint64_t>(json.at("memory"));
    out.read = reading_from_json(json.at("read"));
    out.read.wishes = wishes_from_json(json.at("recipe"));
    const FileReader state(file, name, "");
    out.rows = state.find<std::uint64_t>("rows");
    out.model = state.text("model");
    return out;
  }
};

void check_learner(const Recipe& recipe) {
  const LearnerInfo& info = recipe.info();
  if (info.shards.empty()) {
    std::vector<std::string> able;
    for (const LearnerInfo* other : learners())
      if (!other->shards.empty()) able.emplace_back(other->name);
    throw ParamError({.code = Code::unsupported,
                      .subject = {"learner", std::string(info.name)},
                      .message = fmt::format("{} does not learn from shards; these do: {}", info.name, joined(able)),
                      .expected = joined(able)});
  }
  if (recipe.components > 0) throw ParamError(Text(Option{"pca"}, " needs all rows in one place, not in shards"));
  if (info.shard_settings.empty()) return;
  const Params params = recipe.params();
  for (const auto& [key, value] : parse_settings(split(info.shard_settings, ' ')))
    if (params.texts().at(key) != value)
      throw ParamError({.code = Code::unsupported,
                        .subject = {"parameter", key},
                        .message = Text(fmt::format("{} learns from shards with {}={} only", info.name, key, value)),
                        .found = params.texts().at(key),
                        .expected = value,
                        .remedy = Option{"set", key, value}});
}

// ---- states ----

struct Head {
  std::string stage;  // survey or learn
  ShardRange shards;
  std::string of;  // checksum of the plan
};

Head head_of(const TensorFile& file, const std::string& name) {
  const auto found = file.metadata.find(kState);
  if (found == file.metadata.end()) fail(name, "not the state of a shard");
  const Json json = parse_strictly(found->second);
  if (json.at("version") != 1) fail(name, "a state of another version of Postil");
  Head out{json.at("stage").get<std::string>(),
           {whole_number<std::uint64_t>(json.at("first")), whole_number<std::uint64_t>(json.at("end"))},
           json.at("of").get<std::string>()};
  if (out.shards.first >= out.shards.end) fail(name, "it is of no shard");
  return out;
}

void put_head(const Head& head, TensorFile& file) {
  file.metadata[kState] = Json{
      {"version", 1},
      {"stage", head.stage},
      {"first", head.shards.first},
      {"end", head.shards.end},
      {"of", head.of}}.dump();
}

std::string checksum_of(std::string_view bytes, const std::string& name) {
  return TensorFile::decode(bytes, name).metadata["checksum"];
}

// Numbers that add up.
void add_sums(TensorFile& into, const TensorFile& from, const std::string& name) {
  for (auto& [key, tensor] : into.tensors) {
    if (!key.starts_with("sum.")) continue;
    const auto other = from.tensors.find(key);
    auto* sums = std::get_if<std::vector<double>>(&tensor);
    const auto* more = other == from.tensors.end() ? nullptr : std::get_if<std::vector<double>>(&other->second);
    if (sums == nullptr || more == nullptr || more->size() != sums->size())
      fail(name, fmt::format("'{}' is not in both states, or not as long", key));
    for (std::size_t k = 0; k < sums->size(); ++k) (*sums)[k] += (*more)[k];
  }
}

}  // namespace

// ---- the model's part ----

namespace {

constexpr const char* kCounted[] = {"examples", "updates", "mistakes", "unlabelled", "first_seen"};
std::array<std::uint64_t*, 5> counted(Counters& counters) {
  return {&counters.examples, &counters.updates, &counters.mistakes, &counters.unlabelled, &counters.first_seen};
}

void put_scores(const ProgressiveScores& scores, TensorFile& file) {
  FileWriter out(file, "scores.");
  const ProgressiveScores in_order = scores.last(scores.labels.size());
  out.tensor("scores", in_order.scores);
  out.tensor("labels", in_order.labels);
}
ProgressiveScores get_scores(const TensorFile& file, const std::string& name) {
  FileReader in(file, name, "scores.");
  ProgressiveScores out;
  in.tensor("scores", out.scores);
  in.tensor("labels", out.labels);
  if (out.labels.size() > ProgressiveScores::kMost ||
      (out.labels.empty() ? !out.scores.empty() : out.scores.size() % out.labels.size() != 0))
    fail(name, "its scores are damaged");
  return out;
}
double rows_seen(const TensorFile& file, const std::string& name) {
  return FileReader(file, name, "sum.").find<double>("first_seen").at(0);
}

}  // namespace

// In the order of their rows.
ProgressiveScores ProgressiveScores::last(std::size_t count) const {
  ProgressiveScores out;
  const std::size_t n = labels.size(), width = n == 0 ? 0 : scores.size() / n;
  count = std::min(count, n);
  const std::size_t oldest = n < kMost ? 0 : static_cast<std::size_t>(next);
  for (std::size_t k = n - count; k < n; ++k) {
    const std::size_t i = (oldest + k) % n;
    out.labels.push_back(labels[i]);
    out.scores.insert(out.scores.end(), scores.begin() + static_cast<std::ptrdiff_t>(i * width),
                      scores.begin() + static_cast<std::ptrdiff_t>((i + 1) * width));
  }
  return out;
}

ProgressiveScores ProgressiveScores::merged(const ProgressiveScores& a, double rows_a, const ProgressiveScores& b,
                                            double rows_b) {
  const std::size_t n_a = a.labels.size(), n_b = b.labels.size();
  std::size_t of_a = n_a, of_b = n_b;
  if (n_a + n_b > kMost) {
    const auto share = static_cast<std::size_t>(std::floor(kMost * (rows_a / (rows_a + rows_b)) + 0.5));
    of_a = std::clamp(share, kMost - std::min(n_b, kMost), n_a);
    of_b = kMost - of_a;
  }
  ProgressiveScores out = a.last(of_a);
  const ProgressiveScores more = b.last(of_b);
  out.scores.insert(out.scores.end(), more.scores.begin(), more.scores.end());
  out.labels.insert(out.labels.end(), more.labels.begin(), more.labels.end());
  return out;
}

void Model::begin_share() {
  forget_counts();
  for (Task& task : tasks_) task.learner->begin_share();
}

void Model::forget_counts() {
  counters_ = {};
  pass_ = {};
  progressive_ = {};
  std::fill(seen_.begin(), seen_.end(), 0);
  for (Task& task : tasks_) task.updates = 0;
  if (ledger_) ledger_->forget();
}

void Model::write_share(const Model& start, TensorFile& file) const {
  FileWriter sums(file, "sum.");
  Counters counters = counters_;
  const auto counts = counted(counters);
  for (std::size_t k = 0; k < counts.size(); ++k) sums.number(kCounted[k], static_cast<double>(*counts[k]));
  sums.number("first_loss", counters_.first_loss);
  sums.tensor("seen", seen_);
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    FileWriter gains(file, fmt::format("sum.task.{}.", k));
    gains.number("updates", static_cast<double>(tasks_[k].updates));
    tasks_[k].learner->write_gains(*start.tasks_[k].learner, static_cast<double>(counters_.examples), gains);
  }
  put_scores(progressive_, file);
  if (!ledger_) return;
  FileWriter ledger(file, "ledger.");
  ledger_->write(ledger);
}

bool Model::take_shares(const TensorFile& shares, const std::string& name) {
  FileReader sums(shares, name, "sum.");
  const std::uint64_t passes = counters_.passes;
  if (info_->mode == Mode::batch) forget_counts();  // the same rows, looked at again
  for (std::size_t k = 0; k < std::size(kCounted); ++k) {
    double count = 0;
    sums.number(kCounted[k], count);
    *counted(counters_)[k] += count_of(count);
  }
  double first_loss = 0;
  sums.number("first_loss", first_loss);
  counters_.first_loss = std::min(counters_.first_loss + first_loss, std::numeric_limits<double>::max());
  counters_.passes = passes + 1;
  std::vector<double> seen;
  sums.tensor("seen", seen);
  for (std::size_t c = 0; c < seen_.size(); ++c) seen_[c] += seen.at(c);
  bool more = false;
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    FileReader gains(shares, name, fmt::format("sum.task.{}.", k));
    double updates = 0;
    gains.number("updates", updates);
    tasks_[k].updates += count_of(updates);
    more |= tasks_[k].learner->take_gains(gains);
    if (!tasks_[k].learner->fits(schema_.width())) fail(name, "its sums are damaged");
  }
  if (const ProgressiveScores scores = get_scores(shares, name); !scores.labels.empty()) {
    if (scores.scores.size() != scores.labels.size() * outputs()) fail(name, "its scores are damaged");
    progressive_ = scores;
  }
  if (ledger_ && (counters_.passes == 1 || info_->mode == Mode::batch)) {
    FileReader reader(shares, name, "ledger.");
    ledger_->read(reader);
    if (!ledger_->fits()) fail(name, "its ledger is damaged");
  }
  return more;
}

// ---- the functions ----

std::string begin_shards(const ShardPlan& plan) {
  plan.recipe.check();
  check_learner(plan.recipe);
  Plan out;
  out.recipe = plan.recipe;
  out.read = plan.read;
  const LearnerInfo& info = plan.recipe.info();
  if (info.mode == Mode::batch && plan.rounds > 0)
    throw ParamError(Text(fmt::format("{} ends by itself; it takes no number of rounds", info.name)));
  out.rounds = info.mode == Mode::batch ? 0 : plan.rounds > 0 ? plan.rounds : info.shard_rounds;
  return out.encode();
}

struct ShardModel::Impl {
  std::string name, bytes;
  std::optional<Plan> plan;  // none: done
  std::string checksum;
  std::optional<Model> model;  // of a plan that has one

  [[nodiscard]] std::string survey(Source& source, std::uint64_t shard, LabelKind kind) const {
    SurveyState state;
    state.kind = kind;
    Survey survey = plan->recipe.survey(source.table(), plan->read.wishes);
    const bool studies = plan->recipe.info().studies;
    std::uint64_t rows = 0;
    for (Block block; source.next(block); block = Block()) {
      survey.add(block);
      for (std::size_t i = 0; studies && i < block.rows(); ++i)
        state.study.add(block, i, mixed((shard << 40U) + rows + i));
      rows += block.rows();
      look_up();
    }
    state.table = source.table();
    state.study.cut();
    if (!state.table.sparse())
      for (StudyRows::Kept& kept : state.study.rows) kept.row = state.recoded(kept.row.row(0), nullptr);
    state.survey = std::make_unique<Survey>(std::move(survey));
    state.rows = {rows};
    TensorFile file;
    put_head({"survey", {shard, shard + 1}, checksum}, file);
    state.put(file);
    if (shard == 0) FileWriter(file, "").text("plan", bytes);
    return file.encode();
  }

  [[nodiscard]] std::string learn(Source& source, std::uint64_t shard, std::uint64_t seed,
                                  const std::function<void(const Text&)>& note) const {
    Model mine = Model::from_bytes(plan->model, name);
    mine.begin_share();
    const bool batch = mine.learner().mode == Mode::batch, first_pass = batch || plan->round == 0;
    std::uint64_t number = 0;  // of the row among all
    for (std::size_t k = 0; k < shard && k < plan->rows.size(); ++k) number += plan->rows[k];
    ModelEncoder encoder(mine, source.table());
    Random random(mixed(mixed(seed) + (shard << 20U) + plan->round));
    struct Place {
      std::uint32_t block, row;
      std::uint64_t number;
    };
    std::vector<Block> blocks;
    std::vector<Place> places;
    const auto learn_window = [&](std::size_t count) {
      const std::span<Place> window(places.data(), count);
      if (!batch) random.shuffle(window);
      for (std::size_t k = 0; k < count; ++k) {
        if (k % kLookUpRows == 0) look_up();
        const Block& block = blocks[window[k].block];
        const std::size_t i = window[k].row;
        const double label = block.labels().empty() ? std::numeric_limits<double>::quiet_NaN() : block.labels()[i];
        mine.learn(block.row(i), label, block.weight(i), first_pass, window[k].number);
      }
      places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count));
      const std::uint32_t used = places.empty() ? static_cast<std::uint32_t>(blocks.size()) : places.front().block;
      blocks.erase(blocks.begin(), blocks.begin() + used);
      for (Place& place : places) place.block -= used;
    };
    for (Block raw; source.next(raw); raw = Block()) {
      const std::size_t rows = raw.rows();
      for (std::size_t first = 0; first < rows; first += kSlice) {
        Block slice = rows <= kSlice ? std::move(raw) : Block(raw.copied(first, std::min(kSlice, rows - first)));
        blocks.push_back(encoder.encode(std::move(slice)));
        for (std::uint32_t i = 0; i < blocks.back().rows(); ++i)
          places.push_back({static_cast<std::uint32_t>(blocks.size() - 1), i, ++number});
        if (places.size() >= kWindow) learn_window(kWindow);
      }
    }
    learn_window(places.size());
    if (note)
      for (const std::string& sentence : describe(encoder.surprises(), mine.schema())) note(sentence);
    if (!mine.finite())
      throw DataError(
          {.code = Code::overflow,
           .place = {source.table().source},
           .message = "the weights overflowed: the numbers are too large for this learner",
           .remedy = Text(Option{"scale", "", "standard"}, ", or parameters that take smaller steps, help")});
    TensorFile file;
    put_head({"learn", {shard, shard + 1}, checksum}, file);
    mine.write_share(*model, file);
    if (shard == 0) FileWriter(file, "").text("plan", bytes);
    return file.encode();
  }
};

ShardModel::ShardModel(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ShardModel::~ShardModel() = default;
ShardModel::ShardModel(ShardModel&&) noexcept = default;
ShardModel& ShardModel::operator=(ShardModel&&) noexcept = default;

ShardModel ShardModel::from_bytes(std::string bytes, const std::string& name) {
  auto impl = std::make_unique<Impl>();
  impl->name = name;
  impl->bytes = std::move(bytes);
  const TensorFile file = TensorFile::decode(impl->bytes, name);
  if (file.metadata.contains(kState)) fail(name, "the state of a shard, expected a plan or a model");
  if (!file.metadata.contains(kPlan)) {
    impl->model = Model::from_bytes(impl->bytes, name);
    return ShardModel(std::move(impl));
  }
  impl->checksum = file.metadata.at("checksum");
  impl->plan = checked(name, [&] { return Plan::decode(file, name); });
  if (impl->plan->learning()) impl->model = Model::from_bytes(impl->plan->model, name);
  return ShardModel(std::move(impl));
}
ShardModel ShardModel::load(const std::string& path) { return from_bytes(read_tensor_bytes(path), path); }

bool ShardModel::done() const { return !impl_->plan; }
Model ShardModel::release() && { return std::move(*impl_->model); }
bool ShardModel::learning() const { return impl_->model.has_value(); }
const LearnerInfo& ShardModel::info() const {
  return impl_->model ? impl_->model->learner() : impl_->plan->recipe.info();
}

bool ShardModel::numbers() const {
  return impl_->plan ? impl_->plan->recipe.label.regression : impl_->model->schema().label.real();
}

std::optional<Table> ShardModel::columns() const {
  return impl_->model ? std::optional(table_of(impl_->model->schema())) : std::nullopt;
}

bool ShardModel::missing_allowed() const {
  if (!impl_->plan) return true;
  const auto& missing = impl_->plan->read.wishes.missing;
  const auto found = missing.find("");
  return found == missing.end() || found->second != Missing::refuse;
}

std::string ShardModel::stage() const {
  if (done()) return "done";
  if (!learning()) return "survey";
  if (impl_->plan->rounds == 0) return fmt::format("round {}", impl_->plan->round + 1);
  return fmt::format("round {} of {}", impl_->plan->round + 1, impl_->plan->rounds);
}

ReadOptions ShardModel::reading() const {
  ReadOptions read;
  if (impl_->plan) read = impl_->plan->recipe.reading(impl_->plan->read);
  if (!impl_->model) return read;
  read.schema = &impl_->model->schema();
  read.real_labels = read.schema->label.real();
  return read;
}

std::string ShardModel::update(Source& rows, std::uint64_t shard, std::uint64_t seed,
                               const std::function<void(const Text&)>& note, LabelKind kind) const {
  if (done()) throw ParamError("this model has learned from all shards; there is no further round");
  if (!impl_->plan->learning()) return impl_->survey(rows, shard, kind);
  if (shard >= impl_->plan->rows.size())
    throw ParamError({.code = Code::out_of_range,
                      .subject = {"option", "shard"},
                      .message = fmt::format("there are {} shards, numbered from 0; found shard {}",
                                             impl_->plan->rows.size(), shard)});
  return impl_->learn(rows, shard, seed, note);
}

std::string update_shard(const std::string& model, Source& rows, std::uint64_t shard, std::uint64_t seed) {
  return ShardModel::from_bytes(model, "the model").update(rows, shard, seed);
}

std::string ShardRange::text() const {
  return end == first + 1 ? fmt::format("shard {}", first) : fmt::format("shards {} to {}", first, end - 1);
}

std::string read_shard_state(const std::string& path) {
  std::string bytes = read_tensor_bytes(path);
  checked(path, [&] { return head_of(TensorFile::decode(bytes, path), path); });
  return bytes;
}

ShardRange shards_of(std::string_view state) {
  const TensorFile file = TensorFile::decode(state, "the state");
  return checked("the state", [&] { return head_of(file, "the state").shards; });
}

std::string merge_shards(const std::string& a, const std::string& b) {
  const std::string name = "the state";
  return checked(name, [&] {
    TensorFile first = TensorFile::decode(a, name), second = TensorFile::decode(b, name);
    Head head = head_of(first, name);
    const Head later = head_of(second, name);
    if (head.stage != later.stage || head.of != later.of)
      fail(name, fmt::format("{} and {} are of different rounds or models", head.shards.text(), later.shards.text()));
    const std::uint64_t size = head.shards.end - head.shards.first;
    if (later.shards.first != head.shards.end || (size & (size - 1)) != 0 || head.shards.first % (2 * size) != 0 ||
        later.shards.end - later.shards.first > size)
      fail(name,
           fmt::format("{} cannot be merged with {}: states are merged as a binary tree, shard 2i with 2i + 1, then "
                       "these pairs, and so on",
                       head.shards.text(), later.shards.text()));
    head.shards.end = later.shards.end;
    if (head.stage == "survey") {
      const Recipe none;
      SurveyState mine, theirs;
      mine.get(first, name, none, {});
      theirs.get(second, name, none, {});
      mine.merge(theirs);
      mine.put(first);
    } else {
      const ProgressiveScores scores = ProgressiveScores::merged(get_scores(first, name), rows_seen(first, name),
                                                                 get_scores(second, name), rows_seen(second, name));
      put_scores(scores, first);
      if (first.tensors.contains("ledger.records")) {
        auto& records = std::get<std::vector<double>>(first.tensors.at("ledger.records"));
        Ledger::merge_records(records, FileReader(second, name, "ledger.").find<double>("records"));
      }
      add_sums(first, second, name);
    }
    put_head(head, first);
    return first.encode();
  });
}

std::string finish_shards(const std::string& state, std::uint64_t shards) {
  const std::string name = "the state";
  return checked(name, [&] {
    const TensorFile file = TensorFile::decode(state, name);
    const Head head = head_of(file, name);
    if (head.shards.first != 0 || head.shards.end != shards)
      fail(name, fmt::format("it is of {}, expected shards 0 to {}", head.shards.text(), shards - 1));
    std::string bytes = FileReader(file, name, "").text("plan");
    if (checksum_of(bytes, name) != head.of) fail(name, "its plan is not the one that its numbers are of");
    Plan plan = Plan::decode(TensorFile::decode(bytes, name), name);
    if (head.stage == "survey") {
      SurveyState survey;
      survey.get(file, name, plan.recipe, plan.read.wishes);
      if (survey.survey->rows() == 0)
        throw DataError({.code = Code::empty, .message = "there are no rows in any shard"});
      Recipe recipe = plan.recipe;
      if (recipe.label.kind == LabelKind::unknown) recipe.label.kind = survey.kind;
      Model model = recipe.begin(*survey.survey, survey.table);
      if (model.learner().studies && !survey.study.rows.empty()) {
        ModelEncoder encoder(model, survey.table);
        std::vector<Block> rows;
        for (StudyRows::Kept& kept : survey.study.rows) rows.push_back(encoder.encode(std::move(kept.row)));
        model.study(rows);
      }
      plan.rows = survey.rows;
      plan.model = model.to_bytes();
      return plan.encode();
    }
    Model model = Model::from_bytes(plan.model, name);
    const bool more = model.take_shares(file, name);
    ++plan.round;
    if (model.counters().examples == 0 && !model.ledger())
      throw DataError({.code = Code::missing_label, .message = "there is no labelled row to learn from in any shard"});
    plan.model = model.to_bytes();
    return more || plan.round < plan.rounds ? plan.encode() : plan.model;
  });
}

bool shards_done(std::string_view model) { return !TensorFile::decode(model, "the model").metadata.contains(kPlan); }

}  // namespace postil
