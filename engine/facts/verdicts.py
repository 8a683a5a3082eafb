"""What one statement does to another about the same subject. Pure.

Rules decide without a model. An ending is sure, or it is none: bearer and attribute are the same, the attribute has one value at
a time, both values are of one kind, and the newer one is said as holding. A doubt leaves both as they are.

    same         says it again, and nothing more
    changes      another value of the same attribute of the same bearer
    ends         denies what was so
    contradicts  the opposite of an attitude or a rule: both stand, marked
    maybe        may replace it: both stand, marked
    none         speaks of something else
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.domain.fact import FactRelation
from engine.domain.terms import words
from engine.facts.events import by_events
from engine.facts.partings import (
    elsewhere,
    goes_on,
    narrow,
    no_longer_wished,
    not_going,
    parted,
    plan_ended,
    resumed,
    still_there,
)
from engine.language.detection import stem
from engine.language.tables import one_of
from engine.statements.claim import DATED, Claim
from engine.statements.conditions import COUNT
from engine.statements.parts import parts_of
from engine.statements.rules import Values, attributes, rules_of, surely_in
from engine.statements.statement import LONGEST, Statement, in_one_language, statement
from engine.statements.tokens import tokens_of
from engine.statements.values import same_level, unit_of

_NAMED: Mapping[Values, Values] = {"organization": "name", "place": "name"}
"""Kinds of which the values are names."""
_HOUR = re.compile(rf"\d{{1,2}}(?:[:.h]\d{{2}}| ?(?:{one_of('dates', 'hour')}))")
_OF_BIRTH = ("birthday", "birthdate")
_PLACED = ("home", "headquarters", "birthplace", "place")
_MOST = 3
"""Words of a value."""


def another(older: Claim, newer: Claim, before: Statement, after: Statement) -> FactRelation:
    """What another value of an attribute does to the older one."""
    named = bool(newer.old) and newer.old <= older.value
    within = older.key in _PLACED and not named and not same_level(older.shown, newer.shown, after.language)
    if older.value < newer.value or within:  # more exactly: a branch of Acme, a street of Leeds
        return "none"
    if _NAMED.get(older.kind, older.kind) != _NAMED.get(newer.kind, newer.kind):
        return (
            "none"
            if older.one == "never" or newer.kind in ("text", "date") or older.kind in ("text", "date")
            else "maybe"
        )
    doubtful = (
        _measured_otherwise(older, newer, before, after),
        older.key in _PLACED and before.language != after.language,  # Munich, München
        not newer.firm and not named,
        bool(newer.old) and not (newer.old & older.value) and older.key not in DATED,
        _had_passed(older, before, after),
        _one_of_several(older, newer, before, after),
    )
    return "maybe" if any(doubtful) else _replaced(older, newer, before, after, named=named)


def another_hour(older: Statement, newer: Statement) -> bool:
    """ "The shop opens at 10:00", "the shop opens at 10:30 now": one hour each, and no day."""
    hours = [len(each.times) == 1 and all(map(_HOUR.fullmatch, each.times)) for each in (older, newer)]
    changed = newer.changed and newer.positive and older.positive and not (older.trip or newer.trip)
    return all(hours) and changed and older.times != newer.times


def now_by_another(older: Statement, newer: Statement) -> bool:
    """ "drives bus 9", "now drives bus 11"; not "Room 12 is free", "has key 3", "now has key 4"."""
    frames = older.frame[:-1] == newer.frame[:-1] and older.begins and newer.begins
    last = all(
        each.numbers and each.numbers[-1].names and each.numbers[-1].place == len(each.frame) - 1
        for each in (older, newer)
    )
    rules = rules_of(newer.language)
    owned = any(
        rules.has("owning", word) or rules.has("holding", word)
        for word in (*newer.plain, *newer.said.casefold().split())
    )
    only = len(older.numbers) == len(newer.numbers) == 1 and not (
        older.times or newer.times or older.beside or newer.beside
    )
    return (
        frames and last and only and older.habit and newer.changed and not owned and older.positive and newer.positive
    )


def _replaced(older: Claim, newer: Claim, before: Statement, after: Statement, *, named: bool) -> FactRelation:
    if older.one == "always":
        return "changes"
    if older.one == "usually":
        dated = newer.key == "owner" and bool(after.times - before.times)  # "belongs since May to"
        moved = newer.form in ("moves", "swaps") or dated or (after.changed and newer.form != "begins")
        return "changes" if named or moved else "maybe"
    if newer.key in attributes():
        return "none"  # a role, of which there may be several
    now = after.changed and newer.form == older.form == "holds" and newer.kind in ("number", "name")
    if now or newer.form == "moves":
        return "changes"  # "my locker is now 91", "the fee went up to 30 euros"
    return "none" if newer.kind == "name" else "maybe"


def _had_passed(older: Claim, before: Statement, after: Statement) -> bool:
    """Whether the day of an older date had passed when the newer was said: it is of another occasion, if it is no correction."""
    dated = older.kind == "date" and older.key not in _OF_BIRTH and not after.corrected
    return dated and before.day is not None and after.said_at is not None and before.day < after.said_at.date()


def _one_of_several(older: Claim, newer: Claim, before: Statement, after: Statement) -> bool:
    """ "The bus leaves at 8:15", "the bus leaves at 8:45": there may be two, where nothing says that it was moved; so with two
    towns that an office is in, but not with two numbers of one room."""
    words = older.bearer | frozenset(before.subject.split())
    several = any(rules_of(before.language).has("several", word) for word in words)
    one_of = several and (older.kind == "date" or older.key in _PLACED)
    office = older.key == "workplace" and "number" not in (older.kind, newer.kind)
    return (one_of or office) and newer.form == "holds" and not (after.changed or after.corrected or newer.old)


def _measured_otherwise(older: Claim, newer: Claim, before: Statement, after: Statement) -> bool:
    """Whether two numbers have other units, or count other things."""
    counted = newer.key.startswith(COUNT) and not _same_count(older, newer, before, after)
    parts = rules_of(after.language).words.get("daypart", frozenset[str]())
    told = [{*each.said.casefold().replace(".", " ").split()} & parts for each in (before, after)]
    return (
        counted
        or (newer.key == "dose" and told[0] != told[1])
        or (newer.kind == "number" and _units_differ(older, newer, after))
    )


def _units_differ(older: Claim, newer: Claim, after: Statement) -> bool:
    """ "10 mg", "10 ml"; not "10 mg a day", "5 mg"."""
    one, other = ({word.rstrip("s") for word in unit_of(each.value)} for each in (older, newer))
    rules = rules_of(after.language)
    nested = (one <= other or other <= one) and all(rules.has("plain", word) for word in one ^ other)
    return bool(one and other) and not nested


def _same_count(older: Claim, newer: Claim, before: Statement, after: Statement) -> bool:
    """Whether nothing else tells two counts apart: "12 rooms upstairs", "12 rooms in the annex"."""
    left = [
        set(each.core) - {stem(word, each.language) for word in claim.words | claim.bearer} - claim.words - claim.value
        for each, claim in ((before, older), (after, newer))
    ]
    dated = after.times and (not after.changed or narrow(after))  # "we now have four volunteers for Sunday"
    return left[0] == left[1] and not before.times and not dated


def value_alone(older: Statement, newer: Statement) -> bool:
    """ "Olaf bor i Lund", "Olaf bor i Kiruna": the same words but for a name, or for a number at the end."""
    before, after = words(older.said), words(newer.said)
    shorter = min(len(before), len(after))
    start = next((place for place in range(shorter) if before[place] != after[place]), shorter)
    rest = shorter - start
    end = next((place for place in range(rest) if before[-1 - place] != after[-1 - place]), rest)
    values = [said[start : len(said) - end] for said in (before, after)]
    if not set(before[:start]) - set(words(older.subject)) or not all(0 < len(one) <= _MOST for one in values):
        return False
    named = all(not each.names.isdisjoint(value) for each, value in zip((older, newer), values, strict=True))
    counted = not end and all(value[-1].isdigit() for value in values)
    return (named or counted) and not any(_read(each) for each in (older, newer))


def _read(said: Statement) -> bool:
    """Whether the rules know what it says: "Dave lives in Rome"; or that it tells of an event, which another does not replace:
    "Dave visited Rome"."""
    if said.claims or surely_in(said.said, said.language):
        return True
    return bool(said.language) and any(
        "past" in part.events for part in parts_of(said.said, said.subject, said.language).parts
    )


__all__ = ["LONGEST", "AttributeSaid", "Statement", "attribute_said", "believed", "relation", "statement"]

_STRENGTH: tuple[FactRelation, ...] = ("changes", "ends", "contradicts", "same", "maybe", "none")
"""Of several claims the first decides."""


@dataclass(frozen=True, slots=True)
class AttributeSaid:
    """An attribute as a text names it: its key, the words for it, whether it has one value at a time, the text of the value."""

    key: str
    label: str
    single: bool
    value: str


def attribute_said(text: str, subject: str) -> AttributeSaid | None:
    """The attribute that a text gives the value of, the subject's own first: the birthday, not the date of the birthday."""
    said = statement(text, subject)
    if said.mood in ("supposed", "denied"):
        return None
    firm = (c for c in said.claims if c.form != "past" and c.firm and not c.key.startswith(COUNT))
    one = min(firm, key=lambda claim: len(claim.bearer), default=None)
    return AttributeSaid(one.key, one.label, one.one == "always", one.shown) if one else None


