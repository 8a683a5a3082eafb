"""The domain's words as patterns over masked sentences: compiled once, then asked at the places of marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.language.tables import NOTHING, all_listed, alternatives, codes, keys, listed, one_of, table
from engine.naming.configuration import Domain, RelationType
from engine.relations.masking import MARK, OWNERS

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
