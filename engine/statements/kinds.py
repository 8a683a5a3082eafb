"""Whether a value is of the kind of its attribute: a place for a home, an organisation for an employer. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from engine.statements.claim import Clause
from engine.statements.rules import LanguageRules, Values, attributes
from engine.statements.times import TIME
from engine.statements.tokens import WordToken
from engine.statements.values import is_place, known_place, number_of

NO_PLACES = ("no_place", "team_word", "team_noun")
"""Lists of words that are no place where somebody lives."""
VALUELESS = ("over", "there")
"""Forms of phrases that name no value: "got divorced", "no longer works there"."""


def is_firm(
    clause: Clause, name: str, form: str, shown: Sequence[WordToken], old: frozenset[str], *, settling: bool = False
) -> bool | None:
    """Whether a value is surely of its attribute's kind; None where it is surely not. `settling`: the phrase is said of places
    alone, as "relocated"."""
    rules, kind = clause.rules, attributes()[name].value
    words = [one.word for one in shown]
    number = number_of(words[0], rules) is not None
    of_kind: dict[str, bool] = {
        "text": name != "role" or any(word in rules.roles for word in (words if form == "holds" else words[:2])),
        "date": words[0] == TIME,
        "number": number,
        "team": any(rules.has(one, word) for one in ("team_word", "team_noun") for word in words),
    }
    if kind in of_kind:
        return of_kind[kind] or None
    if not _is_named(shown, kind, rules) or (name == "owner" and number):  # "es de 900 euros"
        return None
    if kind == "place":
        return _is_firm_place(clause, form, shown, old, settling=settling)
    if kind == "organization" and any(rules.has(one, word) for one in ("no_organization", "branch") for word in words):
        return None
    return True


def _is_named(shown: Sequence[WordToken], kind: Values, rules: LanguageRules) -> bool:
    """ "Acme", "la famille Robles", "rue Carnot"."""
    name = shown[1] if len(shown) > 1 and rules.has("group_noun", shown[0].word) else shown[0]
    street = kind == "place" and rules.has("street", shown[0].word)
    return shown[0].word != TIME and (shown[0].large or name.large or street)


def _is_firm_place(
    clause: Clause, form: str, shown: Sequence[WordToken], old: frozenset[str], *, settling: bool
) -> bool | None:
    rules = clause.rules
    words = [one.word for one in shown]
    if any(rules.has("named_number", word) for word in words) and shown[0].text[:1].isdigit():
        return None  # "on the 3rd floor"
    if any(rules.has(no, word) for no in NO_PLACES for word in words):
        return None
    return (
        is_place(shown, rules)
        or settling
        or form in ("holds", "past", "ends", "leaves")
        or (bool(old) and known_place(old))
    )