def believed(told: FactRelation, older: Statement, newer: Statement) -> FactRelation:
    """A model's verdict. What says the same is not stored again: what has other numbers, dates or names is no such thing."""
    return "none" if told == "same" and not newer.values <= older.values else told


def relation(older: Statement, newer: Statement, likeness: float | None, threshold: float) -> FactRelation:
    """What the newer statement does to the older one, which are about one subject. `likeness`: of their meanings, None where
    it is not known."""
    if older.text == newer.text:
        return "same"
    near, far = likeness is not None and likeness >= threshold, likeness is not None and likeness < threshold
    if not older.language or not newer.language:
        counted = (older.values - older.names) != (newer.values - newer.names)
        return "maybe" if (near and counted) or value_alone(older, newer) else "none"
    found = _by_rules(older, newer, near=near, far=far)
    if found in ("changes", "ends") and goes_on(older, newer):
        return "maybe"
    return "maybe" if found == "none" and value_alone(older, newer) else found


def _by_rules(older: Statement, newer: Statement, *, near: bool, far: bool) -> FactRelation:
    if resumed(older, newer):
        return "none"
    as_read, (older, newer) = (older, newer), in_one_language(older, newer)
    if "supposed" in (older.mood, newer.mood) or (older.mood == newer.mood == "denied"):
        return "ends" if no_longer_wished(older, newer) else by_events(older, newer)
    if "denied" in (older.mood, newer.mood):
        event = by_events(older, newer)
        stated, denied = (older, newer) if newer.mood == "denied" else (newer, older)
        return event if event != "none" else "contradicts" if _speaks_of_same(stated, denied) else "none"
    if parted(older, newer) or not_going(older, newer):
        return "ends"
    ended = plan_ended(older, newer) if newer.cancelled or newer.done or newer.returned else "none"
    found = ended if ended == "ends" else _allowed(_judged(older, newer, near=near, far=far), older, newer)
    found = found if ended == "none" else min(found, ended, key=_STRENGTH.index)
    event = by_events(*as_read) if found in ("none", "maybe") else "none"
    return found if event == "none" else event


