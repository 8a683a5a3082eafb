"""What tells two of one name apart although nothing in the names does: what they are to somebody, their towns, their ages, the
forms of their companies. Pure. It never says that they are one: what it finds stays two, as a pair for the user."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from engine.domain.names import name_key
from engine.entities.resolution.name_parts import parts_of
from engine.entities.resolution.namesake_clues import NO_CLUES, Clues


def why_apart(name: str, names: Collection[str], ours: Clues, theirs: Clues, others: Clues = NO_CLUES) -> str:
    """Why the one that a text calls `name` is not the one with these names, in plain words; empty where it may be.

    `ours`, `theirs`: the clues of both; `others`: those of the others that its record calls so. It tells only of those who have a
    first name alone.
    """
    if reason := different_forms([name], names):
        return reason
    if any(tie.partition("|")[0] in map(name_key, names) for tie in ours.ties) and not ours.fits(theirs):
        return "who speaks speaks of somebody else"
    if len(name.split()) > 1 and all(len(one.split()) > 1 for one in names):
        return ""
    if others.fits(theirs) and not ours.fits(theirs):
        return "its record speaks of another of that name"
    return ours.differs(theirs)


def different_forms(names: Iterable[str], others: Iterable[str]) -> str:
    """`Bauer GmbH` is not `Bauer AG`, `Bauer` may be either. A part of a form may be all of it: GmbH & Co. KG."""
    ours, theirs = ([legal for name in of if (legal := parts_of(name).legal)] for of in (names, others))
    if not ours or not theirs or any(one <= other or other <= one for one in ours for other in theirs):
        return ""
    return f"the forms of the companies differ: {' '.join(sorted(ours[0]))}, {' '.join(sorted(theirs[0]))}"
