// bounds.cpp: what theory promises, as text and as JSON.
#include "postil/evaluate.hpp"

#include <fmt/format.h>

#include "postil/json.hpp"
#include "postil/report.hpp"

namespace postil {
namespace {

Json json_of(const MistakeBounds& b) {
  return {{"mistakes", b.mistakes},
          {"R", b.radius},
          {"u_norm", b.norm},
          {"theorem_3_1", {{"gamma", b.margin}, {"bound", optional_json(b.separable)}}},
          {"theorem_3_2", {{"gamma", b.soft_margin}, {"D", b.deviation}, {"bound", b.general}}}};
}
std::string text_of(const MistakeBounds& b) {
  return fmt::format("{} mistakes of the perceptron's own weights; R = {:.4g}\n", b.mistakes, b.radius) +
         (b.separable ? fmt::format("  theorem 3.1: at most {:.6g} (margin {:.4g}, |u| {:.4g})\n", *b.separable,
                                    b.margin, b.norm)
                      : "  theorem 3.1: no separator was found\n") +
         fmt::format("  theorem 3.2: at most {:.6g} (margin {:.4g}, D = {:.4g})\n", b.general, b.soft_margin,
                     b.deviation);
}

Json json_of(const MixtureBound& b) {
  Json parts = Json::array();
  for (const MixtureBound::Part& part : b.parts)
    parts.push_back(
        {{"part", part.name}, {"loss", part.loss}, {"regret", part.regret}, {"bound", part.loss + part.regret}});
  return {{"rounds", b.rounds}, {"loss", b.loss}, {"parts", std::move(parts)}};
}
std::string text_of(const MixtureBound& b) {
  std::string text = fmt::format("log loss {:.6g} of the predictions; at most\n", b.loss);
  for (const MixtureBound::Part& part : b.parts)
    text += fmt::format("  {:.6g} of {} + {:.4g}\n", part.loss, part.name, part.regret);
  return text;
}

Json json_of(const WagerBound& b) {
  return {{"rounds", b.rounds},
          {"loss", b.loss},
          {"loss_without", b.without},
          {"regret", b.regret},
          {"bound", b.without + b.regret}};
}
std::string text_of(const WagerBound& b) {
  return fmt::format("loss {:.6g} of the predictions; AdaHedge: at most {:.6g} without advice + {:.6g}\n", b.loss,
                     b.without, b.regret);
}

Json json_of(const AdviceMistakeBound& b) {
  return {{"mistakes", b.mistakes},
          {"advice_updates", b.advice_updates},
          {"X", b.radius},
          {"gamma", b.margin},
          {"bound", optional_json(b.bound)}};
}
std::string text_of(const AdviceMistakeBound& b) {
  return fmt::format("{} mistakes, {} advice updates; theorem 1 of 004, corrected: {}\n", b.mistakes, b.advice_updates,
                     b.bound ? fmt::format("at most {:.6g} (margin {:.4g}, X = {:.4g})", *b.bound, b.margin, b.radius)
                             : "no separator was found");
}

Json json_of(const RegretBound& b) {
  return {{"rounds", b.rounds},
          {"X", b.radius},
          {"Delta", b.delta_d},
          {"delta", b.delta},
          {"eta_coefficient", b.eta_coefficient},
          {"zeta_coefficient", b.zeta_coefficient},
          {"empty", b.empty()},
          {"loss", b.loss},
          {"bound", b.bound}};
}
std::string text_of(const RegretBound& b) {
  return fmt::format(
      "weighed losses {:.6g}; theorem 1 of 000, corrected: at most {:.6g} (X = {:.4g}, Delta = {:.4g}, delta = "
      "{:.4g}){}\n",
      b.loss, b.bound, b.radius, b.delta_d, b.delta,
      b.empty() ? "; its coefficients are not positive, so it says little: a smaller mu helps" : "");
}

Json json_of(const EllipsoidBound& b) {
  return {{"rounds", b.rounds},
          {"n", b.features},
          {"R", b.radius},
          {"loss", b.loss},
          {"least", b.least},
          {"theorem_1", {{"ellipsoid", b.ellipsoid}, {"weights", b.weights}, {"bound", b.bound()}}},
          {"theorem_2", {{"excess", b.excess}}},
          {"corollary_3", {{"epsilon", 0.1}, {"rounds", b.rounds_for_a_tenth}}}};
}
std::string text_of(const EllipsoidBound& b) {
  return fmt::format("losses f of {} rounds {:.6g}; the best fixed ellipsoid and weights found: {:.6g}\n", b.rounds,
                     b.loss, b.least) +
         fmt::format(
             "  theorem 1 of 002, corrected: at most {:.6g} = {:.6g} + {:.4g} for the ellipsoid + {:.4g} for the "
             "weights\n",
             b.bound(), b.least, b.ellipsoid, b.weights) +
         fmt::format(
             "  theorem 2, corrected: with rows drawn at random, the averages have an expected f of at most {:.4g} "
             "above the least\n",
             b.excess) +
         fmt::format("  corollary 3, corrected: at most 0.1 above it after {:.3g} rounds\n", b.rounds_for_a_tenth);
}

template <class Bound>
BoundsReport report(const Model& model, const std::vector<Bound>& bounds) {
  Json list = Json::array();
  std::string text;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    Json entry = json_of(bounds[k]);
    entry["class"] = model.label_text(model.class_of(k));
    list.push_back(std::move(entry));
    text +=
        fmt::format("{} = {}: {}", model.schema().label.name, model.label_text(model.class_of(k)), text_of(bounds[k]));
  }
  return {list.size() == 1 ? list[0].dump() : Json{{"per_class", list}}.dump(), text};
}

}  // namespace

BoundsReport report_bounds(const Model& model, Source& rows, std::uint64_t passes) {
  if (model.learner().promises == Promises::mixture) return report(model, mixture_bounds(model));
  if (model.learner().promises == Promises::wager) return report(model, wager_bounds(model));
  if (model.advice() && std::any_of(model.advice()->rules.begin(), model.advice()->rules.end(),
                                    [](const CompiledRule& rule) { return rule.direction.has_value(); }))
    throw ParamError("the theorem does not speak of directions (more x => class), which these rules have");
  Encoder encoder(model.schema(), rows.table());
  std::vector<Block> blocks;
  for (Block block; rows.next(block); block = Block()) blocks.push_back(encoder.encode(std::move(block)));
  if (model.learner().promises == Promises::mistakes_with_advice)
    return report(model, advice_mistake_bounds(model, blocks));
  if (model.learner().promises == Promises::regret) return report(model, regret_bounds(model, blocks));
  if (model.learner().promises == Promises::ellipsoid) return report(model, ellipsoid_bounds(model, blocks, passes));
  return report(model, mistake_bounds(model, blocks, passes));
}

}  // namespace postil
