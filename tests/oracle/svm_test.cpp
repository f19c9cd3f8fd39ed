// The support vector machine against LIBSVM itself, on the same problems to the same tolerance.
#include <svm.h>

#include <cmath>
#include <memory>

#include "learners/kernel.hpp"
#include "naive.hpp"
#include "solvers/smo.hpp"

namespace postil {
namespace {

using test::Vector;

struct Data {
  std::vector<Vector> x;
  Vector y, weights;

  Data(std::uint64_t seed, std::size_t rows, std::size_t features, double noise, double zeros = 0) {
    Random random(seed);
    for (std::size_t i = 0; i < rows; ++i) {
      Vector row(features);
      double sum = 0.2;
      for (std::size_t j = 0; j < features; ++j) {
        row[j] = random.uniform() < zeros ? 0 : random.normal();
        sum += (j % 2 == 0 ? 1 : -1) * row[j] + (j == 0 ? row[j] * row[j] / 2 : 0);
      }
      y.push_back(sum + noise * random.normal() > 0 ? 1 : -1);
      x.push_back(std::move(row));
      weights.push_back(1);
    }
  }
  [[nodiscard]] Block block() const {
    BlockData data;
    data.width = static_cast<std::uint32_t>(x[0].size());
    for (const Vector& row : x) data.values.insert(data.values.end(), row.begin(), row.end());
    return Block(std::move(data));
  }
};

Row row_of(const Vector& x) { return {.values = x.data(), .count = static_cast<std::uint32_t>(x.size())}; }

// LIBSVM's own model of the same data, and its decision values for +1.
class Libsvm {
 public:
  Libsvm(const Data& data, const svm_parameter& parameter) : parameter_(parameter) {
    svm_set_print_string_function([](const char*) {});
    for (const Vector& x : data.x) {
      std::vector<svm_node>& nodes = nodes_.emplace_back();
      for (std::size_t j = 0; j < x.size(); ++j)
        if (x[j] != 0) nodes.push_back({static_cast<int>(j) + 1, x[j]});
      nodes.push_back({-1, 0});
    }
    for (std::vector<svm_node>& nodes : nodes_) rows_.push_back(nodes.data());
    y_ = data.y;
    problem_ = {static_cast<int>(rows_.size()), y_.data(), rows_.data()};
    model_.reset(svm_train(&problem_, &parameter_));
  }
  [[nodiscard]] double decision(std::size_t i) const {
    double value = 0;
    svm_predict_values(model_.get(), nodes_[i].data(), &value);
    int labels[2];
    svm_get_labels(model_.get(), labels);
    return labels[0] == 1 ? value : -value;
  }
  [[nodiscard]] const svm_model* get() const { return model_.get(); }

