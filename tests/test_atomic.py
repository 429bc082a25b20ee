"""Files are written whole or not at all."""

import os
import stat
import subprocess
import sys
import threading

import pytest
from matplotlib.figure import Figure

from nffs.atomic import check_replaceable, replacing, write_text
from nffs.paper.figures import save, save_svg


def names(folder):
    return [path.name for path in folder.iterdir()]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_made_and_replaced(tmp_path):
    path = tmp_path / "page.html"
    write_text(path, "één\n")
    write_text(str(path), "two\n")
    assert path.read_bytes() == b"two\n"
    assert names(tmp_path) == ["page.html"]


@pytest.mark.parametrize("stop", [RuntimeError, KeyboardInterrupt, SystemExit])
def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(tmp_path, stop):
    path = tmp_path / "page.html"
    path.write_text("old")

    def write_a_half():
        with replacing(path) as temporary:
            temporary.write_text("half of the n")
            assert path.read_text() == "old"
            raise stop

    with pytest.raises(stop):
        write_a_half()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["page.html"]


def test_a_failed_write_makes_no_file(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        write_text(tmp_path / "page.html", "\ud800")
    assert names(tmp_path) == []


def test_a_symlink_is_followed_not_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    real, link = tmp_path / "there" / "page.html", tmp_path / "link.html"
    link.symlink_to(real)
    for text in ("made through the link", "replaced through the link"):
        write_text(link, text)
        assert link.is_symlink()
        assert real.read_text() == text
    assert names(tmp_path / "there") == ["page.html"]


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_the_mode_is_that_of_a_new_file(tmp_path, mask):
    before = os.umask(mask)
    try:
        write_text(tmp_path / "atomic", "")
        (tmp_path / "plain").touch()
    finally:
        os.umask(before)
    assert mode(tmp_path / "atomic") == mode(tmp_path / "plain") == 0o666 & ~mask


def test_the_ending_is_kept_and_long_names_fit(tmp_path):
    path = tmp_path / ("x" * 245 + ".svg")
    with replacing(path) as temporary:
        assert temporary.suffix == ".svg"
        assert temporary.parent == path.parent
    assert path.exists()


def test_a_missing_folder_is_named_by_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError) as told:
        write_text(tmp_path / "nowhere" / "page.html", "")
    assert told.value.filename == str(tmp_path / "nowhere" / "page.html")


def test_a_pipe_is_written_to(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_text()))
    reader.start()
    write_text(tmp_path / "pipe", "through")
    reader.join()
    assert read == ["through"]
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_stream_behind_a_link_is_written_to_and_stays():
    """As /dev/stdout is: what it leads to has no name that could be replaced."""
    code = "from nffs.atomic import write_text; write_text('/dev/stdout', 'through')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("through", "")


def test_figures_are_written_whole_or_not_at_all(tmp_path):
    class Interrupted(Figure):
        def savefig(self, path, **_):
            path.write_text("half of a pict")
            raise KeyboardInterrupt

    for name in ("figure.png", "figure.svg"):
        (tmp_path / name).write_text("old")
    for write in (save, save_svg):
        with pytest.raises(KeyboardInterrupt):
            write(Interrupted(), tmp_path, "figure")
    assert {path.read_text() for path in tmp_path.iterdir()} == {"old"}
    assert sorted(names(tmp_path)) == ["figure.png", "figure.svg"]


def test_whether_a_file_could_be_written_is_told_without_writing_it(tmp_path):
    check_replaceable(tmp_path / "page.html")
    assert names(tmp_path) == []
    with pytest.raises(FileNotFoundError):
        check_replaceable(tmp_path / "nowhere" / "page.html")


def test_processes_that_write_at_once_leave_one_whole_file(tmp_path):
    path = tmp_path / "result.json"
    write = (
        "import sys; from nffs.atomic import write_text\n"
        "for _ in range(60): write_text(sys.argv[1], sys.argv[2] * 100_000)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", write, path, letter]) for letter in "ab"]
    whole = {letter * 100_000 for letter in "ab"}
    while any(writer.poll() is None for writer in writers):
        if path.exists():
            assert path.read_text() in whole
    assert [writer.wait() for writer in writers] == [0, 0]
    assert path.read_text() in whole
    assert names(tmp_path) == ["result.json"]


@pytest.mark.parametrize("wrong", [OSError(28, "No space left on device"), OSError("os error 28")])
def test_an_error_of_writing_names_the_file(tmp_path, wrong):
    """The error of a write has no name; that of the file beside it would mean nothing to a user."""
    with pytest.raises(OSError, match=r"os error 28|No space") as told, replacing(tmp_path / "t"):
        raise wrong
    assert told.value.filename == str(tmp_path / "t")


def test_an_error_about_another_file_stays_as_it_is(tmp_path):
    with pytest.raises(FileNotFoundError) as told, replacing(tmp_path / "t"):
        (tmp_path / "other").read_text()
    assert told.value.filename == str(tmp_path / "other")
