"""How a statement is said: as holding, supposed, heard from others, planned or denied, by its words; the same said plainly. Pure.

preface  what stands before a statement and takes nothing from it: "there is no doubt that", "she confirmed on Monday that",
         "since the move"
plain    when something was, and that it was just done, in the words that the rules know:
         "I quit smoking three months ago", "hace tres meses que dejé de fumar" → without the span
         "acabo de mudarme a Burgos" → "me mudé a Burgos"
         "ab sofort kostet das Ticket 58 Euro" → "ab sofort das Ticket kostet 58 Euro"
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from engine.statements.claim import is_of
from engine.statements.rules import LanguageRules
from engine.statements.tokens import PUNCTUATION, Match, WordToken
from engine.statements.values import number_of

Mood = Literal["said", "supposed", "reported", "planned", "denied"]
_MOODS = ("denied", "taken_back", "supposed", "wished", "hearsay", "reported", "planned")
_KINDS = (
    "hearsay", "past", "beside", "temporary", "change", "cancelled", "correction",
    "supposed", "wished", "reported", "confirmed", "planned", "done", "returned", "rate",
)  # fmt: skip
MOST_LEADING = 14
"""Words of "since the move of the whole family", at most."""
_ASIDE = ("article", "pronoun", "filler", "auxiliary", "change", "of")
MOST_COUNTING = 4
"""Words of "a couple of" before "months ago", at most."""


def signs_in(every: Sequence[WordToken], rules: LanguageRules) -> dict[str, bool]:
    """Which signs stand in a statement; "as I said" is no report."""
    plain = {
        place
        for one in rules.signs.longest(every, ("filler", "correction", "unplanned"))
        for place in range(one.start, one.end)
    }
    off = {place for one in rules.signs.longest(every, ("cancelled", "done")) for place in range(one.start, one.end)}
    return {
        kind: any(
            not (kind == "planned" and one.start in off)
            and not (kind in _MOODS and is_large_name(every, one, rules))
            and (kind in ("correction", "cancelled", "done") or one.start not in plain)
            for one in rules.signs.longest(every, (kind,))
        )
        for kind in _KINDS
    }


def is_large_name(tokens: Sequence[WordToken], match: Match, rules: LanguageRules) -> bool:
    """Whether a sign is a name in the middle of a sentence: "May", "Will". Where nouns begin with capitals, nobody knows."""
    if rules.large_nouns or match.start == 0 or match.end - match.start > 1:
        return False
    text = tokens[match.start].text
    return len(text) > 1 and text[0].isupper() and tokens[match.start - 1].word not in (".", "!", ",", ":")


def mood_of(every: Sequence[WordToken], rules: LanguageRules, has: dict[str, bool]) -> Mood:
    """How it is said, by its signs."""
    for kind in ("taken_back", "denied"):
        for one in rules.signs.longest(every, (kind,)):
            stands_alone = one.start > 0 and (one.end == len(every) or every[one.end].word in PUNCTUATION)
            opens = every[one.start - 1].word in PUNCTUATION or rules.has("but", every[one.start - 1].word)
            if kind == "denied" or (stands_alone and opens):
                return "denied"
    if any(one.word in ("?", "¿") for one in every) or has["supposed"] or has["wished"]:
        return "supposed"
    if has["reported"] or has["hearsay"] or has["confirmed"]:
        return "reported"
    return "planned" if has["planned"] else "said"


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
    for place in range(match.end, min(len(tokens), match.end + MOST_LEADING)):
        span = place + 1 < len(tokens) and rules.has("span", tokens[place + 1].word)  # "after 6 years at Acme"
        if (tokens[place].word[:1].isdigit() and not span) or _is_day(tokens[place], rules):
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


def _is_day(one: WordToken, rules: LanguageRules) -> bool:
    return one.word in rules.months or one.word in rules.dates.get("weekday", ())


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
        while begin > 0 and place - begin < MOST_COUNTING and begin not in before and _counts(tokens[begin - 1], rules):
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
    noun = next((place for place in range(verb + 2, min(len(kept), verb + MOST_COUNTING)) if kept[place].large), None)
    if noun is None or any(one.word in PUNCTUATION for one in kept[verb:noun]):
        return kept
    return [*kept[:verb], *kept[verb + 1 : noun + 1], kept[verb], *kept[noun + 1 :]]


def _is_date(one: WordToken, rules: LanguageRules) -> bool:
    listed = any(one.word in words for words in rules.dates.values())
    return listed or one.word in rules.months or one.word[:1].isdigit()
