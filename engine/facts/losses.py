"""Whether somebody gave up, lost or repaired what an older statement speaks of, or left where they worked. Pure."""

from __future__ import annotations

import re

from engine.facts.departures import left_just_now, of_another_one
from engine.facts.event_pair import EventPair, names_another
from engine.facts.occasions import in_the_past
from engine.language.detection import stem
from engine.statements.parts import Part, akin

_GIVEN_UP = (("lost", "owns"), ("repaired", "broken"), ("stopped", ""), ("left", "works"), ("cancelled", "owns"))
"""What ends the having of something, by the words of having it."""


def given_up(pair: EventPair) -> bool:
    """ "drives a Volvo", "sold the Volvo"; "the dishwasher is broken", "has repaired the dishwasher"; "is a driver at Acme",
    "left Acme; these days she cooks"."""
    if (pair.older.times and pair.older.mood == "planned") or any(
        pair.rules.has("and", one.word) for one in pair.before.tokens
    ):
        return False
    return any(
        _gives_up(part, event, having, pair)
        for event, having in _GIVEN_UP
        for part in pair.after.parts
        if not _undone(event, pair)
    )


def _undone(event: str, pair: EventPair) -> bool:
    """ "lost his dog but found it again"; "has just left Acme" for the day; "studied law", "quit law"."""
    if event == "lost":
        young = {one for one in pair.after.words if pair.words.has("young", one)} - pair.before.words
        return bool(young) or any("regained" in one.events and not one.negations for one in pair.after.parts)
    if event == "left" and left_just_now(pair.newer):
        return True
    return event in ("left", "stopped") and in_the_past(pair.before.parts[0], pair)


def no_longer(pair: EventPair) -> bool:
    """ "eats meat"; "has not eaten meat for a year, no longer": all that the older one says, and for how long not."""
    beside = pair.newer.beside or pair.older.beside
    if not pair.older.positive or pair.older.times or beside or any(one.key != "role" for one in pair.older.claims):
        return False
    lasting = {stem(one, pair.rules.code) for one in pair.words.words.get("lasting", ())}
    parts = [one for one in pair.after.parts if any(True for _ in pair.rules.signs.longest(one.tokens, ("over",)))]
    if len(parts) != 1 or parts[0].times or parts[0].temporary:
        return False
    known, others = pair.of_older(parts[0].topics.values())
    missing = {one for one in pair.before.topics if not any(akin(one, other) for other in known)}
    return bool(known) and not missing and others <= lasting and not names_another(parts[0], pair)


def _gives_up(part: Part, event: str, having: str, pair: EventPair) -> bool:
    if event not in part.events or "ongoing" in part.events or part.denies(event) or _ahead(part, pair):
        return False
    if (
        _for_a_time(part, event, pair)
        or _narrow(part, pair)
        or (having and not _has(having, pair))
        or _of_a_plan(part, pair)
    ):
        return False
    known, others = pair.of_older(part.matter(event, "broken").values())
    return bool(known) and not others and not names_another(part, pair) and _whole(part, event, known, pair)


def _ahead(part: Part, pair: EventPair) -> bool:
    """ "I will have the printer fixed"; or of another one: "the new printer works again"; or of some: "lost some bees"."""
    planned = any(True for _ in pair.rules.signs.longest(part.tokens, ("planned",)))
    return planned or of_another_one(part, pair.before.words, pair.rules.code)


def _whole(part: Part, event: str, known: set[str], pair: EventPair) -> bool:
    """Whether it is all that the older one speaks of: not one of "two boats", no gate that is "closed on Mondays"."""
    if event == "repaired":
        return not any(_weekly(time, pair) for time in pair.before.times)
    if event == "lost":
        return not set(pair.before.numbers) - set(part.numbers.values()) and _in_order(part, pair)
    if event == "left":
        return bool(known & {stem(one, pair.rules.code) for one in pair.before.large})
    return event != "stopped" or _habit(pair, known)


def _in_order(part: Part, pair: EventPair) -> bool:
    """Whether its words stand as in the older one, each of them there: not "sold a bike of the shop", of "has a bike shop"."""
    said = [topic for one in pair.before.parts for topic in one.topics.values()]
    lost = list(dict.fromkeys(part.matter("lost").values()))
    places = [next((at for at, one in enumerate(said) if one == topic), None) for topic in lost]
    near = [
        next((at for at, one in enumerate(said) if akin(topic, one) and at not in places), None)
        if place is None
        else place
        for topic, place in zip(lost, places, strict=True)
    ]
    found = [one for one in near if one is not None]
    return len(found) == len(lost) and found == sorted(found)


def _for_a_time(part: Part, event: str, pair: EventPair) -> bool:
    """Whether it is so for a time, "stopped taking it until the test"; "sold the boat in summer" is not."""
    return (part.temporary and event != "lost") or (event == "stopped" and pair.newer.temporary)


def _weekly(time: str, pair: EventPair) -> bool:
    days = pair.rules.dates.get("weekday", frozenset[str]())
    return any(word in days or word.rstrip("s") in days for word in time.split())


def _of_a_plan(part: Part, pair: EventPair) -> bool:
    """ "gave up the idea of a boat"."""
    return any(pair.rules.has("plan_noun", one.word) for one in part.tokens)


def _has(having: str, pair: EventPair) -> bool:
    if having == "broken":
        return "broken" in pair.before.events
    return any(pair.words.has(having, one.word) for one in pair.before.tokens) and not pair.older.compound


def _habit(pair: EventPair, known: set[str]) -> bool:
    """Whether what is given up is all that the older one says that somebody does."""
    return pair.older.habit or len(pair.before.topics) <= len(known)


def _narrow(part: Part, pair: EventPair) -> bool:
    """ "left Acme at five", "sold the Volvo on Monday" is no doubt; an hour is."""
    days = pair.rules.dates.get("day", frozenset[str]()) | pair.rules.dates.get("weekday", frozenset[str]())
    hours = any(":" in one or re.search(r"\d\s?h", one) for one in part.times)
    return hours or ("lost" not in part.events and any(word in days for one in part.times for word in one.split()))
