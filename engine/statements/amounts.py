"""How many of something a subject has ("has 24 members"), how much of a medicine it takes ("takes 10 mg of ramipril"). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.language.detection import stem
from engine.statements.claim import Claim, Clause, bearer_of, bearing, is_of, shown_as, words_in, words_of
from engine.statements.frame import names_thing
from engine.statements.times import TIME
from engine.statements.tokens import PUNCTUATION, WordToken
from engine.statements.values import number_of

COUNT = "count "
"""What the key of a count begins with; the noun follows."""
MOST_WORDS = 3
_BETWEEN = ("article", "pronoun", "auxiliary", "about", "limit")
_STOPS = ("value_end", "because", "and", "but", "without", "article", "plain", "of", "filler")


def amounts_of(clause: Clause) -> Iterator[Claim]:
    """The counts and doses of a statement."""
    tokens, rules = clause.tokens, clause.rules
    grown = {one.end - 1: one.start for one in rules.signs.longest(tokens, ("changed_to",))}
    for place, one in enumerate(tokens):
        if number_of(one.word, rules) is None or rules.has("article", one.word):
            continue
        behind = place > 1 and is_of(tokens[place - 1].word, clause.subject)  # "nun hat Gut Tarn 18 Zimmer"
        if not behind and names_thing(clause, place):
            continue
        verb = _verb_before(clause, place, grown)
        if verb < 0 and place and _is_age(clause, place):
            yield _claim(clause, "age", "age", (place - 1, place, place + 1, place + 1), frozenset())
        if verb < 0 or place + 1 >= len(tokens):
            continue
        if verb in grown and _has_grown(clause, grown[verb], place) and (claim := _count(clause, grown[verb], place)):
            yield claim  # "has grown to 65 people"
            continue
        if rules.has("dose_unit", tokens[place + 1].word) and rules.has("taking", tokens[verb].word):
            if claim := _dose(clause, verb, place):
                yield claim
        elif rules.has("holding", tokens[verb].word) and (claim := _count(clause, verb, place)):
            yield claim


def _verb_before(clause: Clause, place: int, grown: Mapping[int, int]) -> int:
    """The place of the verb whose number stands there; -1 where there is none."""
    tokens, rules, verb = clause.tokens, clause.rules, place - 1
    while verb >= 0 and verb not in grown and not rules.has("holding", tokens[verb].word):
        between = any(rules.has(kind, tokens[verb].word) for kind in _BETWEEN)
        if not between and not is_of(tokens[verb].word, clause.subject):
            break
        verb -= 1
    return verb


def _is_age(clause: Clause, place: int) -> bool:
    """ "Ann is 34.": nothing else is said."""
    tokens, rules = clause.tokens, clause.rules
    plain = all(is_of(one.word, clause.subject) or rules.has("pronoun", one.word) for one in tokens[: place - 1])
    return (
        plain
        and place > 1
        and rules.has("is", tokens[place - 1].word)
        and all(one.word == "." for one in tokens[place + 1 :])
    )


def _has_grown(clause: Clause, start: int, place: int) -> bool:
    """ "ist auf 65 Leute gewachsen", not "ist auf 65 Leute angewiesen"."""
    tokens, rules = clause.tokens, clause.rules
    ends = [one for one in tokens[place + 1 :] if rules.has("changed_end", one.word)]
    return bool(ends) or not rules.has("auxiliary", tokens[start].word)


def _count(clause: Clause, verb: int, place: int) -> Claim | None:
    tokens, rules = clause.tokens, clause.rules
    if rules.has("unit", tokens[place + 1].word):
        return None
    end = _until_stop(clause, place + 1)
    noun = tokens[place + 1 : end]
    done = bool(noun) and rules.large_nouns and not noun[-1].large  # "hat 3 Bücher gelesen"
    if not noun or done or len(noun) > MOST_WORDS or any(number_of(one.word, rules) for one in noun):
        return None
    key = COUNT + " ".join(stem(one.word, rules.code) if rules.code else one.word for one in noun)
    return _claim(clause, key, shown_as(noun), (verb, place, place + 1, end), frozenset())


def _dose(clause: Clause, verb: int, place: int) -> Claim | None:
    tokens, rules = clause.tokens, clause.rules
    start = place + 2
    while start < len(tokens) and rules.has("of", tokens[start].word):
        start += 1
    end = _until_stop(clause, start)
    medicine = bearing(tokens[start:end], clause)
    return _claim(clause, "dose", "dose", (verb, place, place + 2, end), medicine) if medicine else None


def _claim(clause: Clause, key: str, label: str, places: tuple[int, int, int, int], of: frozenset[str]) -> Claim:
    verb, start, value_end, end = places
    shown = clause.tokens[start:value_end]
    positive, over = clause.polarity.at(clause.places, clause.tokens, verb, value_end, end)
    last = end
    while last < len(clause.tokens) and clause.rules.has("changed_end", clause.tokens[last].word):
        last += 1
    return Claim(
        key=key, label=label, one="always", kind="number", form="holds", bearer=bearer_of(clause, verb) | of,
        value=words_in(shown, clause), shown=shown_as(shown), firm=True, positive=positive, over=over, old=frozenset(),
        start=verb, end=end, words=words_of(clause.tokens[verb:last]),
    )  # fmt: skip


def _until_stop(clause: Clause, place: int) -> int:
    tokens: Sequence[WordToken] = clause.tokens
    while place < len(tokens) and not (
        tokens[place].word in PUNCTUATION
        or tokens[place].word == TIME
        or any(clause.rules.has(kind, tokens[place].word) for kind in _STOPS)
        or any(clause.rules.has(kind, tokens[place].word) for kind in ("changed_end",))
    ):
        place += 1
    return place
