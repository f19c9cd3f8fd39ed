// compile.cpp: rules and a schema to conditions and polyhedra (docs/mathematics.md A7).
//
//   >=      negates a row;  strict rows are their closure, except on whole numbers, where > 1 is >= 2
//   =       one row with a free multiplier;  != gives two branches
//   or      one row over 0/1 columns and categories, else several sets: the condition's disjunctive normal form
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "normal_form.hpp"
#include "postil/rules.hpp"
#include "postil/text.hpp"
#include "problems.hpp"
#include "region.hpp"
#include "resolve.hpp"
#include "scope.hpp"

namespace postil {

namespace {

class Compiler {
 public:
  Compiler(const RuleFile& file, const Schema& schema, const CompileOptions& options)
      : file_(file),
        schema_(schema),
        options_(options),
        scope_(file, schema, options),
        resolver_(scope_, out_.conditions) {}

  Advice run(std::vector<std::string>* notes) {
    for (const Statement& statement : file_.statements) attempt([&] { scope_.take(statement); });
    scope_.finish();
    scope_.move_to(out_);
    seen_ = scope_.facts(Scope::Trust::rows);
    promised_ = scope_.facts(Scope::Trust::promises);
    for (const Statement& statement : file_.statements)
      if (const auto* define = std::get_if<DefineStatement>(&statement.what))  // also those that no rule uses
        attempt([&] { resolver_.definition(*define, statement.spot); });
    for (const Statement& statement : file_.statements)
      if (const auto* rule = std::get_if<RuleStatement>(&statement.what))
        attempt([&] { take_rule(*rule, statement.spot); });
    throw_all();
    if (notes != nullptr) *notes = std::move(notes_);
    return std::move(out_);
  }

 private:
  template <class Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const RuleMistake& stop) {
      problems_.push_back(stop.problem);
    }
  }

  // Those of the parser too, by their place, each once.
  void throw_all() {
    problems_.insert(problems_.end(), options_.mistakes.begin(), options_.mistakes.end());
    const auto place = [](const RuleProblem& problem) { return std::pair(problem.spot.line, problem.spot.column); };
    std::stable_sort(problems_.begin(), problems_.end(),
                     [&](const RuleProblem& a, const RuleProblem& b) { return place(a) < place(b); });
    problems_.erase(std::unique(problems_.begin(), problems_.end(),
                                [&](const RuleProblem& a, const RuleProblem& b) {
                                  return place(a) == place(b) && a.message == b.message;
                                }),
                    problems_.end());
    if (options_.problems != nullptr)
      *options_.problems = std::move(problems_);
    else
      throw_problems(problems_, file_);
  }

  void take_rule(const RuleStatement& rule, Spot spot) {
    CompiledRule out;
    out.id = rule.id.empty() ? fmt::format("line {}", spot.line) : rule.id;
    out.spot = spot;
    out.text = rule.text;
    out.sure = rule.sure;
    out.trust = rule.trust.value_or(1);
    out.margin = rule.margin.value_or(schema_.label.real() ? 0 : 1);
    if (schema_.label.real())
      take_claim(rule, out);
    else
      std::tie(out.class_number, out.positive) = scope_.task_of(rule.consequent);
    if (rule.condition.direction()) out.direction = direction(rule.condition, out.positive);
    out.condition = out.direction ? resolver_.never() : resolver_.condition(rule.condition);
    if (!out.direction) take_regions(out);
    out_.rules.push_back(std::move(out));
  }

  // What a rule says of a label that is a number; of a direction, only that it moves.
  void take_claim(const RuleStatement& rule, CompiledRule& out) {
    const Consequent& said = rule.consequent;
    scope_.check_names_label(said);
    if (rule.sure)
      fail_at({.spot = said.spot,
               .message = "[sure = ...] is about classes; a rule about a number may have [trust = ...]",
               .code = Code::unsupported});
    if (rule.condition.direction()) {
      if (said.number || said.negated)
        fail_at(said.spot,
                fmt::format("a direction says that {0} rises or falls: more x => {0}, less x => {0}", said.name));
      out.claim.emplace();  // of no size
      return;
    }
    if (!said.number)
      fail_at({.spot = said.spot,
               .message = fmt::format("{} holds numbers: say how large it is", in_quotes(said.name)),
               .code = Code::unsupported,
               .expected = fmt::format("a comparison such as {} >= 20000", said.name)});
    Claim claim;
    const Condition& c = *said.number;
    if (c.kind == Condition::Kind::between) {
      claim.low = resolver_.function(c.operands[1]);
      claim.high = resolver_.function(c.operands[2]);
    } else {
      const LinearFunction end = resolver_.function(c.operands[1]);
      const Relation relation = c.relations[0];
      if (relation != Relation::less && relation != Relation::at_most) claim.low = end;
      if (relation != Relation::greater && relation != Relation::at_least) claim.high = end;
      claim.strict = relation == Relation::less || relation == Relation::greater;
    }
    if (claim.low && claim.high && claim.low->terms == claim.high->terms && claim.low->constant > claim.high->constant)
      fail_at(said.spot, fmt::format("no number lies between {} and {}", format_number(claim.low->constant),
                                     format_number(claim.high->constant)));
    out.claim = std::move(claim);
  }

