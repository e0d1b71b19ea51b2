"""The public names: each can be imported, is documented, and stands in one list.

A change of the API is a change of `PUBLIC`.
"""

import ast
import importlib
import pkgutil
import types
import warnings
from pathlib import Path

import pytest
from tools.docs import reference

import tsmdbench
from tsmdbench import METHODS, METRICS, metrics

PUBLIC = {
    "tsmdbench": """
        METHODS METRICS InputError InputTypeError MotifSet Problem __version__
        build_benchmark discover evaluate evaluate_many explain leaderboard
        load_benchmark prom run
    """,
    "tsmdbench.metrics": """
        METRICS Averages Explanation FoundMotif Metric Prom PromCurve Scorecard
        SetRelation TrueMotif check_metric correctness evaluate evaluate_many explain
        pair_overlap prom prom_curve ranged score single_set subspace_prom
        subspace_prom_curve
    """,
    "tsmdbench.methods": """
        APEPA EMMA LAMA METHODS PEPA STOMP VALMOD VONSEM Auto ContractError
        ContractReport GVRePair GVSequitur LatentMotifs LoCoMotif
        MDLClust MMotifs Method MethodInfo Motiflets MrMotif PanMP
        SetFinder SubGVRePair SubLatentMotifs SubLoCoMotif SubMotiflets SubSetFinder
        SubspaceMerge check_method declare draw_found
        planted_problem
    """,
    "tsmdbench.methods.grammar": """
        Grammar Rule infer
    """,
    "tsmdbench.archive": """
        Dataset Place Properties describe_dataset load locate
    """,
    "tsmdbench.benchmark": """
        DATASETS DIALS RECORDINGS_SUITE SHIFTED_SUITE SPLITS SUBSPACE_SUITE
        Benchmark DataCard Difficulty Noise OverviewRow Recordings
        add_noise build_benchmark check_benchmarks data_card
        dial_problem from_annotations load_benchmark load_dials load_recordings
        load_recordings_suite overview
        read_instances read_problems
        write_benchmarks
    """,
    "tsmdbench.experiments": """
        PAPER_METHODS PRESETS DataFacts Environment Limits Progress RunResult
        Specification Store
        Summary
        data_facts experiment extra_methods load_problems merge_stores obtainable
        preset_params progress_for resume run run_specification
    """,
    "tsmdbench.analysis": """
        Agreement Comparison Disagreement Leaderboard ProtocolGain Ranks Scores
        Significance Stability agreement bayesian_signed_rank breaking_points compare
        cost
        dataset_properties dial_scores disagreements error_costs intervals
        leaderboard leave_one_out load_baselines method_seconds
        overall_intervals pareto property_correlations protocol_gains ranks
        score_store seed_spread significance summary time_and_quality
    """,
    "tsmdbench.paper": """
        RandomWalkDetector Reproduction random_walk_problem reproduce
    """,
    "tsmdbench.report": """
        Drawn Table Written all_tables box_figure breaking_figure
        cost_figure
        critical_difference_figure disagreement_figure drawn_figures heat_map_figure
        kendall_figure read_surfaces stability_figure time_quality_figure
        tuning_figure write_report
    """,
    "tsmdbench.view": "view_page",
    "tsmdbench.io": """
        Annotations Gap MotifFormat Recording SeriesFormat as_recording
        from_frame from_leitmotifs from_locomotif from_motiflets from_sample_labels
        from_stumpy motif_formats read_annotations read_motif_sets read_recording
        read_series series_formats split_at_missing write_atomically write_motif_sets
    """,
    "tsmdbench.errors": """
        DataError DownloadError ExperimentError InputError InputTypeError
        InternalError MissingExtraError StoreError TsmdbenchError UnknownNameError
    """,
    "tsmdbench.example": """
        example_path write_example
    """,
}
NAMES = [(package, name) for package, names in PUBLIC.items() for name in names.split()]
LAZY = [
    name for name in PUBLIC if hasattr(importlib.import_module(name), "__getattr__")
]


def test_public_names_are_those_of_the_list_and_documented():
    for package, names in PUBLIC.items():
        module = importlib.import_module(package)
        assert sorted(module.__all__) == sorted(names.split()), package
        with pytest.raises(AttributeError, match=f"'{package}' has no attribute 'no'"):
            module.no  # noqa: B018
        for name in names.split():
            made = getattr(module, name)
            constant = isinstance(made, str | tuple | METHODS.__class__)
            assert constant or (made.__doc__ and made.__doc__.strip()), name
            assert not isinstance(made, types.ModuleType), name


def test_the_reference_documents_the_public_names():
    assert sorted(reference.documented()) == sorted(NAMES)


def test_constants_are_told_of():
    made = {n: getattr(importlib.import_module(p), n) for p, n in NAMES}
    plain = {
        name for name in made if isinstance(made[name], tuple | dict | type(METHODS))
    }
    assert plain == {name for _, name in reference.constants()}


def test_every_package_is_public_or_private_by_name():
    packages = {
        f"tsmdbench.{module.name}"
        for module in pkgutil.iter_modules(tsmdbench.__path__)
        if module.ispkg and not module.name.startswith("_")
    }
    # The public names of datasets are in tsmdbench.archive and tsmdbench.benchmark.
    assert packages - set(PUBLIC) == {"tsmdbench.cli", "tsmdbench.datasets"}


def test_names_that_are_imported_late():
    """No module takes the place of such a name, and type checkers see all of them."""
    for package in LAZY:
        module = importlib.import_module(package)
        assert dir(module) == sorted(module.__all__)
        modules = {found.name for found in pkgutil.iter_modules(module.__path__)}
        assert modules & set(module.__all__) == set()
        tree = ast.parse(Path(module.__file__).read_text())
        (block,) = [node for node in tree.body if isinstance(node, ast.If)]
        lines = [line for line in block.body if isinstance(line, ast.ImportFrom)]
        seen = {(line.module, name.name) for line in lines for name in line.names}
        bound = {name for name in module.__all__ if name in vars(module)}
        late = set(module.__all__) - bound - {"__version__"}
        assert {name for _, name in seen} == late
        for place, name in seen:
            found = getattr(importlib.import_module(place), name)
            assert found is getattr(module, name)


def test_every_method_can_be_imported_by_its_class_name():
    for name, cls in METHODS.items():
        package = importlib.import_module(cls.__module__.rpartition(".")[0])
        assert getattr(package, cls.__name__) is cls, name
        assert cls.__name__ in package.__all__


def test_every_function_of_a_registered_metric_is_exported():
    for name, metric in METRICS.items():
        assert any(name.startswith(public) for public in metrics.__all__), name
        assert callable(metric.function)


def test_nothing_of_ours_uses_what_is_deprecated():
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        for package, name in NAMES:
            getattr(importlib.import_module(package), name)
