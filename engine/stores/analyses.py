"""The statements for analysts, `cypher/analysis/<name>.cypher`, with what their headers say of them.

A header has a line for the purpose, the parameters, the columns, the indexes where it begins, and an example. A parameter
is written as `name (kind: meaning)`; a line that goes on begins with two spaces more.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from typing import Any, LiteralString

from engine.errors import InvalidInput
from engine.stores.statements import ROOT

FOLDER = ROOT / "cypher" / "analysis"
ROWS, MOST_ROWS = 100, 10_000
OF_DOMAIN = {"functional", "symmetric"}
"""Parameters that the domain file of the installation gives."""
_FIELD = re.compile(r"^// (\w+): (.+(?:\n//   .+)*)", re.MULTILINE)
_PARAMETER = re.compile(r"(\w+) \((text|texts|number|day|time): ([^()]*)\)")
_FORMS = {"number": "a whole number", "day": "a day like 2025-03-01", "time": "a time like 2025-03-01T18:00:00Z"}


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a statement: `kind` is text, texts, number, day or time."""

    name: str
    kind: str
    meaning: str

    def value(self, text: str) -> Any:
        """What is sent for a text as it is typed; `texts` are parted by commas. Raises InvalidInput."""
        try:
            match self.kind:
                case "number":
                    return _whole(text)
                case "texts":
                    return [one.strip() for one in text.split(",") if one.strip()]
                case "day":
                    return date.fromisoformat(text).isoformat()
                case "time":
                    moment = datetime.fromisoformat(text)
                    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).isoformat()
                case _:
                    return text
        except ValueError as error:
            raise InvalidInput(
                f"The parameter {self.name} ({self.meaning}) is {_FORMS[self.kind]}, not {text[:60]!r}."
            ) from error


@dataclass(frozen=True, slots=True)
class Analysis:
    """A statement for analysts. `indexes`: where it begins."""

    name: str
    purpose: str
    parameters: tuple[Parameter, ...]
    returns: str
    indexes: tuple[str, ...]
    text: LiteralString

    def filled(self, typed: Mapping[str, str]) -> dict[str, Any]:
        """The values of the parameters: as typed, else as usual. Raises InvalidInput for missing, unknown and malformed ones."""
        own, usual = {one.name: one for one in self.parameters if one.name != "user_id"}, _usual()
        if unknown := sorted(typed.keys() - own.keys()):
            raise InvalidInput(f"{self.name} has no parameter {unknown[0]}; it has {', '.join(own)}.")
        if missing := [one for one in own.values() if one.name not in typed.keys() | usual.keys() | OF_DOMAIN]:
            needed = "; ".join(f"{one.name}: {one.meaning}" for one in missing)
            raise InvalidInput(f"{self.name} needs {' '.join(f'--param {one.name}=…' for one in missing)} ({needed}).")
        values = {name: usual[name] for name in own if name in usual}
        values |= {name: own[name].value(text) for name, text in typed.items()}
        if not 1 <= values["limit"] <= MOST_ROWS:
            raise InvalidInput(f"The parameter limit is between 1 and {MOST_ROWS:,}, not {values['limit']:,}.")
        return values


def _usual() -> dict[str, Any]:
    """The values of parameters that need not be given."""
    now = datetime.now(UTC)
    return {"limit": ROWS, "at": now.date().isoformat(), "as_of": now.isoformat(), "known_at": now.isoformat()}


def _whole(text: str) -> int:
    number = int(text)
    if abs(number) >= 1 << 63:  # more than the graph can hold
        raise ValueError(text)
    return number


@cache
def analyses() -> dict[str, Analysis]:
    """All statements for analysts by their names."""
    return {path.stem: _read(path.stem, path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.cypher"))}


def _read(name: str, text: str) -> Analysis:
    fields = {field: re.sub(r"\n// +", " ", said) for field, said in _FIELD.findall(text)}
    return Analysis(
        name,
        fields["Purpose"],
        tuple(Parameter(*found) for found in _PARAMETER.findall(fields["Parameters"])),
        fields["Returns"],
        tuple(fields["Index"].rstrip(".").split(", ")),
        text,  # files are ours
    )
