"""The pieces that fit into the tokens of a context. Pure; the whole text is counted at the end, so that the number holds for
any tokenizer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from uuid import UUID

from engine.domain.context import OmittedPiece, Piece
from engine.domain.terms import words
from engine.retrieval.context.drafts import Draft, Drafts, Section
from engine.retrieval.context.text import FACTS, NUMBER, PROFILE, line_of, written

Count = Callable[[str], int]

SHARES: dict[Section, float] = {"profile": 0.15, "facts": 0.45, "passages": 1.0}
"""Up to which share of the tokens a section may go, those before it included; what is left at the end goes to what did not
fit."""
ASKED = 0.8
"""The same for relations that the question asks for."""
LONGEST = 0.5
"""Share of the tokens that one piece may have; of a longer one the sentences are kept that share most words with the
question."""
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+|\n+")
_FRAME = "<memory 000000000000>\n</memory 000000000000>"


def _share(draft: Draft) -> float:
    """Up to which share of the tokens a piece may go. What the question does not speak of has little room; what the search found
    of the user has that of facts, else the best hit of all may be left out for being a preference."""
    if draft.asked:
        return ASKED
    known: Section = "facts" if draft.found and draft.piece.kind == "fact" else "profile"
    return SHARES[draft.section if draft.section == "passages" else known]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A context within its tokens."""

    text: str
    key: str
    tokens: int
    pieces: tuple[Piece, ...]
    left_out: tuple[OmittedPiece, ...]


def fitted(drafts: Drafts, question: str, most: int, count: Count) -> Fitted:
    """The text of as many pieces as fit into so many tokens, in their order, and what was left out."""
    asked = frozenset(words(question))
    room = _Room(drafts, most, count)
    for draft in drafts.pieces:
        room.take(_shortened(draft, asked, round(most * LONGEST), count), _share(draft))
    for draft in [*room.refused]:
        room.take(draft, 1.0)
    chosen = room.chosen
    text, key, pieces = written(drafts, chosen)
    while text and count(text) > most:
        room.refused.append(chosen.pop())
        text, key, pieces = written(drafts, chosen)
    there = {(one.kind, one.record_id, one.item_id, one.text) for one in pieces}
    left = [one.piece for one in room.refused]
    omitted = [one for one in left if (one.kind, one.record_id, one.item_id, one.text) not in there]
    return Fitted(text, key, count(text) if text else 0, pieces, tuple(_omitted(one, count) for one in omitted))


class _Room:
    """What is taken so far, and the tokens that it has with its headings."""

    def __init__(self, drafts: Drafts, most: int, count: Count) -> None:
        self._groups, self._most, self._count = drafts.groups, most, count
        self._used, self._headed = count(_FRAME), set[Section | UUID]()
        self.chosen: list[Draft] = []
        self.refused: list[Draft] = []

    def take(self, draft: Draft, share: float) -> None:
        """Takes it if it fits into this share of the tokens; else refuses it."""
        group = self._groups[draft.group] if draft.group is not None else None
        cost = 1 + self._count(line_of(replace(draft.piece, mark=NUMBER), group))
        part: Section | UUID = draft.group or draft.section
        if part not in self._headed:
            heading = group.heading if group else PROFILE if draft.section == "profile" else FACTS
            cost += 1 + self._count(heading)
        fits = self._used + cost <= self._most * share
        if fits:
            self._used += cost
            self._headed.add(part)
            self.chosen.append(draft)
            if draft in self.refused:
                self.refused.remove(draft)
        elif draft not in self.refused:
            self.refused.append(draft)


def _shortened(draft: Draft, asked: frozenset[str], most: int, count: Count) -> Draft:
    """A long text cut to a run of whole sentences around the one that shares most words with the question."""
    text = draft.piece.text
    if count(text) <= most:
        return draft
    sentences = [one for one in _SENTENCE.split(text) if one] or [text]
    best = max(range(len(sentences)), key=lambda number: (len(asked & set(words(sentences[number]))), -number))
    first, last = best, best + 1
    kept = sentences[best]
    while True:
        for begin, end in ((first, last + 1), (first - 1, last)):
            longer = " ".join(sentences[max(begin, 0) : end])
            if begin >= 0 and end <= len(sentences) and count(longer) <= most:
                first, last, kept = begin, end, longer
                break
        else:
            break
    if count(kept) > most:
        kept = _begun(kept, most, count)
    return replace(draft, piece=replace(draft.piece, text=kept, cut=True)) if kept else draft


def _begun(text: str, most: int, count: Count) -> str:
    """The beginning of a text that has no end of a sentence in time."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[:middle]) <= most else (low, middle - 1)
    return text[:low].rsplit(" ", 1)[0].strip()


def _omitted(piece: Piece, count: Count) -> OmittedPiece:
    return OmittedPiece(piece.kind, piece.record_id, piece.item_id, count(piece.text))
