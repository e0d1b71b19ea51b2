"""Commands as a person types them."""

import pytest

from tsmdbench.cli import main


@pytest.fixture
def cli(capsys):
    """Run a command that ends with a status; return what it printed."""

    def run(*words, status=0):
        ended = main([str(word) for word in words])
        printed = capsys.readouterr()
        assert ended == status, printed.err
        return printed

    return run
