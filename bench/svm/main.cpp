// Kernel machines and ellipsoids: against LIBSVM on the same rows with the same stopping rule, and against the matrix operations
// that no implementation can do without, from OpenBLAS, in the same run. Times alternate; medians, ratios with their smallest
// and largest.
//   bench_svm [DATA.svm]      rows of a LIBSVM file in place of generated ones, for the kernel machines
#include <fmt/format.h>
#include <svm.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>

#include "postil/postil.hpp"

extern "C" {
void dsymv_(const char*, const int*, const double*, const double*, const int*, const double*, const int*, const double*,
            double*, const int*);
void dgemv_(const char*, const int*, const int*, const double*, const double*, const int*, const double*, const int*,
            const double*, double*, const int*);
void dsyr_(const char*, const int*, const double*, const double*, const int*, double*, const int*);
void dger_(const int*, const int*, const double*, const double*, const int*, const double*, const int*, double*,
           const int*);
void dsyr2_(const char*, const int*, const double*, const double*, const int*, const double*, const int*, double*,
            const int*);
}

namespace {

using namespace postil;
using Settings = std::map<std::string, std::string>;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double timed(const std::function<void()>& work) {
  const double start = now();
  work();
  return now() - start;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// "0.35 (0.33-0.39)" of a/b, pair by pair.
std::string ratio(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i] / b[i]);
  std::sort(out.begin(), out.end());
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", out[out.size() / 2], out.front(), out.back());
}

// ---- rows ----

struct Rows {
  std::vector<std::vector<std::pair<std::uint32_t, double>>> x;
  std::vector<double> y;
  std::uint32_t features = 0;

  [[nodiscard]] Rows first(std::size_t m) const {
    return {{x.begin(), x.begin() + static_cast<std::ptrdiff_t>(m)},
            {y.begin(), y.begin() + static_cast<std::ptrdiff_t>(m)},
            features};
  }
  [[nodiscard]] Block block() const {
    BlockData data;
    data.width = features;
    data.starts.push_back(0);
    for (const auto& row : x) {
      for (const auto& [index, value] : row) {
        data.indices.push_back(index);
        data.values.push_back(value);
      }
      data.starts.push_back(data.values.size());
    }
    return Block(std::move(data));
  }
};

Rows generated(std::size_t m, std::uint32_t n) {
  Random random(1);
  Rows out;
  out.features = n;
  for (std::size_t i = 0; i < m; ++i) {
    std::vector<std::pair<std::uint32_t, double>> row;
    double sum = 0;
    for (std::uint32_t j = 0; j < n; ++j) {
      row.emplace_back(j, random.normal());
      sum += j % 2 == 0 ? row.back().second : row.back().second * row.back().second - 1;
    }
    out.y.push_back(sum + random.normal() > 0 ? 1 : -1);
    out.x.push_back(std::move(row));
  }
  return out;
}

Rows read(const std::string& path) {
  Reader reader(path, {});
  Rows out;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> seen;
  for (Block block; reader.next(block);)
    for (std::size_t i = 0; i < block.rows(); ++i) {
      std::vector<std::pair<std::uint32_t, double>> row;
      const Row x = block.row(i);
      for (std::size_t k = 0; k < x.count; ++k) row.emplace_back(x.index(k), x.value(k));
      out.x.push_back(std::move(row));
      out.y.push_back(block.labels()[i] == 0 ? 1 : -1);  // the first label seen
    }
  out.features = reader.table().width;
  return out;
}

// ---- both machines ----

class Libsvm {
 public:
  explicit Libsvm(const Rows& rows) {
    svm_set_print_string_function([](const char*) {});
    for (const auto& row : rows.x) {
      std::vector<svm_node>& nodes = nodes_.emplace_back();
      for (const auto& [index, value] : row) nodes.push_back({static_cast<int>(index) + 1, value});
      nodes.push_back({-1, 0});
    }
    for (auto& nodes : nodes_) pointers_.push_back(nodes.data());
    y_ = rows.y;
    problem_ = {static_cast<int>(y_.size()), y_.data(), pointers_.data()};
  }
  ~Libsvm() { forget(); }
  Libsvm(const Libsvm&) = delete;
  Libsvm& operator=(const Libsvm&) = delete;
  void train(bool nu, double gamma, double share) {
    forget();
    svm_parameter p{};
    p.svm_type = nu ? NU_SVC : C_SVC;
    p.kernel_type = RBF;
    p.gamma = gamma;
    p.C = 1;
    p.nu = share;
    p.cache_size = 200;
    p.eps = 1e-3;
    p.shrinking = 1;
    model_ = svm_train(&problem_, &p);
  }
  [[nodiscard]] double decision(std::size_t i) const {
    double value = 0;
    svm_predict_values(model_, nodes_[i].data(), &value);
    int labels[2];
    svm_get_labels(model_, labels);
    return labels[0] == 1 ? value : -value;
  }

