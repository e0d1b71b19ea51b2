"""Methods that need an extra are tested where it is installed."""

from importlib.util import find_spec

import pytest

DETECTOR = "random_walk_detector"


def pytest_collection_modifyitems(items):
    """Skip what runs the random-walk detector, which needs statsmodels, without it."""
    if find_spec("statsmodels"):
        return
    skip = pytest.mark.skip("statsmodels is not installed (the extra 'archive')")
    for item in items:
        given = getattr(item, "callspec", None)
        values = given.params.values() if given else ()
        if DETECTOR in item.name or DETECTOR in map(str, values):
            item.add_marker(skip)
