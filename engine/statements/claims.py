"""Attributes of which phrases give a value: where somebody lives, to whom somebody is married, what a thing costs; and whether
the value is of the attribute's kind: a place for a home, an organisation for an employer. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.statements.claim import Claim, Clause, bearer_of, bearing, shown_as, words_in, words_of
from engine.statements.conditions import amounts_of, conditions_in
from engine.statements.nouns import changed_value, claim_of_noun, price_of
from engine.statements.rules import LanguageRules, Values, attributes
from engine.statements.tokens import PUNCTUATION, Match, WordToken
from engine.statements.values import TIME, is_place, known_place, number_of

NO_PLACES = ("no_place", "team_word", "team_noun")
"""Lists of words that are no place where somebody lives."""
VALUELESS = ("over", "there")
"""Forms of phrases that name no value: "got divorced", "no longer works there"."""
MOST_PHRASES = 100
"""Phrases in a text: of 1,500 passages of an encyclopedia none has more than 22."""


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


def claims_of(clause: Clause) -> list[Claim]:
    """The claims of a statement, in their order; none of a text of too many phrases ("Bo's Bo's Bo's …"), which says nothing, and
    in which each would be compared with all words."""
    phrases = [clause.rules.claims.at(clause.tokens, place) for place in range(len(clause.tokens))]
    if sum(map(len, phrases)) > MOST_PHRASES:
        return []
    found: list[Claim] = []
    place = 0
    while place < len(clause.tokens):
        here = [one for match in phrases[place] if (one := _claim(clause, match))]
        here = sorted(here, key=lambda one: (not one.firm, one.start - one.end, len(one.value)))
        best = [one for one in here if one is here[0] or _as_well(one, here[0]) or _served_at(one, here[0])]
        if not best:
            place += 1
            continue
        found += best
        place = max(best[0].end, place + 1)
    amounts = list(amounts_of(clause))
    noun = changed_value(clause) or claim_of_noun(clause, found)
    if noun and not (noun.form == "moves" and any(one.start < noun.end for one in amounts)):
        found += [noun, *price_of(clause, noun)]  # not "went from 24 to 21 children"
    described = [one for one in conditions_in(clause) if one.key not in {other.key for other in found}]
    if noun and noun.one == "always":
        described = [one for one in described if not noun.start <= one.start < noun.end]
    elif described:
        found = [one for one in found if one is not noun]
    found += described
    taken = {place for one in found for place in range(one.start, one.end) if one.key != "role"}
    return [*found, *(one for one in amounts if one.start not in taken)]


def _as_well(one: Claim, best: Claim) -> bool:
    """Whether the same words may mean another attribute as well: "left Acme", "left Ghent"; "moved to"."""
    same = (one.firm, one.value, one.words) == (best.firm, best.value, best.words)
    joined = one.form == best.form == "moves"  # "after six years at Acme, signed with Orbis"
    return same and (joined or one.old == best.old) and one.key != best.key


def _served_at(one: Claim, best: Claim) -> bool:
    """ "is head of finance at Acme": a role, and where; "gave up the post of treasurer": a role, or a profession."""
    if {one.key, best.key} == {"role", "profession"}:
        return (one.start, one.end, one.form) == (best.start, best.end, best.form)
    return one.key == "employer" and best.key == "role" and not one.firm and one.form == best.form == "holds"


def _claim(clause: Clause, match: Match) -> Claim | None:
    name, _, form = match.meaning.partition(".")
    attribute, rules = attributes()[name], clause.rules
    if _of_a_thing(clause, match, name, form):
        return None
    said = _said(clause, match, form, attribute.value)
    if said is None:
        return None
    match, where, shown, of, old = said
    if form == "joins":  # "after six years at Acme, Ann signed with Orbis"
        form, old = "moves", clause.left
        if not old:
            return None
    firm = is_firm(clause, name, form, shown, old, settling=_has("settling", clause, match)) if shown else None
    if name == "role" and form == "ends" and shown and _has("as_role", clause, match):
        firm = True  # "resigned as a trustee"
    end = _clause_end(clause, where[1]) if match.value and rules.large_nouns else where[1]  # "In Kiel wohnt Ann nicht"
    positive, over = clause.polarity.at(clause.places, clause.tokens, match.start, match.end, end)
    unsaid = (firm is None and form not in VALUELESS) or (form == "there" and not over)
    if unsaid or _no_value(clause, match, said, name, form):
        return None
    value = words_in(shown, clause)
    if form == "holds" and not positive:  # "alone" of "no longer works alone at Acme"
        value |= bearing([clause.tokens[at] for at in match.skipped], clause)
    if name == "role":
        value = frozenset(rules.roles.get(word, word) for word in value)
    claim = Claim(
        key=name, label=name, one=attribute.one, kind=attribute.value,
        form="holds" if form in ("serves", "there") else form,  # type: ignore[arg-type]
        bearer=of, value=value, shown=shown_as(shown),
        firm=(bool(firm) or form in VALUELESS) and form != "serves",
        positive=positive, over=over, old=old, start=match.start, end=max(where[1], match.end),
        words=words_of([*clause.tokens[match.start : match.end], *shown]),
    )  # fmt: skip
    if form in ("ends", "leaves", "over"):
        claim = replace(claim, positive=not positive, over=positive)
    return _instead(clause, claim, where[1]) if not claim.positive else claim


def _has(kind: str, clause: Clause, match: Match) -> bool:
    """Whether a word of a phrase stands in a list."""
    return any(clause.rules.has(kind, one.word) for one in clause.tokens[match.start : match.end])


_Said = tuple[Match, tuple[int, int], Sequence[WordToken], frozenset[str], frozenset[str]]


def _no_value(clause: Clause, match: Match, said: _Said, name: str, form: str) -> bool:
    """Whether what stands behind a phrase is no value of the attribute that the phrase often means."""
    rules, tokens, (_, where, shown, of, old) = clause.rules, clause.tokens, said
    if rules.has("went", tokens[match.end - 1].word) and not old:
        return True  # "ist zu Tom gegangen"
    if name == "owner" and rules.has("is", tokens[match.start].word):
        return len(shown) < 2 or is_place(shown, rules)  # "Ana es de Lugo"
    if name == "role":
        return form == "holds" and bool(of or tokens[match.start].word == "'s")  # "Ann's boss is Director Kim"
    return attributes()[name].value == "place" and rules.large_nouns and _common(clause, where[0], shown)


def _said(clause: Clause, match: Match, form: str, kind: Values) -> _Said | None:
    """The phrase, where its value stands, the value, whose it is, and what it says to be replaced."""
    rules, tokens, of = clause.rules, clause.tokens, bearer_of(clause, match.start)
    where = None if form == "swaps" else match.value
    if kind == "date" and form == "begins" and not match.value:
        until = _object_end(clause, match.end)
        of |= _thing(tokens[match.end : until], clause)
        match = replace(match, end=until)
    while where and where[1] - where[0] > 1 and rules.has("article", tokens[where[0]].word):
        where = (where[0] + 1, where[1])
    where = where or _value(clause, match.end, kind)
    if form in VALUELESS:
        where = None if where or _goes_on(clause, match.end) else (match.end, match.end)
    if where is None:
        return None
    shown = tokens[where[0] : where[1]]
    if kind == "date":
        return _dated(clause, match, where, of)
    old = (
        words_in(tokens[slice(*match.value)], clause) if match.value and form == "swaps" else _old(clause, match, where)
    )
    if kind == "number":
        old = frozenset()  # "leaves from platform 4"
    return match, where, shown, of - old if old else of, old


def _dated(clause: Clause, match: Match, where: tuple[int, int], of: frozenset[str]) -> _Said:
    shown = clause.tokens[where[0] : where[1]]
    old = _old(clause, match, where)
    if match.value:  # "wurde von Dienstag auf Donnerstag verlegt", "hat die Feier auf Mai verlegt"
        of |= _thing([one for one in shown[:-1] if one.word != TIME], clause)
        old, shown = words_in([one for one in shown[:-1] if one.word == TIME], clause), shown[-1:]
    elif where[1] < len(clause.tokens) and clause.tokens[where[1]].word == TIME:
        old, where = words_in(shown, clause), (where[1], where[1] + 1)  # "from Tuesday to Thursday"
        shown = clause.tokens[where[0] : where[1]]
    return match, where, shown, of, old


def _thing(tokens: Sequence[WordToken], clause: Clause) -> frozenset[str]:
    """What is moved to another date, without "forward" and "back"."""
    return bearing([one for one in tokens if not clause.rules.has("direction", one.word)], clause)


def _object_end(clause: Clause, place: int) -> int:
    """Where the date begins in "postponed the wedding to May 3"; the place itself where there is none."""
    end, rules = place, clause.rules
    if place >= len(clause.tokens) or not rules.has("article", clause.tokens[place].word):
        return place  # "moved to Berlin on May 3"
    while end < len(clause.tokens) and end - place < 6 and clause.tokens[end].word not in PUNCTUATION:
        if clause.tokens[end].word == TIME:
            loose = rules.has(
                "loose", clause.tokens[place - 1].word
            )  # "brought her lunch", "brought her wedding forward"
            moved = any(rules.has("direction", one.word) for one in clause.tokens[place:end])
            return place if loose and not moved else end
        if any(rules.has(kind, clause.tokens[end].word) for kind in ("because", "and", "but", "from")):
            break
        end += 1
    return place


def _of_a_thing(clause: Clause, match: Match, name: str, form: str) -> bool:
    """Whether a phrase tells what becomes of a thing, not of whom it is told."""
    if form in ("begins", "moves", "planned"):
        return name != "headquarters" and _moves_a_thing(clause, match)
    return name == "employer" and form in ("ends", "leaves") and _ends_a_thing(clause, match)


def _moves_a_thing(clause: Clause, match: Match) -> bool:
    """ "moved her savings to Oslo", "moved furniture to Oslo", not "moved from the suburbs to Oslo", "moved back to Oslo"."""
    rules, tokens = clause.rules, clause.tokens
    with_article = any(
        rules.has("article", tokens[place].word)
        and not any(rules.has(kind, tokens[place - 1].word) for kind in ("from", "value_end", "of", "article"))
        for place in match.skipped
    )
    first = tokens[match.skipped[0]] if match.skipped and rules.words.get("moved_so") else None
    return with_article or (first is not None and not (first.large or rules.has("moved_so", first.word)))


def _ends_a_thing(clause: Clause, match: Match) -> bool:
    """ "hat sein Konto bei der Bank gekündigt", not "hat seine Stelle bei der Bank gekündigt", which is a phrase of its own."""
    rules, tokens = clause.rules, clause.tokens
    places = (*match.skipped, match.start - 1)
    return rules.large_nouns and any(
        place > 0 and tokens[place].large and rules.has("article", tokens[place - 1].word) for place in places
    )


def _common(clause: Clause, place: int, shown: Sequence[WordToken]) -> bool:
    """ "im Zentrum", "in einem Haus": with an article it is no town."""
    article = place > 0 and clause.rules.has("article", clause.tokens[place - 1].word)
    return article and bool(shown) and not is_place(shown, clause.rules)


def _clause_end(clause: Clause, place: int) -> int:
    ends = (at for at in range(place, len(clause.tokens)) if clause.tokens[at].word in PUNCTUATION)
    return next(ends, max(place, len(clause.tokens)))


def _goes_on(clause: Clause, place: int) -> bool:
    """Whether more is said of it than a date or a reason."""
    if place >= len(clause.tokens):
        return False
    one = clause.tokens[place]
    ends = one.word in PUNCTUATION or one.word == TIME
    return not (ends or any(clause.rules.has(kind, one.word) for kind in ("because", "but", "and")))


def _instead(clause: Clause, claim: Claim, end: int) -> Claim:
    """ "no longer at Acme but at Globex": the value behind "but" holds."""
    place = end
    while place < len(clause.tokens) and clause.tokens[place].word == ",":
        place += 1
    if place >= len(clause.tokens) or not clause.rules.has("but", clause.tokens[place].word):
        return claim
    place += 1
    while place < len(clause.tokens) and clause.rules.has("value_end", clause.tokens[place].word):
        place += 1
    where = _value(clause, place, claim.kind)
    if where is None:
        return claim
    shown = clause.tokens[where[0] : where[1]]
    firm = is_firm(clause, claim.key, "holds", shown, claim.value)
    if not firm:
        return claim
    given = {"value": words_in(shown, clause), "shown": shown_as(shown), "old": claim.value, "end": where[1]}
    return replace(claim, **given, positive=True, over=False, firm=True, form="holds")  # type: ignore[arg-type]


def _value(clause: Clause, place: int, kind: Values) -> tuple[int, int] | None:
    """Where the value begins and ends that stands behind a phrase; in "a flat in Utrecht" the name."""
    tokens, rules = clause.tokens, clause.rules
    for _ in range(3):
        place = _value_start(clause, place, kind)
        if place < len(tokens) and tokens[place].word == TIME:
            return (place, place + 1) if kind == "date" else None
        if kind == "date":
            return None
        end = place
        while end < len(tokens) and not _ends_value(clause, end, kind, first=end == place):
            end += 1
        if end == place:
            return None
        if kind == "place" and any(rules.has(no, one.word) for no in NO_PLACES for one in tokens[place:end]):
            return None
        named = tokens[place].large or rules.has("street", tokens[place].word)
        if kind in ("text", "number", "team") or named or end >= len(tokens):
            return place, end
        if not rules.has("value_end", tokens[end].word):
            return place, end
        place = end + 1
    return None


def _value_start(clause: Clause, place: int, kind: Values) -> int:
    """Behind articles, and behind a date: "ist seit 2019 Kassenwartin"."""
    tokens = clause.tokens
    while place < len(tokens) and (clause.rules.has("article", tokens[place].word) or tokens[place].word == "'s"):
        place += 1
    return place + (kind == "text" and place + 1 < len(tokens) and tokens[place].word == TIME)


def _ends_value(clause: Clause, place: int, kind: Values, *, first: bool) -> bool:
    one, rules = clause.tokens[place], clause.rules
    if place and len(one.text) == 1 and one.text.isupper() and rules.has("team_noun", clause.tokens[place - 1].word):
        return False  # "grupo A"
    if one.word in PUNCTUATION or one.word == TIME or clause.polarity.denies(clause.places[place]):
        return True
    if place and not first and clause.polarity.between(clause.places[place - 1], clause.places[place]):
        return True
    after = clause.tokens[place + 1 : place + 2]
    if kind in ("place", "organization", "name") and not one.large and clause.tokens[place - 1].large:
        joins = (after and after[0].large) or rules.has("branch", one.word) or rules.has("team_noun", one.word)
        if not joins:  # "Acme early", but not "Bank of Ireland" and "the Lyon office"
            return True
    if rules.has("and", one.word):
        return not (kind in ("organization", "name") and after and after[0].large)
    return any(rules.has(ending, one.word) for ending in ("because", "but", "without", "value_end"))


def _old(clause: Clause, match: Match, where: tuple[int, int]) -> frozenset[str]:
    """ "Ghent" of "moved from Ghent to Bruges", before the value or behind it."""
    rules, tokens = clause.rules, clause.tokens
    begin = match.start
    while rules.large_nouns and begin > 0 and (tokens[begin - 1].large or rules.has("article", tokens[begin - 1].word)):
        begin -= 1
    if 0 < begin < match.start and rules.has("from", tokens[begin - 1].word):
        return words_in(tokens[begin : match.start], clause)  # "von Acme zu Globex gewechselt"
    for place in [*range(match.start, match.end - 1), where[1]]:
        if place < len(tokens) and rules.has("from", tokens[place].word):
            end = place + 1
            while end < len(tokens) and end - place < 5 and not (
                rules.has("to", tokens[end].word) or rules.has("value_end", tokens[end].word)
                or tokens[end].word in PUNCTUATION or tokens[end].word == TIME
            ):  # fmt: skip
                end += 1
            return words_in(tokens[place + 1 : end], clause)
    return frozenset()
