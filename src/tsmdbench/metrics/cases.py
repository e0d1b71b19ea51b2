"""Small named results, each showing one thing that a metric may notice or miss.

A case says what it shows: one of the properties of `tsmdbench.metrics.metric`. A
metric has a property when it passes every case that shows it and that it is defined
for. To pass, the value of what was found must be worse than that of the better
answer (`against`, by default the truth itself), or, where `strict` is False, not
better than it. Cases that show nothing serve the properties that every case tests:
independence of order, and bounds.

The sets have two motifs wherever the point can be made with pairs, and there is one
set wherever it can be made with one, so that the metrics for pairs and for single
sets take part.
"""

from __future__ import annotations

from dataclasses import dataclass

Segments = list[tuple[int, int]]
Sets = dict[str, Segments]


@dataclass(frozen=True)
class Case:
    """A truth, what was found, and the property that the two show."""

    name: str
    shows: str
    truth: Sets
    found: list[Segments]
    against: list[Segments] | None = None
    strict: bool = True

    @property
    def better(self) -> list[Segments]:
        """What found is compared with."""
        return list(self.truth.values()) if self.against is None else self.against


A = [(0, 20), (100, 120)]
B = [(200, 230), (300, 330)]
C = [(400, 412), (440, 452)]
FAR = [(900, 920), (950, 970)]
FARTHER = [(1100, 1130), (1200, 1230)]
FOUR = [(0, 20), (100, 120), (600, 620), (700, 720)]
FIVE = [*FOUR, (800, 820)]
ONE: Sets = {"a": A}
TWO: Sets = {"a": A, "b": B}
THREE: Sets = {"a": A, "b": B, "c": C}


def _moved(segments: Segments, samples: int) -> Segments:
    return [(start + samples, end + samples) for start, end in segments]


def _stretched(segments: Segments, factor: float, anchor: float = 0.0) -> Segments:
    """Scale lengths; `anchor` 0 keeps the start, 0.5 the centre."""
    stretched = []
    for start, end in segments:
        length = round((end - start) * factor)
        begin = start - round((length - (end - start)) * anchor)
        stretched.append((begin, begin + length))
    return stretched


LENGTHS = "variable length"
SETS = "several sets"
SIZES = "any cardinality"
FALSE_SETS = "false-positive sets"
LOST_SETS = "false-negative sets"
FALSE_MOTIFS = "false-positive motifs"
LOST_MOTIFS = "false-negative motifs"
ONCE = "counts a motif once"

