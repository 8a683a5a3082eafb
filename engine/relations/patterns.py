"""The domain's words as patterns over masked sentences: compiled once, then asked at the places of marks; and verbs and places
there: "Ann works at Acme and lives in Leeds", "Ann and Ben are married", "Leeds, England".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from engine.domain.entity import UNKNOWN_KIND
from engine.language.tables import NOTHING, all_listed, alternatives, codes, keys, listed, one_of, table
from engine.naming.configuration import Domain, RelationType
from engine.relations.masking import MARK, OWNED, OWNERS, Sentence

_SAID = {key: one_of("clauses", key) for key in keys("clauses") if key != "sentence_it"}
_TITLE = rf"(?:(?:{_SAID['title']})\.? )?"
NAME = rf"{_TITLE}[\"“”„«`]{{0,2}} ?{MARK}(?: ?[\"“”»`]|'')?"
"""A mark with what belongs to a name: a title, quotes."""
LIST = re.compile(
    rf"{NAME}(?:(?:(?P<comma>,) |,? (?:{_SAID['and']}) |,? & |/)(?:(?:{_SAID['list_the']}) )?{NAME}){{0,12}}"
)
AND = re.compile(rf"(?:{_SAID['and']}|&)")
GAP = (
    rf" (?P<article>(?:{_SAID['article']}) |(?:{_SAID['elided']}) ?)?"
    rf"(?:{MARK}(?:(?:{alternatives('relations', 'owns')})|[{''.join(OWNERS.values())}])(?:[a-z-]+ ){{1,3}})?"
    rf"(?:(?!(?:{_SAID['no_gap']})\b)"
    rf"(?:[^\W_A-ZÀ-Þ][\w'’-]*|[A-Z][a-z]+(?:{_SAID['large_adjective']})) ){{0,4}}?(?={NAME})"
)
"""What may stand between a phrase and what it is about."""
_WORD = r"[^\W_][\w'’.-]*"
_LOOSE = rf"(?: (?!(?:{_SAID['not']})\b)(?!\w+(?:{_SAID['not_ending']})\b){_WORD}){{0,4}}?"
IS = f"(?:{'|'.join(all_listed('relations', 'being'))})".replace("'", "['’]")
WAS = re.compile(rf"(?:{_SAID['over']})\b", re.I)

_STILL = rf"(?: (?:{_SAID['still']}))?"
_ENDS = rf"(?=\s*(?:[,.;:!?)\"”–—-]|$)| (?:{_SAID['ends']})\b)"
_ASIDE = rf"(?: ?\([^()]{{0,140}}\))?(?:, (?:{_SAID['aside']}) [^,;:.!?]{{0,60}},)?"
_FILLER = re.compile(
    rf" ?(?:(?P<past>{_SAID['filler_past']})|(?P<still>{_SAID['filler_still']})|(?P<no>{_SAID['filler_not']})"
    rf"|{_SAID['filler']})(?= |$)|,(?= (?:{_SAID['behind_comma']})\b)"
)
_ANYMORE = re.compile(rf"(?: [\w']+){{0,2}} (?:{_SAID['any_more']})\b")
_SKIPPED = re.compile(
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
class PatternReading:
    """What words of a pattern mean: a type, which way, and whether it is over. `kind`: the only kind that may follow.

    `state`: the words begin with "is", so that "was" means it is over; "was founded by" does not.
    """

    type: RelationType
    forward: bool = True
    over: bool = False
    kind: str = ""
    state: bool = False


@dataclass(frozen=True, slots=True)
class RelationPhrases:
    """What is said behind a subject, by its first word: the alternatives that begin with it, each compiled when it is first met.

    One pattern of all phrases tries some hundred alternatives at every place.
    """

    alternatives: Mapping[str, tuple[str, ...]]
    compiled: dict[str, re.Pattern[str]] = field(default_factory=dict)

    def match(self, text: str, at: int) -> re.Match[str] | None:
        """The longest phrase that begins here, where something follows that it can be about."""
        first = text[at:].partition(" ")[0].casefold()
        if first not in self.alternatives:
            return None
        pattern = self.compiled.get(first)
        if pattern is None:
            pattern = self.compiled[first] = _any_of(
                self.alternatives[first], f"(?={GAP.replace('(?P<article>', '(?:')})"
            )
        return pattern.match(text, at)


@dataclass(frozen=True, slots=True)
class LanguagePatterns:
    """The patterns of one language. Groups: `a` is the bearer of the noun, `b` whose it is, `was` the verb between them, `of` is
    there behind "the noun of", `aside` where a comma sets the name off."""

    nouns: Mapping[str, tuple[tuple[PatternReading, ...], bool]]
    """Readings of a noun in small letters, and whether it is a plural."""
    by_noun: tuple[re.Pattern[str], ...]
    noun_words: frozenset[str]
    """First words of the nouns: a text with none of these holds no noun."""
    phrases: RelationPhrases
    readings: Mapping[str, tuple[PatternReading, ...]]
    own: re.Pattern[str] | None
    together: re.Pattern[str] | None


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns of a domain, by language."""

    languages: Mapping[str, LanguagePatterns]
    apposed: RelationType | None


