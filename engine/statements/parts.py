"""The parts of a statement between commas, points, "and" and "because", and what each of them tells of; and the mood of a
statement: how it is said, as holding, supposed, heard from others, planned or denied, by its words; the same said plainly. Pure.

parts    "Theo sold his Volvo and doesn't own a car any more" → sold, Volvo | denied, own, car
preface  what stands before a statement and takes nothing from it: "there is no doubt that", "she confirmed on Monday that",
         "since the move"
plain    when something was, and that it was just done, in the words that the rules know:
         "I quit smoking three months ago", "hace tres meses que dejé de fumar" → without the span
         "acabo de mudarme a Burgos" → "me mudé a Burgos"
         "ab sofort kostet das Ticket 58 Euro" → "ab sofort das Ticket kostet 58 Euro"
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engine.language.detection import stem
from engine.statements.claim import is_of
from engine.statements.rules import EventWords, LanguageRules, event_words_of, rules_of
from engine.statements.tokens import PUNCTUATION, Match, WordToken, tokens_of
from engine.statements.values import TIME, number_of, with_times

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

CONCEPT = "#"
"""What a topic begins with that is no stem but a thing for which there are several words."""
_NO_EVENTS = frozenset(
    "idle occasion person past_ending title one idiom purpose young gendered just insignia attending another_one"
    " one_of taken_up again goes_on not_given_up relative workplace".split()
)
"""Lists of words that are looked up one by one; an idiom has the word for an event and tells of none: "dropped the dog off"."""
_DOUBTS = ("supposed", "wished", "hearsay", "reported", "denied", "taken_back", "confirmed")
_JOINS = ("and", "but", "because")
_IDLE = (
    *_JOINS,
    "article",
    "pronoun",
    "auxiliary",
    "of",
    "value_end",
    "filler",
    "change",
    "is",
    "was",
    "helping",
    "negation",
)


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


@dataclass(frozen=True, slots=True)
class Part:
    """`topics`: by the place of a token, what it speaks of; `events`: what it tells of; `numbers`: digits by place; `large`: by
    place the words with capitals that do not begin the sentence and are not the subject."""

    tokens: tuple[WordToken, ...]
    topics: Mapping[int, str]
    events: Mapping[str, Match]
    numbers: Mapping[int, str]
    times: tuple[str, ...]
    large: Mapping[int, str]
    negations: frozenset[int]
    doubtful: bool
    temporary: bool
    now: bool
    own: bool
    """Whether the subject is named."""

    def denies(self, event: str) -> bool:
        """Whether it says that this did not happen."""
        matched = self.events.get(event)
        return any(
            matched is None or not matched.start <= one < matched.end or one in matched.skipped
            for one in self.negations
        )

    def matter(self, *events: str) -> dict[int, str]:
        """What it speaks of beside the words for these events."""
        matched = [self.events[one] for one in events if one in self.events]
        gone = {place for one in matched for place in range(one.start, one.end)} - {
            place for one in matched for place in one.skipped
        }
        return {place: topic for place, topic in self.topics.items() if place not in gone}


@dataclass(frozen=True, slots=True)
class StatementParts:
    """A statement as its parts. `words`: all of them, folded, with numbers in digits."""

    parts: tuple[Part, ...]
    tokens: tuple[WordToken, ...]
    words: frozenset[str]
    topics: frozenset[str]
    large: frozenset[str]
    numbers: tuple[str, ...]
    times: tuple[str, ...]
    events: frozenset[str]


@lru_cache(maxsize=4096)
def parts_of(said: str, subject: str, code: str) -> StatementParts:
    """A text about a subject in its parts."""
    rules, words = rules_of(code), event_words_of(code)
    own = frozenset(one.word for one in tokens_of(subject, {})) | frozenset(subject.casefold().split())
    tokens = without_assurance(plain_speech(tokens_of(said, rules.contractions), rules), own, rules)
    spoken = with_times(tokens, rules)
    parts = tuple(_part(one, own, rules, words, first) for one, first in _split(spoken, rules, words) if one)
    return StatementParts(
        parts, tuple(spoken),
        frozenset(number_of(word, rules) or word for one in spoken for word in [*one.text.casefold().split(), one.word]),
        frozenset(topic for one in parts for topic in one.topics.values()),
        frozenset(word for one in parts for word in one.large.values()),
        tuple(number for one in parts for number in one.numbers.values()),
        tuple(time for one in parts for time in one.times),
        frozenset(event for one in parts for event in one.events),
    )  # fmt: skip


def _split(tokens: Sequence[WordToken], rules: LanguageRules, words: EventWords) -> list[tuple[list[WordToken], bool]]:
    """The tokens of each part, and whether it begins a sentence."""
    found: list[tuple[list[WordToken], bool]] = [([], True)]
    reasons = {one.start for one in rules.signs.longest(tokens, ("reason",))}
    for place, one in enumerate(tokens):
        large = place + 1 < len(tokens) and tokens[place + 1].large and not rules.large_nouns
        joins = rules.has("and", one.word) and large and bool(found[-1][0]) and found[-1][0][-1].large
        behind = place + 1 < len(tokens) and tokens[place + 1].large
        joins |= rules.has("as_role", one.word) and behind  # "als Trainer"
        breaks = one.word in PUNCTUATION or (any(rules.has(kind, one.word) for kind in _JOINS) and not joins)
        abbreviation = one.word == "." and place and words.has("title", tokens[place - 1].word)
        if place in reasons and found[-1][0]:
            found.append(([], False))
        if breaks and not abbreviation:
            found.append(([one] if one.word not in PUNCTUATION else [], one.word in ".!?"))  # "wenn" is a doubt
        elif one.word != ".":
            found[-1][0].append(one)
    return found


def _part(
    tokens: Sequence[WordToken], own: frozenset[str], rules: LanguageRules, words: EventWords, first: bool
) -> Part:
    events = _events(tokens, rules, words)
    concepts = {one.end - 1: one for one in words.concepts.longest(tokens, tuple(words.concepts.meanings()))}
    inside = {place for one in concepts.values() for place in range(one.start, one.end) if place not in one.skipped}
    topics, numbers, large = dict[int, str](), dict[int, str](), dict[int, str]()
    for place, one in enumerate(tokens):
        mine = is_of(one.word, own) and (len(own) < 2 or one.large)  # "the coffee", of Coffee House
        if place in concepts:
            topics[place] = CONCEPT + concepts[place].meaning
        number = number_of(one.word, rules) or words.numbers.get(one.word)
        if one.word == TIME or one.word in ("'s", "'") or mine:
            continue
        if number is not None and not rules.has("article", one.word):
            numbers[place] = number
        elif one.text[:1].isupper() and (place or not first or rules.large_nouns) and not words.has("title", one.word):
            large[place] = one.word
        idle = any(rules.has(kind, one.word) for kind in _IDLE) or words.has("idle", one.word)
        if place not in inside and place not in numbers and not idle and len(one.word) > 1:
            root = stem(one.word, rules.code)
            topics[place] = CONCEPT + words.stems[root] if root in words.stems else root
    negations = frozenset(one.start for one in rules.signs.longest(tokens, ("negation",)))
    return Part(
        tuple(tokens), topics, events, numbers, tuple(one.text.casefold() for one in tokens if one.word == TIME), large,
        negations | ({events["negation"].start} if "negation" in events else frozenset()),
        _doubtful(tokens, events, rules, words),
        any(True for _ in rules.signs.longest(tokens, ("temporary", "past"))),
        "now" in events, any(is_of(one.word, own) for one in tokens),
    )  # fmt: skip


def _events(tokens: Sequence[WordToken], rules: LanguageRules, words: EventWords) -> dict[str, Match]:
    """What a part tells of, by the first phrase for it."""
    events: dict[str, Match] = {}
    kinds = [kind for kind in words.signs.meanings() if kind not in _NO_EVENTS]
    no_events = (*words.signs.longest(tokens, ("idiom",)), *rules.signs.longest(tokens, ("pause",)))
    others = {place for one in no_events for place in range(one.start, one.end)}
    for kind in kinds:
        for one in (*words.signs.longest(tokens, (kind,)), *_beside_filler(tokens, kind, rules, words)):
            if others.isdisjoint({*range(one.start, one.end)} - {*one.skipped}):
                events.setdefault(kind, one)
    if (wrong := events.get("wrong")) and (wrong.start, wrong.end) == (0, len(tokens)):
        events["slip"] = wrong  # "that is wrong, he comes at 3"
    return events


def _doubtful(
    tokens: Sequence[WordToken], events: Mapping[str, Match], rules: LanguageRules, words: EventWords
) -> bool:
    """Whether a part is said as supposed, wished or heard; "the bank would not lend" is not."""
    signs = {kind: [one for one in rules.signs.longest(tokens, (kind,))] for kind in _DOUBTS}
    if "slip" in events:
        signs |= {"denied": [], "taken_back": []}
    doubts = [
        one for kind in _DOUBTS for one in signs[kind]
        if not is_large_name(tokens, one, rules)
        and not any(refusal.start <= one.start < refusal.end for refusal in words.signs.longest(tokens, ("refusal",)))
    ]  # fmt: skip
    return bool(doubts) or "hedge" in events


def _beside_filler(tokens: Sequence[WordToken], kind: str, rules: LanguageRules, words: EventWords) -> list[Match]:
    """Phrases that a word as "unfortunately" stands in: "fällt leider ins Wasser"."""
    kept = [place for place, one in enumerate(tokens) if not rules.has("filler", one.word)]
    if len(kept) == len(tokens):
        return []
    found = []
    for match in words.signs.longest([tokens[place] for place in kept], (kind,)):
        start, end = kept[match.start], kept[match.end - 1] + 1
        skipped = {place for place in range(start, end) if place not in kept}
        skipped |= {kept[place] for place in match.skipped}
        found.append(Match(match.meaning, start, end, None, tuple(sorted(skipped))))
    return found


def akin(one: str, other: str) -> bool:
    """Whether two topics are the same, or words of one root: "camper", "camping"."""
    if one == other or CONCEPT in (one[:1], other[:1]):
        return one == other
    shared = next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other))
    )
    return shared >= 4 and shared >= 0.6 * max(len(one), len(other)) and not re.search(r"\d", one + other)
