// Learning from rows in several places, as functions of bytes.
#include "shards.hpp"

#include <nanobind/stl/string.h>

#include "interrupt.hpp"
#include "postil/shards.hpp"
#include "rows.hpp"
#include "wishes.hpp"

namespace postil::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT(google-build-using-namespace)

std::string text_of(const nb::bytes& bytes) { return {bytes.c_str(), bytes.size()}; }
nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }

nb::bytes begin(const nb::dict& recipe, std::uint64_t rounds) {
  const Wishes wishes = wishes_of(recipe);
  ShardPlan plan;
  plan.recipe = wishes.recipe;
  plan.read.wishes = wishes.columns;
  plan.rounds = rounds;
  return bytes_of(begin_shards(plan));
}

nb::bytes update(const nb::bytes& model, Rows& rows, std::uint64_t shard, std::uint64_t seed, const std::string& kind) {
  std::string bytes = text_of(model), state;
  {
    const Interruptible interruptible;
    const nb::gil_scoped_release release;
    const ShardModel of = ShardModel::from_bytes(std::move(bytes), "the model");
    rows.check_finite(of.missing_allowed());
    if (const std::optional<Table> columns = of.columns()) rows.arrange(*columns);
    rows.rewind();
    state = of.update(rows, shard, seed, {}, label_kind_of(kind));
  }
  return bytes_of(state);
}

nb::bytes merge(const nb::bytes& a, const nb::bytes& b) {
  std::string first = text_of(a), second = text_of(b);
  {
    const nb::gil_scoped_release release;
    first = merge_shards(first, second);
  }
  return bytes_of(first);
}

nb::bytes finish(const nb::bytes& state, std::uint64_t shards) {
  std::string bytes = text_of(state);
  {
    const Interruptible interruptible;
    const nb::gil_scoped_release release;
    bytes = finish_shards(bytes, shards);
  }
  return bytes_of(bytes);
}

}  // namespace

void add_shards(nb::module_& m) {
  m.def("begin_shards", &begin, "recipe"_a, "rounds"_a = 0, "The plan that the first round begins with.");
  m.def("update_shard", &update, "model"_a, "rows"_a, "shard"_a, "seed"_a = 0, "label_kind"_a = "",
        "The state of a shard after a round.");
  m.def("merge_shards", &merge, "a"_a, "b"_a, "The state of the shards of a and, right after them, b.");
  m.def("finish_shards", &finish, "state"_a, "shards"_a, "What the next round begins with, or the model.");
  m.def(
      "shards_done", [](const nb::bytes& model) { return shards_done(text_of(model)); }, "model"_a);
  m.def(
      "shards_stage",
      [](const nb::bytes& model) { return ShardModel::from_bytes(text_of(model), "the model").stage(); }, "model"_a);
  m.def(
      "shards_numbers",
      [](const nb::bytes& model) { return ShardModel::from_bytes(text_of(model), "the model").numbers(); }, "model"_a,
      "whether labels are numbers");
}

}  // namespace postil::python
