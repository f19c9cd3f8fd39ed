// Every learner's declaration; the definitions stand at the end of their files.
#pragma once

#include "postil/learner.hpp"

namespace postil {

extern const LearnerInfo perceptron_info;
extern const LearnerInfo margin_perceptron_info;
extern const LearnerInfo voted_perceptron_info;
extern const LearnerInfo kernel_perceptron_info;
extern const LearnerInfo romma_info;
extern const LearnerInfo pa_info;
extern const LearnerInfo sgd_info;
extern const LearnerInfo arow_info;
extern const LearnerInfo pa_adviceptron_info;
extern const LearnerInfo adviceptron_info;
extern const LearnerInfo gradient_adviceptron_info;
extern const LearnerInfo kernel_adviceptron_info;
extern const LearnerInfo advice_only_info;
extern const LearnerInfo rules_info;
extern const LearnerInfo kbsvm_info;
extern const LearnerInfo kernel_kbsvm_info;
extern const LearnerInfo svm_info;
extern const LearnerInfo esvm_info;
extern const LearnerInfo esvm_online_info;
extern const LearnerInfo bayes_point_info;
extern const LearnerInfo wager_info;
extern const LearnerInfo advised_info;

// Forms of learners for labels that are numbers, in files of their own.
std::unique_ptr<Learner> make_regression_adviceptron(const Params& params);
std::unique_ptr<Learner> make_rules_of_numbers(const Params& params);

}  // namespace postil
