"""Variants of the benchmark, how much they move results, and extrapolated costs."""

import numpy as np
import pandas as pd
import pytest

from tests.analysis.made import scores_of
from tests.experiments.driving import MOCKS, asked
from tsmdbench.analysis.scores import Scores
from tsmdbench.errors import InputError
from tsmdbench.experiments.running import run_specification
from tsmdbench.paper.robustness import Size, chosen_parameters, fit, moved, variants_of


def varied(means, variant, **options):
    made = scores_of(means, **options).table
    return made.assign(dataset=made["dataset"] + f"?{variant}")


def test_settings_are_those_of_the_runs(tmp_path):
    run_specification(asked("Mock", limit=1), tmp_path / "s", workers=1)
    params = chosen_parameters(tmp_path / "s")
    (settings,) = params[MOCKS + "Mock"]["datasets"].values()
    assert settings == {"length": 20, "max_sets": 1}
    wanted = variants_of(tmp_path / "s", limit=7, variants=("seed=1", "g_min=2"))
    assert [name.partition("?")[2] for name in wanted.datasets] == ["seed=1", "g_min=2"]
    assert wanted.limit == 7
    given = wanted.fixed_fields(MOCKS + "Mock", wanted.datasets[0])
    assert given == settings
    more = asked("Mock", limit=1, params={MOCKS + "Mock": {"length": 30}})
    run_specification(more, tmp_path / "s", workers=1)
    with pytest.raises(InputError, match="has several settings on"):
        chosen_parameters(tmp_path / "s")


def test_a_variant_that_is_the_same_moves_nothing():
    means = {"a": [0.1, 0.4, 0.3], "b": [0.5, 0.6, 0.2], "c": [0.3, 0.3, 0.1]}
    plain = scores_of(means, problems=9)
    (found,) = moved(plain, Scores(varied(means, "seed=1", problems=5)), limit=5)
    assert found.variant == "seed=1"
    assert found.tau == pytest.approx(1)
    assert found.means["difference"].abs().max() == pytest.approx(0)
    assert (found.means["rank"] == found.means["rank of variant"]).all()


def test_a_shift_is_seen_with_its_standard_error():
    means = {"a": [0.2] * 4, "b": [0.6] * 4}
    turned = {"a": [0.7] * 4, "b": [0.5] * 4}
    plain = scores_of(means, problems=100, noise=0.1)
    other = Scores(varied(turned, "leak=true", problems=100, noise=0.1, seed=1))
    (found,) = moved(plain, other, limit=100)
    assert found.tau == pytest.approx(-1)
    assert found.means.loc["a", "difference"] == pytest.approx(0.5, abs=0.04)
    # 400 problems on either side, standard deviation 0.1 each.
    expected = 0.1 * np.sqrt(2 / 400)
    assert found.means.loc["a", "standard error"] == pytest.approx(expected, rel=0.15)


def test_only_the_first_problems_of_the_benchmark_count():
    plain = scores_of({"a": [0.0], "b": [1.0]}, problems=10)
    table = plain.table.copy()
    table.loc[table["problem"] >= "005", "prom_f1"] = 0.5
    other = Scores(varied({"a": [0.0], "b": [1.0]}, "seed=2", problems=5))
    (found,) = moved(Scores(table), other, limit=5)
    assert found.means["difference"].abs().max() == 0


SIZES = {f"d{n}{c}": Size(n, c) for n in (100, 300, 1000, 3000) for c in (1, 4, 12)}


def seconds(power, width, noise=0.0):
    rng = np.random.default_rng(0)
    return pd.Series(
        {
            name: 1e-7 * s.n**power * s.channels**width * np.exp(noise * rng.normal())
            for name, s in SIZES.items()
        }
    )


@pytest.mark.parametrize(("power", "width"), [(1, 0), (2, 1), (1.5, 0.5)])
def test_powers_are_recovered(power, width):
    found = fit(seconds(power, width), SIZES, channels=True)
    assert found.length == pytest.approx(power)
    assert found.width == pytest.approx(width, abs=1e-9)
    assert found.spread == pytest.approx(1)
    expected = 1e-7 * 20_000**power * 6**width
    assert found.seconds(Size(20_000, 6)) == pytest.approx(expected)


def test_the_spread_is_that_of_the_data():
    assert fit(seconds(2, 0), SIZES, channels=False).width == 0
    found = fit(seconds(2, 1, noise=0.3), SIZES, channels=True)
    assert 1.15 < found.spread < 1.6
    for names in (["d1001"], ["d1001", "d1004", "d10012"]):
        with pytest.raises(InputError, match="at least four datasets"):
            fit(seconds(2, 1)[names], SIZES, channels=True)
