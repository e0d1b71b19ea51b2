"""Progress in a notebook, by an IPython that is made up."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from tsmdbench.experiments import Progress
from tsmdbench.experiments.results import notebook_progress


@pytest.mark.parametrize("kernel", [False, True])
def test_progress_is_shown_in_a_notebook_and_nowhere_else(monkeypatch, capsys, kernel):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert type(notebook_progress()) is Progress
    ipython = ModuleType("IPython")
    shell = SimpleNamespace(kernel=object()) if kernel else SimpleNamespace()
    ipython.get_ipython = lambda: shell
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)  # so: no bar
    monkeypatch.setattr("tsmdbench.experiments.results.find_spec", lambda _: None)
    progress = notebook_progress()
    progress.say("took over from <somebody>")
    progress.begin("runs", 10, 2)
    progress.advance(8, 1)
    progress.end()
    shown = capsys.readouterr().out.splitlines()
    if kernel:
        assert shown[:2] == [
            "took over from <somebody>",
            "runs: 10 runs, 2 stored already",
        ]
        assert shown[2].startswith("runs: 10/10 (")
        assert shown[2].endswith(", 1 failed)")
    else:
        assert shown == []
