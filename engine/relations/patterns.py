"""The domain's words as patterns over masked sentences: compiled once, then asked at the places of marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.language.tables import NOTHING, all_listed, codes, listed, table
from engine.naming.configuration import Domain, RelationType
from engine.relations.masking import MARK, OWNERS

_TITLE = r"(?:(?:Dr|Mr|Mrs|Ms|Prof|Professor|Sir|Sr|Sra|Dra|Herr|Frau|Captain|Colonel|Pastor|Don|Doña|M|Mme)\.? )?"
NAME = rf"{_TITLE}[\"“”„«`]{{0,2}} ?{MARK}(?: ?[\"“”»`]|'')?"
"""A mark with what belongs to a name: a title, quotes."""
LIST = re.compile(rf"{NAME}(?:(?:(?P<comma>,) |,? (?:and|y|e|et|und) |,? & |/)(?:the )?{NAME}){{0,12}}")
AND = re.compile(r"(?:and|y|e|et|und|&)")
GAP = (
    r" (?P<article>(?:the|an?|his|her|their|our|its|der|dem|die|das|den|la|el|le|las|los|o|os) |l['’] ?)?"
    rf"(?:{MARK}(?:['’]s |[{''.join(OWNERS.values())}])(?:[a-z-]+ ){{1,3}})?"
    r"(?:(?!(?:of|in|at|on|to|from|with|for|by|near|and|or|but|a|an|the|who|that|than|as|not|name|von|bei|mit"
    r"|im|de|en|con|com|avec)\b)"
    rf"(?:[^\W_A-ZÀ-Þ][\w'’-]*|[A-Z][a-z]+(?:ish|an|ese|nch|tch)) ){{0,4}}?(?={NAME})"
)
"""What may stand between a phrase and what it is about."""
_WORD = r"[^\W_][\w'’.-]*"
_NOT = r"not|never|hardly|nicht|kein\w{0,2}|nie|niemals|no|nunca|não|nem|pas|jamais|n't|if|would|might"
_LOOSE = rf"(?: (?!(?:{_NOT})\b)(?!\w+n['’]t\b){_WORD}){{0,4}}?"
_BEING = listed("en", "relations", "being")
IS = f"(?:{'|'.join(_BEING)})".replace("'", "['’]")
WAS = re.compile(r"(?:was|were|used|ran|war|waren|era|fue|foi|était|fut)\b", re.I)

_STILL = r"(?: (?:also|still|now|actually|currently|auch|jetzt|noch|también|também|aussi))?"
_ENDS = (
    r"(?=\s*(?:[,.;:!?)\"”–—-]|$)| (?:and|but|who|since|at|for|until|when|while|by|because|so|too|now|und|y"
    r"|e|et|aber|die|der|que|qui)\b)"
)
_ASIDE = r"(?: ?\([^()]{0,140}\))?(?:, (?:also|sometimes|commonly|formerly|originally|better) [^,;:.!?]{0,60},)?"


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
                found.append(PatternReading(relation, forward, over, kind.rstrip("}"), phrase.startswith("is ")))
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
    if language != "en" or first != "is":
        return (first,)
    return {form.split()[0].replace("'", mark) for form in _BEING for mark in "'’"}


def _phrase(phrase: str, language: str) -> str:
    parts = [re.escape(part.strip()).replace(r"\ ", " ") for part in phrase.split("*")]
    pattern = parts[0] + "".join(_LOOSE + " " + part for part in parts[1:])
    if language == "en" and pattern.startswith("is "):
        pattern = IS + pattern[2:]
    return pattern.replace(" a ", " an? ") if language == "en" else pattern


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
_IRREGULAR = dict(one.split(": ") for one in listed("en", "relations", "plurals"))


def _plurals(noun: str, language: str) -> Iterable[str]:
    if language == "de":
        return ()
    if language == "en" and noun in _IRREGULAR:
        return (_IRREGULAR[noun],)
    if language == "en" and noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return (noun[:-1] + "ies",)
    return (noun + "s",)


def _by_noun(nouns: Iterable[str], language: str) -> tuple[re.Pattern[str], ...]:
    """The patterns around a noun; empty for a language without nouns."""
    listed = "|".join(sorted(map(re.escape, nouns), key=lambda noun: (-len(noun), noun)))
    if not listed:
        return ()
    mine = OWNERS[language]
    owner = rf"(?P<b>{MARK})['\"”]*(?:{mine}|['’]s |['’] )" if language == "en" else rf"(?P<b>{MARK}){mine}"
    said = table(language, "relations")
    described = rf"(?:(?i:{said.get('before', NOTHING)}),? ){{0,2}}"
    former, behind = f"(?i:(?P<former>{said.get('former', NOTHING)})?)", said.get("behind", "")
    noun = rf"{described}{former}{described}(?P<noun>(?i:{listed})){behind}(?![\w-]|['’](?!s name)| in law)"
    called, article, of, has = (said.get(key, NOTHING) for key in ("called", "article", "of", "has"))
    copula = said.get("copula", IS)
    name = NAME.replace(MARK, f"(?P<a>{MARK})", 1)
    whose = NAME.replace(MARK, f"(?P<b>{MARK})", 1)
    gap = (
        r"(?:(?:the|der|dem|la|le|el|o|a) )?"
        r"(?:(?!(?:who|that|which|whose|and|or|in|at|with|from|a|an|his|her)\b)[^\W_][\w'’-]* ){0,5}?"
    )
    copulas = "is|was|ist|war|es|era|é|foi|est|était"
    relative = rf"(?:,? (?:who|which|die|der|que|qui|quien)|,)? ?(?P<was>{copula}){_STILL}"
    also = rf"(?: an? [^.;:!?{MARK}]{{0,90}},? and)?" if language == "en" else ""
    number = (
        r"(?:a|an|one|two|three|four|five|ein|eine|einen|zwei|drei|una?|dos|tres|uma?|dois|duas|três|une|deux|trois)"
    )
    return tuple(
        re.compile(pattern)
        for pattern in (
            rf"{owner}{noun}(?P<aside>,)? ?(?P<named>,? ?(?:{called}) )?{name}",
            rf"{name}{_ASIDE}(?:(?P<aside>,) | \(){owner}{noun}{_ENDS}",
            rf"{name}{_ASIDE}{relative} {owner}{noun}{_ENDS}",
            rf"{owner}{noun}(?:['’]s name)?(?:,? (?P<was>{copula}))? (?P<called>{called}|{copulas}),? {name}(?!['’]s|{mine})",
            rf"{name}{_ASIDE}(?:{relative}{also}| ?,(?: now| then)?| \()(?: ?(?:{article}))? ?{noun} {of} (?P<of>){gap}{whose}",
            rf"{whose}{_ASIDE} {has} {number} {noun},? (?:(?:{called}) )?{name}",
        )
    )