CASES: tuple[Case, ...] = (
    Case("right start, half the length", LENGTHS, ONE, [_stretched(A, 0.5)]),
    Case("right start, a quarter of the length", LENGTHS, ONE, [_stretched(A, 0.25)]),
    Case("right start, twice the length", LENGTHS, ONE, [_stretched(A, 2)]),
    Case("right start, four times the length", LENGTHS, ONE, [_stretched(A, 4)]),
    Case("right end, twice the length", LENGTHS, {"b": B}, [_stretched(B, 2, 1.0)]),
    Case(
        "right centre, three times as long", LENGTHS, {"b": B}, [_stretched(B, 3, 0.5)]
    ),
    Case("one motif too long", LENGTHS, ONE, [[A[0], *_stretched(A[1:], 3)]]),
    Case("one motif exchanged between sets", SETS, TWO, [[A[0], B[0]], [A[1], B[1]]]),
    Case(
        "three sets, each with a motif of the next",
        SETS,
        THREE,
        [[A[0], B[1]], [B[0], C[1]], [C[0], A[1]]],
    ),
    Case("one of two sets wrong", SETS, TWO, [A, FAR]),
    Case("a set of five", SIZES, {"a": FIVE}, [FIVE[:4] + FAR[:1]]),
    Case("a set of four", SIZES, {"a": FOUR}, [FOUR[:3] + FAR[:1]]),
    Case("a single motif", SIZES, {"a": A[:1]}, [FAR[:1]]),
    Case("ten motifs", SIZES, {"a": [(30 * k, 30 * k + 20) for k in range(10)]}, [FAR]),
    Case("extra set elsewhere", FALSE_SETS, ONE, [A, FAR]),
    Case("extra set beside two right ones", FALSE_SETS, TWO, [A, B, FAR]),
    Case("two extra sets", FALSE_SETS, ONE, [A, FAR, FARTHER]),
    Case("extra set between the motifs", FALSE_SETS, ONE, [A, [(40, 60), (70, 90)]]),
    Case("set found twice", FALSE_SETS, ONE, [A, A]),
    Case("set found again, shifted by 51 %", FALSE_SETS, ONE, [A, _moved(A, 11)]),
    Case(
        "ten extra sets",
        FALSE_SETS,
        ONE,
        [A, *([(k, k + 9), (k + 50, k + 59)] for k in range(900, 910))],
    ),
    Case("one of two sets missing", LOST_SETS, TWO, [A]),
    Case("two of three sets missing", LOST_SETS, THREE, [B]),
    Case("one of three sets missing", LOST_SETS, THREE, [A, B]),
    Case("the smallest set missing", LOST_SETS, {"a": FIVE, "b": B, "c": C}, [FIVE, B]),
    Case("extra motif elsewhere", FALSE_MOTIFS, ONE, [[*A, FAR[0]]]),
    Case("five extra motifs", FALSE_MOTIFS, ONE, [A + FAR + FARTHER + [(1300, 1320)]]),
    Case("extra motif that touches a right one", FALSE_MOTIFS, ONE, [[*A, (20, 40)]]),
    Case("extra motif among five", FALSE_MOTIFS, {"a": FIVE}, [[*FIVE, FAR[0]]]),
    Case(
        "extra motif in each of two sets",
        FALSE_MOTIFS,
        TWO,
        [[*A, FAR[0]], [*B, FAR[1]]],
    ),
    Case("set with the motifs of another set too", FALSE_MOTIFS, TWO, [A + B, B]),
    Case("one of two motifs elsewhere", LOST_MOTIFS, ONE, [[A[0], FAR[0]]]),
    Case("one of two motifs missing", LOST_MOTIFS, ONE, [A[:1]]),
    Case("one of five motifs missing", LOST_MOTIFS, {"a": FIVE}, [FIVE[:4]]),
    Case("four of five motifs missing", LOST_MOTIFS, {"a": FIVE}, [FIVE[:1]]),
    Case("one motif missing in each of two sets", LOST_MOTIFS, TWO, [A[:1], B[:1]]),
    Case("nothing found", LOST_MOTIFS, ONE, []),
    Case("set split into two", LOST_MOTIFS, {"a": FOUR}, [FOUR[:2], FOUR[2:]]),
    Case("motif found twice", ONCE, ONE, [[*A, A[0]]], strict=False),
    Case("every motif found three times", ONCE, ONE, [A * 3], strict=False),
    Case(
        "motif found again, shifted by 10 %", ONCE, ONE, [[*A, (2, 22)]], strict=False
    ),
    Case("half found, but twice", ONCE, ONE, [[A[0]] * 2], [A[:1]], strict=False),
    Case(
        "half found, ten times",
        ONCE,
        {"a": FOUR},
        [FOUR[:2] * 10],
        [FOUR[:2]],
        strict=False,
    ),
    Case("one set", "", ONE, [A]),
    Case("three sets", "", THREE, [C, A, B]),
    Case("shifted by 10 %", "", ONE, [_moved(A, 2)]),
    Case("shifted by 49 %", "", {"b": B}, [_moved(B, 15)]),
    Case("shifted by 51 %", "", {"b": B}, [_moved(B, 16)]),
    Case("two sets merged into one", "", TWO, [A + B]),
    Case(
        "touching motifs merged into one", "", {"a": [(0, 20), (20, 40)]}, [[(0, 40)]]
    ),
    Case("one motif over everything", "", TWO, [[(0, 400)]]),
    Case("two tied sets of different size", "", ONE, [A[:1], [*A, FAR[0]]]),
    Case("nothing right", "", TWO, [FAR, FARTHER]),
)
