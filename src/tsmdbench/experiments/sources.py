"""Where problems come from: a suite, a folder, or a function.

`tsmdbench.experiments.run` says how a dataset is given. In files: ``folder/name`` for
``folder/name-validation.parquet`` and ``folder/name-test.parquet``.

Stored names
------------
What a store has as the name of a dataset distinguishes its results from all others. A
benchmark of one's own is stored under its identity, ``name@hash``. Options follow the
name: ``Symbols?seed=1``, ``dials?noise=0.5``. ``protocol=pvldb`` among them says that
each run got its parameters from the truth of its own problem
(`tsmdbench.experiments.settings`). Parameters that are given for a dataset hold
for its variants too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tsmdbench.datasets.catalogue import archive_name
from tsmdbench.datasets.dials import NAME as DIALS
from tsmdbench.datasets.dials import Difficulty, dial_names, load_dials
from tsmdbench.datasets.export import benchmark_identity, read_problems, split_files
from tsmdbench.datasets.recordings_suite import (
    RECORDINGS_SUITE,
    load_recordings_suite,
)
from tsmdbench.datasets.suite import DATASETS
from tsmdbench.errors import DataError, InputError, InputTypeError, TsmdbenchError
from tsmdbench.registry import import_object
from tsmdbench.types import Problem
from tsmdbench.validation import check_choice

VARIANTS = ("g_min", "seed", "leak", "noise")  # options of `load_benchmark`
OF_DIALS = (*dial_names(), "seed")  # options of `load_dials`
TRUTH_PROTOCOL = "protocol=pvldb"
PROTOCOLS = ("validation", "pvldb", "both")


# Stored names


def stored_name(dataset: str | Mapping[str, Any]) -> str:
    """Return the name under which a dataset is stored.

    >>> stored_name({"name": "Symbols", "seed": 1}), stored_name("Symbols")
    ('Symbols?seed=1', 'Symbols')
    """
    if isinstance(dataset, str):
        return check_typed(dataset)
    options = dict(dataset) if isinstance(dataset, Mapping) else {}
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise InputTypeError(
            f"a dataset is a name, or a mapping with 'name' and options, got "
            f"{dataset!r}"
        )
    texts = (f"{k}={json.dumps(v).removesuffix('.0')}" for k, v in options.items())
    stored = "?".join(filter(None, [check_typed(name), "&".join(texts)]))
    _options(stored, OF_DIALS if name == DIALS else VARIANTS)
    return stored


def check_typed(dataset: str) -> str:
    """Return the name of a dataset; refuse options inside of it."""
    name = dataset_of(dataset)
    folder = name.removeprefix("recordings:")
    if folder != name:
        raise InputError(
            f"{dataset!r} is not a dataset; write its problems with 'tsmdbench build "
            f"--from {folder} --out problems', and give "
            f"problems/{Path(folder).resolve().name}"
        )
    if "?" in dataset:
        instead = (
            f"write the problems with 'tsmdbench build {name} --seed 1 --out problems' "
            f"and give problems/{name}, or in Python {{'name': {name!r}, 'seed': 1}}; "
            f"for parameters from the truth, run the experiment 'pvldb'"
        )
        if name == DIALS:
            instead = "give them in Python: {'name': 'dials', 'noise': 0.5}"
        raise InputError(f"{dataset!r}: options are not part of a name; {instead}")
    return dataset


def by_protocol(datasets: Iterable[str], protocol: str) -> tuple[str, ...]:
    """Return stored names of datasets for the source of the parameters, see `run`."""
    check_choice(protocol, "protocol", PROTOCOLS)
    names = tuple(datasets)
    by_truth = tuple(map(with_truth, names))
    return names * (protocol != "pvldb") + by_truth * (protocol != "validation")


def dataset_of(name: str) -> str:
    """Return the dataset that a variant is one of; other names as they are.

    >>> dataset_of("Symbols?g_min=2&seed=1")
    'Symbols'
    """
    return name.partition("?")[0]


def uses_truth(dataset: str) -> bool:
    """Return True if parameters come from the truth: by the protocol ``pvldb``.

    >>> uses_truth("Symbols?g_min=2&protocol=pvldb"), uses_truth("Symbols")
    (True, False)
    """
    return TRUTH_PROTOCOL in dataset.partition("?")[2].split("&")


def with_truth(dataset: str) -> str:
    """Return the variant of a dataset whose parameters come from the truth.

    >>> with_truth("Symbols"), with_truth("Symbols?seed=1")
    ('Symbols?protocol=pvldb', 'Symbols?seed=1&protocol=pvldb')
    """
    if uses_truth(dataset):
        return dataset
    return f"{dataset}{'&' if '?' in dataset else '?'}{TRUTH_PROTOCOL}"


def without_protocol(dataset: str) -> str:
    """Return the name of a dataset without the protocol ``pvldb``.

    >>> without_protocol("Symbols?seed=1&protocol=pvldb")
    'Symbols?seed=1'
    """
    return re.sub(f"[?&]{TRUTH_PROTOCOL}$", "", dataset)


def is_identity(dataset: str) -> bool:
    """Return True for ``name@hash``, the identity of a benchmark in a folder."""
    return re.fullmatch(r"[^/]+@[0-9a-f]+", without_protocol(dataset)) is not None


def identified(dataset: str) -> tuple[str, dict[str, str]]:
    """Return what a dataset is stored as, and the folder of ``folder/name``.

    Other names stay as they are.
    """
    name = without_protocol(dataset)
    place = Path(name)
    known = archive_name(name) in DATASETS or runs_code(name)
    known |= name in (*RECORDINGS_SUITE, DIALS)
    if known or not split_files(place.parent, place.name):
        return dataset, {}
    identity = benchmark_identity(place.parent, place.name)
    stored = with_truth(identity) if uses_truth(dataset) else identity
    return stored, {identity: str(place.parent.resolve())}


def folders_of(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return where the datasets ``name@hash`` of a store were when they ran."""
    found: dict[str, str] = {}
    for kept in manifest.get("specifications") or ():
        if isinstance(kept, Mapping) and isinstance(kept.get("folders"), Mapping):
            found |= {str(k): str(v) for k, v in kept["folders"].items()}
    return found


