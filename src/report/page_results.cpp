// page_results.cpp: how good predictions are, in all and by group.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "page_parts.hpp"
#include "postil/text.hpp"

namespace postil {

using namespace html;  // NOLINT(google-build-using-namespace)

double share_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::nan("") : static_cast<double>(part) / static_cast<double>(whole);
}

std::string interval_text(std::pair<double, double> interval) {
  return fmt::format("{} to {}", percent(interval.first), percent(interval.second));
}

std::string share_interval(std::uint64_t hits, std::uint64_t count) {
  return count == 0 ? "-" : interval_text(wilson_interval(hits, count));
}

Html share_value(std::string_view id, std::uint64_t hits, std::uint64_t count) {
  const double share = share_of(hits, count);
  return value(id, share, percent(share));
}

Html share_told(std::string_view id, std::uint64_t hits, std::uint64_t count, std::string_view what) {
  return share_value(id, hits, count) + (count == 0
                                             ? Html(fmt::format(" (no {})", what))
                                             : Html(fmt::format(" ({} of {} {}; 95 % interval {})", grouped(hits),
                                                                grouped(count), what, share_interval(hits, count))));
}

std::string sized(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value + 0.0) : "-"; }

Html note(std::string_view title, const Html& content) {
  return tag("div", {{"class", "note"}, {"role", "note"}}, paragraph(strong(std::string(title) + ": ") + content));
}

std::pair<double, double> mean_interval(const Moments& of) {
  if (of.count < 2) return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  const auto n = static_cast<double>(of.count);
  const double half = 1.959963984540054 * std::sqrt(of.squares / (n - 1) / n);
  return {of.mean - half, of.mean + half};
}

std::pair<double, double> rmse_interval(const NumberErrors& errors) {
  const auto [low, high] = mean_interval(errors.squared);
  return {std::sqrt(std::max(0.0, low)), std::sqrt(high)};
}

