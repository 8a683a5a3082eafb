"""What the negations of a statement reach: the verb behind them, and no more. Pure.

"didn't stop working" denies twice, so it holds; "without", "not only" and "not in Y" behind the value deny their own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.statements.rules import LanguageRules
from engine.statements.tokens import WordToken

MOST_TOKENS = 10_000
"""More tokens than a statement has."""


@dataclass(frozen=True, slots=True)
class Polarity:
    """The places of negations among all tokens. `over`: those that say that something held before; `breaks`: where another clause
    begins."""

    negations: Mapping[int, bool]
    """By place: whether it says that it is over."""
    breaks: frozenset[int]
    commas: frozenset[int]
    ended: bool
    """Whether a word as "anymore" stands there."""

    def denies(self, place: int) -> bool:
        """Whether a token is a negation."""
        return place in self.negations

    def between(self, place: int, other: int) -> bool:
        """Whether a negation stands between two tokens."""
        return any(one in self.negations for one in range(place + 1, other))

    def at(
        self, places: Sequence[int], tokens: Sequence[WordToken], start: int, verb_end: int, value_end: int
    ) -> tuple[bool, bool]:
        """Whether what stands there holds, and whether it is said to be over."""
        first, last = places[start], places[verb_end - 1] + 1
        if verb_end < len(places):
            last = places[verb_end]
        begin = max((one + 1 for one in self.breaks if one < first), default=0)
        stops = any(over and begin <= one < first for one, over in self.negations.items())
        if not stops:  # "stopped, nevertheless, working": an infinitive behind a comma belongs to what stands before it
            begin = max((one + 1 for one in self.commas if begin <= one < first), default=begin)
        reached = [one for one in self.negations if begin <= one < last]
        if value_end >= len(tokens) or tokens[value_end].word in ",.;!?":  # "arbeitet bei Acme nicht mehr"
            begin, last = places[value_end - 1] + 1, places[value_end] if value_end < len(places) else MOST_TOKENS
            reached += [one for one in self.negations if begin <= one < last]
        positive = len(reached) % 2 == 0
        return positive, not positive and (self.ended or any(self.negations[one] for one in reached))


def polarity_of(
    tokens: Sequence[WordToken], taken: frozenset[int], rules: LanguageRules
) -> tuple[Polarity, frozenset[int]]:
    """The negations of a statement, and all tokens that belong to them. `taken`: tokens that mean something else."""
    negations: dict[int, bool] = {}
    used = set[int]()
    for kind in ("denied_aside", "over", "stop", "negation"):
        for match in rules.signs.longest(tokens, (kind,)):
            ends = set(range(match.start, match.end)) - set(match.skipped)  # not what stands between "not … anymore"
            names = kind == "stop" and match.end < len(tokens) and tokens[match.end].large and not rules.large_nouns
            if names or taken.intersection(ends) or used.intersection(ends):  # "quit Acme" gives up a job, no habit
                continue
            used.update(ends)
            if kind != "denied_aside":
                negations[match.start] = kind in ("over", "stop")
    breaks = {
        place for place, one in enumerate(tokens)
        if one.word == ";" or any(rules.has(kind, one.word) for kind in ("but", "because", "and"))
    }  # fmt: skip
    commas = frozenset(place for place, one in enumerate(tokens) if one.word == ",")
    ended = any(rules.has("over_sign", one.word) for one in tokens)
    return Polarity(negations, frozenset(breaks), commas, ended), frozenset(used)
