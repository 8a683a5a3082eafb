"""How alike two names are as names, before any context: equal, a part of the other, a short form, or not alike. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from engine.domain.entity import UNKNOWN_KIND
from engine.entities.resolution.kin import gender_told
from engine.entities.resolution.name_parts import NameParts, parts_of
from engine.entities.resolution.romanized import (
    EAST_ASIAN,
    korean_surnames,
    lines,
    romanized,
    sections,
    sounds_alike,
    word_set,
)

Relation = Literal["equal", "variant", "extends", "acronym", "place", "renamed", "surname", "apart"]
Verdict = Literal["same", "review", "apart"]


@dataclass(frozen=True, slots=True)
class NameLikeness:
    """What one name is to the other. `score` 0 to 1; `foreign`: matched across scripts; `reason` in plain words."""

    relation: Relation
    score: float
    reason: str
    foreign: bool = False
    words: int = 0
    """How many words were matched."""


APART = NameLikeness("apart", 0.0, "the names differ")


@lru_cache(maxsize=1 << 14)
def name_likeness(a: str, b: str, slavic: bool = False) -> NameLikeness:
    """Symmetric. `slavic`: the texts are in a language that inflects names."""
    one, other = sorted((a, b))
    left, right = parts_of(one), parts_of(other)
    if known := _listed(one, other):
        return known
    if not left.words or not right.words:
        return NameLikeness("equal", 0.5, "both are titles alone") if left == right else APART
    if left.teknonym != right.teknonym:
        return NameLikeness("apart", 0.0, "one is named as the parent or child of the other")
    if short := _acronym(left, right) or _acronym(right, left):
        return short
    if len(left.words) > len(right.words):
        left, right = right, left
    return _aligned(left, right, slavic)


def _listed(a: str, b: str) -> NameLikeness | None:
    one, other = _plain(a), _plain(b)
    if one == other:
        return None
    place, further = (_index("names").get(name) for name in (one, other))
    if place is not None and further is not None:
        if place != further:
            return NameLikeness("apart", 0.0, "they are names of two places")
        return NameLikeness("place", 0.95, "both are names of one place", words=1)
    if _index("renamed").get(one, -1) == _index("renamed").get(other, -2):
        return NameLikeness("renamed", 0.8, "one is a former or other name of the other", words=1)
    return None


def place_of(name: str, listed: str = "names") -> int:
    """The number of the place that a name is listed for (in `renamed`: of anything with two names), -1 for none."""
    return _index(listed).get(_plain(name), -1)


def _plain(name: str) -> str:
    left_out = word_set("parts", "left_out")
    words = [word for word in romanized(name).replace(".", "").split() if word not in left_out]
    return " ".join(words)


@cache
def _index(name: str) -> Mapping[str, int]:
    found: dict[str, int] = {}
    for number, names in enumerate(lines("places", name)):
        for one in names:
            found.setdefault(_plain(one), number)
    return found


def _acronym(short: NameParts, long: NameParts) -> NameLikeness | None:
    letters = short.acronym
    if not letters or len(short.words) != 1 or len(long.words) < 2:
        return None
    initials = "".join(part[0] for word in long.words for part in word.split("-") if part)
    if letters in (initials, romanized(initials)):
        return NameLikeness("acronym", 0.85, "one is made of the first letters of the other", words=len(long.words))
    return None


# words ------------------------------------------------------------------------------------------------------


def _aligned(short: NameParts, long: NameParts, slavic: bool) -> NameLikeness:
    """The shorter name's words looked for in the longer one; every one has to be there."""
    free = list(range(len(long.words)))
    matches: list[_Match] = []
    for number, word in enumerate(short.words):
        found = [_Match(*_word(word, short.written[number], long, place, slavic), place) for place in free]
        best = max(found, key=lambda one: (one.score, -one.place), default=_Match(0.0, "", 0))
        if best.score <= 0:
            return _joined(short, long) or _surnames(short, long, slavic)
        free.remove(best.place)
        matches.append(best)
    places = [one.place for one in matches]
    loose = short.east_asian or long.east_asian
    if places != sorted(places) and not loose and short.words != tuple(reversed(long.words)):
        return APART
    return _judged(short, long, free, matches)


@dataclass(frozen=True, slots=True)
class _Match:
    score: float
    why: str
    place: int


