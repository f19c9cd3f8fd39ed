// postil predict: labels and scores of the rows of a file.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

// The probabilities of a row's classes, and the label they and --decide come to. Of numbers there are none.
class Answers {
 public:
  Answers(const Model& model, const std::string& decide) : decision_(decision_of(decide)), by_score_(decide.empty()) {
    if (model.schema().label.real()) {
      if (!by_score_) throw ParamError("--decide is about classes; this model predicts numbers");
      return;
    }
    probability_.emplace(model);
    probabilities_.resize(probability_->classes());
  }
  std::optional<double> take(const ScoredRow& row) {  // gives the label; none: the model is not sure enough
    if (!probability_) return row.predicted;
    probability_->of(row.scores, probabilities_);
    if (by_score_) return row.predicted;
    if (probability_->abstains(probabilities_, decision_)) return std::nullopt;
    return probability_->decide(probabilities_, decision_);
  }
  [[nodiscard]] const std::vector<double>& probabilities() const { return probabilities_; }

 private:
  Decision decision_;
  bool by_score_;
  std::optional<Probabilities> probability_;
  std::vector<double> probabilities_;
};

struct PredictFlags {
  std::string model, data, out = "-", decide;
  std::vector<std::string> keep;
  std::size_t reasons = 0;
  bool scores = false, abstain = false, novelty = false, json = false;
  DataFlags reading;

  [[nodiscard]] ReadOptions read_options() const {
    ReadOptions read = reading.read_options();
    read.keep = keep;
    return read;
  }
};

// Whether rows are told how unlike they are to those learned.
bool tells_novelty(const Model& model, const PredictFlags& flags) {
  std::vector<double> room(model.outputs());
  const bool known = model.novelty({}, room);
  if (flags.novelty && !known)
    throw ParamError(
        fmt::format("--novelty: {} does not know how unlike rows are to those it learned, or has learned "
                    "none; advised, arow, esvm and esvm-online know",
                    model.learner().name));
  return known && (flags.novelty || (flags.scores && model.learner().ellipsoid));
}

// The reasons of each row of a block, found before the block is encoded.
class Reasons {
 public:
  Reasons(const Model& model, std::size_t most) : model_(model), most_(most) {}
  void look(const Block& raw, const Table& table) {
    rows_.clear();
    for (std::size_t i = 0; most_ > 0 && i < raw.rows(); ++i)
      rows_.push_back(reasons(model_, explain_row(model_, table, raw, i), most_));
    next_ = 0;
  }
  const std::vector<RowSum::Part>& take() { return rows_[next_++]; }

 private:
  const Model& model_;
  std::size_t most_, next_ = 0;
  std::vector<std::vector<RowSum::Part>> rows_;
};

void predict_json(const Model& model, const PredictFlags& flags) {
  Json labels = Json::array(), scores = Json::array(), novelties = Json::array(), probabilities = Json::array();
  Answers answers(model, flags.decide);
  Reasons why(model, flags.reasons);
  Json all_reasons = Json::array();
  std::vector<Json> kept(flags.keep.size(), Json::array());
  std::vector<double> novelty(model.outputs());
  const bool novel = flags.novelty ? tells_novelty(model, flags) : model.learner().ellipsoid;
  const auto put = [](Json& list, std::span<const double> numbers) {
    if (numbers.size() == 1)
      list.push_back(numbers[0]);
    else
      list.push_back(std::vector<double>(numbers.begin(), numbers.end()));
  };
  for_each_scored(
      model, flags.data, flags.read_options(), false,
      [&](const ScoredRow& row) {
        for (std::size_t k = 0; k < kept.size(); ++k) kept[k].push_back(row.kept[k]);
        const std::optional<double> label = answers.take(row);
        const bool silent = !label || (flags.abstain && model.silent_on(row.row, row.predicted));
        labels.push_back(silent ? Json() : label_json(model, *label));
        if (!answers.probabilities().empty()) probabilities.push_back(answers.probabilities());
        put(scores, row.scores);
        if (novel && model.novelty(row.row, novelty)) put(novelties, novelty);
        if (flags.reasons == 0) return;
        all_reasons.push_back(Json::array());
        for (const RowSum::Part& part : why.take())
          all_reasons.back().push_back({{"text", part.text}, {"contribution", part.score}});
      },
      [&](const Block& raw, const Table& table) { why.look(raw, table); });
  Json json{{"labels", std::move(labels)}, {"scores", std::move(scores)}};
  for (std::size_t k = 0; k < kept.size(); ++k) json["kept"][flags.keep[k]] = std::move(kept[k]);
  if (!probabilities.empty()) {
    json["classes"] = model.schema().label.classes;
    json["probabilities"] = std::move(probabilities);
  }
  if (!novelties.empty()) json["novelty"] = std::move(novelties);
  if (flags.reasons > 0) json["reasons"] = std::move(all_reasons);
  OutputFile out(flags.out);
  out.write(json.dump() + "\n");
  out.commit();
}

