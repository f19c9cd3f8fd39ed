// earlier_formats.cpp: model files of earlier formats, as the present one has them.
//
// Up to format 2 the learner that is now `wager` was called `advised`, and was what a stream with rules took unless told otherwise.
// Format 1 (up to version 0.1) did not keep apart what was declared of a column and what its rows had shown: all of it bounded rules, and so it is
// taken as declared. The features of the columns followed one another. Rules were compiled when a file was loaded. The first
// rows of a stream were kept as text.
#include <fmt/format.h>

#include <cmath>

#include "core/strict_json.hpp"
#include "file_state.hpp"
#include "model_parts.hpp"
#include "postil/data.hpp"
#include "postil/rules.hpp"
#include "settling.hpp"

namespace postil {
namespace {

using Json = nlohmann::json;

void number_features(TensorFile& file, const std::string& name) {
  const FileReader state(file, name, "schema.");
  Json columns = parse_strictly(state.text("columns"));
  std::vector<std::uint64_t> features;
  for (Json& entry : columns) {
    const std::string kind = entry.at("kind").get<std::string>();
    entry["seen"] = entry["promised"] = kind;
    entry.erase("kind");
    const std::size_t categories =
        kind == "categorical" && entry.contains("categories") ? entry["categories"].size() : 0;
    const std::size_t own = (kind == "categorical" ? categories : 1) + (entry.at("missing") == "indicator" ? 1 : 0);
    for (std::size_t k = 0; k < own; ++k) features.push_back(features.size());
  }
  FileWriter(file, "schema.").text("columns", columns.dump());
  file.tensors["schema.features"] = std::move(features);
}

// The text of a stream's first rows becomes blocks.
void settle_rows(TensorFile& file, const std::string& name) {
  const auto found = file.metadata.find("warmup");
  if (found == file.metadata.end()) return;
  const FileReader state(file, name, "warmup.");
  const Json warm_up = parse_strictly(found->second),
             options = parse_strictly(warm_up.at("options").get<std::string>());
  const std::vector<std::uint64_t>& numbers = state.find<std::uint64_t>("rows");
  if (numbers.size() != whole_number<std::uint64_t>(warm_up.at("count")))
    throw ModelError({name, 0, 0}, "its first rows are damaged");

  Settling settling;
  settling.recipe = recipe_from_json(options);
  settling.wishes = wishes_from_json(options);
  ReadOptions read;
  read.wishes = settling.wishes;
  read.real_labels = settling.recipe.label.regression;
  read.format = options.at("libsvm").get<bool>() ? Format::libsvm : Format::csv;
  read.delimiter = ',';
  read.header = true;
  if (read.format == Format::csv) read.label = options.at("label").get<std::string>();
  if (const auto weight = options.at("weight").get<std::string>(); !weight.empty()) read.weight = weight;
  if (!numbers.empty()) {
    Reader reader = Reader::from_memory(state.text("text"), read);
    std::size_t taken = 0;
    for (Block block; reader.next(block); block = Block())
      for (std::size_t i = 0; i < block.rows() && taken < numbers.size(); ++i) {
        BlockData one = block.copied(i, 1);
        one.lines = {numbers[taken++]};
        settling.rows.emplace_back(std::move(one));
      }
    settling.table = reader.table();
  } else if (!state.text("text").empty()) {
    settling.table = Reader::from_memory(state.text("text"), read).table();
  }
  put_settling(settling, file);
  file.metadata.erase("warmup");
  file.tensors.erase("warmup.rows");
  file.tensors.erase("warmup.text");
}

void rename_learner(TensorFile& file) {
  Json params = parse_strictly(file.metadata.at("params"));
  if (params.at("learner") == "advised") params["learner"] = "wager";
  file.metadata["params"] = params.dump();
  const auto found = file.metadata.find("settling");
  if (found == file.metadata.end()) return;
  Json settling = parse_strictly(found->second);
  settling.at("recipe").at("learner") = params["learner"];
  found->second = settling.dump();
}

}  // namespace

void bring_up_to_date(TensorFile& file, const std::string& name) {
  std::string& version = file.metadata.at("postil");
  if (version == kModelFormat) return;
  if (version != "1" && version != "2")
    throw ModelError(
        {.code = Code::wrong_version,
         .place = {name},
         .message = fmt::format("the file has model format version '{}'; this program reads versions 1 to {}", version,
                                kModelFormat),
         .found = version,
         .expected = fmt::format("1 to {}", kModelFormat)});
  if (version == "1") {
    number_features(file, name);
    try {
      settle_rows(file, name);
    } catch (const ModelError&) {
      throw;
    } catch (const Error& error) {
      throw ModelError({name, 0, 0}, fmt::format("its first rows are damaged: {}", error.message()));
    }
  }
  rename_learner(file);
  version = kModelFormat;
}

}  // namespace postil
