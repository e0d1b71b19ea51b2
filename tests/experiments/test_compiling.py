"""A run tells that it compiles, and how far that is."""

from tsmdbench.experiments.results import CompileWatch, Progress


class Recorder(Progress):
    def __init__(self):
        self.said = []

    def say(self, sentence):
        self.said.append(sentence)


def test_functions_that_appear_are_counted(tmp_path):
    (tmp_path / "before.nbi").touch()
    told = Recorder()
    watch = CompileWatch(told, tmp_path, every=0.0)
    watch.look()
    assert told.said == []
    (tmp_path / "distance").mkdir()
    for name in ("a.nbi", "a.1.nbc", "b.nbi"):
        (tmp_path / "distance" / name).touch()
    watch.look()
    watch.look()
    assert len(told.said) == 1
    assert told.said[0].endswith("2 functions so far")
    assert "only the first time" in told.said[0]


def test_sentences_do_not_follow_each_other_at_once(tmp_path):
    told = Recorder()
    watch = CompileWatch(told, tmp_path, every=3600.0)
    for name in ("a.nbi", "b.nbi"):
        (tmp_path / name).touch()
        watch.look()
    assert len(told.said) == 1


def test_a_folder_that_is_not_there_is_no_error(tmp_path):
    told = Recorder()
    CompileWatch(told, tmp_path / "none", every=0.0).look()
    assert told.said == []