// The head of a column of predictions: not that of a column that is kept.
std::string own_head(std::string name, const std::vector<std::string>& kept) {
  while (std::find(kept.begin(), kept.end(), name) != kept.end()) name = "predicted_" + name;
  return csv_cell(name);
}

void predict_csv(const Model& model, const PredictFlags& flags) {
  const std::vector<std::string>& classes = model.schema().label.classes;
  std::vector<std::string> cells;
  cells.reserve(classes.size());
  for (const std::string& name : classes) cells.push_back(csv_cell(name));
  OutputFile out(flags.out);
  std::string line;
  for (const std::string& name : flags.keep) line += csv_cell(name) + ",";
  line += own_head("label", flags.keep);
  std::vector<double> novelty(model.outputs());
  const bool novel = tells_novelty(model, flags);
  const auto head = [&](const std::string& what) {
    if (model.outputs() == 1) line += "," + own_head(what, flags.keep);
    for (const std::string& name : classes)
      if (model.outputs() > 1) line += "," + own_head(fmt::format("{}_{}", what, name), flags.keep);
  };
  Answers answers(model, flags.decide);
  const bool probable = flags.scores && !answers.probabilities().empty();
  if (probable) head("probability");
  if (flags.scores) head("score");
  if (novel) head("novelty");
  for (std::size_t k = 1; k <= flags.reasons; ++k) line += "," + own_head(fmt::format("reason_{}", k), flags.keep);
  Reasons why(model, flags.reasons);
  out.write(line + "\n");
  for_each_scored(
      model, flags.data, flags.read_options(), false,
      [&](const ScoredRow& row) {
        line.clear();
        for (const std::string& cell : row.kept) line += csv_cell(cell) + ",";
        const std::optional<double> label = answers.take(row);
        if (label && !(flags.abstain && model.silent_on(row.row, row.predicted)))
          line += cells.empty() ? fmt::format("{}", *label) : cells[static_cast<std::size_t>(*label)];
        if (probable && model.outputs() == 1)
          fmt::format_to(std::back_inserter(line), ",{}", answers.probabilities()[model.schema().label.positive]);
        else if (probable)
          for (const double p : answers.probabilities()) fmt::format_to(std::back_inserter(line), ",{}", p);
        if (flags.scores)
          for (const double score : row.scores) fmt::format_to(std::back_inserter(line), ",{}", score);
        if (novel && model.novelty(row.row, novelty))
          for (const double value : novelty) fmt::format_to(std::back_inserter(line), ",{}", value);
        if (flags.reasons > 0) {
          const std::vector<RowSum::Part>& found = why.take();
          for (std::size_t k = 0; k < flags.reasons; ++k)
            line +=
                "," + (k < found.size() ? csv_cell(fmt::format("{} ({:+.4g})", found[k].text, found[k].score)) : "");
        }
        line += '\n';
        out.write(line);
      },
      [&](const Block& raw, const Table& table) { why.look(raw, table); });
  out.commit();
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("predict", "Predict labels with a model, as CSV");
  auto flags = std::make_shared<PredictFlags>();
  verb->add_option("MODEL", flags->model, "A model file made by train")->required();
  verb->add_option("DATA", flags->data,
                   "Rows with the model's columns, in any order; a label column is ignored; - for standard input")
      ->required();
  verb->add_flag("--scores", flags->scores,
                 "Print probabilities and scores too: of the positive class, or of each of several classes; with esvm "
                 "and esvm-online also the novelty x'Bx");
  verb->add_flag(
      "--novelty", flags->novelty,
      "Print how unlike each row is to those that were learned: of advised and arow about 1 is usual, and more is less "
      "like them; of esvm and esvm-online x'Bx");
  verb->add_option("--keep", flags->keep,
                   "Columns of DATA to copy in front of the predictions, for example id,visit. If one is called label, "
                   "score or probability, that of the predictions is called predicted_label and so on")
      ->delimiter(',')
      ->type_name("COLUMN,...");
  verb->add_option("--decide", flags->decide, kDecideHelp + std::string(kAbstainHelp));
  verb->add_option(
          "--reasons", flags->reasons,
          "Print with each row the N features and rules that speak most for the predicted class, with what each "
          "adds to the score")
      ->check(whole_number())
      ->check(CLI::Range(std::size_t{1}, std::size_t{100}))
      ->type_name("N");
  verb->add_flag(
      "--abstain", flags->abstain,
      "Give no label where no rule holds or rules cancel each other; for models of rules alone (learner rules)");
  verb->add_option("-o,--output", flags->out, "File to write. Default: standard output");
  verb->add_flag("--json", flags->json, "Print one JSON document");
  flags->reading.add_to(*verb, false);
  verb->footer("Example:  postil predict points.postil points.csv --scores -o predictions.csv");
  verb->callback([=] {
    const Model model = Model::load(flags->model);
    if (flags->abstain && !model.may_be_silent())
      throw ParamError(fmt::format("--abstain: {} has an answer for every row", model.learner().name));
    if (flags->json)
      predict_json(model, *flags);
    else
      predict_csv(model, *flags);
  });
}

}  // namespace postil::cli
