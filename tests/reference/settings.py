"""The data-driven radius by its definition, with loops."""

import math


def distance(a, b):
    """Mean over channels of the z-normalised Euclidean distance; lists of samples."""
    per_channel = []
    for channel in range(len(a[0])):
        x, y = (normal([sample[channel] for sample in s]) for s in (a, b))
        squares = sum((p - q) ** 2 for p, q in zip(x, y, strict=True))
        per_channel.append(math.sqrt(squares))
    return sum(per_channel) / len(per_channel)


def normal(values):
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((v - mean) ** 2 for v in values) / len(values))
    return [(v - mean) / spread if spread else 0.0 for v in values]


def radius(instances, labels):
    """Largest, over classes, of the smallest largest distance of a member."""
    worst = []
    for label in set(labels):
        mine = [i for i, other in zip(instances, labels, strict=True) if other == label]
        central = min(max(distance(a, b) for b in mine) for a in mine)
        worst.append(central)
    return max(worst)


def resample(instance, length):
    """Linear interpolation at `length` places from the first to the last sample."""
    made = []
    for step in range(length):
        at = step * (len(instance) - 1) / (length - 1)
        low = min(int(at), len(instance) - 2)
        share = at - low
        pairs = zip(instance[low], instance[low + 1], strict=True)
        made.append([(1 - share) * p + share * q for p, q in pairs])
    return made
