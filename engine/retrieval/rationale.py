"""Why a hit is where it is, in a few words: the anchor that led to its node, and the strongest signals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from engine.domain.entity import entity_number
from engine.domain.explanation import WidenedBy
from engine.domain.node import Anchor
from engine.domain.search import ReachedOver
from engine.entities.resolution.romanized import canonical_key
from engine.retrieval.anchors import NamedEntity
from engine.retrieval.candidate import Candidate, Contents
from engine.retrieval.fusion import Reached

SHOWN = 3

_REASONS = {
    "name": "named in the question",
    "alias": "known by a name in the question",
    "text": "words of the question in its summary",
    "meaning": "close in meaning",
    "edge": "linked to a named node",
}
_WIDENED: Mapping[WidenedBy, str] = {
    "no_anchor": "no node was named or meant for sure",
    "few_items": "few items: all were searched",
    "rare_words": "holds a rare word of the question",
    "weak_hit": "what is near lies elsewhere: all nodes were searched",
    "nothing_found": "nothing lies at the nodes of the question: all were searched",
}
_SIGNALS = {
    "words": "same words", "words_previous": "words of the turn before", "words_previous2": "words two turns before",
    "words_next": "words of the turn after", "meaning": "meaning", "meaning_previous": "meaning of the turn before",
    "meaning_next": "meaning of the turn after", "record_words": "words of the conversation",
    "speaker_named": "its speaker is named", "assistant": "an assistant says it", "is_question": "asks itself",
    "previous_has_question": "follows a question", "first_of_session": "opens a conversation",
    "first_person": "speaks of its speaker", "log_words": "length", "time_expressions": "speaks of a time",
    "date_match": "date", "anchor": "anchor",
    "words_other_language": "same words in another language", "words_unspaced": "the word that is asked",
    "covered_window": "covers the question with the turns before it",
    "covered_next": "covers the question with the turn after it", "graph": "shared entities", "hop": "one entity from a hit",
    "newer_state": "a newer state of what another hit says",
}  # fmt: skip


_LONGEST_NAME = 6
_WORD = re.compile(r"[^\W_][\w.’'&-]*")


def rationale(
    anchor: Anchor | None,
    path: tuple[str, ...],
    signals: Mapping[str, float],
    reached: ReachedOver | None = None,
    newer: Candidate | None = None,
    widened_by: WidenedBy | None = None,
) -> str:
    """One line: path; anchor and reason, or why it was searched without one; the entity over which it was reached; the day of a
    newer state that is above it; the three signals that raised the hit most."""
    place = " > ".join(path)
    if anchor is not None:
        reasons = " and ".join(_REASONS[reason] for reason in anchor.reasons)
        within = "" if anchor.path == path else f" through {' > '.join(anchor.path)}"
        place += f"{within} ({reasons})"
    elif widened_by is not None:
        place += f" ({_WIDENED[widened_by]})"
    if reached is not None:
        over = f"over {reached.entity}" if reached.entity else "over an entity"
        place += f", {over} from “{reached.from_title}”" if reached.from_title else f", {over} of the question"
    if newer is not None and newer.occurred_at is not None:
        place += f", an older state of what was said on {newer.occurred_at.date().isoformat()}"
    raised = sorted(((part, name) for name, part in signals.items() if part > 0 and name in _SIGNALS), reverse=True)[
        :SHOWN
    ]
    shown = ", ".join(f"{_SIGNALS[name]} {part:+.2f}" for part, name in raised)
    return f"{place}: {shown}" if shown else place


def reached_over(
    link: Reached | None,
    told: Contents,
    contents: Mapping[tuple[UUID, UUID], Contents],
    named: Sequence[NamedEntity],
    kinds: Sequence[str],
) -> ReachedOver | None:
    """The way to a passage by the names that are shown: those of the question, or the words of the passage. None without one.
    `kinds`: of entities, in the domain."""
    if link is None:
        return None
    if link.start is None:
        of_question = next((one for one in named if link.entity in one.numbers), None)
        return ReachedOver(of_question.name, entity_id=of_question.entity_id) if of_question else ReachedOver(None)
    start = contents.get((link.start.node_id, link.start.item_id))
    if start is None:
        return None
    name = _name_in(f"{told.record_title}\n{told.content}", link.entity, kinds)
    return ReachedOver(name, start.item_id, start.record_id, start.record_title)


def _name_in(text: str, entity: int, kinds: Sequence[str]) -> str | None:
    """The words of a text that name an entity, of which only the number is at hand."""
    for name in _names(text):
        of_any_kind = canonical_key("", name)
        if any(entity_number(f"{kind}{of_any_kind}") == entity for kind in kinds):
            return name
    return None


def _opens(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


def _names(text: str) -> Iterator[str]:
    """Runs of words that begin and end with a capital or a digit."""
    words = list(_WORD.finditer(text))
    for first in range(len(words)):
        if not _opens(words[first][0]):
            continue
        for last in range(first, min(first + _LONGEST_NAME, len(words))):
            if _opens(words[last][0]):
                yield text[words[first].start() : words[last].end()]
