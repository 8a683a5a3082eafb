"""Histories of each shape become values; bad input becomes one typed error that names the place."""

from __future__ import annotations

import contextlib
import json
import tempfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.connectors import read_history
from engine.domain.history import History, PlannedEdge
from engine.domain.scope import MemoryScope, Origin
from engine.errors import DepthExceeded, InvalidHistory, InvalidInput, InvalidName
from engine.progress import Silent

LIMIT = 8 * 1024 * 1024
ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "engine" / "demo" / "history.json"


class Noted(Silent):
    """Remembers how the work ended."""

    def __init__(self) -> None:
        self.finished: list[str] = []

    def finish(self, task: str, note: str = "") -> None:
        self.finished.append(note)


async def read(path: Path, handle: str | None = None, limit: int = LIMIT, progress: Any = None) -> list[History]:
    return await read_history(path, handle=handle, max_text_bytes=limit, progress=progress or Silent())


def turn(text: str = "Hello.", **fields: Any) -> dict[str, Any]:
    return {"speaker": "Ann", "text": text, **fields}


def conversation(**fields: Any) -> dict[str, Any]:
    return {"id": "c1", "turns": [turn()], **fields}


def document(**fields: Any) -> dict[str, Any]:
    head = {"format": "neurigraph-history/1", "user": {"handle": "bob", "name": "Bob Harlan"}}
    return {**head, "conversations": [conversation()], **fields}


def sample(**fields: Any) -> dict[str, Any]:
    turns = [{"speaker": "Ann", "dia_id": "D1:1", "text": "Look!", "blip_caption": "a red barn"}]
    talk = {
        "speaker_a": "Ann",
        "speaker_b": "Ben",
        "session_1": turns,
        "session_1_date_time": "12:06 am on 8 May, 2023",
    }
    return {"sample_id": "Conv-1", "conversation": {**talk, **fields}}


