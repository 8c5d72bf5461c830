from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.documents import MAX_BYTES
from webhook import rule_files
from webhook.rule_files import RuleFiles, Scan

LONG_AGO = (0, 0)


def content(scan: Scan) -> dict[str, list[Any]]:
    return {file.path.name: [document.data for document in file.documents] for file in scan.files}


def messages(scan: Scan) -> list[str]:
    return [f"{error.place.source.rpartition(os.sep)[2]}:{error.place.line}: {error.message}" for error in scan.errors]


def swap(mount: Path, version: int, files: Mapping[str, str]) -> None:
    """Put new content into a ConfigMap's mount in the steps of the kubelet."""
    new = mount / f"..2026_{version}"
    for name, text in files.items():
        (new / name).parent.mkdir(parents=True, exist_ok=True)
        (new / name).write_text(text)
    new.mkdir(exist_ok=True)
    old = (mount / "..data").readlink() if (mount / "..data").is_symlink() else None
    (mount / "..data_tmp").symlink_to(new.name)
    (mount / "..data_tmp").rename(mount / "..data")
    top = {name.partition("/")[0] for name in files}
    for link in mount.iterdir():
        if not link.name.startswith("..") and link.name not in top:
            link.unlink()
    for name in top:
        if not (mount / name).is_symlink():
            (mount / name).symlink_to(f"..data/{name}")
    if old is not None:
        shutil.rmtree(mount / old)


def test_files_are_read_again_only_when_they_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yaml").write_text("a: 1\n---\na: 2")
    (tmp_path / "b.json").write_text('{"b": 1}')
    for file in tmp_path.iterdir():
        os.utime(file, LONG_AGO)
    files = RuleFiles([tmp_path])
    first = files.scan()
    assert first.changed
    assert content(first) == {"a.yaml": [{"a": 1}, {"a": 2}], "b.json": [{"b": 1}]}
    monkeypatch.setattr(rule_files, "_read", None)
    second = files.scan()
    assert not second.changed
    assert second.files == first.files


