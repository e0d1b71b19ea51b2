"""Known datasets: their content, and the numbers of the paper.

Two tables. `KNOWN` has the properties of every dataset that the benchmark uses or that
its selection looked at, so that a truncated file or another version of a dataset is
noticed before it is used. `PAPER` has the overview of TSMD-Bench as it was published,
to be printed beside what the data gives.

References
----------
The UCR and UEA archives: H. A. Dau et al., "The UCR Time Series Archive", IEEE/CAA J.
Autom. Sinica 6(6), 2019, doi:10.1109/JAS.2019.1911747; A. Bagnall et al., "The UEA
multivariate time series classification archive, 2018", arXiv:1811.00075.
The overview: D. Van Wesenbeeck, A. Yurtman, W. Meert, H. Blockeel, "Quantitative
Evaluation of Motif Sets in Time Series", 2024, arXiv:2412.09346, section 5.2.
"""

from __future__ import annotations

import difflib
import re
from typing import NamedTuple

from tsmdbench.errors import DataError, InputError

PARTS = ("TRAIN", "TEST")
# Versions that circulate under a known name: (instances in TRAIN, in TEST) -> a name.
OTHER_VERSIONS = {
    "UWaveGestureLibrary": {(2238, 2241): "a newer version with 2238/2241 instances"},
}


class Entry(NamedTuple):
    """Content of a complete copy of a dataset, and its record on Zenodo."""

    classes: int
    l_min: int
    l_max: int
    channels: int
    train: int
    test: int
    record: int


class PaperRow(NamedTuple):
    """One line of the paper's overview of TSMD-Bench."""

    classes: int
    l_min: int
    l_max: int
    channels: int
    g_max: int
    n_avg: int


KNOWN = {
    "ECG5000": Entry(5, 140, 140, 1, 500, 4500, 11186692),
    "Fungi": Entry(18, 201, 201, 1, 18, 186, 11191230),
    "Mallat": Entry(8, 1024, 1024, 1, 55, 2345, 11197731),
    "Plane": Entry(7, 144, 144, 1, 105, 105, 11197940),
    "Symbols": Entry(6, 398, 398, 1, 25, 995, 11198322),
    "ArticularyWordRecognition": Entry(25, 144, 144, 9, 275, 300, 11204924),
    "Cricket": Entry(12, 1197, 1197, 6, 108, 72, 11206185),
    "ERing": Entry(6, 65, 65, 4, 30, 270, 11206210),
    "NATOPS": Entry(6, 51, 51, 24, 180, 180, 11206248),
    "PenDigits": Entry(10, 8, 8, 2, 7494, 3498, 11206259),
    "UWaveGestureLibrary": Entry(8, 315, 315, 3, 120, 320, 11206282),
    "CharacterTrajectories": Entry(20, 60, 182, 3, 1422, 1436, 18723007),
    "JapaneseVowels": Entry(9, 7, 29, 12, 270, 370, 18735628),
    "SpokenArabicDigits": Entry(10, 4, 93, 13, 6599, 2199, 18734026),
    "Handwriting": Entry(26, 152, 152, 3, 150, 850, 11206227),
    "Libras": Entry(15, 45, 45, 2, 180, 180, 11206239),
    "LSST": Entry(14, 36, 36, 6, 2459, 2466, 11206243),
    "AllGestureWiimoteX": Entry(10, 2, 385, 1, 300, 700, 11185036),
    "AllGestureWiimoteY": Entry(10, 2, 385, 1, 300, 700, 11185107),
    "AllGestureWiimoteZ": Entry(10, 2, 385, 1, 300, 700, 11185136),
    "GestureMidAirD1": Entry(26, 80, 360, 1, 208, 130, 11197478),
    "GestureMidAirD2": Entry(26, 80, 360, 1, 208, 130, 11197490),
    "GestureMidAirD3": Entry(26, 80, 360, 1, 208, 130, 11197504),
    "GesturePebbleZ1": Entry(6, 100, 455, 1, 132, 172, 11197515),
    "GesturePebbleZ2": Entry(6, 100, 455, 1, 146, 158, 11197520),
    "PickupGestureWiimoteZ": Entry(10, 29, 361, 1, 50, 50, 11197898),
    "ShakeGestureWiimoteZ": Entry(10, 40, 385, 1, 50, 50, 11198219),
    "PLAID": Entry(11, 100, 1344, 1, 537, 537, 11197936),
}
# Mean lengths of the test series: of the paper, and of the later table of its group
# (ML-KULeuven/SubTSMD, metadata.csv); neither fits the other.
N_AVG = {
    "ECG5000": (980, 1118),
    "Fungi": (4639, 4902),
    "Mallat": (12370, 13199),
    "Plane": (1584, 1722),
    "Symbols": (3582, 3980),
    "ArticularyWordRecognition": (3387, 5790),
    "Cricket": (14201, 22443),
    "ERing": (585, 655),
    "NATOPS": (459, 507),
    "PenDigits": (129, 135),
    "UWaveGestureLibrary": (4077, 4063),
    "CharacterTrajectories": (2759, 4013),
    "JapaneseVowels": (166, 234),
    "SpokenArabicDigits": (523, 678),
}
PAPER = {
    name: PaperRow(*KNOWN[name][:4], (KNOWN[name].classes + 1) // 3, paper)
    for name, (paper, _) in N_AVG.items()
}
BENCHMARK = tuple(PAPER)
# The first five were taken from a published clustering study; the paper clusters the
# others itself.
PAPER_SELECTED = BENCHMARK[5:]
CLUSTERED = tuple(sorted(set(KNOWN) - set(BENCHMARK[:5])))
# Sub-TSMD-Bench, from the datasets with frozen recipes; shifts need two channels.
_FROZEN = tuple(name for name in BENCHMARK if name not in ("Mallat", "Cricket"))
SUBSPACE_SUITE = tuple(f"Sub-{name}" for name in _FROZEN)
SHIFTED_SUITE = tuple(f"SubShift-{n}" for n in _FROZEN if PAPER[n].channels > 1)


def check_name(name: str) -> str:
    """Return a dataset name that is safe as a folder name."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][\w-]{0,80}", name):
        raise InputError(
            f"a dataset name is made of letters, digits, _ and -, got {name!r}"
        )
    return name


def archive_name(name: str) -> str:
    """Return the dataset that a name of the subspace suite stands for.

    >>> archive_name("SubShift-NATOPS"), archive_name("NATOPS")
    ('NATOPS', 'NATOPS')
    """
    return re.sub(r"^Sub(Shift)?-", "", name)


def check_benchmark_name(name: str) -> str:
    """Return `name` if it is one of the 14 datasets, else suggest the nearest."""
    if name in PAPER:
        return name
    names = (*BENCHMARK, *SUBSPACE_SUITE, *SHIFTED_SUITE)
    lower = {known.lower(): known for known in names}
    near = difflib.get_close_matches(str(name).lower(), lower, n=2, cutoff=0.5)
    hint = (
        f"did you mean {' or '.join(lower[match] for match in near)}?"
        if near
        else f"known: {', '.join(BENCHMARK)}"
    )
    raise DataError(f"TSMD-Bench has no dataset {name!r}; {hint}")
