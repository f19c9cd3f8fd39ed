# Written by tools/generate.py: what `import postil` gives, loaded when first asked for.
import os

from . import datasets as datasets, evaluate as evaluate, plots as plots, rules as rules, shards as shards, testing as testing
from ._estimator import Estimator
from ._learners import AROWClassifier as AROWClassifier
from ._learners import AROWRegressor as AROWRegressor
from ._learners import AdviceClassifier as AdviceClassifier
from ._learners import AdviceOnlyClassifier as AdviceOnlyClassifier
from ._learners import AdviceptronClassifier as AdviceptronClassifier
from ._learners import BayesPointClassifier as BayesPointClassifier
from ._learners import EllipsoidalSVC as EllipsoidalSVC
from ._learners import GradientAdviceptronClassifier as GradientAdviceptronClassifier
from ._learners import GradientAdviceptronRegressor as GradientAdviceptronRegressor
from ._learners import GradientDescentClassifier as GradientDescentClassifier
from ._learners import GradientDescentRegressor as GradientDescentRegressor
from ._learners import KernelAdviceptronClassifier as KernelAdviceptronClassifier
from ._learners import KernelKnowledgeSVC as KernelKnowledgeSVC
from ._learners import KernelKnowledgeSVR as KernelKnowledgeSVR
from ._learners import KernelPerceptronClassifier as KernelPerceptronClassifier
from ._learners import KnowledgeSVC as KnowledgeSVC
from ._learners import KnowledgeSVR as KnowledgeSVR
from ._learners import MarginPerceptronClassifier as MarginPerceptronClassifier
from ._learners import NuSVC as NuSVC
from ._learners import OnlineEllipsoidalSVC as OnlineEllipsoidalSVC
from ._learners import PAAdviceptronClassifier as PAAdviceptronClassifier
from ._learners import PAAdviceptronRegressor as PAAdviceptronRegressor
from ._learners import PassiveAggressiveClassifier as PassiveAggressiveClassifier
from ._learners import PassiveAggressiveRegressor as PassiveAggressiveRegressor
from ._learners import PerceptronClassifier as PerceptronClassifier
from ._learners import RommaClassifier as RommaClassifier
from ._learners import RulesClassifier as RulesClassifier
from ._learners import RulesRegressor as RulesRegressor
from ._learners import SVC as SVC
from ._learners import VotedPerceptronClassifier as VotedPerceptronClassifier
from ._learners import WagerClassifier as WagerClassifier
from ._errors import DataError as DataError
from ._errors import Error as Error
from ._errors import ModelError as ModelError
from ._errors import ParamError as ParamError
from ._errors import ParseError as ParseError

__version__: str

def load(path: str | os.PathLike[str]) -> Estimator: ...
