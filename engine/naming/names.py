"""Finds names in texts: of people, organizations, places, works and so on. Pure, without a model; time grows with the text only.

The texts of one call belong together and vouch for each other: a capital at the beginning of a sentence counts if the
same word has one inside of a sentence elsewhere, or is known. German writes every noun with a capital, so a name needs more
there (`german.py`); in texts without capitals only known names are found.
Titles in quotation marks or italics and nicknames are names, too, and addresses: e-mail addresses, phone numbers, handles and web
addresses. Whose they are, the user's aliases say.

+49 171 23 45    as +491712345: a number is found again with other spaces and marks, not with another prefix
@dave            a handle with its sign, and no part of an e-mail address
www.dave.org/    as dave.org: without scheme, www. and the last slash
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from engine.domain.entity import UNKNOWN_KIND, AliasType, Mention, TextPiece, alias_key
from engine.domain.names import name_key
from engine.language.tables import one_of
from engine.naming.cuts import Either, NamePiece, WordEvidence, counts, end_of, is_sure, parts_of
from engine.naming.german import german_names
from engine.naming.kinds import is_person, kind_of, kind_of_title
from engine.naming.spelling import CAPITALS, SMALL, KnownNames, NameHit, Reading, is_german, runs_of
from engine.naming.words import NATIONALITIES, NOUNS, OPENERS, SPEAKERS_WITHOUT_NAME, STOP_WORDS, relations_with_my

_MOST = 120
_QUOTED = re.compile(
    rf"(?<![\w\"])\"{{1,2}}(?P<a>[^\"\n]{{1,{_MOST}}})\"{{1,2}}(?![\w])"
    rf"|“(?P<b>[^“”\n]{{1,{_MOST}}})”|„(?P<c>[^„“”\n]{{1,{_MOST}}})[“”]"
    rf"|«\s?(?P<d>[^«»\n]{{1,{_MOST}}})\s?»|``\s?(?P<e>[^`\n]{{1,{_MOST}}}?)\s?''|(?<!\w)‘(?P<f>[^‘’\n]{{1,{_MOST}}})’(?!\w)"
    rf"|(?<![\w*])\*(?P<g>[^*\n]{{1,{_MOST}}})\*(?![\w*])|(?<![\w_])_(?P<h>[^_\n]{{1,{_MOST}}})_(?![\w_])"
    rf"|(?<![\w'])'(?P<i>[^'\n]{{1,{_MOST}}})'(?![\w'])"
)
_MARK = re.compile(r"[\"“„«`‘*_]|(?<!\w)'")
_WORD = re.compile(r"[^\W_][\w'’.-]*")
_CALLED = re.compile(rf"(?:{one_of('written_names', 'announced')})[ ,:=(]*$", re.IGNORECASE)
_LEAST_LARGE = 0.7
"""Share of the longer words that have a capital in a title."""
_MOST_WORDS = 14
MOST_OF_TEXT = 50
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_HANDLE = re.compile(r"(?<![\w@./:+-])@\w[\w.-]*\w")
_PHONE = re.compile(r"(?<![\w.,/:+-])(?:\+|00)?\(?\d[\d ()/.\u00a0-]{5,22}\d(?![\w])")
_URL = re.compile(r"(?<![\w@])(?:https?://|www\.)[^\s<>\"'()\[\]{}]+[\w/]")
_FOUND: Mapping[AliasType, tuple[re.Pattern[str], Callable[[str], bool]]] = {
    "url": (_URL, lambda text: "://" in text or "www." in text),
    "email": (_EMAIL, lambda text: "@" in text),
    "handle": (_HANDLE, lambda text: "@" in text),
    "phone": (_PHONE, lambda _: True),
}
MOST_CHARACTERS = 200
"""Longest name; a longer one is a sentence."""


def titles_in(text: str) -> Iterator[tuple[int, int, bool]]:
    """Where titles stand, without their marks; True for one that a noun or verb announces, as in: the novel "Emma"."""
    if _MARK.search(text) is None:
        return
    for match in _QUOTED.finditer(text):
        group = match.lastgroup or "a"
        start, end = match.span(group)
        while end > start and text[end - 1] in " ,;.":
            end -= 1
        while start < end and text[start] == " ":
            start += 1
        words = _WORD.findall(text[start:end])
        before = text[max(0, match.start() - 40) : match.start()].rstrip(" (“\"`'")
        noun = re.search(r"([^\W\d_]+)$", before)
        announced = _CALLED.search(before) is not None or (noun is not None and NOUNS.get(noun[1].casefold()) == "work")
        if words and len(words) <= _MOST_WORDS and _is_title(text[start:end], words, announced):
            yield start, end, announced


def _is_title(text: str, words: list[str], announced: bool) -> bool:
    if not any(word[0] in CAPITALS for word in words):
        return False
    if len(words) == 1:
        folded = words[0].casefold()
        return announced or not (
            folded in STOP_WORDS or folded in OPENERS or folded in NATIONALITIES or text[-1] in ".!?"
        )
    long = [word for word in words if len(word) > 3]
    large = sum(word[0] in CAPITALS for word in long)
    if long and large >= _LEAST_LARGE * len(long):
        return announced or text[-1] not in ".!?" or large > 1
    return announced and text[-1] != "." and words[0][0] in CAPITALS


def contacts_in(text: str) -> list[Mention]:
    """The addresses of a text, apart from each other, at most 50; their `name` is the normal form."""
    found = sorted(_found(text), key=lambda one: (one.start, -one.end))
    apart: list[Mention] = []
    for one in found:
        if not apart or one.start >= apart[-1].end:
            apart.append(one)
    return apart[:MOST_OF_TEXT]


def without_addresses(text: str) -> str:
    """The text without addresses of words: `dave@example.org` does not say that `dave` is an ordinary word."""
    for pattern, possible in (_FOUND["url"], _FOUND["email"], _FOUND["handle"]):
        text = pattern.sub(" ", text) if possible(text) else text
    return text


def _found(text: str) -> Iterator[Mention]:
    for type_, (pattern, possible) in _FOUND.items():
        if possible(text):
            for match in pattern.finditer(text):
                key = alias_key(type_, match[0])
                if key:
                    yield Mention(key, match.start(), match.end(), form="contact", sure=False)


def names_in(pieces: Sequence[TextPiece], known: Mapping[str, str] | KnownNames) -> list[list[Mention]]:
    """The mentions of every piece, in order and apart from each other; the speaker's first.

    `known`: keys of known names (`name_key`) with their kinds.
    """
    given = known if isinstance(known, KnownNames) else KnownNames.of(known)
    readings = _readings(pieces)
    own = _own_names(pieces)
    near = KnownNames.of(own)
    evidence = _evidence(pieces, readings, given, near)
    found: list[list[Mention]] = []
    for piece, reading in zip(pieces, readings, strict=True):
        hits = [*given.hits(piece.text), *near.hits(piece.text)]
        found.append(_mentions(piece, reading, hits, evidence))
    return _told(found, own)


def _readings(pieces: Sequence[TextPiece]) -> list[Reading]:
    languages = [is_german(piece.text) for piece in pieces]
    mostly = sum(1 if one else -1 for one in languages if one is not None) > 0
    return [
        Reading(piece.text, mostly if german is None else german, tuple(runs_of(piece.text)), piece.spoken)
        for piece, german in zip(pieces, languages, strict=True)
    ]


def _own_names(pieces: Sequence[TextPiece]) -> dict[str, str]:
    """Speakers and titles of documents: names that a batch brings itself."""
    names: dict[str, str] = {}
    titles = dict.fromkeys(piece.title for piece in pieces if piece.title)
    for title in sorted(titles, key=lambda one: " (" not in one):  # "Java" tells more of Java than "Java (band)"
        name = title.partition(" (")[0].strip()
        if 1 < len(name) <= MOST_CHARACTERS and any(letter.isupper() for letter in name):
            kind = kind_of_title(title)
            words = name.casefold().split()
            person = kind == UNKNOWN_KIND and len(words) > 1 and is_person(words)
            kind = "person" if person else kind
            key = name_key(name)
            names[key] = kind if names.get(key, kind) == kind or name == title else UNKNOWN_KIND
    for speaker in {piece.speaker for piece in pieces}:
        if _is_named(speaker):
            names[name_key(speaker)] = "person"
    return names


def _is_named(speaker: str) -> bool:
    return 1 < len(speaker) <= MOST_CHARACTERS and speaker.casefold() not in SPEAKERS_WITHOUT_NAME


def _evidence(
    pieces: Sequence[TextPiece], readings: Sequence[Reading], given: KnownNames, near: KnownNames
) -> WordEvidence:
    evidence = WordEvidence(
        known=Either(given.content, set(near.content)), people=Either(given.people, set(near.people))
    )
    evidence.surnames = _surnames(pieces)
    for reading in readings:
        evidence.small.update(word for word in SMALL.findall(_without_addresses(reading.text)) if word[0].islower())
        if not reading.german and not reading.caseless:
            for run in reading.runs:
                evidence.large.update(word.folded for word in run.words[run.opens :])
    for piece, reading in zip(pieces, readings, strict=True):
        if not any(len(run.words) > 1 for run in reading.runs):
            continue
        for part in _parts(piece.text, reading, evidence):
            if len(part.words) > 1 and is_person(part.folded) and not part.words[0].owns:
                evidence.people.near.update(part.folded)
    return evidence


def _without_addresses(text: str) -> str:
    return without_addresses(text) if "@" in text or "://" in text or "www." in text else text


def _surnames(pieces: Sequence[TextPiece]) -> set[str]:
    """Last words of titles that may be names of people."""
    found: set[str] = set()
    for title in {piece.title for piece in pieces if piece.title}:
        words = title.partition(" (")[0].split()
        named = kind_of_title(title) in (UNKNOWN_KIND, "person") and 2 <= len(words) <= 3
        if named and all(word[0].isupper() for word in words):
            found.add(words[-1].casefold())
    return found


def _parts(text: str, reading: Reading, evidence: WordEvidence) -> Iterator[NamePiece]:
    if reading.german:
        return german_names(reading, evidence)
    return (part for run in reading.runs for part in parts_of(text, run, evidence, spoken=reading.spoken))


def _mentions(piece: TextPiece, reading: Reading, hits: Sequence[NameHit], evidence: WordEvidence) -> list[Mention]:
    text, spans = piece.text, _Spans(piece.text)
    found = _sure_parts(piece, reading, evidence)
    starts = [part.start for part, _ in found]
    for hit in sorted(hits, key=lambda hit: hit.start - hit.end):
        before = bisect_right(starts, hit.start)
        if not (before and hit.end <= found[before - 1][0].end) and (known := counts(text, hit, reading)) is not None:
            spans.add(hit.start, hit.end, hit.kind, sure=known)
    for start, end, _ in relations_with_my(text):
        if not any(part.start in (end + 1, end + 2) for part, _ in found[bisect_right(starts, end) :][:1]):
            spans.add(start, end, "person", form="kinship")
    _add_titles(text, [part for part, _ in found], spans, evidence)
    for part, sure in found:
        spans.add(part.start, end_of(text, part), sure=sure)
    kinds = {(hit.start, hit.end): hit.kind for hit in hits}
    for start, one in spans.taken.items():
        if one.kind == UNKNOWN_KIND:
            kind = kinds.get((one.start, one.end), UNKNOWN_KIND)
            kind = kind if kind != UNKNOWN_KIND else kind_of(text, one.start, one.end, evidence.small)
            spans.taken[start] = replace(one, kind=kind)
    speaker = [Mention(piece.speaker, 0, 0, "person", "speaker")] if _is_named(piece.speaker) else []
    return speaker + [spans.taken[start] for start in sorted(spans.taken)]


def _sure_parts(piece: TextPiece, reading: Reading, evidence: WordEvidence) -> list[tuple[NamePiece, bool]]:
    parts = _parts(piece.text, reading, evidence)
    if reading.german:
        return [(part, not part.opens) for part in parts]
    return [(part, sure) for part in parts if (sure := is_sure(part, piece, reading, evidence)) is not None]


def _add_titles(text: str, parts: Sequence[NamePiece], spans: _Spans, evidence: WordEvidence) -> None:
    """Titles in marks; and names with a nickname inside, as one: Ann "Annie" Stone."""
    ends, starts = {part.end: part for part in parts}, {part.start: part for part in parts}
    for start, end, announced in titles_in(text):
        first, last, alone = ends.get(start - 2), starts.get(end + 2), " " not in text[start:end]
        if first and last and alone:
            spans.add(first.start, last.end, "person")
        else:
            told = announced or not alone
            spans.add(start, end, kind_of(text, start, end, evidence.small, quoted=True) if told else UNKNOWN_KIND)


class _Spans:
    """Mentions of a text that do not touch each other; who comes first stays."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.taken: dict[int, Mention] = {}
        self._used = bytearray(len(text))

    def add(self, start: int, end: int, kind: str = UNKNOWN_KIND, *, sure: bool = True, form: str = "name") -> None:
        if not 0 < end - start <= MOST_CHARACTERS or any(self._used[start:end]) or not self.text[start:end].strip():
            return
        self._used[start:end] = b"\x01" * (end - start)
        self.taken[start] = Mention(
            self.text[start:end], start, end, kind, "kinship" if form == "kinship" else "name", sure=sure
        )


def _told(found: list[list[Mention]], own: Mapping[str, str]) -> list[list[Mention]]:
    """Kinds that other mentions of the batch tell: the same name, or a person's full name."""
    kinds: dict[str, dict[str, int]] = {}
    for key, kind in own.items():
        if kind == "person":
            for word in (key.split()[0], key.split()[-1]):
                kinds.setdefault(word, {})[kind] = 1
    for mentions in found:
        for one in mentions:
            if one.kind != UNKNOWN_KIND and one.form != "kinship":
                votes = kinds.setdefault(one.name.casefold(), {})
                votes[one.kind] = votes.get(one.kind, 0) + 1
                words = one.name.split()
                if one.kind == "person" and len(words) > 1:
                    for word in (words[0], words[-1]):
                        kinds.setdefault(word.casefold(), {}).setdefault("person", 1)
    best = {name: max(votes, key=lambda kind: votes[kind]) for name, votes in kinds.items()}
    return [
        [
            replace(one, kind=best.get(one.name.casefold(), one.kind)) if one.kind == UNKNOWN_KIND else one
            for one in mentions
        ]
        for mentions in found
    ]
