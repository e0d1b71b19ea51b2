"""The leaderboard: methods, best first, among the published baselines.

The baselines are not run again. An added store seldom has all datasets or all problems,
so everything is compared on what the added stores have: each dataset counts by the
problems that all methods on it were run on. `Leaderboard.notes` says what was left out.
Where stores come from different machines, times are scaled to that of the first, or
marked as not comparable (`tsmdbench.analysis.costs`).

Conventions
-----------
* Methods are ordered by the mean over datasets of the deciding metric. Its interval is
  a bootstrap over problems, datasets being fixed.
* ``group``, ``worse`` and ``better`` answer whether methods differ *on this benchmark*:
  two methods share a letter if they do not differ, and the two numbers count the
  methods that are significantly worse and better. A second table compares one
  reference with each other method, and also answers whether they differ *on other
  data* (`tsmdbench.analysis.comparison`).
* The reference is the added method, if there is one. Otherwise it must be named. The
  best method of the table would be a wrong choice: with 16 methods that do not differ,
  tests against the best found a difference in 13 % of 1,000 simulations.
* Where methods were run with several seeds, their scores are means over these, and a
  column shows how much the mean varies with the seed.
* The time of a method is `tsmdbench.analysis.method_seconds`; a dash where it is not
  known.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from tsmdbench.analysis.baselines import (
    CHOICES,
    RECORDINGS,
    RECORDINGS_TRUTH,
    SUBSPACE,
    baseline_stores,
    check_same_problems,
    published_datasets,
    published_scores,
)
from tsmdbench.analysis.bootstrap import overall_intervals
from tsmdbench.analysis.comparison import Comparison, compare
from tsmdbench.analysis.costs import (
    OTHER_CLOCK,
    comparable_times,
    method_seconds,
    mixed_notes,
    on_clock_of,
)
from tsmdbench.analysis.labels import in_benchmark_order, main_metric
from tsmdbench.analysis.ranking import DECIMALS, ranks
from tsmdbench.analysis.scores import (
    BASELINES,
    SUBSPACE_METRICS,
    Scores,
    default_metrics,
    only_label,
    own_labels,
    requested_metrics,
    restricted,
    score_store,
    seed_spread,
)
from tsmdbench.analysis.tuning_effort import Effort, effort_note, tuning_effort
from tsmdbench.errors import InputError
from tsmdbench.experiments.sources import uses_truth
from tsmdbench.experiments.specification import joint_machines, speed_of
from tsmdbench.experiments.store import ALL, NEWEST, Store, chosen_versions
from tsmdbench.html_text import html_block, html_lines, html_table
from tsmdbench.io import PathLike
from tsmdbench.methods import METHODS, PAPER_METHODS
from tsmdbench.methods.info import method_info
from tsmdbench.metrics.evaluate import Requested
from tsmdbench.plural import counted

if TYPE_CHECKING:
    from tsmdbench.experiments.submission import Entry

CODE_HASH = re.compile("[0-9a-f]{12}")
UNKNOWN = "\N{EN DASH}"
# Columns of the printed tables, with their titles and formats.
SHOWN = {
    "place": ("", "{:.0f}"),
    "label": ("method", "{}"),
    "mean": ("", "{:.3f}"),
    "interval": ("interval", "{}"),
    "seed_sd": ("\N{PLUS-MINUS SIGN} seeds", "{:.3f}"),
    "precision": ("P", "{:.3f}"),
    "recall": ("R", "{:.3f}"),
    "macro_f1": ("macro F", "{:.3f}"),
    "average_rank": ("rank", "{:.2f}"),
    "seconds": ("s/run", "{:.3g}"),
    "failed": ("failed", "{:.0f}"),
    "group": ("group", "{}"),
    "worse": ("worse", "{:.0f}"),
    "better": ("better", "{:.0f}"),
}
AGAINST = {
    "place": ("", "{:.0f}"),
    "label": ("", "{}"),
    "difference": ("difference", "{:+.3f}"),
    "interval": ("interval", "{}"),
    "p_benchmark": ("p", "{:.2g}"),
    "p_other_data": ("p, other data", "{:.2g}"),
    "p_reference": ("P(better)", "{:.2f}"),
    "p_equal": ("P(equal)", "{:.2f}"),
    "p_other": ("P(worse)", "{:.2f}"),
}

# Columns that answer each question, without and with a reference.
GROUPS = "group (methods that share a letter do not differ), worse, better"
ANSWERS = (
    (f"{GROUPS}: ", ""),
    (
        f"{GROUPS}, difference, interval, p: ",
        "p, other data, P(better), P(equal), P(worse): ",
    ),
)


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Methods, best first.

    Attributes
    ----------
    table : DataFrame
        Columns place, label, origin, extra (not in the paper's comparison),
        no_parameters (nothing has to be given), mean, low,
        high, seeds (number of them), seed_sd (standard deviation of the mean over
        seeds; NaN with one), precision, recall, macro_f1, average_rank, seconds
        (processor time of a successful run), failed (runs), group, worse and better
        (letters and number of methods that are significantly worse or better, on this
        benchmark), added (to others that it is compared with), own (one of the methods
        that the comparison is about), comparable (its time can be compared with those
        of one's own).
    metric : str
        What decides.
    notes : tuple of str
        What was compared, which question each number answers, and what was left out.
    comparison : Comparison
        All pairs on this benchmark, and the reference with each other method on other
        data.
    entries : DataFrame
        A row per label: ``method``; ``version``, of the submitted entry or of the
        method; ``code_hash``, of the code of a method that declares no version;
        ``tuned``, whether a search in the store chose its parameters, and on how many
        ``validation_problems`` at most; ``from_truth``, whether parameters come from
        the truth of the problems; ``code`` and ``organisation``, of the submitted
        entry; ``peak_memory``, the highest, in bytes; ``kernel_seconds``, the time of
        the calibration kernel on the machine of the runs; ``datasets`` and ``problems``
        that it was run on; ``date``, of the entry, or when this version was first run.
        None where it is not known.
    efforts : mapping of str to Effort
        What the searches of each method took.
    """

    table: pd.DataFrame
    metric: str
    notes: tuple[str, ...]
    comparison: Comparison
    entries: pd.DataFrame
    efforts: Mapping[str, Effort]

    def record(self) -> dict[str, Any]:
        """Return everything as plain JSON types, for ``--json``."""
        return {
            "notes": list(self.notes),
            "rows": json_rows(self.table.join(self.entries, on="label")),
            "reference": self.comparison.reference or None,
            "against_reference": json_rows(self.comparison.against_reference()),
        }

    def _tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """Return head and rows, as texts, of the ranking and of the comparison."""
        shown = dict(SHOWN)
        shown["mean"] = (self.metric, shown["mean"][1])
        if (self.table["seeds"] <= 1).all():
            del shown["seed_sd"]
        rows = []
        for row in self.table.to_dict("records"):
            row["label"] += " (no parameters)" * row["no_parameters"]
            row["label"] += " *" if row["added"] else " +" if row["extra"] else ""
            texts = _texts(row, shown)
            if not row["comparable"]:
                texts[list(shown).index("seconds")] += f" {OTHER_CLOCK}"
            rows.append(texts)
        found = [([title for title, _ in shown.values()], rows)]
        places = self.table[["label", "place"]]
        against = self.comparison.against_reference().merge(places, on="label")
        if len(against):
            head = [title for title, _ in AGAINST.values()]
            head[1] = f"{self.comparison.reference} against"
            rows = [_texts(row, AGAINST) for row in against.to_dict("records")]
            found.append((head, rows))
        return found

    def _repr_html_(self) -> str:
        """Show the tables in a notebook, one's own methods in bold."""
        own = [place for place, is_own in enumerate(self.table["own"]) if is_own]
        tables = [
            html_table(head, rows, bold=bold, left=(1,))
            for (head, rows), bold in zip(self._tables(), (own, ()), strict=False)
        ]
        return html_block(*tables, html_lines(self.notes))

    def __str__(self) -> str:
        lines = []
        for head, rows in self._tables():
            widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
            for row in [head, *rows]:
                cells = [f"{cell:>{n}}" for cell, n in zip(row, widths, strict=True)]
                cells[1] = f"{row[1]:<{widths[1]}}"
                lines.append("  ".join(cells).rstrip())
            lines.append("")
        return "\n".join([*lines, *self.notes])


