"""Whether a statement tells of something that ends an older one, where neither names an attribute of the other. Pure.

corrected   "the plumber is coming Wednesday"; "it's Thursday he is coming, not Wednesday"
happened    "I'm seeing the dentist on 14 March"; "back from the dentist", said on that day or later
called off  "Jo is planning to open a yoga studio"; "Jo has scrapped the yoga studio"
handed over "Dale coaches the Rovers"; "Tess took over from Dale as coach of the Rovers"
counted     "we have four hens"; "a fox took one of the hens, so we're down to three"
raised      "a coffee costs 3.20"; "they bumped the coffee up to 3.80"
given up    "Theo drives a Volvo"; "Theo sold his Volvo"

The newer statement names what the older one speaks of, and nothing else; what is supposed, denied or of another one ends nothing.
"""

from __future__ import annotations

import re

from engine.domain.fact import FactRelation
from engine.facts.corrections import contrasted, slipped
from engine.facts.counts import another_day, counted, now_otherwise, opened, raised
from engine.facts.event_pair import EventPair
from engine.facts.losses import given_up, no_longer
from engine.facts.occasions import called_off, happened, not_happening
from engine.facts.successions import handed_over, moved_over, resigned, separated, successor
from engine.language.detection import stem
from engine.statements.nouns import USER
from engine.statements.parts import parts_of
from engine.statements.rules import event_words_of, rules_of
from engine.statements.statement import Statement, statement

_BY_THE_WAY = frozenset(
    "now past works owns participles leads broken intends unlike lasting negation contrast bookable office left_over gone"
    " short earlier_day this_day regained resumed ongoing stand_in handing".split()
)
"""Words that tell of nothing by themselves."""
_OF_A_BIRTH = ("child", "grandchild", "couple")
"""Whom a birth is told of, beside the subject."""


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
