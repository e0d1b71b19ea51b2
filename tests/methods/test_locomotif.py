"""LoCoMotif: golden vectors, the definition, the authors' package, input rules."""

import base64
import dataclasses
import errno
import io
import itertools
import json
import os
import signal
import tempfile
import threading
import time
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest

from tests.kernels.locomotif.test_paths import lists
from tests.reference import loco as reference
from tsmdbench._kernels.progress import listening
from tsmdbench.errors import InputError, InputTypeError
from tsmdbench.methods.locomotif import LoCoMotif, Search, Similarities

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "locomotif.json").read_text()
)
DATASETS = [
    "ECG5000",
    "Fungi",
    "Plane",
    "Symbols",
    "ArticularyWordRecognition",
    "ERing",
    "NATOPS",
    "PenDigits",
    "UWaveGestureLibrary",
    "CharacterTrajectories",
    "JapaneseVowels",
    "SpokenArabicDigits",
]


def golden_series(name):
    stored = GOLDEN["series"][name]
    if "rows" in stored:
        datasets = pytest.importorskip("aeon.datasets")
        instances, _ = datasets.load_japanese_vowels(split="train")
        return np.concatenate([instances[row].T for row in stored["rows"]])
    micro = np.frombuffer(zlib.decompress(base64.b64decode(stored["data"])), "<i4")
    return micro.reshape(stored["shape"]) / 10**6


