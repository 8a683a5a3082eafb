"""What is said while an answer is waited for."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from engine.settings import Settings
from engine.shell import waiting
from engine.shell.session import Session


async def said(home: Path, seconds: float, *, terminal: bool) -> str:
    """What stands on stderr after a wait of so many seconds."""
    out, notes = (Console(file=StringIO(), force_terminal=terminal, width=100) for _ in range(2))
    here = Session(Settings(home=home), out, notes, debug=False)
    async with waiting.waiting(replace(here, as_json=True)):
        await asyncio.sleep(seconds)
    assert out.file.getvalue() == ""  # type: ignore[attr-defined]
    return notes.file.getvalue()  # type: ignore[attr-defined, no-any-return]


@pytest.mark.ledger("U05")
async def test_a_long_wait_is_said_on_a_terminal_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "SILENCE", 0.2)
    shown = await said(tmp_path, 0.6, terminal=True)
    assert "Waiting for the answer…" in shown and "started" not in shown, "no servers run there"
    assert shown.rstrip().endswith("\x1b[2K"), "the line is cleared"
    assert await said(tmp_path, 0.05, terminal=True) == ""
    assert await said(tmp_path, 0.6, terminal=False) == ""
