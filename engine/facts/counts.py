"""Whether a number of an older statement is another one now: "down to three", "bumped the coffee up to 3.80". Pure."""

from __future__ import annotations

from engine.facts.event_pair import EventPair, names_person, other_gender
from engine.facts.occasions import recurring
from engine.statements.parts import CONCEPT, Part, akin


def counted(pair: EventPair) -> bool:
    """ "we have four hens"; "so we're down to three"."""
    found = _count_of(pair)
    if found is None or pair.before.times or other_gender(pair):
        return False
    number, noun = found
    if _beside_the_first(pair, number, noun):
        return False
    if _born(pair, number, noun):
        return True
    named = any(akin(one, other) for one in noun for other in pair.after.topics)
    people = CONCEPT + "staff" in noun
    for part, behind in zip(pair.after.parts, (*pair.after.parts[1:], None), strict=True):
        if behind and pair.words.has("relative", behind.tokens[0].word):
            continue  # "only two who speak French"
        total = part.now or "total" in part.events or "remaining" in part.events
        if not total or (part.negations and part.denies("total")) or part.doubtful or not (named or people):
            continue
        matter = part.matter("total", "remaining", "now")
        _, others = pair.of_older(topic for place, topic in matter.items() if not _holds(part, place, pair))
        values = [one for place, one in part.numbers.items() if _counts_here(part, place)] or _last_one(part, pair)
        if part.times or ("now" not in part.events and _free(part, pair)):
            continue  # "20 seats left for Friday"
        if len(values) == 1 and values[0] != number and not others and not names_person(part, pair):
            return True
    return False


def _last_one(part: Part, pair: EventPair) -> list[str]:
    """ "nur noch einen"."""
    total = part.events.get("total")
    behind = part.tokens[total.end].word if total and total.end < len(part.tokens) else ""
    return ["1"] if not part.numbers and pair.words.has("one", behind) else []


def _free(part: Part, pair: EventPair) -> bool:
    """Whether it counts what may be left of rooms and seats for a while."""
    return "bookable" in part.events and "left_over" in part.events


def _holds(part: Part, place: int, pair: EventPair) -> bool:
    """Whether a word there is a verb of having: "now offers ten rooms"."""
    word = part.tokens[place].word
    return any(pair.rules.has(kind, word) for kind in ("holding", "counting", "owning")) or pair.words.has("owns", word)


def _counts_here(part: Part, place: int) -> bool:
    total, left = part.events.get("total"), part.events.get("remaining")
    return part.now or (total is not None and total.end - 1 <= place) or (left is not None and place < left.start)


def _count_of(pair: EventPair) -> tuple[str, set[str]] | None:
    """The one number of the older statement, and what is counted."""
    for part in pair.before.parts[:1]:
        places = list(part.numbers)
        if not places:
            places = [
                place for place, one in enumerate(part.tokens)
                if pair.words.has("one", one.word) and place
            ][:1]  # fmt: skip
        if len(places) != 1 or len(pair.before.numbers) > 1:
            return None
        place = places[0]
        noun = {topic for at, topic in part.topics.items() if place < at <= place + 2}
        held = any(
            pair.words.has("owns", one.word) or pair.rules.has("holding", one.word) or pair.rules.has("counting", one.word)
            or CONCEPT + "staff" in part.topics.values()
            for one in part.tokens[:place]
        ) or CONCEPT + "staff" in noun or "works" in part.events  # fmt: skip
        if noun and held:
            return part.numbers.get(place, "1"), noun
    return None


def _beside_the_first(pair: EventPair, number: str, noun: set[str]) -> bool:
    """Whether what is counted stays as it was when one comes to it: "has a boat"; "bought a second boat". So what is told of
    those there were, "has two shops in Leeds"; "opened a third shop in York". But "has one child"; "had her second child"."""
    part = pair.before.parts[0]
    rest = [one for at, one in part.topics.items() if one not in noun and not _holds(part, at, pair)]
    says_more = bool(rest) or len(pair.before.parts) > 1
    if _ordinals(pair):
        return says_more or not part.numbers  # "a boat" counts nothing
    return number == "1" and (says_more or len(noun) > 1)  # "has a cat named Pip", "a red car"; "now has two"


