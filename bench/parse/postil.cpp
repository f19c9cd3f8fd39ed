#include <bit>

#include "parse.hpp"
#include "postil/data.hpp"

namespace bench {

Answer read_postil(const std::string& path, bool csv, unsigned threads, bool check) {
  postil::ReadOptions options;
  options.format = csv ? postil::Format::csv : postil::Format::libsvm;
  options.threads = threads;
  options.real_labels = true;
  postil::Reader reader(path, options);
  Answer answer;
  for (postil::Block block; reader.next(block);) {
    answer.rows += block.rows();
    answer.values += block.nonzeros();
    if (!check) continue;
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const postil::Row row = block.row(i);
      mix(answer.hash, std::bit_cast<std::uint64_t>(block.labels()[i]));
      for (std::size_t k = 0; k < row.count; ++k) {
        mix(answer.hash, row.index(k));
        mix(answer.hash, std::bit_cast<std::uint64_t>(row.value(k)));
      }
    }
  }
  return answer;
}

}  // namespace bench
