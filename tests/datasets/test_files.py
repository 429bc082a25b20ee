"""Finding, checking and downloading data files, against a server on this machine."""

import contextlib
import hashlib
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from nffs.datasets import catalog, files
from nffs.datasets.files import DataFile, download, locate, obtain
from nffs.errors import DownloadError, InputError

CONTENT = bytes(range(256)) * 2000


class Handler(BaseHTTPRequestHandler):
    """Serves CONTENT at /good, other bytes at /wrong, half of it at /cut, no end at /endless."""

    def do_GET(self):
        self.server.asked.append((self.path, self.headers.get("Range")))
        if self.path == "/missing":
            self.send_error(404)
            return
        start = 0
        wanted = self.headers.get("Range")
        if wanted and self.path != "/no-ranges":
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= len(CONTENT):
                self.send_error(416)
                return
        if self.path == "/endless":
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(OSError):  # until the other side has had enough
                while True:
                    self.wfile.write(CONTENT)
        body = CONTENT[::-1] if self.path == "/wrong" else CONTENT[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if self.path == "/cut" else body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.asked = []
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def file_at(server):
    """Describe CONTENT as a data file with the given mirrors of the local server."""

    def make(*paths):
        return DataFile(
            folder="small",
            name="small.bin",
            sha256=hashlib.sha256(CONTENT).hexdigest(),
            size=len(CONTENT),
            mirrors=tuple(f"http://127.0.0.1:{server.server_port}{path}" for path in paths),
        )

    return make


@pytest.fixture(autouse=True)
def own_folders(monkeypatch, tmp_path):
    """Keep the real data folder and the user's cache out of these tests."""
    monkeypatch.delenv("NFFS_DATA", raising=False)
    monkeypatch.setattr(files, "cache_folder", lambda: tmp_path / "cache")


class TestDownload:
    def test_a_good_file(self, file_at, tmp_path):
        told = []
        path = download(file_at("/good"), tmp_path / "small", lambda *b: told.append(b))
        assert path.read_bytes() == CONTENT
        assert told[-1] == (len(CONTENT), len(CONTENT))
        assert [p.name for p in path.parent.iterdir()] == ["small.bin"]

    def test_wrong_contents_are_refused_and_leave_nothing(self, file_at, tmp_path):
        with pytest.raises(DownloadError, match=r"small\.bin .*/wrong: the contents are not the"):
            download(file_at("/wrong"), tmp_path)
        assert not list(tmp_path.iterdir())

    def test_the_next_mirror_is_tried(self, file_at, tmp_path):
        path = download(file_at("/missing", "/wrong", "/good"), tmp_path)
        assert path.read_bytes() == CONTENT

    def test_a_cut_connection_goes_on_where_it_stopped(self, file_at, server, tmp_path):
        with pytest.raises(DownloadError, match="/cut: the connection was cut"):
            download(file_at("/cut"), tmp_path)
        arrived = (tmp_path / "small.bin.part").stat().st_size
        assert 0 < arrived <= len(CONTENT) // 2
        download(file_at("/good"), tmp_path)
        assert server.asked[-1] == ("/good", f"bytes={arrived}-")
        assert (tmp_path / "small.bin").read_bytes() == CONTENT

    def test_a_mirror_that_cannot_resume_sends_it_all(self, file_at, tmp_path):
        (tmp_path / "small.bin.part").write_bytes(CONTENT[:100])
        assert download(file_at("/no-ranges"), tmp_path).read_bytes() == CONTENT

    def test_a_beginning_of_something_else_does_not_stay(self, file_at, tmp_path):
        (tmp_path / "small.bin.part").write_bytes(b"x" * (len(CONTENT) + 5))
        assert download(file_at("/good", "/good"), tmp_path).read_bytes() == CONTENT

    def test_a_mirror_that_does_not_stop_is_left_at_the_files_size(self, file_at, tmp_path):
        told = []
        with pytest.raises(DownloadError, match=r"/endless: it sends more than the 512000 bytes"):
            download(file_at("/endless"), tmp_path, lambda *b: told.append(b[0]))
        assert max(told) <= len(CONTENT)
        assert not list(tmp_path.iterdir())
        assert download(file_at("/endless", "/good"), tmp_path).read_bytes() == CONTENT

    def test_no_network(self, file_at, server, tmp_path):
        file = file_at("/good")
        server.shutdown()
        server.server_close()
        with pytest.raises(DownloadError, match=r"no connection.*Put the file into"):
            download(file, tmp_path)


class TestObtain:
    def test_the_given_folder_then_the_variable_then_the_cache(
        self, file_at, tmp_path, monkeypatch
    ):
        file = file_at()
        for name in ("given", "variable", "cache"):
            (tmp_path / name / "small").mkdir(parents=True)
        monkeypatch.setenv("NFFS_DATA", str(tmp_path / "variable"))
        for name in ("cache", "variable", "given"):
            (tmp_path / name / "small" / "small.bin").write_bytes(CONTENT)
            assert obtain(file, tmp_path / "given").parents[1].name == name

    def test_a_flat_folder_will_do(self, file_at, tmp_path):
        (tmp_path / "small.bin").write_bytes(CONTENT)
        assert obtain(file_at(), tmp_path) == tmp_path / "small.bin"

    def test_downloads_to_the_given_folder(self, file_at, server, tmp_path):
        path = obtain(file_at("/good"), tmp_path / "home")
        assert path == tmp_path / "home" / "small" / "small.bin"
        obtain(file_at("/good"), tmp_path / "home")
        assert len(server.asked) == 1

    def test_missing_and_not_to_be_downloaded(self, file_at, tmp_path):
        with pytest.raises(InputError, match=r"small\.bin: not found in .*home.*NFFS_DATA"):
            obtain(file_at("/good"), tmp_path / "home", download_if_missing=False)

    @pytest.mark.parametrize(
        "content", [CONTENT[:-1], CONTENT + b"x", b""], ids=["cut", "edited", "empty"]
    )
    def test_other_contents_are_refused_by_name_and_hash(self, file_at, tmp_path, content):
        (tmp_path / "small.bin").write_bytes(content)
        with pytest.raises(InputError) as caught:
            obtain(file_at("/good"), tmp_path)
        assert "small.bin: not the original" in str(caught.value)
        assert hashlib.sha256(CONTENT).hexdigest() in str(caught.value)
        assert hashlib.sha256(content).hexdigest() in str(caught.value)


def test_swapped_names_are_recognised_by_contents(tmp_path, monkeypatch):
    contents = {"a.csv": b"training", "b.csv": b"testing"}
    train, test = (
        DataFile("set", name, hashlib.sha256(content).hexdigest(), 0, (), (alias,))
        for (name, content), alias in zip(contents.items(), ("b.csv", "a.csv"), strict=True)
    )
    monkeypatch.setattr(catalog, "DATA_FILES", (train, test))
    (tmp_path / "a.csv").write_bytes(b"testing")
    (tmp_path / "b.csv").write_bytes(b"training")
    assert locate(train, tmp_path) == tmp_path / "b.csv"
    assert locate(test, tmp_path) == tmp_path / "a.csv"
    # With the training file alone, under the other's name, the test file is just not there.
    (tmp_path / "a.csv").unlink()
    assert locate(test, tmp_path) is None


def test_every_file_has_several_mirrors():
    for file in catalog.DATA_FILES:
        hosts = {url.rsplit("/", 1)[0] for url in file.mirrors}
        assert len(hosts) >= 2
        assert "+" not in "".join(file.mirrors)  # quoted: a plus in an address may mean a blank


def test_a_hash_is_not_a_name(tmp_path):
    wrong = replace(catalog.NSL_KDD_TEST, sha256="0" * 64)
    assert locate(wrong, tmp_path) is None
