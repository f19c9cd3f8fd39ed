// Any bytes as a file to look at: an answer or a refusal, and where the reader takes all rows, as many as it takes, with as many
// values missing in each column.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  const std::string text(reinterpret_cast<const char*>(data), size);
  ReadOptions options;
  options.most_features = 10'000;
  Inspection found;
  try {
    found = inspect_memory(text, options);
  } catch (const Error&) {
    return 0;
  }
  (void)inspection_text(found);
  (void)inspection_json(found);
  if (found.format == Format::libsvm) return 0;
  try {
    Reader reader = Reader::from_memory(text, options);
    std::uint64_t rows = 0;
    std::vector<std::uint64_t> missing(reader.table().columns.size());
    for (Block block; reader.next(block); block = Block())
      for (std::size_t i = 0; i < block.rows(); ++i, ++rows)
        for (std::size_t j = 0; j < missing.size(); ++j) missing[j] += std::isnan(block.row(i).value(j));
    fuzz::require(found.rows == rows);
    std::size_t j = 0;
    for (const InspectedColumn& column : found.columns)
      if (column.role != InspectedColumn::Role::label) {
        fuzz::require(column.name == reader.table().columns[j].name);
        fuzz::require(column.missing == missing[j++]);
      }
  } catch (const Error&) {  // what cannot be learned from can be looked at
  }
  return 0;
}
