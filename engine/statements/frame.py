"""The words of a statement without dates, negation and subject, in order: its frame, with its numbers, and what it says to be
replaced by what. Pure.

A number behind its noun names a thing ("Room 12", "flight LX 318", "the second key"); another one counts ("12 disks").
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.language.detection import stem
from engine.language.tables import one_of
from engine.statements.claim import Clause, bearing, is_of
from engine.statements.rules import LanguageRules
from engine.statements.tokens import PUNCTUATION, WordToken
from engine.statements.values import TIME, number_of

PARTINGS = ("given_up", "sold", "left_group", "handed", "completed")
"""Words for giving up a habit, selling a thing, leaving a group, handing over an office, finishing a work."""
_NUMBERED = re.compile(rf"\A(?:[^\W\d_]+\W?\d|\d+(?:{one_of('dates', 'ordinal')})$)")
_OPPOSED = ("positive", "negative", "allowed", "forbidden")


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a frame: its place there, whether it names a thing ("Room 12"), and the word behind it."""

    place: int
    value: str
    names: bool
    unit: str


def opposed_in(
    main: Sequence[WordToken], own: frozenset[str], rules: LanguageRules
) -> tuple[dict[int, tuple[str, bool]], frozenset[int]]:
    """By place what is liked or allowed or not, and the places of these words."""
    found: dict[int, tuple[str, bool]] = {}
    taken = set[int]()
    for one in rules.signs.longest(main, _OPPOSED):
        liking = one.meaning in ("positive", "negative")
        found[one.start] = ("positive" if liking else "allowed", one.meaning in ("positive", "allowed"))
        taken.update(range(one.start, one.end))
    for place, token in enumerate(main):
        if place not in taken and token.word in rules.opposed and token.word not in own:
            found[place] = rules.opposed[token.word]
    return found, frozenset(taken)


def frame_of(
    clause: Clause, own: frozenset[str], opposed: dict[int, tuple[str, bool]], taken: frozenset[int]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Number, ...], frozenset[str]]:
    """The frame, the same words as they are, its numbers, and what is liked or allowed in it or not. `taken`: places of words of
    liking and allowing."""
    rules, tokens = clause.rules, clause.tokens
    frame: list[str] = []
    plain: list[str] = []
    numbers: list[Number] = []
    said = set[str]()
    for place, one in enumerate(tokens):
        if one.word == TIME or one.word in PUNCTUATION or one.word == "'s" or is_of(one.word, own):
            continue
        if (concept := opposed.get(clause.places[place])) is not None:
            frame.append(f"={concept[0]}")
            plain.append(one.word)
            said.add(concept[0])
            continue
        if clause.places[place] in taken:
            continue
        number = number_of(one.word, rules)
        if number is not None or re.search(r"\d", one.word) or rules.has("ordinal", one.word):
            after = tokens[place + 1].word if place + 1 < len(tokens) else ""
            numbers.append(Number(len(frame), number or one.word, names_thing(clause, place), after))
            frame.append(number or one.word)
            plain.append(one.word)
        elif not any(rules.has(kind, one.word) for kind in ("article", "pronoun", "auxiliary", "of")):
            frame.append(stem(one.word, rules.code) if rules.code else one.word)
            plain.append(one.word)
    return tuple(frame), tuple(plain), tuple(numbers), frozenset(said)


def core_of(
    clause: Clause,
    frame: tuple[str, ...],
    opposed: dict[int, tuple[str, bool]],
    taken: frozenset[int],
    own: frozenset[str],
) -> tuple[str, ...]:
    """The words of a frame up to a comma or a reason: "is no longer treasurer, though she stays a member"."""
    rules = clause.rules
    reasons = [one.start for one in rules.signs.longest(clause.tokens, ("reason",))]
    commas = [place for place, one in enumerate(clause.tokens) if one.word in (",", ";")]
    end = min((place for place in [*reasons, *commas] if place > 1), default=None)
    if end is None:
        return frame
    cut = Clause(clause.tokens[:end], clause.places[:end], clause.subject, rules, clause.polarity)
    return frame_of(cut, own, opposed, taken)[0]


def names_thing(clause: Clause, place: int) -> bool:
    """Whether a number tells a thing apart: Room 12, flight LX 318, B14, the second key; not 12 disks, 50mg."""
    one, rules = clause.tokens[place], clause.rules
    if rules.has("ordinal", one.word) or _NUMBERED.match(one.word):
        return True
    if place + 1 < len(clause.tokens) and rules.has("unit", clause.tokens[place + 1].word):
        return False
    before = clause.tokens[place - 1] if place else None
    if before is None or is_of(before.word, clause.subject):
        return place == 0 or before is not None
    if before.word == "#" or rules.has("named_number", before.word):
        return True
    return before.text[:1].isupper() and before.word != TIME and not rules.has("counting", before.word)


