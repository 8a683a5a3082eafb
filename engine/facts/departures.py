"""Whether somebody who left or gave up something still has it: left for the day, gave up a part of it, or began again. Pure."""

from __future__ import annotations

from collections.abc import Set

from engine.statements.claim import Claim
from engine.statements.parts import Part, akin, parts_of
from engine.statements.rules import LanguageRules, event_words_of, rules_of
from engine.statements.statement import Statement
from engine.statements.tokens import Match, tokens_of


def resumed(older: Statement, newer: Statement) -> bool:
    """ "gave up coffee last year but is back on it", "stopped taking it before the surgery and resumed after"."""
    if _says("resumed", newer):
        return True
    code = newer.language
    known = parts_of(older.said, older.subject, code).topics
    return any(
        _taken_up(part, known, code, first=not place)
        for place, part in enumerate(parts_of(newer.said, newer.subject, code).parts)
    )


def _taken_up(part: Part, known: Set[str], code: str, *, first: bool) -> bool:
    """Whether a part says that what is known began again; not "left Acme and resumed her studies"."""
    rules, words = rules_of(code), event_words_of(code)
    old = {place for place, topic in part.topics.items() if any(akin(topic, one) for one in known)}
    new = {place for place in part.topics if place not in old}
    new = {place for place in new if not rules.has("span", part.tokens[place].word)}  # "restarted a week later"
    matches = [
        one for one in words.signs.longest(part.tokens, ("taken_up",)) if not first or any(at >= one.end for at in old)
    ]  # "resumed aspirin after she had stopped"
    if any(not _names_other(part, one, new, rules) for one in matches):
        return True
    again = next(iter(words.signs.longest(part.tokens, ("again",))), None)
    if again is None or first:  # "left Acme again"
        return False
    new -= {*range(again.start, again.end)}
    if rules.large_nouns:  # "und danach wieder genommen", of "nimmt": only a noun tells of something else
        new = {place for place in new if part.tokens[place].large}
    return not new and (bool(part.topics) or rules.has("but", part.tokens[0].word))  # "nimmt es aber wieder"


def _names_other(part: Part, match: Match, new: Set[int], rules: LanguageRules) -> bool:
    """Whether something else was taken up: "resumed her studies", "returned to Hull", "went back to work"; not "resumed soon"."""
    end = match.end
    while end < len(part.tokens) and rules.has("article", part.tokens[end].word):
        end += 1
    leads = rules.has("to", part.tokens[match.end - 1].word)
    named = [place for place in (*match.skipped, end) if place in new]
    behind = any(leads or part.tokens[one].large or rules.has("article", part.tokens[one - 1].word) for one in named)
    return behind or (rules.large_nouns and match.start - 1 in new and _is_object(part, match.start - 1, rules))


def _is_object(part: Part, place: int, rules: LanguageRules) -> bool:
    """ "das Studium" of "und das Studium wieder aufgenommen"; not "Juni" of "und im Juni wieder aufgenommen"."""
    begin = place
    while begin > 0 and rules.has("article", part.tokens[begin - 1].word):
        begin -= 1
    before = part.tokens[begin - 1].word if begin else ""
    return begin < place and (
        rules.has("and", before) or not any(rules.has(one, before) for one in ("to", "value_end"))
    )


def left_just_now(newer: Statement) -> bool:
    """ "has just left Acme", which may be for the day."""
    return _says("just", newer)


def still_there(older: Claim, newer: Claim, after: Statement) -> bool:
    """Whether what ends is no office and no work: "handed over the chair's report", "quit Acme's pension scheme"."""
    more = older.value < newer.value
    if newer.key == "role":
        return more and "'s" in newer.words
    return newer.key == "employer" and (more or f"{newer.shown}'s" in after.said or left_just_now(after))


def of_another_one(part: Part, known: Set[str], code: str) -> bool:
    """Whether a part speaks of another one than what is known: "sold his old scooter", "vendió la moto vieja", "sold one of his
    scooters"; where the older statement says "old", too, it is that one."""
    rules, words = rules_of(code), event_words_of(code)
    before = [part.tokens[place - 1] for place in part.topics if place]
    after = [one for place in part.topics for one in part.tokens[place + 1 : place + 2] if rules.noun_first]
    beside = {one.word for one in (*before, *after)}
    beside |= {word for one in before for word in one.text.casefold().split()}  # "a segunda mota" names no Monday
    one_of = any(True for _ in words.signs.longest(part.tokens, ("one_of",)))
    return one_of or any(words.has("another_one", one) for one in beside - known)


def _says(kind: str, newer: Statement) -> bool:
    tokens = tokens_of(newer.said, rules_of(newer.language).contractions)
    return any(True for _ in event_words_of(newer.language).signs.longest(tokens, (kind,)))
