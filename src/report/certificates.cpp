// certificates.cpp: rules against the weights of a model.
#include "certificates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/math.hpp"
#include "postil/report.hpp"

namespace postil {
namespace {

struct RuleVerdict {
  std::string rule, class_name;
  double z = 1;
  std::string column;  // of a direction: its worst is z * weight
  Certificate certificate;
  double at_point = 0;  // not obeyed: z * score at the counterexample, the worst there is where it was looked for
  bool beyond = false;  // ... which is only outside what the rows have shown

  // Of a mixture: what is proven of each part, and what rules add to it at least. The certificate's numbers are then those of the
  // mixture, p >= sum of share sigma(proven + added).
  struct Part {
    double share = 0, added = 0;
    Certificate certificate;
  };
  std::vector<Part> parts = {};

  // What worst and proven measure: the score, or how far a number lies from `zero`.
  std::string measured = "score";
  double zero = 0;
};

// Of a rule about a number: the label, from what the rule says of it; where that depends on the row, their difference.
void measure_numbers(RuleVerdict& verdict, const AdviceSet& set, const Schema& schema) {
  verdict.measured = schema.label.name;
  if (set.target.terms.empty())
    verdict.zero = set.target.constant;
  else
    verdict.measured += " minus what the rule says";
}

// The promised ranges, and where nothing is promised what the rows have shown.
Box promised_or_seen(const Box& promised, const Schema& schema) {
  Box out = promised;
  std::vector<std::uint32_t> open;
  for (std::uint32_t f = 0; f < out.low.size(); ++f)
    if (std::isinf(out.low[f]) || std::isinf(out.high[f])) open.push_back(f);
  const std::vector<Moments> seen = schema.moments(open);
  for (std::size_t k = 0; k < open.size(); ++k) {
    if (seen[k].count == 0) continue;
    if (std::isinf(out.low[open[k]])) out.low[open[k]] = std::min(seen[k].low, out.high[open[k]]);
    if (std::isinf(out.high[open[k]])) out.high[open[k]] = std::max(seen[k].high, out.low[open[k]]);
  }
  return out;
}

constexpr double kRounding = 1e-12;  // of a weight that is as good as 0
double largest(const std::vector<double>& weights) {
  double out = 0;
  for (const double w : weights) out = std::max(out, std::fabs(w));
  return out;
}

// The score of the model's class at a point, rules and all; none if the rule does not hold there.
std::optional<double> score_at(const Model& model, std::size_t task, const RawPoint& point, const Advice& advice,
                               const AdviceSet& set) {
  const Schema& schema = model.schema();
  std::vector<std::uint32_t> all(schema.features);
  std::iota(all.begin(), all.end(), 0);
  const std::vector<Moments> seen = schema.moments(all);
  std::vector<double> raw(schema.features);
  for (std::size_t j = 0; j < raw.size(); ++j) raw[j] = seen[j].count > 0 ? seen[j].mean : 0;
  for (const auto& [feature, value] : point) raw[feature] = value;
  if (!advice.conditions.holds(advice.rules[set.rule].condition, raw)) return std::nullopt;
  std::vector<std::uint32_t> holds;
  const std::vector<std::uint8_t> truths = model.advice()->conditions.truths(raw);
  for (std::uint32_t r = 0; r < model.advice()->rules.size(); ++r)
    if (truths[model.advice()->rules[r].condition] != 0) holds.push_back(r);
  if (!schema.scaling.identity())
    for (std::size_t j = 0; j < raw.size(); ++j) raw[j] = (raw[j] - schema.scaling.shift[j]) / schema.scaling.scale[j];
  return model.learner_of(task).score(
      {.values = raw.data(), .count = static_cast<std::uint32_t>(raw.size()), .judged = true, .holds = holds});
}

// docs/mathematics.md part D: each part of a mixture is linear but for what rules add, which has a least value.
RuleVerdict certify_mixture(const Model& model, std::size_t task, const Advice& advice, const AdviceSet& set,
                            const Box& near) {
  RuleVerdict out{advice.rules[set.rule].id, model.schema().label.subject(set.class_number), set.z, "", {}};
  std::uint32_t own = UINT32_MAX;  // the same rule among the model's
  for (std::uint32_t r = 0; r < model.advice()->rules.size(); ++r)
    if (model.advice()->rules[r].text == advice.rules[set.rule].text) own = r;
  double p = 0;
  std::vector<RawPoint> points[2];  // among the rows, and beyond them
  for (const MixturePart& part : model.learner_of(task).parts_where(own)) {
    const LinearExplanation linear = model.explain(part.linear);
    const double added = set.z > 0 ? part.low : -part.high;
    Certificate proof = certify(set, advice.box, advice.one_of, linear.raw_weights, linear.raw_bias);
    if (proof.known && !proof.obeyed) {
      points[0].push_back(certify(set, near, advice.one_of, linear.raw_weights, linear.raw_bias).counterexample);
      points[1].push_back(proof.counterexample);
      if (std::isfinite(proof.worst)) {  // the same with as much more as makes it obeyed
        const double more = 1 - proof.worst;
        proof = certify(set, advice.box, advice.one_of, linear.raw_weights, linear.raw_bias + set.z * more);
        proof.worst -= more;
        proof.proven -= more;
      } else {
        proof.proven = proof.worst;
      }
    }
    if (!proof.known) proof.proven = -std::numeric_limits<double>::infinity();
    p += part.share * sigmoid(proof.proven + added);
    out.parts.push_back({part.share, added, std::move(proof)});
  }
  Certificate& whole = out.certificate;
  whole.worst = whole.proven = std::log(p / (1 - p));
  whole.obeyed = p >= 0.5;
  whole.known = whole.obeyed;
  out.at_point = whole.worst;
  for (const bool beyond : {false, true})
    for (const RawPoint& point : points[beyond ? 1 : 0]) {
      if (whole.obeyed || (whole.known && beyond && !out.beyond)) continue;
      const std::optional<double> score = score_at(model, task, point, advice, set);
      if (!score || !(set.z * *score < (whole.known ? out.at_point : 0))) continue;
      whole.known = true;
      whole.counterexample = point;
      out.at_point = set.z * *score;
      out.beyond = beyond;
    }
  return out;
}

// The weights that have to obey a set of conditions: those of the set's class; one against one, those of each pair that a rule
// is about, turned to the set's class.
std::vector<LinearExplanation> asked_by(const Model& model, const std::vector<LinearExplanation>& tasks,
                                        const CompiledRule& rule, std::uint32_t class_number) {
  if (!model.one_against_one()) return {tasks[tasks.size() == 1 ? 0 : class_number]};
  std::vector<LinearExplanation> out;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const Question& question = model.question(k);
    const double side = question.side_of(class_number);
    if (side == 0 || question.side_of(rule.class_number) == 0) continue;
    LinearExplanation& face = out.emplace_back(tasks[k]);
    for (double& weight : face.raw_weights) weight *= side;
    face.raw_bias *= side;
  }
  return out;
}

// Each conjunction of each rule against the model's weights. Where one is not obeyed the point that shows it lies among the
// rows, if there is one.
std::vector<RuleVerdict> certify_rules(const Model& model, const Advice& advice) {
  std::vector<LinearExplanation> tasks;
  for (std::size_t k = 0; k < model.questions(); ++k) tasks.push_back(model.explain(k));
  const Box near = promised_or_seen(advice.box, model.schema());
  std::vector<RuleVerdict> out;
  for (const AdviceSet& set : advice.sets) {
    const std::size_t number = tasks.size() == 1 ? 0 : set.class_number;
    if (!tasks[number].whole) {
      out.push_back(certify_mixture(model, number, advice, set, near));
      continue;
    }
    const std::vector<LinearExplanation> faces = asked_by(model, tasks, advice.rules[set.rule], set.class_number);
    const auto against = [&](const Box& box) {
      Certificate least;
      for (const LinearExplanation& face : faces) {
        Certificate found = certify(set, box, advice.one_of, face.raw_weights, face.raw_bias);
        if (&face == faces.data() || !found.known || (least.known && found.worst < least.worst))
          least = std::move(found);
      }
      return least;
    };
    RuleVerdict verdict{advice.rules[set.rule].id, model.schema().label.subject(set.class_number), set.z, "",
                        against(advice.box)};
    if (advice.rules[set.rule].claim) measure_numbers(verdict, set, model.schema());
    verdict.at_point = verdict.certificate.worst;
    if (verdict.certificate.known && !verdict.certificate.obeyed && near != advice.box) {
      Certificate among = against(near);
      verdict.beyond = !among.known || among.obeyed;
      if (!verdict.beyond) {
        verdict.certificate.counterexample = std::move(among.counterexample);
        verdict.at_point = among.worst;
      }
    }
    out.push_back(std::move(verdict));
  }
  for (const CompiledRule& rule : advice.rules) {  // the proof of a direction is the weight itself
    if (!rule.direction) continue;
    const auto [feature, z] = *rule.direction;
    const std::size_t number = tasks.size() == 1 ? 0 : rule.class_number;
    std::vector<double> weights;
    for (const LinearExplanation& face : asked_by(model, tasks, rule, rule.class_number))
      if (weights.empty() || z * face.raw_weights[feature] < z * weights[feature]) weights = face.raw_weights;
    for (const MixturePart& part : model.learner_of(number).parts_where(UINT32_MAX))  // the least of its parts
      weights[feature] = z * std::min(z * weights[feature], z * model.explain(part.linear).raw_weights[feature]);
    RuleVerdict& verdict = out.emplace_back(RuleVerdict{
        rule.id, model.schema().label.subject(rule.class_number), z, model.schema().feature_name(feature), {}});
    verdict.certificate.worst = verdict.at_point = verdict.certificate.proven = z * weights[feature];
    verdict.certificate.obeyed = z * weights[feature] >= -kRounding * largest(weights);
  }
  return out;
}

std::string verdict_text(const RuleVerdict& v, const Schema& schema) {
  const Certificate& c = v.certificate;
  if (!c.known)
    return fmt::format("could not be decided: {}", v.parts.empty() ? "the numbers involved differ too much in size"
                                                                   : "no proof and no counterexample was found");
  if (!v.column.empty())
    return fmt::format("{}; the score {} with {}: weight {:.6g} in raw units", c.obeyed ? "obeyed" : "not obeyed",
                       c.worst == 0        ? "does not change"
                       : v.z * c.worst > 0 ? "rises"
                                           : "falls",
                       v.column, v.z * c.worst + 0.0);
  if (c.obeyed && !std::isfinite(c.proven)) return "its region is empty";
  if (c.obeyed)
    return fmt::format("obeyed everywhere in its region; {} {} {:.6g} is proven", v.measured,
                       v.z > 0 ? ">=" : "<=", v.zero + v.z * c.proven + 0.0);
  return fmt::format("not obeyed{}; {}: {} {}", v.beyond ? ", but obeyed within the ranges seen in the data" : "",
                     point_text(c.counterexample, schema), v.measured,
                     std::isfinite(v.at_point) ? fmt::format("{:.6g}", v.zero + v.z * v.at_point) : "without bound");
}

}  // namespace

