"""The words of each language for what happens to a fact (sold, called off, handed over, repaired), read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from engine.language.detection import stem
from engine.language.tables import language, listed
from engine.statements.rules import rules_of
from engine.statements.tokens import Phrases, tokens_of


@dataclass(frozen=True, slots=True)
class EventWords:
    """`signs`: phrases by what they tell of; `concepts`: words that mean one thing (kid, daughter); `words`: the signs of one
    word; `ordinals`, `numbers`: of a word."""

    signs: Phrases
    concepts: Phrases
    words: Mapping[str, frozenset[str]]
    ordinals: Mapping[str, int]
    numbers: Mapping[str, str]
    week: tuple[str, ...]
    stems: Mapping[str, str]
    """The concept of a stem: "Hunden", of "Hund"."""
    soon: Mapping[str, int]
    """In how many days something is, by the word for it."""

    def has(self, kind: str, word: str) -> bool:
        """Whether a word is in a list."""
        return word in self.words.get(kind, ())


@cache
def event_words_of(code: str) -> EventWords:
    """The words of a language; none where there are no rules of it."""
    read = language(code)
    contractions = rules_of(code).contractions
    signs, concepts = Phrases(), Phrases()
    for phrases, name in ((signs, "events"), (concepts, "concepts")):
        for kind, text in read[name].items():
            phrases.add(_parted(text, contractions), kind, {}, {})
    words = {kind: frozenset(one.strip() for one in text.split(",")) for kind, text in read["events"].items()}
    numbers = {word: str(number) for word, number in read["ordinal_stems"].items()}
    week = listed(code, "dates", "week") or ("",)
    return EventWords(
        signs, concepts, words, read["ordinals"], numbers, week, _stems(read["concepts"], code), read["soon"]
    )


def _stems(concepts: Mapping[str, str], code: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for concept, text in concepts.items():
        found |= {stem(one.strip(), code): concept for one in text.split(",") if " " not in one.strip()}
    return found


def _parted(text: str, contractions: Mapping[str, str]) -> str:
    """Phrases with the words as a text has them: "s'est" as "se est"."""
    return ", ".join(
        " ".join(
            part if "/" in part or part == "~" else " ".join(one.word for one in tokens_of(part, contractions))
            for part in phrase.split()
        )
        for phrase in text.split(",")
    )
