"""A statement about a subject, taken apart: how it is said, its claims, and the words that are left. Pure.

    tokens → how it is said → negation → dates → claims (home, employer, "X's rent") → frame (all other words, in order)

`mood` is how it is said: only what is said as holding, `said`, may end something or be ended for sure. Plans and relations are
read by the same rules: until when a plan holds; what is supposed, wished, hearsay or taken back states no relation, and what
stands beside (also, for now, a street of a town) ends none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, lru_cache

from engine.domain.terms import words
from engine.language.dates import dates_in
from engine.language.detection import stem
from engine.naming.words import TITLES
from engine.statements.claim import (
    DATED,
    MOST_TOKENS,
    Claim,
    Clause,
    Number,
    Polarity,
    core_of,
    frame_of,
    is_of,
    matter_of,
    opposed_in,
    parted_from,
    polarity_of,
    replaced_in,
)
from engine.statements.claims import claims_of
from engine.statements.parts import (
    Mood,
    is_large_name,
    left_in,
    mood_of,
    plain_speech,
    signs_in,
    subject_first,
    without_assurance,
    without_denial,
    without_lead,
)
from engine.statements.rules import LanguageRules, as_likely, language_of_statement, rules_of
from engine.statements.tokens import PUNCTUATION, WordToken, tokens_of
from engine.statements.values import TIME, day_of, level_of, with_times

LONGEST = 2000
"""Characters of a statement that are compared."""
_ASIDE = ("filler", "change", "correction", "planned", "reported", "hearsay")
_DOUBTS = ("supposed", "wished", "hearsay", "denied")
NEXT = 80
"""Characters behind a sentence in which it may be taken back: "She is not."."""
_OF_A_DAY = frozenset(("date", "departure"))
"""Attributes of what is over when its day is."""
_DATES = frozenset(("deadline",))
"""Nouns of a day that is over with it."""


@dataclass(frozen=True)
class Statement:
    """A statement taken apart. `frame`: its words without dates, negation and subject, in order, as stems; `opposed`: what
    words of liking or allowing stand there; `old`, `new`: what it says to be replaced by what."""

    text: str
    language: str
    mood: Mood
    past: bool
    beside: bool
    temporary: bool
    changed: bool
    cancelled: bool
    done: bool
    returned: bool
    wished: bool
    corrected: bool
    claims: tuple[Claim, ...]
    frame: tuple[str, ...]
    plain: tuple[str, ...]
    """The words of the frame as they are."""
    positive: bool
    over: bool
    numbers: tuple[Number, ...]
    times: frozenset[str]
    opposed: frozenset[str]
    old: tuple[str, ...]
    new: tuple[str, ...]
    counting: bool
    habit: bool
    trip: bool
    names: frozenset[str]
    compound: bool
    day: date | None
    """The day that it names, where it names one."""
    said: str
    said_at: datetime | None
    subject: str
    begins: bool
    """Whether it begins with its subject."""

    matter: frozenset[str] = frozenset()
    """What is cancelled or done: its words without those for it."""
    restricted: bool = False
    """Whether it denies a restriction alone: "not only", "ya no … solo"."""
    core: tuple[str, ...] = ()
    """The frame up to a comma or a reason."""
    parted: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """What is given up, sold or left, by which of these: "gave up the cello", "sold her van", "left the board"."""
    trips: frozenset[str] = frozenset()
    """Its words for travelling, as stems."""

    @cached_property
    def values(self) -> frozenset[str]:
        """Its numbers, dates and names, as a model's verdict is checked with."""
        plain = frozenset(re.findall(r"\d+(?:[.,:]\d+)*", self.said))
        counted = frozenset(one.value for one in self.numbers)
        return plain | counted | frozenset(dates_in(self.said, self.said_at)) | self.names


def statement(text: str, subject: str, said_at: datetime | None = None, language: str | None = None) -> Statement:
    """A text about that subject, taken apart. `language`: where it is known."""
    return _statement(text[:LONGEST], subject, said_at, language)


def in_one_language(one: Statement, other: Statement) -> tuple[Statement, Statement]:
    """Both, read in one language where the words of one of them are as much of the other's."""
    if not one.language or not other.language or one.language == other.language:
        return one, other
    if as_likely(one.said, one.language, other.language):
        return statement(one.said, one.subject, one.said_at, other.language), other
    if as_likely(other.said, other.language, one.language):
        return one, statement(other.said, other.subject, other.said_at, one.language)
    return one, other


