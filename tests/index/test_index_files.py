"""Derived files: whole or not there, and a flipped bit is noticed before it answers."""

import errno
import json
import os
import zlib
from pathlib import Path

import numpy as np
import pytest

from fourfold.index import files

RNG = np.random.default_rng(0)
ARRAYS = {
    "matrix": RNG.normal(size=(3000, 130)).astype(np.float32),
    "numbers": np.arange(500_000, dtype=np.int64),
    "wide": RNG.normal(size=(3, 400_000)).astype(np.float32),
    "empty": np.empty((0, 7), np.int32),
}


@pytest.fixture
def folder(tmp_path):
    files.write(tmp_path / "made", ARRAYS, {"generation": 3})
    return tmp_path / "made"


def test_what_was_written_is_read(folder):
    assert files.facts(folder) == {"generation": 3}
    found = files.read(folder)
    assert set(found) == set(ARRAYS)
    for name, array in ARRAYS.items():
        mapped = found[name]
        assert (mapped.shape, mapped.dtype, len(mapped)) == (array.shape, array.dtype, len(array))
        rows = RNG.integers(0, len(array), 20) if len(array) else np.empty(0, np.int64)
        np.testing.assert_array_equal(mapped[rows], array[rows])
        np.testing.assert_array_equal(mapped[1:3], array[1:3])
        np.testing.assert_array_equal(mapped[:], array)


@pytest.mark.parametrize("name", ["matrix", "numbers", "wide"])
def test_every_flipped_byte_is_noticed_when_its_block_is_touched(folder, name):
    path = files.read(folder)[name].path
    content = bytearray(path.read_bytes())
    for place in RNG.integers(0, len(content), 20).tolist():
        content[place] ^= 0x10
        path.write_bytes(content)
        mapped = files.read(folder)[name]
        row = place // (len(content) // len(mapped))
        for key in (slice(row, row + 1), np.array([row]), slice(None), row):
            with pytest.raises(files.DamagedFileError, match="damaged"):
                files.read(folder)[name][key]
        content[place] ^= 0x10
    path.write_bytes(content)
    np.testing.assert_array_equal(files.read(folder)[name][:], ARRAYS[name])


def test_an_untouched_block_is_not_read(folder):
    path = files.read(folder)["numbers"].path
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    mapped = files.read(folder)["numbers"]
    assert mapped[:1000].tolist() == list(range(1000))
    with pytest.raises(files.DamagedFileError):
        mapped[-1:]


