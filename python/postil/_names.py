"""Written by tools/generate.py from `postil learners --json`; do not edit."""

ESTIMATORS = (
    "AROWClassifier",
    "AdviceClassifier",
    "AdviceOnlyClassifier",
    "AdviceptronClassifier",
    "BayesPointClassifier",
    "EllipsoidalSVC",
    "KnowledgeSVC",
    "MarginPerceptronClassifier",
    "NuSVC",
    "OnlineEllipsoidalSVC",
    "PAAdviceptronClassifier",
    "PassiveAggressiveClassifier",
    "PassiveAggressiveRegressor",
    "PerceptronClassifier",
    "RommaClassifier",
    "RulesClassifier",
    "SGDClassifier",
    "SGDRegressor",
    "SVC",
    "VotedPerceptronClassifier",
)
