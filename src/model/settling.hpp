// The first rows of a session, kept until its schema is settled, and what is to be made of them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/tensor_file.hpp"
#include "postil/row.hpp"
#include "postil/train.hpp"
#include "row_sample.hpp"

namespace postil {

struct Settling {
  Recipe recipe;
  ColumnWishes wishes;
  Table table;              // what the rows' codes mean
  std::vector<Block> rows;  // one each, as wide as the table; its line is its number in the stream

  RowSample unlabelled{.most = 256};  // of the rows without a label: they tell of the columns, too
};

nlohmann::json columns_json(const Table& table);
void columns_from_json(const nlohmann::json& json, Table& table, const std::string& name);  // throws ModelError
nlohmann::json recipe_json(const Recipe& recipe, const ColumnWishes& wishes);
Recipe recipe_from_json(const nlohmann::json& json);
ColumnWishes wishes_from_json(const nlohmann::json& json);

void put_settling(const Settling& settling, TensorFile& file);
bool has_settling(const TensorFile& file);
Settling get_settling(const TensorFile& file, const std::string& name);

}  // namespace postil