def patterns_of(domain: Domain) -> Patterns:
    """Compiles the words of the domain."""
    apposed = next((relation for relation in domain.relations if relation.apposed), None)
    return Patterns({language: _language(domain, language) for language in codes()}, apposed)


def _language(domain: Domain, language: str) -> LanguagePatterns:
    nouns = _nouns(domain, language)
    readings: dict[str, tuple[PatternReading, ...]] = {}
    said: dict[str, tuple[str, ...]] = {}
    alternatives: dict[str, list[str]] = {"own": [], "together": []}
    sources: dict[str, dict[str, list[PatternReading]]] = {"said": {}, "own": {}, "together": {}}
    for relation in domain.relations:
        for words, forward, over, where in (
            (relation.phrases, True, False, "said"),
            (relation.inverse_phrases, False, False, "said"),
            (relation.past_phrases, True, True, "said"),
            (relation.inverse_past_phrases, False, True, "said"),
            (relation.own_phrases, True, False, "own"),
            (relation.together, True, False, "together"),
        ):
            for phrase in words.get(language, ()):
                bare, _, kind = phrase.partition(" {")
                found = sources[where].setdefault(bare.casefold(), [])
                found.append(PatternReading(relation, forward, over, kind.rstrip("}"), _is_state(phrase, language)))
    for where, phrases in sources.items():
        for number, phrase in enumerate(sorted(phrases, key=lambda words: (-len(words), words))):
            name = f"{where}{number}"
            readings[name] = tuple(phrases[phrase])
            alternative = f"(?P<{name}>{_phrase(phrase, language)})"
            if where != "said":
                alternatives[where].append(alternative)
                continue
            for first in _first_words(phrase, language):
                said[first] = (*said.get(first, ()), alternative)
    own, together = (_any_of(parts) if parts else None for parts in alternatives.values())
    first_words = {word for noun in nouns for word in re.findall(r"[^\W\d_]+", noun)[:1]}
    first_words |= {f"ex{word}" for word in first_words}
    return LanguagePatterns(
        nouns, _by_noun(nouns, language), frozenset(first_words), RelationPhrases(said), readings, own, together
    )


def _any_of(alternatives: Iterable[str], end: str = "") -> re.Pattern[str]:
    return re.compile(rf"(?i:{'|'.join(alternatives)})(?![\w-]){end}")


def _first_words(phrase: str, language: str) -> Iterable[str]:
    """The words, in small letters, with which a phrase may begin; a space follows them."""
    first = re.split(r"[ *]", phrase, maxsplit=1)[0].casefold()
    if not _is_state(f"{first} ", language):
        return (first,)
    return {form.split()[0].replace("'", mark) for form in listed(language, "relations", "being") for mark in "'’"}


def _is_state(phrase: str, language: str) -> bool:
    """Whether a phrase begins with "is", in a language of which the other forms of it are listed behind it."""
    return phrase.startswith(tuple(f"{being} " for being in listed(language, "relations", "being")[:1]))


def _phrase(phrase: str, language: str) -> str:
    parts = [re.escape(part.strip()).replace(r"\ ", " ") for part in phrase.split("*")]
    pattern = parts[0] + "".join(_LOOSE + " " + part for part in parts[1:])
    if _is_state(pattern, language):
        pattern = f"{IS} {pattern.partition(' ')[2]}"
    articles = listed(language, "relations", "a")
    return pattern.replace(f" {articles[0]} ", f" (?:{'|'.join(articles)}) ") if articles else pattern