namespace {

constexpr std::size_t kMostClasses = 25;  // whose confusion table still can be read

std::string numbers_interval(std::pair<double, double> interval) {
  return std::isfinite(interval.second)
             ? fmt::format("{} to {}", sized(std::max(0.0, interval.first)), sized(interval.second))
             : "-";
}

// ---- classes ----

// How many rows of a class, and for how many it is the answer.
std::vector<Share> recalls(const Confusion& confusion) {
  std::vector<Share> out;
  for (const ClassRecord& of : class_records(confusion)) out.push_back({of.right, of.rows});
  return out;
}

double balanced_error(const Confusion& confusion) {
  double sum = 0, occurring = 0;
  for (const Share& of : recalls(confusion)) {
    if (of.count == 0) continue;
    sum += share_of(of.hits, of.count);
    occurring += 1;
  }
  return occurring > 0 ? 1 - sum / occurring : std::nan("");
}

std::string balanced_interval(const Confusion& confusion) {
  const auto [low, high] = mean_share_interval(recalls(confusion));
  return interval_text({1 - high, 1 - low});
}

// Of one class against the rest.
struct Area {
  std::optional<double> area;
  std::uint64_t positives = 0, negatives = 0;
  [[nodiscard]] std::string interval() const {
    return area ? [&] {
      const auto [low, high] = area_interval(*area, positives, negatives);
      return fmt::format("{:.3f} to {:.3f}", low, high);
    }()
                : "-";
  }
};
Area area_of(const Evaluation& evaluation, std::size_t output, std::uint32_t class_number) {
  const std::vector<std::uint32_t>& truth = evaluation.kept_truth();
  std::vector<bool> positive(truth.size());
  for (std::size_t i = 0; i < truth.size(); ++i) positive[i] = truth[i] == class_number;
  const auto positives = static_cast<std::uint64_t>(std::count(positive.begin(), positive.end(), true));
  return {area_under_curve(evaluation.kept_scores()[output], positive), positives, truth.size() - positives};
}

Html confusion_table(const PageFacts& facts) {
  const Confusion& confusion = facts.counts.evaluation->confusion();
  const std::vector<std::string>& classes = facts.label().classes;
  if (classes.size() > kMostClasses) {
    std::vector<std::pair<std::uint64_t, std::pair<std::size_t, std::size_t>>> mistakes;
    for (std::size_t truth = 0; truth < classes.size(); ++truth)
      for (std::size_t guess = 0; guess < classes.size(); ++guess)
        if (truth != guess && confusion[truth][guess] > 0)
          mistakes.push_back({confusion[truth][guess], {truth, guess}});
    std::stable_sort(mistakes.begin(), mistakes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    Sheet table(fmt::format("The most frequent mistakes; a table of all {} classes would be too large", classes.size()),
                {"true class", "predicted", "rows"}, "<<>");
    for (std::size_t k = 0; k < std::min<std::size_t>(mistakes.size(), kMostClasses); ++k)
      table.add({shortened(classes[mistakes[k].second.first]), shortened(classes[mistakes[k].second.second]),
                 count("", mistakes[k].first)});
    return table.html();
  }
  std::vector<std::string> heads{"true class"};
  for (const std::string& name : classes) heads.push_back("predicted " + shortened(name));
  heads.emplace_back("all");
  Sheet table("Confusion table: rows by their true class and by the class predicted. Right answers are in bold.", heads,
              "<" + std::string(classes.size() + 1, '>'));
  for (std::size_t truth = 0; truth < classes.size(); ++truth) {
    std::vector<Html> cells{shortened(classes[truth])};
    for (std::size_t guess = 0; guess < classes.size(); ++guess) {
      const Html number = count(fmt::format("confusion-{}-{}", truth, guess), confusion[truth][guess]);
      cells.push_back(truth == guess ? strong(number) : number);
    }
    cells.push_back(grouped(std::accumulate(confusion[truth].begin(), confusion[truth].end(), std::uint64_t{0})));
    table.add(std::move(cells));
  }
  return table.html();
}

Html measures_table(const PageFacts& facts) {
  const Evaluation& evaluation = *facts.counts.evaluation;
  Sheet table("Measures of quality on these rows", {"measure", "value", "95 % interval", "what it says"}, "<>><");
  table.add({"accuracy", value("accuracy", evaluation.accuracy(), percent(evaluation.accuracy())),
             share_interval(evaluation.correct(), evaluation.examples()), "share of rows predicted rightly"});
  const std::string better =
      "mean over the classes of the share of their rows predicted wrongly; a rare class counts as much as a frequent "
      "one";
  if (facts.counts.decides_apart()) {
    const double as_predicted = balanced_error(evaluation.confusion()), even = balanced_error(facts.counts.balanced);
    table.add({"balanced error, classes as predicted",
               value("balanced_error_as_predicted", as_predicted, percent(as_predicted)),
               balanced_interval(evaluation.confusion()), better});
    table.add({"balanced error, decided by the balanced threshold", value("balanced_error", even, percent(even)),
               balanced_interval(facts.counts.balanced),
               "the same, if the class is chosen so that rare classes count as much as frequent ones"});
  } else {
    const double error = balanced_error(evaluation.confusion());
    table.add({"balanced error", value("balanced_error", error, percent(error)),
               balanced_interval(evaluation.confusion()), better});
  }
  if (const std::optional<double> auc = evaluation.auc())
    table.add({"area under the ROC curve (AUC)", value("auc", *auc, fmt::format("{:.3f}", *auc)),
               facts.two() ? area_of(evaluation, 0, facts.label().positive).interval() : "by class below",
               facts.two() ? "chance that a row that is " + shortened(facts.positive()) +
                                 " gets a higher score than one that is not; 0.5 is chance"
                           : "mean over the classes, each against the others; 0.5 is chance"});
  table.add({"F1", value("f1", evaluation.f1(), fmt::format("{:.3f}", evaluation.f1())), "-",
             facts.two() ? "harmonic mean of precision and recall of " + shortened(facts.positive())
                         : "mean over the classes of the harmonic mean of precision and recall"});
  table.add({"log loss", value("log_loss", evaluation.log_loss(), fmt::format("{:.4f}", evaluation.log_loss())), "-",
             "how good the probabilities are; smaller is better"});
  table.add({"Brier score",
             value("brier_score", evaluation.brier_score(), fmt::format("{:.4f}", evaluation.brier_score())), "-",
             "mean squared error of the probabilities; smaller is better"});
  table.add({"calibration error",
             value("calibration_error", evaluation.calibration_error(),
                   fmt::format("{:.4f}", evaluation.calibration_error())),
             "-", "mean gap between the probability given to the predicted class and how often it is right"});
  return table.html();
}

Html classes_table(const PageFacts& facts) {
  const Evaluation& evaluation = *facts.counts.evaluation;
  const std::vector<ClassRecord> records = class_records(evaluation.confusion());
  std::vector<std::string> heads{"class", "rows", "recall", "95 % interval", "precision", "95 % interval"};
  const bool areas = facts.label().classes.size() > 2 && facts.label().classes.size() <= kMostClasses &&
                     !evaluation.kept_scores().empty();
  if (areas) heads.insert(heads.end(), {"AUC against the others", "95 % interval"});
  Sheet table("By class. Recall: share of its rows that were found. Precision: share of rows called so that are.",
              heads, "<>>>>>>>");
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), 0);
  constexpr std::size_t kMostRows = 100;
  if (records.size() > kMostRows) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return records[a].rows > records[b].rows; });
    order.resize(kMostRows);
  }
  for (const std::size_t c : order) {
    const ClassRecord& of = records[c];
    std::vector<Html> cells{
        shortened(facts.label().classes[c]) + (of.rows > 0 && of.rows < kFewRows ? " (few rows)" : ""),
        count("", of.rows),
        share_value(fmt::format("recall-{}", c), of.right, of.rows),
        share_interval(of.right, of.rows),
        share_value(fmt::format("precision-{}", c), of.right, of.predicted),
        share_interval(of.right, of.predicted)};
    if (areas) {
      const Area area = area_of(evaluation, c, static_cast<std::uint32_t>(c));
      cells.push_back(area.area ? value("", *area.area, fmt::format("{:.3f}", *area.area)) : Html("-"));
      cells.push_back(area.interval());
    }
    table.add(std::move(cells));
  }
  return table.html() +
         (records.size() > kMostRows
              ? paragraph(fmt::format("... and {} more classes with fewer rows.", records.size() - kMostRows))
              : Html());
}

