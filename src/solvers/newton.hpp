// Minimises a smooth convex function by Newton's method; each step by preconditioned conjugate gradients, as far as it
// pays, then a line search.
#pragma once

#include <span>

namespace postil {

class SmoothFunction {
 public:
  virtual ~SmoothFunction() = default;
  virtual double value(std::span<const double> x) = 0;
  // At the x last valued.
  virtual void gradient(std::span<double> out) = 0;
  virtual void hessian_times(std::span<const double> v, std::span<double> out) = 0;
  virtual void hessian_diagonal(std::span<double> out) = 0;  // about; positive
};

struct NewtonResult {
  double value = 0;
  double gradient = 0;  // its length
  int iterations = 0;
  bool converged = false;
};

// Begins at x and leaves the minimiser there; done when the gradient is no longer than the tolerance, or when rounding lets
// the value fall no further and the gradient is no longer than the slack times its length at the start.
struct NewtonOptions {
  double tolerance = 0;
  double slack = 1e-7;
  int most = 500;
  double first = 0;  // length of the gradient at the start, where x is a later point of the same run; 0: x is the start
};
NewtonResult minimise(SmoothFunction& f, std::span<double> x, const NewtonOptions& options);

}  // namespace postil
