"""Verbs and places in masked sentences: "Ann works at Acme and lives in Leeds", "Ann and Ben are married", "Leeds, England"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.domain.entity import UNKNOWN_KIND
from engine.naming.configuration import RelationType
from engine.relations.masking import MARK, OWNED, Sentence
from engine.relations.patterns import AND, GAP, IS, LIST, WAS, LanguagePatterns, PatternReading

_FILLER = re.compile(
    r" ?(?:(?P<past>used to|no longer|formerly|previously|ya no|já não)|(?P<still>has been|have been|has"
    r"|have|['’]ve|['’]s)"
    r"|(?P<no>doesn['’]t|does not|don['’]t|do not|isn['’]t|is not|am not|['’]m not|aren['’]t|are not)"
    r"|is|are|was|were|am|been|['’]m|['’]re|also|still|now|currently|just|recently|then|both|first|later|always"
    r"|actually|already|once"
    r"|originally|finally|soon|who|which|that|auch|jetzt|seit Kurzem|también|ahora|também|agora|aussi"
    r"|maintenant|qui|que)(?= |$)|,(?= (?:who|which|is|was|has)\b)"
)
_ANYMORE = re.compile(r"(?: [\w']+){0,2} (?:any ?more|any longer|mehr|más|mais|plus)\b")
_ASIDE = re.compile(
    rf" ?\([^()]{{0,160}}\)|, (?:also|commonly|better|formerly) [^,.;:!?]{{1,60}},(?= )|, (?!(?:who"
    rf"|which)\b)[^,.;:!?{MARK}]{{1,60}},(?= )"
)
_GAP = re.compile(GAP)
_AFTER_ARTICLE = re.compile(
    r"\s{0,40}(?:$|[,.;:!?()\"”–—])| (?:and|of|but|or|in|on|at|as|since|for|with|who|which|where|when|while|from|to"
    r"|until|by|because|is|are|was"
    r"|were|has|und|als|seit|mit|y|e|et|con|com|avec|desde|depuis|together|today|now|last|this|next|every|near"
    r"|again|anymore)\b"
)
_POSSESSED = re.compile(rf"['’]s\b|['’](?= )|{OWNED}")
_BLOCKED = re.compile(
    r"\b(?:of|from|with|to|for|at|in|by|about|near|than|like|von|mit|bei|aus|zu|de|con|com|avec|not|neither|nor"
    r"|called|named|(?:is|are|was|were) (?:the|an?)) $",
    re.I,
)
_CHAIN = re.compile(
    rf"[^.;:!?{MARK}]{{0,40}}?(?:,? and|,? but|,| und| y| e| et)(?: (?:then|now|later|also|has|have|is|was|he"
    rf"|she))?(?= )"
)
_TWO = re.compile(rf"(?P<a>{MARK}){'(?: and | & | und | y | e | et )'}(?P<b>{MARK})")
_PLACED = re.compile(
    rf"\b(?:in|of|from|to|at|near|around|nach|aus|en|de|em|à) ({MARK}(?:, {MARK}){{1,2}})(?=[,.;)]|\s*$| [a-z])"
    rf"(?!,? (?:and|or|&|und|y|e|et) )"
)
_IN_PLACE = re.compile(rf"\b(?:at|of|from|for)(?: the)? (?P<a>{MARK}) in (?P<b>{MARK})(?=[,.;)]|\s*$| [a-z])")
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
        if not re.search(
            r"(?:^|[,;:] |\b(?:y|e|eu|yo|et|je|ahora|agora|também|también) )$", sentence.text[: match.start()], re.I
        ):
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
    if born := re.compile(r" ?\((?=born )").match(text, at):
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
    opening = re.compile(rf" ?(?P<is>{IS}) (?:an?|the|one of the) ").match(text, at)
    if opening is None:
        return None
    end = text.find(MARK, opening.end())
    stop = re.search(r"[.;:!?]|\b(?:not|never|of an?|of the|if|whose)\b", text[opening.end() : end])
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