def json_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as what JSON can hold; None for NaN."""
    return [
        {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
        }
        for row in table.to_dict("records")
    ]


def _texts(row: dict[str, Any], columns: Mapping[str, tuple[str, str]]) -> list[str]:
    """Write the columns of a row; NaN, an unknown value, is a dash."""
    row["interval"] = UNKNOWN
    if not math.isnan(row["low"]):
        row["interval"] = f"[{row['low']:.3f}, {row['high']:.3f}]"
    values = ((row[name], form) for name, (_, form) in columns.items())
    return [
        UNKNOWN if isinstance(v, float) and math.isnan(v) else form.format(v)
        for v, form in values
    ]


def leaderboard(
    add: PathLike | Scores | Sequence[PathLike] = (),
    *,
    metric: Requested | None = None,
    datasets: Sequence[str] | None = None,
    baselines: str | None = "best",
    version: str = NEWEST,
    only: str | Sequence[str] | None = None,
    reference: str | None = None,
) -> Leaderboard:
    """Rank methods among the published baselines, or among themselves.

    Parameters
    ----------
    add : Store, path, result of `run`, sequence of them, or Scores
        Where your methods were run; by default only the baselines are ranked. A table
        of scores is ranked as it is, without baselines.
    metric : str, Metric or function, optional
        What decides the order, as for `tsmdbench.metrics.evaluate`. By default
        ``"prom_f1"``, and on the subspace suite ``"subspace_prom_f1"``.
    datasets : sequence of str, optional
        Only these.
    baselines : {"best", "paper", "both", "recordings", "recordings-pvldb", "subspace"}
        TSMD-Bench, methods with the recommended parameters, with the defaults of their
        public code, or both in one table; the recordings suite, tuned on validation
        records, or with parameters from the truth; or the subspace suite. None ranks
        the added methods among themselves; so does a store of which no baselines have
        any dataset.
    version : str, default "newest"
        Which version of your methods, see `score_store`.
    only : str or sequence of str, optional
        Compare only these methods: labels, names, or the class in ``module:Class``, in
        one text with commas or one by one; ``"mine"`` means those of `add`. The tests
        are corrected for the remaining number of pairs.
    reference : str, optional
        The method that is compared with each other one on other data, named as in
        `only`. By default the added one; of several, or without one, it must be named.

    Raises
    ------
    InputError
        A store has no test runs, or has other data or another truth than the baselines
        for a problem of the same name.

    Examples
    --------
    >>> leaderboard(only=["locomotif", "emma"]).table["label"].tolist()
    ['locomotif', 'emma']
    """
    if isinstance(add, Scores):
        metric = main_metric(add.datasets) if metric is None else metric
        (decides,) = [metric] if isinstance(metric, str) else requested_metrics(metric)
        chosen = restricted(add, only).only(datasets=datasets)
        return standings(chosen, decides, reference=reference)
    paths = [add] if isinstance(add, str | os.PathLike) else list(add)
    stores = [Store(path) for path in paths]
    if not stores and baselines is None:
        raise InputError("there is nothing to rank: add a store, or choose baselines")
    ran = {what[0] for store in stores for what in store.counts()}
    ran = ran or set(published_datasets(str(baselines)))
    if metric is None:
        metric = main_metric(ran if datasets is None else datasets)
    (decides,) = requested_metrics(metric)
    metrics = (*default_metrics(ran), metric)
    sources = {BASELINES: [] if baselines is None else baseline_stores(baselines)}
    if not stores:
        published = published_scores(str(baselines), metrics)
        chosen = restricted(published, only).only(datasets=datasets)
        notes = [f"baselines: {CHOICES[str(baselines)]}"]
        return standings(chosen, decides, notes, reference, sources)
    joined, notes = _joined(stores, version, metrics)
    sources |= {os.fspath(store): [store] for store in stores}
    sources[""] = stores[:1]
    wanted = list(joined.datasets if datasets is None else datasets)
    if baselines is not None:
        has = published_datasets(baselines)
        common = [name for name in wanted if name in has]
        if common:
            wanted = common if datasets is None else wanted
            notes.insert(0, f"baselines: {CHOICES[baselines]}")
            alone = [name for name in joined.datasets if name not in has]
            unseen = in_benchmark_order(has - set(joined.datasets))
            for names, what in (
                (alone, "left out, since the baselines do not have them"),
                (unseen, "not run by the added methods"),
            ):
                notes += [f"{what}: {', '.join(names)}"] if names else []
        else:
            for other in ("best", RECORDINGS, RECORDINGS_TRUTH, SUBSPACE):
                if published_datasets(other) & set(wanted):
                    raise InputError(
                        f"the baselines have none of the datasets {', '.join(wanted)}; "
                        f"compare with the baselines {other!r} (--baselines)"
                    )
            notes.append(f"the baselines have none of {', '.join(wanted)}")
            baselines = None
    chosen = joined.only(datasets=wanted)
    named = [("the baselines", store) for store in sources[BASELINES]]
    named += [(os.fspath(store), store) for store in stores]
    check_same_problems(named, wanted)
    if baselines is not None:
        theirs, note = on_clock_of(
            stores[0].manifest,
            published_scores(baselines, metrics).only(datasets=wanted),
            joint_machines(store.manifest for store in sources[BASELINES]),
            BASELINES,
        )
        chosen = chosen.join(theirs)
        chosen = restricted(chosen, only)
        if not chosen.table["own"].all():
            notes += [note] if note else []
            notes.append("* added here; the others are the published baselines")
    else:
        chosen = restricted(chosen, only)
    chosen = chosen.on_common_problems()
    if only is not None:
        notes.append(f"restricted to {', '.join(chosen.labels)}")
    return standings(chosen, decides, notes, reference, sources)


def entry_facts(
    scores: Scores,
    stores: Mapping[str, Sequence[Store]],
    entries: Mapping[str, Entry] | None = None,
    efforts: Mapping[str, Effort] | None = None,
) -> pd.DataFrame:
    """Return the facts of each label: see `Leaderboard.entries`.

    `stores` are those of each origin (``""`` is one's own), `entries` the submitted
    ones by label.
    """
    efforts = tuning_effort(scores, stores) if efforts is None else efforts
    grouped = scores.table.groupby("label", observed=True)
    first = grouped[["method", "version", "origin"]].first()
    memory, problems = grouped["peak_memory"].max(), grouped.size()
    ran = scores.table[["label", "dataset"]].drop_duplicates()
    known = {name: [store.manifest for store in each] for name, each in stores.items()}
    rows = {}
    for label in scores.labels:
        method, version, origin = first.loc[label]
        entry = (entries or {}).get(label)
        manifests = known.get(origin, [])
        noted = [
            one["since"][:10]
            for manifest in manifests
            for one in manifest.get("versions", {}).get(method, ())
            if one["version"] == version
        ]
        datasets = ran.loc[ran["label"] == label, "dataset"].tolist()
        peak = memory[label]
        rows[label] = {
            "method": method,
            "version": entry.version if entry else version,
            "code_hash": version if CODE_HASH.fullmatch(version) else None,
            "tuned": efforts[label].datasets > 0,
            "validation_problems": efforts[label].problems[1],
            "from_truth": any(map(uses_truth, datasets)),
            "code": (entry.code or None) if entry else None,
            "organisation": (entry.organisation or None) if entry else None,
            "peak_memory": int(peak) if peak > 0 else None,
            "kernel_seconds": speed_of(joint_machines(manifests)),
            "datasets": datasets,
            "problems": int(problems[label]),
            "date": (entry.date if entry else "") or next(iter(noted), None),
        }
    return pd.DataFrame.from_dict(rows, orient="index", dtype=object)


def _joined(
    stores: Sequence[Store], version: str, metrics: Sequence[Requested]
) -> tuple[Scores, list[str]]:
    """Score the added stores on the clock of the first; return notes about them.

    A version that is named must be in one of them; the others show their newest one.
    """
    known = [store.versions({"split": "test"}) for store in stores]
    has = [any(version in each for each in one.values()) for one in known]
    parts: list[Scores] = []
    notes = mixed_notes(stores)
    for store, versions, has_it in zip(stores, known, has, strict=True):
        wanted = version if has_it or not any(has) or version == ALL else NEWEST
        chosen = chosen_versions(store, "test", wanted)
        for method, every in versions.items():
            hidden = [one for one in every if one not in chosen[method]]
            if hidden:
                notes.append(
                    f"{method} is shown in version {', '.join(chosen[method])}; also "
                    f"in the store: {', '.join(hidden)} (--version)"
                )
        scores = score_store(store, metrics=metrics, version=wanted)
        if parts:
            scores, note = on_clock_of(
                stores[0].manifest, scores, store.manifest, f"runs of {store.path}"
            )
            notes += [note] if note else []
        parts.append(scores)
    joined = parts[0]
    for store, scores in zip(stores[1:], parts[1:], strict=True):
        joined = joined.join(scores, os.fspath(store), own=True)
    return joined, list(dict.fromkeys(notes))


def standings(
    scores: Scores,
    metric: str,
    notes: Sequence[str] = (),
    reference: str | None = None,
    stores: Mapping[str, Sequence[Store]] | None = None,
    entries: Mapping[str, Entry] | None = None,
) -> Leaderboard:
    """Order the methods of a table of scores.

    All datasets have the same weight. Only datasets that all methods have are averaged
    over, as in the ranks; where there is none, each method is averaged over its own.
    The `stores` of each origin say how methods were tuned.
    """
    scores.check_metric(metric)
    if reference is not None:
        reference = only_label(scores, reference)
    compared = compare(scores, metric, reference=reference)
    efforts = tuning_effort(scores, stores or {})
    counts = compared.counts()
    grouped = scores.table.groupby("label", observed=True)
    ranked = ranks(scores, metric)
    common = scores.only(datasets=ranked.datasets_used or None)
    intervals = overall_intervals(scores, metric).set_index("label")
    seeds = seed_spread(common, metric)
    ours = [name for name in METHODS.added() if name not in PAPER_METHODS]
    free = [name for name in ours if not method_info(name).parameters]
    prom = "subspace_prom_" if metric in SUBSPACE_METRICS else "prom_"
    table = pd.DataFrame(
        {
            "origin": grouped["origin"].first(),
            "added": grouped["own"].first(),
            "extra": grouped["method"].first().isin(ours),
            "no_parameters": grouped["method"].first().isin(free),
            **{name: intervals[name] for name in ("low", "high")},
            **{
                column: common.means(name).mean()
                if name in common.metrics
                else math.nan
                for column, name in (
                    ("mean", metric),
                    ("precision", f"{prom}precision"),
                    ("recall", f"{prom}recall"),
                    ("macro_f1", f"{prom}macro_f1"),
                )
            },
            "seeds": seeds["seeds"],
            "seed_sd": seeds["sd"],
            "average_rank": ranked.average,
            "seconds": method_seconds(scores),
            "failed": grouped["status"].agg(lambda status: int((status != "ok").sum())),
        }
    )
    table["group"] = [compared.letters.get(label, UNKNOWN) for label in table.index]
    for place, name in enumerate(("worse", "better")):
        table[name] = [counts.get(label, (0, 0))[place] for label in table.index]
    falling = scores.higher_is_better(metric)
    table = table.sort_values("mean", ascending=not falling, kind="stable")
    rounded = table["mean"].round(DECIMALS)  # what is equal shares a place
    table["place"] = rounded.rank(ascending=not falling, method="min")
    problems = scores.table.groupby("dataset", observed=True)["problem"].nunique()
    said = [
        f"{counted(len(scores.datasets), 'dataset')}, "
        f"{counted(int(problems.sum()), 'problem')}; intervals: 95 %, bootstrap over "
        f"problems; s/run: processor time of a successful run",
        *(
            f"{columns}{note}"
            for columns, note in zip(
                ANSWERS[bool(compared.reference)], compared.notes, strict=False
            )
        ),
        *notes,
        *([effort_note(efforts)] if stores else []),
        *(f"{name} was left out: {why}" for name, why in compared.left_out.items()),
    ]
    single = [str(name) for name, count in problems.items() if count == 1]
    if single:
        said.append(f"no intervals, since these have one problem: {', '.join(single)}")
    if (table["seeds"] > 1).any():
        said.append(
            f"{SHOWN['seed_sd'][0]}: standard deviation of {metric} over the seeds of "
            f"a method; its scores are means over them"
        )
    table["added"] &= not scores.table["own"].all()
    if (table["extra"] & ~table["added"]).any():
        said.append("+ extra: not in the comparison of the paper")
    own = own_labels(scores)
    table["own"] = [label in own for label in table.index]
    table["comparable"] = pd.Series(comparable_times(scores))
    table = table.rename_axis("label").reset_index()
    facts = entry_facts(scores, stores or {}, entries, efforts)
    return Leaderboard(table, metric, tuple(said), compared, facts, efforts)
