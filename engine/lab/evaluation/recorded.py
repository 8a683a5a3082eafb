"""Recorded answers: the observations and summaries of sessions in a LoCoMo file, used as answers of a language model.

All steps with a model run with them except the call itself: pieces, lines, items, vectors, kept answers. So the benefit
of a model can be measured without one.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import UNREADABLE, InvalidInput, UnusableAnswer, unreadable
from engine.lab.evaluation.locomo import referred
from engine.providers.language import Answer, Form, Prompt

_LINE = re.compile(r"^\[(\d+)\] ([^:\n]+): (.*)$", re.MULTILINE)
"""A turn in a model's input: number, speaker, the first line of its text."""
_OPENING = 60
"""Characters by which a turn is recognised."""


@dataclass(frozen=True, slots=True, eq=False)
class _Session:
    """One session: its summary; the turns by speaker and opening; text, person, turns of each observation."""

    summary: str
    turns: Mapping[tuple[str, str], str]
    observations: tuple[tuple[str, str, frozenset[str]], ...]


class RecordedModel:
    """A language model that returns the recorded answers of one file."""

    def __init__(self, name: str, sessions: tuple[_Session, ...]) -> None:
        self.name, self._sessions = name, sessions

    @classmethod
    def of(cls, path: Path) -> RecordedModel:
        """The model of a file, named after its content. Raises InvalidInput for a file without recorded observations."""
        try:
            content = path.read_bytes()
            sessions = tuple(session for sample in json.loads(content) for session in _sessions(sample))
        except UNREADABLE as error:
            raise unreadable(path, "LoCoMo samples with observations", error) from error
        if not any(session.observations for session in sessions):
            raise InvalidInput(f"{path} holds no observations.")
        return cls(f"recorded:{hashlib.sha256(content).hexdigest()[:12]}", sessions)

    async def answer(self, prompt: Prompt, text: str, form: type[Form]) -> Answer[Form]:
        """The recorded answer for the turns in the text. Raises UnusableAnswer for other texts and other questions."""
        lines = [(int(number), (speaker, said[:_OPENING])) for number, speaker, said in _LINE.findall(text)]
        known = Counter(session for session in self._sessions for _, said in lines if said in session.turns)
        if prompt.name != "extract" or not known:
            raise UnusableAnswer("No answer is recorded for this text.")
        [(session, _)] = known.most_common(1)
        places = {session.turns[said]: number for number, said in reversed(lines) if said in session.turns}
        return Answer(form.model_validate(_recorded_answer(session, places)), 0, 0)

    async def close(self) -> None:
        """Does nothing."""


def _recorded_answer(session: _Session, places: Mapping[str, int]) -> dict[str, Any]:
    """The answer about those turns of the session; `places`: their lines."""
    observations = []
    for text, person, turns in session.observations:
        if numbers := [places[turn] for turn in turns if turn in places]:
            lines = {"first_line": min(numbers), "last_line": max(numbers)}
            observations.append({"text": text, "subjects": [person], "private": False, **lines})
    return {"summary": session.summary, "facts": [], "observations": observations}


def _sessions(sample: Mapping[str, Any]) -> Iterator[_Session]:
    for name, turns in sample["conversation"].items():
        if not re.fullmatch(r"session_\d+", name):
            continue
        ids = {turn["dia_id"] for turn in turns}
        yield _Session(
            str(sample["session_summary"].get(f"{name}_summary", "")),
            {
                (turn["speaker"], turn["text"].strip().split("\n")[0][:_OPENING]): turn["dia_id"]
                for turn in reversed(turns)
            },
            tuple(
                (str(text), str(person), referred([reference] if isinstance(reference, str) else reference, ids))
                for person, observed in sample["observation"].get(f"{name}_observation", {}).items()
                for text, reference in observed
            ),
        )