def _judged(older: Statement, newer: Statement, *, near: bool, far: bool) -> FactRelation:
    opposed = bool(older.opposed and newer.opposed)
    if opposed and (found_in_words := _of_words(older, newer, near=near, far=far, known=False)) != "none":
        return found_in_words
    found = [
        _of_claims(one, other, older, newer)
        for one in older.claims
        for other in newer.claims
        if one.key == other.key and one.bearer == other.bearer and (one.key in attributes() or not opposed)
    ]
    if found:
        counted = far and all(one.key.startswith(COUNT) for one in newer.claims)
        return "maybe" if counted and "changes" in found else min(found, key=_STRENGTH.index)
    if {one.key for one in older.claims} & {one.key for one in newer.claims} & attributes().keys():
        return "none"  # of another bearer
    if (replaced := _replacing(older, newer)) is not None:
        return replaced
    keys = {one.key for one in older.claims} | {one.key for one in newer.claims}
    return _of_words(older, newer, near=near, far=far, known=bool(keys - DATED))


def _allowed(found: FactRelation, older: Statement, newer: Statement) -> FactRelation:
    """What how both are said leaves of a relation."""
    if found == "same":
        differ = newer.mood != older.mood or newer.beside != older.beside or newer.restricted != older.restricted
        return "none" if differ else "same"  # "ya no vive solo en Quito" says more than "vive en Quito"
    if found not in ("changes", "ends"):
        return found
    if newer.beside != older.beside and not (found == "ends" and older.beside and newer.over):
        return "none"  # but "no longer helps at the food bank" ends "helps there as a volunteer"
    if found == "ends" and older.mood == "planned" and newer.mood in ("planned", "said"):
        return "ends"
    doubtful = newer.mood != "said" or older.mood != "said" or newer.temporary or older.compound
    return "maybe" if doubtful else found