def save(folder: Path, content: Any, name: str = "history.json") -> Path:
    """Bytes as they are, anything else as JSON."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


@pytest.fixture
def saved(tmp_path):
    return partial(save, tmp_path)


async def test_demo_is_read_whole():
    raw = json.loads(DEMO.read_text(encoding="utf-8"))
    (history,) = await read(DEMO)
    assert (history.handle, history.display_name) == ("bob", "Bob Harlan")
    assert len(list(history.turns())) == sum(len(c["turns"]) for c in raw["conversations"])
    assert history.nodes[0].path == ("Family",)
    assert len(history.nodes) == len(raw["nodes"])
    assert len(history.edges) == len(raw["edges"])
    assert all(file.path.is_file() for file in history.files)
    assert history.conversations[0].started_at == datetime.fromisoformat(raw["conversations"][0]["started_at"])


async def test_every_field_arrives(saved, tmp_path):
    (tmp_path / "lease.md").write_text("# Lease")
    path = saved(
        document(
            nodes=[{"path": ["Family", "Dave"], "type": "persona", "summary": "S", "keywords": ["k"], "aliases": ["D"]}],
            edges=[{"from": ["family", "dave"], "to": ["Work"], "type": "works_at", "properties": {"since": "2020"}}],
            conversations=[
                conversation(
                    title="T", started_at="2024-03-02T19:10:00+02:00", node=["work"],
                    turns=[turn(at="2024-03-02T19:11:00", id="t1", unknown={"x": 1}), turn("Bye.")],
                )
            ],
            files=[{"id": "c1", "path": "lease.md", "content_type": "text/markdown", "node": ["Work"], "occurred_at": None}],
            extra="ignored",
        )
    )  # fmt: skip
    (history,) = await read(path)
    assert [node.path for node in history.nodes] == [("Family",), ("work",), ("Family", "Dave")]
    assert history.nodes[2].node_type == "persona"
    assert history.edges == (PlannedEdge(("Family", "Dave"), ("work",), "works_at", {"since": "2020"}),)
    talk = history.conversations[0]
    assert talk.node == history.files[0].node == ("work",)
    assert talk.started_at is not None
    assert talk.started_at.utcoffset() == timedelta(hours=2)
    assert talk.started_at.hour == 19
    assert (talk.turns[0].at, talk.turns[0].ref) == (datetime(2024, 3, 2, 19, 11, tzinfo=UTC), "t1")
    assert (talk.turns[1].at, talk.turns[1].ref) == (None, None)


@pytest.mark.ledger("L05")
async def test_scope_and_source_come_from_the_file(saved, tmp_path):
    (tmp_path / "lease.md").write_text("The lease.", encoding="utf-8")
    path = saved(
        document(
            conversations=[conversation(scope="thread", scope_id="t1"), conversation(id="c2")],
            files=[{"id": "f", "path": "lease.md", "content_type": "text/markdown", "source": "manual"}],
        )
    )
    (history,) = await read(path)
    thread, nothing = [talk.origin for talk in history.conversations]
    assert (thread, nothing) == (Origin(MemoryScope("thread", "t1")), None)
    assert history.files[0].origin == Origin(source="manual")


@pytest.mark.parametrize(
    "fields", [{"scope": "thread"}, {"scope_id": "t1"}, {"scope": "team", "scope_id": "t1"}, {"source": "guessed"}]
)
async def test_a_scope_or_source_that_is_none_is_refused_with_its_place(saved, fields):
    with pytest.raises(InvalidHistory, match=r"conversations\[0\]"):
        await read(saved(document(conversations=[conversation(**fields)])))


async def test_order_is_the_order_of_the_file(saved):
    turns = [turn("first", at="2024-05-01T00:00:00Z"), turn("second", at="2020-01-01T00:00:00Z")]
    (history,) = await read(saved(document(conversations=[conversation(turns=turns)])))
    assert [t.text for t in history.turns()] == ["first", "second"]


async def test_empty_parts_are_skipped_and_counted(saved, tmp_path):
    (tmp_path / "empty.md").touch()
    progress = Noted()
    path = saved(
        document(
            conversations=[
                conversation(),
                conversation(id="c2", turns=[]),
                conversation(id="c3", turns=[turn(" ")]),
            ],
            files=[{"id": "f", "path": "empty.md", "content_type": "text/markdown"}],
        )
    )
    (history,) = await read(path, progress=progress)
    assert [c.source_id for c in history.conversations] == ["c1"]
    assert history.files == ()
    assert progress.finished == ["skipped 1 turn without text, 2 conversations without turns, 1 empty file"]


async def test_a_handle_that_is_passed_wins(saved):
    assert (await read(saved(document()), handle=" robert "))[0].handle == "robert"
    assert (await read(saved(document(user=None)), handle="robert"))[0].display_name == "robert"


async def test_a_byte_order_mark_is_no_error(saved):
    assert await read(saved(b"\xef\xbb\xbf" + json.dumps(document()).encode()))


BAD_TURNS = [turn()] * 7
PLACES = [
    ({"conversations": [conversation(turns=[*BAD_TURNS, turn(7)])]}, "conversations[0].turns[7].text"),
    ({"conversations": [conversation(turns=[turn("a\x00b")])]}, "conversations[0].turns[0].text"),
    ({"conversations": [conversation(turns=[turn(at="soon")])]}, "conversations[0].turns[0].at"),
    ({"conversations": [conversation(started_at="2024-01-01T00:00:00+23:59")]}, "conversations[0].started_at"),
    ({"conversations": [conversation(turns=[turn(at=1714000000)])]}, "conversations[0].turns[0].at"),
    ({"conversations": [conversation(turns=[turn(at="0001-01-01T00:00:00+05:00")])]}, "conversations[0].turns[0].at"),
    ({"conversations": [conversation(turns=[{"text": "x"}])]}, "conversations[0].turns[0].speaker"),
    ({"conversations": [conversation(turns=["x"])]}, "conversations[0].turns[0]"),
    ({"conversations": [conversation(turns={})]}, "conversations[0].turns"),
    ({"conversations": [conversation(title="\x00")]}, "conversations[0].title"),
    ({"conversations": [conversation(), conversation()]}, "conversations[1].id"),
    ({"conversations": [conversation(id="")]}, "conversations[0].id"),
    ({"conversations": None}, "conversations"),
    ({"user": {"handle": 7}}, "user.handle"),
    ({"user": None}, "user"),
    ({"format": "neurigraph-history/9"}, "format"),
    ({"nodes": [{"path": []}]}, "nodes[0].path"),
    ({"nodes": [{"path": ["A"]}, {"path": ["a"]}]}, "nodes[1]"),
    ({"nodes": [{"path": ["A"], "type": "thing"}]}, "nodes[0].type"),
    ({"nodes": [{"path": ["A"], "summary": "x" * 2001}]}, "nodes[0].summary"),
    ({"nodes": [{"path": ["A"]}], "edges": [{"from": ["A"], "to": ["B"], "type": "t"}]}, "edges[0].to"),
    ({"nodes": [{"path": ["A"]}], "edges": [{"from": ["A"], "to": ["a"], "type": "t"}]}, "edges[0]"),
    ({"nodes": [{"path": ["A"]}, {"path": ["B"]}], "edges": [{"from": ["A"], "to": ["B"], "type": "t", "properties": {"k": 1}}]},
     "edges[0].properties.k"),
    ({"files": [{"id": "f", "path": "../x.md", "content_type": "text/plain"}]}, "files[0].path"),
    ({"files": [{"id": "f", "path": "/etc/passwd", "content_type": "text/plain"}]}, "files[0].path"),
    ({"files": [{"id": "f", "path": "gone.md", "content_type": "text/plain"}]}, "files[0].path"),
    ({"files": [{"id": "f", "path": ".", "content_type": "text/plain"}]}, "files[0].path"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "place"), PLACES, ids=[place for _, place in PLACES])
async def test_the_place_is_named(saved, fields, place):
    with pytest.raises(InvalidHistory) as caught:
        await read(saved(document(**fields)))
    assert caught.value.path == place
    assert caught.value.detail.endswith(f"(at {place})")


@pytest.mark.parametrize(
    ("path", "error"),
    [
        (["a"] * 6, DepthExceeded),
        ([""], InvalidName),
        (["x" * 201], InvalidName),
        (["A", "b\nc"], InvalidName),
    ],
)
async def test_paths_of_nodes(saved, path, error):
    for fields in ({"nodes": [{"path": path}]}, {"conversations": [conversation(node=path)]}):
        with pytest.raises(error, match=r"\(at (nodes|conversations)\[0\]\."):
            await read(saved(document(**fields)))


async def test_a_speaker_is_a_name(saved):
    with pytest.raises(InvalidName, match=r"conversations\[0\]\.turns\[0\]\.speaker"):
        await read(saved(document(conversations=[conversation(turns=[{"speaker": " ", "text": "x"}])])))


@pytest.mark.parametrize("content", [document(conversations=[]), document(conversations=[conversation(turns=[])])])
async def test_a_history_of_nothing_is_refused(saved, content):
    with pytest.raises(InvalidHistory, match="no turn"):
        await read(saved(content))


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def replaced(value: Any, steps: list[int], new: Any) -> Any:
    """The value with the part replaced to which the steps lead."""
    if not steps or not isinstance(value, dict | list) or not value:
        return new
    keys = list(value) if isinstance(value, dict) else range(len(value))
    key = keys[steps[0] % len(keys)]
    copy = value.copy()
    copy[key] = replaced(value[key], steps[1:], new)
    return copy


@given(st.booleans(), st.lists(st.integers(0, 20), min_size=1, max_size=6), ANY_JSON)
async def test_any_wrong_value_is_one_typed_error(own, steps, new):
    nodes = [{"path": ["A"], "keywords": ["k"]}, {"path": ["B"]}]
    edges = [{"from": ["A"], "to": ["B"], "type": "t", "properties": {"k": "v"}}]
    files = [
        {
            "id": "f",
            "path": "h.json",
            "content_type": "text/plain",
            "occurred_at": "2024-01-01",
            "node": ["A"],
        }
    ]
    talks = [conversation(turns=[turn(at="2024-01-01", id="1")], node=["B"])]
    whole: Any = document(nodes=nodes, edges=edges, files=files, conversations=talks) if own else [sample()]
    with tempfile.TemporaryDirectory() as folder:
        path = save(Path(folder), replaced(whole, steps, new), "h.json")
        with contextlib.suppress(InvalidInput):
            assert await read(path)


async def test_privacy_is_read_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "h.json"
    turns = [turn(), turn(privacy="private"), turn(privacy="org")]
    path.write_text(json.dumps(document(conversations=[conversation(turns=turns, privacy="private")])))
    [history] = await read(path)
    [talk] = history.conversations
    assert (talk.privacy, [one.privacy for one in talk.turns]) == ("private", ["org", "private", "org"])
    assert talk.holds_private and replace(talk, privacy="org").holds_private
    for wrong in (conversation(privacy="secret"), conversation(turns=[turn(privacy="secret")])):
        path.write_text(json.dumps(document(conversations=[wrong])))
        with pytest.raises(InvalidHistory, match="org or private"):
            await read(path)