// True and false positives as the threshold falls, at most a few hundred points.
struct Curves {
  std::vector<Chart::Point> roc, precision;
};
Curves curves_of(const PageFacts& facts) {
  const Evaluation& evaluation = *facts.counts.evaluation;
  const std::vector<double>& scores = evaluation.kept_scores()[0];
  const std::vector<std::uint32_t>& truth = evaluation.kept_truth();
  std::vector<std::uint32_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  const auto all = static_cast<double>(std::count(truth.begin(), truth.end(), facts.label().positive));
  const double others = static_cast<double>(truth.size()) - all;
  constexpr double kStep = 1.0 / 200;
  Curves out{{{0, 0}}, {}};
  double found = 0, alarms = 0;
  for (std::size_t k = 0; k < order.size();) {
    const double score = scores[order[k]];
    for (; k < order.size() && scores[order[k]] == score; ++k)
      (truth[order[k]] == facts.label().positive ? found : alarms) += 1;
    const Chart::Point roc{alarms / others, found / all}, precision{found / all, found / (found + alarms)};
    const bool last = k == order.size();
    if (last || roc.x - out.roc.back().x >= kStep || roc.y - out.roc.back().y >= kStep) out.roc.push_back(roc);
    if (found > 0 && (last || out.precision.empty() || precision.x - out.precision.back().x >= kStep))
      out.precision.push_back(precision);
  }
  return out;
}