Json certificates_json(const Model& model, const Advice& advice) {
  const Schema& schema = model.schema();
  const auto by_name = [&](const std::map<std::uint32_t, double>& values) {
    Json json = Json::object();
    for (const auto& [feature, value] : values) json[schema.feature_name(feature)] = value;
    return json;
  };
  const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json list = Json::array();
  const auto proof = [&](const Certificate& c) {
    return Json{{"u", c.u},           {"domain_low", by_name(c.low)}, {"domain_high", by_name(c.high)},
                {"one_of", c.groups}, {"proven", finite(c.proven)},   {"residual", c.residual}};
  };
  for (const RuleVerdict& v : certify_rules(model, advice)) {
    const Certificate& c = v.certificate;
    Json entry{{"rule", v.rule},
               {"class", v.class_name},
               {"z", v.z},
               {"obeyed", c.known ? Json(c.obeyed) : Json()},
               {"worst", finite(c.worst)},
               {"text", verdict_text(v, schema)}};
    if (!v.column.empty())
      entry["direction"] = v.column;
    else if (c.obeyed && v.parts.empty())
      entry["certificate"] = proof(c);
    else if (c.obeyed) {
      Json parts = Json::array();
      for (const RuleVerdict::Part& part : v.parts) {
        parts.push_back(proof(part.certificate));
        parts.back().update({{"share", part.share}, {"rules_add", part.added}});
      }
      entry["certificate"] = {{"parts", std::move(parts)}, {"proven", finite(c.proven)}};
    } else if (c.known) {
      entry["counterexample"] = point_json(c.counterexample, schema);
      entry["beyond_the_rows"] = v.beyond;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string certificates_text(const Model& model, const Advice& advice) {
  std::vector<RuleVerdict> verdicts = certify_rules(model, advice);
  std::string text;
  std::stable_partition(verdicts.begin(), verdicts.end(),  // what is wrong comes first
                        [](const RuleVerdict& v) { return v.certificate.known && !v.certificate.obeyed; });
  for (const RuleVerdict& v : verdicts) text += fmt::format("{}: {}\n", v.rule, verdict_text(v, model.schema()));
  return text;
}

}  // namespace postil