@lru_cache(maxsize=4096)
def _statement(text: str, subject: str, said_at: datetime | None, language: str | None) -> Statement:
    said = " ".join(text.split())
    rules = rules_of(language_of_statement(said) if language is None else language)
    own = frozenset(one.word for one in tokens_of(subject, {})) | frozenset(subject.casefold().split())
    spoken = plain_speech(tokens_of(said, rules.contractions), rules)
    stated = without_denial(spoken, rules)
    every = without_assurance(stated, own, rules)
    main, rest = _main_sentence(every, own, rules)
    whole, main = main, subject_first(without_lead(main, own, rules), rules)
    left = left_in(whole[: len(whole) - len(main)], rules)
    opposed, taken = opposed_in(main, own, rules)
    off = frozenset(
        place
        for one in rules.signs.longest(main, ("cancelled", "done", "pause"))
        for place in range(one.start, one.end)
    )  # "stopped to smoke" is no "stopped smoking"
    polarity, used = polarity_of(main, taken | off, rules)
    plain_sense = {one.start for one in rules.signs.longest(main, ("unplanned",))}
    signs = [one for kind in _ASIDE for one in rules.signs.longest(main, (kind,)) if one.start not in plain_sense]
    aside = frozenset(
        place for one in signs if not is_large_name(main, one, rules) for place in range(one.start, one.end)
    )
    aside |= _relative(main, rules)
    kept = [place for place in range(len(main)) if place not in used and place not in aside]
    clause = replace(_clause(main, kept, own, rules, polarity), left=left)
    claims = tuple(claims_of(clause))
    old, new = replaced_in(clause)
    frame, plain, numbers, opposed_words = frame_of(clause, own, opposed, taken)
    core = core_of(clause, frame, opposed, taken, own)
    positive, over = _polarity(clause, polarity)
    says_no = sum(1 for one in opposed.values() if not one[1])
    has = signs_in(every, rules)
    mood = mood_of(every, rules, has) if len(stated) == len(spoken) else "denied"
    times = frozenset(one.text.casefold() for one in clause.tokens if one.word == TIME)
    days = [day for one in clause.tokens if one.word == TIME and (day := day_of(one.text, rules, said_at))]
    return Statement(
        text=_folded(said), language=rules.code if rules.words else "", mood=mood,
        past=has["past"], beside=has["beside"], temporary=has["temporary"], changed=has["change"],
        cancelled=has["cancelled"], done=has["done"], returned=has["returned"],
        wished=has["wished"] and not has["supposed"], corrected=has["correction"], claims=claims, frame=frame, plain=plain,
        positive=positive == (says_no % 2 == 0), over=over, numbers=numbers, times=times, opposed=opposed_words,
        old=old, new=new, counting=_counts(main, rules, has),
        habit=_any(main, rules, "habit") or _any_form(frame, rules, "habit"),
        trip=_any(main, rules, "trip"), names=_names(said, subject), compound=_compound(main, claims, rules, bool(rest)),
        day=days[-1] if days else None, said=said, said_at=said_at, core=core, subject=subject,
        restricted=any(rules.signs.longest(main, ("denied_aside",))), begins=_begins(main, own, rules),
        matter=matter_of(core, main, rules), parted=parted_from(core, main, rules),
        trips=frozenset(stem(one.word, rules.code) for one in main if rules.has("trip", one.word)),
    )  # fmt: skip


def _main_sentence(
    tokens: Sequence[WordToken], own: frozenset[str], rules: LanguageRules
) -> tuple[list[WordToken], list[WordToken]]:
    """The tokens of the first sentence that speaks of the subject, and those of the others."""
    found = list(_sentences(tokens))
    about = [one for one in found if any(is_of(token.word, own) or rules.has("pronoun", token.word) for token in one)]
    said = [one for one in found if len(one) > 2]
    main = next(iter(about or said or found), [])
    return main, [token for one in found if one is not main for token in one if len(one) > 2]


