// No bytes may crash the model reader; a model that it accepts must predict, and save to a file that it accepts again.
#include "fuzz.hpp"

namespace {

using namespace postil;

void try_load(const std::string& bytes) {
  try {
    Model model = Model::from_bytes(bytes, "fuzz");
    const std::string saved = model.to_bytes();
    fuzz::require(Model::from_bytes(saved, "again").to_bytes() == saved);
    std::vector<double> scores(model.outputs()), x(model.schema().width(), 0.5), novelty(model.outputs());
    const Row row{.values = x.data(), .count = model.schema().width()};
    model.score(row, scores);
    (void)model.novelty(row, novelty);
    model.learn(row, 0, 1, true);
    model.learn(row, 1, 1, true);
    (void)model.schema().feature_names();
    for (std::size_t k = 0; k < model.outputs(); ++k) (void)model.explain_advice(k);
    for (std::size_t r = 0; model.ledger() && r < model.advice()->rules.size(); ++r) (void)model.ledger()->entry(r);
  } catch (const Error&) {
  }
  try {  // as a session it must go on, and save to a file that it accepts again
    Session session = Session::from_bytes(bytes, "fuzz");
    const std::string saved = session.to_bytes();
    fuzz::require(Session::from_bytes(saved, "again").to_bytes() == saved);
    const Table& table = session.table();
    if (table.sparse() || table.columns.size() > 1000 || session.model()->learner().mode == Mode::batch) return;
    BlockData row;
    row.width = static_cast<std::uint32_t>(table.columns.size());
    for (const TableColumn& column : table.columns)
      row.values.push_back(column.type == TableColumn::Type::text ? std::numeric_limits<double>::quiet_NaN() : 1);
    row.labels = {session.model()->schema().label.real() ? 2.5 : session.label_code("new")};
    session.take(Block(std::move(row)));
    fuzz::require(!session.to_bytes().empty());
  } catch (const Error&) {
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try_load(bytes);
  try_load(fuzz::with_checksum(bytes));
  return 0;
}
