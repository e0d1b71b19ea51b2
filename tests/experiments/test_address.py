"""Wrong addresses of schedulers are one sentence, at once."""

import socket

import pytest

from tests.experiments.driving import asked
from tsmdbench.errors import ExperimentError, InputError
from tsmdbench.experiments.cluster import check_address
from tsmdbench.experiments.running import run_specification


@pytest.mark.parametrize(
    "address",
    [
        *("", "x", "tcp://", "tcp://host", "tcp://host:0", "tcp://host:x"),
        *("tcp://h:99999", "http://host:1", ":8786", "tcp://[::1:8786"),
        *("tcp://h\udcff:1", "inproc://a/1"),
    ],
)
def test_what_is_no_address_is_refused_before_anything_is_made(tmp_path, address):
    with pytest.raises(InputError, match="must be written like tcp://host:8786"):
        run_specification(asked("Mock"), tmp_path / "store", scheduler=address)
    assert not (tmp_path / "store").exists()


def test_addresses_have_host_and_port():
    assert check_address("tls://[::1]:8786") == ("::1", 8786)


def test_an_address_where_nobody_listens_is_told_at_once(tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ExperimentError, match="no Dask scheduler answers"):
            run_specification(
                asked("Mock", limit=1), tmp_path / "store", scheduler=address
            )