def _judged(short: NameParts, long: NameParts, free: list[int], matches: list[_Match]) -> NameLikeness:
    score = min(one.score for one in matches)
    foreign = any(one.why == "sound" for one in matches)
    why = next(
        (_WHY[one.why] for one in matches if one.why in _WHY), "the names are equal but for case, marks and titles"
    )
    initials = sum(one.why == "initial" for one in matches)
    if not free:
        relation: Relation = "equal" if score == 1.0 else "extends" if initials == len(matches) else "variant"
        return NameLikeness(relation, score, why, foreign, len(matches))
    extra = {long.words[place] for place in free}
    if extra <= word_set("parts", "generic"):
        return NameLikeness("variant", 0.85 * score, "one leaves out an ordinary word", foreign, len(matches))
    if extra & word_set("parts", "heads") or short.company or long.company:
        return NameLikeness("apart", 0.3, "the longer name is that of another thing")
    if initials == len(matches) == 1:
        return APART
    if score == 1.0:
        why = f"one is the {'first' if matches[0].place == 0 else 'family'} name of the other"
    return NameLikeness("extends", 0.7 * score, why, foreign, len(matches))


_WHY = {
    "nickname": "one is a short form of the other",
    "case": "one is an inflected form of the other",
    "sound": "the names sound the same in two scripts",
    "spelling": "the names differ by a slip of spelling",
    "initial": "one has the first letters of the other",
}


def _word(word: str, written: str, long: NameParts, place: int, slavic: bool) -> tuple[float, str]:
    other, other_written = long.words[place], long.written[place]
    if word == other:
        return 1.0, "equal" if written.isascii() == other_written.isascii() or written[:1] == other_written[
            :1
        ] else "sound"
    if umlauts(written) == umlauts(other_written):
        return 1.0, "equal"
    if len(word) == 1 or len(other) == 1:
        return (0.7, "initial") if word[0] == other[0] else (0.0, "")
    if _script(written) != _script(other_written):
        return (0.9, "sound") if _foreign(written, other_written) else (0.0, "")
    if nicknames(word, other):
        return 0.9, "nickname"
    slavic = slavic and not (first_name_listed(word) and first_name_listed(other))
    if slavic and (common := forms(word, slavic) & forms(other, slavic)) and max(map(len, common)) >= 3:
        return 0.9, "case"
    if slavic and any(nicknames(x, y) for x in forms(word, slavic) for y in forms(other, slavic)):
        return 0.88, "case"
    return (0.8, "spelling") if misspelt(word, other) else (0.0, "")


def umlauts(word: str) -> str:
    """One spelling for ä and ae, ø and oe; marks fall away."""
    for mark, pair in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ø", "oe"), ("å", "aa")):
        word = word.replace(mark, pair)
    return romanized(word)


def _script(written: str) -> str:
    first = next((c for c in written if c.isalpha()), "a")
    return (
        "east"
        if EAST_ASIAN.match(first)
        else "latin"
        if romanized(first).isascii() and ord(first) < 0x250
        else str(ord(first) >> 8)
    )


def _foreign(a: str, b: str) -> bool:
    for one, other in ((a, b), (b, a)):
        if (
            len(one) == 1
            and romanized(one) in korean_surnames()
            and romanized(other) in korean_surnames()[romanized(one)]
        ):
            return True
    return sounds_alike(a, b)


def _joined(short: NameParts, long: NameParts) -> NameLikeness | None:
    """`Tse Tung` for `Tsetung`: the same letters with other spaces. Parts of one letter are no words to join."""
    if "".join(short.words).replace("-", "") == "".join(long.words).replace("-", "") and len("".join(short.words)) > 3:
        return NameLikeness("variant", 0.95, "the names are equal but for spaces", words=len(short.words))
    return None


def _surnames(short: NameParts, long: NameParts, slavic: bool) -> NameLikeness:
    """The same first name, in the same form, with another family name: one person only where a text tells of a marriage or a
    maiden name."""
    both = len(short.words) == len(long.words) == 2
    if both and _word(short.words[0], short.written[0], long, 0, slavic)[1] == "equal":
        return NameLikeness("surname", 0.3, "the family names differ")
    return APART


# forms of first names ---------------------------------------------------------------------------------------


