"""Motif problems with ground truth: TSMD-Bench, and benchmarks from your own data."""

from tsmdbench.datasets.card import DataCard, data_card
from tsmdbench.datasets.catalogue import SHIFTED_SUITE, SUBSPACE_SUITE
from tsmdbench.datasets.construct import Noise, add_noise
from tsmdbench.datasets.dials import DIALS, Difficulty, dial_problem, load_dials
from tsmdbench.datasets.export import (
    check_benchmarks,
    read_problems,
    write_benchmarks,
)
from tsmdbench.datasets.own_data import (
    build_benchmark,
    from_annotations,
    read_instances,
)
from tsmdbench.datasets.recordings import Recordings, load_recordings
from tsmdbench.datasets.recordings_suite import (
    RECORDINGS_SUITE,
    load_recordings_suite,
)
from tsmdbench.datasets.suite import (
    DATASETS,
    SPLITS,
    Benchmark,
    OverviewRow,
    load_benchmark,
    overview,
)

__all__ = [
    "DATASETS",
    "DIALS",
    "RECORDINGS_SUITE",
    "SHIFTED_SUITE",
    "SPLITS",
    "SUBSPACE_SUITE",
    "Benchmark",
    "DataCard",
    "Difficulty",
    "Noise",
    "OverviewRow",
    "Recordings",
    "add_noise",
    "build_benchmark",
    "check_benchmarks",
    "data_card",
    "dial_problem",
    "from_annotations",
    "load_benchmark",
    "load_dials",
    "load_recordings",
    "load_recordings_suite",
    "overview",
    "read_instances",
    "read_problems",
    "write_benchmarks",
]
