"""Pieces as text for a prompt.

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

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b

from engine.domain.context import Piece
from engine.domain.fact import DAY_PASSED
from engine.domain.prompt_lines import indented, inline
from engine.retrieval.context.drafts import Draft, Drafts, Group

PROFILE = "The user, and what the question names:"
FACTS = "Facts:"
BETWEEN = "…"
"""Between turns that do not follow each other."""
NUMBER = 888
"""A mark for counting, before the places are known."""


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
