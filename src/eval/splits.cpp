// splits.cpp: which rows are learned from and which are tested: by chance, by groups that stay together, in order of time.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "postil/error.hpp"
#include "postil/evaluate.hpp"
#include "postil/random.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

// The rows of each class in random order; regression has one class of all rows.
std::vector<std::vector<std::uint32_t>> shuffled_classes(const DataSet& data, std::span<const std::uint32_t> rows,
                                                         Random& random) {
  std::vector<std::vector<std::uint32_t>> classes(std::max<std::size_t>(1, data.table().labels.size()));
  for (const std::uint32_t row : rows)
    classes[data.table().labels.empty() ? 0 : static_cast<std::size_t>(data.label(row))].push_back(row);
  for (std::vector<std::uint32_t>& members : classes) random.shuffle(std::span(members));
  return classes;
}

// ---- groups ----

struct Group {
  std::vector<std::uint32_t> rows;
  std::vector<std::pair<std::uint32_t, double>> shares;  // of the rows of each class that is here, those that are here
  double size = 0;                                       // sum of the squares of the shares
};

// The groups of these rows in random order.
std::vector<Group> shuffled_groups(const DataSet& data, std::span<const std::uint32_t> rows, Random& random) {
  std::unordered_map<std::uint32_t, std::size_t> places;
  std::vector<Group> groups;
  std::vector<double> totals(std::max<std::size_t>(1, data.table().labels.size()));
  for (const std::uint32_t row : rows) {
    const auto [place, is_new] = places.emplace(data.groups()[row], groups.size());
    if (is_new) groups.emplace_back();
    Group& group = groups[place->second];
    group.rows.push_back(row);
    const std::uint32_t of_class = data.table().labels.empty() ? 0 : static_cast<std::uint32_t>(data.label(row));
    const auto share = std::find_if(group.shares.begin(), group.shares.end(),
                                    [&](const auto& known) { return known.first == of_class; });
    if (share == group.shares.end())
      group.shares.emplace_back(of_class, 1);
    else
      ++share->second;
    ++totals[of_class];
  }
  for (Group& group : groups)
    for (auto& [of_class, share] : group.shares) {
      share /= totals[of_class];
      group.size += share * share;
    }
  random.shuffle(std::span(groups));
  return groups;
}

// The largest group first, each goes to the fold that has least of its classes; of equals, to the one with the fewest rows. So the
// squares of the folds' shares of each class grow as little as they can, and no fold stays empty.
std::vector<std::vector<std::uint32_t>> spread_groups(std::vector<Group> groups, std::size_t classes,
                                                      std::size_t folds) {
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.size > b.size; });
  std::vector<std::vector<std::uint32_t>> parts(folds);
  std::vector<std::vector<double>> shares(folds, std::vector<double>(std::max<std::size_t>(1, classes)));
  for (const Group& group : groups) {
    std::size_t best = 0;
    double least = 0;
    for (std::size_t f = 0; f < folds; ++f) {
      double growth = 0;
      for (const auto& [of_class, share] : group.shares) growth += shares[f][of_class] * share;
      if (f > 0 && (growth > least || (growth == least && parts[f].size() >= parts[best].size()))) continue;
      best = f;
      least = growth;
    }
    parts[best].insert(parts[best].end(), group.rows.begin(), group.rows.end());
    for (const auto& [of_class, share] : group.shares) shares[best][of_class] += share;
  }
  return parts;
}

// ---- times ----

struct Ordered {
  std::vector<std::uint32_t> rows;   // by time; those of one time in the order of the file
  std::vector<std::size_t> changes;  // places of rows whose time is later than that of the row before
};
Ordered in_order(const DataSet& data, std::span<const std::uint32_t> rows) {
  Ordered out;
  out.rows.assign(rows.begin(), rows.end());
  const std::vector<double>& times = data.times();
  std::sort(out.rows.begin(), out.rows.end(),
            [&](std::uint32_t a, std::uint32_t b) { return std::pair(times[a], a) < std::pair(times[b], b); });
  for (std::size_t k = 1; k < out.rows.size(); ++k)
    if (times[out.rows[k]] > times[out.rows[k - 1]]) out.changes.push_back(k);
  return out;
}

// The change of time nearest to this place, among those from `first` to before `last`.
std::size_t nearest_change(const Ordered& ordered, std::size_t wanted, std::size_t first, std::size_t last) {
  std::size_t best = first;
  const auto away = [&](std::size_t k) {
    return std::max(ordered.changes[k], wanted) - std::min(ordered.changes[k], wanted);
  };
  for (std::size_t k = first; k < last; ++k)
    if (away(k) < away(best)) best = k;
  return best;
}

std::vector<Split> folds_in_time(const Ordered& ordered, std::size_t folds) {
  const std::vector<std::uint32_t>& rows = ordered.rows;
  const std::size_t each =
      rows.size() / (folds + 1);  // as scikit-learn's TimeSeriesSplit: what is left over goes to the first
  std::vector<std::size_t> cuts;
  std::size_t next = 0;
  for (std::size_t f = 0; f < folds; ++f) {
    const std::size_t at =
        nearest_change(ordered, rows.size() - (folds - f) * each, next, ordered.changes.size() - (folds - f) + 1);
    cuts.push_back(ordered.changes[at]);
    next = at + 1;
  }
  cuts.push_back(rows.size());
  std::vector<Split> splits(folds);
  const auto at = [&](std::size_t f) { return rows.begin() + static_cast<std::ptrdiff_t>(cuts[f]); };
  for (std::size_t f = 0; f < folds; ++f) {
    splits[f].train.assign(rows.begin(), at(f));
    splits[f].test.assign(at(f), at(f + 1));
  }
  return splits;
}

}  // namespace

