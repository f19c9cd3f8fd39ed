"""Digits drawn by hand, as strokes: what we think a 3, a 5 and an 8 look like, before seeing any data."""

import numpy as np

SIDE = 16


def _arc(cx, cy, rx, ry, first, last, points=24):
    """Part of an ellipse, angles in degrees, 0 to the right and 90 downwards."""
    angle = np.radians(np.linspace(first, last, points))
    return np.stack([cx + rx * np.cos(angle), cy + ry * np.sin(angle)], axis=1)


def _line(*corners):
    return np.array(corners, dtype=float)


# x to the right, y downwards, in pixels about the centre of the image.
STROKES = {
    3: [_arc(-0.3, -3.2, 3.6, 3.2, -160, 90), _arc(-0.3, 3.3, 4.0, 3.3, -90, 160)],
    5: [_line((4.0, -6.5), (-2.8, -6.5), (-3.2, -0.8)), _arc(-0.2, 2.6, 4.2, 3.8, -140, 150)],
    8: [_arc(0, -3.3, 3.2, 3.1, 0, 360, 40), _arc(0, 3.3, 3.7, 3.2, 0, 360, 40)],
}


def _distance(points, stroke):
    """From each point to the nearest place of a stroke."""
    a, b = stroke[:-1], stroke[1:]
    along = b - a
    share = np.clip(((points[:, None] - a) * along).sum(2) / np.maximum((along**2).sum(1), 1e-12), 0, 1)
    return np.sqrt((((a + share[..., None] * along) - points[:, None]) ** 2).sum(2)).min(1)


def drawing(digit, random):
    """One drawing: shear within .18, scale .85 to 1.05, shift within .6 pixels, pen .95 to 1.45 pixels."""
    shear, scale = random.uniform(-0.18, 0.18), random.uniform(0.85, 1.05)
    shift, pen = random.uniform(-0.6, 0.6, size=2), random.uniform(0.95, 1.45)
    turn = scale * np.array([[1, shear], [0, 1]])
    ys, xs = np.mgrid[0:SIDE, 0:SIDE]
    points = np.stack([xs.ravel(), ys.ravel()], axis=1) - (SIDE - 1) / 2
    nearest = np.min([_distance(points, stroke @ turn.T + shift) for stroke in STROKES[digit]], axis=0)
    return np.clip(pen + 0.5 - nearest, 0, 1).reshape(SIDE, SIDE)  # ink, with a soft edge of a pixel


def drawings(digit, count, seed):
    random = np.random.default_rng([seed, digit])
    return np.array([drawing(digit, random) for _ in range(count)])


def mean_drawing(digit, count, seed):
    return drawings(digit, count, seed).mean(axis=0)


def contrast_masks(a, b, count, contrast, seed):
    """Pixels with more ink in a than in b, and the reverse."""
    difference = (mean_drawing(a, count, seed) - mean_drawing(b, count, seed)).ravel()
    return difference > contrast, difference < -contrast


def rules(a, b, count, contrast, seed):
    """sum(A) >= t_a and sum(B) <= t_b => a, and the reverse for b; thresholds midway between the drawings' own sums.

    A mask without pixels makes no condition: an 8 has ink wherever a 3 has.
    """
    ink = {digit: drawings(digit, count, seed).reshape(count, -1) for digit in (a, b)}
    like_a, like_b = [], []
    for mask, signs in zip(contrast_masks(a, b, count, contrast, seed), ((">=", "<="), ("<=", ">="))):
        if not mask.any():
            continue
        total = f"sum({', '.join(f'p{k + 1}' for k in np.flatnonzero(mask))})"
        middle = (ink[a][:, mask].sum(1).mean() + ink[b][:, mask].sum(1).mean()) / 2
        like_a.append(f"{total} {signs[0]} {middle:.3f}")
        like_b.append(f"{total} {signs[1]} {middle:.3f}")
    return f"like_{a}: {' and '.join(like_a)} => {a}\nlike_{b}: {' and '.join(like_b)} => {b}\n"


# ---- two other ways to match, of images that are centred and normalised: how much ink there is no longer counts ----


def normalised(images):
    """Rows of pixels with mean 0 and standard deviation 1."""
    images = np.asarray(images, dtype=float)
    return (images - images.mean(axis=1, keepdims=True)) / np.maximum(images.std(axis=1, keepdims=True), 1e-12)


def _normalised_drawings(a, b, count, seed):
    return [normalised(drawings(digit, count, seed).reshape(count, -1)) for digit in (a, b)]


def matching_direction(a, b, count, seed):
    """The mean of a's normalised drawings minus that of b's: its product with an image says which it resembles more."""
    of_a, of_b = _normalised_drawings(a, b, count, seed)
    return of_a.mean(axis=0) - of_b.mean(axis=0)


def component_direction(a, b, count, seed, first=3):
    """Of the first principal components of both digits' normalised drawings the one that tells these apart best."""
    of_a, of_b = _normalised_drawings(a, b, count, seed)
    every = np.concatenate([of_a, of_b])
    components = np.linalg.svd(every - every.mean(axis=0), full_matrices=False)[2]

    def separation(component):
        return abs((of_a @ component).mean() - (of_b @ component).mean()) / np.hypot((of_a @ component).std(), (of_b @ component).std())

    best = max(components[:first], key=separation)
    return best if (of_a @ best).mean() > (of_b @ best).mean() else -best


def direction_rules(a, b, direction, count, seed):
    """direction'x >= t => a, direction'x <= s => b: a quarter and three quarters of the way between the means of the drawings' own values."""
    values = [(each @ direction).mean() for each in _normalised_drawings(a, b, count, seed)]
    low, high = np.interp([0.25, 0.75], [0, 1], values[::-1])
    total = " ".join(f"{'-' if weight < 0 else '+'} {abs(weight):.4f}*p{k + 1}" for k, weight in enumerate(direction) if abs(weight) >= 5e-5).removeprefix("+ ")
    return f"like_{a}: {total} >= {high:.4f} => {a}\nlike_{b}: {total} <= {low:.4f} => {b}\n"