  [[nodiscard]] Direction direction(const Condition& condition, bool positive) const {
    const ColumnItem& column = condition.items[0];
    return {scope_.number_feature(column.first, column.spot),
            (condition.kind == Condition::Kind::more) == positive ? 1.0 : -1.0};
  }

  void take_regions(CompiledRule& out) {
    NormalForm form = normal_form(out_.conditions, out.condition, seen_);
    const auto possible = [&](const Conjunction& rows) { return find_point(pointers(rows), out_.box, {}).has_value(); };
    // What rows have shown so far is no promise: it must not make a rule impossible.
    if (std::none_of(form.conjunctions.begin(), form.conjunctions.end(), possible))
      form = normal_form(out_.conditions, out.condition, promised_);
    out.sets = static_cast<std::uint32_t>(form.conjunctions.size());
    out.cut = form.cut;
    bool meant = false;  // of a column's categories one at most is 1
    for (const Conjunction& rows : form.conjunctions) {
      if (rows.empty()) {  // everywhere: nothing that a hyperplane could learn
        out.cut = true;
        ++out.dropped;
        continue;
      }
      if (!possible(rows)) {
        ++out.dropped;
        continue;
      }
      meant = meant || find_point(pointers(rows), out_.box, out_.one_of).has_value();
      add_sets(out, rows);
    }
    if (!meant && !out.cut)
      fail_at(out.spot,
              fmt::format("no point of the domain satisfies rule {}: its region is empty", in_quotes(out.id)));
    if (out.dropped > 0)
      note(out, fmt::format("{} of the {} branches of rule {} are empty and dropped", out.dropped, out.sets,
                            in_quotes(out.id)));
    if (out.cut)
      note(out,
           fmt::format("rule {} has too many alternatives, or some that no region can express: learners that work with "
                       "regions get {} of them. The rule itself is applied, counted and checked as written",
                       in_quotes(out.id), out.sets - out.dropped));
  }

  void add_sets(const CompiledRule& rule, const Conjunction& rows) {
    const auto number = static_cast<std::uint32_t>(out_.rules.size());
    const auto classes = static_cast<std::uint32_t>(schema_.label.classes.size());
    if (rule.claim) {
      if (rule.claim->low) out_.sets.push_back({number, 0, 1.0, rows, *rule.claim->low});
      if (rule.claim->high) out_.sets.push_back({number, 0, -1.0, rows, *rule.claim->high});
      return;
    }
    out_.sets.push_back({number, rule.class_number, rule.positive ? 1.0 : -1.0, rows});
    if (!options_.exclusive || !rule.positive || classes <= 2) return;
    for (std::uint32_t other = 0; other < classes; ++other)
      if (other != rule.class_number) out_.sets.push_back({number, other, -1.0, rows});
  }

  void note(const CompiledRule& rule, const std::string& text) {
    notes_.push_back(fmt::format("{}:{}: {}", file_.source, rule.spot.line, text));
  }

  const RuleFile& file_;
  const Schema& schema_;
  CompileOptions options_;
  Advice out_;
  Scope scope_;
  Resolver resolver_;
  FeatureFacts seen_, promised_;  // as far as rows have shown; what was promised only
  std::vector<RuleProblem> problems_;
  std::vector<std::string> notes_;
};

}  // namespace

Advice compile_rules(const RuleFile& file, const Schema& schema, const CompileOptions& options,
                     std::vector<std::string>* notes) {
  return Compiler(file, schema, options).run(notes);
}

}  // namespace postil