 private:
  void forget() {
    if (model_ != nullptr) svm_free_and_destroy_model(&model_);
  }
  std::vector<std::vector<svm_node>> nodes_;
  std::vector<svm_node*> pointers_;
  std::vector<double> y_;
  svm_problem problem_{};
  svm_model* model_ = nullptr;
};

struct Fitted {
  std::unique_ptr<Learner> learner;
  FitReport report;
};
Fitted fit(const Rows& rows, const Block& block, const char* name, const Settings& settings) {
  const LearnerInfo& info = find_learner(name);
  Fitted out{info.make(Params(info.name, info.params, settings)), {}};
  out.learner->grow(rows.features);
  out.report = out.learner->fit({std::span(&block, 1), rows.y, {}});
  return out;
}

double gamma_of(const Rows& rows) {
  double squares = 0, sum = 0;
  for (const auto& row : rows.x)
    for (const auto& [index, value] : row) {
      sum += value;
      squares += value * value;
    }
  const double count = static_cast<double>(rows.x.size()) * rows.features;
  return 1 / (rows.features * (squares / count - sum * sum / count / count));
}

void against_libsvm(const Rows& all) {
  const double gamma = gamma_of(all), share = 0.2;
  const std::string width = fmt::format("{}", gamma);
  fmt::print("RBF, gamma {:.4g}, tolerance 1e-3, cache 200 MB: time of ours / LIBSVM's, and how far decisions differ\n",
             gamma);
  for (const std::size_t m : {std::size_t{1000}, std::size_t{2000}, std::size_t{4000}}) {
    if (m > all.x.size()) break;
    const Rows rows = all.first(m);
    const Block block = rows.block();
    Libsvm peer(rows);
    for (const bool nu : {false, true}) {
      const Settings settings{{"gamma", width}, {"nu", nu ? fmt::format("{}", share) : "0"}};
      std::vector<double> own, theirs;
      double apart = 0;
      std::uint64_t iterations = 0;
      for (int run = 0; run < 5; ++run) {
        Fitted fitted;
        own.push_back(timed([&] { fitted = fit(rows, block, "svm", settings); }));
        theirs.push_back(timed([&] { peer.train(nu, gamma, share); }));
        iterations = fitted.report.iterations;
        for (std::size_t i = 0; run == 0 && i < m; ++i)
          apart = std::max(apart, std::fabs(fitted.learner->score(block.row(i)) - peer.decision(i)));
      }
      fmt::print("  m {:5} {:2}   ours {:.3f} s, LIBSVM {:.3f} s, ratio {}   decisions within {:.2g}, {} iterations\n",
                 m, nu ? "nu" : "C", median(own), median(theirs), ratio(own, theirs), apart, iterations);
    }
  }
  fmt::print(
      "kernel e-SVM, hard margin (analytic centre), 1 - r = 1e-6: time / LIBSVM's nu machine (wanted: at most 12)\n");
  for (const std::size_t m : {std::size_t{1000}, std::size_t{2000}}) {
    if (m > all.x.size()) break;
    const Rows rows = all.first(m);
    const Block block = rows.block();
    Libsvm peer(rows);
    std::vector<double> own, theirs;
    FitReport report;
    try {
      for (int run = 0; run < 3; ++run) {
        own.push_back(timed([&] {
          report =
              fit(rows, block, "esvm", {{"kernel", "rbf"}, {"gamma", width}, {"margin", "hard"}, {"novelty", "false"}})
                  .report;
        }));
        theirs.push_back(timed([&] { peer.train(true, gamma, share); }));
      }
      fmt::print("  m {:5}   {:.3f} s, LIBSVM {:.3f} s, ratio {}   {}, {} rounds, gap {:.2g}\n", m, median(own),
                 median(theirs), ratio(own, theirs), report.status, report.iterations, *report.gap);
    } catch (const Error& error) {
      fmt::print("  m {:5}   {}\n", m, error.what());
    }
  }
  fmt::print(
      "kernel e-SVM, soft margin, nu 0.1, SMO: seconds of a step / a symmetric rank-two update of m x m (wanted: at "
      "most 3)\n");
  for (const std::size_t m : {std::size_t{1000}, std::size_t{2000}, std::size_t{4000}}) {
    if (m > all.x.size()) break;
    const Rows rows = all.first(m);
    const Block block = rows.block();
    FitReport report;
    const double seconds = timed([&] {
      report = fit(rows, block, "esvm", {{"kernel", "rbf"}, {"gamma", width}, {"solver", "smo"}, {"novelty", "false"}})
                   .report;
    });
    std::vector<double> a(m * m, 1), x(m, 1e-3), y(m, 2e-3), updates;
    const int n = static_cast<int>(m), one = 1;
    const double factor = 1e-9;
    for (int run = 0; run < 9; ++run)
      updates.push_back(timed([&] { dsyr2_("L", &n, &factor, x.data(), &one, y.data(), &one, a.data(), &n); }));
    const double step = seconds / static_cast<double>(report.iterations);
    fmt::print("  m {:5}   {:.2f} s in all, {}, {} steps: {:.0f} us a step, update {:.0f} us, ratio {:.2f}\n", m,
               seconds, report.status, report.iterations, 1e6 * step, 1e6 * median(updates), step / median(updates));
  }
}