def _sentences(tokens: Sequence[WordToken]) -> Iterator[list[WordToken]]:
    """Sentences; a point behind a number, a title or a short word ends none."""
    sentence: list[WordToken] = []
    for place, one in enumerate(tokens):
        last = sentence[-1].word if sentence else ""
        follows = tokens[place + 1] if place + 1 < len(tokens) else None
        point = one.word == "." and (follows is None or (len(last) > 3 and follows.large and last not in TITLES))
        if one.word in ("!", "?") or point:
            if sentence:
                yield sentence
            sentence = []
        else:
            sentence.append(one)
    if sentence:
        yield sentence


def _clause(
    main: Sequence[WordToken], kept: Sequence[int], own: frozenset[str], rules: LanguageRules, polarity: Polarity
) -> Clause:
    bare = [main[place] for place in kept]
    timed = with_times(bare, rules)
    starts = {one.start: place for place, one in zip(reversed(kept), reversed(bare), strict=True)}
    places, last = [], -1
    for one in timed:
        place = starts[one.start]
        while place <= last:  # words of one contraction begin at one place
            place += 1
        places.append(place)
        last = place
    return Clause(timed, places, own, rules, polarity)


def _relative(main: Sequence[WordToken], rules: LanguageRules) -> frozenset[int]:
    """The places of ", who does not drive," behind the subject."""
    for place, one in enumerate(main[:-2]):
        if one.word == "," and rules.has("aside", main[place + 1].word):
            end = next((other for other in range(place + 2, len(main)) if main[other].word == ","), None)
            return frozenset(range(place, end + 1)) if end is not None else frozenset()
    return frozenset()


def _polarity(clause: Clause, polarity: Polarity) -> tuple[bool, bool]:
    """Whether it holds as a whole, and whether it is said to be over; what stands behind a comma or "but" is left out."""
    first_break = min((one for one in polarity.breaks if one > 0), default=MOST_TOKENS)
    if polarity.negations:
        first_comma = min((one for one in polarity.commas if one > 1), default=MOST_TOKENS)
        stops = [one for one, over in polarity.negations.items() if over and one < first_comma]
        reached = [one for one in polarity.negations if one < min(first_break, MOST_TOKENS if stops else first_comma)]
        without = [
            place
            for place, one in zip(clause.places, clause.tokens, strict=True)
            if clause.rules.has("without", one.word)
        ]
        reached = [one for one in reached if not any(place < one for place in without)]
        odd = len(reached) % 2 == 1
        return not odd, odd and (polarity.ended or any(polarity.negations[one] for one in reached))
    return True, False


def _any(tokens: Iterable[WordToken], rules: LanguageRules, kind: str) -> bool:
    return any(rules.has(kind, one.word) for one in tokens)


def _any_form(frame: Iterable[str], rules: LanguageRules, kind: str) -> bool:
    """Whether a stem is that of a verb of a list: "usamos", of "usa"."""
    return not rules.stems.get(kind, frozenset()).isdisjoint(frame)


def _begins(main: Sequence[WordToken], own: frozenset[str], rules: LanguageRules) -> bool:
    first = next(
        (one for one in main if not rules.has("article", one.word) and not rules.has("change", one.word)), None
    )
    return first is not None and (is_of(first.word, own) or rules.has("pronoun", first.word))


def _counts(main: Sequence[WordToken], rules: LanguageRules, has: Mapping[str, bool]) -> bool:
    """Whether its number is how much there is: "sleeps 8 hours a night now", "now owes 50 euros"."""
    now = has["change"] and (has["rate"] or not _any(main, rules, "helping"))
    return now or _counting(main, rules)


def _counting(tokens: Sequence[WordToken], rules: LanguageRules) -> bool:
    """Whether a verb counts what there is: "a 3 lampes", not "a acheté 3 lampes"."""
    endings = tuple(rules.words.get("participle_ending", ()))
    starts, ends = (tuple(rules.words.get(kind, ())) for kind in ("participle_start", "participle_end"))
    last = next((one for one in reversed(tokens) if one.word not in PUNCTUATION), None)
    if last and not last.large and last.word.startswith(starts) and last.word.endswith(ends) and rules.large_nouns:
        return False  # "hat 3 Bücher gelesen"
    return any(
        rules.has("counting", one.word)
        and not (
            rules.has("auxiliary", one.word) and place + 1 < len(tokens) and tokens[place + 1].word.endswith(endings)
        )
        for place, one in enumerate(tokens)
    )


