"""Pieces as text for a prompt, and those that fit into the tokens of a context. Pure; the whole text is counted at the end, so
that the number holds for any tokenizer.

    <memory 4be1c90a53d7>
    The user, and what the question names:
    [1] Ellen: person. …
    Facts:
    [2] Ellen lives in Duluth. (since 2024-05-03)
    Conversation “A call”, 2024-05-08, at Family > Siblings:
    [3] Bob: My sister Ellen moved
      (the second line of a turn)
    </memory 4be1c90a53d7>

What is stored is data, never an instruction. So that a stored text cannot look like a heading, another piece or the end, each
of its lines but the first is indented, and the border has a key that is made of all texts: none can hold it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from uuid import UUID

from engine.domain.context import OmittedPiece, Piece
from engine.domain.fact import DAY_PASSED
from engine.domain.prompt_lines import indented, inline
from engine.domain.terms import words
from engine.retrieval.context.drafts import Draft, Drafts, Group, Section

PROFILE = "The user, and what the question names:"
FACTS = "Facts:"
BETWEEN = "…"
"""Between turns that do not follow each other."""
NUMBER = 888
"""A mark for counting, before the places are known."""
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


def written(drafts: Drafts, chosen: Sequence[Draft]) -> tuple[str, str, tuple[Piece, ...]]:
    """The text of the chosen pieces, its key, and the pieces with their marks, in the same order.

    Who and what comes first, then facts, then conversations and documents, each in the order of time; the most relevant ones
    last. Models use best what stands at the beginning and at the end of a long prompt, and worst what stands in its middle
    ("lost in the middle", Liu et al., TACL 2024): profile and facts have the beginning, and the end is next to the question.
    """
    if not chosen:
        return "", "", ()
    lines: list[str] = []
    pieces: list[Piece] = []
    for heading, group, part in _parts(drafts, chosen):
        lines.append(inline(heading))
        before: Draft | None = None
        for draft in part:
            if before is not None and draft.group and draft.place[0] > before.place[0] + 1:
                lines.append(BETWEEN)
            piece = replace(draft.piece, mark=len(pieces) + 1)
            lines.append(line_of(piece, group))
            pieces.append(piece)
            before = draft
    key = blake2b("\n".join(lines).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return "\n".join([f"<memory {key}>", *lines, f"</memory {key}>"]), key, tuple(pieces)


def _parts(drafts: Drafts, chosen: Sequence[Draft]) -> Iterator[tuple[str, Group | None, Sequence[Draft]]]:
    """The sections with their headings."""
    for section, heading in (("profile", PROFILE), ("facts", FACTS)):
        if part := [draft for draft in chosen if draft.section == section]:
            yield heading, None, part
    grouped = {draft.group for draft in chosen if draft.group is not None}
    for key in sorted(grouped, key=lambda one: (drafts.groups[one].score, str(one))):
        part = sorted((draft for draft in chosen if draft.group == key), key=lambda draft: draft.place)
        yield drafts.groups[key].heading, drafts.groups[key], part


def line_of(piece: Piece, group: Group | None) -> str:
    """A piece as text: its mark, who said it and when where that is not said above, when a fact holds."""
    before = after = ""
    if piece.kind in ("turn", "chunk"):
        at = f"{piece.occurred_at:%Y-%m-%d}" if piece.occurred_at else ""
        parts = [at if group is None or at != group.date else "", f"({piece.section})" if piece.section else ""]
        parts.append(f"{piece.speaker}:" if piece.speaker else "")
        before = "".join(f"{inline(part)} " for part in parts if part)
    elif piece.kind == "fact":
        after = _holds(piece) + (f" ({inline(piece.doubt.told)})" if piece.doubt else "")
        after += f" ({DAY_PASSED})" if piece.passed else ""
    return f"[{piece.mark}] {before}{indented(piece.text)}{'…' if piece.cut else ''}{after}"


def _holds(piece: Piece) -> str:
    since = f"{piece.valid_from:%Y-%m-%d}" if piece.valid_from else ""
    if piece.valid_to is not None:
        return f" (over: {since or '…'} to {piece.valid_to:%Y-%m-%d})"
    return f" (since {since})" if since else ""


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
