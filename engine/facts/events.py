"""Whether a statement tells of something that ends an older one, where neither names an attribute of the other. Pure.

corrected   "the plumber is coming Wednesday"; "it's Thursday he is coming, not Wednesday"
happened    "I'm seeing the dentist on 14 March"; "back from the dentist", said on that day or later
called off  "Jo is planning to open a yoga studio"; "Jo has scrapped the yoga studio"
handed over "Dale coaches the Rovers"; "Tess took over from Dale as coach of the Rovers"
counted     "we have four hens"; "a fox took one of the hens, so we're down to three"
raised      "a coffee costs 3.20"; "they bumped the coffee up to 3.80"
given up    "Theo drives a Volvo"; "Theo sold his Volvo"

The newer statement names what the older one speaks of, and nothing else; what is supposed, denied or of another one ends nothing.
Corrections ("I misread the ticket: …") and numbers that are others now ("down to three") are told here; what was called off,
happened or was lost in `occasions`, who took over in `successions`.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from engine.domain.fact import FactRelation
from engine.facts.occasions import (
    EventPair,
    called_off,
    given_up,
    happened,
    names_person,
    no_longer,
    not_happening,
    other_gender,
    recurring,
)
from engine.facts.successions import handed_over, moved_over, resigned, separated, successor
from engine.language.detection import stem
from engine.statements.nouns import USER
from engine.statements.parts import CONCEPT, Part, akin, parts_of
from engine.statements.rules import LanguageRules, event_words_of, rules_of
from engine.statements.statement import Statement, statement
from engine.statements.tokens import WordToken
from engine.statements.values import TIME, number_of

_MOST_OF_A_DATE = 4
"""Words of a date or a value, at most."""
_BY_THE_WAY = frozenset(
    "now past works owns participles leads broken intends unlike lasting negation contrast bookable office left_over gone"
    " short earlier_day this_day regained resumed ongoing stand_in handing".split()
)
"""Words that tell of nothing by themselves."""
_OF_A_BIRTH = ("child", "grandchild", "couple")
"""Whom a birth is told of, beside the subject."""


def contrasted(pair: EventPair) -> bool:
    """ "Thursday, not Wednesday": what stands behind "not" is what the older one said."""
    if other_gender(pair):
        return False
    tokens = pair.after.tokens
    for match in pair.words.signs.longest(tokens, ("contrast",)):
        end = match.end
        while end < len(tokens) and tokens[end].word not in ",.;!?()":
            end += 1
        opens = match.start == 0 or (
            tokens[match.start - 1].word in ",;:.(" or pair.rules.has("and", tokens[match.start].word)
        )
        closes = next((at for at in range(match.end, end) if pair.rules.has("but", tokens[at].word)), None)
        if not opens and closes is None:
            continue  # "does not work at Acme on Fridays"
        end = end if closes is None else closes
        said = [one for one in tokens[match.end : end] if not _joins(one.word, pair.rules)]
        old = {number_of(word, pair.rules) or word for one in said for word in one.text.casefold().split()}
        if not old or len(said) > _MOST_OF_A_DATE or not old <= pair.before.words:
            continue
        rest = [*tokens[: match.start], *tokens[end:]]
        new = {
            number_of(word, pair.rules) or word for one in rest for word in one.text.casefold().split()
        } - pair.before.words
        of_kind = _kind(said, pair.rules)
        named = [one for one in rest if {*one.text.casefold().split()} & new or number_of(one.word, pair.rules) in new]
        topics_after = {topic for one in pair.after.parts for topic in one.topics.values()}
        shared = {
            one
            for one in pair.of_older(topics_after)[0]
            if not any(akin(one, stem(word, pair.rules.code)) for word in old)
        }
        bare = {one for one in pair.before.topics if not any(akin(one, stem(word, pair.rules.code)) for word in old)}
        missing = {one for one in bare if not any(akin(one, other) for other in topics_after)}
        others = pair.of_older(topics_after)[1]
        of_another = bool(missing and others) or any(names_person(one, pair) for one in pair.after.parts)
        alike = shared and (
            not of_another if of_kind == "number" else not missing
        )  # not a cat's name for that of a dog
        if any(_kind([one], pair.rules) == of_kind for one in named) and (alike or not bare):
            return True
    return False


def _joins(word: str, rules: LanguageRules) -> bool:
    return any(rules.has(kind, word) for kind in ("article", "value_end", "of", "to", "from"))


def _kind(tokens: Collection[WordToken], rules: LanguageRules) -> str:
    """Of which kind words are: a date or a number, or others."""
    counted = any(one.word == TIME or re.match(r"\d", one.word) or number_of(one.word, rules) for one in tokens)
    return "number" if counted else "word"


def slipped(pair: EventPair) -> bool:
    """ "I misread the ticket: her train gets in at 7:15": says again what the older one said, with another value."""
    if "slip" not in pair.after.events:
        return False
    if any(one.negations and "slip" not in one.events for one in pair.after.parts):
        return False
    rest = {topic for one in pair.after.parts for topic in one.matter("slip").values()}
    missing = {one for one in pair.before.topics if not any(akin(one, other) for other in rest)}
    shared = pair.before.topics - missing
    counted = bool(pair.before.numbers or pair.before.times)
    said = {*pair.after.numbers, *pair.after.times}
    if counted:
        other = bool(said) and said != {*pair.before.numbers, *pair.before.times}
        more = not pair.after.words <= pair.before.words
        first = next((topic for one in pair.before.parts for topic in one.topics.values()), "")
        if first in missing or any(_says_more(one, pair) for one in pair.after.parts):
            return False
        return (bool(shared) or not pair.before.topics) and len(missing) <= 1 and (other or (bool(said) and more))
    first = next((topic for one in pair.before.parts for topic in one.topics.values()), "")
    topics_after = [{*one.topics.values()} for one in pair.after.parts]
    again = any(all(any(akin(one, other) for other in each) for one in pair.before.topics) for each in topics_after)
    known = bool(shared) and first not in missing and len(missing) <= 1 and len(missing) <= len(shared)
    return known and not again and bool(pair.of_older(rest)[1])  # not "oops, I forgot that she is allergic to nuts"


def _says_more(part: Part, pair: EventPair) -> bool:
    """Whether it says more about a number than the older one: "walks four dogs at the shelter", of "has three dogs"."""
    known, others = pair.of_older(part.matter("slip").values())
    return bool(part.numbers and known) and len(others) > 1


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
        _, others = pair.of_older(topic for place, topic in matter.items() if not _has(part, place, pair))
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


def _has(part: Part, place: int, pair: EventPair) -> bool:
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
    rest = [one for at, one in part.topics.items() if one not in noun and not _has(part, at, pair)]
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


def by_events(older: Statement, newer: Statement) -> FactRelation:
    """What an event that the newer statement tells of does to the older one."""
    if not older.language or not newer.language:
        return "none"
    if older.language != newer.language:
        again = statement(newer.said, newer.subject, newer.said_at, older.language)
        found = by_events(older, again)
        if found != "none":
            return found
        older = statement(older.said, older.subject, older.said_at, newer.language)
    pair = EventPair(
        older, newer, parts_of(older.said, older.subject, older.language), parts_of(newer.said, newer.subject, newer.language),
        rules_of(older.language), event_words_of(older.language),
    )  # fmt: skip
    if not _holds(pair):
        return "none"
    if newer.mood == "denied":
        return "changes" if slipped(pair) else "none"
    if _of_another(pair):
        return "none"
    return "changes" if contrasted(pair) or slipped(pair) else _of_event(pair)


def _of_event(pair: EventPair) -> FactRelation:
    """What happened, where nothing is corrected."""
    if _of_earlier_year(pair):
        return "none"
    if happened(pair) or called_off(pair) or not_happening(pair) or no_longer(pair) or separated(pair):
        return "ends"
    if (
        handed_over(pair)
        or moved_over(pair)
        or successor(pair)
        or counted(pair)
        or raised(pair)
        or now_otherwise(pair)
        or opened(pair)
        or another_day(pair)
    ):
        return "changes"
    return "ends" if resigned(pair) or given_up(pair) else "none"


def _holds(pair: EventPair) -> bool:
    """Whether both are said as holding."""
    doubts = any(one.doubtful for one in pair.before.parts) or pair.older.mood not in ("said", "planned")
    wished = pair.older.wished and called_off(pair)
    asked = any(one.word in ("?", "¿") for one in pair.after.tokens)
    stated = not asked and not any(one.doubtful for one in pair.after.parts) and _of_subject(pair)
    return stated and (wished or not doubts) and not pair.older.past


def _of_earlier_year(pair: EventPair) -> bool:
    """Whether it tells of a year before the older one was said: "was stolen in 2019"."""
    years = [int(one) for time in pair.after.times for one in re.findall(r"\b(?:19|20)\d\d\b", time)]
    said_at = pair.older.said_at
    return said_at is not None and bool(years) and max(years) < said_at.year


def _of_subject(pair: EventPair) -> bool:
    """Whether the newer one speaks of the subject, or of "she"; not "Tom is back from leave", of a speaker."""
    own = frozenset(pair.older.subject.split())
    speaker = pair.older.subject == USER or all(pair.rules.has("pronoun", one) for one in own)
    spoken = any(one.own for one in pair.after.parts)
    if not speaker:
        return spoken or any(pair.rules.has("pronoun", one.word) for one in pair.after.tokens)
    first, then = [*pair.after.tokens, *pair.after.tokens][:2]
    named = (
        first.large
        and first.text.isalpha()
        and first.word not in pair.before.words
        and first.word not in pair.rules.vocabulary
    )
    helps = any(pair.rules.has(kind, then.word) for kind in ("auxiliary", "helping")) and not pair.rules.has(
        "of", then.word
    )
    return not (named and helps)


def _of_another(pair: EventPair) -> bool:
    """Whether it speaks of somebody beside the subject of whom the older one says nothing: "Ann's brother left the board"."""
    persons = pair.words.words.get("person", frozenset[str]())
    for part in pair.after.parts:
        stated = set(part.events) - _BY_THE_WAY or pair.of_older(part.topics.values())[0]
        behind = [*(one.large and not pair.rules.large_nouns for one in part.tokens[1:]), False]  # "Father Mark"
        named = [
            one.word
            for one, title in zip(part.tokens, behind, strict=True)
            if one.word in persons and not (one.large and title)
        ]
        new = [one for one in named if not pair.known(stem(one, pair.rules.code)) and one not in pair.before.words]
        if "born" in pair.after.events:
            new = [one for one in new if pair.words.stems.get(stem(one, pair.rules.code)) not in _OF_A_BIRTH]
        if stated and new:
            return True
    return False