std::size_t most_folds(const DataSet& data, std::span<const std::uint32_t> rows) {
  if (!data.times().empty()) return in_order(data, rows).changes.size();
  if (data.groups().empty()) return rows.size();
  std::unordered_set<std::uint32_t> groups;
  for (const std::uint32_t row : rows) groups.insert(data.groups()[row]);
  return groups.size();
}

std::vector<Split> make_folds(const DataSet& data, std::span<const std::uint32_t> rows, std::size_t folds,
                              std::uint64_t seed) {
  const std::size_t most = most_folds(data, rows);
  if (folds > most) {
    const std::string of = !data.times().empty()
                               ? fmt::format(
                                     "{} labelled rows with {} different times; each fold needs a time of its "
                                     "own, and one more is only learned from",
                                     rows.size(), most + 1)
                           : !data.groups().empty() ? fmt::format("{} groups in {} labelled rows", most, rows.size())
                                                    : fmt::format("{} labelled rows", most);
    throw DataError(
        {.code = Code::out_of_range,
         .place = {data.table().source},
         .message = fmt::format("{} folds of only {}", folds, of),
         .found = fmt::format("{} folds", folds),
         .expected = fmt::format("at most {}", most),
         .remedy = most > 1 ? Text(Option{"folds", "", fmt::format("{}", most)}, " is the most possible") : Text()});
  }
  if (!data.times().empty()) return folds_in_time(in_order(data, rows), folds);
  Random random(seed);
  std::vector<std::vector<std::uint32_t>> parts(folds);
  if (!data.groups().empty()) {
    parts = spread_groups(shuffled_groups(data, rows, random), data.table().labels.size(), folds);
  } else {
    std::size_t next = 0;  // goes on from class to class, so that the folds differ by one row at most
    for (const std::vector<std::uint32_t>& members : shuffled_classes(data, rows, random))
      for (const std::uint32_t row : members) parts[next++ % folds].push_back(row);
  }
  std::vector<Split> splits(folds);
  for (std::size_t f = 0; f < folds; ++f) {
    splits[f].test = parts[f];
    for (std::size_t other = 0; other < folds; ++other)
      if (other != f) splits[f].train.insert(splits[f].train.end(), parts[other].begin(), parts[other].end());
    random.shuffle(std::span(splits[f].train));
  }
  return splits;
}

Split draw_split(const DataSet& data, std::size_t train, bool balanced, std::uint64_t seed) {
  const auto fail = [&](const std::string& message) { throw DataError({data.table().source, 0, 0}, message); };
  if (train >= data.rows())
    fail(fmt::format("{} rows to learn from leave none of the {} labelled ones for the test", train, data.rows()));
  Random random(seed);
  std::vector<std::uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0);
  Split split;
  if (balanced && !(data.times().empty() && data.groups().empty()))
    throw ParamError("balanced training rows cannot be drawn by group or by time");
  if (!data.times().empty()) {
    const Ordered ordered = in_order(data, rows);
    if (ordered.changes.empty()) fail("all rows have the same time, so none are later than those to learn from");
    const auto cut =
        ordered.rows.begin() +
        static_cast<std::ptrdiff_t>(ordered.changes[nearest_change(ordered, train, 0, ordered.changes.size())]);
    split.train.assign(ordered.rows.begin(), cut);
    split.test.assign(cut, ordered.rows.end());
    return split;
  }
  if (!data.groups().empty()) {
    for (const Group& group : shuffled_groups(data, rows, random)) {
      std::vector<std::uint32_t>& side = split.train.size() < train ? split.train : split.test;
      side.insert(side.end(), group.rows.begin(), group.rows.end());
    }
    if (split.test.empty())
      fail(fmt::format("{} rows to learn from need all {} groups, so none is left for the test", train,
                       most_folds(data, rows)));
    random.shuffle(std::span(split.train));
    split.train.resize(train);
    return split;
  }
  if (!balanced) {
    random.shuffle(std::span(rows));
    split.train.assign(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(train));
    split.test.assign(rows.begin() + static_cast<std::ptrdiff_t>(train), rows.end());
    return split;
  }
  const std::vector<std::vector<std::uint32_t>> classes = shuffled_classes(data, rows, random);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::size_t wanted = train / classes.size() + (c < train % classes.size() ? 1 : 0);
    if (wanted >= classes[c].size())
      fail(fmt::format("class {} has {} rows: too few to learn from {} of them and to test on others",
                       in_quotes(data.table().labels[c]), classes[c].size(), wanted));
    const auto cut = classes[c].begin() + static_cast<std::ptrdiff_t>(wanted);
    split.train.insert(split.train.end(), classes[c].begin(), cut);
    split.test.insert(split.test.end(), cut, classes[c].end());
  }
  random.shuffle(std::span(split.train));
  return split;
}

}  // namespace postil
