"""Fixtures of tests on archive data: a cache of their own, and small datasets."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_cache(request, tmp_path, monkeypatch):
    """Neither the user's cache nor the user's data may decide a test.

    Tests on real data share the cache of the test run: parsing takes seconds.
    """
    if "data_folder" not in request.fixturenames:
        monkeypatch.setenv("TSMDBENCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TSMDBENCH_DATA", raising=False)


@pytest.fixture
def write_dataset():
    """Return a function that writes instances as a dataset in .ts files."""
    return _write_dataset


def _write_dataset(folder: Path, name: str, parts, *, equal=True, digits=17):
    """Write ``{"TRAIN": (instances, labels), ...}``; instances are [length, d]."""
    (folder / name).mkdir(parents=True, exist_ok=True)
    classes = sorted({str(label) for _, labels in parts.values() for label in labels})
    for part, (instances, labels) in parts.items():
        univariate = instances[0].shape[1] == 1
        lines = [
            f"@problemName {name}",
            "@timeStamps false",
            "@missing false",
            f"@univariate {str(univariate).lower()}",
            f"@equalLength {str(equal).lower()}",
            f"@classLabel true {' '.join(classes)}",
            "@data",
        ]
        for instance, label in zip(instances, labels, strict=True):
            channels = [
                ",".join(f"{value:.{digits}g}" for value in channel)
                for channel in instance.T.tolist()
            ]
            lines.append(":".join([*channels, str(label)]))
        file = folder / name / f"{name}_{part}.ts"
        file.write_text("\n".join(lines) + "\n")
    return folder
