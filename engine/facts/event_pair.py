"""An older statement and a newer one that tells of something, both in their parts. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.language.detection import stem
from engine.statements.parts import Part, StatementParts, akin
from engine.statements.rules import EventWords, LanguageRules
from engine.statements.statement import Statement


@dataclass(frozen=True, slots=True)
class EventPair:
    """Two statements in their parts, with the rules of their language."""

    older: Statement
    newer: Statement
    before: StatementParts
    after: StatementParts
    rules: LanguageRules
    words: EventWords

    def known(self, topic: str) -> bool:
        """Whether the older statement speaks of it."""
        whole = self.rules.large_nouns and self._first_of(topic) in self.before.topics
        return whole or any(akin(topic, one) for one in self.before.topics)

    def _first_of(self, topic: str) -> str:
        """ "Rom" of "Romreise"."""
        ends = (stem(one, self.rules.code) for one in self.words.words.get("occasion", ()))
        return next((topic.removesuffix(end) for end in ends if topic.endswith(end) and len(topic) > len(end) + 2), "")

    def of_older(self, topics: Iterable[str]) -> tuple[set[str], set[str]]:
        """The topics that the older statement speaks of, and the others."""
        said = set(topics)
        known = {one for one in said if self.known(one)}
        return known, said - known


def names_another(part: Part, pair: EventPair) -> bool:
    """Whether a part names what the older one does not; where every noun has a capital, its topics tell."""
    numbers = set(part.numbers.values()) - set(pair.before.numbers)
    names = set() if pair.rules.large_nouns else set(part.large.values()) - pair.before.words
    return bool(names or numbers)


def names_person(part: Part, pair: EventPair) -> bool:
    """Whether a part has a name that the older one has not."""
    return not pair.rules.large_nouns and bool(set(part.large.values()) - pair.before.words)


def other_gender(pair: EventPair) -> bool:
    """Whether the older one counts sons or daughters, and the newer one no such: "has two sons", "had a daughter"."""
    said = [
        {stem(one, pair.rules.code) for one in each.words if pair.words.has("gendered", one)}
        for each in (pair.before, pair.after)
    ]
    return bool(said[0] and said[1]) and not said[0] & said[1]
