// Any rules beside any rows: what they should have been, rules from the rows, the next row to label. Never a crash; what is proposed
// can be read as rules again, and does what is told of it.
#include "fuzz.hpp"

namespace {

using namespace postil;

void try_repairs(const RuleFile& file, const Advice& advice, const Schema& schema, const DataSet& data) {
  const RepairReport report = suggest_repairs(file, advice, schema, data);
  (void)repair_json(report, advice);
  (void)repair_text(report, advice);
  std::vector<RuleEdit> all;
  for (const RuleRepair& repair : report.repairs) {
    fuzz::require(repair.was.right <= repair.was.rows && repair.would.right <= repair.would.rows);
    fuzz::require(repair.chance >= 0 && repair.chance <= 1);
    all.push_back(repair.edit);
    (void)compile_rules(with_edits(file, std::vector{repair.edit}), schema);
  }
  try {
    (void)with_edits(file, all);
  } catch (const ParamError&) {  // all at once may leave nothing of a rule
  }
}

void try_suggestions(const Recipe& recipe, const Advice& advice, const Schema& schema, const DataSet& data) {
  const Suggestions found = suggest_rules(advice, schema, data, recipe, {.rules = 3, .conditions = 2});
  (void)suggestions_json(found, schema);
  const RuleFile again = without_problems(parse_rules(suggestions_text(found), "suggested"));
  (void)compile_rules(again, schema);
}

void try_asking(const Model& model, const std::string& rows) {
  ReadOptions read;
  read.schema = &model.schema();
  read.label_needed = false;
  Reader pool = Reader::from_memory(rows, read);
  const Asked asked = ask(model, pool, {.count = 4, .labelled = true});
  for (const AskedRow& row : asked.rows) fuzz::require(row.row < asked.seen && !(row.value < 0));
  (void)ask_json(model, asked);
}

template <class F>
void attempt(const F& f) {
  try {
    f();
  } catch (const Error&) {
  }
}

}  // namespace

// Rules, a line "%%", and CSV.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = text.find("\n%%\n");
  if (cut == std::string::npos || size > 20'000) return 0;
  const std::string rows = text.substr(cut + 4);
  attempt([&] {
    const RuleFile file = without_problems(parse_rules(text.substr(0, cut + 1), "rules"));
    Recipe recipe;
    recipe.rules = file;
    recipe.label.take_claims(file);
    recipe.memory = 1'000'000;
    ReadOptions read = recipe.reading({});
    read.format = Format::csv;
    Reader reader = Reader::from_memory(rows, read);
    if (reader.table().columns.size() > 100) return;
    const Schema schema = survey_source(reader, read.wishes, recipe, file);
    const Advice advice = compile_rules(file, schema);
    read.schema = &schema;
    read.real_labels = schema.label.real();
    Reader again = Reader::from_memory(rows, read);
    const DataSet labelled(again);
    attempt([&] { try_repairs(file, advice, schema, labelled); });
    attempt([&] { try_suggestions(recipe, advice, schema, labelled); });
    attempt([&] {
      Model model = recipe.begin(Schema(schema));
      attempt([&] { try_asking(model, rows); });
      ModelEncoder encoder(model, labelled.table());
      std::vector<std::uint32_t> some;
      for (std::uint32_t i = 0; i < labelled.rows() && i < 20; ++i) some.push_back(i);
      const Block block = encoder.encode(labelled.select(some));
      model.learn(block, true);
      try_asking(model, rows);
    });
  });
  return 0;
}