def _names(said: str, subject: str) -> frozenset[str]:
    own = frozenset(words(subject))
    found = re.findall(r"(?<![.!?]\s)(?<!^)\b[^\W\d_a-z][\w'’&-]*", said)
    return frozenset(word for name in found if not name[0].islower() for word in words(name)) - own


def _compound(main: Sequence[WordToken], claims: Collection[Claim], rules: LanguageRules, more: bool) -> bool:
    """Whether it says more than one thing: ending it would end the others, too."""
    keys = {one.start: one.key for one in claims if one.key not in DATED}  # one phrase may mean several
    joined = any(
        rules.has("and", one.word) and place + 1 < len(main) and not main[place + 1].large and not rules.large_nouns
        for place, one in enumerate(main)
    )
    return more or len({*keys.values()}) > 1 or (bool(claims) and joined)


def _folded(text: str) -> str:
    return " ".join(re.sub(r"[^\w]+", " ", text.casefold()).split())


def certain_until(text: str, after: str = "") -> int:
    """The characters of a sentence, from its beginning, that say something as holding. `after`: what follows the sentence."""
    if taken_back(text, after):
        return 0
    rules = rules_of(language_of_statement(text))
    tokens = tokens_of(text, rules.contractions)
    doubts = [
        one for kind in _DOUBTS for one in rules.signs.longest(tokens, (kind,)) if not is_large_name(tokens, one, rules)
    ]
    return min((tokens[one.start].start for one in doubts), default=len(text))


def taken_back(text: str, after: str = "") -> bool:
    """Whether a sentence, or what follows it, takes back what it says."""
    rules = rules_of(language_of_statement(text))
    tokens = tokens_of(text, rules.contractions)
    for one in rules.signs.longest(tokens, ("taken_back",)):
        behind = one.end == len(tokens) or tokens[one.end].word in PUNCTUATION
        opens = one.start > 0 and (
            tokens[one.start - 1].word in PUNCTUATION or rules.has("but", tokens[one.start - 1].word)
        )
        if behind and opens:
            return True
    return _takes_back(after[:NEXT], rules.code)


def _takes_back(after: str, code: str) -> bool:
    """Whether a text begins with a sentence that takes back what was said before it."""
    rules = rules_of(code)
    tokens = tokens_of(after, rules.contractions)
    place = 0
    while place < len(tokens) and (tokens[place].word in PUNCTUATION or rules.has("correction", tokens[place].word)):
        place += 1
    if place >= len(tokens):
        return False
    found = [one for one in rules.signs.at(tokens, place) if one.meaning == "taken_back"]
    return bool(found) and (found[0].end == len(tokens) or tokens[found[0].end].word in ".!;,")


def replaces(text: str, source: str, target: str) -> bool:
    """Whether a sentence about `source` says that `target` took the place of another, where one can hold at a time: it is said as
    holding, not as something beside, and of a home as exactly as a town."""
    said = statement(text, source.casefold())
    if said.mood != "said" or said.beside or said.temporary:
        return False
    named = {one.word for one in tokens_of(target, {})}
    claims = [one for one in said.claims if named & one.value and one.form != "past"]
    rules = rules_of(said.language)
    towns = level_of(tokens_of(target, rules.contractions), rules) == "town"
    return all(one.firm and (towns or one.kind != "place") for one in claims)


def holds_until(text: str, subject: str, said_at: datetime | None) -> datetime | None:
    """Until when a statement holds that speaks of a plan: the end of the one day that it names, as "flies to Oslo on May 3"; None
    where it is no plan, or names no day, or several."""
    said = statement(text, subject, said_at)
    dated = any(one.key in _OF_A_DAY and one.positive and one.form != "past" for one in said.claims)
    if any(one.one == "always" and one.key not in _OF_A_DAY | _DATES for one in said.claims):
        return None  # a birthday comes again
    planned = said.mood == "planned" or (said.mood == "said" and (dated or said.trip) and not said.past)
    if not planned or said.cancelled or said.day is None or len(said.times) != 1:
        return None
    zone = said_at.tzinfo if said_at else UTC
    end = datetime.combine(said.day + timedelta(days=1), time(), zone or UTC)
    return end if said_at is None or end > said_at else None
