"""Cuts runs of words with capitals into names, without the words around them that only stand there; and whether a capital makes a
name, and whether a known name is one where it stands. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.domain.entity import TextPiece
from engine.language.tables import all_listed, both_signs, one_of
from engine.naming.spelling import CapitalRun, NameHit, Reading, Word
from engine.naming.words import (
    ACRONYMS,
    AMBIGUOUS_NAMES,
    CALENDAR,
    ENDINGS,
    GIVEN_NAMES,
    IDENTITIES,
    NATIONALITIES,
    NOBLE,
    OPENERS,
    PLACES,
    STOP_WORDS,
    TITLES,
)

_PRONOUNS, _ARTICLES, _HYPHENED, _PARTICLES, _LEGAL, _GENERATION, _HOURS, _FESTIVE, _SIDES = (
    frozenset(both_signs(all_listed("written_names", key)))
    for key in (
        *("pronouns", "outside", "behind_hyphen", "particles", "legal", "generation", "hours", "festive"),
        "directions",
    )
)
_ADVERBS = all_listed("written_names", "verb_endings")
_PERSONAL = GIVEN_NAMES | TITLES | NATIONALITIES
_OF = frozenset(f" {word} " for word in all_listed("written_names", "of"))
_MOST_SHOUTED = 5
"""Longest word in capitals alone that may be an acronym."""
_COMMUNITY = re.compile(rf" (?:{one_of('kinds', 'community')})")
_BEFORE_WORDS = tuple(f" {word} " for word in all_listed("written_names", "determiners"))
_WAR = re.compile(rf" (?:{one_of('kinds', 'noun_of')}) \d{{4}}\b")
_ACTS = re.compile(rf" (?:{one_of('written_names', 'acts')})\b")
_SEVERAL = re.compile(rf"\b(?:{one_of('written_names', 'several')}) $", re.IGNORECASE)
_OF_GROUPS = IDENTITIES | NATIONALITIES


@dataclass(frozen=True, slots=True)
class Either:
    """Words of what is known from before, which may be many, and of this batch."""

    before: frozenset[str] = frozenset()
    near: set[str] = field(default_factory=set)

    def __contains__(self, word: object) -> bool:
        return word in self.near or word in self.before


@dataclass(slots=True)
class WordEvidence:
    """What the texts of a batch tell about words, folded.

    `small`: written without a capital; `large`: with one inside of a sentence; `known`: of names that are known, of speakers and
    titles of documents; `people`: of people; `surnames`: last words of titles of documents that may be people's.
    """

    small: set[str] = field(default_factory=set)
    large: set[str] = field(default_factory=set)
    known: Either = field(default_factory=Either)
    people: Either = field(default_factory=Either)
    surnames: set[str] = field(default_factory=set)

    def is_name(self, word: str) -> bool:
        """Whether a word is a name by itself, wherever it stands."""
        return word in self.known or (word in GIVEN_NAMES and word not in self.small)

    def is_ordinary(self, word: str) -> bool:
        """Whether a word at the beginning of a sentence is one that only stands there."""
        if self.is_name(word):
            return False
        return word in STOP_WORDS or word in self.small or (word.endswith(_ADVERBS) and word not in self.large)


@dataclass(frozen=True, slots=True)
class NamePiece:
    """A piece of a run that may be a name; `opens`: nothing but a sentence's beginning may have made its capital."""

    words: tuple[Word, ...]
    opens: bool

    @property
    def start(self) -> int:
        return self.words[0].start

    @property
    def end(self) -> int:
        return self.words[-1].stop

    @property
    def folded(self) -> list[str]:
        return [word.folded for word in self.words]


def parts_of(text: str, run: CapitalRun, evidence: WordEvidence, *, spoken: bool = False) -> Iterator[NamePiece]:
    """The names of a run, in order."""
    for words, opens in _split(text, run, evidence, spoken=spoken):
        part = _trimmed(text, words, opens, evidence)
        if part is not None:
            yield part


