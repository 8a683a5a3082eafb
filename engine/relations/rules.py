"""Relations drawn from texts by patterns of words, where a pattern is sure; and since when and until when each holds, from the
words around it. Pure, offline; silence is better than noise.

Questions, negations and conditions draw nothing. What is over is drawn as ended.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime

from engine.domain.entity import UNKNOWN_KIND, Mention, TextPiece
from engine.domain.relation import RelationDraft
from engine.language.dates import dates_in
from engine.language.detection import stop_words
from engine.language.tables import all_listed, alternatives, each, keys, listed, one_of
from engine.naming.configuration import Domain, RelationType
from engine.relations.masking import OWNED, Sentence, sentences
from engine.relations.patterns import (
    AND,
    LIST,
    SPEAKER,
    WAS,
    LanguagePatterns,
    PatternReading,
    RelationWords,
    appositions,
    patterns_of,
    phrases,
    together,
)
from engine.statements.statement import certain_until, replaces, taken_back

NEAR = 90
"""Characters after the words of a relation in which its date stands."""
_SAID = {key: alternatives("periods", key) for key in ("since", "until", "at", "in_year", "near")}
_SAID |= {key: one_of("periods", key) for key in keys("periods") if key not in _SAID}
_MONTH = r"(?:[^\W\d_]{1,20}\.?,? )"
_ORDINAL = rf"(?:{'|'.join(ordinal for _, ordinal in each('time', 'ordinal'))})"
_LONG_MONTH = "|".join(
    name.title() for code, _ in each("time", "units") for name in listed(code, "dates", "month")[:12]
)
_DATE = (
    rf"(?:\d{{4}}-\d\d(?:-\d\d)?|(?:\d{{1,2}}(?:{_ORDINAL}|\.)? )?(?:(?:{_SAID['of']}) )?{_MONTH}?"
    rf"(?:\d{{1,2}}{_ORDINAL}?,? )?(?:19|20|1\d)\d\d|(?:{_LONG_MONTH})(?: \d{{1,2}}{_ORDINAL}?)?|{_SAID['near']})\b"
)
_SINCE_DATE = re.compile(rf"\b(?:{_SAID['since']})(?: (?:{_SAID['the']}))? (?P<date>{_DATE})", re.I)
_UNTIL = re.compile(rf"\b(?:{_SAID['until']}) (?P<date>{_DATE})", re.I)
_RANGE = re.compile(
    rf"(?:\b(?:{_SAID['between']}) )?(?P<date>{_DATE})(?: (?:{_SAID['to']}) | ?[-–—]{{1,2}} ?)(?P<last>{_DATE})"
)
_AT = re.compile(
    rf"(?:\b(?:{_SAID['at']}|{_SAID['in_year']}) )(?:(?:{_SAID['the']}) )?"
    rf"(?:(?:{_SAID['part']})[ -](?:(?:{_SAID['of']}) )?)?(?P<date>{_DATE})"
)
_BEFORE = re.compile(
    rf"^(?:(?P<since>{_SAID['since'].title()})|{_SAID['at'].title()})(?: (?:{_SAID['the']}))? (?P<date>{_DATE})"
)
_STOP = re.compile(
    rf";| (?:{_SAID['ends_before_no_number']}) (?!\d)| (?:{_SAID['ends']}) |, (?!\d)(?=\w+ (?:{_SAID['has']})\b)|[.!?]\s"
)
_BORN = one_of("clauses", "born")
_ASIDE = re.compile(rf"\((?!(?:{_BORN}) )[^()]*\)|\((?:{_BORN}) [^()]*\)(?= \w)")
"""Brackets hold the dates of a life, not those of what is said behind them."""
_OF_YEAR = re.compile(rf"\b(?:{_SAID['of_year']}) (\d{{4}}) ")
_YEAR = re.compile(r"(?<!\d)(1[0-8]\d\d)(?!\d)")
SURE_NOUN, SURE_SAID, SURE_KINSHIP, SURE_APPOSED = 0.95, 0.9, 0.9, 0.85
UNKNOWN, PRONOUN = 0.9, 0.85
"""What the confidence is multiplied with for a kind that is not known, and for a pronoun that stands for a name."""
_WORD = re.compile(r"[^\W\d_]+")
_IS = frozenset(all_listed("clauses", "is"))
_SINCE = re.compile(rf"\b(?:{alternatives('periods', 'since')})\b")


def first_day(partial: str | None) -> datetime | None:
    """The beginning of a year, month or day, as `2003`, `2003-05` or `2003-05-01`; None for anything else."""
    try:
        return datetime.fromisoformat(partial + "0000-01-01"[len(partial) :]).replace(tzinfo=UTC) if partial else None
    except ValueError:
        return None


def times(
    before: str, inside: str, after: str, *, over: bool, said_at: datetime | None
) -> tuple[str | None, str | None]:
    """Since when and until when. `before`: the sentence up to the relation; `over`: a single date is that of the end."""
    inside = _ASIDE.sub(" ", inside)
    near = after[:NEAR]
    stop = _STOP.search(near)
    near = near[: stop.start()] if stop else near
    for words in (near, inside):
        if span := _RANGE.search(words):
            return _read(span["date"], said_at), _read(span["last"], said_at)
        since, until = _SINCE_DATE.search(words), _UNTIL.search(words)
        if since or until:
            return since and _read(since["date"], said_at), until and _read(until["date"], said_at)
        if at := _AT.search(words):
            date = _read(at["date"], said_at)
            return (None, date) if over else (date, None)
    if of_year := _OF_YEAR.search(inside):
        return of_year[1], None
    if opening := _BEFORE.match(before):
        date = _read(opening["date"], said_at)
        return (date, None) if opening["since"] or not over else (None, date)
    return None, None


def _read(words: str, said_at: datetime | None) -> str | None:
    found = dates_in(f"in {words}", said_at)
    if found:
        return found[0]
    old = _YEAR.search(words)
    return old[1] if old else None


class Relating:
    """Draws relations with the words of one domain."""

    def __init__(self, domain: Domain) -> None:
        self._patterns = patterns_of(domain)

    def drafts(
        self,
        pieces: Sequence[TextPiece],
        mentions: Sequence[Sequence[Mention]],
        said_at: Sequence[datetime | None] = (),
    ) -> list[RelationDraft]:
        """The relations that the pieces state, in their order. `said_at`: when each was said, for "in June"."""
        speakers = frozenset(piece.speaker.casefold() for piece in pieces if piece.spoken)
        drawn: dict[tuple[str, int, int, str, str, int, int, int], RelationDraft] = {}
        for number, (piece, named) in enumerate(zip(pieces, mentions, strict=False)):
            when = said_at[number] if number < len(said_at) else None
            for draft in self._of_piece(number, piece, named, speakers, when):
                key = (
                    *(draft.source.name, draft.source.start, draft.source.end, draft.type),
                    *(draft.target.name, draft.target.start, draft.target.end, number),
                )
                if key not in drawn or draft.confidence > drawn[key].confidence:
                    drawn[key] = draft
        return list(drawn.values())

    def _of_piece(
        self,
        number: int,
        piece: TextPiece,
        mentions: Sequence[Mention],
        speakers: frozenset[str],
        said_at: datetime | None,
    ) -> Iterator[RelationDraft]:
        if all(mention.form == "speaker" for mention in mentions):
            return  # nothing that the speaker could be related to
        words = set(_WORD.findall(piece.text.casefold()))
        languages = self._languages(words)
        for sentence in sentences(piece, mentions):
            if sentence.asks or all(mark.form == "speaker" for mark in sentence.marks.values()):
                continue
            drawn = list(_found(sentence, languages, words, self._patterns.apposed, speakers))
            after = piece.text[sentence.ends[-1] :]
            certain = certain_until(sentence.text, after) if drawn else 0
            for found in drawn:
                if found.start < certain or (found.presupposed and not taken_back(sentence.text, after)):
                    yield from _drawn(number, piece, sentence, found, said_at)

    def _languages(self, words: Set[str]) -> list[LanguagePatterns]:
        """The languages that a text may be in, by its stop words; all of them where it has none. The patterns of all cost three
        times as much as the names."""
        counts = {name: len(words & stop_words(name)) for name in self._patterns.languages}
        most = max(counts.values(), default=0)
        return [patterns for name, patterns in self._patterns.languages.items() if 2 * counts[name] >= most]


def _found(
    sentence: Sentence,
    languages: Iterable[LanguagePatterns],
    words: Set[str],
    apposed: RelationType | None,
    speakers: frozenset[str],
) -> Iterator[RelationWords]:
    """`words`: those of the text around the sentence."""
    for language in languages:
        if not words.isdisjoint(language.noun_words):
            yield from _by_nouns(sentence, language, speakers)
        yield from _kinships(sentence, language)
        yield from phrases(sentence, language)
        yield from together(sentence, language)
    if apposed is not None:
        yield from appositions(sentence, apposed)


def _by_nouns(sentence: Sentence, language: LanguagePatterns, speakers: frozenset[str]) -> Iterator[RelationWords]:
    for pattern in language.by_noun:
        for match in pattern.finditer(sentence.text):
            if "noun" not in match.groupdict() or not (bearers := _bearers(sentence, match, language)):
                continue
            groups = match.groupdict()
            first = sentence.marks.get(match.start("a"))
            if first is None or (groups.get("aside") and first.name.casefold() in speakers):
                continue  # a name between commas is whom it is said to
            if (groups.get("called") or "").casefold() in _IS and first.kind == UNKNOWN_KIND:
                continue
            readings, _ = language.nouns[match["noun"].casefold()]
            apposed = "named" in groups and not groups["named"] and not groups["aside"]
            past = bool(match["former"]) or bool(WAS.match(groups.get("was") or groups.get("called") or ""))
            owners = _owners(sentence, match)
            for bearer in bearers:
                for owner in owners:
                    end = max(match.end(), bearer + 1, owner + 1)
                    dated = groups.get("was") is not None or groups.get("of") is not None
                    yield RelationWords(bearer, owner, readings, past, match.start(), end, SURE_NOUN, dated, apposed)


def _bearers(sentence: Sentence, match: re.Match[str], language: LanguagePatterns) -> tuple[int, ...]:
    """Who has the noun: one, or a list of them where the noun is a plural."""
    at = match.start("a")
    plural = language.nouns[match["noun"].casefold()][1]
    listed = LIST.match(sentence.text, at)
    rest = sentence.text[listed.end() if listed else match.end() :]
    if match.start("a") > match.start("b"):
        if match.groupdict().get("aside") and re.match(rf"['’]s|{OWNED}", rest):
            return ()
        if plural and listed is not None and AND.search(listed[0]):
            return tuple(place for place in range(at, listed.end()) if place in sentence.marks)
    return () if plural and match.start("a") < match.start("b") else (at,)


def _owners(sentence: Sentence, match: re.Match[str]) -> tuple[int, ...]:
    """Whose the noun is: "the son of Ann and Ben" is of both."""
    at = match.start("b")
    if match.end() != match.end("b") and at < match.start("noun"):
        return (at,)
    listed = LIST.match(sentence.text, at)
    if listed is None or not AND.search(listed[0]) or listed["comma"]:
        return (at,)
    follows = sentence.text[listed.end() : listed.end() + 2]
    return (
        (at,)
        if re.match(rf"['’]|{OWNED}", follows)
        else tuple(place for place in range(at, listed.end()) if place in sentence.marks)
    )


def _kinships(sentence: Sentence, language: LanguagePatterns) -> Iterator[RelationWords]:
    """People without a name: "my sister" said by someone."""
    for place, mention in sentence.marks.items():
        if mention.form != "kinship":
            continue
        words = mention.name.casefold().split()
        nouns = (" ".join(words[first:]) for first in range(1, min(len(words), 5)))
        if found := next((language.nouns[noun] for noun in nouns if noun in language.nouns), None):
            yield RelationWords(place, SPEAKER, found[0], False, place, place + 1, SURE_KINSHIP, False)


def _drawn(
    number: int, piece: TextPiece, sentence: Sentence, found: RelationWords, said_at: datetime | None
) -> Iterator[RelationDraft]:
    bearer, owner = (_at(place, piece, sentence) for place in (found.bearer, found.owner))
    if bearer is None or owner is None or _same(bearer, owner):
        return
    reading = _chosen(found.readings, bearer, owner)
    if reading is None:
        return
    source, target = (bearer, owner) if reading.forward else (owner, bearer)
    over = reading.over or (found.past and not reading.type.lasting)
    start, end = sentence.starts[found.start], sentence.ends[min(found.end, len(sentence.ends)) - 1]
    last = sentence.ends[-1]
    before, inside, after = piece.text[sentence.begin : start], piece.text[start:end], piece.text[end:last]
    since = until = None
    if found.dated and not (found.sure == SURE_NOUN and reading.type.lasting):
        since, until = times(before or inside, inside, after, over=over, said_at=said_at)
    if since and over and not reading.over and until is None and _SINCE.search(after):
        over = False
    if said_at is not None and (begins := first_day(since)) is not None and begins > said_at:
        return  # "marries Tom on May 3": a plan, of which nobody knows yet whether it will happen
    sure = found.sure
    for place in (found.bearer, found.owner):
        sure *= PRONOUN if place in sentence.meant else 1
    for who in (source, target):
        sure *= UNKNOWN if who.kind == UNKNOWN_KIND else 1
    draft = RelationDraft(source, reading.type.name, target, number, start, end, round(sure, 3), since, until)
    sole = not reading.type.functional or replaces(piece.text[sentence.begin : last], source.name, target.name)
    yield replace(draft, ended=over or (until is not None and not reading.type.lasting), sole=sole)


def _at(place: int, piece: TextPiece, sentence: Sentence) -> Mention | None:
    if place == SPEAKER:
        return Mention(piece.speaker, 0, 0, "person", "speaker") if piece.spoken else None
    return sentence.marks.get(place)


def _same(one: Mention, other: Mention) -> bool:
    return one.name.casefold() == other.name.casefold()


def _chosen(readings: Iterable[PatternReading], bearer: Mention, owner: Mention) -> PatternReading | None:
    """The first reading that the kinds allow."""
    for reading in readings:
        source, target = (bearer, owner) if reading.forward else (owner, bearer)
        if reading.kind and owner.kind != reading.kind:
            continue
        if reading.type.allows(source.kind, target.kind):
            return reading
    return None
