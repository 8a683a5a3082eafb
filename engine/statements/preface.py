"""What stands before a statement and takes nothing from it: "there is no doubt that", "she confirmed on Monday that", "since the
move". Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.statements.claim import is_of
from engine.statements.rules import LanguageRules
from engine.statements.tokens import PUNCTUATION, WordToken

MOST_WORDS = 14
"""Words of "since the move of the whole family", at most."""
_ASIDE = ("article", "pronoun", "filler", "auxiliary", "change", "of")


def without_assurance(tokens: Sequence[WordToken], own: Collection[str], rules: LanguageRules) -> list[WordToken]:
    """The tokens without what only assures: "there is no doubt that"; "Ann confirmed that", of Ann, not of her boss."""
    plain = [
        one
        for place, one in enumerate(tokens)
        if not (one.word == "," and place + 1 < len(tokens) and rules.has("that", tokens[place + 1].word))
    ]
    gone = set[int]()
    for match in rules.signs.longest(plain, ("assured", "confirmed")):
        before, behind = plain[: match.start], plain[match.end :]
        if match.meaning == "assured" or _by_itself(before, behind, frozenset(own), rules):
            gone.update(set(range(match.start, match.end)) - set(match.skipped))
    kept = [one for place, one in enumerate(plain) if place not in gone]
    first = next((place for place, one in enumerate(kept) if not gone or one.word not in PUNCTUATION), 0)
    return kept[first:]


def without_denial(tokens: Sequence[WordToken], rules: LanguageRules) -> list[WordToken]:
    """What is denied as a whole: the tokens behind "it is not true that" at the beginning; all where nothing is."""
    start = next((place for place, one in enumerate(tokens) if not _leads_in(one, rules)), len(tokens))
    ends = (one.end for one in rules.signs.at(tokens, start) if one.meaning == "denied") if start < len(tokens) else ()
    end = max(ends, default=0)
    behind = end
    while behind < len(tokens) and (tokens[behind].word == "," or rules.has("that", tokens[behind].word)):
        behind += 1
    # "es stimmt nicht, dass"; where a language lists no such word, "it is not true that" has it in the phrase
    opens = end > 0 and (behind > end or not rules.words.get("that"))
    return list(tokens[behind:] if opens else tokens)


def _leads_in(one: WordToken, rules: LanguageRules) -> bool:
    return one.word in PUNCTUATION or rules.has("correction", one.word)


def _by_itself(
    before: Sequence[WordToken], behind: Sequence[WordToken], own: frozenset[str], rules: LanguageRules
) -> bool:
    """Whether nobody but the subject is named before "confirmed that": not "told me that Ann moved", which another one told."""
    dated = rules.dates
    if not any(is_of(one.word, own) for one in before) and any(is_of(one.word, own) for one in behind):
        return False
    return all(
        one.word in own
        or one.word in PUNCTUATION
        or one.word[:1].isdigit()
        or any(rules.has(kind, one.word) for kind in _ASIDE)
        or any(one.word in dated.get(kind, ()) for kind in dated)
        for one in before
    )


def left_in(lead: Sequence[WordToken], rules: LanguageRules) -> frozenset[str]:
    """The name in "after six years at Acme"."""
    if not any(rules.has("span", one.word) for one in lead):
        return frozenset()
    return frozenset(one.word for one in lead[1:] if one.large and not one.word[:1].isdigit())


def without_lead(tokens: Sequence[WordToken], own: frozenset[str], rules: LanguageRules) -> list[WordToken]:
    """The tokens without "since the move," and "after the auditions" before the subject; dates stay."""
    match = next((one for one in rules.signs.at(tokens, 0) if one.meaning == "lead"), None) if tokens else None
    if match is None:
        return list(tokens)
    for place in range(match.end, min(len(tokens), match.end + MOST_WORDS)):
        span = place + 1 < len(tokens) and rules.has("span", tokens[place + 1].word)  # "after 6 years at Acme"
        if (tokens[place].word[:1].isdigit() and not span) or _is_date(tokens[place], rules):
            return list(tokens)
        if tokens[place].word == ",":
            return list(tokens[place + 1 :])
        if is_of(tokens[place].word, own):
            while place > match.end + 1 and rules.has("article", tokens[place - 1].word):
                place -= 1
            if rules.large_nouns and not tokens[place - 1].large:  # "seit dem Umzug raucht Ann"
                place -= 1
            owned = place > match.end and rules.has("of", tokens[place - 1].word)  # "since the move of Ann"
            return list(tokens) if owned or place == match.end else list(tokens[place:])
    return list(tokens)


def _is_date(one: WordToken, rules: LanguageRules) -> bool:
    return one.word in rules.months or one.word in rules.dates.get("weekday", ())