// ---- the online machine ----

void online() {
  fmt::print(
      "online e-SVM, dense rows, T = 500 n: time a round / (Bx and the rank-one update by OpenBLAS, the faster of its "
      "two "
      "forms each) (wanted: at most 4)\n");
  double last = 0, last_n = 0;
  for (const std::uint32_t n : {54U, 120U, 200U}) {
    const std::size_t rounds = 500 * static_cast<std::size_t>(n);
    Random random(2);
    std::vector<double> x(1000 * static_cast<std::size_t>(n)), y;
    for (double& value : x) value = random.normal();
    for (std::size_t i = 0; i < 1000; ++i) y.push_back(x[i * n] - x[i * n + 1] + 0.5 * random.normal() > 0 ? 1 : -1);
    const LearnerInfo& info = find_learner("esvm-online");
    std::vector<double> own, floor;
    double updates = 0;
    for (int run = 0; run < 5; ++run) {
      auto learner = info.make(Params(info.name, info.params, {{"bias", "none"}}));
      learner->grow(n);
      updates = 0;
      own.push_back(timed([&] {
                      for (std::size_t t = 0; t < rounds; ++t) {
                        const std::size_t i = t % 1000;
                        updates += learner->learn({.values = x.data() + i * n, .count = n}, y[i], 1).updated ? 1 : 0;
                      }
                    }) /
                    static_cast<double>(rounds));
      std::vector<double> b(static_cast<std::size_t>(n) * n, 1e-3), bx(n);
      const int size = static_cast<int>(n), one = 1;
      const double unit = 1, zero = 0, small = 1e-12;
      const auto each = [&](const std::function<void(const double*)>& work) {
        return timed([&] {
                 for (std::size_t t = 0; t < rounds; ++t) work(x.data() + t % 1000 * n);
               }) /
               static_cast<double>(rounds);
      };
      const double symv =
          each([&](const double* v) { dsymv_("L", &size, &unit, b.data(), &size, v, &one, &zero, bx.data(), &one); });
      const double gemv = each(
          [&](const double* v) { dgemv_("N", &size, &size, &unit, b.data(), &size, v, &one, &zero, bx.data(), &one); });
      const double syr = each([&](const double* v) { dsyr_("L", &size, &small, v, &one, b.data(), &size); });
      const double ger = each([&](const double* v) { dger_(&size, &size, &small, v, &one, v, &one, b.data(), &size); });
      floor.push_back(std::min(symv, gemv) + std::min(syr, ger));
    }
    const double time = median(own);
    fmt::print("  n {:4}   {:.2f} us a round, the two operations {:.2f} us, ratio {}   {:.0f} % of rounds update", n,
               1e6 * time, 1e6 * median(floor), ratio(own, floor), 100 * updates / static_cast<double>(rounds));
    if (last > 0) fmt::print("; growth n^{:.2f}", std::log(time / last) / std::log(n / last_n));
    fmt::print("\n");
    last = time;
    last_n = n;
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    online();
    against_libsvm(argc > 1 ? read(argv[1]) : generated(4000, 20));
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
