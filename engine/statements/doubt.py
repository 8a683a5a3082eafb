"""How far a sentence of a text says something as holding, and whether what it says of somebody takes the place of another. Pure.

Relations are drawn by this as facts are compared: what is supposed, wished, hearsay or taken back states nothing, and what stands
beside (also, for now, a street of a town) ends nothing.
"""

from __future__ import annotations

from engine.statements.mood import is_large_name
from engine.statements.rules import language_of_statement, rules_of
from engine.statements.statement import statement
from engine.statements.tokens import PUNCTUATION, tokens_of
from engine.statements.values import level_of

_DOUBTS = ("supposed", "wished", "hearsay", "denied")
NEXT = 80
"""Characters behind a sentence in which it may be taken back: "She is not."."""


def certain_until(text: str, after: str = "") -> int:
    """The characters of a sentence, from its beginning, that say something as holding. `after`: what follows the sentence."""
    if taken_back(text, after):
        return 0
    rules = rules_of(language_of_statement(text))
    tokens = tokens_of(text, rules.contractions)
    doubts = [
        one for kind in _DOUBTS for one in rules.signs.longest(tokens, (kind,)) if not is_large_name(tokens, one, rules)
    ]
    return min((tokens[one.start].start for one in doubts), default=len(text))


def taken_back(text: str, after: str = "") -> bool:
    """Whether a sentence, or what follows it, takes back what it says."""
    rules = rules_of(language_of_statement(text))
    tokens = tokens_of(text, rules.contractions)
    for one in rules.signs.longest(tokens, ("taken_back",)):
        behind = one.end == len(tokens) or tokens[one.end].word in PUNCTUATION
        opens = one.start > 0 and (
            tokens[one.start - 1].word in PUNCTUATION or rules.has("but", tokens[one.start - 1].word)
        )
        if behind and opens:
            return True
    return _takes_back(after[:NEXT], rules.code)


def _takes_back(after: str, code: str) -> bool:
    """Whether a text begins with a sentence that takes back what was said before it."""
    rules = rules_of(code)
    tokens = tokens_of(after, rules.contractions)
    place = 0
    while place < len(tokens) and (tokens[place].word in PUNCTUATION or rules.has("correction", tokens[place].word)):
        place += 1
    if place >= len(tokens):
        return False
    found = [one for one in rules.signs.at(tokens, place) if one.meaning == "taken_back"]
    return bool(found) and (found[0].end == len(tokens) or tokens[found[0].end].word in ".!;,")


def replaces(text: str, source: str, target: str) -> bool:
    """Whether a sentence about `source` says that `target` took the place of another, where one can hold at a time: it is said as
    holding, not as something beside, and of a home as exactly as a town."""
    said = statement(text, source.casefold())
    if said.mood != "said" or said.beside or said.temporary:
        return False
    named = {one.word for one in tokens_of(target, {})}
    claims = [one for one in said.claims if named & one.value and one.form != "past"]
    rules = rules_of(said.language)
    towns = level_of(tokens_of(target, rules.contractions), rules) == "town"
    return all(one.firm and (towns or one.kind != "place") for one in claims)