def _nouns(domain: Domain, language: str) -> dict[str, tuple[tuple[PatternReading, ...], bool]]:
    found: dict[str, list[PatternReading]] = {}
    for relation in domain.relations:
        for words, forward in ((relation.nouns, True), (relation.inverse_nouns, False)):
            for noun in words.get(language, ()):
                found.setdefault(noun.casefold(), []).append(PatternReading(relation, forward))
    nouns = {noun: (tuple(readings), False) for noun, readings in found.items()}
    for noun, readings in found.items():
        for plural in _plurals(noun, language):
            nouns.setdefault(plural, (tuple(readings), True))
    return {noun: (readings, plural or noun in _GROUPS) for noun, (readings, plural) in nouns.items()}


_GROUPS = frozenset(all_listed("relations", "groups"))


def _plurals(noun: str, language: str) -> Iterable[str]:
    """The plural of a noun: listed, else by its ending; none in a language of which no rule makes it."""
    said = table(language, "relations")
    irregular = dict(one.split(": ") for one in listed(language, "relations", "plurals"))
    if noun in irregular:
        return (irregular[noun],)
    if "plural_y" in said and noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return (noun[:-1] + said["plural_y"],)
    return (noun + said["plural"],) if "plural" in said else ()


def _by_noun(nouns: Iterable[str], language: str) -> tuple[re.Pattern[str], ...]:
    """The patterns around a noun; empty for a language without nouns."""
    every = "|".join(sorted(map(re.escape, nouns), key=lambda noun: (-len(noun), noun)))
    if not every:
        return ()
    articles = listed(language, "relations", "a")
    mine = OWNERS[language]
    said = table(language, "relations")
    owner = rf"(?P<b>{MARK})['\"”]*(?:{mine}|{said.get('owns', NOTHING)})"
    name_of, not_behind, number, who = (
        one_of("relations", key) for key in ("whose_name", "not_behind", "number", "relative")
    )
    described = rf"(?:(?i:{said.get('before', NOTHING)}),? ){{0,2}}"
    former, behind = f"(?i:(?P<former>{said.get('former', NOTHING)})?)", said.get("behind", "")
    noun = rf"{described}{former}{described}(?P<noun>(?i:{every})){behind}"
    noun += rf"(?![\w-]|(?!{name_of})['’]| {not_behind})"
    called, article, of, has = (said.get(key, NOTHING) for key in ("called", "article", "of", "has"))
    copula = said.get("copula", IS)
    name = NAME.replace(MARK, f"(?P<a>{MARK})", 1)
    whose = NAME.replace(MARK, f"(?P<b>{MARK})", 1)
    gap = rf"(?:(?:{_SAID['the']}) )?(?:(?!(?:{_SAID['no_gap_of']})\b)[^\W_][\w'’-]* ){{0,5}}?"
    relative = rf"(?:,? (?:{who})|,)? ?(?P<was>{copula}){_STILL}"
    also = rf"(?: (?:{'|'.join(articles) or NOTHING}) [^.;:!?{MARK}]{{0,90}},? (?:{_SAID['and']}))?"
    called_or_is = rf"{called}|{_SAID['is']}|{_SAID['was']}"
    then = rf"(?: (?:{_SAID['now']}))?"
    return tuple(
        re.compile(pattern)
        for pattern in (
            rf"{owner}{noun}(?P<aside>,)? ?(?P<named>,? ?(?:{called}) )?{name}",
            rf"{name}{_ASIDE}(?:(?P<aside>,) | \(){owner}{noun}{_ENDS}",
            rf"{name}{_ASIDE}{relative} {owner}{noun}{_ENDS}",
            rf"{owner}{noun}(?:{name_of})?(?:,? (?P<was>{copula}))? (?P<called>{called_or_is}),? {name}(?!['’]s|{mine})",
            rf"{name}{_ASIDE}(?:{relative}{also}| ?,{then}| \()(?: ?(?:{article}))? ?{noun} {of} (?P<of>){gap}{whose}",
            rf"{whose}{_ASIDE} {has} (?:{number}) {noun},? (?:(?:{called}) )?{name}",
        )
    )


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
    elif aside := _SKIPPED.match(text, at):
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