def is_generated(dataset: str) -> bool:
    """Return True if problems are generated and need no data: those with dials.

    >>> is_generated("dials?noise=0.5&protocol=pvldb"), is_generated("Symbols")
    (True, False)
    """
    return dataset_of(dataset) == DIALS


def difficulty_of(dataset: str) -> Difficulty | None:
    """Return where the dials stand; None for other data, another seed or the truth.

    >>> difficulty_of("dials?noise=0.5").moved, difficulty_of("dials?seed=1")
    ({'noise': 0.5}, None)
    """
    if not is_generated(dataset) or uses_truth(dataset):
        return None
    options = _options(dataset, OF_DIALS)
    return None if "seed" in options else Difficulty(**options)


def runs_code(name: str) -> bool:
    """Return True if looking up a dataset or method of that name imports a module."""
    return ":" in name


# Problems


def load_problems(
    dataset: str,
    split: str,
    limit: int | None = None,
    *,
    folders: Mapping[str, str] | None = None,
    may_be_empty: bool = False,
) -> Sequence[Problem]:
    """Return the problems of one split, the first `limit` of them.

    `folders` are those of datasets of the form ``name@hash``, see `folders_of`. Such a
    dataset has no validation problem if it was made of one recording; `may_be_empty`
    allows that.

    Raises
    ------
    InputError
        There is no such dataset, or it has no problem.
    DataError
        The folder of ``name@hash`` has other problems.
    """
    problems = _all_problems(without_protocol(dataset), split, folders or {})
    if not len(problems) and not (may_be_empty and is_identity(dataset)):
        raise InputError(f"dataset {dataset!r} has no problem in split {split!r}")
    return problems if limit is None else problems[:limit]


def _all_problems(
    dataset: str, split: str, folders: Mapping[str, str]
) -> Sequence[Problem]:
    identity, own = (dataset, {}) if is_identity(dataset) else identified(dataset)
    if is_identity(identity):
        name, folder = identity.rpartition("@")[0], {**folders, **own}.get(identity)
        if folder is None:
            raise InputError(
                f"the folder of {identity} is not known; give the dataset as "
                f"FOLDER/{name}"
            )
        found = benchmark_identity(folder, name)
        if found != identity:
            raise DataError(
                f"{folder}/{name} is {found} and not {identity}: its problems have "
                f"changed; give the folder that has those of before"
            )
        files = split_files(folder, name)
        return read_problems(files[split]) if split in files else ()
    if dataset in RECORDINGS_SUITE:
        return load_recordings_suite(dataset, split)
    if is_generated(dataset):
        return load_dials(split, **_options(dataset, OF_DIALS))
    if not runs_code(dataset):
        from tsmdbench.benchmark import load_benchmark

        return load_benchmark(dataset_of(dataset), split, **_options(dataset, VARIANTS))
    function = import_object(dataset, "dataset")
    try:
        problems: Sequence[Problem] = function(split)
        kinds = {type(problem) for problem in problems[: min(len(problems), 1)]}
    except TsmdbenchError:
        raise
    except (Exception, SystemExit) as cause:  # code of others
        raise InputError(
            f"dataset {dataset!r}: it raises {type(cause).__name__}: {cause}; it is "
            f"called with the split and returns a sequence of problems"
        ) from cause
    if kinds - {Problem}:
        raise InputTypeError(
            f"dataset {dataset!r} must return a sequence of tsmdbench.types.Problem, "
            f"got {type(problems).__name__} of {kinds.pop().__name__}"
        )
    return problems


def _options(name: str, known: Sequence[str]) -> dict[str, Any]:
    """Return the options of a variant, as the function that loads it takes them."""
    options = {}
    for part in filter(None, name.partition("?")[2].split("&")):
        option, _, text = part.partition("=")
        if option not in known:
            raise InputError(
                f"{name!r}: no option {option!r} of a dataset; known: "
                f"{', '.join(known)}"
            )
        try:
            options[option] = json.loads(text)
        except ValueError:
            raise InputError(
                f"{name!r}: {option} must be a number, true or false, got {text!r}"
            ) from None
    return options
