"""Repeats with several seeds: the explorer shows each, everything else their mean."""

import json
import re

import numpy as np
import pytest

from tests.report.page.conftest import working_in
from tests.report.page.making import make_problem, spoiled, write_problems
from tsmdbench.analysis.scores import score_store
from tsmdbench.experiments.rows import Outcome, Run
from tsmdbench.experiments.store import Store, StoreWriter
from tsmdbench.html_text import fragment
from tsmdbench.metrics import prom
from tsmdbench.report.page import page

SEEDS = (0, 2, 10)


@pytest.fixture(scope="module")
def repeated(tmp_path_factory):
    """A random method with three seeds, of which one fails once, and another one."""
    folder = tmp_path_factory.mktemp("seeds")
    rng = np.random.default_rng(5)
    problems = [make_problem(rng, f"alpha/test/{k:03d}") for k in range(3)]
    with StoreWriter(folder / "store") as writer:
        for problem in problems:
            for seed in reversed(SEEDS):
                fields = json.dumps({"l": 5, "seed": seed})
                run = Run("mine", "1", fields, "alpha", "test", problem.name)
                found = spoiled(rng, problem, 0.6)
                outcome = Outcome("ok", 0.1, 0.1, 10, found=found)
                if (seed, problem) == (10, problems[2]):
                    outcome = Outcome("error", 0.1, 0.1, 10, message="too bad")
                writer.add([run.row(outcome)])
            run = Run("emma", "1", "{}", "alpha", "test", problem.name)
            found = spoiled(rng, problem, 0.9)
            writer.add([run.row(Outcome("ok", 0.1, 0.1, 10, found=found))])
    store = Store(folder / "store")
    with working_in(folder):
        write_problems(folder, {"alpha": problems})
        text = page(score_store(store), store, figures=[])
    (folder / "index.html").write_text(text, encoding="utf-8")
    return store, problems, folder / "index.html"


def f1_of(store, problem, seed):
    rows = store.table(None, {"method": "mine", "problem": problem.name}).to_pylist()
    (row,) = [r for r in rows if json.loads(r["parameters"])["seed"] == seed]
    return prom(dict(problem.truth), row["found"] or []).f1


def test_failures_of_every_seed_are_listed(repeated):
    text = repeated[2].read_text(encoding="utf-8")
    assert re.search(r"<b>12</b> runs.*<b>1</b> failed", text)
    assert "too bad" in text


def test_the_explorer_shows_the_seed_that_is_chosen(repeated, look):
    store, problems, file = repeated
    tab = look(file.as_uri() + fragment("explore", "alpha", "mine", problems[1].name))
    seed = tab.locator("[name=seed]")
    assert seed.locator("option").all_inner_texts() == ["0", "2", "10"]
    shown = set()
    for name in SEEDS:
        seed.select_option(label=str(name))
        tab.wait_for_selector(f"[data-seeds='3']:has-text('Seed {name}, one of 3')")
        tab.wait_for_selector("#explore[data-ready]")
        f1 = tab.locator("article [data-number=F1]").first.inner_text()
        assert float(f1) == pytest.approx(f1_of(store, problems[1], name), abs=5e-4)
        assert f"(seed {name})" in tab.locator("figure.strip figcaption").inner_text()
        shown.add(f1)
    assert len(shown) > 1
    assert tab.url.endswith("/2")  # the place of the seed, in the address
    assert '"seed"' not in tab.locator("article").first.inner_text()


def test_an_address_leads_to_a_seed(repeated, look):
    _, problems, file = repeated
    parts = ("alpha", "mine", problems[2].name, "emma", "2")
    tab = look(file.as_uri() + fragment("explore", *parts))
    assert "Seed 10, one of 3" in tab.locator("article").first.inner_text()
    assert "too bad" in tab.locator("article").first.inner_text()
    assert tab.locator("article").nth(1).locator("[data-seeds]").count() == 0
    tab.locator("[name=method]").select_option(label="emma")
    tab.locator("[name=other]").select_option(label="nothing")
    tab.wait_for_selector("#explore[data-ready]")
    assert not tab.locator("[name=seed]").is_visible()