def _split(
    text: str, run: CapitalRun, evidence: WordEvidence, *, spoken: bool
) -> Iterator[tuple[Sequence[Word], bool]]:
    words, begin = run.words, 0
    for at, word in enumerate(words):
        if word.folded in _PRONOUNS and not _is_numeral(text, words, at):
            yield words[begin:at], run.opens and begin == 0
            begin = at + 1
        elif at + 1 < len(words) and (
            _ends_name(text, words[begin : at + 1], words[at + 1 :], evidence)
            or (spoken and _owns_thing(words[begin : at + 1], words[at + 1 :], evidence))
        ):
            yield words[begin : at + 1], run.opens and begin == 0
            begin = at + 1
    yield words[begin:], run.opens and begin == 0


def _is_numeral(text: str, words: Sequence[Word], at: int) -> bool:
    """Whether "I" counts kings."""
    if words[at].text != "I" or at == 0:
        return False
    return text[words[at].end : words[at].end + 1] in ('"', ",", ")", ".", ";", "") or words[0].folded in NOBLE


def _ends_name(text: str, left: Sequence[Word], right: Sequence[Word], evidence: WordEvidence) -> bool:
    word, gap = left[-1], text[left[-1].end : right[0].start]
    first, folded = left[0].folded, [one.folded for one in left]
    if word.text.endswith(".") and (len(word.text) > 3 or word.folded in _GENERATION) and right[0].folded in STOP_WORDS:
        return True
    if word.owns:
        name = text[left[0].start : word.stop]
        known = len(left) == 1 and (word.folded in evidence.known or word.folded in evidence.people)
        return known or (name in PLACES and right[0].folded in GIVEN_NAMES) or (len(left) > 1 and first in GIVEN_NAMES)
    if word.text in _LEGAL and word.text.endswith(".") and gap == " ":
        return True
    if gap in _OF:
        person = len(left) > 1 and first in GIVEN_NAMES and not any(one in ENDINGS for one in folded)
        place = ENDINGS.get(word.folded) == "place" and len(left) > 1 and text[right[0].start : right[0].stop] in PLACES
        lives = len(left) > 1 and _place_at(text, right) and not any(one in ENDINGS or one in NOBLE for one in folded)
        return person or place or lives or text[left[0].start : word.stop] in PLACES
    if (
        word.folded in TITLES
        and not _is_initial(word)
        and len(left) > 1
        and gap == " "
        and not any(one.folded in ENDINGS for one in (*left, *right))
    ):
        return True
    if (
        len(left) > 1
        and right[0].folded in evidence.known
        and right[0].folded in evidence.people
        and first not in GIVEN_NAMES
    ):
        return left[0].folded in STOP_WORDS
    return False


def _is_initial(word: Word) -> bool:
    return len(word.text) == 2 and word.text[1] == "."


def _owns_thing(left: Sequence[Word], right: Sequence[Word], evidence: WordEvidence) -> bool:
    """Whether a first name and a thing of this person stand in a row: Ann's Delta, but not Ann's Diner. Titles of books look
    alike, so it is asked of what was said only."""
    alone = len(left) == 1 or (len(left) == 2 and left[0].folded in STOP_WORDS)
    called = len(right) == 1 and right[0].folded in ENDINGS
    return left[-1].owns and alone and not called and evidence.is_name(left[-1].folded)


def _place_at(text: str, words: Sequence[Word]) -> bool:
    return any(text[words[0].start : word.stop] in PLACES for word in words[:2])


def _trimmed(text: str, words: Sequence[Word], opens: bool, evidence: WordEvidence) -> NamePiece | None:
    while words and (step := _leading(text, words, opens, evidence)):
        # What a stripped word leaves stands inside of a sentence.
        words, opens = words[step:], False
    while words and len(words) > 1 and _trails(words):
        words = words[:-1]
    return NamePiece(tuple(words), opens) if words else None


