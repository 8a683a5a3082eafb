"""Answers as JSON within so many tokens: what an assistant's context can hold.

Tokens are estimated, since each assistant counts with a model of its own: four letters, or two bytes of anything else, are one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from pydantic_core import to_jsonable_python

from engine.domain.prompt_lines import visible

CUT = "The answer was cut to max_tokens; ask for less, for the next part, or with a larger max_tokens."
SHORTEST = 20
"""Characters below which no text is cut."""
ASKED_FOR = frozenset({"hits", "entities", "facts", "evidence"})
"""Lists that an answer has also where they are empty, so that an assistant reads that there is nothing."""
SOURCES = "sources"
"""The map from the marks in a text to ids; it is cut from its end while it is longer than the text."""
Place = tuple[Any, Any]
"""A container, and the key or index in it."""


def answer(value: Any, most: int) -> str:
    """The value as compact JSON of at most `most` tokens, without empty fields other than `ASKED_FOR`; where it is cut, `cut`
    says so. The ends of lists go first, then those of texts."""
    plain = _seen(_without_empty(to_jsonable_python(value)))
    text = _json(plain)
    if tokens(text) <= most:
        return text
    plain["cut"] = CUT
    plain.pop("next_cursor", None)  # the next page would begin behind what is cut here
    while tokens(text := _json(plain)) > most:
        if not _shortened(plain):
            break
    return text


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    letters = sum(part.isascii() and (part.isalpha() or part == " ") for part in text)
    return math.ceil(letters / 4 + (len(text.encode("utf-8", "replace")) - letters) / 2)


def _shortened(plain: dict[str, Any]) -> bool:
    """Shortens the value by a step; False where nothing is left to shorten."""
    parts = [(holder, key) for holder, key in _parts(plain) if key != "cut"]
    lists = [place for place in parts if isinstance(_at(place), list) and len(_at(place)) > 1]
    # Without a space it is an id or a path: half of one is of no use.
    texts = [
        place
        for place in parts
        if isinstance(_at(place), str) and " " in _at(place)[:-1] and len(_at(place)) > SHORTEST
    ]
    sources = plain.get(SOURCES, {})
    longest_text = max((len(_at(place)) for place in texts), default=0)
    if lists:
        longest = _at(max(lists, key=lambda place: len(_json(_at(place)))))
        del longest[-max(1, len(longest) // 8) :]
    elif isinstance(sources, dict) and len(sources) > 1 and len(_json(sources)) > longest_text:
        sources.popitem()
    elif texts:
        holder, key = max(texts, key=lambda place: len(_at(place)))
        kept = max(SHORTEST, len(holder[key]) * 3 // 4)
        holder[key] = holder[key][: kept - 1].rstrip() + "…"
    else:
        return False
    return True


def _parts(value: Any) -> Iterator[Place]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in entries:
        yield value, key
        yield from _parts(part)


def _at(place: Place) -> Any:
    holder, key = place
    return holder[key]


def _seen(value: Any) -> Any:
    """Without signs in its texts that nobody sees."""
    if isinstance(value, dict):
        return {key: _seen(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_seen(part) for part in value]
    return visible(value) if isinstance(value, str) else value


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_empty(part)
            for key, part in value.items()
            if part not in (None, "", [], {}) or (part == [] and key in ASKED_FOR)
        }
    return [_without_empty(part) for part in value] if isinstance(value, list) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
