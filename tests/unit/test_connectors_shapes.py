"""Histories of other shapes: LoCoMo samples and text files."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import pytest
from test_connectors import Noted, read, sample, save

from engine.connectors.locomo import SHARED_PICTURE
from engine.errors import InvalidHistory, InvalidName, TooLarge


@pytest.fixture
def saved(tmp_path):
    return partial(save, tmp_path)


# LoCoMo


async def test_locomo_sample(saved):
    later = [{"speaker": "Ben", "dia_id": "D2:1", "text": "Ten."}]
    (history,) = await read(saved([sample(session_10=later, session_2=later, session_11_date_time="x")]))
    assert (history.handle, history.display_name) == ("conv-1", "Ann & Ben")
    assert [c.source_id for c in history.conversations] == ["session_1", "session_2", "session_10"]
    first = history.conversations[0]
    assert first.started_at == datetime(2023, 5, 8, 0, 6, tzinfo=UTC)
    assert history.conversations[1].started_at is None
    assert first.turns[0].text == "Look! [shares a picture: a red barn]"
    assert first.turns[0].ref == "D1:1"
    assert (await read(saved(sample()))) == (await read(saved([sample()])))


async def test_a_picture_without_words(saved):
    turns = [{"speaker": "Ann", "text": "", "blip_caption": "a dog"}]
    (history,) = await read(saved(sample(session_1=turns)))
    assert next(history.turns()).text == SHARED_PICTURE.format(caption="a dog").lstrip()


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ([sample(), sample()], "[1].sample_id"),
        ([sample(session_1=[{"speaker": "Ann", "text": 1}])], "[0].conversation.session_1[0].text"),
        ([sample(session_1="x")], "[0].conversation.session_1"),
        (sample(session_1_date_time="8 May 2023"), "conversation.session_1_date_time"),
        (sample(session_1_date_time="1:56 pm on 31 February, 2023"), "conversation.session_1_date_time"),
        (sample(session_1_date_time="13:56 pm on 8 May, 2023"), "conversation.session_1_date_time"),
        (sample(speaker_b=None), "conversation.speaker_b"),
        ([1], "[0]"),
        ([{"mapping": {}}], "[0].conversation"),
    ],
)
async def test_places_in_locomo(saved, content, place):
    with pytest.raises(InvalidHistory) as caught:
        await read(saved(content))
    assert caught.value.path == place


async def test_handles_of_locomo(saved):
    assert (await read(saved([sample()]), handle="eve"))[0].handle == "eve"
    with pytest.raises(InvalidHistory, match="one sample only"):
        await read(saved([sample(), sample()]), handle="eve")
    with pytest.raises(InvalidHistory, match="pass a handle"):
        await read(saved([sample() | {"sample_id": None}]))


@pytest.mark.parametrize("content", [[], {}, {"turns": []}, "text", 3, [sample(session_1=[])]])
async def test_json_that_is_no_history(saved, content):
    with pytest.raises(InvalidHistory):
        await read(saved(content))


# text files


async def test_one_text_file(saved):
    path = saved("# Müll\n".encode(), "Plan B.MD")
    (history,) = await read(path, handle="bob")
    assert (history.handle, history.conversations) == ("bob", ())
    (file,) = history.files
    assert (file.source_id, file.content_type, file.title, file.occurred_at) == (
        "Plan B.MD",
        "text/markdown",
        "Plan B",
        None,
    )
    with pytest.raises(InvalidHistory, match="pass a handle"):
        await read(path)


async def test_a_folder_of_texts(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "sub" / "b.txt").write_text("Ann: not a conversation here")
    (tmp_path / "a.markdown").write_text("a")
    (tmp_path / "void.txt").write_text(" \n")
    (tmp_path / ".hidden" / "x.bin").write_bytes(b"\x00")
    progress = Noted()
    (history,) = await read(tmp_path, handle="bob", progress=progress)
    assert [file.source_id for file in history.files] == ["a.markdown", "sub/b.txt"]
    assert progress.finished == ["skipped 1 empty file"]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("mia.png", b"\x89PNG\r\n", "is not read here"),
        ("note.txt", b"\x89PNG\r\n", "is a PNG picture by its content"),
        ("nul.md", b"a\x00b", "is binary by its content"),
        ("latin.txt", "über".encode("latin-1"), "is not valid UTF-8: byte 0"),
        ("wide.txt", "über".encode("utf-16"), "is UTF-16 text by its content"),
        ("long.txt", b"a" * 200, "has 200 bytes"),
        ("gone.md", None, "was not found"),
        ("out.md", "/etc/hostname", "leads out of the folder"),
    ],
)
async def test_a_bad_file_is_passed_over_with_its_path_and_reason(tmp_path, name, content, reason):
    deep = tmp_path / "vault" / "trips" / "2024"
    deep.mkdir(parents=True)
    (tmp_path / "vault" / "a.md").write_text("The heron needs paint.")
    if isinstance(content, bytes):
        (deep / name).write_bytes(content)
    else:
        (deep / name).symlink_to(content or deep / "nowhere.md")
    (history,) = await read(tmp_path / "vault", handle="bob", limit=199)
    assert [file.source_id for file in history.files] == ["a.md"]
    (one,) = history.passed_over
    assert one.path == f"trips/2024/{name}" and reason in one.reason and not one.reason.startswith(name)
    (tmp_path / "vault" / "a.md").unlink()
    with pytest.raises(InvalidHistory, match=f"trips/2024/{name} "):
        await read(tmp_path / "vault", handle="bob", limit=199)


async def test_texts_that_cannot_be_taken(saved, tmp_path):
    with pytest.raises(InvalidHistory, match=r"byte 4 .* line 2"):
        await read(saved(b"ab\nc\xe9", "latin.txt"), handle="bob")
    with pytest.raises(InvalidName):
        await read(saved(b"a", "fine.txt"), handle="\n")
    with pytest.raises(TooLarge):
        await read(saved(b"a" * 100, "fine.txt"), handle="bob", limit=99)
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(InvalidHistory, match="no file with content"):
        await read(folder, handle="bob")
    (folder / "gone.md").symlink_to(folder / "nowhere.md")
    with pytest.raises(InvalidHistory, match="was not found"):
        await read(folder, handle="bob")
    (folder / "gone.md").unlink()
    (folder / "out.md").symlink_to(tmp_path / "fine.txt")
    with pytest.raises(InvalidHistory, match="leads out"):
        await read(folder, handle="bob")
