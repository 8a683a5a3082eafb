"""What the disk can hold instead of a history, and how much of one fits into memory."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from functools import partial
from pathlib import Path

import pytest
from test_connectors import ROOT, document, read, save, turn

from engine.errors import InvalidHistory, TooLarge, WrongContentType


@pytest.fixture
def saved(tmp_path):
    return partial(save, tmp_path)


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [
        (b'{"format":\n "\xc3\xa9\xc3\xa9" x}', 2, 7),
        (b'{"a": [1,]}', 1, 10),
        (b'\n\n  {"a" 1}', 3, 8),
        (b'{"a": "\\ud800"}', 1, 14),
        (b'{"a": "\\ude00 x"}', 1, 13),
        (b'{"a": "x\x00"}', 1, 9),
        (b'{"a": NaN}', 1, 7),
        (b"[" * 5000, 1, 202),
        (b'{"a": 1', 1, 7),
        (b"hello", 1, 1),
    ],
)
async def test_malformed_json_has_line_and_column(saved, content, line, column):
    with pytest.raises(InvalidHistory, match="not valid JSON") as caught:
        await read(saved(content))
    assert caught.value.line == line
    assert abs((caught.value.column or 0) - column) <= 1


@pytest.mark.parametrize("padding", [0, 3 * 1024 * 1024])
async def test_invalid_utf8_has_offset_and_line(saved, padding):
    before = b'{"a":"' + "é".encode() * (padding // 2) + b'",\n"b": "x'
    with pytest.raises(InvalidHistory, match=f"byte {len(before):,} .counted from 0. in line 2"):
        await read(saved(before + b'\xe9"}'))


async def test_a_character_cut_at_a_border_of_parts(saved):
    before = b'{"a":"' + b"x" * (1024 * 1024 - 7)
    with pytest.raises(InvalidHistory, match=f"byte {len(before):,} "):
        await read(saved(before + b'\xe2\x82"}'))
    with pytest.raises(InvalidHistory, match="byte 6 "):
        await read(saved(b'{"a":"\xe2\x82'))


@pytest.mark.parametrize(
    "content", [b"%PDF-1.7 x", b"PK\x03\x04zip", b"\x89PNG\r\n", b"ab\x00cd", '{"a":1}'.encode("utf-16")]
)
async def test_other_content_under_a_known_suffix(saved, content):
    for name in ("history.json", "notes.txt"):
        with pytest.raises(WrongContentType, match="accepted is"):
            await read(saved(content, name), handle="bob")


async def test_what_cannot_be_read(saved, tmp_path):
    for path in (
        tmp_path / "none.json",
        tmp_path / "none.pdf",
        tmp_path / "a\x00b.json",
        tmp_path / ("x" * 300 + ".json"),
    ):
        with pytest.raises(InvalidHistory):
            await read(path)
    with pytest.raises(InvalidHistory, match="empty"):
        await read(saved(b""))
    with pytest.raises(InvalidHistory, match="empty"):
        await read(saved(b" \n"))
    with pytest.raises(WrongContentType, match=r"\.markdown"):
        await read(saved(b"x", "table.csv"))
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(InvalidHistory, match="regular"):
        await read(tmp_path / "pipe.json")


async def test_a_file_that_may_not_be_read(saved):
    path = saved(document())
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        with pytest.raises(InvalidHistory, match="may not be read"):
            await read(path)
    finally:
        os.seteuid(user)


async def test_a_large_file_is_refused_unread(tmp_path):
    path = tmp_path / "large.json"
    with path.open("wb") as writer:
        writer.truncate(1 << 40)  # sparse: reading it would not end
    with pytest.raises(TooLarge, match="1,099,511,627,776"):
        await read(path)


async def test_a_large_listed_file(saved, tmp_path):
    (tmp_path / "large.md").write_bytes(b"x" * 5000)
    files = [{"id": "f", "path": "large.md", "content_type": "text/markdown"}]
    with pytest.raises(TooLarge, match=r"files\[0\]\.path"):
        await read(saved(document(files=files)), limit=4096)


MEASURED = """
import asyncio, sys
from pathlib import Path
from engine.connectors import read_history
from engine.progress import Silent
(history,) = asyncio.run(read_history(Path(sys.argv[1]), max_text_bytes=1 << 27, progress=Silent()))
# not ru_maxrss: that one is handed down by the process that started this one
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
print(sum(1 for _ in history.turns()), peak.split()[1])
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="this system does not tell a process's peak memory")
async def test_fifty_megabytes_fit_into_a_small_multiple(tmp_path):
    path = tmp_path / "long.json"
    entry = json.dumps(turn("It rained all day on the lake. " * 4, at="2024-03-02T19:10:00Z"))
    count = 50 * 1024 * 1024 // len(entry)
    start = json.dumps(document(conversations=[])).removesuffix("[]}") + '[{"id": "c1", "turns": ['
    with path.open("w") as writer:
        writer.write(start + entry)
        writer.writelines(f",{entry}" for _ in range(count))
        writer.write("]}]}")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", MEASURED, str(path), cwd=ROOT, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await asyncio.wait_for(process.communicate(), 120)
    turns, peak = map(int, output.split())
    assert turns == count + 1
    assert peak * 1024 < 8 * path.stat().st_size
