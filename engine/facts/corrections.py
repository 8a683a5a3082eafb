"""Whether a statement corrects an older one: "it's Thursday he is coming, not Wednesday", "I misread the ticket: …". Pure."""

from __future__ import annotations

import re
from collections.abc import Collection

from engine.facts.event_pair import EventPair, names_person, other_gender
from engine.language.detection import stem
from engine.statements.parts import Part, akin
from engine.statements.rules import LanguageRules
from engine.statements.tokens import WordToken
from engine.statements.values import TIME, number_of

_MOST_OF_A_DATE = 4
"""Words of a date or a value, at most."""


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
