"""Progress in a notebook, by an IPython that is made up."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from tsmdbench.experiments import notebook
from tsmdbench.experiments.notebook import Notebook, notebook_progress
from tsmdbench.experiments.progress import Quiet


@pytest.fixture
def shown(monkeypatch):
    """What a notebook would show, the latest last."""
    texts = []
    handle = SimpleNamespace(update=lambda html: texts.append(html))

    def display(html, display_id):
        assert display_id is True
        texts.append(html)
        return handle

    ipython, module = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: SimpleNamespace(kernel=object())
    module.HTML, module.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    monkeypatch.setattr(notebook, "EVERY", 0.0)
    return texts


def test_a_line_is_updated_and_kept_at_the_end(shown):
    progress = notebook_progress()
    assert isinstance(progress, Notebook)
    progress.say("took over from <somebody>")
    progress.begin("runs", 10, 2)
    progress.advance(4, 1)
    assert 'max="10" value="6"' in shown[-1]
    assert "runs: 6 of 10 runs" in shown[-1]
    assert "1 failed" in shown[-1]
    assert "&lt;somebody&gt;" in shown[-1]
    progress.advance(4, 0)
    progress.end()
    assert "<progress" not in shown[-1]
    assert "runs: 10 of 10 runs" in shown[-1]


def test_nothing_is_shown_outside_a_notebook(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert type(notebook_progress()) is Quiet
    terminal = ModuleType("IPython")
    terminal.get_ipython = lambda: SimpleNamespace()
    monkeypatch.setitem(sys.modules, "IPython", terminal)
    assert type(notebook_progress()) is Quiet
