"""Labels of entities in texts: mentions, entities, relations and facts that a reader marked, with the texts that they point into.

The labels are a JSON file: `sources` names the files of texts; `entities`, `mentions` (spans in a source), `relations`, `facts`,
`not_entities`, `ambiguous`, `resolution_cases`. A source is the `dia_id` of a turn, "musique:POSITION" in a list of paragraphs,
or "hotpotqa:TITLE". Texts are read from files of their own, found by their names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.domain.entity import TextPiece
from engine.errors import UNREADABLE, InvalidInput, unreadable

NAMES = frozenset({"name", "alias"})
"""Forms of mentions that are names; the others are descriptions and pronouns."""
DATE = "date"
"""The kind of dates, which some count among entities."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a source; `entity` and `form` are empty where nothing is meant."""

    source: str
    start: int
    end: int
    text: str
    entity: str = ""
    form: str = ""


@dataclass(frozen=True, slots=True)
class Labels:
    """What a reader marked. `turns` and `passages` hold the texts by source, `groups` the passages that belong together."""

    turns: Mapping[str, TextPiece]
    passages: Mapping[str, TextPiece]
    groups: tuple[tuple[str, ...], ...]
    kinds: Mapping[str, str]
    names: Mapping[str, str]
    mentions: tuple[Span, ...]
    not_entities: tuple[Span, ...]
    ambiguous: tuple[Span, ...]
    raw: Mapping[str, Any]
    """The whole file, for relations, facts and cases, which their own sections read."""


def labels_of(path: Path, texts: Sequence[Path]) -> Labels:
    """The labels of a file, with their texts. Raises InvalidInput."""
    try:
        raw = json.loads(path.read_text("utf-8"))
        sources, files = raw["sources"], {one.name: one for one in texts}
        turns = dict(_turns(_texts(files, sources["conversation"]["file"]), sources["conversation"]))
        passages = dict(_passages(_texts(files, sources["passages"]["file"]), sources["passages"]))
        labels = Labels(
            turns, passages, tuple(tuple(group) for group in sources["passages"].get("groups", ())),
            {one["id"]: str(one["kind"]) for one in raw["entities"]},
            {one["id"]: str(one["name"]) for one in raw["entities"]},
            _spans(raw, "mentions"), _spans(raw, "not_entities"), _spans(raw, "ambiguous"), raw,
        )  # fmt: skip
    except UNREADABLE as error:
        raise unreadable(path, "labels of entities", error) from error
    for span in labels.mentions:
        piece = turns.get(span.source) or passages.get(span.source)
        if piece is None or piece.text[span.start : span.end] != span.text:
            raise InvalidInput(f"{path} marks {span.text!r} where {span.source} does not hold it.")
    return labels


def _texts(files: Mapping[str, Path], name: str) -> Any:
    if Path(name).name not in files:
        raise InvalidInput(f"The labels point into {name}: name it with --texts.")
    return json.loads(files[Path(name).name].read_text("utf-8"))


def _turns(samples: Any, source: Mapping[str, Any]) -> Iterator[tuple[str, TextPiece]]:
    talk = samples[source["index"]]["conversation"]
    for session in source["sessions"]:
        for turn in talk[f"session_{session}"]:
            yield turn["dia_id"], TextPiece(turn["text"], turn["speaker"])


def _passages(texts: Any, source: Mapping[str, Any]) -> Iterator[tuple[str, TextPiece]]:
    titled = dict(_titled(texts))
    for key in source["keys"]:
        _, _, place = key.partition(":")
        if place in titled:
            yield key, TextPiece(titled[place], title=place)
        else:
            one = texts[int(place)]
            yield key, TextPiece(one["text"], title=one["title"])


def _titled(texts: Any) -> Iterator[tuple[str, str]]:
    """Passages with their titles: those of questions with a context of sentences, or a mapping by title."""
    if isinstance(texts, Mapping):
        yield from ((title, "".join(text)) for title, text in texts.items())
        return
    for one in texts:
        context = one.get("context", ())
        pairs = zip(context["title"], context["sentences"], strict=True) if isinstance(context, Mapping) else context
        yield from ((title, "".join(sentences)) for title, sentences in pairs)


def _spans(raw: Mapping[str, Any], name: str) -> tuple[Span, ...]:
    return tuple(
        Span(one["source"], one["start"], one["end"], one["text"], one.get("entity", ""), one.get("form", ""))
        for one in raw.get(name, ())
    )
