"""When something was, and that it was just done, said in the plain words that the rules know. Pure.

"I quit smoking three months ago", "hace tres meses que dejé de fumar" → without the span
"acabo de mudarme a Burgos" → "me mudé a Burgos"
"ab sofort kostet das Ticket 58 Euro" → "ab sofort das Ticket kostet 58 Euro"
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.statements.rules import LanguageRules
from engine.statements.tokens import PUNCTUATION, WordToken
from engine.statements.values import number_of

MOST_WORDS = 4
"""Words of "a couple of" before "months ago", at most."""


def plain_speech(tokens: Sequence[WordToken], rules: LanguageRules) -> list[WordToken]:
    """The tokens without how long ago something was, and with what was just done in the past."""
    return _just_done(_without_ago(tokens, rules), rules)


def _without_ago(tokens: Sequence[WordToken], rules: LanguageRules) -> list[WordToken]:
    before = {one.end: one.start for one in rules.signs.longest(tokens, ("ago_before",))}
    gone = set[int]()
    for place, one in enumerate(tokens):
        if not rules.has("span", one.word):
            continue
        begin, end = place, place + 1
        while begin > 0 and place - begin < MOST_WORDS and begin not in before and _counts(tokens[begin - 1], rules):
            begin -= 1
        if begin == place:
            continue
        if end < len(tokens) and rules.has("ago", tokens[end].word):
            gone.update(range(begin, end + 1))
        elif begin in before:
            then = end < len(tokens) and rules.has("ago_then", tokens[end].word)
            gone.update(range(before[begin], end + then))
    return [one for place, one in enumerate(tokens) if place not in gone]


def _counts(one: WordToken, rules: LanguageRules) -> bool:
    return number_of(one.word, rules) is not None or any(rules.has(kind, one.word) for kind in ("few", "about"))


def _just_done(tokens: Sequence[WordToken], rules: LanguageRules) -> list[WordToken]:
    """ "acabo de mudarme a" as "me mudé a": an infinitive behind a phrase of the list, in its past form."""
    done = list(rules.signs.longest(tokens, ("just_done",)))
    gone = {place for one in done for place in range(one.start, one.end)}
    behind = {place for one in done for place in (one.end, one.end + 1)}  # "acabei de me mudar"
    found: list[WordToken] = []
    for place, one in enumerate(tokens):
        said = rules.infinitives.get(one.word, one.word) if place in behind else one.word
        if place not in gone:
            found += [WordToken(one.text, word, one.start, one.end) for word in said.split()]
    return found


def subject_first(tokens: Sequence[WordToken], rules: LanguageRules) -> list[WordToken]:
    """The tokens with the verb behind its subject where "now" or "since May" stands before both: "seit Mai kostet das …"."""
    kept = list(tokens)
    if not kept:  # signs alone
        return kept
    verb = next((place for place, one in enumerate(kept) if rules.has("verb_first", one.word)), 0)
    change = {place for one in rules.signs.longest(kept[:verb], ("change",)) for place in range(one.start, one.end)}
    dated = all(place in change or _is_date(one, rules) for place, one in enumerate(kept[:verb]))
    lasting = bool(change) or rules.has("from_then", kept[0].word)  # not "on Saturday"
    if not verb or not dated or not lasting or verb + 1 >= len(kept) or not rules.has("article", kept[verb + 1].word):
        return kept
    noun = next((place for place in range(verb + 2, min(len(kept), verb + MOST_WORDS)) if kept[place].large), None)
    if noun is None or any(one.word in PUNCTUATION for one in kept[verb:noun]):
        return kept
    return [*kept[:verb], *kept[verb + 1 : noun + 1], kept[verb], *kept[noun + 1 :]]


def _is_date(one: WordToken, rules: LanguageRules) -> bool:
    listed = any(one.word in words for words in rules.dates.values())
    return listed or one.word in rules.months or one.word[:1].isdigit()