 private:
  struct Free {
    void operator()(svm_model* model) const { svm_free_and_destroy_model(&model); }
  };
  svm_parameter parameter_;
  std::vector<std::vector<svm_node>> nodes_;
  std::vector<svm_node*> rows_;
  Vector y_;
  svm_problem problem_{};
  std::unique_ptr<svm_model, Free> model_;
};

svm_parameter parameter(int type, int kernel, double gamma) {
  svm_parameter out{};
  out.svm_type = type;
  out.kernel_type = kernel;
  out.degree = 2;
  out.gamma = gamma;
  out.coef0 = 1;
  out.cache_size = 100;
  out.eps = 1e-8;
  out.C = 0.8;
  out.nu = 0.35;
  out.shrinking = 1;
  return out;
}

std::unique_ptr<Learner> fitted(const Data& data, std::map<std::string, std::string> settings,
                                FitReport* report = nullptr) {
  const LearnerInfo& info = find_learner("svm");
  settings.insert({{"tolerance", "1e-8"}, {"degree", "2"}, {"coef0", "1"}, {"C", "0.8"}});
  auto learner = info.make(Params(info.name, info.params, settings));
  learner->grow(data.x[0].size());
  const Block block = data.block();
  const FitReport out = learner->fit({std::span(&block, 1), data.y, data.weights});
  if (report != nullptr) *report = out;
  return learner;
}

TEST(Svm, AgreesWithLibsvm) {
  const std::pair<int, const char*> kernels[] = {{LINEAR, "linear"}, {POLY, "polynomial"}, {RBF, "rbf"}};
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (const double zeros : {0.0, 0.5})
      for (const auto& [kernel, name] : kernels)
        for (const int type : {C_SVC, NU_SVC}) {
          const Data data(seed, 150, 5, 0.5, zeros);
          const Libsvm peer(data, parameter(type, kernel, 0.3));
          FitReport report;
          const auto own =
              fitted(data, {{"kernel", name}, {"gamma", "0.3"}, {"nu", type == NU_SVC ? "0.35" : "0"}}, &report);
          EXPECT_TRUE(report.converged) << report.status;
          for (std::size_t i = 0; i < data.x.size(); ++i)
            EXPECT_NEAR(own->score(row_of(data.x[i])), peer.decision(i), 2e-4 * (1 + std::fabs(peer.decision(i))))
                << name << " " << type << " " << seed;
        }
}

// Weights multiply C: a row of weight 2 is the row twice.
TEST(Svm, WeightsCountRows) {
  Data once(5, 80, 4, 0.5), twice = once;
  for (std::size_t i = 0; i < 20; ++i) {
    once.weights[i] = 2;
    twice.x.push_back(once.x[i]);
    twice.y.push_back(once.y[i]);
    twice.weights.push_back(1);
  }
  for (const char* nu : {"0", "0.3"}) {
    const auto a = fitted(once, {{"gamma", "0.2"}, {"nu", nu}}), b = fitted(twice, {{"gamma", "0.2"}, {"nu", nu}});
    for (const Vector& x : once.x) EXPECT_NEAR(a->score(row_of(x)), b->score(row_of(x)), 1e-5);
  }
}

TEST(Svm, NuIsBetweenMarginErrorsAndSupportVectors) {
  const Data data(7, 200, 3, 1.0);
  for (const double nu : {0.1, 0.3, 0.6}) {
    const auto learner = fitted(data, {{"gamma", "0.5"}, {"nu", fmt::format("{}", nu)}});
    double errors = 0;
    for (std::size_t i = 0; i < data.x.size(); ++i)
      errors += data.y[i] * learner->score(row_of(data.x[i])) < 1 - 1e-5 ? 1 : 0;
    EXPECT_LE(errors / 200, nu);
    EXPECT_GE(static_cast<double>(learner->expansion()->rows.size()) / 200, nu);
  }
}

TEST(Svm, RowsOfZerosAndOneClassAreAnswered) {
  Data data(7, 6, 3, 0.2);
  for (Vector& x : data.x) x.assign(3, 0);
  for (std::size_t i = 0; i < 6; ++i) data.y[i] = i < 2 ? 1 : -1;
  for (const char* kernel : {"linear", "rbf", "polynomial"})
    EXPECT_TRUE(std::isfinite(fitted(data, {{"kernel", kernel}})->score(row_of(data.x[0])))) << kernel;
  for (double& y : data.y) y = 1;
  EXPECT_NE(test::message_of([&] { fitted(data, {}); }).find("one class only"), std::string::npos);
  data = Data(7, 6, 3, 0.2);
  for (Vector& x : data.x) x[0] *= 1e200;
  EXPECT_NE(test::message_of([&] {
              fitted(data, {{"kernel", "polynomial"}});
            }).find("beyond the largest"),
            std::string::npos);
}

TEST(Svm, NuThatCannotBeIsRefusedWithTheMostPossible) {
  Data data(7, 100, 3, 0.2);
  for (std::size_t i = 0; i < 100; ++i) data.y[i] = i < 10 ? 1 : -1;
  EXPECT_NE(test::message_of([&] { fitted(data, {{"nu", "0.5"}}); }).find("at most 0.2"), std::string::npos);
}

// A precomputed kernel is that kernel.
TEST(Svm, PrecomputedKernelsEqualTheirKernel) {
  const Data data(9, 60, 3, 0.5);
  Data matrix = data;
  std::vector<Row> rows;
  for (const Vector& x : data.x) rows.push_back(row_of(x));
  Kernel rbf{Kernel::Kind::rbf, 0.4, 0, 3};
  const Matrix k = gram(rbf, KernelRows(rows, 3));
  for (std::size_t i = 0; i < 60; ++i) matrix.x[i].assign(k.column(i).begin(), k.column(i).end());
  const auto direct = fitted(data, {{"gamma", "0.4"}}), given = fitted(matrix, {{"kernel", "precomputed"}});
  for (std::size_t i = 0; i < 60; ++i)
    EXPECT_NEAR(direct->score(row_of(data.x[i])), given->score(row_of(matrix.x[i])), 1e-6);
  matrix.x[3][7] += 0.1;
  EXPECT_NE(test::message_of([&] { fitted(matrix, {{"kernel", "precomputed"}}); }).find("(scale)"), std::string::npos);
  matrix.x.pop_back();
  matrix.y.pop_back();
  EXPECT_NE(test::message_of([&] {
              fitted(matrix, {{"kernel", "precomputed"}});
            }).find("as many numbers"),
            std::string::npos);
}

// The whole matrix at hand, or rows from a cache of two with shrinking: the same answer.
TEST(Svm, SmoWithAndWithoutShrinking) {
  const Data data(11, 500, 4, 1.0);
  std::vector<Row> rows;
  for (const Vector& x : data.x) rows.push_back(row_of(x));
  const KernelRows kept(rows, 4);
  const Kernel kernel{Kernel::Kind::rbf, 0.5, 0, 3};
  const Matrix k = gram(kernel, kept);
  const GramMatrix whole(k);
  const KernelMatrix parts(kernel, kept);
  for (const bool balanced : {false, true}) {
    const Vector p(500, balanced ? 0 : -1), upper(500, 1);
    Vector start(500);
    double left[2] = {50, 50};
    for (std::size_t i = 0; balanced && i < 500; ++i) {
      double& rest = left[data.y[i] > 0 ? 0 : 1];
      start[i] = std::min(1.0, rest);
      rest -= start[i];
    }
    const auto solve = [&](const SymmetricRows& of, std::uint64_t cache) {
      return solve_smo({of, data.y, p, upper, start, balanced}, {.tolerance = 1e-6, .cache = cache});
    };
    const SmoResult a = solve(whole, 0), b = solve(parts, 0), c = solve(parts, 10'000'000);
    EXPECT_TRUE(a.converged && b.converged && c.converged);
    EXPECT_NEAR(a.objective, b.objective, 1e-6 * std::fabs(a.objective));
    EXPECT_NEAR(a.objective, c.objective, 1e-6 * std::fabs(a.objective));
    EXPECT_NEAR(a.rho, b.rho, 1e-5);
    EXPECT_NEAR(a.rho, c.rho, 1e-5);
  }
}

TEST(Svm, ModelFilesGoToLibsvmAndBack) {
  const Data data(13, 80, 4, 0.5, 0.3);
  std::string text = "label,f1,f2,f3,f4\n";
  for (std::size_t i = 0; i < data.x.size(); ++i)
    text += fmt::format("{},{},{},{},{}\n", data.y[i], data.x[i][0], data.x[i][1], data.x[i][2], data.x[i][3]);
  const test::TemporaryFolder folder;
  for (const char* kernel : {"linear", "polynomial", "rbf"}) {
    TrainOptions options = test::in_file_order();
    options.recipe.learner = "svm";
    options.recipe.scale = Scale::none;
    options.recipe.settings = {{"kernel", kernel}, {"gamma", "0.3"}, {"degree", "2"}, {"coef0", "1"}};
    options.read.label = "label";
    const Model model = test::train_text(text, options);
    test::write_text(folder.path("m"), to_libsvm(model));
    svm_model* theirs = svm_load_model(folder.path("m").c_str());
    ASSERT_NE(theirs, nullptr);
    const Model back = from_foreign_model(test::file_text(folder.path("m")), "m");
    // and one that LIBSVM itself wrote
    const Libsvm peer(data, parameter(C_SVC,
                                      std::string(kernel) == "rbf"      ? RBF
                                      : std::string(kernel) == "linear" ? LINEAR
                                                                        : POLY,
                                      0.3));
    svm_save_model(folder.path("theirs").c_str(), peer.get());
    const Model read = from_foreign_model(test::file_text(folder.path("theirs")), "theirs");
    for (std::size_t i = 0; i < data.x.size(); ++i) {
      std::vector<svm_node> nodes;
      for (int j = 0; j < 4; ++j) nodes.push_back({j + 1, data.x[i][static_cast<std::size_t>(j)]});
      nodes.push_back({-1, 0});
      double own = 0, value = 0, again = 0, from_them = 0;
      model.score(row_of(data.x[i]), std::span(&own, 1));
      svm_predict_values(theirs, nodes.data(), &value);
      back.score(row_of(data.x[i]), std::span(&again, 1));
      EXPECT_NEAR(own, value, 1e-12 * (1 + std::fabs(own))) << kernel;
      EXPECT_NEAR(own, again, 1e-12 * (1 + std::fabs(own))) << kernel;
      read.score(row_of(data.x[i]), std::span(&from_them, 1));
      EXPECT_EQ(back.label_text(back.decide(std::span(&again, 1))), own >= 0 ? "1" : "-1");
      EXPECT_NEAR(read.label_text(read.class_of(0)) == "1" ? from_them : -from_them, peer.decision(i), 1e-6);
    }
    svm_free_and_destroy_model(&theirs);
  }
}

}  // namespace
}  // namespace postil