@cache
def _fulls() -> Mapping[str, frozenset[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for language, genders in sections("nicknames").items():
        for gender, names in genders.items():
            for full, short in names.items():
                for one in (full, *short.split()):
                    found.setdefault(romanized(one), set()).add((f"{language}.{gender}", romanized(full)))
    return {word: frozenset(fulls) for word, fulls in found.items()}


def nicknames(a: str, b: str) -> bool:
    """Whether one word is a short form of the other, or both are short forms of one first name in one language."""
    one, other = _fulls().get(a, frozenset()), _fulls().get(b, frozenset())
    return bool(one & other)


def full_forms(word: str) -> frozenset[str]:
    """The full first names that a word can be short for, with itself where it is one."""
    return frozenset(full for _, full in _fulls().get(word, ()))


def gender_of(word: str) -> str:
    """Of a first name that is listed for one gender only."""
    genders = {language.rpartition(".")[2] for language, _ in _fulls().get(word, ())}
    return genders.pop() if len(genders) == 1 else ""


def first_name_listed(word: str) -> bool:
    """Whether a word is a first name of the list, or a short form of one."""
    return word in _fulls()


_FEMALE = ("ami", "iami", "oy", "ey", "oj", "ej", "ou", "ie", "ii", "a", "e", "i", "y", "u", "o")
_MALE = ("owi", "ovi", "iem", "em", "om", "ie", "a", "u", "e", "i", "y")


@lru_cache(maxsize=1 << 14)
def forms(word: str, slavic: bool) -> frozenset[str]:
    """The nominatives that an inflected word can belong to, with itself."""
    if not slavic or len(word) < 3 or not word.isascii():
        return frozenset({word})
    found = {word}
    for ending in _FEMALE:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 2:
            found |= {stem + "a", stem + "ya"} if word[-1] != "a" else set()
            found |= {stem[:-1] + "ka"} if stem.endswith("c") else set()
            found |= {stem[:-1] + "a"} if stem.endswith("i") else {stem + "ia"}
    for ending in _MALE:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= 3:
            found |= {stem, stem + "y", stem[:-1] + "e" + stem[-1]}
    return frozenset(found)


def misspelt(a: str, b: str) -> bool:
    """One slip in a word of five letters or more: a letter too many, missing, changed, or two exchanged."""
    # Two listed names are two names.
    if min(len(a), len(b)) < 5 or a[0] != b[0] or any(c.isdigit() for c in a + b):
        return False
    if first_name_listed(a) and first_name_listed(b) and not nicknames(a, b):
        return False
    if len(a) == len(b):
        wrong = [place for place in range(len(a)) if a[place] != b[place]]
        swapped = (
            len(wrong) == 2 and wrong[1] == wrong[0] + 1 and a[wrong[0]] == b[wrong[1]] and a[wrong[1]] == b[wrong[0]]
        )
        return swapped or (len(wrong) == 1 and len(a) >= 6 and 0 < wrong[0] < len(a) - 1)
    if abs(len(a) - len(b)) != 1:
        return False
    long, short = (a, b) if len(a) > len(b) else (b, a)
    # An added last letter is mostly another name: Carlo, Carlos; Julia, Julian.
    return any(long[:place] + long[place + 1 :] == short for place in range(1, len(long) - 1))


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A name with what is known around it: its kind, other names, texts that mention it, who spoke."""

    name: str
    kind: str = UNKNOWN_KIND
    aliases: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    speaker: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class NameDecision:
    """`score` 0 to 1 orders decisions of one verdict; `reason` is for people."""

    verdict: Verdict
    score: float
    reason: str


def gender_of_person(thing: NamedThing, parts: NameParts) -> str:
    """`f` or `m`, by title, text or first name; empty where nothing tells."""
    listed = gender_of(parts.words[0]) if len(parts.words) > 1 else ""
    return parts.gender or gender_told(thing.texts, thing.name) or listed


def words_of_names(a: NamedThing, b: NamedThing) -> frozenset[str]:
    """The words of all names of both, in Latin letters."""
    named = [parts_of(name) for thing in (a, b) for name in thing.names]
    words = {word for parts in named for word in (*parts.words, *parts.written)}
    return frozenset(words | {romanized(part) for thing in (a, b) for name in thing.names for part in name.split()})
