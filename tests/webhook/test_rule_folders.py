from __future__ import annotations

import os
from pathlib import Path

import pytest

from webhook import rule_folders
from webhook.rule_folders import Found, find


def write(path: Path, text: str = "a: 1") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def names(found: Found, folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in found.files)


def errors(found: Found, folder: Path) -> list[str]:
    return [str(error).replace(f"{folder}{os.sep}", "") for error in found.errors]


def test_a_folder_is_searched_for_rule_files_in_it_and_below(tmp_path: Path) -> None:
    for name in (
        "a.yaml",
        "b.yml",
        "c.json",
        "d.txt",
        "e",
        "deep/er/f.yaml",
        "g.yaml/h.YAML",
        ".i.yaml",
        ".j/k.yaml",
        "..l/m.yaml",
    ):
        write(tmp_path / name)
    found = find([tmp_path])
    assert names(found, tmp_path) == ["a.yaml", "b.yml", "c.json", "deep/er/f.yaml", "g.yaml/h.YAML"]
    assert (found.errors, found.unknown) == ([], [])


def test_a_file_that_is_named_may_end_and_begin_in_anything(tmp_path: Path) -> None:
    assert list(find([write(tmp_path / ".rules.txt")]).files) == [tmp_path / ".rules.txt"]


def test_each_real_file_is_found_once(tmp_path: Path) -> None:
    file = write(tmp_path / "a" / "r.yaml")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "s.yaml").symlink_to(file)
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    assert len(find([file, tmp_path, tmp_path / "a", file]).files) == 1


def test_a_folder_behind_a_link_is_searched(tmp_path: Path) -> None:
    write(tmp_path / "..data" / "sub" / "r.yaml")
    (tmp_path / "sub").symlink_to("..data/sub")
    assert names(find([tmp_path]), tmp_path) == ["sub/r.yaml"]


def test_what_is_wrong_is_said_of_each_path_and_the_rest_is_found(tmp_path: Path) -> None:
    write(tmp_path / "good.yaml")
    (tmp_path / "nowhere.yaml").symlink_to("gone.yaml")
    (tmp_path / "nowhere").symlink_to("gone")
    (tmp_path / "circle.yaml").symlink_to("circle.yaml")
    os.mkfifo(tmp_path / "pipe.yaml")
    os.mkfifo(tmp_path / "pipe")
    found = find([tmp_path, tmp_path / "missing.yaml", tmp_path / "good.yaml" / "below"])
    assert names(found, tmp_path) == ["good.yaml"]
    assert errors(found, tmp_path) == [
        "circle.yaml:1:1: Too many levels of symbolic links",
        "nowhere.yaml:1:1: a link that leads nowhere",
        "pipe.yaml:1:1: not a regular file or folder",
        "missing.yaml:1:1: no such file or folder",
        "good.yaml/below:1:1: no such file or folder",
    ]


def test_a_device_is_no_rule_file() -> None:
    assert [str(error) for error in find([Path(os.devnull)]).errors] == [
        f"{os.devnull}:1:1: not a regular file or folder"
    ]


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: Path) -> list[Path]:
        raise PermissionError(13, "Permission denied", str(folder))

    monkeypatch.setattr(Path, "iterdir", refuse)
    found = find([tmp_path])
    assert found.unknown == [tmp_path]
    assert [error.message for error in found.errors] == ["Permission denied"]


def test_a_folder_that_is_removed_while_it_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def vanish(folder: Path) -> list[Path]:
        raise FileNotFoundError(2, "No such file or directory", str(folder))

    monkeypatch.setattr(Path, "iterdir", vanish)
    assert find([tmp_path]) == Found()


def test_a_path_of_which_not_even_the_kind_can_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_symlink", refuse)
    assert [error.message for error in find([tmp_path / "missing"]).errors] == ["no such file or folder"]


def test_a_folder_of_too_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_folders, "MAX_ENTRIES", 3)
    for name in ("a/1.yaml", "b/2.yaml", "c/3.yaml"):
        write(tmp_path / name)
    found = find([tmp_path])
    assert [error.message for error in found.errors] == ["more than 3 files and folders in all: name a smaller folder"]
    assert set(found.unknown) == {tmp_path / "a", tmp_path / "b", tmp_path / "c"}


def test_a_name_cannot_break_the_line(tmp_path: Path) -> None:
    (error,) = find([tmp_path / "a\nb\u202e.yaml"]).errors
    assert str(error).endswith(r"a\u000ab\u202e.yaml:1:1: no such file or folder")
