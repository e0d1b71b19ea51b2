"""``tsmdbench view --serve``: saving to a file, what is never lost, and who may not."""

import http.client
import json
import os
import re
import signal
import stat
import subprocess
import sys
from urllib.parse import urlsplit

import numpy as np
import pytest

from tests.view.making import TRUTH, N, make_recording
from tsmdbench.cli import main
from tsmdbench.io import read_annotations

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
MAX_BODY = 64 * 2**20
SAVED = re.compile("^Saved ")


class Served:
    """A page that is served for a truth file, and requests to it."""

    def __init__(self, folder, truth, options=()):
        self.file = folder / truth
        command = [sys.executable, "-m", "tsmdbench", "view", "walk.csv", "--serve"]
        self.process = subprocess.Popen(
            [*command, "--truth", truth, *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
        )
        self.url = self.process.stdout.readline().removeprefix("open ").strip()
        self.place = urlsplit(self.url)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate()

    def ask(self, method="GET", path=None, body=None, **headers):
        connection = http.client.HTTPConnection(self.place.netloc, timeout=10)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path or self.place.path, body, given)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer, data

    def post(self, sets, version="", **headers):
        listed = [{"label": label, "segments": pairs} for label, pairs in sets.items()]
        body = json.dumps({"version": version, "sets": listed})
        headers = {"Content_Type": "application/json"} | headers
        answer, data = self.ask("POST", f"{self.place.path}save", body, **headers)
        return answer.status, json.loads(data)

    @property
    def shown(self):
        """Version and sets of the page as it is loaded now."""
        text = self.ask()[1].decode()
        block = text.split('<script type="application/json" id="data">')[1]
        facts = json.loads(block.split("</script>")[0])
        return facts["save"]["version"], {
            item["label"]: [tuple(pair) for pair in item["segments"]]
            for item in facts["truth"]
        }


def write_series(folder):
    values = np.asarray(make_recording())
    rows = [f"{k / 100},{','.join(map(str, row))}" for k, row in enumerate(values)]
    (folder / "walk.csv").write_text("\n".join(["seconds,x,y,z", *rows]))