# claims --------------------------------------------------------------------------------------------------


def _of_claims(older: Claim, newer: Claim, before: Statement, after: Statement) -> FactRelation:
    if older.form == "past" or newer.form == "past":
        return "none"
    if older.form == "planned" and older.positive and not newer.positive and newer.value and newer.value <= older.value:
        return "ends"  # "isn't moving to Cardiff after all"
    if "planned" in (older.form, newer.form) or before.past or after.past:
        return "none" if before.past or after.past else "maybe"
    same = older.value == newer.value
    if newer.positive and older.positive:
        if newer.value < older.value:
            return "none"  # less exactly, or another one: New York, York
        if same:
            return "same" if _adds_nothing(before, after, newer) else "none"
        return another(older, newer, before, after)
    if older.positive:
        return _denied(older, newer, before, after)
    if not newer.positive:
        return "same" if same and _adds_nothing(before, after, newer) else "none"
    return "changes" if newer.firm and (same or older.over) and older.one == "always" else "maybe"


def _denied(older: Claim, newer: Claim, before: Statement, after: Statement) -> FactRelation:
    """ "no longer works at Acme", "does not live in Rome"."""
    if newer.value and not (newer.value <= older.value or older.value <= newer.value):
        return "none"
    if newer.key in ("role", "profession") and elsewhere(before, after):
        return "none"
    if newer.form == "holds" and older.value < newer.value:
        return "none" if after.beside else "maybe"  # "no longer head nurse", of "is a nurse"
    days = rules_of(after.language).dates.get("day", frozenset[str]())
    today = any(not days.isdisjoint(one.split()) or ":" in one for one in after.times)
    if newer.form == "leaves" and (today or not _adds_nothing(before, after, newer, dated=True)):
        return "maybe"  # "left Acme early today"
    if newer.form == "ends" and still_there(older, newer, after):
        return "maybe"
    if newer.over and not _only_that(before, after, newer):
        return "maybe"  # "no longer lives in Lodz with Jan", of "lives in Lodz"
    return "ends" if newer.form != "begins" or newer.over else "maybe"


def _adds_nothing(before: Statement, after: Statement, claim: Claim, *, dated: bool = False) -> bool:
    """Whether a statement says no more than an older one and the claim itself."""
    said = claim.words | claim.value | claim.bearer
    own = {stem(word, after.language) for word in said} | said
    return set(after.frame) <= set(before.frame) | own and (dated or after.times <= before.times)


def _only_that(before: Statement, after: Statement, claim: Claim) -> bool:
    """Whether what is over is all of what held, not a part of it: with whom, how, on which days."""
    said = claim.words | claim.value | claim.bearer
    own = {stem(word, after.language) for word in said} | said
    return set(after.core) <= set(before.frame) | own


def _speaks_of_same(older: Statement, newer: Statement) -> bool:
    for one in older.claims:
        if any(
            one.key == other.key and one.bearer == other.bearer and one.value <= other.value
            for other in newer.claims
            if other.positive and other.form in ("holds", "begins")
        ):
            return True
    same = not newer.claims and bool(older.frame) and set(older.frame) <= set(newer.frame)
    return same and older.positive == newer.positive


# other words ---------------------------------------------------------------------------------------------


def _replacing(older: Statement, newer: Statement) -> FactRelation | None:
    """A statement that names what it replaces: "switched from tea to coffee", of "drinks tea"."""
    if not newer.old or not older.positive:
        return None
    if older.opposed or not newer.positive:
        return "none"
    if not set(newer.old) <= set(older.frame):
        return None if not newer.new else "none"
    rest = [one for one in older.frame if one not in newer.old]
    rules = rules_of(newer.language)
    owned = any(rules.has("owning", one.word) for one in tokens_of(older.said, rules.contractions))
    if any(not one.names and one.value != "1" for one in newer.numbers) and not older.numbers:
        return "maybe"  # "moved 500 pounds from Halden Bank to her brother"
    held = (owned or (bool(rest) and older.habit)) and len(rest) <= 2 and not older.times
    if newer.new:
        return "changes" if held else "maybe"
    return "changes" if rest and set(rest) <= set(newer.frame) else "maybe"


