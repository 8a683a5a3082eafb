"""Whether what an older statement speaks of is over for a newer one that tells of something, both in their parts. Pure.

called off  what the older one plans
happened    its day has passed, and the newer tells of it
lost        somebody gave up, lost or repaired it, or left where they worked
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta

from engine.facts.partings import left_just_now, of_another_one
from engine.language.dates import holds_on
from engine.language.detection import stem
from engine.statements.claim import DATED
from engine.statements.parts import CONCEPT, Part, StatementParts, akin
from engine.statements.rules import EventWords, LanguageRules
from engine.statements.statement import Statement

_ANOTHER_TIME = timedelta(days=31)
"""How long after its day something is told of: later it may be of another occasion."""
_GIVEN_UP = (("lost", "owns"), ("repaired", "broken"), ("stopped", ""), ("left", "works"), ("cancelled", "owns"))
"""What ends the having of something, by the words of having it."""


@dataclass(frozen=True, slots=True)
class EventPair:
    """Two statements in their parts, with the rules of their language."""

    older: Statement
    newer: Statement
    before: StatementParts
    after: StatementParts
    rules: LanguageRules
    words: EventWords

    def known(self, topic: str) -> bool:
        """Whether the older statement speaks of it."""
        whole = self.rules.large_nouns and self._first_of(topic) in self.before.topics
        return whole or any(akin(topic, one) for one in self.before.topics)

    def _first_of(self, topic: str) -> str:
        """ "Rom" of "Romreise"."""
        ends = (stem(one, self.rules.code) for one in self.words.words.get("occasion", ()))
        return next((topic.removesuffix(end) for end in ends if topic.endswith(end) and len(topic) > len(end) + 2), "")

    def of_older(self, topics: Iterable[str]) -> tuple[set[str], set[str]]:
        """The topics that the older statement speaks of, and the others."""
        said = set(topics)
        known = {one for one in said if self.known(one)}
        return known, said - known


def names_another(part: Part, pair: EventPair) -> bool:
    """Whether a part names what the older one does not; where every noun has a capital, its topics tell."""
    numbers = set(part.numbers.values()) - set(pair.before.numbers)
    names = set() if pair.rules.large_nouns else set(part.large.values()) - pair.before.words
    return bool(names or numbers)


def names_person(part: Part, pair: EventPair) -> bool:
    """Whether a part has a name that the older one has not."""
    return not pair.rules.large_nouns and bool(set(part.large.values()) - pair.before.words)


def other_gender(pair: EventPair) -> bool:
    """Whether the older one counts sons or daughters, and the newer one no such: "has two sons", "had a daughter"."""
    said = [
        {stem(one, pair.rules.code) for one in each.words if pair.words.has("gendered", one)}
        for each in (pair.before, pair.after)
    ]
    return bool(said[0] and said[1]) and not said[0] & said[1]


def happened(pair: EventPair) -> bool:
    """ "back from the dentist", after the day of the appointment."""
    last = _until(pair)
    said_at = pair.newer.said_at
    if last is None or said_at is None or recurring(pair) or holds_on(pair.older.said, pair.rules.code):
        return False
    earlier = any("earlier_day" in one.events or _named_earlier(one, pair) for one in pair.after.parts)
    if said_at.date() - timedelta(days=earlier) < last:
        return False
    if (
        said_at.date() > last + _ANOTHER_TIME
        or _dated(pair)
        or any(in_the_past(one, pair) for one in pair.before.parts)
    ):
        return False  # a flight of March, and in July "landed in Riga"
    past = pair.newer.done or any(in_the_past(one, pair) for one in pair.after.parts)
    if not past or any(one.denies("happened") for one in pair.after.parts[:1]):
        return False
    occasions = {stem(word, pair.rules.code) for word in pair.words.words.get("occasion", ())}
    about = {one for one in pair.before.topics if one not in occasions} or set(pair.before.topics)
    stated = {topic for one in pair.after.parts for at, topic in one.topics.items() if not _for_it(one, at, pair)}
    missing = [one for one in about if not one.startswith(CONCEPT) and not any(akin(one, other) for other in stated)]
    sure = (
        said_at.date() > last
        or pair.newer.done
        or (not missing and any(_told_as_over(one, pair) for one in pair.after.parts))
    )
    return sure and any(akin(one, other) for one in about for other in stated)


def _told_as_over(part: Part, pair: EventPair) -> bool:
    """Whether it is told on the day itself that it is over; who "called the dentist this morning" may yet go there."""
    stated, day = part.events.get("happened"), part.events.get("this_day")
    there = any(pair.words.has("attending", one.word) for one in part.tokens)
    return stated is not None and (there or day is None or stated.start != day.start)


def _named_earlier(part: Part, pair: EventPair) -> bool:
    """Whether it tells of the day before: "yesterday"."""
    return any(pair.words.has("earlier_day", time) for time in part.times)


def _for_it(part: Part, place: int, pair: EventPair) -> bool:
    """Whether a word stands behind "for": who "bought a suit for the interview" has not had it."""
    before = next((at for at in range(place - 1, -1, -1) if not _leads_to(part, at, pair)), None)
    return before is not None and pair.words.has("purpose", part.tokens[before].word)


def _leads_to(part: Part, place: int, pair: EventPair) -> bool:
    """Whether a word only belongs to the noun behind it."""
    word = part.tokens[place].word
    return any(pair.rules.has(kind, word) for kind in ("article", "pronoun")) or (
        place in part.topics and not pair.words.has("purpose", word) and place + 1 in part.topics
    )


def _dated(pair: EventPair) -> bool:
    """Whether the newer one names a date of its own, beside "yesterday"."""
    return any(re.search(r"\d", one) for one in pair.after.times)


def in_the_past(part: Part, pair: EventPair) -> bool:
    """Whether a part tells of the past."""
    if part.doubtful:
        return False
    if (
        any(pair.words.has("happened", time) for time in part.times)
        or "happened" in part.events
        or "past" in part.events
        or "done" in part.events
    ):
        return True
    endings = tuple(one for one in pair.words.words.get("past_ending", ()) if one)
    helped = any(pair.words.has("participles", one.word) for one in part.tokens)
    starts, ends = (tuple(pair.rules.words.get(kind, ())) for kind in ("participle_start", "participle_end"))
    joined = tuple(pair.rules.words.get("participle_ending", ()))
    for place, one in enumerate(part.tokens):
        before = part.tokens[max(0, place - 3) : place]
        helps = helped and any(pair.words.has("participles", other.word) for other in before)
        if helps and joined and not one.large and len(one.word) > 2 and one.word.endswith(joined):
            return True
        if endings and one.word.endswith(endings) and len(one.word) > 3 and not one.large:
            return True
        participle = one.word.startswith(starts) or "ge" in one.word[2:6]  # "angekommen"
        if helped and starts and participle and one.word.endswith(ends) and not one.large:
            return True
    return False


def recurring(pair: EventPair) -> bool:
    """Whether the older one speaks of what comes again: "every Tuesday", a birthday."""
    every = any(pair.words.has("recurring", one.word) for one in pair.before.tokens)
    return every or any(one.one == "always" and one.key.startswith("birth") for one in pair.older.claims)


def _until(pair: EventPair) -> date | None:
    """The first day on which what the older one plans may be over."""
    if pair.older.day is not None:
        return pair.older.day
    if pair.older.said_at is None:
        return None
    said, rules = pair.older.said_at.date(), pair.rules
    found: list[date] = []
    order = sorted(rules.dates.get("weekday", ()))
    found += [said + timedelta(days=pair.words.soon[word]) for word in pair.before.words if word in pair.words.soon]
    for word in (word for one in pair.before.times for word in one.split()):
        if word in order:
            found.append(_next_weekday(said, word, pair.words))
        elif word in rules.months:
            year = said.year + (rules.months[word] < said.month)
            found.append(date(year, rules.months[word], monthrange(year, rules.months[word])[1]))
    return max(found) if found else None


def _next_weekday(said: date, word: str, words: EventWords) -> date:
    """The next day of that name; of an unknown one, a week later."""
    at = next((place for place, one in enumerate(words.week) if one and word.startswith(one)), None)
    if at is None:
        return said + timedelta(days=7)
    return said + timedelta(days=(at - said.weekday() - 1) % 7 + 1)


def not_happening(pair: EventPair) -> bool:
    """ "is getting a puppy in March"; "won't be getting a puppy after all"."""
    unlike = any(True for _ in pair.words.signs.longest(pair.after.tokens, ("unlike",)))
    ahead = pair.older.mood == "planned" or (bool(pair.older.times) and not _recurring_day(pair))
    last, said_at = _until(pair), pair.newer.said_at
    passed = last is not None and said_at is not None and last < said_at.date()
    parts = [one for one in pair.after.parts if one.negations]
    if not unlike or not ahead or passed or len(parts) != 1 or pair.newer.positive or recurring(pair):
        return False
    known, others = pair.of_older(parts[0].topics.values())
    joins = {one for one in others if pair.rules.has("planned", one)}
    return bool(known) and not others - joins and set(parts[0].times) <= set(pair.before.times)


def _recurring_day(pair: EventPair) -> bool:
    """Whether the older one names an attribute of one value that has no day of its own: a birthday, an hour."""
    return any(one.one == "always" and one.key not in DATED for one in pair.older.claims)


def _intended(pair: EventPair) -> bool:
    """Whether what is wished is as good as planned: "wollen an Ostern nach Rügen fahren"."""
    return any(one.events.get("intends") for one in pair.before.parts)


def called_off(pair: EventPair) -> bool:
    """ "has scrapped the yoga studio idea": what is called off is what the older one plans."""
    planned = pair.older.mood == "planned" or pair.older.times or pair.older.trip or _intended(pair)
    planned = planned or any(pair.rules.has("season", word) for word in pair.before.words)
    if not planned or recurring(pair):
        return False
    last, said_at = _until(pair), pair.newer.said_at
    if last is not None and said_at is not None and last < said_at.date():
        return False
    for part in pair.after.parts:
        if "cancelled" not in part.events or part.denies("cancelled") or part.temporary:
            continue
        matter = part.matter("cancelled")
        known, others = pair.of_older(matter.values())
        beside = any(
            topic in others and matter.get(at + 1) in known for at, topic in matter.items()
        )  # "swimming lesson"
        same_day = bool(set(part.times) & set(pair.before.times))
        other_day = bool(part.times) and not set(part.times) <= set(pair.before.times)
        all_known = not others or (same_day and len(others) <= 1 and not beside)
        if known and all_known and not other_day and not names_another(part, pair):
            return True
    return False


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