def _born(pair: EventPair, number: str, noun: set[str]) -> bool:
    """ "has two kids"; "just had their third kid"; "has two shops"; "opened a third shop"."""
    if not {"born", "added"} & pair.after.events or not any(
        akin(one, other) for one in noun for other in pair.after.topics
    ):
        return False
    return (
        number.isdigit() and _ordinals(pair) == {int(number) + 1} and not any(one.negations for one in pair.after.parts)
    )


def _ordinals(pair: EventPair) -> set[int]:
    """The ordinals of the newer one, as numbers."""
    return {pair.words.ordinals[one.word] for one in pair.after.tokens if one.word in pair.words.ordinals}


def raised(pair: EventPair) -> bool:
    """ "costs 3.20"; "they bumped it up to 3.80"."""
    if len(pair.before.numbers) != 1 or pair.before.times:
        return False
    for part in pair.after.parts:
        if "raised" not in part.events or part.denies("raised") or part.temporary or len(part.numbers) != 1:
            continue
        place, value = next(iter(part.numbers.items()))
        to = any(
            pair.rules.has("to", one.word) or pair.rules.has("changing_to", one.word)
            for one in part.tokens[max(0, place - 2) : place]
        )
        known, others = pair.of_older(topic for topic in part.matter("raised").values())
        units = {one for at, one in part.matter("raised").items() if at > place} - pair.before.topics
        if (
            to
            and known
            and not others
            and not units
            and value != pair.before.numbers[0]
            and not names_person(part, pair)
        ):
            return True
    return False


def another_day(pair: EventPair) -> bool:
    """ "the cleaner comes on Tuesdays"; "the cleaner now comes on Thursdays"."""
    days = [{word for word in each.words if _weekday(word, pair)} for each in (pair.before, pair.after)]
    topics = [{one for one in each.topics if not _weekday(one, pair)} for each in (pair.before, pair.after)]
    plain = not any(one.negations or one.temporary for one in (*pair.before.parts, *pair.after.parts))
    states_change = pair.newer.changed and plain and not pair.before.numbers and not pair.after.numbers
    return (
        states_change
        and len(days[0]) == len(days[1]) == 1
        and days[0] != days[1]
        and topics[0] == topics[1]
        and bool(topics[0])
    )


def _weekday(word: str, pair: EventPair) -> bool:
    days = pair.rules.dates.get("weekday", frozenset[str]())
    return word in days or word.removesuffix("s") in days or word + "s" in days or f"{word}-feira" in days


def opened(pair: EventPair) -> bool:
    """ "closes on Sundays"; "now opens on Sundays"."""
    states = {CONCEPT + "opens", CONCEPT + "closes"}
    differ = pair.before.topics ^ pair.after.topics
    same = pair.before.times == pair.after.times and not pair.before.numbers and not pair.after.numbers
    plain = not any(one.negations or one.temporary for one in (*pair.before.parts, *pair.after.parts))
    return differ == states and same and plain and pair.newer.changed


def now_otherwise(pair: EventPair) -> bool:
    """ "closes at 7"; "now stays open until 9": one number each, and the same words for it."""
    values = [{*each.numbers, *each.times} for each in (pair.before, pair.after)]
    if len(values[0]) != 1 or len(values[1]) != 1 or values[0] == values[1] or not pair.newer.changed:
        return False
    if any(one.negations or one.temporary for one in pair.after.parts) or recurring(pair):
        return False
    cost = {CONCEPT + "cost"}
    before, after = (each.topics - cost for each in (pair.before, pair.after))
    priced = cost <= pair.after.topics | pair.before.topics
    concepts = {one for one in pair.before.topics if one.startswith(CONCEPT)}
    return before == after and (bool(before) if priced else bool(concepts))
