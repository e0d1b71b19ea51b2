"""Methods that fork, scribble, change their input or answer late do no harm."""

import numpy as np
import psutil
import pytest

from tests.experiments import mock_methods as mocks
from tsmdbench.experiments.execution.supervisor import AbandonedError, Supervisor
from tsmdbench.experiments.execution.task import Task
from tsmdbench.experiments.limits import Limits

SERIES = np.sin(np.arange(200.0)) + np.arange(200.0) % 7
MOCKS = "tests.experiments.mock_methods:"


@pytest.fixture(scope="module")
def supervisor():
    made = Supervisor(Limits(seconds=2.0, memory=400 * 2**20, grace=5.0))
    yield made
    made.stop()


def job(method, *settings):
    return Task(MOCKS + method, settings or ({},), SERIES)


def expected(method="Mock", **fields):
    sets = getattr(mocks, method)(**fields).find(SERIES.copy())
    return [np.asarray(motifs).tolist() for motifs in sets]


@pytest.mark.parametrize("how", ["os", "libc"])
@pytest.mark.parametrize("seconds", [0.0, 0.3])
def test_the_answer_of_a_forked_copy_is_never_taken(supervisor, how, seconds):
    """The copy answers at once, or while another method runs."""
    batch = [job("Forker", {"how": how, "seconds": seconds})]
    batch += [job("Sleeper", {"length": n, "seconds": 0.1}) for n in (12, 13, 14, 15)]
    first, *others = supervisor.run(batch)
    assert first[0].status == "error" or first[0].found == expected()
    for (outcome,), length in zip(others, (12, 13, 14, 15), strict=True):
        assert (outcome.status, outcome.found) == ("ok", expected(length=length))


def test_a_copy_that_outlives_its_process_does_not_delay_the_error(supervisor):
    ((outcome,),) = supervisor.run([job("Deserter")])
    assert (outcome.status, outcome.found) == ("error", [])
    assert "exited with status 4" in outcome.message


def test_writing_to_low_file_descriptors_misses_the_channel(supervisor):
    outcomes = supervisor.run([job("Scribbler"), job("Mock")])
    assert [each[0].found for each in outcomes] == [expected()] * 2


def test_writing_to_the_channel_is_an_error_of_who_did_it(supervisor):
    batch = [job("Mock"), job("Scribbler", {"highest": 65536}), job("Mock")]
    before, bad, after = (outcome for (outcome,) in supervisor.run(batch))
    assert before.found == after.found == expected()
    assert bad.status == "error"
    assert "wrote to a file descriptor" in bad.message


def test_writing_to_the_channel_later_harms_no_other_method(supervisor):
    batch = [job("Scribbler", {"highest": 65536, "seconds": 0.2})]
    batch += [job("Sleeper", {"seconds": 0.5}), job("Mock")]
    outcomes = [outcome for (outcome,) in supervisor.run(batch)]
    assert [outcome.status for outcome in outcomes] == ["ok"] * 3
    assert [outcome.found for outcome in outcomes] == [expected()] * 3


def test_closing_all_file_descriptors_is_an_error(supervisor):
    bad, after = (
        outcome for (outcome,) in supervisor.run([job("Closer"), job("Mock")])
    )
    assert bad.status == "error"
    assert after.found == expected()


@pytest.mark.parametrize("how", ["sort", "one", "shape"])
def test_changing_the_series_is_an_error(supervisor, how):
    bad, after = supervisor.run([job("Changer", {"how": how}), job("Mock")])
    assert bad[0].status == "error"
    assert "changed the series" in bad[0].message
    assert after[0].found == expected()


def test_settings_that_change_the_series_do_not_harm_the_others(supervisor):
    settings = [{"length": 8, "how": "no"}, {"length": 9}, {"length": 10, "how": "no"}]
    (outcomes,) = supervisor.run([job("Changer", *settings)])
    assert [outcome.status for outcome in outcomes] == ["ok", "error", "ok"]
    for place in (0, 2):
        assert outcomes[place].found == expected("Changer", **settings[place])


@pytest.mark.parametrize("inner", [False, True])
def test_a_result_that_is_computed_when_it_is_read_is_timed(supervisor, inner):
    ((outcome,),) = supervisor.run([job("Lazy", {"inner": inner})])
    assert outcome.status == "ok"
    assert outcome.seconds >= 0.2


def test_texts_of_exceptions_can_be_stored(supervisor):
    ((outcome,),) = supervisor.run([job("Surrogate")])
    assert outcome.message == "RuntimeError: caf\\udcc3 \\ud800"
    outcome.message.encode()
    ((mute,),) = supervisor.run([job("Unspeakable")])
    assert mute.message == "MuteError, whose text cannot be read"


def test_more_motifs_than_the_limit_are_an_error():
    limited = Supervisor(Limits(seconds=5.0, max_motifs=10))
    try:
        ((many,), (few,)) = limited.run([job("Flooder", {"count": 6}), job("Mock")])
    finally:
        limited.stop()
    assert many.status == "error"
    assert "6 sets with 6 motifs, more than the limit of 10" in many.message
    assert few.status == "ok"


def test_what_a_method_started_ends_with_the_supervisor(tmp_path):
    made = Supervisor(Limits(seconds=5.0))
    made.run([job("Starter", {"file": str(tmp_path / "pids")})])
    started = [int(line) for line in (tmp_path / "pids").read_text().split()]
    assert all(psutil.pid_exists(pid) for pid in started)
    made.stop()
    _, alive = psutil.wait_procs(
        [psutil.Process(pid) for pid in started if psutil.pid_exists(pid)], timeout=5
    )
    assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]


def test_a_run_that_nobody_waits_for_is_ended():
    made = Supervisor(Limits(seconds=60.0), lambda: False)
    try:
        with pytest.raises(AbandonedError):
            made.run([job("Sleeper", {"seconds": 30.0})])
    finally:
        made.stop()