Html curves(const PageFacts& facts) {
  const Area area = area_of(*facts.counts.evaluation, 0, facts.label().positive);
  if (!area.area) return paragraph("There are no curves: all labelled rows are of one class.");
  const Curves drawn = curves_of(facts);
  const double rate = share_of(area.positives, area.positives + area.negatives);
  const std::string name = shortened(facts.positive());
  Chart roc("ROC curve",
            fmt::format("Share of {} found, against the share of the others called {} by mistake, for all thresholds. "
                        "The dashed line is chance.",
                        name, name),
            {"false alarms among the others"}, {"found among " + name});
  roc.line({{0, 0}, {1, 1}}, true);
  roc.line(drawn.roc);
  Chart precision(
      "Precision and recall",
      fmt::format("Share of rows called {} that are, against the share of {} found. The dashed line is chance: {}.",
                  name, name, percent(rate)),
      {"found among " + name + " (recall)"}, {"right among those called so (precision)"});
  precision.line({{0, rate}, {1, rate}}, true);
  precision.line(drawn.precision);
  return tag("div", {{"class", "figures"}}, roc.html() + precision.html());
}

Html calibration(const PageFacts& facts) {
  const bool two = facts.two();
  const std::string name = two ? shortened(facts.positive()) : "the predicted class";
  std::string title = two ? "Rows by the probability that the model gives to " + name
                          : "Rows by the probability that the model gives to the class it predicts";
  Sheet table(title,
              {"probability", "rows", "mean probability given",
               two ? "share that are " + name : "share predicted rightly", "95 % interval"},
              "<>>>>");
  Chart chart("Calibration",
              "Each point is a tenth of the range of probabilities, with the 95 % interval of what happened. On the "
              "dashed line, probabilities are what they say.",
              {"mean probability given to " + name}, {two ? "share that are " + name : "share predicted rightly"});
  chart.line({{0, 0}, {1, 1}}, true);
  const std::vector<Evaluation::Reliability> likeliest = facts.counts.evaluation->reliability();
  for (std::size_t k = 0; k < 10; ++k) {
    const std::uint64_t rows = two ? facts.counts.tenths[k].rows : likeliest[k].rows;
    if (rows == 0) continue;
    const double said = two ? facts.counts.tenths[k].said / static_cast<double>(rows) : likeliest[k].said;
    const std::uint64_t hits =
        two ? facts.counts.tenths[k].positive
            : static_cast<std::uint64_t>(std::llround(likeliest[k].right * static_cast<double>(rows)));
    const auto [low, high] = wilson_interval(hits, rows);
    chart.point({said, share_of(hits, rows)}, low, high);
    const bool fits = low <= said && said <= high;
    table.add({fmt::format("{} to {} %", 10 * k, 10 * k + 10) + (rows < kFewRows ? " (few rows)" : ""), count("", rows),
               percent(said), share_value("", hits, rows),
               fmt::format("{}{}", interval_text({low, high}),
                           fits          ? ""
                           : said > high ? ": given too high"
                                         : ": given too low")});
  }
  return tag("h3", "Calibration: are the probabilities what they say?") +
         tag("div", {{"class", "figures"}}, chart.html() + table.html());
}

Html thresholds(const PageFacts& facts) {
  const auto sum = [](const std::vector<std::uint64_t>& of, std::size_t from) {
    return std::accumulate(of.begin() + static_cast<std::ptrdiff_t>(from), of.end(), std::uint64_t{0});
  };
  const std::vector<std::uint64_t>&yes = facts.counts.positive_above, &no = facts.counts.negative_above;
  const std::string name = shortened(facts.positive());
  Sheet table(fmt::format("What would happen if rows were called {} from a given probability on", name),
              {"called " + name + " from", "rows called so", "found (sensitivity)", "95 % interval",
               "others left alone (specificity)", "95 % interval", "right if called so (precision)",
               "right if not (negative predictive value)"},
              "<>>>>>>>");
  const std::uint64_t all = sum(yes, 0), others = sum(no, 0);
  for (std::size_t k = 0; k < std::size(kThresholds); ++k) {
    const std::uint64_t found = sum(yes, k + 1), alarms = sum(no, k + 1);
    table.add({fmt::format("{:.0f} %", 100 * kThresholds[k]), count("", found + alarms), share_value("", found, all),
               share_interval(found, all), share_value("", others - alarms, others),
               share_interval(others - alarms, others), percent(share_of(found, found + alarms)),
               percent(share_of(others - alarms, others - alarms + all - found))});
  }
  return tag("h3", "Thresholds") +
         paragraph(
             "Which threshold is right depends on what a miss and a false alarm cost. A threshold chosen from this "
             "table should be confirmed on other rows.") +
         table.html();
}

