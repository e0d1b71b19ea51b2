"""Motif problems with ground truth: TSMD-Bench, and benchmarks from your own data."""

from tsmdbench.benchmark.cards import DataCard, data_card
from tsmdbench.benchmark.dials import DIALS, Difficulty, dial_problem, load_dials
from tsmdbench.benchmark.export import (
    check_benchmarks,
    read_problems,
    write_benchmarks,
)
from tsmdbench.benchmark.instances import read_instances
from tsmdbench.benchmark.noise import Noise, add_noise
from tsmdbench.benchmark.overview_table import OverviewRow, overview
from tsmdbench.benchmark.own_data import build_benchmark, from_annotations
from tsmdbench.benchmark.random_walk import random_walk_problem
from tsmdbench.benchmark.recording_cards import RecordingsCard, recordings_card
from tsmdbench.benchmark.recordings import Recordings, load_recordings
from tsmdbench.benchmark.recordings_suite import (
    RECORDINGS_SUITE,
    load_recordings_suite,
)
from tsmdbench.benchmark.suite import DATASETS, SPLITS, Benchmark, load_benchmark

__all__ = [
    "DATASETS",
    "DIALS",
    "RECORDINGS_SUITE",
    "SPLITS",
    "Benchmark",
    "DataCard",
    "Difficulty",
    "Noise",
    "OverviewRow",
    "Recordings",
    "RecordingsCard",
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
    "random_walk_problem",
    "read_instances",
    "read_problems",
    "recordings_card",
    "write_benchmarks",
]
