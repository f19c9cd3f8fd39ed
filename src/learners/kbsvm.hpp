// The parts of the knowledge-based support vector machine: rows, and its two kinds of solvers.
#pragma once

#include "postil/learner.hpp"

namespace postil {

struct KbsvmProblem {
  struct Example {
    Row x;
    double y, weight;
  };
  std::vector<Example> examples;
  TaskAdvice advice;
  std::size_t features = 0;
  double lambda = 1, mu = 1;
  bool hard = false, bias = true;
  std::optional<double> epsilon = {};  // labels are numbers, and an error up to this costs nothing
};

struct KbsvmSolution {
  LinearModel model;
  FitReport report;
};

// How far, and which way, the loss of an example wants its score f moved.
double kbsvm_pull(double y, double f, const std::optional<double>& epsilon);

// Half the sum of the squared pulls of examples, at x = (w, b).
class ExampleLoss {
 public:
  virtual ~ExampleLoss() = default;
  virtual double value(std::span<const double> x) = 0;
  // At the x last valued.
  virtual void add_gradient(double factor, std::span<double> out) = 0;
  virtual void add_hessian_times(double factor, std::span<const double> v, std::span<double> out) = 0;
  virtual void add_hessian_diagonal(double factor, std::span<double> out) = 0;
};

KbsvmSolution solve_kbsvm_l2(const KbsvmProblem& problem, double tolerance);         // kbsvm.cpp
KbsvmSolution solve_kbsvm_linear(const KbsvmProblem& problem, bool quadratic_norm);  // kbsvm_linear.cpp

}  // namespace postil
