"""Exports of other assistants are recognised as a file, a folder and a ZIP; the error says what can be read instead."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from engine.connectors import read_history
from engine.errors import InvalidHistory, WrongContentType
from engine.progress import Silent

CHATGPT = [
    {
        "title": "Boats",
        "create_time": 1709312400.0,
        "update_time": 1709312460.0,
        "mapping": {"a": {"id": "a", "message": {"author": {"role": "user"}, "content": {"parts": ["Who is Dave?"]}}}},
        "current_node": "a",
    }
]
CLAUDE = [
    {"uuid": "7d1c", "name": "Boats", "chat_messages": [{"uuid": "8e2d", "text": "Who is Dave?", "sender": "human"}]}
]


def exported(folder: Path, shape: str, content: object) -> Path:
    """What a download of an export is: the path of the file, the folder or the ZIP."""
    text = json.dumps(content, indent=1)
    if shape == "zip":
        with zipfile.ZipFile(folder / "export.zip", "w") as archive:
            archive.writestr("chat.html", "<html></html>")
            archive.writestr("conversations.json", text)
        return folder / "export.zip"
    (folder / "chat.html").write_text("<html></html>")
    (folder / "conversations.json").write_text(text)
    return folder if shape == "folder" else folder / "conversations.json"


@pytest.mark.parametrize("shape", ["file", "folder", "zip"])
@pytest.mark.parametrize(("assistant", "content"), [("ChatGPT", CHATGPT), ("Claude", CLAUDE)])
async def test_an_export_is_named_and_what_can_be_read_is_said(
    tmp_path: Path, shape: str, assistant: str, content: object
) -> None:
    path = exported(tmp_path, shape, content)
    for handle, limit in ((None, 1 << 20), ("bob", 10)):  # without a user, and larger than what is read at once
        with pytest.raises(WrongContentType) as refused:
            await read_history(path, handle=handle, max_text_bytes=limit, progress=Silent())
        assert assistant in refused.value.detail and "not read yet" in refused.value.detail
        assert all(kind in refused.value.detail for kind in (".json", ".txt", ".md", "docs/history-format.md"))
        assert "\n" not in refused.value.detail


async def test_what_only_looks_like_an_export_is_told_as_before(tmp_path: Path) -> None:
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 no archive")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("notes.txt", "Dave")
    for name in ("broken.zip", "other.zip"):
        with pytest.raises(WrongContentType, match="is not read here"):
            await read_history(tmp_path / name, handle="bob", max_text_bytes=1 << 20, progress=Silent())
    (tmp_path / "conversations.json").write_text(json.dumps({"mapping": {}, "create_time": 1}))
    with pytest.raises(InvalidHistory, match="no history that is known"):
        await read_history(tmp_path / "conversations.json", handle="bob", max_text_bytes=1 << 20, progress=Silent())
