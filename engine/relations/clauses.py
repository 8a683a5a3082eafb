"""Verbs and places in masked sentences: "Ann works at Acme and lives in Leeds", "Ann and Ben are married", "Leeds, England"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.domain.entity import UNKNOWN_KIND
from engine.language.tables import keys, one_of
from engine.naming.configuration import RelationType
from engine.relations.masking import MARK, OWNED, Sentence
from engine.relations.patterns import AND, GAP, IS, LIST, WAS, LanguagePatterns, PatternReading

_SAID = {key: one_of("clauses", key) for key in keys("clauses") if key != "sentence_it"}
_FILLER = re.compile(
    rf" ?(?:(?P<past>{_SAID['filler_past']})|(?P<still>{_SAID['filler_still']})|(?P<no>{_SAID['filler_not']})"
    rf"|{_SAID['filler']})(?= |$)|,(?= (?:{_SAID['behind_comma']})\b)"
)
_ANYMORE = re.compile(rf"(?: [\w']+){{0,2}} (?:{_SAID['any_more']})\b")
_ASIDE = re.compile(
    rf" ?\([^()]{{0,160}}\)|, (?:{_SAID['aside']}) [^,.;:!?]{{1,60}},(?= )"
    rf"|, (?!(?:{_SAID['no_aside']})\b)[^,.;:!?{MARK}]{{1,60}},(?= )"
)
_GAP = re.compile(GAP)
_AFTER_ARTICLE = re.compile(rf"\s{{0,40}}(?:$|[,.;:!?()\"”–—])| (?:{_SAID['behind_name']})\b")
_POSSESSED = re.compile(rf"['’]s\b|['’](?= )|{OWNED}")
_BLOCKED = re.compile(rf"\b(?:{_SAID['no_subject']}) $", re.I)
_JOINS = rf"(?:{_SAID['and']}|&)"
_CHAIN = re.compile(
    rf"[^.;:!?{MARK}]{{0,40}}?(?:,? (?:{_SAID['and']}|{_SAID['but']})|,)(?: (?:{_SAID['goes_on']}))?(?= )"
)
_TWO = re.compile(rf"(?P<a>{MARK}) {_JOINS} (?P<b>{MARK})")
_PLACED = re.compile(
    rf"\b(?:{_SAID['in_place']}) ({MARK}(?:, {MARK}){{1,2}})(?=[,.;)]|\s*$| [a-z])(?!,? (?:{_JOINS}|{_SAID['or']}) )"
)
_IN_PLACE = re.compile(
    rf"\b(?:{_SAID['of_place']})(?: (?:{_SAID['the']}))? (?P<a>{MARK}) (?:{_SAID['in']}) (?P<b>{MARK})(?=[,.;)]|\s*$| [a-z])"
)
_OWN_BEFORE = re.compile(rf"(?:^|[,;:] |\b(?:{_SAID['speaker_before']}) )$", re.I)
_BORN = re.compile(rf" ?\((?=(?:{_SAID['born']}) )")
_DESCRIBED = re.compile(rf" ?(?P<is>{IS}) (?:{_SAID['one']}) ")
_NO_DESCRIPTION = re.compile(rf"[.;:!?]|\b(?:{_SAID['no_description']})\b")
SURE = 0.9
SPEAKER = -1


@dataclass(frozen=True, slots=True)
class RelationWords:
    """Words that relate two marks, by their places in the sentence. SPEAKER is who says the sentence."""

    bearer: int
    owner: int
    readings: tuple[PatternReading, ...]
    past: bool
    start: int
    end: int
    sure: float
    dated: bool = True
    presupposed: bool = False
    """"My sister Zoe" is a sister whatever is supposed of her."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A phrase behind its subject, with what it is about."""

    objects: tuple[int, ...]
    readings: tuple[PatternReading, ...]
    past: bool
    start: int
    end: int


def phrases(sentence: Sentence, language: LanguagePatterns) -> Iterator[RelationWords]:
    """What is said of someone, and what is said of the same one behind "and"."""
    text = sentence.text
    at = 0
    while subject := LIST.search(text, at):
        at = subject.end()
        places = _listed(sentence, subject)
        if _POSSESSED.match(text, at) and not re.match(r"['’]s ", text[at : at + 3]):
            continue
        if _BLOCKED.search(text[: places[0]].rstrip('"“”„«` ')[-16:] + " "):
            continue
        for first in _behind(sentence, language, at):
            said: _Said | None = first
            start, chained = places[0], 1.0
            for _ in range(8):
                if said is None:
                    break
                for place in places:
                    for target in said.objects:
                        yield RelationWords(place, target, said.readings, said.past, start, said.end, SURE * chained)
                at = max(at, said.objects[0])
                link = _CHAIN.match(text, said.end)
                said = _said(sentence, language, link.end() + 1) if link else None
                start, chained = said.start if said else 0, 0.95
    yield from _of_speaker(sentence, language)


def _of_speaker(sentence: Sentence, language: LanguagePatterns) -> Iterator[RelationWords]:
    """Verbs that tell the speaker by their ending."""
    if language.own is None:
        return
    for match in language.own.finditer(sentence.text):
        if not _OWN_BEFORE.search(sentence.text[: match.start()]):
            continue
        target = _object(sentence, match.end())
        if target is not None and match.lastgroup:
            yield RelationWords(
                SPEAKER, target[0][0], language.readings[match.lastgroup], False, match.start(), target[1], SURE
            )


