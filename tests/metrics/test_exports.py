"""What ``tsmdbench.metrics`` exports: what users need, and nothing else."""

import tsmdbench
from tsmdbench import metrics


def test_public_names_exist_are_documented_and_sorted_once():
    assert len(set(metrics.__all__)) == len(metrics.__all__)
    for name in metrics.__all__:
        assert getattr(metrics, name).__doc__, name


def test_every_function_of_a_registered_metric_is_exported():
    for name, metric in metrics.METRICS.items():
        assert any(name.startswith(public) for public in metrics.__all__), name
        assert callable(metric.function)
    for name in ("METRICS", "evaluate", "evaluate_many", "explain", "prom"):
        assert getattr(tsmdbench, name) is getattr(metrics, name)
