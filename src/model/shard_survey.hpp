// What the first round over shards finds out: columns, categories, moments, classes, and rows to study.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/strict_json.hpp"
#include "file_state.hpp"
#include "postil/train.hpp"
#include "raw_rows.hpp"
#include "settling.hpp"

namespace postil {

// Rows for learners to study, the same ones however the rows are divided and merged: each has a number of its own, and those with
// the smallest are kept.
struct StudyRows {
  static constexpr std::size_t kStudied = 1024;
  struct Kept {
    std::uint64_t number;
    Block row;
  };
  std::vector<Kept> rows;

  void add(const Block& block, std::size_t i, std::uint64_t number) {
    if (rows.size() == 2 * kStudied) cut();
    if (rows.size() < kStudied || number < limit_) rows.push_back({number, Block(block.copied(i, 1))});
  }
  void cut() {
    std::sort(rows.begin(), rows.end(), [](const Kept& a, const Kept& b) { return a.number < b.number; });
    if (rows.size() > kStudied) rows.resize(kStudied);
    if (rows.size() == kStudied) limit_ = rows.back().number;
  }

 private:
  std::uint64_t limit_ = ~std::uint64_t{0};  // no row with a larger number is wanted
};

struct SurveyState {
  Table table;
  std::unique_ptr<Survey> survey;  // of the table; neither moves
  StudyRows study;
  std::vector<std::uint64_t> rows;  // of each shard
  LabelKind kind = LabelKind::unknown;

  void put(TensorFile& file) {
    file.metadata["table"] =
        nlohmann::json{{"source", table.source},    {"sparse", table.sparse()}, {"width", table.width},
                       {"label", table.label_name}, {"label_kind", word(kind)}, {"labels", table.labels}}
            .dump();
    FileWriter out(file, "survey.");
    out.text("table", columns_json(table).dump());
    survey->write(out);
    study.cut();
    RawRows kept;
    std::vector<std::uint64_t> numbers;
    for (const StudyRows::Kept& row : study.rows) {
      kept.add(row.row.row(0));
      numbers.push_back(row.number);
    }
    std::move(kept).put(file, "study.");
    file.tensors["study.numbers"] = std::move(numbers);
    file.tensors["rows"] = rows;
  }
  // Into a state that stays where it is.
  void get(const TensorFile& file, const std::string& name, const Recipe& recipe, const ColumnWishes& wishes) {
    const nlohmann::json json = parse_strictly(file.metadata.at("table"));
    const FileReader state(file, name, "study.");
    FileReader counts(file, name, "survey.");
    table.source = json.at("source").get<std::string>();
    table.form = json.at("sparse").get<bool>() ? Columns::sparse : Columns::named;
    table.width = whole_number<std::uint32_t>(json.at("width"));
    table.label_name = json.at("label").get<std::string>();
    table.labels = json.at("labels").get<std::vector<std::string>>();
    kind = label_kind_of(json.at("label_kind").get<std::string>());
    columns_from_json(parse_strictly(counts.text("table")), table, name);
    survey = std::make_unique<Survey>(recipe.survey(table, wishes));
    if (!survey->read(counts)) throw ModelError({name, 0, 0}, "its survey is damaged");
    std::vector<BlockData> kept = RawRows::get(state, table, [&](const char* what) {
      throw ModelError({name, 0, 0}, what);
    });
    const auto& numbers = state.find<std::uint64_t>("numbers");
    if (numbers.size() != kept.size()) throw ModelError({name, 0, 0}, "its parts do not fit together");
    for (std::size_t i = 0; i < kept.size(); ++i) study.rows.push_back({numbers[i], Block(std::move(kept[i]))});
    rows = FileReader(file, name, "").find<std::uint64_t>("rows");
  }

  void merge(SurveyState& later) {
    const std::size_t width = table.columns.size();
    const TableCodes codes = unite(table, later.table);
    survey->merge(*later.survey, codes);
    const bool wider = table.columns.size() > width;
    if (wider)
      for (StudyRows::Kept& kept : study.rows) kept.row = recoded(kept.row.row(0), nullptr);
    if (!table.sparse() && (later.table.columns.size() < table.columns.size() || !same(codes)))
      for (StudyRows::Kept& kept : later.study.rows) kept.row = recoded(kept.row.row(0), &codes);
    for (StudyRows::Kept& kept : later.study.rows) study.rows.push_back(std::move(kept));
    study.cut();
    rows.insert(rows.end(), later.rows.begin(), later.rows.end());
    if (kind == LabelKind::unknown || kind == later.kind) {
      kind = later.kind;
    } else if (later.kind != LabelKind::unknown) {  // numbers of two kinds, or texts beside others
      const auto number = [](LabelKind of) { return of == LabelKind::integer || of == LabelKind::number; };
      kind = number(kind) && number(later.kind) ? LabelKind::number : LabelKind::text;
    }
  }

  // Whether codes are what they were.
  static bool same(const TableCodes& codes) {
    const auto counts_up = [](const std::vector<std::size_t>& places) {
      for (std::size_t k = 0; k < places.size(); ++k)
        if (places[k] != k) return false;
      return true;
    };
    return counts_up(codes.columns) && std::all_of(codes.texts.begin(), codes.texts.end(), counts_up);
  }

  // A row as wide as the table, with its codes.
  [[nodiscard]] Block recoded(const Row& row, const TableCodes* codes) const {
    BlockData data;
    data.width = static_cast<std::uint32_t>(table.columns.size());
    data.values.assign(data.width, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < row.count; ++k) {
      const std::size_t j = codes == nullptr ? row.index(k) : codes->columns[row.index(k)];
      const double value = row.value(k);
      const bool text = codes != nullptr && value == value && !codes->texts[row.index(k)].empty();
      data.values[j] =
          text ? static_cast<double>(codes->texts[row.index(k)].at(static_cast<std::size_t>(value))) : value;
    }
    return Block(std::move(data));
  }
};

}  // namespace postil
