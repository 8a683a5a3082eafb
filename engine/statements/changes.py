"""Statements that an attribute has another value from now on: "I have a new dentist, Dr Roy", "I changed the PIN to 9026",
"I changed my number, it's 0470 99", "Ich habe das Passwort auf ahorn71 geändert". Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.statements.claim import Claim, Clause, bearing, is_of, shown_as, words_in, words_of
from engine.statements.nouns import MOST_NOUN_WORDS, copula, kept_of, key_of, noun_and_bearer, value_ends
from engine.statements.tokens import PUNCTUATION, WordToken
from engine.statements.values import TIME, kind_of

_LEADS_TO_VALUE = ("pronoun", "article", "auxiliary", "value_end", "about", "being", "to")
"""Words between "I changed my number," and the value: "it is now"."""


def changed_value(clause: Clause) -> Claim | None:
    """The claim that an attribute has another value now."""
    return _acquired(clause) or _changed_to(clause) or _changed_and_is(clause) or _moved_over(clause)


def _acquired(clause: Clause) -> Claim | None:
    """ "Ann has a new dentist, Dr Roy": her dentist is another one now."""
    rules, tokens = clause.rules, clause.tokens
    verb = next((place for place, one in enumerate(tokens) if rules.has("acquired", one.word)), None)
    comma = next((place for place, one in enumerate(tokens) if verb and place > verb and one.word in (",", ":")), None)
    if verb is None or comma is None:
        return None
    noun = tokens[verb + 1 : comma]
    kept = kept_of(noun, clause)
    if not kept or len(kept) > 2 or not any(rules.has("new", one.word) for one in noun):
        return None
    return _with_value(clause, noun, comma + 1, (clause.begin(verb), verb), named=True)


def _changed_and_is(clause: Clause) -> Claim | None:
    """ "I changed schools: I'm at Elm Lane now", "cambié de número, ahora es el 600 99"."""
    rules, tokens = clause.rules, clause.tokens
    verb = next(iter(rules.signs.longest(tokens, ("changed_noun",))), None)
    if verb is None:
        return None
    end = next((place for place in range(verb.end, len(tokens)) if tokens[place].word in PUNCTUATION), len(tokens))
    first, noun = verb.start, tokens[verb.end : end]
    if rules.large_nouns and end == verb.end:  # "hat die Schule gewechselt"
        helping = (place for place in range(clause.begin(first), first) if rules.has("helping", tokens[place].word))
        first = next(helping, first)
        noun = tokens[first + 1 : verb.start]
    if not noun or len(noun) > 2 * MOST_NOUN_WORDS:
        return None
    return _with_value(clause, noun, end + 1, (clause.begin(first), first), named=False)


def _moved_over(clause: Clause) -> Claim | None:
    """ "Me he cambiado al banco Bancosol": where the noun stands first, its name follows, and nothing more."""
    rules, tokens = clause.rules, clause.tokens
    verb = next(iter(rules.signs.longest(tokens, ("moved_over",))), None)
    if verb is None:
        return None
    start, last = verb.end, len(tokens)
    while start < last and rules.has("article", tokens[start].word):
        start += 1
    while last > start and (tokens[last - 1].word in PUNCTUATION or tokens[last - 1].word == TIME):
        last -= 1
    name = next((place for place in range(start, last) if tokens[place].large), start)
    key, one = key_of([word.word for word in tokens[start:name]], rules) if name > start else ("", "never")
    if one == "never" or not all(word.large for word in tokens[name:last]):
        return None
    begin, noun = clause.begin(verb.start), [word.word for word in tokens[start:name]]
    return _moves(
        clause, (key, noun), tokens[name:last], (begin, name, last), bearing(tokens[begin : verb.start], clause)
    )


def _with_value(
    clause: Clause, noun: Sequence[WordToken], place: int, begin: tuple[int, int], *, named: bool
) -> Claim | None:
    """The claim of a noun whose value stands in what follows: "it's Ms Okoro". `named`: the value may stand there alone."""
    rules, tokens = clause.rules, clause.tokens
    start, linked = place, False
    while start < len(tokens) and any(
        rules.has(kind, tokens[start].word) for kind in (*_LEADS_TO_VALUE, "is", "will_be")
    ):
        linked |= copula(tokens[start].word, rules) or any(
            rules.has(kind, tokens[start].word) for kind in ("auxiliary", "being")
        )
        start += 1
    end = start
    while end < len(tokens) and not value_ends(tokens, start, end, rules):
        end += 1
    shown = [one for one in tokens[start:end] if one.word not in PUNCTUATION]
    if not shown or not (linked or named) or any(one.word not in PUNCTUATION for one in tokens[end:]):
        return None
    if shown[0].word == TIME or (named and not shown[0].large):
        return None
    words, bearer = noun_and_bearer(noun, clause)
    kept = kept_of(words, clause)
    key, one = key_of(kept, rules) if kept else ("", "never")
    if one == "never":
        return None
    bearer |= bearing(tokens[begin[0] : begin[1]], clause)
    return _moves(clause, (key, kept), shown, (begin[0], begin[1], end), bearer)


def _changed_to(clause: Clause) -> Claim | None:
    """ "I changed the PIN for the bike lock to 9026", "die Bank hat meinen Zinssatz auf 3,9 Prozent erhöht"."""
    rules, tokens = clause.rules, clause.tokens
    found = _last_verb(clause) if rules.large_nouns else _first_verb(clause)
    if found is None:
        return None
    verb, first, to, last = found
    if first >= to or to - first > 2 * MOST_NOUN_WORDS or to + 1 >= last:
        return None
    owned = rules.has("article", tokens[first].word) or is_of(tokens[first].word, clause.subject)
    shown = [one for one in tokens[to + 1 : last] if one.word not in PUNCTUATION]
    if not owned or not shown or shown[0].word == TIME:
        return None
    if any(value_ends(tokens[to + 1 : last], 0, place, rules) for place in range(last - to - 1)):
        return None
    noun, bearer = noun_and_bearer(tokens[first:to], clause)
    kept = [word for word in kept_of(noun, clause) if not rules.has("direction", word)]
    key, one = key_of(kept, rules) if kept else ("", "never")
    if one == "never" and kept and any(rules.has("dose_unit", word.word) for word in shown):
        key, one, bearer = "dose", "always", bearer | frozenset(kept)
    if one == "never":
        return None
    dative = verb > 0 and rules.has("dative", tokens[verb - 1].word)  # "el médico me subió la dosis a"
    own = dative or is_of(tokens[first].word, clause.subject) or rules.has("own", tokens[first].word)
    whose = frozenset[str]() if own else bearing(tokens[clause.begin(verb) : verb], clause)
    return _moves(clause, (key, kept), shown, (clause.begin(verb), verb, last), bearer | whose)


def _first_verb(clause: Clause) -> tuple[int, int, int, int] | None:
    """The places of the verb, of the first word behind it, of "to", and the end of the value."""
    rules, tokens = clause.rules, clause.tokens
    verb = next((place for place, one in enumerate(tokens) if rules.has("changes", one.word)), None)
    if verb is None:
        return None
    behind = range(verb + 2, len(tokens))
    to = next((place for place in behind if rules.has("to", tokens[place].word)), None)
    return None if to is None else (verb, verb + 1, to, len(tokens))


def _last_verb(clause: Clause) -> tuple[int, int, int, int] | None:
    """The same where the verb stands last: "hat das Passwort auf ahorn71 geändert"."""
    rules, tokens = clause.rules, clause.tokens
    last = next((place for place in range(len(tokens) - 1, -1, -1) if tokens[place].word not in PUNCTUATION), -1)
    if last < 0 or not any(rules.has(kind, tokens[last].word) for kind in ("changes", "changed_end")):
        return _first_verb(clause)
    verb = next((place for place, one in enumerate(tokens[:last]) if rules.has("helping", one.word)), None)
    to = next((place for place in range(last - 1, -1, -1) if rules.has("changing_to", tokens[place].word)), None)
    return None if verb is None or to is None else (verb, verb + 1, to, last)


def _moves(
    clause: Clause,
    attribute: tuple[str, Sequence[str]],
    shown: Sequence[WordToken],
    places: tuple[int, int, int],
    bearer: frozenset[str],
) -> Claim:
    """An attribute that has another value from now on."""
    tokens = clause.tokens
    begin, verb, end = places
    positive, over = clause.polarity.at(clause.places, tokens, begin, verb + 1, end)
    return Claim(
        key=attribute[0], label=" ".join(attribute[1]), one="always", kind=kind_of(shown, clause.rules), form="moves",
        bearer=bearer, value=words_in(shown, clause), shown=shown_as(shown), firm=True,
        positive=positive, over=over, old=frozenset(), start=begin, end=end, words=words_of(tokens[begin:end]),
    )  # fmt: skip


def price_of(clause: Clause, noun: Claim) -> list[Claim]:
    """ "The gym went up to 35 euros": what it costs."""
    money = any(clause.rules.has("money", word) for word in noun.value)
    if noun.form != "moves" or not money or noun.key == "price":
        return []
    return [replace(noun, key="price", label="price", one="always", bearer=noun.bearer | frozenset(noun.label.split()))]
