"""Written by tools/generate.py from `postil learners --json`; do not edit."""

from typing import Any, Literal

from ._classifier import Classifier, OnlineClassifier
from ._ellipsoid import EllipsoidMixin
from ._load import restore
from ._passive_aggressive import PassiveAggressive
from ._regressor import OnlineRegressor, Regressor


class PerceptronClassifier(OnlineClassifier):
    """Perceptron.

    Problem, update and when not to use it: docs/learners/perceptron.md. Source: freund1999large in
    docs/references.bib.

    Parameters
    ----------
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals; ovr|joint.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    average : {'none', 'uniform'}, default='uniform'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.PerceptronClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "perceptron"
    _settings = {"multiclass": "multiclass", "start": "start", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        multiclass: Literal["ovr", "joint"] = "ovr",
        start: Literal["zero", "advice"] = "zero",
        bias: float | Literal["none"] = 1.0,
        average: Literal["none", "uniform"] = "uniform",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.multiclass = multiclass
        self.start = start
        self.bias = bias
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class MarginPerceptronClassifier(OnlineClassifier):
    """Margin perceptron.

    Problem, update and when not to use it: docs/learners/margin-perceptron.md. Source: freund1999large in
    docs/references.bib.

    Parameters
    ----------
    margin : float, default=1.0
        Learn from every example whose score does not exceed this; [0, inf).
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals; ovr|joint.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    average : {'none', 'uniform'}, default='uniform'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.MarginPerceptronClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "margin-perceptron"
    _settings = {"margin": "margin", "multiclass": "multiclass", "start": "start", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        margin: float = 1.0,
        multiclass: Literal["ovr", "joint"] = "ovr",
        start: Literal["zero", "advice"] = "zero",
        bias: float | Literal["none"] = 1.0,
        average: Literal["none", "uniform"] = "uniform",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.margin = margin
        self.multiclass = multiclass
        self.start = start
        self.bias = bias
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class VotedPerceptronClassifier(OnlineClassifier):
    """Voted perceptron.

    Problem, update and when not to use it: docs/learners/voted-perceptron.md. Source: freund1999large in
    docs/references.bib.

    Parameters
    ----------
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.VotedPerceptronClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "voted-perceptron"
    _settings = {"bias": "bias"}

    def __init__(
        self,
        *,
        bias: float | Literal["none"] = 1.0,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.bias = bias
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class KernelPerceptronClassifier(OnlineClassifier):
    """Kernel perceptron.

    Problem, update and when not to use it: docs/learners/kernel-perceptron.md. Source: freund1999large in
    docs/references.bib.

    Parameters
    ----------
    prediction : {'averaged', 'voted', 'last'}, default='averaged'
        With the mean of all vectors, their vote, or the last; averaged|voted|last.
    budget : int, default=300
        Most rows kept; further ones are projected onto them. 0, and with a vote: no limit; [0, 100000].
    kernel : {'linear', 'polynomial', 'rbf'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); linear|polynomial|rbf.
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; (0, inf)|scale|auto.
    degree : int, default=3
        Of the polynomial kernel; [1, 20].
    coef0 : float, default=0.0
        Of the polynomial kernel; [0, inf).
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.KernelPerceptronClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "kernel-perceptron"
    _settings = {"prediction": "prediction", "budget": "budget", "kernel": "kernel", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "bias": "bias"}

    def __init__(
        self,
        *,
        prediction: Literal["averaged", "voted", "last"] = "averaged",
        budget: int = 300,
        kernel: Literal["linear", "polynomial", "rbf"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        bias: float | Literal["none"] = 1.0,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.prediction = prediction
        self.budget = budget
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class RommaClassifier(OnlineClassifier):
    """Relaxed online maximum margin algorithm.

    Problem, update and when not to use it: docs/learners/romma.md. Source: li2002romma in docs/references.bib.

    Parameters
    ----------
    aggressive : bool, default=False
        Learn from examples inside the margin too.
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    average : {'none', 'uniform'}, default='uniform'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.RommaClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "romma"
    _settings = {"aggressive": "aggressive", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        aggressive: bool = False,
        bias: float | Literal["none"] = 1.0,
        average: Literal["none", "uniform"] = "uniform",
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.aggressive = aggressive
        self.bias = bias
        self.average = average
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class PassiveAggressiveClassifier(PassiveAggressive, OnlineClassifier):
    """Passive-aggressive algorithms.

    Problem, update and when not to use it: docs/learners/pa.md. Source: crammer2006pa in docs/references.bib.

    Parameters
    ----------
    variant : {'pa', 'pa1', 'pa2'}, default='pa1'
        No limit to the step, a bounded step (PA-I), or a damped one (PA-II); pa|pa1|pa2.
    C : float, default=1.0
        Aggressiveness: the longest step (PA-I) or the damping (PA-II); (0, inf).
    epsilon : float, default=0.1
        Regression only: an error up to this costs nothing; [0, inf).
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals; ovr|joint.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    average : {'none', 'uniform'}, default='uniform'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.
    loss : str, optional, default=None
        Scikit-learn's name for the variant: 'hinge' or 'epsilon_insensitive' is pa1, 'squared_hinge' or
        'squared_epsilon_insensitive' is pa2; None: `variant` decides.
    learning_rate : str, optional, default=None
        'pa1' or 'pa2', as in scikit-learn's SGD estimators; None: `variant` decides.
    fit_intercept : bool, default=True
        False: bias='none'.
    early_stopping : bool, default=False
        Accepted; the mistakes of each pass, made before learning each row, are what `tol` watches either way.
    validation_fraction : float, default=0.1
        Accepted, see early_stopping.
    n_jobs : int, optional, default=None
        Accepted; one learner is one thread.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.PassiveAggressiveClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "pa"
    _settings = {"variant": "variant", "C": "C", "epsilon": "epsilon", "multiclass": "multiclass", "start": "start", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        variant: Literal["pa", "pa1", "pa2"] = "pa1",
        C: float = 1.0,
        epsilon: float = 0.1,
        multiclass: Literal["ovr", "joint"] = "ovr",
        start: Literal["zero", "advice"] = "zero",
        bias: float | Literal["none"] = 1.0,
        average: Literal["none", "uniform"] = "uniform",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        loss: str | None = None,
        learning_rate: str | None = None,
        fit_intercept: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_jobs: int | None = None,
    ) -> None:
        self.variant = variant
        self.C = C
        self.epsilon = epsilon
        self.multiclass = multiclass
        self.start = start
        self.bias = bias
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.loss = loss
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_jobs = n_jobs


class PassiveAggressiveRegressor(PassiveAggressive, OnlineRegressor):
    """Passive-aggressive algorithms, for numbers.

    Problem, update and when not to use it: docs/learners/pa.md. Source: crammer2006pa in docs/references.bib.

    Parameters
    ----------
    variant : {'pa', 'pa1', 'pa2'}, default='pa1'
        No limit to the step, a bounded step (PA-I), or a damped one (PA-II); pa|pa1|pa2.
    C : float, default=1.0
        Aggressiveness: the longest step (PA-I) or the damping (PA-II); (0, inf).
    epsilon : float, default=0.1
        Regression only: an error up to this costs nothing; [0, inf).
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals; ovr|joint.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    average : {'none', 'uniform'}, default='uniform'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.
    loss : str, optional, default=None
        Scikit-learn's name for the variant: 'hinge' or 'epsilon_insensitive' is pa1, 'squared_hinge' or
        'squared_epsilon_insensitive' is pa2; None: `variant` decides.
    learning_rate : str, optional, default=None
        'pa1' or 'pa2', as in scikit-learn's SGD estimators; None: `variant` decides.
    fit_intercept : bool, default=True
        False: bias='none'.
    early_stopping : bool, default=False
        Accepted; the mistakes of each pass, made before learning each row, are what `tol` watches either way.
    validation_fraction : float, default=0.1
        Accepted, see early_stopping.
    n_jobs : int, optional, default=None
        Accepted; one learner is one thread.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.PassiveAggressiveRegressor().fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "pa"
    _settings = {"variant": "variant", "C": "C", "epsilon": "epsilon", "multiclass": "multiclass", "start": "start", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        variant: Literal["pa", "pa1", "pa2"] = "pa1",
        C: float = 1.0,
        epsilon: float = 0.1,
        multiclass: Literal["ovr", "joint"] = "ovr",
        start: Literal["zero", "advice"] = "zero",
        bias: float | Literal["none"] = 1.0,
        average: Literal["none", "uniform"] = "uniform",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        loss: str | None = None,
        learning_rate: str | None = None,
        fit_intercept: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_jobs: int | None = None,
    ) -> None:
        self.variant = variant
        self.C = C
        self.epsilon = epsilon
        self.multiclass = multiclass
        self.start = start
        self.bias = bias
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.loss = loss
        self.learning_rate = learning_rate
        self.fit_intercept = fit_intercept
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_jobs = n_jobs


class SGDClassifier(OnlineClassifier):
    """Stochastic gradient descent.

    Problem, update and when not to use it: docs/learners/sgd.md. Source: lecture_perceptron in docs/references.bib.

    Parameters
    ----------
    loss : {'perceptron', 'hinge', 'squared-hinge', 'logistic', 'squared', 'epsilon-insensitive', 'huber'}, default='hinge'
        What a score costs; perceptron|hinge|squared-hinge|logistic|squared|epsilon-insensitive|huber.
    eta0 : float, default=1.0
        Step size, or its first value; (0, inf).
    schedule : {'constant', 'invsqrt', 'inverse', 'pegasos'}, default='constant'
        How the step size falls; constant|invsqrt|inverse|pegasos.
    l2 : float, default=0.0
        Weight of 1/2 |w|^2; [0, inf).
    l1 : float, default=0.0
        Weight of |w|_1: makes weights exactly 0; [0, inf).
    epsilon : float, default=0.1
        Width of the epsilon-insensitive and Huber losses; [0, inf).
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals; ovr|joint.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    average : {'none', 'uniform'}, default='uniform'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.SGDClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "sgd"
    _settings = {"loss": "loss", "eta0": "eta0", "schedule": "schedule", "l2": "l2", "l1": "l1", "epsilon": "epsilon", "multiclass": "multiclass", "start": "start", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        loss: Literal["perceptron", "hinge", "squared-hinge", "logistic", "squared", "epsilon-insensitive", "huber"] = "hinge",
        eta0: float = 1.0,
        schedule: Literal["constant", "invsqrt", "inverse", "pegasos"] = "constant",
        l2: float = 0.0,
        l1: float = 0.0,
        epsilon: float = 0.1,
        multiclass: Literal["ovr", "joint"] = "ovr",
        start: Literal["zero", "advice"] = "zero",
        bias: float | Literal["none"] = 1.0,
        average: Literal["none", "uniform"] = "uniform",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.eta0 = eta0
        self.schedule = schedule
        self.l2 = l2
        self.l1 = l1
        self.epsilon = epsilon
        self.multiclass = multiclass
        self.start = start
        self.bias = bias
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class SGDRegressor(OnlineRegressor):
    """Stochastic gradient descent, for numbers.

    Problem, update and when not to use it: docs/learners/sgd.md. Source: lecture_perceptron in docs/references.bib.

    Parameters
    ----------
    loss : {'perceptron', 'hinge', 'squared-hinge', 'logistic', 'squared', 'epsilon-insensitive', 'huber'}, default='squared'
        What a score costs; perceptron|hinge|squared-hinge|logistic|squared|epsilon-insensitive|huber.
    eta0 : float, default=0.01
        Step size, or its first value; (0, inf).
    schedule : {'constant', 'invsqrt', 'inverse', 'pegasos'}, default='constant'
        How the step size falls; constant|invsqrt|inverse|pegasos.
    l2 : float, default=0.0
        Weight of 1/2 |w|^2; [0, inf).
    l1 : float, default=0.0
        Weight of |w|_1: makes weights exactly 0; [0, inf).
    epsilon : float, default=0.1
        Width of the epsilon-insensitive and Huber losses; [0, inf).
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals; ovr|joint.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    average : {'none', 'uniform'}, default='none'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.SGDRegressor().fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "sgd"
    _settings = {"loss": "loss", "eta0": "eta0", "schedule": "schedule", "l2": "l2", "l1": "l1", "epsilon": "epsilon", "multiclass": "multiclass", "start": "start", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        loss: Literal["perceptron", "hinge", "squared-hinge", "logistic", "squared", "epsilon-insensitive", "huber"] = "squared",
        eta0: float = 0.01,
        schedule: Literal["constant", "invsqrt", "inverse", "pegasos"] = "constant",
        l2: float = 0.0,
        l1: float = 0.0,
        epsilon: float = 0.1,
        multiclass: Literal["ovr", "joint"] = "ovr",
        start: Literal["zero", "advice"] = "zero",
        bias: float | Literal["none"] = 1.0,
        average: Literal["none", "uniform"] = "none",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.eta0 = eta0
        self.schedule = schedule
        self.l2 = l2
        self.l1 = l1
        self.epsilon = epsilon
        self.multiclass = multiclass
        self.start = start
        self.bias = bias
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class AROWClassifier(OnlineClassifier):
    """Adaptive regularisation of weights.

    Problem, update and when not to use it: docs/learners/arow.md. Source: crammer2009arow in docs/references.bib.

    Parameters
    ----------
    r : float, default=0.3
        How little an example counts: large r, small steps; (0, inf).
    relative : bool, default=True
        R is in units of the mean |x|^2 so far.
    full : bool, default=False
        A full matrix V instead of its diagonal: n^2 numbers.
    drift : float, default=0.0
        How fast old rows count less: this share of the first V comes back with each row; full V only; [0, 1).
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    average : {'none', 'uniform'}, default='none'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.AROWClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "arow"
    _settings = {"r": "r", "relative": "relative", "full": "full", "drift": "drift", "start": "start", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        r: float = 0.3,
        relative: bool = True,
        full: bool = False,
        drift: float = 0.0,
        start: Literal["zero", "advice"] = "zero",
        bias: float | Literal["none"] = 1.0,
        average: Literal["none", "uniform"] = "none",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.r = r
        self.relative = relative
        self.full = full
        self.drift = drift
        self.start = start
        self.bias = bias
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class AROWRegressor(OnlineRegressor):
    """Adaptive regularisation of weights, for numbers.

    Problem, update and when not to use it: docs/learners/arow.md. Source: crammer2009arow in docs/references.bib.

    Parameters
    ----------
    r : float, default=0.1
        How little an example counts: large r, small steps; (0, inf).
    relative : bool, default=True
        R is in units of the mean |x|^2 so far.
    full : bool, default=True
        A full matrix V instead of its diagonal: n^2 numbers.
    drift : float, default=0.0003
        How fast old rows count less: this share of the first V comes back with each row; full V only; [0, 1).
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    average : {'none', 'uniform'}, default='none'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.AROWRegressor().fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "arow"
    _settings = {"r": "r", "relative": "relative", "full": "full", "drift": "drift", "start": "start", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        r: float = 0.1,
        relative: bool = True,
        full: bool = True,
        drift: float = 0.0003,
        start: Literal["zero", "advice"] = "zero",
        bias: float | Literal["none"] = 1.0,
        average: Literal["none", "uniform"] = "none",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.r = r
        self.relative = relative
        self.full = full
        self.drift = drift
        self.start = start
        self.bias = bias
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class PAAdviceptronClassifier(OnlineClassifier):
    """Passive-aggressive Adviceptron.

    Problem, update and when not to use it: docs/learners/pa-adviceptron.md. Source: kunapuli2010okbsvm in
    docs/references.bib.

    Parameters
    ----------
    lambda_ : float, default=1.0
        Weight of the loss on the current example; (0, inf).
    mu : float, default=1.0
        Weight of the advice loss; (0, inf).
    passive : {'never', 'weights', 'all'}, default='never'
        What rests when an example costs nothing: nothing, the weights, or advice too; never|weights|all.
    advice_step : {'paper', 'plus', 'exact', 'joint'}, default='plus'
        How the advice multipliers are updated; paper|plus|exact|joint.
    mu_decay : float, default=0.0
        How fast mu falls with the examples; [0, inf).
    epsilon : float, default=0.0
        Regression only: an error up to this costs nothing; [0, inf).
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : {'data', 'pinned', 'none'}, default='data'
        An intercept moved by data only, a constant feature that advice moves too, or none; data|pinned|none.
    ranges : {'known', 'none'}, default='known'
        What is known of the columns' ranges counts as rows of every rule's region, or does not; known|none.
    average : {'none', 'uniform'}, default='none'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.PAAdviceptronClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "pa-adviceptron"
    _settings = {"lambda_": "lambda", "mu": "mu", "passive": "passive", "advice_step": "advice_step", "mu_decay": "mu_decay", "epsilon": "epsilon", "start": "start", "bias": "bias", "ranges": "ranges", "average": "average"}

    def __init__(
        self,
        *,
        lambda_: float = 1.0,
        mu: float = 1.0,
        passive: Literal["never", "weights", "all"] = "never",
        advice_step: Literal["paper", "plus", "exact", "joint"] = "plus",
        mu_decay: float = 0.0,
        epsilon: float = 0.0,
        start: Literal["zero", "advice"] = "zero",
        bias: Literal["data", "pinned", "none"] = "data",
        ranges: Literal["known", "none"] = "known",
        average: Literal["none", "uniform"] = "none",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.passive = passive
        self.advice_step = advice_step
        self.mu_decay = mu_decay
        self.epsilon = epsilon
        self.start = start
        self.bias = bias
        self.ranges = ranges
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class PAAdviceptronRegressor(OnlineRegressor):
    """Passive-aggressive Adviceptron, for numbers.

    Problem, update and when not to use it: docs/learners/pa-adviceptron.md. Source: kunapuli2010okbsvm in
    docs/references.bib.

    Parameters
    ----------
    lambda_ : float, default=1.0
        Weight of the loss on the current example; (0, inf).
    mu : float, default=0.01
        Weight of the advice loss; (0, inf).
    passive : {'never', 'weights', 'all'}, default='never'
        What rests when an example costs nothing: nothing, the weights, or advice too; never|weights|all.
    advice_step : {'paper', 'plus', 'exact', 'joint'}, default='plus'
        How the advice multipliers are updated; paper|plus|exact|joint.
    mu_decay : float, default=0.0
        How fast mu falls with the examples; [0, inf).
    epsilon : float, default=0.0
        Regression only: an error up to this costs nothing; [0, inf).
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : {'data', 'pinned', 'none'}, default='data'
        An intercept moved by data only, a constant feature that advice moves too, or none; data|pinned|none.
    ranges : {'known', 'none'}, default='known'
        What is known of the columns' ranges counts as rows of every rule's region, or does not; known|none.
    average : {'none', 'uniform'}, default='uniform'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.PAAdviceptronRegressor(advice='x2 <= 0 => size between x1 and x1 + 4').fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "pa-adviceptron"
    _settings = {"lambda_": "lambda", "mu": "mu", "passive": "passive", "advice_step": "advice_step", "mu_decay": "mu_decay", "epsilon": "epsilon", "start": "start", "bias": "bias", "ranges": "ranges", "average": "average"}

    def __init__(
        self,
        *,
        lambda_: float = 1.0,
        mu: float = 0.01,
        passive: Literal["never", "weights", "all"] = "never",
        advice_step: Literal["paper", "plus", "exact", "joint"] = "plus",
        mu_decay: float = 0.0,
        epsilon: float = 0.0,
        start: Literal["zero", "advice"] = "zero",
        bias: Literal["data", "pinned", "none"] = "data",
        ranges: Literal["known", "none"] = "known",
        average: Literal["none", "uniform"] = "uniform",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.passive = passive
        self.advice_step = advice_step
        self.mu_decay = mu_decay
        self.epsilon = epsilon
        self.start = start
        self.bias = bias
        self.ranges = ranges
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class AdviceptronClassifier(OnlineClassifier):
    """Adviceptron.

    Problem, update and when not to use it: docs/learners/adviceptron.md. Source: kunapuli2010adviceptron in
    docs/references.bib.

    Parameters
    ----------
    lambda_ : float, default=0.1
        Step of the perceptron; (0, inf).
    mu : float, default=0.01
        Weight of the advice loss while learning; (0, inf).
    mu_start : float, default=100.0
        Weight of the advice loss in the problem of advice alone; (0, inf).
    start : {'rules', 'zero'}, default='rules'
        W_1: what the rules alone ask for, or 0; rules|zero.
    one_sided : {'mean', 'as_printed'}, default='mean'
        Rules that all say the same: the mean of the columns says the opposite, or (4) as printed; mean|as_printed.
    bias : {'data', 'pinned', 'none'}, default='data'
        An intercept moved by data only, a constant feature that advice moves too, or none; data|pinned|none.
    ranges : {'known', 'none'}, default='known'
        What is known of the columns' ranges counts as rows of every rule's region, or does not; known|none.
    average : {'none', 'uniform'}, default='none'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.AdviceptronClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "adviceptron"
    _settings = {"lambda_": "lambda", "mu": "mu", "mu_start": "mu_start", "start": "start", "one_sided": "one_sided", "bias": "bias", "ranges": "ranges", "average": "average"}

    def __init__(
        self,
        *,
        lambda_: float = 0.1,
        mu: float = 0.01,
        mu_start: float = 100.0,
        start: Literal["rules", "zero"] = "rules",
        one_sided: Literal["mean", "as_printed"] = "mean",
        bias: Literal["data", "pinned", "none"] = "data",
        ranges: Literal["known", "none"] = "known",
        average: Literal["none", "uniform"] = "none",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.mu_start = mu_start
        self.start = start
        self.one_sided = one_sided
        self.bias = bias
        self.ranges = ranges
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class GradientAdviceptronClassifier(OnlineClassifier):
    """Adviceptron by projected gradients.

    Problem, update and when not to use it: docs/learners/gradient-adviceptron.md. Source: zinkevich2003ocp in
    docs/references.bib.

    Parameters
    ----------
    loss : {'logistic', 'hinge', 'squared-hinge', 'squared', 'epsilon-insensitive', 'huber'}, default='logistic'
        What an example costs; regression: one of the last three;
        logistic|hinge|squared-hinge|squared|epsilon-insensitive|huber.
    eta0 : float, default=0.5
        Length of the steps: eta0/sqrt(t); (0, inf).
    mu : float, default=0.01
        Weight of the rules; (0, inf).
    epsilon : float, default=0.1
        Epsilon-insensitive: an error up to this costs nothing; huber: beyond this, errors count linearly; [0, inf).
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : {'1', 'none'}, default='1'
        An intercept, or none; 1|none.
    average : {'none', 'uniform'}, default='none'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.GradientAdviceptronClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "gradient-adviceptron"
    _settings = {"loss": "loss", "eta0": "eta0", "mu": "mu", "epsilon": "epsilon", "start": "start", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        loss: Literal["logistic", "hinge", "squared-hinge", "squared", "epsilon-insensitive", "huber"] = "logistic",
        eta0: float = 0.5,
        mu: float = 0.01,
        epsilon: float = 0.1,
        start: Literal["zero", "advice"] = "zero",
        bias: Literal["1", "none"] = "1",
        average: Literal["none", "uniform"] = "none",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.eta0 = eta0
        self.mu = mu
        self.epsilon = epsilon
        self.start = start
        self.bias = bias
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class GradientAdviceptronRegressor(OnlineRegressor):
    """Adviceptron by projected gradients, for numbers.

    Problem, update and when not to use it: docs/learners/gradient-adviceptron.md. Source: zinkevich2003ocp in
    docs/references.bib.

    Parameters
    ----------
    loss : {'logistic', 'hinge', 'squared-hinge', 'squared', 'epsilon-insensitive', 'huber'}, default='squared'
        What an example costs; regression: one of the last three;
        logistic|hinge|squared-hinge|squared|epsilon-insensitive|huber.
    eta0 : float, default=0.1
        Length of the steps: eta0/sqrt(t); (0, inf).
    mu : float, default=0.01
        Weight of the rules; (0, inf).
    epsilon : float, default=0.1
        Epsilon-insensitive: an error up to this costs nothing; huber: beyond this, errors count linearly; [0, inf).
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for; zero|advice.
    bias : {'1', 'none'}, default='1'
        An intercept, or none; 1|none.
    average : {'none', 'uniform'}, default='none'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.GradientAdviceptronRegressor(advice='x2 <= 0 => size between x1 and x1 + 4').fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "gradient-adviceptron"
    _settings = {"loss": "loss", "eta0": "eta0", "mu": "mu", "epsilon": "epsilon", "start": "start", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        loss: Literal["logistic", "hinge", "squared-hinge", "squared", "epsilon-insensitive", "huber"] = "squared",
        eta0: float = 0.1,
        mu: float = 0.01,
        epsilon: float = 0.1,
        start: Literal["zero", "advice"] = "zero",
        bias: Literal["1", "none"] = "1",
        average: Literal["none", "uniform"] = "none",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.eta0 = eta0
        self.mu = mu
        self.epsilon = epsilon
        self.start = start
        self.bias = bias
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class KernelAdviceptronClassifier(OnlineClassifier):
    """Adviceptron with a kernel.

    Problem, update and when not to use it: docs/learners/kernel-adviceptron.md. Source: kunapuli2010okbsvm in
    docs/references.bib.

    Parameters
    ----------
    lambda_ : float, default=1.0
        The longest step an example makes; (0, inf).
    mu : float, default=0.1
        The longest step that a rule makes in a round; (0, inf).
    points : int, default=30
        Rows that stand for a rule; [2, 10000].
    budget : int, default=300
        Most rows kept; further ones are projected onto them. 0: no limit; [0, 100000].
    kernel : {'linear', 'polynomial', 'rbf'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); linear|polynomial|rbf.
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; (0, inf)|scale|auto.
    degree : int, default=3
        Of the polynomial kernel; [1, 20].
    coef0 : float, default=0.0
        Of the polynomial kernel; [0, inf).
    bias : float or {'none'}, default=1.0
        Value of the constant feature whose weight gives the intercept; (0, inf)|none.
    average : {'none', 'uniform'}, default='uniform'
        Predict with the mean of the weights after each round, or with the last; none|uniform.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.KernelAdviceptronClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "kernel-adviceptron"
    _settings = {"lambda_": "lambda", "mu": "mu", "points": "points", "budget": "budget", "kernel": "kernel", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "bias": "bias", "average": "average"}

    def __init__(
        self,
        *,
        lambda_: float = 1.0,
        mu: float = 0.1,
        points: int = 30,
        budget: int = 300,
        kernel: Literal["linear", "polynomial", "rbf"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        bias: float | Literal["none"] = 1.0,
        average: Literal["none", "uniform"] = "uniform",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.points = points
        self.budget = budget
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.average = average
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class RulesClassifier(OnlineClassifier):
    """Rules as written.

    Problem, update and when not to use it: docs/learners/rules.md. Source: ratner2017snorkel in
    docs/references.bib.

    Parameters
    ----------
    sure : float, default=0.9
        Share of rows on which a rule is assumed to be right if its author does not say; [0, 1].
    rows : float, default=10.0
        How many labelled rows this assumption, or the author's statement, counts for; [0, inf).
    prior : float or {'labels'}, default='labels'
        Share of the positive class where no rule holds: taken from the labels, or this number; [0, 1]|labels.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.RulesClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "rules"
    _settings = {"sure": "sure", "rows": "rows", "prior": "prior"}
    _needs_advice = True

    def __init__(
        self,
        *,
        sure: float = 0.9,
        rows: float = 10.0,
        prior: float | Literal["labels"] = "labels",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.sure = sure
        self.rows = rows
        self.prior = prior
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class RulesRegressor(OnlineRegressor):
    """Rules as written, for numbers.

    Problem, update and when not to use it: docs/learners/rules.md. Source: ratner2017snorkel in
    docs/references.bib.

    Parameters
    ----------
    sure : float, default=0.9
        Share of rows on which a rule is assumed to be right if its author does not say; [0, 1].
    rows : float, default=10.0
        How many labelled rows this assumption, or the author's statement, counts for; [0, inf).
    prior : float or {'labels'}, default='labels'
        Share of the positive class where no rule holds: taken from the labels, or this number; [0, 1]|labels.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.RulesRegressor(advice='x2 <= 0 => size between x1 and x1 + 4').fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.1)
    True
    """

    _learner = "rules"
    _settings = {"sure": "sure", "rows": "rows", "prior": "prior"}
    _needs_advice = True

    def __init__(
        self,
        *,
        sure: float = 0.9,
        rows: float = 10.0,
        prior: float | Literal["labels"] = "labels",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.sure = sure
        self.rows = rows
        self.prior = prior
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class AdviceOnlyClassifier(OnlineClassifier):
    """Advice alone.

    Problem, update and when not to use it: docs/learners/advice-only.md. Source: kunapuli2010adviceptron in
    docs/references.bib.

    Parameters
    ----------
    mu : float, default=100.0
        Weight of the advice loss against the length of the weights; (0, inf).
    method : {'optimise', 'sample'}, default='optimise'
        The rules' regions themselves, or points drawn from them; optimise|sample.
    bias : {'1', 'none'}, default='1'
        An intercept, or none; 1|none.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.AdviceOnlyClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "advice-only"
    _settings = {"mu": "mu", "method": "method", "bias": "bias"}
    _needs_advice = True

    def __init__(
        self,
        *,
        mu: float = 100.0,
        method: Literal["optimise", "sample"] = "optimise",
        bias: Literal["1", "none"] = "1",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.mu = mu
        self.method = method
        self.bias = bias
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class KnowledgeSVC(Classifier):
    """Knowledge-based support vector machine.

    Problem, update and when not to use it: docs/learners/kbsvm.md. Source: fung2002kbsvm in docs/references.bib.

    Parameters
    ----------
    form : {'l2', 'l1', 'mixed'}, default='l2'
        Squares throughout; absolute values throughout; |w|^2 with absolute losses; l2|l1|mixed.
    advice_mode : {'soft', 'hard'}, default='soft'
        Rules may be broken at a price, or never; soft|hard.
    lambda_ : float, default=1.0
        Weight of the loss on the examples; (0, inf).
    mu : float, default=1.0
        Weight of the advice loss; (0, inf).
    tolerance : float, default=1e-06
        L2: how far the gradient must fall, as a share of its start; (0, inf).
    epsilon : float, default=0.0
        Regression only: an error up to this costs nothing; [0, inf).
    bias : {'1', 'none'}, default='1'
        An intercept, or none; 1|none.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.KnowledgeSVC(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "kbsvm"
    _settings = {"form": "form", "advice_mode": "advice", "lambda_": "lambda", "mu": "mu", "tolerance": "tolerance", "epsilon": "epsilon", "bias": "bias"}

    def __init__(
        self,
        *,
        form: Literal["l2", "l1", "mixed"] = "l2",
        advice_mode: Literal["soft", "hard"] = "soft",
        lambda_: float = 1.0,
        mu: float = 1.0,
        tolerance: float = 1e-06,
        epsilon: float = 0.0,
        bias: Literal["1", "none"] = "1",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
    ) -> None:
        self.form = form
        self.advice_mode = advice_mode
        self.lambda_ = lambda_
        self.mu = mu
        self.tolerance = tolerance
        self.epsilon = epsilon
        self.bias = bias
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight


class KnowledgeSVR(Regressor):
    """Knowledge-based support vector machine, for numbers.

    Problem, update and when not to use it: docs/learners/kbsvm.md. Source: fung2002kbsvm in docs/references.bib.

    Parameters
    ----------
    form : {'l2', 'l1', 'mixed'}, default='l2'
        Squares throughout; absolute values throughout; |w|^2 with absolute losses; l2|l1|mixed.
    advice_mode : {'soft', 'hard'}, default='soft'
        Rules may be broken at a price, or never; soft|hard.
    lambda_ : float, default=1.0
        Weight of the loss on the examples; (0, inf).
    mu : float, default=1.0
        Weight of the advice loss; (0, inf).
    tolerance : float, default=1e-06
        L2: how far the gradient must fall, as a share of its start; (0, inf).
    epsilon : float, default=0.0
        Regression only: an error up to this costs nothing; [0, inf).
    bias : {'1', 'none'}, default='1'
        An intercept, or none; 1|none.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.KnowledgeSVR(advice='x2 <= 0 => size between x1 and x1 + 4').fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "kbsvm"
    _settings = {"form": "form", "advice_mode": "advice", "lambda_": "lambda", "mu": "mu", "tolerance": "tolerance", "epsilon": "epsilon", "bias": "bias"}

    def __init__(
        self,
        *,
        form: Literal["l2", "l1", "mixed"] = "l2",
        advice_mode: Literal["soft", "hard"] = "soft",
        lambda_: float = 1.0,
        mu: float = 1.0,
        tolerance: float = 1e-06,
        epsilon: float = 0.0,
        bias: Literal["1", "none"] = "1",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
    ) -> None:
        self.form = form
        self.advice_mode = advice_mode
        self.lambda_ = lambda_
        self.mu = mu
        self.tolerance = tolerance
        self.epsilon = epsilon
        self.bias = bias
        self.advice = advice
        self.scale = scale
        self.missing = missing


class KernelKnowledgeSVC(Classifier):
    """Knowledge-based support vector machine with a kernel.

    Problem, update and when not to use it: docs/learners/kernel-kbsvm.md. Source: mangasarian2008nonlinear in
    docs/references.bib.

    Parameters
    ----------
    lambda_ : float, default=1.0
        Weight of the loss on the examples; (0, inf).
    mu : float, default=100.0
        Weight of the loss on what rules say; (0, inf).
    points : int, default=100
        Rows that stand for a rule; [2, 100000].
    kernel : {'linear', 'polynomial', 'rbf'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); linear|polynomial|rbf.
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; (0, inf)|scale|auto.
    degree : int, default=3
        Of the polynomial kernel; [1, 20].
    coef0 : float, default=0.0
        Of the polynomial kernel; [0, inf).
    tolerance : float, default=0.001
        How far the conditions of the optimum may be missed; (0, inf).
    cache : float, default=200.0
        Megabytes for kernel values; (0, inf).
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.KernelKnowledgeSVC(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "kernel-kbsvm"
    _settings = {"lambda_": "lambda", "mu": "mu", "points": "points", "kernel": "kernel", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "tolerance": "tolerance", "cache": "cache"}

    def __init__(
        self,
        *,
        lambda_: float = 1.0,
        mu: float = 100.0,
        points: int = 100,
        kernel: Literal["linear", "polynomial", "rbf"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tolerance: float = 0.001,
        cache: float = 200.0,
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
    ) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.points = points
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tolerance = tolerance
        self.cache = cache
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight


class SVC(Classifier):
    """Support vector machine with C.

    Problem, update and when not to use it: docs/learners/svm.md. Source: chang2011libsvm in docs/references.bib.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss on the examples; (0, inf).
    kernel : {'linear', 'polynomial', 'rbf', 'precomputed'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); the rows are kernel values with the training rows,
        in their order; linear|polynomial|rbf|precomputed.
    multiclass : {'ovr', 'ovo'}, default='ovr'
        Several classes: each against the rest, or one against one with a vote, as LIBSVM; ovr|ovo.
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; (0, inf)|scale|auto.
    degree : int, default=3
        Of the polynomial kernel; [1, 20].
    coef0 : float, default=0.0
        Of the polynomial kernel; [0, inf).
    tolerance : float, default=0.001
        How far the conditions of the optimum may be missed; (0, inf).
    cache : float, default=200.0
        Megabytes for kernel values; (0, inf).
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.SVC().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "svm"
    _settings = {"C": "C", "kernel": "kernel", "multiclass": "multiclass", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "tolerance": "tolerance", "cache": "cache"}

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Literal["linear", "polynomial", "rbf", "precomputed"] = "rbf",
        multiclass: Literal["ovr", "ovo"] = "ovr",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tolerance: float = 0.001,
        cache: float = 200.0,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.multiclass = multiclass
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tolerance = tolerance
        self.cache = cache
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight


class NuSVC(Classifier):
    """Support vector machine with nu.

    Problem, update and when not to use it: docs/learners/svm.md. Source: chang2011libsvm in docs/references.bib.

    Parameters
    ----------
    nu : float, default=0.1
        0: C is used; else the share of examples that may lie inside the margin, and C is not used; [0, 1].
    kernel : {'linear', 'polynomial', 'rbf', 'precomputed'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); the rows are kernel values with the training rows,
        in their order; linear|polynomial|rbf|precomputed.
    multiclass : {'ovr', 'ovo'}, default='ovr'
        Several classes: each against the rest, or one against one with a vote, as LIBSVM; ovr|ovo.
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; (0, inf)|scale|auto.
    degree : int, default=3
        Of the polynomial kernel; [1, 20].
    coef0 : float, default=0.0
        Of the polynomial kernel; [0, inf).
    tolerance : float, default=0.001
        How far the conditions of the optimum may be missed; (0, inf).
    cache : float, default=200.0
        Megabytes for kernel values; (0, inf).
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.NuSVC().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "svm"
    _settings = {"nu": "nu", "kernel": "kernel", "multiclass": "multiclass", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "tolerance": "tolerance", "cache": "cache"}

    def __init__(
        self,
        *,
        nu: float = 0.1,
        kernel: Literal["linear", "polynomial", "rbf", "precomputed"] = "rbf",
        multiclass: Literal["ovr", "ovo"] = "ovr",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tolerance: float = 0.001,
        cache: float = 200.0,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.multiclass = multiclass
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tolerance = tolerance
        self.cache = cache
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight


class EllipsoidalSVC(EllipsoidMixin, Classifier):
    """Ellipsoidal support vector machine.

    Problem, update and when not to use it: docs/learners/esvm.md. Source: momma2010esvm in docs/references.bib.

    Parameters
    ----------
    nu : float, default=0.1
        How little losses weigh; useful values lie between 0.001 and 10; (0, inf).
    one_minus_r : float, default=1e-06
        Weight of the trace against the log-determinant, r before that; [1e-08, 1).
    kernel : {'linear', 'polynomial', 'rbf', 'precomputed'}, default='linear'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); the rows are kernel values with the training rows,
        in their order; linear|polynomial|rbf|precomputed.
    multiclass : {'ovr', 'ovo'}, default='ovr'
        Several classes: each against the rest, or one against one with a vote, as LIBSVM; ovr|ovo.
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; (0, inf)|scale|auto.
    degree : int, default=3
        Of the polynomial kernel; [1, 20].
    coef0 : float, default=0.0
        Of the polynomial kernel; [0, inf).
    bias : {'none', 'free', 'augmented'}, default='free'
        None; a bias that costs nothing; a constant feature 1, inside |w| <= 1; none|free|augmented.
    problem : {'relaxed', 'exact', 'iterated', 'rho', 'sphere'}, default='relaxed'
        Problem (6); (5); (5) by linearising (6) again at its last answer; (4), which has a margin rho too; (1),
        which has nothing else. exact, iterated and rho: for at most 100 features, or with kernels some 100 rows;
        relaxed|exact|iterated|rho|sphere.
    margin : {'soft', 'hard'}, default='soft'
        Losses are allowed, or the rows must be separable; soft|hard.
    solver : {'auto', 'smo', 'newton', 'ipm', 'dca'}, default='auto'
        Two multipliers at a time; analytic centre (hard margins); interior point; coordinate ascent (linear);
        auto|smo|newton|ipm|dca.
    c_form : {'rank', 'norm', 'norm2', 'mean'}, default='rank'
        C of a row: min(n, m)/(nu m |x|), kernels 1/(nu |x|); 1/(nu |x|); 1/(nu |x|^2), as printed; 1/(nu m);
        rank|norm|norm2|mean.
    rows : {'unit', 'given'}, default='unit'
        Q = |x|, whose answers do not depend on the unit; or q = 1, as printed; unit|given.
    lambda_ : float, default=1.0
        Problem=rho: weight of the ellipsoid against the margin; (0, inf).
    tolerance : float, default=0.0001
        Of the duality gap, relative to r n; (0, inf).
    keep_novelty : bool, default=True
        Kernels: keep what novelty needs, a number for each two support vectors.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.EllipsoidalSVC().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "esvm"
    _settings = {"nu": "nu", "one_minus_r": "one_minus_r", "kernel": "kernel", "multiclass": "multiclass", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "bias": "bias", "problem": "problem", "margin": "margin", "solver": "solver", "c_form": "c_form", "rows": "rows", "lambda_": "lambda", "tolerance": "tolerance", "keep_novelty": "novelty"}

    def __init__(
        self,
        *,
        nu: float = 0.1,
        one_minus_r: float = 1e-06,
        kernel: Literal["linear", "polynomial", "rbf", "precomputed"] = "linear",
        multiclass: Literal["ovr", "ovo"] = "ovr",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        bias: Literal["none", "free", "augmented"] = "free",
        problem: Literal["relaxed", "exact", "iterated", "rho", "sphere"] = "relaxed",
        margin: Literal["soft", "hard"] = "soft",
        solver: Literal["auto", "smo", "newton", "ipm", "dca"] = "auto",
        c_form: Literal["rank", "norm", "norm2", "mean"] = "rank",
        rows: Literal["unit", "given"] = "unit",
        lambda_: float = 1.0,
        tolerance: float = 0.0001,
        keep_novelty: bool = True,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
    ) -> None:
        self.nu = nu
        self.one_minus_r = one_minus_r
        self.kernel = kernel
        self.multiclass = multiclass
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.bias = bias
        self.problem = problem
        self.margin = margin
        self.solver = solver
        self.c_form = c_form
        self.rows = rows
        self.lambda_ = lambda_
        self.tolerance = tolerance
        self.keep_novelty = keep_novelty
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight


class OnlineEllipsoidalSVC(EllipsoidMixin, OnlineClassifier):
    """Online ellipsoidal support vector machine.

    Problem, update and when not to use it: docs/learners/esvm-online.md. Source: momma2010esvm in
    docs/references.bib.

    Parameters
    ----------
    nu : float, default=0.1
        How little losses weigh; (0, inf).
    epsilon : float, default=0.0
        Stop when the paper's heuristic says so much is left to gain; 0: never; [0, inf).
    step : {'sqrt', 'harmonic'}, default='sqrt'
        Of w: nu/sqrt(t), or 1/t as in the paper; sqrt|harmonic.
    bias : {'augmented', 'none'}, default='augmented'
        A constant feature 1, or none; augmented|none.
    average : bool, default=True
        Predict with the average of the weights, not with the last.
    ellipsoid : {'last', 'average'}, default='last'
        The B of novelty and axes: the last one, or the average over all rounds, which Theorem 2 is about and which
        costs as many numbers again; last|average.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.OnlineEllipsoidalSVC().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "esvm-online"
    _settings = {"nu": "nu", "epsilon": "epsilon", "step": "step", "bias": "bias", "average": "average", "ellipsoid": "ellipsoid"}

    def __init__(
        self,
        *,
        nu: float = 0.1,
        epsilon: float = 0.0,
        step: Literal["sqrt", "harmonic"] = "sqrt",
        bias: Literal["augmented", "none"] = "augmented",
        average: bool = True,
        ellipsoid: Literal["last", "average"] = "last",
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.nu = nu
        self.epsilon = epsilon
        self.step = step
        self.bias = bias
        self.average = average
        self.ellipsoid = ellipsoid
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class BayesPointClassifier(Classifier):
    """Bayes point machine.

    Problem, update and when not to use it: docs/learners/bayes-point.md. Source: herbrich2001bpm in
    docs/references.bib.

    Parameters
    ----------
    kernel : {'linear', 'polynomial', 'rbf', 'precomputed'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); the rows are kernel values with the training rows,
        in their order; linear|polynomial|rbf|precomputed.
    multiclass : {'ovr', 'ovo'}, default='ovr'
        Several classes: each against the rest, or one against one with a vote, as LIBSVM; ovr|ovo.
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; (0, inf)|scale|auto.
    degree : int, default=3
        Of the polynomial kernel; [1, 20].
    coef0 : float, default=0.0
        Of the polynomial kernel; [0, inf).
    soft : float, default=0.1
        Added to the kernel's diagonal, relative to its mean; 0: the rows must be separable; [0, inf).
    method : {'billiard', 'permutations'}, default='billiard'
        The centre of mass by a ball in the version space, or the mean of perceptrons; billiard|permutations.
    tol : float, default=0.05
        Two runs must agree within this angle (radians); (0, inf).
    bias : {'augmented', 'none'}, default='augmented'
        A constant feature 1, or none; augmented|none.
    random_state : object, default=None
        Of the random numbers; [0, inf).
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.BayesPointClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "bayes-point"
    _settings = {"kernel": "kernel", "multiclass": "multiclass", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "soft": "soft", "method": "method", "tol": "tol", "bias": "bias", "random_state": "seed"}

    def __init__(
        self,
        *,
        kernel: Literal["linear", "polynomial", "rbf", "precomputed"] = "rbf",
        multiclass: Literal["ovr", "ovo"] = "ovr",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        soft: float = 0.1,
        method: Literal["billiard", "permutations"] = "billiard",
        tol: float = 0.05,
        bias: Literal["augmented", "none"] = "augmented",
        random_state: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
    ) -> None:
        self.kernel = kernel
        self.multiclass = multiclass
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.soft = soft
        self.method = method
        self.tol = tol
        self.bias = bias
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight


class WagerClassifier(OnlineClassifier):
    """A wager of two AROW learners.

    Problem, update and when not to use it: docs/learners/wager.md. Source: derooij2014adahedge in
    docs/references.bib.

    Parameters
    ----------
    r0 : float, default=0.3
        How little an example counts, in units of the mean |x|^2; (0, inf).
    stiff : float, default=0.3
        How freely the advised half moves its weights away from the rules; (0, inf).
    prior : float, default=0.7
        How far the advised half is believed before the first example; (0, 1).
    bias : {'1', 'none'}, default='1'
        An intercept, or none; 1|none.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.WagerClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "wager"
    _settings = {"r0": "r0", "stiff": "stiff", "prior": "prior", "bias": "bias"}

    def __init__(
        self,
        *,
        r0: float = 0.3,
        stiff: float = 0.3,
        prior: float = 0.7,
        bias: Literal["1", "none"] = "1",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.r0 = r0
        self.stiff = stiff
        self.prior = prior
        self.bias = bias
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


class AdviceClassifier(OnlineClassifier):
    """Examples, rules and both under one mixture.

    Problem, update and when not to use it: docs/learners/advised.md. Source: herbster1998tracking in
    docs/references.bib.

    Parameters
    ----------
    prior : float, default=0.9
        Probability, before the first example, that the rules help; (0, 1).
    bias : {'1', 'none'}, default='1'
        An intercept, or none; 1|none.
    drift : {'none', 'auto'}, default='none'
        Auto: also learners that forget, for a world that changes; none|auto.
    advice : object, default=None
        Rules: a text, a list of rules or the path of a file, in the units of the columns of X; docs/rules.md.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        'standard', 'minmax', 'maxabs' or 'none': what X is scaled by, and rules with it.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    max_iter : int, default=1000
        Most passes over the rows that fit makes.
    tol : float, optional, default=0.001
        Fit stops when the share of mistakes in a pass (for numbers, the mean |error|), by weight, has not fallen by
        this for n_iter_no_change passes; None: all passes are made.
    n_iter_no_change : int, default=5
        See tol.
    shuffle : bool, default=True
        Each pass of fit has its own random order.
    random_state : object, default=None
        Seed of these orders; None is 0, so that the same data give the same model.
    warm_start : bool, default=False
        Fit goes on from what was learned before.
    verbose : int, default=0
        1: tell of each pass on standard error.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.AdviceClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "advised"
    _settings = {"prior": "prior", "bias": "bias", "drift": "drift"}

    def __init__(
        self,
        *,
        prior: float = 0.9,
        bias: Literal["1", "none"] = "1",
        drift: Literal["none", "auto"] = "none",
        advice: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.prior = prior
        self.bias = bias
        self.drift = drift
        self.advice = advice
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose


# By learner and whether it predicts numbers.
ESTIMATORS = {
    ("perceptron", False): [PerceptronClassifier],
    ("margin-perceptron", False): [MarginPerceptronClassifier],
    ("voted-perceptron", False): [VotedPerceptronClassifier],
    ("kernel-perceptron", False): [KernelPerceptronClassifier],
    ("romma", False): [RommaClassifier],
    ("pa", False): [PassiveAggressiveClassifier],
    ("pa", True): [PassiveAggressiveRegressor],
    ("sgd", False): [SGDClassifier],
    ("sgd", True): [SGDRegressor],
    ("arow", False): [AROWClassifier],
    ("arow", True): [AROWRegressor],
    ("pa-adviceptron", False): [PAAdviceptronClassifier],
    ("pa-adviceptron", True): [PAAdviceptronRegressor],
    ("adviceptron", False): [AdviceptronClassifier],
    ("gradient-adviceptron", False): [GradientAdviceptronClassifier],
    ("gradient-adviceptron", True): [GradientAdviceptronRegressor],
    ("kernel-adviceptron", False): [KernelAdviceptronClassifier],
    ("rules", False): [RulesClassifier],
    ("rules", True): [RulesRegressor],
    ("advice-only", False): [AdviceOnlyClassifier],
    ("kbsvm", False): [KnowledgeSVC],
    ("kbsvm", True): [KnowledgeSVR],
    ("kernel-kbsvm", False): [KernelKnowledgeSVC],
    ("svm", False): [SVC, NuSVC],
    ("esvm", False): [EllipsoidalSVC],
    ("esvm-online", False): [OnlineEllipsoidalSVC],
    ("bayes-point", False): [BayesPointClassifier],
    ("wager", False): [WagerClassifier],
    ("advised", False): [AdviceClassifier],
}


def from_engine(engine):
    """The estimator of a model that was loaded."""
    return restore(engine, ESTIMATORS)