def _listed(sentence: Sentence, listed: re.Match[str], kinds: tuple[str, ...] = ()) -> tuple[int, ...]:
    """The marks of a list; of "Leeds, England" the first, where it is an object, and the last, where it is a subject."""
    places = tuple(place for place in range(listed.start(), listed.end()) if sentence.text[place] == MARK)
    if len(places) == 1:
        return places
    joined = AND.search(listed[0][-12:])
    places_only = any(sentence.marks[place].kind == "place" for place in places if place in sentence.marks)
    if joined and not (places_only and listed["comma"]):
        return places
    return places[:1] if kinds else places[-1:]


def _behind(sentence: Sentence, language: LanguagePatterns, at: int) -> Iterator[_Said]:
    """The phrases behind a subject that ends here: in brackets, and the verb."""
    text = sentence.text
    if born := _BORN.match(text, at):
        said = _said(sentence, language, born.end())
        if said is not None:
            yield said
        close = text.find(")", born.end())
        at = close + 1 if 0 <= close < at + 160 else at
    elif aside := _ASIDE.match(text, at):
        at = aside.end()
    said = _said(sentence, language, at + 1 if text[at : at + 1] in (" ", ",") else at) or _described(
        sentence, language, at
    )
    if said is not None:
        yield said


def _described(sentence: Sentence, language: LanguagePatterns, at: int) -> _Said | None:
    """ "X is a novel by", "X is a carpenter who works at": the phrase behind a description."""
    text = sentence.text
    opening = _DESCRIBED.match(text, at)
    if opening is None:
        return None
    end = text.find(MARK, opening.end())
    stop = _NO_DESCRIPTION.search(text[opening.end() : end])
    until = opening.end() + stop.start() if stop else end
    place = opening.end()
    while 0 <= place < until:
        said = _said(sentence, language, place, fillers=False)
        if said is not None:
            return _Said(said.objects, said.readings, said.past or bool(WAS.match(opening["is"])), said.start, said.end)
        space = text.find(" ", place, until)
        place = space + 1 if space >= 0 else -1
    return None


def _said(sentence: Sentence, language: LanguagePatterns, at: int, *, fillers: bool = True) -> _Said | None:
    text, start = sentence.text, at
    past = still = no = False
    for _ in range(6):
        match = language.phrases.match(text, at)
        if match is not None and match.lastgroup:
            target = _object(sentence, match.end())
            if target is not None:
                readings = language.readings[match.lastgroup]
                over = past or (bool(WAS.match(match[0])) and not still and any(reading.state for reading in readings))
                if no:
                    if not _ANYMORE.match(text, target[1]):
                        return None
                    over = True
                if still:
                    readings = tuple(replace(r, over=r.over and match[0][0] not in "wl") for r in readings)
                return _Said(target[0], readings, over, start, target[1])
        filler = _FILLER.match(text, at) if fillers else None
        if filler is None:
            return None
        past, no = past or filler["past"] is not None, no or filler["no"] is not None
        past = past or bool(WAS.match(filler[0].strip()))
        still = still or filler["still"] is not None
        at = filler.end() + (text[filler.end() : filler.end() + 1] == " ")
    return None


def _object(sentence: Sentence, at: int) -> tuple[tuple[int, ...], int] | None:
    """The marks that a phrase is about, and where they end."""
    text = sentence.text
    gap = _GAP.match(text, at)
    if gap is None:
        return None
    listed = LIST.match(text, gap.end())
    if listed is None:
        return None
    if _POSSESSED.match(text, listed.end()):
        return None
    places = _listed(sentence, listed, ("object",))
    if gap["article"] and not _AFTER_ARTICLE.match(text, listed.end()):
        return None
    return places, listed.end()


def together(sentence: Sentence, language: LanguagePatterns) -> Iterator[RelationWords]:
    """ "Ann and Ben are married"."""
    if language.together is None:
        return
    for pair in _TWO.finditer(sentence.text):
        at = pair.end() + 1
        match = language.together.match(sentence.text, at)
        if match is not None and match.lastgroup and not _BLOCKED.search(sentence.text[: pair.start()][-16:]):
            past = bool(WAS.match(match[0]))
            readings = language.readings[match.lastgroup]
            yield RelationWords(pair.start("a"), pair.start("b"), readings, past, pair.start(), match.end(), SURE)


def appositions(sentence: Sentence, type_: RelationType) -> Iterator[RelationWords]:
    """ "in Leeds, England": the first lies in the second, where both are places."""
    for match in _PLACED.finditer(sentence.text):
        places = [place for place in range(match.start(1), match.end(1)) if place in sentence.marks]
        kinds = {sentence.marks[place].kind for place in places}
        if kinds != {"place"} or UNKNOWN_KIND in kinds:
            continue
        for inner, outer in pairwise(places):
            yield RelationWords(inner, outer, (PatternReading(type_),), False, inner, outer + 1, 0.85, False)
    for match in _IN_PLACE.finditer(sentence.text):
        inner, outer = match.start("a"), match.start("b")
        if sentence.marks[inner].kind == "organization" and sentence.marks[outer].kind == "place":
            yield RelationWords(inner, outer, (PatternReading(type_),), False, inner, outer + 1, 0.75, False)