def _of_words(older: Statement, newer: Statement, *, near: bool, far: bool, known: bool) -> FactRelation:
    """Statements without a common attribute: all of their words count."""
    named = [tuple(one.value for one in each.numbers if one.names) for each in (older, newer)]
    if older.past or newer.past:
        return "none"
    if named[0] != named[1]:
        return "changes" if now_by_another(older, newer) else "none"
    if older.frame == newer.frame:
        return _of_same_words(older, newer)
    if older.positive != newer.positive:
        return _of_denial(older, newer)
    if known and {one.key for one in older.claims} != {one.key for one in newer.claims}:
        return "none"
    return _of_numbers(older, newer, near=near, far=far)


def _of_same_words(older: Statement, newer: Statement) -> FactRelation:
    if not older.frame:
        return "none"
    if another_hour(older, newer):
        return "changes"
    if older.positive == newer.positive:
        return "same" if newer.times <= older.times and older.over == newer.over else "none"
    return _of_denial(older, newer)


def _of_denial(older: Statement, newer: Statement) -> FactRelation:
    """ "eats meat" and "does not eat meat"; "likes" and "hates"."""
    core = newer.core if not newer.positive else newer.frame
    extra = set(core) - set(older.frame)
    if extra or not core or (newer.times and newer.times != older.times and not _since(older, newer)):
        return "none"
    if not _leads(older.frame if newer.numbers else _without_one(older), core):
        return "none"
    if older.claims and older.frame != core:
        return "maybe"  # "no longer lives with Tim" ends no home
    if any(not one.value for one in newer.claims):
        return "maybe"  # "no longer works there", of "works on a novel"
    if newer.over and older.positive:
        return "ends"
    if newer.opposed or older.opposed:
        return "contradicts" if older.frame == core else "none"
    if older.mood == "planned" and not newer.positive:
        return "ends"  # "will go to Peru", "won't go to Peru after all"
    passed = older.day is not None and newer.said_at is not None and older.day < newer.said_at.date()
    if older.trip and older.frame == core and not newer.times and not passed:
        return "ends"  # "flies to Oslo in May", "does not fly to Oslo"
    if older.times or older.frame != core:
        return "maybe"
    return "ends" if not newer.positive else "changes"


def _since(older: Statement, newer: Statement) -> bool:
    """ "stopped smoking in January", not "no longer eats meat on Fridays"."""
    return newer.over and not older.times and not narrow(newer)


def _without_one(older: Statement) -> Sequence[str]:
    """ "a un chat" as "a chat", of "n'a plus de chat"."""
    rules = rules_of(older.language)
    return [one for one in older.frame if one != "1" and not rules.has("article", one)] or older.frame


def _leads(older: Sequence[str], newer: Sequence[str]) -> bool:
    """Whether the newer words stand in the older statement in the same order, and begin it."""
    rest = iter(older)
    return newer[0] == older[0] and all(any(one == other for other in rest) for one in newer)


def _of_numbers(older: Statement, newer: Statement, *, near: bool, far: bool) -> FactRelation:
    """ "has 12 disks" and "has 13 disks"."""
    if len(older.frame) != len(newer.frame):
        return "none"
    differ = [place for place, pair in enumerate(zip(older.frame, newer.frame, strict=True)) if pair[0] != pair[1]]
    counted = {one.place for one in older.numbers} & {one.place for one in newer.numbers}
    if len(differ) != 1 or differ[0] not in counted:
        return "none"
    others = {place for place, pair in enumerate(zip(older.plain, newer.plain, strict=True)) if pair[0] != pair[1]}
    if others - {differ[0], differ[0] + 1}:
        return "none"  # hijo, hija: one stem
    if older.times or newer.times or not newer.counting or not newer.positive or not older.positive:
        return "maybe" if near and newer.counting and not (older.times or newer.times) else "none"
    return "maybe" if far else "changes"
