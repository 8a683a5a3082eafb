"""Whether what an older statement plans was called off, or its day has passed and the newer tells of it. Pure."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

from engine.facts.event_pair import EventPair, names_another
from engine.language.dates import holds_on
from engine.language.detection import stem
from engine.statements.claim import DATED
from engine.statements.parts import CONCEPT, Part, akin
from engine.statements.rules import EventWords

_ANOTHER_TIME = timedelta(days=31)
"""How long after its day something is told of: later it may be of another occasion."""


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
