// The first rows of a session, kept until its schema is settled, and what is to be made of them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/tensor_file.hpp"
#include "postil/row.hpp"
#include "postil/train.hpp"

namespace postil {

struct Settling {
  Recipe recipe;
  ColumnWishes wishes;
  Table table;              // what the rows' codes mean
  std::vector<Block> rows;  // one each, as wide as the table; its line is its number in the stream

  // A sample of the rows without a label, of at most kMostUnlabelled: they tell of the columns, too.
  static constexpr std::size_t kMostUnlabelled = 256;
  std::vector<Block> unlabelled;
  std::uint64_t unlabelled_seen = 0;
  void look_at(Block row);
};

nlohmann::json recipe_json(const Recipe& recipe, const ColumnWishes& wishes);
Recipe recipe_from_json(const nlohmann::json& json);
ColumnWishes wishes_from_json(const nlohmann::json& json);

void put_settling(const Settling& settling, TensorFile& file);
bool has_settling(const TensorFile& file);
Settling get_settling(const TensorFile& file, const std::string& name);

}  // namespace postil
