"""Whether a capital makes a name, and whether a known name is one where it stands. Pure."""

from __future__ import annotations

import re

from engine.domain.entity import TextPiece
from engine.language.tables import all_listed, one_of
from engine.naming.cuts import NamePiece, WordEvidence, is_no_name
from engine.naming.known import NameHit
from engine.naming.spelling import Reading
from engine.naming.words import (
    AMBIGUOUS_NAMES,
    CALENDAR,
    ENDINGS,
    GIVEN_NAMES,
    IDENTITIES,
    NATIONALITIES,
    OPENERS,
    PLACES,
    STOP_WORDS,
)

_MOST_SHOUTED = 5
"""Longest word in capitals alone that may be an acronym."""
_COMMUNITY = re.compile(rf" (?:{one_of('kinds', 'community')})")
_BEFORE_WORDS = tuple(f" {word} " for word in all_listed("written_names", "determiners"))
_WAR = re.compile(rf" (?:{one_of('kinds', 'noun_of')}) \d{{4}}\b")
_ACTS = re.compile(rf" (?:{one_of('written_names', 'acts')})\b")
_SEVERAL = re.compile(rf"\b(?:{one_of('written_names', 'several')}) $", re.IGNORECASE)
_OF_GROUPS = IDENTITIES | NATIONALITIES


def is_sure(part: NamePiece, piece: TextPiece, reading: Reading, evidence: WordEvidence) -> bool | None:
    """Whether a part is a name: True, False for perhaps, None for no."""
    if end_of(piece.text, part) > part.end:
        return True
    if is_no_name(part, evidence):
        return None
    if len(part.words) > 1:
        shouted = all(word.text.isupper() and evidence.is_ordinary(word.folded) for word in part.words)
        return None if shouted or reading.shouted else True
    folded = part.words[0].folded
    if folded in evidence.known and folded not in STOP_WORDS:
        return True
    if folded in evidence.surnames or (not part.opens and folded in evidence.people and folded not in OPENERS):
        return True
    if folded in STOP_WORDS and part.words[0].text not in PLACES and folded not in GIVEN_NAMES:
        return None
    return None if _of_several(part, piece) else _single(part, piece, reading, evidence)


def _of_several(part: NamePiece, piece: TextPiece) -> bool:
    """Whether a word is the plural of a given name: both Sams."""
    folded = part.words[0].folded
    plural = folded.endswith("s") and folded[:-1] in GIVEN_NAMES and folded not in GIVEN_NAMES
    return plural and _SEVERAL.search(piece.text[max(0, part.start - 10) : part.start]) is not None


def _single(part: NamePiece, piece: TextPiece, reading: Reading, evidence: WordEvidence) -> bool | None:
    """The same for a single word that no list decides."""
    word, folded = part.words[0].text, part.words[0].folded
    ordinary, shouted = folded in evidence.small, word.isupper() and len(word) > 1
    if shouted and (len(word) > _MOST_SHOUTED or ordinary or reading.caseless):
        return None
    if not part.opens:
        return None if ordinary and piece.spoken and folded not in AMBIGUOUS_NAMES else True
    if shouted and len(word) > 2:
        return True
    if part.words[0].owns and not evidence.is_ordinary(folded):
        return True
    if ordinary or (folded in AMBIGUOUS_NAMES and folded not in evidence.large):
        return None
    if folded in evidence.large or folded in GIVEN_NAMES or word in PLACES or folded in evidence.people:
        return True
    if evidence.is_ordinary(folded) or "-" in word:
        return None
    if not piece.spoken and _ACTS.match(piece.text, part.words[0].end):
        return True
    return None if reading.caseless else False


def end_of(text: str, part: NamePiece) -> int:
    """The end of a name, with "community" behind a word for a group of people, and with the year of a war."""
    if part.words[-1].folded in _OF_GROUPS and (community := _COMMUNITY.match(text, part.end)):
        return community.end()
    if (year := _WAR.match(text, part.end)) and ENDINGS.get(part.words[-1].folded) == "event":
        return year.end()
    return part.end


def counts(text: str, hit: NameHit, reading: Reading) -> bool | None:
    """Whether a known name is one here: True, False for perhaps, None for no."""
    name = text[hit.start : hit.end]
    if not any(letter.islower() or letter.isupper() for letter in name):
        return True
    folded = name.casefold()
    if reading.caseless and name[0].islower():
        ambiguous = folded in STOP_WORDS or folded in AMBIGUOUS_NAMES or folded in CALENDAR
        before = text[max(0, hit.start - 5) : hit.start].casefold()
        return hit.words > 1 or not (ambiguous or before.endswith(_BEFORE_WORDS))
    if not any(letter.isupper() for letter in (name if name[0].isdigit() else name[:3])):
        return None
    return not (hit.words == 1 and folded in STOP_WORDS and folded not in GIVEN_NAMES)
