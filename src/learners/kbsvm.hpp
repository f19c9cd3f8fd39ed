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

KbsvmSolution solve_kbsvm_l2(const KbsvmProblem& problem, double tolerance);         // kbsvm.cpp
KbsvmSolution solve_kbsvm_linear(const KbsvmProblem& problem, bool quadratic_norm);  // kbsvm_linear.cpp

}  // namespace postil
