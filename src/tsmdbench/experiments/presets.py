"""Named experiments, ``tsmdbench run demo | quick | paper | ...``, and presets.

A preset has values of the fields that neither data nor a search decides:

``paper``
    Every method as its public code behaves by default: what the paper's experiment was,
    as far as it can be known. The class attribute `paper` of a method has the values,
    and docs/experiments/presets.md says where each comes from.
``best``
    What we recommend: methods repaired, sets that share no samples, members that do not
    overlap. They are the defaults of the classes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tsmdbench.errors import DataError, DownloadError, InputError
from tsmdbench.methods import METHODS, PAPER_METHODS
from tsmdbench.validation import check_choice

Fields = Mapping[str, Mapping[str, Any]]

PRESETS = ("paper", "best")
GRIDS: Mapping[str, str] = {"paper": "paper", "best": "powers"}  # which grid of each
# Of different kinds, with few kernels to compile.
DEMO_METHODS = ("emma", "mrmotif", "setfinder", "valmod", "motiflets", "locomotif")
EXPERIMENTS = ("demo", "quick", "paper", "best", "pvldb", "recordings", "dials",
               "subspace")  # fmt: skip
# Methods of the subspace suite, with the axes that its smaller grids leave out.
SUBSPACE: Fields = {
    "sub_locomotif": {"linkage": "mean"},
    "sub_motiflets": {"linkage": "mean", "step": 8},
    "sub_gv_repair": {"linkage": "mean"},
    "sub_setfinder": {"linkage": "mean"},
    "sub_latentmotifs": {"linkage": "mean"},
    "lama": {"step": 8},
    "mmotifs": {},
}


def preset_params(name: str) -> dict[str, dict[str, Any]]:
    """Return the fields of a preset, as ``Specification(params=...)`` takes them.

    Parameters
    ----------
    name : {"paper", "best"}

    Examples
    --------
    >>> preset_params("paper")["setfinder"]
    {'constant': 'keep', 'disjoint': False}
    """
    check_choice(name, "preset", PRESETS)
    if name == "best":
        return {}
    every = {method: dict(METHODS[method].paper) for method in METHODS.added()}
    return {method: fields for method, fields in every.items() if fields}


def added_params(first: Fields, second: Fields) -> dict[str, dict[str, Any]]:
    """Merge two mappings of methods to fields; `second` takes precedence.

    >>> added_params({"emma": {"mode": "sax"}}, {"emma": {"radius": 2.0}, "stomp": {}})
    {'emma': {'mode': 'sax', 'radius': 2.0}, 'stomp': {}}
    """
    return {
        method: {**first.get(method, {}), **second.get(method, {})}
        for method in dict.fromkeys([*first, *second])
    }


def extra_methods() -> tuple[str, ...]:
    """Return the other methods of the package that experiments compare.

    They have fields of the preset ``paper``, since public code of them exists. `Auto`
    and the random-walk detector have none, and run only if they are named.

    >>> extra_methods()[:2]
    ('apepa', 'mdl_clust')
    """
    others = [name for name in METHODS.added() if name not in PAPER_METHODS]
    return tuple(name for name in others if METHODS[name].paper)


def experiment(name: str, preset: str | None = None) -> dict[str, Any]:
    """Return the options of `run` that the name of an experiment stands for.

    ``demo``
        JapaneseVowels, which comes with aeon, and generated problems (``dials``);
        six methods of different kinds, tuned on 3 problems and tested on 20 of each
        dataset: a minute or two.
    ``quick``
        All 14 datasets and the eleven methods, tuned on 10 problems and tested on 30 of
        each dataset.
    ``paper``
        Everything, tuned on 50 problems and tested on 200 of each dataset, with the
        fields of the preset ``paper``: methods as their public code is. The methods
        that the paper does not have are run too (`extra_methods`).
    ``best``
        The same with the fields of the preset ``best``: methods as we recommend them.
    ``pvldb``
        Everything by the protocol that **uses the truth**: each run gets the number of
        sets, their lengths and their radius from its own problem
        (`tsmdbench.experiments.settings`). Nothing is tuned.
    ``recordings``
        The recordings suite in both ways: tuned on its validation records, and with
        parameters from the truth.
    ``dials``
        Generated problems (`tsmdbench.datasets.dials`), one dial moved at a time: at
        each position all methods are tuned on 5 problems and tested on 10.
    ``subspace``
        Patterns in some of the channels (`tsmdbench.datasets.subspace`): five methods
        lifted to subspaces, LAMA and MMotifs, tuned by subspace PROM on 10 problems in
        smaller grids: mean linkage, and every eighth length for Motiflets and LAMA.

    Parameters
    ----------
    name : {"demo", "quick", "paper", "best", "pvldb", "recordings", ...}
    preset : {"paper", "best"}, optional
        Values of the fields, see `preset_params`; ``"best"``
        unless given. For the experiments paper and best the name says it.

    A dataset that is not here and cannot be downloaded is left out by `obtainable`.
    """
    from tsmdbench.benchmark import DATASETS
    from tsmdbench.datasets.catalogue import SUBSPACE_SUITE
    from tsmdbench.datasets.dials import dial_datasets
    from tsmdbench.datasets.recordings_suite import RECORDINGS_SUITE

    check_choice(name, "experiment", EXPERIMENTS)
    if name in PRESETS and preset not in (None, name):
        raise InputError(
            f"the experiment {name!r} has the preset {name!r}, not {preset!r}; "
            f"run the experiment {preset!r}"
        )
    sizes: dict[str, dict[str, Any]] = {
        "demo": {
            "datasets": ("JapaneseVowels", "dials"),
            "methods": DEMO_METHODS,
            "limit": 20,
            "limit_validation": 3,
        },
        "quick": {"limit": 30, "limit_validation": 10},
        "pvldb": {"protocol": "pvldb", "tune": False},
        "recordings": {"datasets": RECORDINGS_SUITE, "protocol": "both"},
        "dials": {"datasets": dial_datasets(), "limit": 10, "limit_validation": 5},
        "subspace": {
            "datasets": SUBSPACE_SUITE,
            "methods": tuple(SUBSPACE),
            "limit_validation": 10,
            "params": added_params(preset_params(preset or "best"), SUBSPACE),
        },
    }
    every = name not in ("demo", "quick")
    chosen = name if name in PRESETS else preset or "best"
    return {
        "datasets": tuple(DATASETS),
        "methods": (*PAPER_METHODS, *(extra_methods() if every else ())),
        "tune": True,
        "params": preset_params(chosen),
        "grid": GRIDS[chosen],
        **sizes.get(name, {}),
    }


def obtainable(datasets: Sequence[str], say: Callable[[str], None]) -> tuple[str, ...]:
    """Return the datasets that are here or can be downloaded; `say` what is left out.

    Raises
    ------
    DataError
        There is none, or one is here but damaged.
    """
    from tsmdbench.datasets.archive import locate
    from tsmdbench.datasets.catalogue import archive_name
    from tsmdbench.datasets.fetch import download
    from tsmdbench.datasets.recordings_suite import SOURCES, locate_records
    from tsmdbench.experiments.sources import is_generated, without_protocol

    here = []
    for dataset in datasets:
        name = without_protocol(dataset)
        if name in SOURCES:
            if locate_records(name) is None:
                say(f"left out: {name} is unavailable; {SOURCES[name].fetch}")
                continue
        elif not is_generated(name) and locate(archive_name(name)) is None:
            try:
                say(f"{archive_name(name)} is not on this machine; downloading it ...")
                download(archive_name(name), pauses=())
            except DownloadError as reason:
                say(f"left out: {reason}")
                continue
        here.append(dataset)
    if not here:
        raise DataError("none of the datasets is available or can be downloaded")
    return tuple(here)