def replaced_in(clause: Clause) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What a statement says to be replaced by what: "switched from tea to coffee", "coffee instead of tea"."""
    rules, tokens = clause.rules, clause.tokens
    instead = next(iter(rules.signs.longest(tokens, ("instead",))), None)
    if instead is not None:
        return _stems(_until(clause, instead.end), clause), ()
    swap = next((place for place, one in enumerate(tokens) if rules.has("swap", one.word)), None)
    if swap is not None and (swapped := _swapped(clause, swap)):
        return swapped
    switch = next((place for place, one in enumerate(tokens) if rules.has("switch", one.word)), None)
    start = next((place for place, one in enumerate(tokens) if rules.has("from", one.word)), None)
    if switch is None or start is None or not by_subject(clause, min(switch, start)):
        return (), ()
    old = _until(clause, start + 1)
    then = start + 1 + len(old)
    if then >= len(tokens) or not rules.has("to", tokens[then].word):
        return (), ()
    return _stems(old, clause), _stems(_until(clause, then + 1), clause)


def by_subject(clause: Clause, place: int) -> bool:
    """Whether nobody but the subject is named before a verb: not "my brother" of "my brother swapped his Fiat for a Volvo"."""
    return not bearing(clause.tokens[clause.begin(place) : place], clause)


def _swapped(clause: Clause, swap: int) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """ "replaced tea by coffee", "hat den Golf gegen einen Kia getauscht"."""
    tokens, rules = clause.tokens, clause.rules
    places = range(0 if rules.large_nouns else swap + 1, len(tokens))
    middle = next((one for one in places if rules.has("swap_for", tokens[one].word)), None)
    place = swap + 1
    if middle is not None and middle < swap:
        place = next((one + 1 for one in range(middle) if rules.has("helping", tokens[one].word)), middle)
    if not by_subject(clause, place - 1):
        return None
    while middle is not None and place < middle and rules.has("auxiliary", tokens[place].word):
        place += 1  # "traded in"
    if middle is None or middle <= place:
        return None
    return _stems(tokens[place:middle], clause), _stems(_until(clause, middle + 1), clause)


def _until(clause: Clause, place: int) -> Sequence[WordToken]:
    rules, end = clause.rules, place
    while end < len(clause.tokens) and clause.tokens[end].word not in PUNCTUATION and clause.tokens[end].word != TIME and not (
        any(rules.has(kind, clause.tokens[end].word) for kind in ("to", "because", "but", "and", "value_end"))
    ):  # fmt: skip
        end += 1
    return clause.tokens[place:end]


def _stems(tokens: Iterable[WordToken], clause: Clause) -> tuple[str, ...]:
    rules = clause.rules
    return tuple(stem(one.word, rules.code) for one in tokens if rules.code and not rules.has("article", one.word))


def matter_of(core: Iterable[str], main: Sequence[WordToken], rules: LanguageRules) -> frozenset[str]:
    """What is cancelled: the words without those for cancelling."""
    gone = [
        main[place].word
        for one in rules.signs.longest(main, ("cancelled", "done", "returned", "plan_noun"))
        for place in range(one.start, one.end)
        if place not in one.skipped
    ]
    return frozenset(core) - {stem(word, rules.code) for word in gone if rules.code}


def parted_from(core: Iterable[str], main: Sequence[WordToken], rules: LanguageRules) -> Mapping[str, frozenset[str]]:
    """What is given up, sold or left: the words without those that say so, and without what joins them ("mit")."""
    if not rules.code or next(iter(rules.signs.longest(main, ("negation", "plan_noun", "pause"))), None):
        return {}  # "never gave up smoking", "gave up the idea of a boat", "stopped for a coffee"
    joins = rules.words.get("value_end", frozenset[str]()) | rules.words.get("season", frozenset[str]())
    parted = {}
    for kind in PARTINGS:
        found = list(rules.signs.longest(main, (kind,)))
        behind = range(found[0].end if found else 0, len(main))
        then = next((place for place in behind if rules.has("and", main[place].word)), len(main))
        later = {stem(one.word, rules.code) for one in main[then:]} - {
            stem(one.word, rules.code) for one in main[:then]
        }
        said = frozenset(core) - later  # "sold the Volvo and bought a Skoda"
        gone = {main[place].word for one in found for place in range(one.start, one.end) if place not in one.skipped}
        if found and (left := said - {stem(word, rules.code) for word in gone | joins} - gone - joins):
            parted[kind] = left
    return parted
