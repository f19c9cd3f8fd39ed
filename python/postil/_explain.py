"""Explanations: dicts with the names of `postil explain --json`, a text, and a table for notebooks."""

from ._told import Told, table


class Explanation(Told):
    """What a model has learned."""

    def _repr_html_(self):
        parts = [f"<p>{self['learner']}, classes: {', '.join(self['classes'])}</p>"]
        weights, raw, bias, raw_bias = (self[name] for name in ("weights", "raw_weights", "bias", "raw_bias"))
        if weights and not isinstance(weights[0], list):
            weights, raw, bias, raw_bias = [weights], [raw], [bias], [raw_bias]
        for place, values in enumerate(weights):
            order = sorted(range(len(values)), key=lambda j: -abs(values[j]))[:20]
            title = f"weights of {self['classes'][place]}" if len(weights) > 1 else "weights"
            rows = [[self["features"][j], values[j], raw[place][j]] for j in order] + [["(bias)", bias[place], raw_bias[place]]]
            parts.append(f"<p>{title}</p>" + table(["feature", "weight", "in raw units"], rows))
        if self["rules"]:
            names = ["id", "text", "fired", "agreed", "contradicted", "verdict", "influence"]
            parts.append("<p>rules</p>" + table(names, [[rule[name] for name in names] for rule in self["rules"]]))
        return "".join(parts)


class RowExplanation(Told):
    """Why one row gets its score."""

    def _repr_html_(self):
        parts = [f"<p>predicted: {self['label']}</p>"]
        for task in self.get("per_class", [self]):
            features = sorted(task["features"], key=lambda entry: -abs(entry["contribution"]))
            rows = [[entry["feature"], entry["value"], entry["contribution"]] for entry in features] + [["(bias)", "", task["bias"]]]
            parts.append(f"<p>score of {task['class']}: {task['score']:.4g}</p>" + table(["feature", "value", "adds"], rows))
            if task["rules"]:
                rows = [[entry["id"], "holds" if entry["holds"] else "", entry["contribution"]] for entry in task["rules"]]
                parts.append(table(["rule", "here", "adds"], [*rows, ["the examples", "", task["data"]]]))
        return "".join(parts)
