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