def planted(n=300, starts=(30, 130, 240), lengths=(40, 40, 40), seed=0):
    """Noise with a stretched wave in it."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    for start, length in zip(starts, lengths, strict=True):
        time = np.linspace(0, 1, length)
        wave = 2 * np.sin(9 * time) * (0.5 + time)
        x[start : start + length] = wave + 0.05 * rng.normal(size=length)
    return x


SHORT = planted(90, (5, 35, 62), (20, 18, 22))


def znormalized(x):
    x = x[:, None] if x.ndim == 1 else x
    return (x - x.mean(0)) / np.where(x.std(0) == 0, 1, x.std(0))


def segments(found):
    return [list(motifs) for motifs in found]


@pytest.mark.parametrize("run", GOLDEN["runs"], ids=lambda run: run["series"])
def test_motif_sets_are_the_golden_ones(run):
    # The authors' code was given series whose channels were normalised one by one.
    method = LoCoMotif(**run["settings"], normalize="channel")
    found = method.find(golden_series(run["series"]))
    expected = [[tuple(pair) for pair in motifs] for motifs in run["motif_sets"]]
    assert segments(found) == expected


def test_paths_are_the_golden_ones():
    stored = GOLDEN["internals"]
    settings = stored["settings"]
    x = znormalized(golden_series(stored["series"])).astype(np.float32)
    tau = Similarities(x).quantile(settings["rho"])
    assert float(tau) == stored["tau"]
    tables = Search(
        Similarities(x), tau, settings["l_min"], warping=settings["warping"]
    ).paths()
    ends = [[list(p[0]), list(p[-1]), len(p)] for p in lists(tables)]
    assert sorted(ends) == sorted(stored["paths"][1:])  # the first is the diagonal


@pytest.mark.parametrize("overlap", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("warping", [True, False])
@pytest.mark.parametrize(("rho", "decimals"), [(0.3, 9), (0.8, 9), (0.6, 1)])
def test_motif_sets_are_those_of_the_definition(overlap, warping, rho, decimals):
    x = np.round(SHORT, decimals)
    method = LoCoMotif(10, 13, rho, warping, overlap, normalize=None)
    expected = reference.motif_sets(
        x[:, None].astype(np.float32), 10, 13, rho, warping, overlap
    )
    assert expected
    assert segments(method.find(x)) == expected


def test_motif_sets_respect_masks_as_the_definition_does():
    x = SHORT
    starts, ends = np.arange(90) % 3 == 0, np.arange(90) % 5 != 0
    method = LoCoMotif(10, 13, 0.6, start_mask=starts, end_mask=ends, normalize=None)
    expected = reference.motif_sets(
        x[:, None].astype(np.float32), 10, 13, 0.6, True, 0.0, starts, ends
    )
    assert segments(method.find(x)) == expected
    free = LoCoMotif(10, 13, 0.6, normalize=None).find(x)
    assert segments(free) != expected
    assert starts.sum() == 30  # and neither mask was written to
    assert ends.sum() == 72
    assert LoCoMotif(10, 13, start_mask=[False] * 90).find(x) == ()


def test_sweep_equals_single_finds(monkeypatch):
    """Over the whole grid, in threads, and without all similarities in memory."""
    x = planted(200, (10, 90, 150))
    grid = itertools.product(np.arange(1, 10) / 10, (True, False))
    settings = [{"rho": rho, "warping": warping} for rho, warping in grid]
    settings += [{"l_min": 12}, {"overlap": 0.4}, {"max_sets": 1}]
    settings += [{"normalize": None}, {"normalize": "channel"}]
    method = LoCoMotif(20, 30)
    singles = [dataclasses.replace(method, **setting).find(x) for setting in settings]
    assert len(set(singles)) > 5
    assert method.sweep(x, settings) == singles
    assert LoCoMotif(20, 30, n_jobs=4).sweep(x, settings) == singles
    monkeypatch.setattr("tsmdbench.methods.locomotif.STORE", 0)
    assert method.sweep(x, settings) == singles
    assert method.sweep(x, []) == []
    assert LoCoMotif(20, 30, n_jobs=4) == method
    assert LoCoMotif(20, 30, 0.8).find(x) == method.find(x)
    plain = LoCoMotif(20, 30, warping=False)
    assert plain.find(x) == LoCoMotif(20, 30, 0.5, False).find(x)


def test_beyond_the_limit_a_search_uses_files_and_finds_the_same(monkeypatch):
    x = planted(700, (30, 250, 500), seed=6)
    methods = [LoCoMotif(20, 30, 0.4), LoCoMotif(20, 30, 0.5, warping=False)]
    held = [method.find(x) for method in methods]
    assert all(held)
    monkeypatch.setenv("TSMDBENCH_MEMORY", "0")
    assert [method.find(x) for method in methods] == held
    assert LoCoMotif(20, 30).sweep(x, methods) == held


@pytest.mark.parametrize(
    ("limit", "of_what", "advice"),
    [("0", "disk in .*", "set TMPDIR .*, or resample"), ("1e9", "memory", "resample")],
)
def test_too_little_room_is_an_error_before_any_work(
    monkeypatch, limit, of_what, advice
):
    monkeypatch.setenv("TSMDBENCH_MEMORY", limit)
    # Two million samples: half a terabyte of memory, or some of disk.
    x = np.zeros(2_000_000)
    pages = 2**21 if limit == "0" else 2**15  # of as many bytes: 4 TB, or 1 GB
    monkeypatch.setattr("os.sysconf", lambda _: pages)
    start = time.process_time()
    with pytest.raises(
        InputError,
        match=rf"needs [\d,]+ bytes of {of_what} for 2,000,000 samples, .*{advice}",
    ):
        LoCoMotif(20, 30).find(x)
    assert time.process_time() - start < 2


@pytest.mark.parametrize("value", ["much", "-1", "nan"])
def test_limit_that_is_no_number_is_an_error(monkeypatch, value):
    monkeypatch.setenv("TSMDBENCH_MEMORY", value)
    with pytest.raises(InputError, match="TSMDBENCH_MEMORY must be a number of GB"):
        LoCoMotif(20, 30).find(planted())


@pytest.mark.parametrize(
    ("moment", "settings", "limit"),
    [
        (0.0, [{}], "1"),
        (0.6, [{}], "1"),
        (0.81, [{}], "0"),
        (0.3, [{"n_jobs": 2}, {"rho": 0.9}], "1"),
    ],
)
def test_an_interrupt_ends_a_search_soon(monkeypatch, moment, settings, limit):
    """Counted in reports of progress, since seconds depend on the load of the machine.

    A system may deliver the signal to any thread: here to the one that computes.
    """
    monkeypatch.setenv("TSMDBENCH_MEMORY", limit)
    x = np.random.default_rng(0).normal(size=20_000)
    LoCoMotif(40, 50).sweep(x[:1000], settings)
    after = []

    def listener(share):
        if not after and share >= moment:
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        if after or share >= moment:
            after.append(share)
            time.sleep(0.02)  # leaves the processor to the main thread

    with listening(listener), pytest.raises(KeyboardInterrupt):
        LoCoMotif(40, 50).sweep(x, settings)
    assert 0 < len(after) < 100  # of more than 300, if all were done
    assert max(after) < moment + 0.3


def two_channels():
    return np.stack([planted(seed=1), planted(seed=2)], axis=1)


def test_scale_and_offset_of_the_series_do_not_matter():
    x = two_channels()
    found = LoCoMotif(30, 40).find(x)
    assert found
    assert LoCoMotif(30, 40).find(1024 * x + 4096) == found


def test_relative_scale_of_channels_matters_unless_each_is_normalized():
    x = two_channels()
    joint, channel = LoCoMotif(30, 40), LoCoMotif(30, 40, normalize="channel")
    scaled = x * [1024.0, 0.25] + [0, 4]
    assert channel.find(scaled) == channel.find(x)
    assert joint.find(scaled) != joint.find(x)


@pytest.mark.parametrize(("how", "axis"), [("joint", None), ("channel", 0)])
def test_normalize_is_what_it_says(how, axis):
    x = two_channels() * [1, 3] + [2, 0]
    z = (x - x.mean(axis=axis)) / x.std(axis=axis)
    raw = LoCoMotif(30, 40, normalize=None)
    assert LoCoMotif(30, 40, normalize=how).find(x) == raw.find(z)
    # What is normalised already is left as it is, to the last bit.
    assert LoCoMotif(30, 40, normalize=how).find(z) == raw.find(z)


def test_values_too_large_to_normalize_are_an_error():
    with pytest.raises(InputError, match=r"samples of 1e\+308, but at most .* scale"):
        LoCoMotif(10, 20).find(np.where(planted() > 0, 1e308, -1e308))


def test_constant_series_has_no_motifs_and_a_constant_channel_is_harmless():
    for shape in ((100,), (100, 3)):
        for normalize in ("joint", None):
            method = LoCoMotif(10, 20, normalize=normalize)
            assert method.find(np.full(shape, 7.5)) == ()
    both = np.stack([planted(), np.full(300, 3.0)], axis=1)
    assert LoCoMotif(30, 40, max_sets=1, warping=False).find(both)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_missing_samples_are_an_error(value):
    x = planted()
    x[17] = value
    with pytest.raises(
        InputError, match=r"missing values, but sample 17 .* \[(nan|inf)\]"
    ):
        LoCoMotif(10, 20).find(x)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"l_min": 3}, "l_min must be at least 4, got 3"),
        ({"l_min": 21}, "l_min must not exceed l_max, got 21 and 20"),
        ({"rho": 0}, r"rho must lie in \(0, 1\), got 0"),
        ({"rho": 1.0}, r"rho must lie in \(0, 1\), got 1.0"),
        ({"overlap": -0.1}, r"overlap must lie in \[0, 0.5\], got -0.1"),
        ({"overlap": 0.51}, r"overlap must lie in \[0, 0.5\], got 0.51"),
        ({"max_sets": 0}, "max_sets must be at least 1, got 0"),
        ({"start_mask": [[True]]}, "start_mask must be one-dimensional and of bool"),
        ({"end_mask": [1.5]}, "end_mask must be one-dimensional and of bool"),
        ({"n_jobs": 0}, "n_jobs must be at least 1, or -1 for all processors, got 0"),
        ({"normalize": "both"}, "normalize must be"),
        ({"warping": 1}, "warping must be True or False, got 1"),
    ],
)
def test_fields_outside_their_range_are_an_error(fields, message):
    with pytest.raises(InputError, match=message):
        LoCoMotif(**{"l_min": 10, "l_max": 20, **fields})


def test_wrong_kinds_masks_of_another_length_and_short_series_are_errors():
    with pytest.raises(InputTypeError, match="l_min must be a whole number"):
        LoCoMotif(10.0, 20)
    with pytest.raises(InputTypeError, match="rho must be a number"):
        LoCoMotif(10, 20, "0.5")
    with pytest.raises(InputError, match="end_mask has 2 values, but the series has"):
        LoCoMotif(10, 20, end_mask=[True, False]).find(planted())
    with pytest.raises(InputError, match="needs at least 100"):
        LoCoMotif(50, 60).find(np.arange(99.0))


def test_a_method_with_a_mask_can_be_hashed_and_its_repr_rebuilds_it():
    method = LoCoMotif(10, 20, 0.7, start_mask=np.array([True, False]))
    assert eval(repr(method)) == method  # noqa: S307 (our own text)
    assert hash(method) == hash(LoCoMotif(10, 20, 0.7, start_mask=(True, False)))


def test_series_is_not_written_to():
    x = np.stack([planted(seed=1), planted(seed=2)], axis=1)
    for given in (x, np.asfortranarray(x)):
        before = given.copy()
        LoCoMotif(30, 40, max_sets=1).find(given)
        assert np.array_equal(given, before)


def authors_find(x, l_min, l_max, **settings):
    """Call the authors' release as its documentation says."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("locomotif.locomotif")
    z = (x - np.mean(x, axis=None)) / np.std(x, axis=None)
    found = module.apply_locomotif(z, l_min, l_max, **settings)
    return [sorted((int(b), int(e)) for b, e in motifs) for _, motifs in found]