def test_a_change_replaces_the_documents_of_its_file_only(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: 1")
    (tmp_path / "b.yaml").write_text("b: 1")
    files = RuleFiles([tmp_path])
    before = files.scan()
    (tmp_path / "a.yaml").write_text("a: 2")
    after = files.scan()
    assert after.changed
    assert content(after) == {"a.yaml": [{"a": 2}], "b.yaml": [{"b": 1}]}
    assert after.files[1].documents[0] is before.files[1].documents[0]


def test_a_change_that_leaves_times_and_size_as_they_were_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: 1")
    times = file.stat().st_atime_ns, file.stat().st_mtime_ns
    files = RuleFiles([file])
    files.scan()
    file.write_text("a: 2")
    os.utime(file, ns=times)
    assert content(files.scan()) == {"a.yaml": [{"a": 2}]}


def test_a_file_that_was_only_touched_has_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: 1")
    files = RuleFiles([file])
    files.scan()
    os.utime(file, LONG_AGO)
    assert not files.scan().changed


def test_files_that_come_and_go(tmp_path: Path) -> None:
    files = RuleFiles([tmp_path])
    first = files.scan()
    assert (first.changed, first.files) == (True, ())
    (tmp_path / "a.yaml").write_text("a: 1")
    assert content(files.scan()) == {"a.yaml": [{"a": 1}]}
    (tmp_path / "a.yaml").unlink()
    last = files.scan()
    assert (last.changed, last.files, last.errors) == (True, (), ())


def test_a_file_that_cannot_be_parsed_keeps_its_last_good_documents(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: 1")
    files = RuleFiles([tmp_path])
    files.scan()
    file.write_text("a: 2\nb: {")
    broken = files.scan()
    assert broken.changed
    assert content(broken) == {"a.yaml": [{"a": 1}]}
    assert messages(broken)[0].startswith("a.yaml:2: did not find expected")
    assert broken.files[0].error is broken.errors[0]
    assert not files.scan().changed
    file.write_text("a: [")
    assert content(files.scan()) == {"a.yaml": [{"a": 1}]}
    file.write_text("a: 3")
    mended = files.scan()
    assert (mended.changed, content(mended), mended.errors) == (True, {"a.yaml": [{"a": 3}]}, ())


def test_a_file_that_was_never_good_has_no_documents(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a: b: c")
    scan = RuleFiles([tmp_path]).scan()
    assert content(scan) == {"a.yaml": []}
    assert messages(scan) == ["a.yaml:1: mapping values are not allowed in this context"]


def test_the_swaps_of_a_mounted_config_map_are_seen(tmp_path: Path) -> None:
    files = RuleFiles([tmp_path])
    swap(tmp_path, 1, {"r.yaml": "a: 1", "s.yaml": "s: 1"})
    assert content(files.scan()) == {"r.yaml": [{"a": 1}], "s.yaml": [{"s": 1}]}
    for version in range(2, 6):
        swap(tmp_path, version, {"r.yaml": f"a: {version}", "s.yaml": "s: 1"})
        scan = files.scan()
        assert scan.changed
        assert content(scan) == {"r.yaml": [{"a": version}], "s.yaml": [{"s": 1}]}
        assert not files.scan().changed


def test_a_file_named_inside_a_mounted_config_map_is_followed(tmp_path: Path) -> None:
    swap(tmp_path, 1, {"r.yaml": "a: 1"})
    files = RuleFiles([tmp_path / "r.yaml"])
    for version in range(2, 5):
        files.scan()
        swap(tmp_path, version, {"r.yaml": f"a: {version}"})
        assert content(files.scan()) == {"r.yaml": [{"a": version}]}


@given(
    st.lists(
        st.dictionaries(st.sampled_from(["r.yaml", "s.json", "sub/t.yml", "sub/u.yaml"]), st.integers(0, 2)), max_size=6
    )
)
def test_after_each_swap_there_is_what_was_mounted(
    tmp_path_factory: pytest.TempPathFactory, versions: list[dict[str, int]]
) -> None:
    mount = tmp_path_factory.mktemp("mount")
    files = RuleFiles([mount])
    before: dict[str, int] | None = None
    for number, mounted in enumerate(versions):
        swap(mount, number, {name: str(value) for name, value in mounted.items()})
        scan = files.scan()
        assert content(scan) == {name.rpartition("/")[2]: [value] for name, value in mounted.items()}
        assert scan.changed == (before is None or mounted != before)
        assert scan.errors == ()
        before = mounted


def test_a_link_that_leads_nowhere_for_a_moment(tmp_path: Path) -> None:
    swap(tmp_path, 1, {"r.yaml": "a: 1"})
    files = RuleFiles([tmp_path])
    files.scan()
    (tmp_path / "..2026_1" / "r.yaml").unlink()
    scan = files.scan()
    assert (content(scan), messages(scan)) == ({}, ["r.yaml:1: a link that leads nowhere"])


def test_a_file_removed_between_being_found_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def vanish(path: Path) -> bytes:
        path.unlink()
        return path.read_bytes()

    (tmp_path / "a.yaml").write_text("a: 1")
    monkeypatch.setattr(rule_files, "_read", vanish)
    scan = RuleFiles([tmp_path]).scan()
    assert (scan.files, scan.errors) == ((), ())


def test_a_file_that_cannot_be_read_keeps_its_last_good_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    (tmp_path / "a.yaml").write_text("a: 1")
    files = RuleFiles([tmp_path])
    files.scan()
    with monkeypatch.context() as patch:
        patch.setattr(rule_files, "_read", refuse)
        (tmp_path / "a.yaml").write_text("a: 22")
        scan = files.scan()
        assert (content(scan), messages(scan)) == ({"a.yaml": [{"a": 1}]}, ["a.yaml:1: Permission denied"])
        assert not files.scan().changed
    # The file is the same as before: only the permission is another.
    mended = files.scan()
    assert (mended.changed, content(mended), mended.errors) == (True, {"a.yaml": [{"a": 22}]}, ())


def test_a_folder_that_cannot_be_listed_keeps_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path) -> list[Path]:
        raise OSError(116, "Stale file handle", str(folder))

    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.yaml").write_text("a: 1")
    files = RuleFiles([tmp_path])
    files.scan()
    monkeypatch.setattr(Path, "iterdir", refuse)
    scan = files.scan()
    assert scan.changed
    assert content(scan) == {"a.yaml": [{"a": 1}]}
    assert [error.message for error in scan.errors] == ["Stale file handle"]


def test_a_named_file_that_is_removed_takes_its_documents_along(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: 1")
    files = RuleFiles([file])
    files.scan()
    file.unlink()
    scan = files.scan()
    assert (scan.files, messages(scan)) == ((), ["a.yaml:1: no such file or folder"])


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    with file.open("wb") as sparse:
        sparse.truncate(MAX_BYTES * 1000)
    assert messages(RuleFiles([file]).scan()) == ["a.yaml:1: larger than 4 MiB"]


def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        rule_files._read(tmp_path / "pipe")