@pytest.mark.parametrize(("name", "most"), [("numbers", 65_536), ("matrix", 4_096)])
def test_a_row_is_read_with_little_beside_it(folder, monkeypatch, name, most):
    """Of a million vectors the candidates of one question lie in a thousand megabytes."""
    read = []
    crc = zlib.crc32

    def counted(content):
        read.append(len(content))
        return crc(content)

    mapped = files.read(folder)[name]
    monkeypatch.setattr(files.zlib, "crc32", counted)
    mapped[np.array([5, len(mapped) // 2])]
    assert 0 < sum(read) <= 2 * 2 * most  # a row may lie across two


def test_a_folder_of_larger_blocks_is_read_as_it_is(folder):
    manifest = folder / "manifest.json"
    of = json.loads(manifest.read_text().partition("\n")[2]) | {"format": 2}
    for described in of["arrays"].values():
        raw = (folder / described["file"]).read_bytes()
        del described["block"]
        described["crc"] = [zlib.crc32(raw[start : start + (1 << 20)]) for start in range(0, len(raw), 1 << 20)]
    content = json.dumps(of)
    manifest.write_text(f"{zlib.crc32(content.encode())}\n{content}")
    test_what_was_written_is_read(folder)


def test_a_note_is_read_as_it_was_written_or_not_at_all(folder):
    assert files.read_note(folder, "told") is None
    files.write_note(folder, "told", {"of": 1})
    files.write_note(folder, "told", {"of": 2.5})
    assert files.read_note(folder, "told") == {"of": 2.5}
    assert {path.name for path in folder.iterdir() if path.suffix != ".bin"} == {"told.json", "manifest.json"}
    content = (folder / "told.json").read_text()
    for damaged in (content[:-1], content.replace("2.5", "2.4"), "", "\x00"):
        (folder / "told.json").write_text(damaged)
        assert files.read_note(folder, "told") is None
    files.remove(folder)
    with pytest.raises(OSError, match="No such file"):
        files.write_note(folder, "told", {"of": 3})
    assert not folder.exists()


def test_a_truncated_or_missing_file_is_noticed_when_opened(folder):
    path = files.read(folder)["matrix"].path
    path.write_bytes(path.read_bytes()[:-4])
    with pytest.raises(files.DamagedFileError, match="bytes long"):
        files.read(folder)
    path.unlink()
    with pytest.raises(files.DamagedFileError, match="cannot be read"):
        files.read(folder)


@pytest.mark.parametrize("content", ["", "{}", "12\n{}", "\x00\x01", None])
def test_a_damaged_manifest_is_no_folder_of_ours(folder, content):
    manifest = folder / "manifest.json"
    if content is None:
        of = json.loads(manifest.read_text().partition("\n")[2]) | {"format": 999}
        content = f"{zlib.crc32(json.dumps(of).encode())}\n{json.dumps(of)}"
    manifest.write_text(content)
    assert files.facts(folder) is None
    with pytest.raises(files.DamagedFileError):
        files.read(folder)


@pytest.mark.parametrize(
    "strange",
    [
        {"matrix": None},
        {"matrix": {"file": "0.bin", "dtype": "<f4", "shape": [3000, 130]}},
        {"matrix": {"file": 0, "dtype": "<f4", "shape": [3000, 130], "crc": ""}},
        {"matrix": {"file": "0.bin", "dtype": "none", "shape": [3000, 130], "crc": ""}},
        {"matrix": {"file": "0.bin", "dtype": "<f4", "shape": {}, "crc": "A"}},
        {"matrix": {"file": "0.bin", "dtype": "<f4", "shape": [3000, 130], "crc": "", "block": 0}},
        {"matrix": {"file": "0.bin", "dtype": "|O", "shape": [195_000], "crc": [0], "block": 1 << 22}},
    ],
)
def test_what_describes_no_array_is_damage_though_its_checksum_fits(folder, strange):
    manifest = folder / "manifest.json"
    content = json.dumps(json.loads(manifest.read_text().partition("\n")[2]) | {"arrays": strange})
    manifest.write_text(f"{zlib.crc32(content.encode())}\n{content}")
    with pytest.raises(files.DamagedFileError):
        files.read(folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(folder):
    for name in ("0.bin", "manifest.json", "told.json"):
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
        with pytest.raises(files.DamagedFileError):
            files.read(folder)
    assert files.facts(folder) is None
    assert files.read_note(folder, "told") is None


def test_nothing_is_left_of_a_write_that_failed(tmp_path, monkeypatch):
    class Full(Exception):
        pass

    def fail(*_):
        raise Full

    monkeypatch.setattr(files.zlib, "crc32", fail)
    with pytest.raises(Full):
        files.write(tmp_path / "made", ARRAYS, {})
    assert list(tmp_path.iterdir()) == []


def test_who_has_mapped_a_folder_keeps_it_when_it_is_deleted(folder):
    mapped = files.read(folder)["numbers"]
    files.remove(folder)
    assert not folder.exists()
    assert mapped[499_999:].tolist() == [499_999]


def test_who_wrote_the_same_first_and_has_replaced_it_meanwhile_is_no_fault(tmp_path, monkeypatch):
    target = tmp_path / "3-ab"

    def late(partial, folder):  # the other's folder was there, and is gone before anybody looks
        raise OSError(errno.ENOTEMPTY, "Directory not empty", str(partial), None, str(folder))

    monkeypatch.setattr(Path, "rename", late)
    files.write(target, {"numbers": np.arange(3)}, {})
    assert list(tmp_path.iterdir()) == []