Html classes_quality(const PageFacts& facts) {
  Html out = measures_table(facts) + classes_table(facts) + confusion_table(facts);
  if (facts.two()) out += tag("h3", "Curves") + curves(facts);
  if (facts.counts.evaluation->kept_truth().size() < facts.counts.evaluation->examples())
    out += paragraph(fmt::format("Curves and AUC are of a random sample of {} rows.",
                                 grouped(facts.counts.evaluation->kept_truth().size())));
  out += calibration(facts);
  if (facts.two()) out += thresholds(facts);
  return out;
}

// ---- numbers ----

double quantile(const std::vector<double>& sorted, double share) {
  return sorted.empty() ? std::nan("")
                        : sorted[std::min(sorted.size() - 1,
                                          static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

Html numbers_quality(const PageFacts& facts) {
  const NumberErrors& errors = facts.counts.errors;
  std::vector<double> sizes;
  for (const auto& [truth, guess] : facts.counts.sample) sizes.push_back(std::fabs(guess - truth));
  std::sort(sizes.begin(), sizes.end());
  Sheet table("Measures of quality on these rows, in the unit of the label",
              {"measure", "value", "95 % interval", "what it says"}, "<>><");
  table.add({"mean absolute error", value("mae", errors.evaluation.mae(), sized(errors.evaluation.mae())),
             numbers_interval(mean_interval(errors.absolute)), "how far predictions are off, on average"});
  table.add({"root mean squared error", value("rmse", errors.evaluation.rmse(), sized(errors.evaluation.rmse())),
             numbers_interval(rmse_interval(errors)), "the same, where large errors count more"});
  if (const std::optional<double> r2 = errors.evaluation.r2())
    table.add({"R²", value("r2", *r2, fmt::format("{:.3f}", *r2)), "-",
               "share of the variance that is explained; 0: no better than the mean of these labels"});
  const auto [low, high] = mean_interval(errors.plain);
  table.add({"mean error (bias)", value("bias", errors.plain.mean, sized(errors.plain.mean)),
             std::isfinite(high) ? fmt::format("{} to {}", sized(low), sized(high)) : "-",
             "above 0: predictions are too high on average"});
  for (const double share : {0.5, 0.9, 0.95})
    table.add({fmt::format("{:.0f} % of errors are at most", 100 * share), sized(quantile(sizes, share)), "-",
               "size of the error"});
  table.add({"largest error", sized(errors.absolute.high), "-", "size of the error"});
  // By tenths of the predictions.
  std::vector<std::pair<double, double>> by_guess;
  for (const auto& [truth, guess] : facts.counts.sample) by_guess.emplace_back(guess, truth);
  std::sort(by_guess.begin(), by_guess.end());
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const auto& [guess, truth] : by_guess) {
    least = std::min({least, guess, truth});
    most = std::max({most, guess, truth});
  }
  const Chart::Axis given{"predicted", least, most > least ? most : least + 1, false};
  Chart dots("Predicted and true", "Each point is a row, of at most 400. On the dashed line, the prediction is right.",
             given, {"true " + shortened(facts.label().name), given.low, given.high, false});
  dots.line({{given.low, given.low}, {given.high, given.high}}, true);
  constexpr std::size_t kDots = 400;
  for (std::size_t k = 0; k < std::min(kDots, facts.counts.sample.size()); ++k) {
    const std::size_t place = k * facts.counts.sample.size() / std::min(kDots, facts.counts.sample.size());
    dots.point({facts.counts.sample[place].second, facts.counts.sample[place].first}, 1, 0);
  }
  Sheet tenths("Calibration: rows by how large the prediction is, in ten equal parts",
               {"predicted", "rows", "mean predicted", "mean true", "95 % interval"}, "<>>>>");
  for (std::size_t k = 0; k < 10; ++k) {
    const std::size_t from = k * by_guess.size() / 10, to = (k + 1) * by_guess.size() / 10;
    if (from == to) continue;
    Moments guesses, truths;
    for (std::size_t i = from; i < to; ++i) {
      guesses.add(by_guess[i].first);
      truths.add(by_guess[i].second);
    }
    const auto [under, over] = mean_interval(truths);
    tenths.add({fmt::format("{} to {}", sized(guesses.low), sized(guesses.high)), count("", to - from),
                sized(guesses.mean), sized(truths.mean),
                std::isfinite(over) ? fmt::format("{} to {}", sized(under), sized(over)) : "-"});
  }
  return table.html() +
         (facts.counts.sample.size() < errors.evaluation.examples()
              ? paragraph(fmt::format("Shares of errors, picture and calibration are of a random sample of {} rows.",
                                      grouped(facts.counts.sample.size())))
              : Html()) +
         tag("div", {{"class", "figures"}}, dots.html() + tenths.html());
}

// ---- groups ----

std::uint64_t right_of(const Confusion& confusion) {
  std::uint64_t sum = 0;
  for (std::size_t c = 0; c < confusion.size(); ++c) sum += confusion[c][c];
  return sum;
}
std::uint64_t rows_of(const Confusion& confusion) {
  std::uint64_t sum = 0;
  for (const std::vector<std::uint64_t>& row : confusion) sum = std::accumulate(row.begin(), row.end(), sum);
  return sum;
}

std::string group_note(std::uint64_t labelled, bool below, bool above) {
  std::string out = below ? "clearly worse than on all rows" : above ? "clearly better than on all rows" : "";
  if (labelled < kFewRows) out += std::string(out.empty() ? "" : "; ") + "few rows: read with caution";
  return out.empty() ? "no clear difference" : out;
}

std::vector<Html> class_group(const PageFacts& facts, const GroupCount& of, double overall) {
  const std::uint64_t labelled = rows_of(of.confusion), right = right_of(of.confusion);
  const auto [low, high] = wilson_interval(right, labelled);
  const bool known = labelled > 0;
  std::vector<Html> cells{count("", labelled), share_value("", right, labelled), share_interval(right, labelled),
                          group_note(labelled, known && high < overall, known && low > overall)};
  if (facts.two()) {
    const ClassRecord positive =
        of.confusion.empty() ? ClassRecord() : class_records(of.confusion)[facts.label().positive];
    cells.push_back(share_value("", positive.rows, labelled));
    cells.push_back(share_value("", positive.predicted, labelled));
    cells.push_back(share_value("", positive.right, positive.rows));
    cells.push_back(share_interval(positive.right, positive.rows));
    cells.push_back(share_value("", positive.right, positive.predicted));
    cells.push_back(share_interval(positive.right, positive.predicted));
  }
  return cells;
}

std::vector<Html> number_group(const GroupCount& of, double overall) {
  const NumberErrors& errors = of.errors;
  const std::uint64_t labelled = errors.evaluation.examples();
  if (labelled == 0) return {count("", 0), "-", "-", group_note(0, false, false), "-", "-"};
  const auto interval = mean_interval(errors.absolute);
  return {count("", labelled),
          value("", errors.evaluation.mae(), sized(errors.evaluation.mae())),
          numbers_interval(interval),
          group_note(labelled, interval.first > overall, interval.second < overall),
          sized(errors.evaluation.rmse()),
          sized(errors.plain.mean)};
}

bool numbers_first(const std::string& a, const std::string& b) {
  const double last = std::numeric_limits<double>::infinity();
  return std::pair(parse_number(a).value_or(last), a) < std::pair(parse_number(b).value_or(last), b);
}

}  // namespace

Html quality_section(const PageFacts& facts) {
  const std::string title = "How good the predictions are";
  if (facts.counts.labelled == 0) {
    Html out =
        paragraph("These rows have no labels, so nothing can be said about how often the model is right on them.");
    if (facts.numbers()) {
      const Moments& of = facts.counts.predicted_numbers;
      return section("quality", title,
                     out + paragraph(fmt::format("Predicted values run from {} to {}, mean {}.", sized(of.low),
                                                 sized(of.high), sized(of.mean))));
    }
    Sheet table("What the model predicts on these rows", {"class", "rows", "share"}, "<>>");
    for (std::size_t c = 0; c < facts.counts.predicted.size(); ++c)
      if (facts.counts.predicted[c] > 0 || facts.counts.predicted.size() <= kMostClasses)
        table.add({shortened(facts.label().classes[c]), count("", facts.counts.predicted[c]),
                   share_value("", facts.counts.predicted[c], facts.counts.rows)});
    return section("quality", title, out + table.html());
  }
  Html out = paragraph(
      Html("Predictions were compared with the labels of ") + count("examples", facts.counts.labelled) + " rows" +
      (facts.counts.labelled < facts.counts.rows
           ? fmt::format("; {} rows without a label were left out", grouped(facts.counts.rows - facts.counts.labelled))
           : "") +
      ". A 95 % interval says how far the number may be off by chance, if the rows are a random sample and independent "
      "of each other. Where several rows are of one person or one device, the true intervals are wider.");
  if (facts.counts.silent > 0)
    out += paragraph(fmt::format("On {} of {} rows no rule decides; the usual answer stands in.",
                                 grouped(facts.counts.silent), grouped(facts.counts.rows)));
  return section("quality", title, out + (facts.numbers() ? numbers_quality(facts) : classes_quality(facts)));
}

Html groups_section(const PageFacts& facts) {
  const std::string title = "Groups of rows";
  if (facts.options.by.empty())
    return section("groups", title,
                   paragraph("No groups were asked for, so this page does not say whether the model serves all groups "
                             "(for example sexes, ages, sites) equally well."));
  if (facts.counts.labelled == 0)
    return section("groups", title, paragraph("Without labels, groups cannot be compared."));
  Html out = paragraph(
      "Rows were counted apart by the columns that the author of this page chose. Many groups are compared at once, so "
      "that some differences arise by chance.");
  std::vector<std::string> heads{"", "labelled rows"};
  std::string name;
  if (facts.numbers()) {
    heads.insert(heads.end(),
                 {"mean absolute error", "95 % interval", "remark", "root mean squared error", "mean error"});
  } else {
    heads.insert(heads.end(), {"accuracy", "95 % interval", "remark"});
    if (facts.two()) {
      name = shortened(facts.positive());
      heads.insert(heads.end(), {"are " + name, "called " + name, "recall of " + name, "95 % interval", "precision",
                                 "95 % interval"});
    }
  }
  const double overall = facts.numbers()             ? facts.counts.errors.evaluation.mae()
                         : facts.counts.labelled > 0 ? facts.counts.evaluation->accuracy()
                                                     : 0;
  for (std::size_t k = 0; k < facts.options.by.size(); ++k) {
    const std::string column = shortened(facts.options.by[k]);
    heads[0] = column;
    Sheet table("By " + column, heads, "<>>><>>>>>>");
    std::vector<std::string> names;
    for (const auto& [text, of] : facts.counts.groups[k]) names.push_back(text);
    std::stable_sort(names.begin(), names.end(), numbers_first);
    for (const std::string& text : names) {
      const GroupCount& of = facts.counts.groups[k].at(text);
      std::vector<Html> cells = facts.numbers() ? number_group(of, overall) : class_group(facts, of, overall);
      cells.insert(cells.begin(), text.empty() ? Html("(empty)") : Html(shortened(text)));
      table.add(std::move(cells));
    }
    out += table.html();
  }
  return section("groups", title, out);
}

}  // namespace postil
