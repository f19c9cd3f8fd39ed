"""Estimators from model files."""

import numpy as np


def _value(text, default):
    """A setting as the parameter of an estimator."""
    if isinstance(default, bool):
        return text == "true"
    for kind in (float,) if isinstance(default, float) else (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def restore(engine, estimators):
    """The estimator that would have made this model, with the model in it."""
    forms = estimators[engine.learner, not engine.classes]
    settings = engine.params
    form = forms[-1] if len(forms) > 1 and _value(settings["nu"], 0.0) > 0 else forms[0]  # SVC and NuSVC
    names = {setting: parameter for parameter, setting in form._settings.items()}
    model = form()
    if settings.get("bias") == "none" and "fit_intercept" in model.get_params():
        model.set_params(fit_intercept=False)
        del settings["bias"]
    model.set_params(**{names[name]: _value(text, getattr(model, names[name])) for name, text in settings.items() if name in names})
    model.set_params(scale=engine.scale, missing=None if engine.missing == "refuse" else engine.missing)
    if engine.rules:
        model.set_params(advice=engine.rules)
    model._take(engine)
    if engine.class_weights:
        model.set_params(class_weight=dict(zip(model._by_number(), engine.class_weights)))
    model.n_features_in_ = len(engine.column_names) or len(engine.features)
    if engine.column_names and engine.column_names != [f"f{j + 1}" for j in range(model.n_features_in_)]:
        model.feature_names_in_ = np.asarray(engine.column_names, dtype=object)
    return model
