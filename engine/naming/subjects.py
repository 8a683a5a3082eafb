"""Which names a fact uses: those in its text, and its subjects. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.entity import Mention, TextPiece
from engine.domain.names import name_key
from engine.language.tables import all_listed, alternatives, each, keys, one_of
from engine.naming.mentions import UsedName, used_name
from engine.naming.names import MOST_CHARACTERS, names_in
from engine.naming.words import AMBIGUOUS_NAMES, CALENDAR, GIVEN_NAMES, SPEAKERS_WITHOUT_NAME, STOP_WORDS

USER: UsedName = ("", "")
"""The user of the graph, whom a fact names by no name."""
USER_WORD = "user"
LONGEST_THING = 120
"""Characters of a statement in which the thing that it is about is looked for."""
_SAID = {key: alternatives("openings", key) for key in keys("openings")}
_DOES = re.compile(
    rf"\A([^\W\d_]+(?:[-’'][^\W\d_]+)*) (?:(?:{_SAID['between']}) ){{0,2}}(?:{_SAID['between_elided']})?"
    rf"(?:({_SAID['does']})|{_SAID['is']})\b"
)
"""A word, and what a person does, does not or is ("Tine no longer plays"); in the languages of which names are read."""
_WHAT = r"[^\W\d_][\w’'-]*(?: [^\W_][\w’'-]*){0,4}?"
_THING = re.compile(
    rf"\A(?:(?:{_SAID['the_own']})(?P<what_own>{_WHAT}) (?:{_SAID['thing_is_own']})"
    rf"|(?:{_SAID['the']})?(?P<what>{_WHAT}) (?:{_SAID['thing_is']}))\b"
)
"""What a statement about no person begins with: "the trip to Iceland is …", without its article. *A* is an article like *the* in
Portuguese alone: "a dog is …" may be about any dog."""
_DEFINITE = dict(each("articles", "definite"))
_OCCASIONS = tuple(
    re.compile(rf"\A(?:{_DEFINITE[code]})({_WHAT}) (?:{occurs})\b")
    for code, occurs in each("verbs", "occurs")
    if code in _DEFINITE
)
"""By language what takes place or is called off, behind an article: "das Fest wurde", "la boda se canceló"; not "gestern
wurde"."""
_OUR = re.compile(rf"\A(?:{one_of('openings', 'our')}) ", re.IGNORECASE)
_OF_SPEAKER = frozenset(all_listed("openings", "speaker"))
_OF_USER = frozenset(map(name_key, all_listed("openings", "user")))


@dataclass(frozen=True, slots=True)
class FactNames:
    """The names that a fact uses, and which one is its subject; None where that is no name."""

    names: frozenset[UsedName]
    subject: UsedName | None


def named_by(piece: TextPiece, subjects: Sequence[str], found: Sequence[Mention]) -> tuple[FactNames, list[Mention]]:
    """The names of a fact, and its mentions: those found in its text, then subjects that do not stand there by name.

    `I` and `user` are the speaker of its turn where that one has a name, else the user.
    """
    mentions = [one for one in found if one.form != "speaker"]
    used = {used_name(one, piece) for one in mentions}
    subject: UsedName | None = None
    for number, given in enumerate(subjects or [_first(piece.text)]):
        key = name_key(given)
        person = key in _OF_USER or key in _OF_SPEAKER
        if person:
            given = _speaker(piece) if key in _OF_SPEAKER else ""
        elif not subjects or not _is_name(given):
            continue
        told = [
            other for other in used if other[0] == name_key(given)
        ]  # of several of the name the one that the text means
        one = USER if person and not given else told[0] if len(told) == 1 else (name_key(given), "")
        if one not in used:
            mentions.append(Mention(given, 0, 0, sure=False))
        used.add(one)
        subject = one if number == 0 else subject
    return FactNames(frozenset(used), subject), mentions


def leading_subject(text: str) -> str:
    """The name that a statement begins with, or in small letters the thing; `user` where it begins with I, my or our; empty
    where it begins with none of these."""
    if name_key(_first(text)) in _OF_SPEAKER | _OF_USER or _OUR.match(text):
        return USER_WORD
    [found] = names_in([TextPiece(text)], {})
    return next((one.name for one in found if one.start == 0), "") or _doing(text) or _thing(text)


def _doing(text: str) -> str:
    """The word that a statement begins with, where it does what persons do (`Zed lives`) or may be a name; without a capital a
    given name (`nadia plays`)."""
    begins = _DOES.match(text)
    if begins is None or name_key(begins[1]) in STOP_WORDS | CALENDAR:
        return ""
    if not begins[1][0].isupper() and begins[1] not in GIVEN_NAMES:
        return ""
    return begins[1] if begins[2] or begins[1].casefold() in GIVEN_NAMES | AMBIGUOUS_NAMES else ""


def _thing(text: str) -> str:
    said = f"{text[:1].lower()}{text[1:LONGEST_THING]}"
    begins = _THING.match(said)
    occasions = (found[1] for one in _OCCASIONS if (found := one.match(said)))
    what = (begins["what"] or begins["what_own"]) if begins else next(occasions, "")
    return what.casefold() if what and name_key(what.split()[0]) not in STOP_WORDS | CALENDAR else ""


def _first(text: str) -> str:
    """The words that a fact without a subject begins with, where they say whom it is about."""
    words = text.split()[:2]
    return " ".join(words) if name_key(" ".join(words)) in _OF_USER else words[0] if words else ""


def _speaker(piece: TextPiece) -> str:
    named = 1 < len(piece.speaker) <= MOST_CHARACTERS and piece.speaker.casefold() not in SPEAKERS_WITHOUT_NAME
    return piece.speaker if named else ""


def _is_name(subject: str) -> bool:
    return len(subject) <= MOST_CHARACTERS and any(letter.isupper() for letter in subject) and bool(name_key(subject))
