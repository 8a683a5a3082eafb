"""A page of docs/ that is run: its commands and programs in order, each with the output that the page shows.

`sh` and `python` blocks are run, `text` blocks are compared with what was printed last: they must stand there in this order, `…` alone on a line is a
gap, and ids, keys, scores and times of writing may differ. An id that the page shows is that of the output from there on. A block after
"save this as `NAME`" becomes that file.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from engine.neurigraph import Engine
from tests.commands import typed

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"([^\n]*)\n\n?```(\w+)\n(.*?)\n```", re.DOTALL)
SAVED = re.compile(r"save (?:it|this|them) as `([\w.-]+)`", re.IGNORECASE)
MASKS = {
    "id": (r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", r"([0-9a-f-]{36})"),
    "token": (r"ngt_[\w-]+", r"(ngt_[\w-]+)"),
    "key": (r"\b[0-9a-f]{12}\b", r"[0-9a-f]{12}"),
    "written": (r"2026-1[12]-\d\d \d\d:\d\d:\d\d", r"\d{4}-\d\d-\d\d\s+\d\d:\d\d:\d\d"),
    "score": (r"(?<![\w$.-])[+-]?\d+\.\d\d\b", r"[+-]?\d+\.\d\d"),
    "gap": (r"\s*^…$\s*", r".*?"),
    "blank": (r"\s+", r"\s+"),
}
"""What differs from run to run: how it looks on the page, and what may stand there."""
MASK = re.compile("|".join(f"(?P<{name}>{shown})" for name, (shown, _) in MASKS.items()), re.MULTILINE)
OF_NO_USER = ("integration", "token", "user", "provision")
ELSEWHERE = ("up", "down", "serve", "backup", "restore", "prepare", "doctor", "mcp", "status")
"""Commands that start or stop servers, or do not end: other tests run them. Here their options are looked up."""


@dataclass
class Run:
    """What a page has done so far, in a folder and with users of its own."""

    engine: Engine
    folder: Path
    address: str
    user: str
    names: dict[str, str]
    ids: dict[str, str] = field(default_factory=dict)
    printed: str = ""

    async def page(self, name: str) -> None:
        for before, language, text in BLOCK.findall((DOCS / name).read_text(encoding="utf-8")):
            if saved := SAVED.search(before):
                (self.folder / saved[1]).write_text(text, encoding="utf-8")
            elif language == "sh":
                lines = [one for one in text.splitlines() if one and not one.startswith("#")]
                self.printed = "".join([await self._command(one) for one in lines])
            elif language == "python":
                self.printed = await asyncio.to_thread(executed, self._own(text))
            elif language == "text":
                self._compare(text)

    def _own(self, text: str) -> str:
        """With the names and ids of this run, at the server of the test."""
        for shown, own in (self.names | self.ids).items():
            text = re.sub(rf"(?<![\w/-]){re.escape(shown)}(?![\w/-])", own, text)
        return text.replace("http://localhost:8420", self.address)

    async def _command(self, line: str) -> str:
        said, _, command = line.rpartition(" | ")
        program, *words = shlex.split(self._own(command), comments=True)
        if program == "python":
            place = {"cwd": self.folder, "capture_output": True, "text": True}
            done = await asyncio.to_thread(subprocess.run, [sys.executable, *words], **place)
        elif program != "neurigraph" or words == ["demo"]:
            return ""  # of the shell, or of a test of its own
        elif words[0] in ELSEWHERE:
            helped = await typed(self.engine, self.folder, None, words[0], "--help")
            assert helped.returncode == 0 and all(one in helped.stdout for one in words if one.startswith("--")), line
            return ""
        else:
            named = "--user" in words or words[0] in OF_NO_USER or (words[0] == "ingest" and words[1].endswith(".json"))
            stdin = shlex.split(said)[1] if said else ""
            done = await typed(self.engine, self.folder, None if named else self.user, *words, stdin=stdin)
        assert done.returncode == 0, (line, done.stderr)
        return done.stdout

    def _compare(self, shown: str) -> None:
        printed = self.printed
        for name, own in self.names.items():
            printed = printed.replace(own, name)
        found = re.search(pattern(shown), printed, re.DOTALL)
        assert found, f"\n{shown}\n--- is not what was printed:\n{printed}"
        marks = [one[0] for one in MASK.finditer(shown) if one.lastgroup in ("id", "token")]
        self.ids |= dict(zip(marks, found.groups(), strict=True))


def pattern(shown: str) -> str:
    parts, at, shown = [], 0, shown.strip("…\n ")
    for one in MASK.finditer(shown):
        parts += [re.escape(shown[at : one.start()]), MASKS[str(one.lastgroup)][1]]
        at = one.end()
    return "".join([*parts, re.escape(shown[at:])])


def executed(program: str) -> str:
    """What it prints, as the main program."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(program, "page", "exec"), {"__name__": "__main__"})
    return out.getvalue()
