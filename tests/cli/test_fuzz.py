"""No command line ends in a traceback or an internal error."""

import pytest

from tests.cli.fuzzing import command_lines, write_files
from tsmdbench.cli import main
from tsmdbench.cli.failures import INTERNAL


def tracebacks(lines, capfd):
    """Run command lines; return those that end in anything but one sentence."""
    bad = []
    for line in lines:
        try:
            status = main(line)
        except BaseException as error:  # noqa: BLE001 (nothing may come out)
            bad.append((line, repr(error)))
            continue
        said = capfd.readouterr()
        if status == INTERNAL or "Traceback" in said.err:
            bad.append((line, said.err[-300:]))
    return bad


@pytest.fixture
def files(tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "files").mkdir()
    monkeypatch.setenv("TSMDBENCH_DATA", str(tmp_path / "files"))
    monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("tsmdbench.datasets.archive.download", no_network)
    return write_files(tmp_path / "files")


def no_network(name, **_):
    from tsmdbench.errors import DownloadError

    raise DownloadError(f"{name}: no network in tests")


@pytest.mark.filterwarnings("ignore")
def test_no_traceback_in_a_few_command_lines(files, tmp_path, capfd):
    lines = command_lines(1, 100, files, str(tmp_path / "out"))
    assert tracebacks(lines, capfd) == []


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_no_traceback_in_many_command_lines(files, tmp_path, capfd):
    lines = command_lines(2, 2000, files, str(tmp_path / "out"))
    assert tracebacks(lines, capfd) == []