class StableNumpy:
    """NumPy whose argsort is stable."""

    def __getattr__(self, name):
        return getattr(np, name)

    @staticmethod
    def argsort(values):
        return np.argsort(values, kind="stable")


@pytest.fixture
def stable_sort(monkeypatch):
    """Let the authors' search for paths run uncompiled, with a stable sort.

    It takes the last of equal ends first then, which is our rule.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("locomotif.loco_jit")
    monkeypatch.setattr(module, "np", StableNumpy())
    monkeypatch.setattr(module, "find_best_paths", module.find_best_paths.py_func)


@pytest.mark.parity
@pytest.mark.usefixtures("stable_sort")
@pytest.mark.parametrize("decimals", [9, 1, 0])
@pytest.mark.parametrize(("channels", "l_min", "l_max"), [(1, 40, 40), (3, 8, 24)])
def test_motif_sets_are_those_of_the_authors(decimals, channels, l_min, l_max):
    x = np.stack(
        [planted(400, (20, 150, 300), seed=c) for c in range(channels)], axis=1
    )
    x = np.round(znormalized(x + np.cumsum(x, axis=0) / 20), decimals)
    for rho in (0.15, 0.5, 0.85):
        for warping in (True, False):
            for overlap in (0.0, 0.25):
                chosen = {"rho": rho, "warping": warping, "overlap": overlap}
                method = LoCoMotif(l_min, l_max, **chosen)
                expected = authors_find(x, l_min, l_max, **chosen)
                assert segments(method.find(x)) == expected


def archive_problem(instances, labels, rng):
    """Concatenate z-normalised instances: motif, separator, motif, and so on."""
    classes = rng.permutation(np.unique(labels))
    motifs = rng.permutation(np.repeat(classes[:2], rng.integers(2, 5, 2)))
    parts, lengths = [], []
    for turn, label in enumerate(motifs):
        for kind in (label, classes[2 + turn % (len(classes) - 2)]):
            row = rng.choice(np.flatnonzero(labels == kind))
            parts.append(znormalized(np.asarray(instances[row], float).T))
        lengths.append(len(parts[-2]))
    return np.concatenate(parts), lengths


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parity
@pytest.mark.usefixtures("stable_sort")
@pytest.mark.parametrize("name", DATASETS)
def test_motif_sets_of_real_problems_are_those_of_the_authors(data_folder, name):
    datasets = pytest.importorskip("aeon.datasets")
    instances, labels = datasets.load_classification(
        name, extract_path=str(data_folder), split="train"
    )
    rng = np.random.default_rng(7)
    grid = itertools.product(np.arange(1, 10) / 10, (True, False))
    settings = [{"rho": rho, "warping": warping} for rho, warping in grid]
    done = 0
    while done < 2:
        x, lengths = archive_problem(list(instances), np.asarray(labels), rng)
        if len(x) > 3500:  # the authors' search is slow when it is not compiled
            continue
        done += 1
        l_min, l_max = (max(4, int(np.quantile(lengths, q))) for q in (0.1, 0.9))
        found = LoCoMotif(l_min, l_max).sweep(x, settings)
        for chosen, ours in zip(settings, found, strict=True):
            theirs = authors_find(x, l_min, l_max, **chosen)
            assert segments(ours) == theirs, f"{name}, problem {done}, {chosen}"


def test_a_disk_that_is_full_or_writes_in_parts_gives_no_wrong_result(
    monkeypatch, tmp_path
):
    rng = np.random.default_rng(0)
    x = 0.05 * np.cumsum(rng.normal(size=900)) + 0.3 * rng.normal(size=900)
    method = LoCoMotif(20, 40)
    expected = method.find(x)
    monkeypatch.setenv("TSMDBENCH_MEMORY", "0")  # everything in files

    class File(io.FileIO):
        def write(self, data):
            return super().write(bytes(data)[:4096])

    class Full(io.FileIO):
        def write(self, _):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def use(kind):
        names = itertools.count()
        monkeypatch.setattr(
            tempfile,
            "TemporaryFile",
            lambda **_: kind(tmp_path / f"{kind.__name__}{next(names)}", "w+"),
        )

    use(File)
    assert method.find(x) == expected
    use(Full)
    with pytest.raises(OSError, match=r"temporary file .*No space.* set TMPDIR"):
        method.find(x)