@pytest.fixture
def serve(tmp_path):
    """Serve truth files in a folder with a series."""
    write_series(tmp_path)
    started = []

    def start(truth="truth.json", content=None, options=()):
        if content is not None:
            (tmp_path / truth).write_bytes(content.encode())
        started.append(Served(tmp_path, truth, options))
        return started[-1]

    yield start
    for served in started:
        served.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose file is never written."""
    folder = tmp_path_factory.mktemp("served")
    write_series(folder)
    made = Served(folder, "truth.json")
    yield made
    assert not made.file.exists()
    assert "saved 0 times" in made.stop()[0]


def test_page_is_served_to_the_right_address_only(server):
    answer, data = server.ask()
    assert answer.status == 200
    assert b"connect-src 'self'" in data
    assert answer.getheader("Cache-Control") == "no-store"
    assert answer.getheader("X-Frame-Options") == "DENY"
    token = server.place.path.strip("/")
    assert len(token) >= 32
    near = f"/{token[:-1]}{'A' if token[-1] != 'A' else 'B'}/"
    for path in ("/", "/wrong/", near, f"/{token}/etc", "/%C3%A9"):
        wrong, data = server.ask(path=path)
        assert wrong.status == 404
        assert b"4000" not in data
    assert server.place.hostname == "127.0.0.1"


def test_other_sites_are_refused(server):
    hosts = [{"Host": name} for name in ("evil.example", "evil.example:80")]
    origins = ("http://evil.example", "null", "https://127.0.0.1")
    for headers in (*hosts, *({"Origin": origin} for origin in origins)):
        assert server.ask(**headers)[0].status == 403, headers
        status, answer = server.post(TRUTH, **headers)
        assert (status, answer["error"]) == (403, "This is another site."), headers


WRONG = (
    ({"a": [[0, 10], [5, 20]]}, "must not overlap"),
    ({"a": [[0, 10]], "b": [[9, 20]]}, "must not overlap"),
    ({"a": [[0, N + 1]]}, "ends beyond the series"),
    ({"a": [[-1, 5]]}, "Not saved"),
    ({"a": [[3, 3]]}, "Not saved"),
    ({"a": [[0.5, 3]]}, "Not saved"),
    ({"a": [["x", 3]]}, "Not saved"),
    ({"a": "xx"}, "not an annotation"),
    ({"a": [7]}, "Not saved"),
    ({"a\0b": [[0, 10]]}, "a text file cannot hold"),
    ({"a\ud800": [[0, 10]]}, "a text file cannot hold"),
)
MALFORMED = ("", "{", "[]", "3", '{"version": 1, "sets": []}', '{"version": ""}')
MALFORMED += ("[" * 9999, '{"version": "\\ud800", "sets": []}')


def test_wrong_requests_are_refused(server):
    for sets, says in WRONG:
        status, answer = server.post(sets)
        assert status == 400
        assert says in answer["error"]
    path = f"{server.place.path}save"
    for body in MALFORMED:
        answer, data = server.ask("POST", path, body, Content_Type="application/json")
        assert answer.status == 400
        assert "not an annotation" in json.loads(data)["error"]
    # Large and foreign bodies are not read.
    for length, status in (
        (str(MAX_BODY + 1), 413),
        ("9" * 40, 413),
        ("-1", 411),
        ("x", 411),
    ):
        headers = {"Content_Type": "application/json", "Content_Length": length}
        assert server.ask("POST", path, None, **headers)[0].status == status
    assert server.ask("POST", path, "{}", Content_Type="text/plain")[0].status == 415


def test_only_the_version_that_was_read_is_replaced(serve):
    server = serve()
    status, answer = server.post({"a": [[0, 10]], "b": []})
    assert status == 200
    assert json.loads(server.file.read_text()) == {"a": [[0, 10]]}  # b is empty
    status, again = server.post({"a": [[5, 10]]}, answer["version"])
    assert status == 200
    # A page that was opened earlier is offered what the file holds.
    for version in ("", answer["version"], "nonsense"):
        status, refused = server.post({"a": [[7, 10]]}, version)
        assert status == 409
        assert "was changed by another program or page" in refused["error"]
        assert refused["version"] == again["version"]
        assert refused["sets"] == [{"label": "a", "segments": [[5, 10]]}]
    # Another program changes the file: loading the page shows that.
    server.file.write_text('{"c": [[1, 2]]}')
    assert server.post({"a": [[7, 10]]}, again["version"])[0] == 409
    version, sets = server.shown
    assert sets == {"c": [(1, 2)]}
    assert server.post({"c": [[1, 3]]}, version)[0] == 200
    # What cannot be read is neither shown nor replaced, and the server goes on.
    server.file.write_text("{")
    answer, page = server.ask()
    assert answer.status == 409
    assert b"malformed JSON" in page
    status, refused = server.post({"a": [[7, 10]]}, version)
    assert status == 409
    assert "sets" not in refused
    assert server.file.read_text() == "{"
    assert "saved 3 times" in server.stop()[0]


def test_the_file_stays_what_it_is(serve, tmp_path):
    real = tmp_path / "real.json"
    real.write_text('{"a": [[0, 10]]}')
    real.chmod(0o640)
    (tmp_path / "truth.json").symlink_to("real.json")
    server = serve()
    version, _ = server.shown
    assert server.post({"a": [[0, 20]]}, version)[0] == 200
    assert server.file.is_symlink()
    assert json.loads(real.read_text()) == {"a": [[0, 20]]}
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    # Something else takes its place: one sentence each time.
    server.file.unlink()
    os.mkfifo(server.file)
    for kind in ("not a regular file", "is a folder"):
        answer, page = server.ask()
        assert answer.status == 409
        assert kind in page.decode()
        status, refused = server.post({"a": [[0, 30]]}, version)
        assert status == 400
        assert kind in refused["error"]
        server.file.unlink() if server.file.is_fifo() else server.file.rmdir()
        server.file.mkdir()
    server.file.rmdir()
    version, sets = server.shown
    assert (version, sets) == ("", {})
    assert server.post({"a": [[0, 30]]})[0] == 200


GRID = '''File type = "ooTextFile"
Object class = "TextGrid"

0 50 <exists> 3
"IntervalTier" "words" 0 50 2  0 7.123456789012 "a ""b""" 7.123456789012 50 ""
"TextTier" "clicks" 0 50 1  3.5 "click"
"IntervalTier" "waves" 0 50 3  0 5 "" 5 7 "wave" 7 50 ""
'''


def test_other_tiers_of_a_textgrid_are_kept(serve):
    server = serve("t.TextGrid", GRID, ["--tier", "waves"])
    version, sets = server.shown
    assert sets == {"wave": [(500, 700)]}
    status, answer = server.post({"wave": [[500, 700]], "up": [[800, 900]]}, version)
    assert status == 200
    text = " ".join(server.file.read_text().split())
    assert '"words" 0 50 2 0 7.123456789012 "a ""b""" 7.123456789012 50 ""' in text
    assert '"TextTier" "clicks" 0 50 1 3.5 "click"' in text
    read = read_annotations(server.file, tier="waves", recording=make_recording())
    assert read.sets == {"wave": [(500, 700)], "up": [(800, 900)]}
    assert server.shown == (answer["version"], read.sets)


def test_facts_beside_the_sets_are_kept(serve):
    facts = {"method": "EMMA", "settings": {"length": 30}, "source": "walk.csv"}
    sets = {"units": "s", "rate": 100.0, "sets": {"set 1": [[1.0, 2.0]]}}
    server = serve(content=json.dumps(facts | sets))
    version, shown = server.shown
    assert shown == {"set 1": [(100, 200)]}
    assert server.post({"set 1": [[100, 210]]}, version)[0] == 200
    assert server.shown[1] == {"set 1": [(100, 210)]}
    saved = json.loads(server.file.read_text())
    assert {name: saved[name] for name in facts} == facts


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.csv", "set,start,end,comment\na,0,10,clear\n", "columns left out: comment"),
        ("t.csv", "# by Ada\nset,start,end\na,0,10\n", "header must be set,start,end"),
        ("t.audacity", "0\t1\ta\n\\\t100\t2000\n", "1 spectral selection left out"),
        ("t.elan", "w\t00:00:01.0\t00:00:02.0\ta\n", "holds more than motif sets"),
        ("t.TextGrid", GRID, "choose one with tier"),
        ("t.TextGrid", GRID.replace("clicks", "waves ! 1"), "choose one with tier"),
        (
            "t.json",
            '[{"id": 1, "data": {}, "annotations": [{"result": [{"type": '
            '"timeserieslabels", "value": {"start": "0 s", "end": "1 s", '
            '"timeserieslabels": ["a"]}}]}]}]',
            "holds more than motif sets",
        ),
        ("t.json", '{"a\\ud800": [[0, 10]]}', "a text file cannot hold"),
        ("t.csv", 'set,start,end\n"a\0",0,10\n', "binary"),
    ],
)
def test_what_saving_would_lose_is_refused_before_the_first_edit(
    tmp_path, monkeypatch, capsys, name, content, says
):
    def serve(*_, **__):
        raise AssertionError("the file is served")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tsmdbench.view.server.ViewServer", serve)
    write_series(tmp_path)
    file = tmp_path / name
    file.write_bytes(content.encode())
    assert main(["view", "walk.csv", "--serve", "--truth", name]) == 2
    said = capsys.readouterr().err
    assert says in said.splitlines()[-1]
    assert "Traceback" not in said
    assert file.read_bytes() == content.encode()


def test_labels_come_back_as_they_are_or_are_not_saved(serve):
    server = serve("t.audacity", "0\t1\ta\n")
    before = server.file.read_bytes()
    version, _ = server.shown
    for label in ("a  b", " a", "a\nb", "a\tb"):
        status, answer = server.post({label: [[0, 10]]}, version)
        assert status == 400
        assert "cannot hold these sets and labels exactly; choose" in answer["error"]
        assert server.file.read_bytes() == before


def test_page_saves_and_shows_what_was_saved(serve, look):
    server = serve(content=json.dumps(TRUTH))
    tab = look(server.url, allow=[server.url])
    assert tab.page.locator("#save-format").is_hidden()
    tab.click(1600)
    tab.keys("Delete", "t", "Control+s")
    tab.page.locator("#status", has_text=SAVED).wait_for()
    assert tab.status.endswith("Left out 1 set without segments.")
    wave = [(500, 700), (2600, 2800)]
    assert json.loads(server.file.read_text())["wave"] == [list(pair) for pair in wave]
    assert tab.state("t.isUnsaved()") is False
    tab.page.reload()
    tab.page.wait_for_selector("body[data-ready]")
    assert tab.sets == TRUTH | {"wave": wave}
    assert tab.asked == []
    # Saving again works, since the page knows the version now.
    tab.click(2700)
    tab.keys("Delete")
    tab.page.locator("#save").click()
    tab.page.locator("#status", has_text=SAVED).wait_for()
    assert len(json.loads(server.file.read_text())["wave"]) == 1


def test_page_offers_both_when_the_file_was_changed(serve, look):
    server = serve(content=json.dumps(TRUTH))
    tab = look(server.url, allow=[server.url])
    other = {"wave": [[500, 700]], "by another": [[3000, 3100]]}

    def conflict(content):
        server.file.write_text(json.dumps(content))
        tab.click(600)
        tab.keys(".", "Control+s")
        tab.page.wait_for_selector("#notice:not([hidden])")
        assert "was changed by another program" in tab.page.inner_text("#notice")
        assert json.loads(server.file.read_text()) == content
        assert tab.state("t.isUnsaved()") is True

    conflict(other)
    tab.page.get_by_role("button", name="Show what the file holds").click()
    tab.settle()
    assert set(tab.sets) == set(other)
    assert tab.state("t.isUnsaved()") is False
    tab.keys("Control+z")
    assert tab.sets["wave"][0] == (501, 701)  # mine is still there
    conflict(other | {"more": [[3200, 3300]]})
    with tab.page.expect_download() as waiting:
        tab.page.get_by_role("button", name="Download mine").click()
    assert set(json.loads(waiting.value.path().read_text())) == set(TRUTH)
    conflict({"other": [[0, 10]]})
    tab.page.get_by_role("button", name="Replace it by mine").click()
    tab.page.locator("#status", has_text=SAVED).wait_for()
    assert set(json.loads(server.file.read_text())) == set(TRUTH)
    tab.wrong.clear()  # the browser logs every answer of 409
