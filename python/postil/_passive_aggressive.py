"""For users of scikit-learn's PassiveAggressiveClassifier and PassiveAggressiveRegressor."""


class PassiveAggressive:
    """The parameters of scikit-learn's passive-aggressive estimators, which are leaving it."""

    _VARIANTS = {
        "hinge": "pa1",
        "squared_hinge": "pa2",
        "epsilon_insensitive": "pa1",
        "squared_epsilon_insensitive": "pa2",
        "pa1": "pa1",
        "pa2": "pa2",
    }

    def _recipe(self):
        recipe = super()._recipe()
        for name in ("loss", "learning_rate"):
            value = getattr(self, name)
            if value is None:
                continue
            if value not in self._VARIANTS:
                raise ValueError(f"{name}={value!r} is not known; expected None or one of {', '.join(self._VARIANTS)}")
            recipe["settings"]["variant"] = self._VARIANTS[value]
        if not self.fit_intercept:
            recipe["settings"]["bias"] = "none"
        return recipe
