"""Written by tools/generate.py from `postil learners --json`; do not edit."""

from typing import Any, Literal

from ._classifier import Classifier, OnlineClassifier
from ._ellipsoid import EllipsoidMixin
from ._load import restore
from ._passive_aggressive import PassiveAggressive
from ._regressor import OnlineRegressor, Regressor
from ._rules import Advice
from ._support import SupportVectors


class PerceptronClassifier(OnlineClassifier):
    """Classifies rows, learning them one at a time: perceptron.

    The oldest online learner: it moves only when it is wrong.

    When not to use it: on noisy data the last w depends on the last few mistakes: keep the averaging on, or take a
    learner with a margin.

    The command `postil learners perceptron` prints its formulas.

    Parameters
    ----------
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    average : {'none', 'uniform'} or bool, default='uniform'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Freund, Schapire. Large Margin Classification Using the Perceptron Algorithm. Machine Learning, 1999.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.PerceptronClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "perceptron"
    _settings = {"multiclass": "multiclass", "start": "start", "intercept_scaling": "bias", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

    def __init__(
        self,
        *,
        multiclass: Literal["ovr", "joint"] = "ovr",
        start: Literal["zero", "advice"] = "zero",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        average: Literal["none", "uniform"] | bool = "uniform",
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.multiclass = multiclass
        self.start = start
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


class MarginPerceptronClassifier(OnlineClassifier):
    """Classifies rows, learning them one at a time: margin perceptron.

    The perceptron that is not content with being right: it goes on learning until it is right by a margin.

    When not to use it: the margin is in units of f, which grows with |w| and |x|^2: scale the data, or take
    `PassiveAggressiveClassifier`, whose step fits each example.

    The command `postil learners margin-perceptron` prints its formulas.

    Parameters
    ----------
    margin : float, default=1.0
        Learn from every example whose score does not exceed this; at least 0.
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    average : {'none', 'uniform'} or bool, default='uniform'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Freund, Schapire. Large Margin Classification Using the Perceptron Algorithm. Machine Learning, 1999.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.MarginPerceptronClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "margin-perceptron"
    _settings = {"margin": "margin", "multiclass": "multiclass", "start": "start", "intercept_scaling": "bias", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

    def __init__(
        self,
        *,
        margin: float = 1.0,
        multiclass: Literal["ovr", "joint"] = "ovr",
        start: Literal["zero", "advice"] = "zero",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        average: Literal["none", "uniform"] | bool = "uniform",
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.margin = margin
        self.multiclass = multiclass
        self.start = start
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


class VotedPerceptronClassifier(OnlineClassifier):
    """Classifies rows, learning them one at a time: voted perceptron.

    Every weight vector the perceptron went through keeps a vote, as many as the rounds it survived.

    When not to use it: the model keeps the example of every mistake, and a prediction costs as much as all of them
    together. The averaged perceptron (`PerceptronClassifier` with `average='uniform'`) is nearly as good and as
    fast as any linear model; this one is here because the theory is about it. It has no weights to explain.

    The command `postil learners voted-perceptron` prints its formulas.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Freund, Schapire. Large Margin Classification Using the Perceptron Algorithm. Machine Learning, 1999.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.VotedPerceptronClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "voted-perceptron"
    _settings = {"intercept_scaling": "bias"}

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
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
        callback: Any = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
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
        self.callback = callback


class KernelPerceptronClassifier(OnlineClassifier):
    """Classifies rows, learning them one at a time: kernel perceptron.

    The perceptron in the space of a kernel, as Freund and Schapire describe it. It keeps the rows it was wrong
    about, at most `budget` of them.

    When not to use it: where a linear model will do; and where the world changes, since the rows kept are the first
    it was wrong about. `SVC` finds the best margin for a file that fits into memory.

    The command `postil learners kernel-perceptron` prints its formulas.

    Parameters
    ----------
    prediction : {'averaged', 'voted', 'last'}, default='averaged'
        With the mean of all vectors, their vote, or the last.
    budget : int, default=300
        Most rows kept; further ones are projected onto them. 0, and with a vote: no limit; from 0 to 100000.
    kernel : {'linear', 'polynomial', 'rbf', 'poly'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); "poly" is "polynomial".
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; above 0.
    degree : int, default=3
        Of the polynomial kernel; from 1 to 20.
    coef0 : float, default=0.0
        Of the polynomial kernel; at least 0.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Freund, Schapire. Large Margin Classification Using the Perceptron Algorithm. Machine Learning, 1999.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.KernelPerceptronClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "kernel-perceptron"
    _settings = {"prediction": "prediction", "budget": "budget", "kernel": "kernel", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "intercept_scaling": "bias"}
    _words = {"kernel": {"poly": "polynomial"}}

    def __init__(
        self,
        *,
        prediction: Literal["averaged", "voted", "last"] = "averaged",
        budget: int = 300,
        kernel: Literal["linear", "polynomial", "rbf", "poly"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
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
        callback: Any = None,
    ) -> None:
        self.prediction = prediction
        self.budget = budget
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
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
        self.callback = callback


class RommaClassifier(OnlineClassifier):
    """Classifies rows, learning them one at a time: relaxed online maximum margin algorithm.

    Keeps the smallest w that classifies the current example with margin 1 and stays within the half-space that
    stands for all earlier ones.

    When not to use it: it is made for separable data: on noisy data the constraints contradict each other and the
    last w jumps. Keep the averaging on.

    The command `postil learners romma` prints its formulas.

    Parameters
    ----------
    aggressive : bool, default=False
        Learn from examples inside the margin too.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    average : {'none', 'uniform'} or bool, default='uniform'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Li, Long. The Relaxed Online Maximum Margin Algorithm. Machine Learning, 2002.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.RommaClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "romma"
    _settings = {"aggressive": "aggressive", "intercept_scaling": "bias", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

    def __init__(
        self,
        *,
        aggressive: bool = False,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        average: Literal["none", "uniform"] | bool = "uniform",
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
        callback: Any = None,
    ) -> None:
        self.aggressive = aggressive
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
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
        self.callback = callback


class PassiveAggressiveClassifier(PassiveAggressive, OnlineClassifier):
    """Classifies rows, learning them one at a time: passive-aggressive algorithms.

    Changes the weights as little as possible, but enough to get the current example right with margin 1 (or,
    softly, to pay for not doing so).

    When not to use it: with noisy labels `PassiveAggressiveClassifier` believes each example wholly, and large C
    does nearly so: keep the averaging on, or lower C.

    The command `postil learners pa` prints its formulas.

    Parameters
    ----------
    variant : {'pa', 'pa1', 'pa2'}, default='pa1'
        No limit to the step, a bounded step (PA-I), or a damped one (PA-II).
    C : float, default=1.0
        Aggressiveness: the longest step (PA-I) or the damping (PA-II); above 0.
    epsilon : float, default=0.1
        Regression only: an error up to this costs nothing; at least 0.
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    average : {'none', 'uniform'} or bool, default='uniform'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.
    loss : str, optional, default=None
        Scikit-learn's name for the variant: 'hinge' or 'epsilon_insensitive' is pa1, 'squared_hinge' or
        'squared_epsilon_insensitive' is pa2; None: `variant` decides.
    learning_rate : str, optional, default=None
        'pa1' or 'pa2', as in scikit-learn's SGD estimators; None: `variant` decides.
    early_stopping : bool, default=False
        Fit sets rows aside and stops when their error has not fallen by `tol` for `n_iter_no_change` passes; False:
        the mistakes of each pass, made before learning each row, are watched.
    validation_fraction : float, default=0.1
        With early_stopping: the share of rows that are set aside; (0, 1).

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online Passive-Aggressive Algorithms. Journal of Machine
    Learning Research, 2006.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.PassiveAggressiveClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "pa"
    _settings = {"variant": "variant", "C": "C", "epsilon": "epsilon", "multiclass": "multiclass", "start": "start", "intercept_scaling": "bias", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

    def __init__(
        self,
        *,
        variant: Literal["pa", "pa1", "pa2"] = "pa1",
        C: float = 1.0,
        epsilon: float = 0.1,
        multiclass: Literal["ovr", "joint"] = "ovr",
        start: Literal["zero", "advice"] = "zero",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        average: Literal["none", "uniform"] | bool = "uniform",
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
        loss: str | None = None,
        learning_rate: str | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
    ) -> None:
        self.variant = variant
        self.C = C
        self.epsilon = epsilon
        self.multiclass = multiclass
        self.start = start
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback
        self.loss = loss
        self.learning_rate = learning_rate
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction


class PassiveAggressiveRegressor(PassiveAggressive, OnlineRegressor):
    """Predicts numbers, learning them one at a time: passive-aggressive algorithms.

    Changes the weights as little as possible, but enough to get the current example right with margin 1 (or,
    softly, to pay for not doing so).

    When not to use it: with noisy labels `PassiveAggressiveClassifier` believes each example wholly, and large C
    does nearly so: keep the averaging on, or lower C.

    The command `postil learners pa` prints its formulas.

    Parameters
    ----------
    variant : {'pa', 'pa1', 'pa2'}, default='pa1'
        No limit to the step, a bounded step (PA-I), or a damped one (PA-II).
    C : float, default=1.0
        Aggressiveness: the longest step (PA-I) or the damping (PA-II); above 0.
    epsilon : float, default=0.1
        Regression only: an error up to this costs nothing; at least 0.
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    average : {'none', 'uniform'} or bool, default='uniform'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.
    loss : str, optional, default=None
        Scikit-learn's name for the variant: 'hinge' or 'epsilon_insensitive' is pa1, 'squared_hinge' or
        'squared_epsilon_insensitive' is pa2; None: `variant` decides.
    learning_rate : str, optional, default=None
        'pa1' or 'pa2', as in scikit-learn's SGD estimators; None: `variant` decides.
    early_stopping : bool, default=False
        Fit sets rows aside and stops when their error has not fallen by `tol` for `n_iter_no_change` passes; False:
        the mistakes of each pass, made before learning each row, are watched.
    validation_fraction : float, default=0.1
        With early_stopping: the share of rows that are set aside; (0, 1).

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. Online Passive-Aggressive Algorithms. Journal of Machine
    Learning Research, 2006.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.PassiveAggressiveRegressor().fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "pa"
    _settings = {"variant": "variant", "C": "C", "epsilon": "epsilon", "multiclass": "multiclass", "start": "start", "intercept_scaling": "bias", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

    def __init__(
        self,
        *,
        variant: Literal["pa", "pa1", "pa2"] = "pa1",
        C: float = 1.0,
        epsilon: float = 0.1,
        multiclass: Literal["ovr", "joint"] = "ovr",
        start: Literal["zero", "advice"] = "zero",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        average: Literal["none", "uniform"] | bool = "uniform",
        advice: Advice | None = None,
        feature_names: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        callback: Any = None,
        loss: str | None = None,
        learning_rate: str | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
    ) -> None:
        self.variant = variant
        self.C = C
        self.epsilon = epsilon
        self.multiclass = multiclass
        self.start = start
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.callback = callback
        self.loss = loss
        self.learning_rate = learning_rate
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction


class GradientDescentClassifier(OnlineClassifier):
    """Classifies rows, learning them one at a time: stochastic gradient descent.

    The plain framework that the others are special cases or cousins of: one step against the gradient of the loss
    for each example.

    When not to use it: the step size must fit the scale of the data; `PassiveAggressiveClassifier` and
    `AROWClassifier` find theirs by themselves.

    The command `postil learners sgd` prints its formulas.

    Parameters
    ----------
    loss : {'perceptron', 'hinge', 'squared-hinge', 'logistic', 'squared', 'epsilon-insensitive', 'huber'}, default='hinge'
        What a score costs.
    eta0 : float, default=1.0
        Step size, or its first value; above 0.
    schedule : {'constant', 'invsqrt', 'inverse', 'pegasos'}, default='constant'
        How the step size falls.
    l2 : float, default=0.0
        Weight of 1/2 |w|^2; at least 0.
    l1 : float, default=0.0
        Weight of |w|_1: makes weights exactly 0; at least 0.
    epsilon : float, default=0.1
        Width of the epsilon-insensitive and Huber losses; at least 0.
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    average : {'none', 'uniform'} or bool, default='uniform'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Online Learning and the Perceptron Algorithm. Lecture notes; the framework, Algorithm 1 and Theorems 3.1 and 3.2
    that Postil cites as 001.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.GradientDescentClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "sgd"
    _settings = {"loss": "loss", "eta0": "eta0", "schedule": "schedule", "l2": "l2", "l1": "l1", "epsilon": "epsilon", "multiclass": "multiclass", "start": "start", "intercept_scaling": "bias", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

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
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        average: Literal["none", "uniform"] | bool = "uniform",
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.loss = loss
        self.eta0 = eta0
        self.schedule = schedule
        self.l2 = l2
        self.l1 = l1
        self.epsilon = epsilon
        self.multiclass = multiclass
        self.start = start
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


class GradientDescentRegressor(OnlineRegressor):
    """Predicts numbers, learning them one at a time: stochastic gradient descent.

    The plain framework that the others are special cases or cousins of: one step against the gradient of the loss
    for each example.

    When not to use it: the step size must fit the scale of the data; `PassiveAggressiveClassifier` and
    `AROWClassifier` find theirs by themselves.

    The command `postil learners sgd` prints its formulas.

    Parameters
    ----------
    loss : {'perceptron', 'hinge', 'squared-hinge', 'logistic', 'squared', 'epsilon-insensitive', 'huber'}, default='squared'
        What a score costs.
    eta0 : float, default=0.01
        Step size, or its first value; above 0.
    schedule : {'constant', 'invsqrt', 'inverse', 'pegasos'}, default='constant'
        How the step size falls.
    l2 : float, default=0.0
        Weight of 1/2 |w|^2; at least 0.
    l1 : float, default=0.0
        Weight of |w|_1: makes weights exactly 0; at least 0.
    epsilon : float, default=0.1
        Width of the epsilon-insensitive and Huber losses; at least 0.
    multiclass : {'ovr', 'joint'}, default='ovr'
        Several classes: each against the rest, or one update of the right class and its rivals.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    average : {'none', 'uniform'} or bool, default='none'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Online Learning and the Perceptron Algorithm. Lecture notes; the framework, Algorithm 1 and Theorems 3.1 and 3.2
    that Postil cites as 001.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.GradientDescentRegressor().fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "sgd"
    _settings = {"loss": "loss", "eta0": "eta0", "schedule": "schedule", "l2": "l2", "l1": "l1", "epsilon": "epsilon", "multiclass": "multiclass", "start": "start", "intercept_scaling": "bias", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

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
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        average: Literal["none", "uniform"] | bool = "none",
        advice: Advice | None = None,
        feature_names: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.loss = loss
        self.eta0 = eta0
        self.schedule = schedule
        self.l2 = l2
        self.l1 = l1
        self.epsilon = epsilon
        self.multiclass = multiclass
        self.start = start
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.callback = callback


class AROWClassifier(OnlineClassifier):
    """Classifies rows, learning them one at a time: adaptive regularisation of weights.

    Keeps, beside each weight, how sure it is of it: features seen often move little, rare ones move much.

    When not to use it: in a world that changes, unless with `full` and `drift`: V only shrinks, so the learner
    becomes slow. `full` is for a few thousand features at most.

    The command `postil learners arow` prints its formulas.

    Parameters
    ----------
    r : float, default=0.3
        How little an example counts: large r, small steps; above 0.
    relative : bool, default=True
        R is in units of the mean |x|^2 so far.
    full : bool, default=False
        A full matrix V instead of its diagonal: n^2 numbers.
    drift : float, default=0.0
        How fast old rows count less: this share of the first V comes back with each row; full V only; at least 0,
        below 1.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    average : {'none', 'uniform'} or bool, default='none'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Crammer, Kulesza, Dredze. Adaptive Regularization of Weight Vectors. NIPS, 2009.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.AROWClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "arow"
    _settings = {"r": "r", "relative": "relative", "full": "full", "drift": "drift", "start": "start", "intercept_scaling": "bias", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

    def __init__(
        self,
        *,
        r: float = 0.3,
        relative: bool = True,
        full: bool = False,
        drift: float = 0.0,
        start: Literal["zero", "advice"] = "zero",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        average: Literal["none", "uniform"] | bool = "none",
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.r = r
        self.relative = relative
        self.full = full
        self.drift = drift
        self.start = start
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


class AROWRegressor(OnlineRegressor):
    """Predicts numbers, learning them one at a time: adaptive regularisation of weights.

    Keeps, beside each weight, how sure it is of it: features seen often move little, rare ones move much.

    When not to use it: in a world that changes, unless with `full` and `drift`: V only shrinks, so the learner
    becomes slow. `full` is for a few thousand features at most.

    The command `postil learners arow` prints its formulas.

    Parameters
    ----------
    r : float, default=0.1
        How little an example counts: large r, small steps; above 0.
    relative : bool, default=True
        R is in units of the mean |x|^2 so far.
    full : bool, default=True
        A full matrix V instead of its diagonal: n^2 numbers.
    drift : float, default=0.0003
        How fast old rows count less: this share of the first V comes back with each row; full V only; at least 0,
        below 1.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    average : {'none', 'uniform'} or bool, default='none'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Crammer, Kulesza, Dredze. Adaptive Regularization of Weight Vectors. NIPS, 2009.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.AROWRegressor().fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "arow"
    _settings = {"r": "r", "relative": "relative", "full": "full", "drift": "drift", "start": "start", "intercept_scaling": "bias", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

    def __init__(
        self,
        *,
        r: float = 0.1,
        relative: bool = True,
        full: bool = True,
        drift: float = 0.0003,
        start: Literal["zero", "advice"] = "zero",
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        average: Literal["none", "uniform"] | bool = "none",
        advice: Advice | None = None,
        feature_names: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.r = r
        self.relative = relative
        self.full = full
        self.drift = drift
        self.start = start
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.callback = callback


class PAAdviceptronClassifier(OnlineClassifier):
    """Classifies rows from labels and rules, learning them one at a time: passive-aggressive Adviceptron.

    Learns from each example as PA-II does, and in the same step moves towards what the rules say: each rule's
    estimate of the hypothesis is updated beside the weights.

    When not to use it: with a constant mu every round pulls the weights towards the rules: memory is about 1 + 1/(m
    mu) rounds, so advice wins early and can lose late. `mu_decay` or a small `mu` helps.

    The command `postil learners pa-adviceptron` prints its formulas.

    Parameters
    ----------
    lambda_ : float, default=1.0
        Weight of the loss on the current example; above 0.
    mu : float, default=1.0
        Weight of the advice loss; above 0.
    passive : {'never', 'weights', 'all'}, default='never'
        What rests when an example costs nothing: nothing, the weights, or advice too.
    advice_step : {'paper', 'plus', 'exact', 'joint'}, default='plus'
        How the advice multipliers are updated.
    mu_decay : float, default=0.0
        How fast mu falls with the examples; at least 0.
    epsilon : float, default=0.0
        Regression only: an error up to this costs nothing; at least 0.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept : {'data', 'pinned'}, default='data'
        With fit_intercept: an intercept moved by data only, a constant feature that advice moves too, or none.
    ranges : {'known', 'none'}, default='known'
        What is known of the columns' ranges counts as rows of every rule's region, or does not.
    average : {'none', 'uniform'} or bool, default='none'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Kunapuli, Bennett, Shabbeer, Maclin, Shavlik. Online Knowledge-Based Support Vector Machines. ECML PKDD, 2010.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.PAAdviceptronClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "pa-adviceptron"
    _settings = {"lambda_": "lambda", "mu": "mu", "passive": "passive", "advice_step": "advice_step", "mu_decay": "mu_decay", "epsilon": "epsilon", "start": "start", "intercept": "bias", "ranges": "ranges", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

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
        fit_intercept: bool = True,
        intercept: Literal["data", "pinned"] = "data",
        ranges: Literal["known", "none"] = "known",
        average: Literal["none", "uniform"] | bool = "none",
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.passive = passive
        self.advice_step = advice_step
        self.mu_decay = mu_decay
        self.epsilon = epsilon
        self.start = start
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.ranges = ranges
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


class PAAdviceptronRegressor(OnlineRegressor):
    """Predicts numbers from labels and rules, learning them one at a time: passive-aggressive Adviceptron.

    Learns from each example as PA-II does, and in the same step moves towards what the rules say: each rule's
    estimate of the hypothesis is updated beside the weights.

    When not to use it: with a constant mu every round pulls the weights towards the rules: memory is about 1 + 1/(m
    mu) rounds, so advice wins early and can lose late. `mu_decay` or a small `mu` helps.

    The command `postil learners pa-adviceptron` prints its formulas.

    Parameters
    ----------
    lambda_ : float, default=1.0
        Weight of the loss on the current example; above 0.
    mu : float, default=0.01
        Weight of the advice loss; above 0.
    passive : {'never', 'weights', 'all'}, default='never'
        What rests when an example costs nothing: nothing, the weights, or advice too.
    advice_step : {'paper', 'plus', 'exact', 'joint'}, default='plus'
        How the advice multipliers are updated.
    mu_decay : float, default=0.0
        How fast mu falls with the examples; at least 0.
    epsilon : float, default=0.0
        Regression only: an error up to this costs nothing; at least 0.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept : {'data', 'pinned'}, default='data'
        With fit_intercept: an intercept moved by data only, a constant feature that advice moves too, or none.
    ranges : {'known', 'none'}, default='known'
        What is known of the columns' ranges counts as rows of every rule's region, or does not.
    average : {'none', 'uniform'} or bool, default='uniform'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Kunapuli, Bennett, Shabbeer, Maclin, Shavlik. Online Knowledge-Based Support Vector Machines. ECML PKDD, 2010.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.PAAdviceptronRegressor(advice='x2 <= 0 => size between x1 and x1 + 4').fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "pa-adviceptron"
    _settings = {"lambda_": "lambda", "mu": "mu", "passive": "passive", "advice_step": "advice_step", "mu_decay": "mu_decay", "epsilon": "epsilon", "start": "start", "intercept": "bias", "ranges": "ranges", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

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
        fit_intercept: bool = True,
        intercept: Literal["data", "pinned"] = "data",
        ranges: Literal["known", "none"] = "known",
        average: Literal["none", "uniform"] | bool = "uniform",
        advice: Advice | None = None,
        feature_names: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.passive = passive
        self.advice_step = advice_step
        self.mu_decay = mu_decay
        self.epsilon = epsilon
        self.start = start
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.ranges = ranges
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.callback = callback


class AdviceptronClassifier(OnlineClassifier):
    """Classifies rows from labels and rules, learning them one at a time: Adviceptron.

    A perceptron that starts from its rules and, whenever what the rules and the weights say together is wrong,
    moves back towards the rules.

    When not to use it: when the rules may be wrong: r is fixed, and every advice update pulls towards it.
    `AdviceClassifier` finds out; `PAAdviceptronClassifier` lets the data move the rules' own estimate.

    The command `postil learners adviceptron` prints its formulas.

    Parameters
    ----------
    lambda_ : float, default=0.1
        Step of the perceptron; above 0.
    mu : float, default=0.01
        Weight of the advice loss while learning; above 0.
    mu_start : float, default=100.0
        Weight of the advice loss in the problem of advice alone; above 0.
    start : {'rules', 'zero'}, default='rules'
        W_1: what the rules alone ask for, or 0.
    one_sided : {'mean', 'as_printed'}, default='mean'
        Rules that all say the same: the mean of the columns says the opposite, or (4) as printed.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept : {'data', 'pinned'}, default='data'
        With fit_intercept: an intercept moved by data only, a constant feature that advice moves too, or none.
    ranges : {'known', 'none'}, default='known'
        What is known of the columns' ranges counts as rows of every rule's region, or does not.
    average : {'none', 'uniform'} or bool, default='none'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Kunapuli, Bennett, Maclin, Shavlik. The Adviceptron: Giving Advice to the Perceptron. Artificial Neural Networks
    in Engineering (ANNIE), 2010.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.AdviceptronClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "adviceptron"
    _settings = {"lambda_": "lambda", "mu": "mu", "mu_start": "mu_start", "start": "start", "one_sided": "one_sided", "intercept": "bias", "ranges": "ranges", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

    def __init__(
        self,
        *,
        lambda_: float = 0.1,
        mu: float = 0.01,
        mu_start: float = 100.0,
        start: Literal["rules", "zero"] = "rules",
        one_sided: Literal["mean", "as_printed"] = "mean",
        fit_intercept: bool = True,
        intercept: Literal["data", "pinned"] = "data",
        ranges: Literal["known", "none"] = "known",
        average: Literal["none", "uniform"] | bool = "none",
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.mu_start = mu_start
        self.start = start
        self.one_sided = one_sided
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.ranges = ranges
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


class GradientAdviceptronClassifier(OnlineClassifier):
    """Classifies rows from labels and rules, learning them one at a time: Adviceptron by projected gradients.

    The Adviceptron with other losses: each example and all rules are one convex function of the weights, and every
    round takes one step down its gradient.

    When not to use it: where the closed forms of `PAAdviceptronClassifier` serve: their steps need no length. Where
    labels are numbers of a large size: `epsilon-insensitive` and `huber` move by `eta0` a round, whatever the unit.

    The command `postil learners gradient-adviceptron` prints its formulas.

    Parameters
    ----------
    loss : {'logistic', 'hinge', 'squared-hinge', 'squared', 'epsilon-insensitive', 'huber'}, default='logistic'
        What an example costs; regression: one of the last three.
    eta0 : float, default=0.5
        Length of the steps: eta0/sqrt(t); above 0.
    mu : float, default=0.01
        Weight of the rules; above 0.
    epsilon : float, default=0.1
        Epsilon-insensitive: an error up to this costs nothing; huber: beyond this, errors count linearly; at least
        0.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    average : {'none', 'uniform'} or bool, default='none'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Martin Zinkevich. Online Convex Programming and Generalized Infinitesimal Gradient Ascent. Proceedings of the
    20th International Conference on Machine Learning, 2003.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.GradientAdviceptronClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "gradient-adviceptron"
    _settings = {"loss": "loss", "eta0": "eta0", "mu": "mu", "epsilon": "epsilon", "start": "start", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

    def __init__(
        self,
        *,
        loss: Literal["logistic", "hinge", "squared-hinge", "squared", "epsilon-insensitive", "huber"] = "logistic",
        eta0: float = 0.5,
        mu: float = 0.01,
        epsilon: float = 0.1,
        start: Literal["zero", "advice"] = "zero",
        fit_intercept: bool = True,
        average: Literal["none", "uniform"] | bool = "none",
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.loss = loss
        self.eta0 = eta0
        self.mu = mu
        self.epsilon = epsilon
        self.start = start
        self.fit_intercept = fit_intercept
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


class GradientAdviceptronRegressor(OnlineRegressor):
    """Predicts numbers from labels and rules, learning them one at a time: Adviceptron by projected gradients.

    The Adviceptron with other losses: each example and all rules are one convex function of the weights, and every
    round takes one step down its gradient.

    When not to use it: where the closed forms of `PAAdviceptronClassifier` serve: their steps need no length. Where
    labels are numbers of a large size: `epsilon-insensitive` and `huber` move by `eta0` a round, whatever the unit.

    The command `postil learners gradient-adviceptron` prints its formulas.

    Parameters
    ----------
    loss : {'logistic', 'hinge', 'squared-hinge', 'squared', 'epsilon-insensitive', 'huber'}, default='squared'
        What an example costs; regression: one of the last three.
    eta0 : float, default=0.1
        Length of the steps: eta0/sqrt(t); above 0.
    mu : float, default=0.01
        Weight of the rules; above 0.
    epsilon : float, default=0.1
        Epsilon-insensitive: an error up to this costs nothing; huber: beyond this, errors count linearly; at least
        0.
    start : {'zero', 'advice'}, default='zero'
        Begin with no weights, or with those that the rules alone ask for.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    average : {'none', 'uniform'} or bool, default='none'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Martin Zinkevich. Online Convex Programming and Generalized Infinitesimal Gradient Ascent. Proceedings of the
    20th International Conference on Machine Learning, 2003.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.GradientAdviceptronRegressor(advice='x2 <= 0 => size between x1 and x1 + 4').fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "gradient-adviceptron"
    _settings = {"loss": "loss", "eta0": "eta0", "mu": "mu", "epsilon": "epsilon", "start": "start", "average": "average"}
    _words = {"average": {True: "uniform", False: "none"}}

    def __init__(
        self,
        *,
        loss: Literal["logistic", "hinge", "squared-hinge", "squared", "epsilon-insensitive", "huber"] = "squared",
        eta0: float = 0.1,
        mu: float = 0.01,
        epsilon: float = 0.1,
        start: Literal["zero", "advice"] = "zero",
        fit_intercept: bool = True,
        average: Literal["none", "uniform"] | bool = "none",
        advice: Advice | None = None,
        feature_names: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.loss = loss
        self.eta0 = eta0
        self.mu = mu
        self.epsilon = epsilon
        self.start = start
        self.fit_intercept = fit_intercept
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.callback = callback


class KernelAdviceptronClassifier(OnlineClassifier):
    """Classifies rows from labels and rules, learning them one at a time: Adviceptron with a kernel.

    The Adviceptron in the space of a kernel: examples come one at a time, and in every round each rule speaks too,
    at the next of some points of its region.

    When not to use it: where a hyperplane will do: `AdviceClassifier` learns from rules and examples alike, finds
    out which rules are wrong, and gives probabilities. Where all rows fit into memory: `KernelKnowledgeSVC`. With
    few labels and rules that are right as written: on the UCI mushrooms with their five published rules it has 4.6
    % errors before the first label, `AdviceClassifier` 0.3 %.

    The command `postil learners kernel-adviceptron` prints its formulas.

    Parameters
    ----------
    lambda_ : float, default=1.0
        The longest step an example makes; above 0.
    mu : float, default=0.1
        The longest step that a rule makes in a round; above 0.
    points : int, default=30
        Rows that stand for a rule; from 2 to 10000.
    budget : int, default=300
        Most rows kept; further ones are projected onto them. 0: no limit; from 0 to 100000.
    kernel : {'linear', 'polynomial', 'rbf', 'poly'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); "poly" is "polynomial".
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; above 0.
    degree : int, default=3
        Of the polynomial kernel; from 1 to 20.
    coef0 : float, default=0.0
        Of the polynomial kernel; at least 0.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept_scaling : float, default=1.0
        Value of the constant feature whose weight gives the intercept; above 0.
    average : {'none', 'uniform'} or bool, default='uniform'
        Predict with the mean of the weights after each round, or with the last; True is "uniform", False is "none".
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Kunapuli, Bennett, Shabbeer, Maclin, Shavlik. Online Knowledge-Based Support Vector Machines. ECML PKDD, 2010.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.KernelAdviceptronClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "kernel-adviceptron"
    _settings = {"lambda_": "lambda", "mu": "mu", "points": "points", "budget": "budget", "kernel": "kernel", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "intercept_scaling": "bias", "average": "average"}
    _words = {"kernel": {"poly": "polynomial"}, "average": {True: "uniform", False: "none"}}

    def __init__(
        self,
        *,
        lambda_: float = 1.0,
        mu: float = 0.1,
        points: int = 30,
        budget: int = 300,
        kernel: Literal["linear", "polynomial", "rbf", "poly"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        average: Literal["none", "uniform"] | bool = "uniform",
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.points = points
        self.budget = budget
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.average = average
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


class RulesClassifier(OnlineClassifier):
    """Classifies rows by rules alone, learning them one at a time: rules as written.

    The rules exactly as they are written, as a classifier: what they say where they hold, elsewhere the class that
    is usual there. It is what advice is worth before anything is learned from it, and the line that every learner
    with rules has to beat.

    When not to use it: to predict, where there are labels: `AdviceClassifier` starts from the same rules and
    learns. Where a row's probability matters: votes of rules that say the same thing twice are counted twice.

    The command `postil learners rules` prints its formulas.

    Parameters
    ----------
    sure : float, default=0.9
        Share of rows on which a rule is assumed to be right if its author does not say; from 0 to 1.
    rows : float, default=10.0
        How many labelled rows this assumption, or the author's statement, counts for; at least 0.
    prior : float or {'labels'}, default='labels'
        Share of the positive class where no rule holds: taken from the labels there, or this number; from 0 to 1.
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Ratner, Bach, Ehrenberg, Fries, Wu, Re. Snorkel: Rapid Training Data Creation with Weak Supervision. Proceedings
    of the VLDB Endowment, 2017.

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
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.sure = sure
        self.rows = rows
        self.prior = prior
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


class RulesRegressor(OnlineRegressor):
    """Predicts numbers by rules alone, learning them one at a time: rules as written.

    The rules exactly as they are written, as a classifier: what they say where they hold, elsewhere the class that
    is usual there. It is what advice is worth before anything is learned from it, and the line that every learner
    with rules has to beat.

    When not to use it: to predict, where there are labels: `AdviceClassifier` starts from the same rules and
    learns. Where a row's probability matters: votes of rules that say the same thing twice are counted twice.

    The command `postil learners rules` prints its formulas.

    Parameters
    ----------
    sure : float, default=0.9
        Share of rows on which a rule is assumed to be right if its author does not say; from 0 to 1.
    rows : float, default=10.0
        How many labelled rows this assumption, or the author's statement, counts for; at least 0.
    prior : float or {'labels'}, default='labels'
        Share of the positive class where no rule holds: taken from the labels there, or this number; from 0 to 1.
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Ratner, Bach, Ehrenberg, Fries, Wu, Re. Snorkel: Rapid Training Data Creation with Weak Supervision. Proceedings
    of the VLDB Endowment, 2017.

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
        advice: Advice | None = None,
        feature_names: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        max_iter: int = 1000,
        tol: float | None = 0.001,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.sure = sure
        self.rows = rows
        self.prior = prior
        self.advice = advice
        self.feature_names = feature_names
        self.scale = scale
        self.missing = missing
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.callback = callback


class AdviceOnlyClassifier(OnlineClassifier):
    """Classifies rows by rules alone, learning them one at a time: advice alone.

    What the rules say by themselves, as a model: it predicts before there is any example, and examples do not
    change it. `start='advice'` of other learners begins here.

    When not to use it: when there are labels: every other learner that takes advice uses them too.

    The command `postil learners advice-only` prints its formulas.

    Parameters
    ----------
    mu : float, default=100.0
        Weight of the advice loss against the length of the weights; above 0.
    method : {'optimise', 'sample'}, default='optimise'
        The rules' regions themselves, or points drawn from them.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Kunapuli, Bennett, Maclin, Shavlik. The Adviceptron: Giving Advice to the Perceptron. Artificial Neural Networks
    in Engineering (ANNIE), 2010.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.AdviceOnlyClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "advice-only"
    _settings = {"mu": "mu", "method": "method"}
    _needs_advice = True

    def __init__(
        self,
        *,
        mu: float = 100.0,
        method: Literal["optimise", "sample"] = "optimise",
        fit_intercept: bool = True,
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.mu = mu
        self.method = method
        self.fit_intercept = fit_intercept
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


class KnowledgeSVC(Classifier):
    """Classifies rows from labels and rules, learning all at once: knowledge-based support vector machine.

    The batch counterpart of the Adviceptron: one problem over all examples and all rules, solved to the end.

    When not to use it: on a stream, or when the rules may be wrong: mu is fixed, whatever the examples say. `l1`
    and `mixed` are for thousands of rows, `mixed` for at most 2,000 features.

    The command `postil learners kbsvm` prints its formulas.

    Parameters
    ----------
    form : {'l2', 'l1', 'mixed'}, default='l2'
        Squares throughout; absolute values throughout; |w|^2 with absolute losses.
    advice_mode : {'soft', 'hard'}, default='soft'
        Rules may be broken at a price, or never.
    lambda_ : float, default=1.0
        Weight of the loss on the examples; above 0.
    mu : float, default=1.0
        Weight of the advice loss; above 0.
    tol : float, default=1e-06
        L2: how far the gradient must fall, as a share of its start; above 0.
    epsilon : float, default=0.0
        Regression only: an error up to this costs nothing; at least 0.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    multiclass : {'ovr', 'ovo'}, default='ovr'
        Several classes: each against the rest, or one against one with a vote, as LIBSVM.
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    verbose : int, default=0
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Fung, Mangasarian, Shavlik. Knowledge-Based Support Vector Machine Classifiers. Advances in Neural Information
    Processing Systems 15, 2002.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.KnowledgeSVC(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "kbsvm"
    _settings = {"form": "form", "advice_mode": "advice", "lambda_": "lambda", "mu": "mu", "tol": "tolerance", "epsilon": "epsilon", "multiclass": "multiclass"}

    def __init__(
        self,
        *,
        form: Literal["l2", "l1", "mixed"] = "l2",
        advice_mode: Literal["soft", "hard"] = "soft",
        lambda_: float = 1.0,
        mu: float = 1.0,
        tol: float = 1e-06,
        epsilon: float = 0.0,
        fit_intercept: bool = True,
        multiclass: Literal["ovr", "ovo"] = "ovr",
        advice: Advice | None = None,
        feature_names: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.form = form
        self.advice_mode = advice_mode
        self.lambda_ = lambda_
        self.mu = mu
        self.tol = tol
        self.epsilon = epsilon
        self.fit_intercept = fit_intercept
        self.multiclass = multiclass
        self.advice = advice
        self.feature_names = feature_names
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.verbose = verbose
        self.callback = callback


class KnowledgeSVR(Regressor):
    """Predicts numbers from labels and rules, learning all at once: knowledge-based support vector machine.

    The batch counterpart of the Adviceptron: one problem over all examples and all rules, solved to the end.

    When not to use it: on a stream, or when the rules may be wrong: mu is fixed, whatever the examples say. `l1`
    and `mixed` are for thousands of rows, `mixed` for at most 2,000 features.

    The command `postil learners kbsvm` prints its formulas.

    Parameters
    ----------
    form : {'l2', 'l1', 'mixed'}, default='l2'
        Squares throughout; absolute values throughout; |w|^2 with absolute losses.
    advice_mode : {'soft', 'hard'}, default='soft'
        Rules may be broken at a price, or never.
    lambda_ : float, default=1.0
        Weight of the loss on the examples; above 0.
    mu : float, default=1.0
        Weight of the advice loss; above 0.
    tol : float, default=1e-06
        L2: how far the gradient must fall, as a share of its start; above 0.
    epsilon : float, default=0.0
        Regression only: an error up to this costs nothing; at least 0.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    multiclass : {'ovr', 'ovo'}, default='ovr'
        Several classes: each against the rest, or one against one with a vote, as LIBSVM.
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    verbose : int, default=0
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Fung, Mangasarian, Shavlik. Knowledge-Based Support Vector Machine Classifiers. Advances in Neural Information
    Processing Systems 15, 2002.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.KnowledgeSVR(advice='x2 <= 0 => size between x1 and x1 + 4').fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "kbsvm"
    _settings = {"form": "form", "advice_mode": "advice", "lambda_": "lambda", "mu": "mu", "tol": "tolerance", "epsilon": "epsilon", "multiclass": "multiclass"}

    def __init__(
        self,
        *,
        form: Literal["l2", "l1", "mixed"] = "l2",
        advice_mode: Literal["soft", "hard"] = "soft",
        lambda_: float = 1.0,
        mu: float = 1.0,
        tol: float = 1e-06,
        epsilon: float = 0.0,
        fit_intercept: bool = True,
        multiclass: Literal["ovr", "ovo"] = "ovr",
        advice: Advice | None = None,
        feature_names: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.form = form
        self.advice_mode = advice_mode
        self.lambda_ = lambda_
        self.mu = mu
        self.tol = tol
        self.epsilon = epsilon
        self.fit_intercept = fit_intercept
        self.multiclass = multiclass
        self.advice = advice
        self.feature_names = feature_names
        self.scale = scale
        self.missing = missing
        self.verbose = verbose
        self.callback = callback


class KernelKnowledgeSVC(Classifier):
    """Classifies rows from labels and rules, learning all at once: knowledge-based support vector machine with a kernel.

    The support vector machine with a kernel and rules: what a rule says of its region is asked of points drawn from
    it. A rule about the inside of a box and the radial kernel give a boundary that no hyperplane has.

    When not to use it: if rules must hold everywhere: `KnowledgeSVC` with `advice_mode='hard'`. On a stream. With
    few labels and rules that are right as written: on the UCI mushrooms with their five published rules it has 4.4
    % errors before the first label, `AdviceClassifier` 0.3 %.

    The command `postil learners kernel-kbsvm` prints its formulas.

    Parameters
    ----------
    lambda_ : float, default=1.0
        Weight of the loss on the examples; above 0.
    mu : float, default=100.0
        Weight of the loss on what rules say; above 0.
    points : int, default=100
        Rows that stand for a rule; from 2 to 100000.
    epsilon : float, default=0.0
        Regression only: an error up to this costs nothing; at least 0.
    kernel : {'linear', 'polynomial', 'rbf', 'poly'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); "poly" is "polynomial".
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; above 0.
    degree : int, default=3
        Of the polynomial kernel; from 1 to 20.
    coef0 : float, default=0.0
        Of the polynomial kernel; at least 0.
    tol : float, default=0.001
        How far the conditions of the optimum may be missed; above 0.
    cache_size : float, default=200.0
        Megabytes for kernel values; above 0.
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    verbose : int, default=0
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Mangasarian, Wild. Nonlinear Knowledge-Based Classification. IEEE Transactions on Neural Networks, 2008.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.KernelKnowledgeSVC(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "kernel-kbsvm"
    _settings = {"lambda_": "lambda", "mu": "mu", "points": "points", "epsilon": "epsilon", "kernel": "kernel", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "tol": "tolerance", "cache_size": "cache"}
    _words = {"kernel": {"poly": "polynomial"}}

    def __init__(
        self,
        *,
        lambda_: float = 1.0,
        mu: float = 100.0,
        points: int = 100,
        epsilon: float = 0.0,
        kernel: Literal["linear", "polynomial", "rbf", "poly"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        advice: Advice | None = None,
        feature_names: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.points = points
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.advice = advice
        self.feature_names = feature_names
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.verbose = verbose
        self.callback = callback


class KernelKnowledgeSVR(Regressor):
    """Predicts numbers from labels and rules, learning all at once: knowledge-based support vector machine with a kernel.

    The support vector machine with a kernel and rules: what a rule says of its region is asked of points drawn from
    it. A rule about the inside of a box and the radial kernel give a boundary that no hyperplane has.

    When not to use it: if rules must hold everywhere: `KnowledgeSVC` with `advice_mode='hard'`. On a stream. With
    few labels and rules that are right as written: on the UCI mushrooms with their five published rules it has 4.4
    % errors before the first label, `AdviceClassifier` 0.3 %.

    The command `postil learners kernel-kbsvm` prints its formulas.

    Parameters
    ----------
    lambda_ : float, default=1.0
        Weight of the loss on the examples; above 0.
    mu : float, default=100.0
        Weight of the loss on what rules say; above 0.
    points : int, default=100
        Rows that stand for a rule; from 2 to 100000.
    epsilon : float, default=0.0
        Regression only: an error up to this costs nothing; at least 0.
    kernel : {'linear', 'polynomial', 'rbf', 'poly'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); "poly" is "polynomial".
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; above 0.
    degree : int, default=3
        Of the polynomial kernel; from 1 to 20.
    coef0 : float, default=0.0
        Of the polynomial kernel; at least 0.
    tol : float, default=0.001
        How far the conditions of the optimum may be missed; above 0.
    cache_size : float, default=200.0
        Megabytes for kernel values; above 0.
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    verbose : int, default=0
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Mangasarian, Wild. Nonlinear Knowledge-Based Classification. IEEE Transactions on Neural Networks, 2008.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.KernelKnowledgeSVR(advice='x2 <= 0 => size between x1 and x1 + 4').fit(X, X['x1'] - 2 * X['x2'])
    >>> bool(model.score(X, X['x1'] - 2 * X['x2']) > 0.9)
    True
    """

    _learner = "kernel-kbsvm"
    _settings = {"lambda_": "lambda", "mu": "mu", "points": "points", "epsilon": "epsilon", "kernel": "kernel", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "tol": "tolerance", "cache_size": "cache"}
    _words = {"kernel": {"poly": "polynomial"}}

    def __init__(
        self,
        *,
        lambda_: float = 1.0,
        mu: float = 100.0,
        points: int = 100,
        epsilon: float = 0.0,
        kernel: Literal["linear", "polynomial", "rbf", "poly"] = "rbf",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        advice: Advice | None = None,
        feature_names: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "standard",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.lambda_ = lambda_
        self.mu = mu
        self.points = points
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.advice = advice
        self.feature_names = feature_names
        self.scale = scale
        self.missing = missing
        self.verbose = verbose
        self.callback = callback


class SVC(SupportVectors, Classifier):
    """Classifies rows, learning all at once: support vector machine with C.

    The support vector machine as LIBSVM solves it, to the same answers: `C` weighs the losses; with `nu` above 0
    that share of the examples, about, lies inside the margin or on the wrong side of it.

    When not to use it: on a stream. With kernels, beyond some ten thousand rows; with the linear kernel, where
    `PassiveAggressiveClassifier`, `GradientDescentClassifier` or `KnowledgeSVC` take one look at each row.

    The command `postil learners svm` prints its formulas.

    Parameters
    ----------
    C : float, default=1.0
        Weight of the loss on the examples; above 0.
    kernel : {'linear', 'polynomial', 'rbf', 'precomputed', 'poly'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); the rows are kernel values with the training rows,
        in their order; "poly" is "polynomial".
    multiclass : {'ovr', 'ovo'}, default='ovo'
        Several classes: each against the rest, or one against one with a vote, as LIBSVM.
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; above 0.
    degree : int, default=3
        Of the polynomial kernel; from 1 to 20.
    coef0 : float, default=0.0
        Of the polynomial kernel; at least 0.
    tol : float, default=0.001
        How far the conditions of the optimum may be missed; above 0.
    cache_size : float, default=200.0
        Megabytes for kernel values; above 0.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    verbose : int, default=0
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Chang, Lin. LIBSVM: A Library for Support Vector Machines. ACM Transactions on Intelligent Systems and
    Technology, 2011.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.SVC().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "svm"
    _settings = {"C": "C", "kernel": "kernel", "multiclass": "multiclass", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "tol": "tolerance", "cache_size": "cache"}
    _words = {"kernel": {"poly": "polynomial"}}

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Literal["linear", "polynomial", "rbf", "precomputed", "poly"] = "rbf",
        multiclass: Literal["ovr", "ovo"] = "ovo",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.multiclass = multiclass
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.verbose = verbose
        self.callback = callback


class NuSVC(SupportVectors, Classifier):
    """Classifies rows, learning all at once: support vector machine with nu.

    The support vector machine as LIBSVM solves it, to the same answers: `C` weighs the losses; with `nu` above 0
    that share of the examples, about, lies inside the margin or on the wrong side of it.

    When not to use it: on a stream. With kernels, beyond some ten thousand rows; with the linear kernel, where
    `PassiveAggressiveClassifier`, `GradientDescentClassifier` or `KnowledgeSVC` take one look at each row.

    The command `postil learners svm` prints its formulas.

    Parameters
    ----------
    nu : float, default=0.5
        0: C is used; else the share of examples that may lie inside the margin, and C is not used; from 0 to 1.
    kernel : {'linear', 'polynomial', 'rbf', 'precomputed', 'poly'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); the rows are kernel values with the training rows,
        in their order; "poly" is "polynomial".
    multiclass : {'ovr', 'ovo'}, default='ovo'
        Several classes: each against the rest, or one against one with a vote, as LIBSVM.
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; above 0.
    degree : int, default=3
        Of the polynomial kernel; from 1 to 20.
    coef0 : float, default=0.0
        Of the polynomial kernel; at least 0.
    tol : float, default=0.001
        How far the conditions of the optimum may be missed; above 0.
    cache_size : float, default=200.0
        Megabytes for kernel values; above 0.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    verbose : int, default=0
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Chang, Lin. LIBSVM: A Library for Support Vector Machines. ACM Transactions on Intelligent Systems and
    Technology, 2011.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.NuSVC().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "svm"
    _settings = {"nu": "nu", "kernel": "kernel", "multiclass": "multiclass", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "tol": "tolerance", "cache_size": "cache"}
    _words = {"kernel": {"poly": "polynomial"}}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Literal["linear", "polynomial", "rbf", "precomputed", "poly"] = "rbf",
        multiclass: Literal["ovr", "ovo"] = "ovo",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 0.001,
        cache_size: float = 200.0,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.multiclass = multiclass
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.cache_size = cache_size
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.verbose = verbose
        self.callback = callback


class EllipsoidalSVC(EllipsoidMixin, Classifier):
    """Classifies rows, learning all at once: ellipsoidal support vector machine.

    A support vector machine that puts the largest ellipsoid, not the largest ball, into the version space: the set
    of hyperplanes that make no mistake. Its centre is nearer to the middle of that space, and the ellipsoid itself
    tells how far a new row lies from everything seen: its novelty.

    When not to use it: on streams (`OnlineEllipsoidalSVC` learns in turn), beyond some thousand rows with kernels,
    or where novelty and the last per cent do not matter: `SVC` is faster.

    The command `postil learners esvm` prints its formulas.

    Parameters
    ----------
    nu : float, default=0.1
        How little losses weigh; useful values lie between 0.001 and 10; above 0.
    one_minus_r : float, default=1e-06
        Weight of the trace against the log-determinant, r before that; at least 1e-08, below 1.
    kernel : {'linear', 'polynomial', 'rbf', 'precomputed', 'poly'}, default='linear'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); the rows are kernel values with the training rows,
        in their order; "poly" is "polynomial".
    multiclass : {'ovr', 'ovo'}, default='ovr'
        Several classes: each against the rest, or one against one with a vote, as LIBSVM.
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; above 0.
    degree : int, default=3
        Of the polynomial kernel; from 1 to 20.
    coef0 : float, default=0.0
        Of the polynomial kernel; at least 0.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    intercept : {'free', 'augmented'}, default='free'
        With fit_intercept: none; a bias that costs nothing; a constant feature 1, inside |w| <= 1.
    problem : {'relaxed', 'exact', 'iterated', 'rho', 'sphere'}, default='relaxed'
        Problem (6); (5); (5) by linearising (6) again at its last answer; (4), which has a margin rho too; (1),
        which has nothing else. exact, iterated and rho: for at most 100 features, or with kernels some 100 rows.
    margin : {'soft', 'hard'}, default='soft'
        Losses are allowed, or the rows must be separable.
    solver : {'auto', 'smo', 'newton', 'ipm', 'dca'}, default='auto'
        Two multipliers at a time; analytic centre (hard margins); interior point; coordinate ascent (linear).
    c_form : {'rank', 'norm', 'norm2', 'mean'}, default='rank'
        C of a row: min(n, m)/(nu m |x|), kernels 1/(nu |x|); 1/(nu |x|); 1/(nu |x|^2), as printed; 1/(nu m).
    rows : {'unit', 'given'}, default='unit'
        Q = |x|, whose answers do not depend on the unit; or q = 1, as printed.
    lambda_ : float, default=1.0
        Problem=rho: weight of the ellipsoid against the margin; above 0.
    tol : float, default=0.0001
        Of the duality gap, relative to r n; above 0.
    keep_novelty : bool, default=True
        Kernels: keep what novelty needs, a number for each two support vectors.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    verbose : int, default=0
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Momma, Hatano, Nakayama. Ellipsoidal Support Vector Machines. ACML, 2010.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.EllipsoidalSVC().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "esvm"
    _settings = {"nu": "nu", "one_minus_r": "one_minus_r", "kernel": "kernel", "multiclass": "multiclass", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "intercept": "bias", "problem": "problem", "margin": "margin", "solver": "solver", "c_form": "c_form", "rows": "rows", "lambda_": "lambda", "tol": "tolerance", "keep_novelty": "novelty"}
    _words = {"kernel": {"poly": "polynomial"}}

    def __init__(
        self,
        *,
        nu: float = 0.1,
        one_minus_r: float = 1e-06,
        kernel: Literal["linear", "polynomial", "rbf", "precomputed", "poly"] = "linear",
        multiclass: Literal["ovr", "ovo"] = "ovr",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        fit_intercept: bool = True,
        intercept: Literal["free", "augmented"] = "free",
        problem: Literal["relaxed", "exact", "iterated", "rho", "sphere"] = "relaxed",
        margin: Literal["soft", "hard"] = "soft",
        solver: Literal["auto", "smo", "newton", "ipm", "dca"] = "auto",
        c_form: Literal["rank", "norm", "norm2", "mean"] = "rank",
        rows: Literal["unit", "given"] = "unit",
        lambda_: float = 1.0,
        tol: float = 0.0001,
        keep_novelty: bool = True,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.nu = nu
        self.one_minus_r = one_minus_r
        self.kernel = kernel
        self.multiclass = multiclass
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.problem = problem
        self.margin = margin
        self.solver = solver
        self.c_form = c_form
        self.rows = rows
        self.lambda_ = lambda_
        self.tol = tol
        self.keep_novelty = keep_novelty
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.verbose = verbose
        self.callback = callback


class OnlineEllipsoidalSVC(EllipsoidMixin, OnlineClassifier):
    """Classifies rows, learning them one at a time: online ellipsoidal support vector machine.

    The linear ellipsoidal machine for streams and for data that do not fit the batch solvers: every example costs a
    multiplication with the n by n matrix B and, if it lies inside the ellipsoid's reach, an update of rank one.

    When not to use it: with more than some thousand features, or where novelty is not wanted: `AROWClassifier` and
    `PassiveAggressiveClassifier` take a time that grows with the values of a row, not with the square of the
    features.

    The command `postil learners esvm-online` prints its formulas.

    Parameters
    ----------
    nu : float, default=0.1
        How little losses weigh; above 0.
    epsilon : float, default=0.0
        Stop when the paper's heuristic says so much is left to gain; 0: never; at least 0.
    step : {'sqrt', 'harmonic'}, default='sqrt'
        Of w: nu/sqrt(t), or 1/t as in the paper.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    average : bool, default=True
        Predict with the average of the weights, not with the last.
    ellipsoid : {'last', 'average'}, default='last'
        The B of novelty and axes: the last one, or the average over all rounds, which Theorem 2 is about and which
        costs as many numbers again.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Momma, Hatano, Nakayama. Ellipsoidal Support Vector Machines. ACML, 2010.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.OnlineEllipsoidalSVC().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "esvm-online"
    _settings = {"nu": "nu", "epsilon": "epsilon", "step": "step", "average": "average", "ellipsoid": "ellipsoid"}

    def __init__(
        self,
        *,
        nu: float = 0.1,
        epsilon: float = 0.0,
        step: Literal["sqrt", "harmonic"] = "sqrt",
        fit_intercept: bool = True,
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
        callback: Any = None,
    ) -> None:
        self.nu = nu
        self.epsilon = epsilon
        self.step = step
        self.fit_intercept = fit_intercept
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
        self.callback = callback


class BayesPointClassifier(Classifier):
    """Classifies rows, learning all at once: bayes point machine.

    Of all hyperplanes that make no mistake on the training rows, the average one: half of them say yes where it
    says yes, about. A ball flies through the version space and its path is averaged, until two balls agree.

    When not to use it: beyond some thousand rows: `EllipsoidalSVC` finds a point nearly as central in a small part
    of the time. Example weights do not count here.

    The command `postil learners bayes-point` prints its formulas.

    Parameters
    ----------
    kernel : {'linear', 'polynomial', 'rbf', 'precomputed', 'poly'}, default='rbf'
        X'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); the rows are kernel values with the training rows,
        in their order; "poly" is "polynomial".
    multiclass : {'ovr', 'ovo'}, default='ovr'
        Several classes: each against the rest, or one against one with a vote, as LIBSVM.
    gamma : float or {'scale', 'auto'}, default='scale'
        Of the kernel; scale: 1/(features x variance of all values), auto: 1/features; above 0.
    degree : int, default=3
        Of the polynomial kernel; from 1 to 20.
    coef0 : float, default=0.0
        Of the polynomial kernel; at least 0.
    soft : float, default=0.1
        Added to the kernel's diagonal, relative to its mean; 0: the rows must be separable; at least 0.
    method : {'billiard', 'permutations'}, default='billiard'
        The centre of mass by a ball in the version space, or the mean of perceptrons.
    tol : float, default=0.05
        Two runs must agree within this angle (radians); above 0.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    random_state : object, default=None
        Of the random numbers.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='none'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
    missing : {'mean', 'zero', 'indicator'}, optional, default=None
        What stands for NaN: 'mean', 'zero', 'indicator' (a feature of its own); None: NaN is refused.
    class_weight : dict or {'balanced'}, optional, default=None
        {class: weight}, or 'balanced': classes count alike.
    verbose : int, default=0
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Herbrich, Graepel, Campbell. Bayes Point Machines. Journal of Machine Learning Research, 2001.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.BayesPointClassifier().fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "bayes-point"
    _settings = {"kernel": "kernel", "multiclass": "multiclass", "gamma": "gamma", "degree": "degree", "coef0": "coef0", "soft": "soft", "method": "method", "tol": "tol", "random_state": "seed"}
    _words = {"kernel": {"poly": "polynomial"}}

    def __init__(
        self,
        *,
        kernel: Literal["linear", "polynomial", "rbf", "precomputed", "poly"] = "rbf",
        multiclass: Literal["ovr", "ovo"] = "ovr",
        gamma: float | Literal["scale", "auto"] = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        soft: float = 0.1,
        method: Literal["billiard", "permutations"] = "billiard",
        tol: float = 0.05,
        fit_intercept: bool = True,
        random_state: Any = None,
        scale: Literal["standard", "minmax", "maxabs", "none"] = "none",
        missing: Literal["mean", "zero", "indicator"] | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: int = 0,
        callback: Any = None,
    ) -> None:
        self.kernel = kernel
        self.multiclass = multiclass
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.soft = soft
        self.method = method
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.scale = scale
        self.missing = missing
        self.class_weight = class_weight
        self.verbose = verbose
        self.callback = callback


class WagerClassifier(OnlineClassifier):
    """Classifies rows from labels and rules, learning them one at a time: a wager of two AROW learners.

    The learner that was recommended first: advice helps from the first example on, and cannot hurt for long. Two
    AROW learners run side by side, one that knows nothing of the rules and one that starts from them; the
    prediction is a blend whose weights follow their losses, and the advised half's share fades with the number of
    examples.

    When not to use it: if the world changes: AROW's variances only shrink. If the rules must hold, not only help:
    `KnowledgeSVC` with `advice_mode='hard'`.

    The command `postil learners wager` prints its formulas.

    Parameters
    ----------
    r0 : float, default=0.3
        How little an example counts, in units of the mean |x|^2; above 0.
    stiff : float, default=0.3
        How freely the advised half moves its weights away from the rules; above 0.
    prior : float, default=0.7
        How far the advised half is believed before the first example; between 0 and 1.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    de Rooij, van Erven, Grunwald, Koolen. Follow the Leader If You Can, Hedge If You Must. Journal of Machine
    Learning Research, 2014.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> model = postil.WagerClassifier(advice="x2 <= 0 => positive\\nx2 > 1 => negative").fit(X, y)
    >>> bool(model.score(X, y) > 0.85)
    True
    """

    _learner = "wager"
    _settings = {"r0": "r0", "stiff": "stiff", "prior": "prior"}

    def __init__(
        self,
        *,
        r0: float = 0.3,
        stiff: float = 0.3,
        prior: float = 0.7,
        fit_intercept: bool = True,
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.r0 = r0
        self.stiff = stiff
        self.prior = prior
        self.fit_intercept = fit_intercept
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


class AdviceClassifier(OnlineClassifier):
    """Classifies rows from labels and rules, learning them one at a time: examples, rules and both under one mixture.

    The recommended learner, with rules and without. It answers from the rules before the first label, learns from
    every label, and gives probabilities. If the rules are wrong it finds out, and is then about as good as if it
    had never seen them.

    When not to use it: if rules must hold, not only help: `KnowledgeSVC` with `advice_mode='hard'`. If the world
    changes, set `drift='auto'`: by default the learner believes that all examples, old and new, tell of the same
    world.

    The command `postil learners advised` prints its formulas.

    Parameters
    ----------
    prior : float, default=0.9
        Probability, before the first example, that the rules help; between 0 and 1.
    fit_intercept : bool, default=True
        Whether there is a constant term.
    drift : {'none', 'auto'}, default='none'
        'auto': also learners that forget, for a world that changes.
    advice : rules, optional, default=None
        Rules, in the names and units of the columns of X: `postil.rules.parse(...)`, a text, a list of rules or the
        path of a file.
    feature_names : object, default=None
        Names of the columns of a matrix, for rules: a list, or a fitted transformer that has get_feature_names_out.
    scale : {'standard', 'minmax', 'maxabs', 'none'}, default='standard'
        How columns are scaled before learning, and rules with them: 'standard' to mean 0 and deviation 1, 'minmax'
        by their range, 'maxabs' by their largest absolute value.
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
        1: report progress on standard error.
    callback : object, default=None
        Called with {'what': 'passes', 'done': 3, 'loss': ...} after each pass, and some times a second while a
        solver works; what it raises ends fit.

    References
    ----------
    Herbster, Warmuth. Tracking the Best Expert. Machine Learning, 1998.

    Examples
    --------
    >>> import postil
    >>> X, y = postil.datasets.make('synthetic', rows=500, seed=1)
    >>> rules = postil.rules.parse('''
    ... domain x1 in [-2, 10]
    ... domain x2 in [-5, 9]
    ... below: x2 <= 0 => positive
    ... above: x2 >= 3 and x2 - 0.5*x1 >= 1 => negative
    ... ''')
    >>> model = postil.AdviceClassifier(advice=rules).fit(X[:4], y[:4])
    >>> round(model.score(X[4:], y[4:]), 2)  # of two rules and four labels
    0.94
    >>> model.predict_proba(X[:3]).shape
    (3, 2)
    >>> list(model.ledger().index)  # what became of each rule
    ['below', 'above']
    >>> model.explain(X.iloc[0])["label"]  # print it to read why
    'negative'
    >>> model = model.partial_fit(X[4:], y[4:])  # learning goes on
    """

    _learner = "advised"
    _settings = {"prior": "prior", "drift": "drift"}

    def __init__(
        self,
        *,
        prior: float = 0.9,
        fit_intercept: bool = True,
        drift: Literal["none", "auto"] = "none",
        advice: Advice | None = None,
        feature_names: Any = None,
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
        callback: Any = None,
    ) -> None:
        self.prior = prior
        self.fit_intercept = fit_intercept
        self.drift = drift
        self.advice = advice
        self.feature_names = feature_names
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
        self.callback = callback


# By learner and whether it predicts numbers.
ESTIMATORS = {
    ("perceptron", False): [PerceptronClassifier],
    ("margin-perceptron", False): [MarginPerceptronClassifier],
    ("voted-perceptron", False): [VotedPerceptronClassifier],
    ("kernel-perceptron", False): [KernelPerceptronClassifier],
    ("romma", False): [RommaClassifier],
    ("pa", False): [PassiveAggressiveClassifier],
    ("pa", True): [PassiveAggressiveRegressor],
    ("sgd", False): [GradientDescentClassifier],
    ("sgd", True): [GradientDescentRegressor],
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
    ("kernel-kbsvm", True): [KernelKnowledgeSVR],
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
