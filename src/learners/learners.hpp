// Every learner's declaration; the definitions stand at the end of their files.
#pragma once

#include "postil/learner.hpp"

namespace postil {

extern const LearnerInfo perceptron_info;

}  // namespace postil