def _leading(text: str, words: Sequence[Word], opens: bool, evidence: WordEvidence) -> int:
    """How many words at the front stand outside of the name."""
    word, folded = words[0], words[0].folded
    if folded in _ARTICLES:
        return 1
    if len(words) == 1:
        return 0
    gap, following = text[word.end : words[1].start], words[1].folded
    if folded in NOBLE and gap in _OF:
        return 1
    if folded in _PARTICLES or _is_place(text, words):
        return 0
    if folded in TITLES or folded.rstrip(".") in TITLES:
        return int(gap in _OF or not any(one.folded in ENDINGS for one in words[1:]))
    if folded in CALENDAR and _is_date(text, word, following, opens, evidence):
        return 1
    if folded in NATIONALITIES or folded.partition("-")[0] in NATIONALITIES:
        return int(following in _PERSONAL or following in evidence.people)
    if folded in ACRONYMS:
        return 1
    if folded in _SIDES and following in NATIONALITIES:
        return 2 if len(words) > 2 else 0
    return _opening(word, following, evidence) if opens and not evidence.is_name(folded) else 0


def _is_date(text: str, word: Word, following: str, opens: bool, evidence: WordEvidence) -> bool:
    if (
        word.folded in AMBIGUOUS_NAMES
        and not opens
        and not _MONTH_BEFORE.search(text[max(0, word.start - 8) : word.start])
    ):
        return False
    return (
        opens
        or text[max(0, word.start - 2) : word.start - 1].isdigit()
        or following in evidence.known
        or following in GIVEN_NAMES
    )


def _opening(word: Word, following: str, evidence: WordEvidence) -> int:
    """Whether the first word of a sentence stands outside of the name that follows."""
    folded = word.folded
    if following in evidence.known and following in evidence.people and folded not in GIVEN_NAMES and not word.owns:
        return 1
    full_name = folded in AMBIGUOUS_NAMES and following not in GIVEN_NAMES and not evidence.is_name(following)
    return int(evidence.is_ordinary(folded) and not full_name)


def _is_place(text: str, words: Sequence[Word]) -> bool:
    return any(text[words[0].start : word.stop] in PLACES for word in words[1:3])


def _trails(words: Sequence[Word]) -> bool:
    word = words[-1]
    return (
        word.folded in _ARTICLES
        or (word.folded in CALENDAR and words[-2].folded in (*CALENDAR, *GIVEN_NAMES))
        or word.folded in _HOURS
    )


def is_no_name(part: NamePiece, evidence: WordEvidence) -> bool:
    """Whether a part names nothing: days, nationalities, titles, common acronyms."""
    folded = part.folded
    if (
        any(word in evidence.known for word in folded)
        and not set(folded) <= CALENDAR | NATIONALITIES | ACRONYMS | _SIDES
    ):
        return False
    if all(word in CALENDAR or word in NATIONALITIES or word in ACRONYMS or word in _SIDES for word in folded):
        return True
    if len(folded) == 2 and folded[0][0].isdigit() and folded[1] in TITLES:  # the 18th President
        return True
    if len(folded) > 1:
        return all(word in CALENDAR or word in _FESTIVE for word in folded)
    word = folded[0]
    head, _, tail = word.rpartition("-")
    if tail in _HYPHENED or (head in NATIONALITIES and part.words[0].text.rpartition("-")[2].islower()):
        return True
    stem, _, contracted = word.replace("’", "'").partition("'")
    if contracted in _CONTRACTED and stem in STOP_WORDS:
        return True
    if _LETTER.match(part.words[0].text) or (word.endswith("s") and word[:-1] in ACRONYMS):
        return True
    return (
        word in TITLES
        or word in NOBLE
        or word in _PRONOUNS
        or word in IDENTITIES
        or len(part.words[0].text.rstrip(".")) < 2
    )


_MONTH_BEFORE = re.compile(rf"(?:\d|\b(?:{one_of('written_names', 'before_month')})) $", re.IGNORECASE)
_CONTRACTED = frozenset(all_listed("written_names", "contracted"))
_LETTER = re.compile(r"\w-[^\W\d_]")


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
