"""Scripts in tools/ name files that exist."""

from pathlib import Path

import pytest
from tools import test_matrix as matrix

ROOT = Path(__file__).parents[1]
NAMED = {*matrix.CORE, *matrix.NEEDS_RUN_AND_REPORT, *matrix.QUICK}


@pytest.mark.parametrize("name", sorted(NAMED))
def test_every_test_of_the_matrix_exists(name):
    file, _, function = name.partition("::")
    assert (ROOT / file).exists()
    if function:
        function = function.partition("[")[0]
        assert f"def {function}(" in (ROOT / file).read_text("utf-8")
