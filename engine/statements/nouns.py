"""Attributes that a noun names: "X's rent is 900", "the owner of X is Ines", "my new number is …"; and statements that such an
attribute has another value from now on: "I have a new dentist, Dr Roy", "I changed the PIN to 9026", "I changed my number, it's
0470 99", "Ich habe das Passwort auf ahorn71 geändert". Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from engine.statements.claim import DATED, Claim, Clause, bearing, is_of, shown_as, words_in, words_of
from engine.statements.rules import LanguageRules, One
from engine.statements.tokens import PUNCTUATION, Match, WordToken
from engine.statements.values import TIME, kind_of

MOST_NOUN_WORDS = 6
MOST_VERBS = 6
"""Verbs as "is" of a statement that a noun is looked for before, at most."""
USER = "user"
"""Of whom "my" and "our" speak."""
_MEASURES = {"weight_unit": "weight", "dose_unit": "dose"}
"""The attribute of a number that went up or down, by the list that its unit stands in."""

_LEADS_TO_VALUE = ("pronoun", "article", "auxiliary", "value_end", "about", "being", "to")
"""Words between "I changed my number," and the value: "it is now"."""


def claim_of_noun(clause: Clause, found: Sequence[Claim]) -> Claim | None:
    """The claim of a noun with a verb as "is", where no phrase before it claims something; of several the first one of an
    attribute that has one value: "the house was sold and Ms Okafor is our new landlord"."""
    rules, tokens = clause.rules, clause.tokens
    if succession := _succession(clause):
        return succession
    changed = next(iter(rules.signs.longest(tokens, ("changed_to",))), None)
    numbered = next(iter(rules.signs.longest(tokens, ("number_is",))), None)  # "mein Spind hat die Nummer 214"
    verbs = [place for place, one in enumerate(tokens) if copula(one.word, rules)]
    if numbered or not verbs:
        verbs = [numbered.start if numbered else changed.start if changed else 0]
    said = [one.start for one in found if one.key not in DATED]
    claims: list[Claim] = []
    for verb in verbs[:MOST_VERBS]:
        begin = clause.begin(verb)
        if not any(begin <= start <= verb for start in said) and (one := _claim_at(clause, verb, changed, numbered)):
            claims.append(one)
    return next((one for one in claims if one.one == "always"), claims[0] if claims else None)


def _claim_at(clause: Clause, verb: int, changed: Match | None, numbered: Match | None) -> Claim | None:
    rules, tokens = clause.rules, clause.tokens
    begin, noun_end = clause.begin(verb), verb
    while noun_end > begin and rules.has("auxiliary", tokens[noun_end - 1].word):  # "ha" of "ha subido a"
        noun_end -= 1
    if all(one.word == TIME for one in tokens[begin:noun_end]):  # "Seit Mai ist Paul Silkes Chef"
        return _owned(clause, verb + 1, verb + 1, verb)
    noun, bearer = noun_and_bearer(tokens[begin:noun_end], clause)
    kept = kept_of(noun, clause)
    value = _value(clause, numbered.end - 1 if numbered else verb, changed)
    if value is None or len(kept) > MOST_NOUN_WORDS:
        return None
    start, end, raised = value
    shown = tokens[start:end]
    if raised and (measured := _measured(clause, kept, bearer, shown)):
        key, one, bearer = measured
    elif not kept:
        return None
    else:
        key, one = key_of(kept, rules)
    if any(rules.has("upcoming", word.word) for word in noun) and tokens[start].word != TIME:
        return None  # "the next boss of Ann will be Kim"
    if one == "never" and not bearer and (turned := _turned(clause, tokens[begin:noun_end], start, verb)):
        return turned
    raised = raised or (any(rules.has("new", word.word) for word in noun) and kind_of(shown, rules) == "number")
    former = any(rules.has("old", one.word) for one in noun) or (rules.has("was", tokens[verb].word) and not raised)
    positive, over = clause.polarity.at(clause.places, tokens, begin, start, end)
    return Claim(
        key=key, label=" ".join(kept) or key, one=one, kind=kind_of(shown, rules),
        form="past" if former else "moves" if raised else "holds",
        bearer=bearer, value=words_in(shown, clause), shown=shown_as(shown), firm=True, positive=positive, over=over,
        old=frozenset(), start=begin, end=end, words=words_of(tokens[begin:end]),
    )  # fmt: skip


def _measured(
    clause: Clause, kept: Sequence[str], bearer: frozenset[str], shown: Sequence[WordToken]
) -> tuple[str, One, frozenset[str]] | None:
    """What a raised number is of, by its unit, where the noun does not say it: "my citalopram was increased to 30 mg",
    "Ann is down to 78 kg"."""
    rules = clause.rules
    if kept and key_of(kept, rules)[1] == "always":
        return None
    units = ((kind, name) for kind, name in _MEASURES.items() if any(rules.has(kind, one.word) for one in shown))
    kind, name = next(units, ("", ""))
    if not kind or (kind == "weight_unit" and kept) or (kind == "dose_unit" and not kept):
        return None
    return name, "always", bearer | frozenset(kept)


def _succession(clause: Clause) -> Claim | None:
    """ "Tom has succeeded Ines as owner of Kestrel", said of Kestrel: its owner is Tom, and was Ines."""
    rules, tokens = clause.rules, clause.tokens
    role = next((place for place, one in enumerate(tokens) if place > 2 and rules.has("as_role", one.word)), None)
    if role is None or not tokens[0].large or not any(rules.has("succeed", one.word) for one in tokens):
        return None
    names = [[tokens[0]]]
    behind = next((place for place in range(role, len(tokens)) if rules.has("from", tokens[place].word)), None)
    for before, one in pairwise(tokens[:role]):
        if one.large:
            names = [*names[:-1], [*names[-1], one]] if before.large else [*names, [one]]
    end = next((place for place in range(role, len(tokens)) if is_of(tokens[place].word, clause.subject)), role)
    of_user = clause.subject <= {USER} and any(rules.has("the_user", one.word) for one in tokens[:role])
    if of_user or (len(names) == 2 and all(is_of(one.word, clause.subject) for one in names[1])):
        return _succeeded(clause, role, len(tokens))
    if behind and len(names) == 1 and any(is_of(one.word, clause.subject) for one in tokens[behind:]):
        return _succeeded(clause, role, behind)
    kept = [word for word in kept_of(tokens[role + 1 : end], clause) if not rules.has("of", word)]
    if len(names) != 2 or end == role or not kept or any(is_of(one.word, clause.subject) for one in names[0]):
        return None
    key, single = key_of(kept, rules)
    positive, over = clause.polarity.at(clause.places, tokens, 0, role, end)
    return Claim(
        key=key, label=" ".join(kept), one=single, kind="name", form="moves", bearer=frozenset(),
        value=words_in(names[0], clause), shown=shown_as(names[0]), firm=True, positive=positive, over=over,
        old=words_in(names[1], clause), start=0, end=end,
    )  # fmt: skip


def _succeeded(clause: Clause, role: int, end: int) -> Claim | None:
    """ "Tom has succeeded Ines as treasurer of the club", said of Ines, "Tom replaced me as …": she is it no more."""
    rules, tokens = clause.rules, clause.tokens
    shown = [one for one in tokens[role + 1 : end] if not is_of(one.word, clause.subject)]
    dates = rules.dates.get("weekday", frozenset[str]()) | rules.dates.get("day", frozenset[str]())
    once = any(not dates.isdisjoint(one.text.casefold().split()) for one in tokens if one.word == TIME)
    if once or not shown or not any(one.word in rules.roles for one in shown[:2]):
        return None  # "replaced Ann on Saturday as goalkeeper"
    value = frozenset(rules.roles.get(word, word) for word in words_in(shown, clause))
    positive, _ = clause.polarity.at(clause.places, tokens, 0, role, end)
    return Claim(
        key="role", label="role", one="never", kind="text", form="holds", bearer=frozenset(), value=value,
        shown=shown_as(shown), firm=True, positive=not positive, over=positive, old=frozenset(), start=0, end=end,
        words=words_of(tokens[:end]),
    )  # fmt: skip


def _turned(clause: Clause, name: Sequence[WordToken], start: int, verb: int) -> Claim | None:
    """ "Tom is the owner of Kestrel", said of Kestrel: its owner is Tom."""
    rules, tokens = clause.rules, clause.tokens
    if owned := _owned(clause, clause.begin(verb), verb + 1, verb):
        return owned
    of = next((place for place in range(start, len(tokens)) if rules.has("of", tokens[place].word)), None)
    genitive = {"'s", "'"} & {one.word for one in name}
    if of is None or genitive or not name[0].large or not any(is_of(one.word, clause.subject) for one in tokens[of:]):
        return None
    kept = kept_of(tokens[start:of], clause)
    key, single = key_of(kept, rules) if kept else ("", "never")
    if single != "always" or any(rules.has("old", one.word) for one in tokens[start:of]):
        return None
    end = next((place for place in range(of, len(tokens)) if is_of(tokens[place].word, clause.subject)), of) + 1
    positive, over = clause.polarity.at(clause.places, tokens, clause.begin(verb), start, end)
    past = rules.has("was", tokens[verb].word)
    return Claim(
        key=key, label=" ".join(kept), one=single, kind="name", form="past" if past else "holds",
        bearer=bearing(tokens[of + 1 : end], clause), value=words_in(name, clause), shown=shown_as(name), firm=True,
        positive=positive, over=over, old=frozenset(), start=clause.begin(verb), end=end,
    )  # fmt: skip


def _owned(clause: Clause, name_start: int, place: int, verb: int) -> Claim | None:
    """ "Paul is Ann's new boss", "Ms Okafor is our new landlord", "Seit Mai ist Paul Silkes Chef": of the subject the boss."""
    rules, tokens = clause.rules, clause.tokens
    whose = next((at for at in range(place, min(len(tokens), place + MOST_NOUN_WORDS)) if _possessor(clause, at)), None)
    if whose is None:
        return None
    name = [one for one in tokens[name_start : whose if name_start == place else verb] if one.word not in PUNCTUATION]
    if not name or not all(one.large and not rules.has("article", one.word) for one in name if not _helps(one, rules)):
        return None
    start = whose + (2 if whose + 1 < len(tokens) and tokens[whose + 1].word == "'s" else 1)
    end = start
    while end < len(tokens) and not value_ends(tokens, start, end, rules) and not rules.has("of", tokens[end].word):
        end += 1
    kept = kept_of(tokens[start:end], clause)
    key, single = key_of(kept, rules) if kept and len(kept) <= 2 else ("", "never")
    if single != "always" or (end < len(tokens) and tokens[end].word not in PUNCTUATION and tokens[end].word != TIME):
        return None
    if any(rules.has(kind, one.word) for kind in ("old", "upcoming") for one in tokens[start:end]):
        return None
    positive, over = clause.polarity.at(clause.places, tokens, clause.begin(verb), start, end)
    past = rules.has("was", tokens[verb].word)
    return Claim(
        key=key, label=" ".join(kept), one=single, kind="name", form="past" if past else "holds",
        bearer=frozenset(), value=words_in(name, clause), shown=shown_as(name), firm=True,
        positive=positive, over=over, old=frozenset(), start=clause.begin(verb), end=end,
    )  # fmt: skip


def _helps(one: WordToken, rules: LanguageRules) -> bool:
    return rules.has("auxiliary", one.word) or one.word == TIME


def _possessor(clause: Clause, place: int) -> bool:
    """ "our", of the user; "Ann's", of Ann; "Silkes"."""
    one, rules = clause.tokens[place], clause.rules
    if rules.has("own", one.word):
        return clause.subject <= {USER}
    after = clause.tokens[place + 1].word if place + 1 < len(clause.tokens) else ""
    genitive = after == "'s" or (rules.large_nouns and one.word.endswith("s") and one.word not in clause.subject)
    return genitive and is_of(one.word, clause.subject)


def kept_of(noun: Sequence[WordToken], clause: Clause) -> list[str]:
    """The words of an attribute without "new", "my" and the subject."""
    return [
        one.word
        for one in noun
        if not any(clause.rules.has(kind, one.word) for kind in ("new", "old", "article", "pronoun"))
        and not is_of(one.word, clause.subject)
        and one.word not in PUNCTUATION
        and one.word not in (TIME, "'s")
    ]


def _value(clause: Clause, verb: int, changed: Match | None) -> tuple[int, int, bool] | None:
    """Where the value behind a verb begins and ends, and whether it is said to have changed: "was raised to 950"."""
    rules, tokens = clause.rules, clause.tokens
    start = verb + 1
    while start < len(tokens) and copula(tokens[start].word, rules):
        start += 1
    raised = changed is not None and verb <= changed.start <= start
    if changed and raised:
        start = changed.end
    while start < len(tokens) and any(rules.has(kind, tokens[start].word) for kind in ("article", "of", "about")):
        start += 1
    end = start
    while end < len(tokens) and not value_ends(tokens, start, end, rules):
        end += 1
    while end > start + 1 and rules.has("changed_end", tokens[end - 1].word):  # "auf 950 Euro erhöht"
        end, raised = end - 1, True
    return (start, end, raised) if end > start else None


def value_ends(tokens: Sequence[WordToken], start: int, place: int, rules: LanguageRules) -> bool:
    """Whether a value that begins at `start` ends before a place: "900 euros because …", "Ines, who …"."""
    word = tokens[place].word
    if word in (",", ";", "(", "?"):
        return True
    stops = ("because", "but", "value_end") if tokens[start].word != TIME else ()
    return place > start and (word == TIME or any(rules.has(kind, word) for kind in stops))


def copula(word: str, rules: LanguageRules) -> bool:
    """Whether a verb is one as "is", "was", "will be"."""
    return rules.has("is", word) or rules.has("was", word) or rules.has("will_be", word)


def noun_and_bearer(tokens: Sequence[WordToken], clause: Clause) -> tuple[Sequence[WordToken], frozenset[str]]:
    """The words of the attribute, and of whose it is: before "'s", or behind "of"."""
    owned = max((place for place, one in enumerate(tokens) if one.word in ("'s", "'")), default=-1)
    if owned >= 0:
        noun, behind = noun_and_bearer(tokens[owned + 1 :], clause)  # "Ann's dose of ramipril"
        return noun, behind | bearing(tokens[:owned], clause)
    inside = _inside_nouns(tokens, clause.rules)
    of = next(
        (
            place
            for place, one in enumerate(tokens)
            if place not in inside and place and clause.rules.has("of", one.word)
        ),
        None,
    )
    if of is not None:
        return tokens[:of], bearing(tokens[of + 1 :], clause)
    return tokens, frozenset()


def _inside_nouns(tokens: Sequence[WordToken], rules: LanguageRules) -> set[int]:
    """The places of "de" in "mot de passe"."""
    words = [one.word for one in tokens]
    spans = [(place, place + 3) for place in range(len(words) - 2) if " ".join(words[place : place + 3]) in rules.nouns]
    return {place for begin, end in spans for place in range(begin, end)}


def key_of(words: Sequence[str], rules: LanguageRules) -> tuple[str, One]:
    """The key of an attribute by its noun, and whether it has one value at a time."""
    favourite = [word for word in words if rules.has("favourite", word)]
    prefix = next((end for end in rules.words.get("favourite_prefix", ()) if words[-1].startswith(end)), "")
    if favourite or prefix:
        rest = [word.removeprefix(prefix) for word in words if word not in favourite]
        return " ".join(["favourite", *sorted(rest)]), "always"
    words = [*words[:-1], *_parts(words[-1], rules)]
    for size in range(min(3, len(words)), 0, -1):
        for begin in range(len(words) - size + 1):
            name = rules.nouns.get(" ".join(words[begin : begin + size]))
            head = begin + size == len(words) or (begin == 0 and rules.noun_first)
            if name and head:
                return " ".join([name, *sorted([*words[:begin], *words[begin + size :]])]), "always"
    return " ".join(sorted(rules.roles.get(word, word) for word in words)), "never"  # gérant, gérante


def _parts(word: str, rules: LanguageRules) -> list[str]:
    """ "WLAN-Passwort" and "Handytarif" as two words, where the second is in the list of nouns that are joined."""
    if word in rules.nouns:
        return [word]
    end = next((noun for noun in rules.words.get("joined_noun", ()) if word.endswith(noun)), "")
    return [*filter(None, (word.removesuffix(end).rstrip("-"), end))] if end else [word]


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
