"""How a thing is, where no noun names the attribute, what somebody works as, and how much there is of something. Pure.

version   "the server runs Postgres 16", "we upgraded the server to Postgres 17"
state     "the heating is off", "the heating is on again"
colour    "the front door is blue", "we painted the front door red"
job       "Ann is a nurse at Orbis", "Ann became a ward manager"
count     how many of something a subject has: "has 24 members"
dose      how much of a medicine it takes: "takes 10 mg of ramipril"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.language.detection import stem
from engine.statements.claim import (
    Claim,
    Clause,
    Form,
    bearer_of,
    bearing,
    by_subject,
    is_of,
    names_thing,
    shown_as,
    words_in,
    words_of,
)
from engine.statements.nouns import USER
from engine.statements.rules import attributes
from engine.statements.tokens import PUNCTUATION, Match, WordToken
from engine.statements.values import TIME, number_of

MOST_WORDS = 6
"""Words of a thing, of a name or of a job, at most."""
_LEAVES_OUT = ("article", "auxiliary", "to", "of", "direction", "filler", "value_end", "changing_to")
COUNT = "count "
"""What the key of a count begins with; the noun follows."""
MOST_COUNTED_WORDS = 3
_BETWEEN = ("article", "pronoun", "auxiliary", "about", "limit")
_STOPS = ("value_end", "because", "and", "but", "without", "article", "plain", "of", "filler")


def conditions_in(clause: Clause) -> Iterator[Claim]:
    """The claims of a statement about how a thing is."""
    rules = clause.rules
    jobs = {one.end: one for one in rules.signs.longest(clause.tokens, ("job_is", "becomes"))}
    for place, one in enumerate(clause.tokens):
        if rules.has("running", one.word):
            yield from _version(clause, place, upgraded=False)
        if rules.has("upgrading", one.word):
            yield from _version(clause, _helping_before(clause, place), upgraded=True)
        if one.word in rules.states:
            yield from _state(clause, place)
        if rules.has("colours", one.word):
            yield from _colour(clause, place)
        if rules.has("occupation", one.word):
            yield from _job(clause, place, jobs)


def _helping_before(clause: Clause, place: int) -> int:
    """The place of the verb; of "haben … aktualisiert" that of the first part."""
    before = range(place - 1, clause.begin(place) - 1, -1) if clause.rules.large_nouns else ()
    return next((at for at in before if clause.rules.has("helping", clause.tokens[at].word)), place)


def _end(clause: Clause, place: int) -> bool:
    """Whether nothing but a date follows."""
    return all(one.word in PUNCTUATION or one.word == TIME for one in clause.tokens[place:])


def _version(clause: Clause, verb: int, *, upgraded: bool) -> Iterator[Claim]:
    """ "The server runs Postgres 16": a name and a number behind the verb; "upgraded the server to …"."""
    tokens, rules = clause.tokens, clause.rules
    number = next(
        (
            place
            for place in range(verb + 1, min(len(tokens), verb + 2 * MOST_WORDS))
            if tokens[place].word[:1].isdigit() and number_of(tokens[place].word, rules)
        ),
        None,
    )
    ends = number is not None and (
        _end(clause, number + 1) or (number + 1 < len(tokens) and rules.has("upgrading", tokens[number + 1].word))
    )
    if number is None or not ends:
        return
    begin = number
    while begin > verb + 1 and tokens[begin - 1].large and not rules.has("named_number", tokens[begin - 1].word):
        begin -= 1
    name = frozenset(one.word for one in tokens[begin:number])
    thing = [one for one in tokens[verb + 1 : begin] if not any(rules.has(kind, one.word) for kind in _LEAVES_OUT)]
    if not name or any(is_of(word, clause.subject) for word in name) or (thing and not upgraded):
        return
    bearer = bearer_of(clause, verb) | name | bearing(thing, clause)
    yield _condition(clause, "version", (verb, number, number + 1), bearer, form="moves" if upgraded else "holds")


def _state(clause: Clause, place: int) -> Iterator[Claim]:
    """ "The heating is off": one of a pair of opposites behind "is", and of a thing."""
    tokens, rules = clause.tokens, clause.rules
    verb = place - 1
    if verb < 1 or not rules.has("state_is", tokens[verb].word) or not _end(clause, place + 1):
        return
    (concept, yes), bearer = rules.states[tokens[place].word], bearer_of(clause, verb)
    if bearer or not clause.subject <= {USER}:  # "the heating is off", not "I'm off"
        value = frozenset((str(yes),))
        yield _condition(clause, f"state {concept}", (verb, place, place + 1), bearer, value=value)


def _colour(clause: Clause, place: int) -> Iterator[Claim]:
    """ "The door is blue", and where it was painted "painted the door red"."""
    tokens, rules = clause.tokens, clause.rules
    painted = next((at for at, one in enumerate(tokens) if rules.has("painting", one.word)), None)
    last = len(tokens) - 1
    while last > place and (tokens[last].word in PUNCTUATION or last == painted):
        last -= 1
    if last != place:
        return
    before = place - 1
    while before > 0 and any(rules.has(kind, tokens[before].word) for kind in ("of", "value_end", "painting")):
        before -= 1
    value = frozenset((tokens[place].word,))
    if painted is None or painted == place - 1:
        if rules.has("is", tokens[before].word) and before:
            bearer = bearer_of(clause, before)
            if bearer:
                yield _condition(clause, "colour", (before, place, place + 1), bearer, value=value)
        return
    start = next(
        (at for at in range(painted if painted < place else 0, place) if rules.has("article", tokens[at].word)), None
    )
    if start is None or place - start > MOST_WORDS or not by_subject(clause, min(start, painted)):
        return
    bearer = bearing(tokens[start : before + 1], clause)
    if bearer:
        yield _condition(clause, "colour", (start, place, place + 1), bearer, form="moves", value=value)


def _job(clause: Clause, place: int, phrases: Mapping[int, Match]) -> Iterator[Claim]:
    """ "Ann is a nurse", "became a ward manager": a name of a job behind one of the phrases."""
    tokens, rules = clause.tokens, clause.rules
    start = place
    while start > 0 and start not in phrases and place - start < MOST_WORDS:
        one = tokens[start - 1]
        if one.word in PUNCTUATION or any(
            rules.has(kind, one.word) for kind in ("because", "but", "and", "value_end", "of")
        ):
            return
        start -= 1
    phrase, end = phrases.get(start), place + 1
    if phrase is None or not by_subject(clause, phrase.start):
        return
    if tokens[phrase.start].word == "'s" and not (phrase.start and rules.has("pronoun", tokens[phrase.start - 1].word)):
        return  # "Mira's manager"
    while start < place and rules.has("article", tokens[start].word):
        start += 1
    follows = tokens[end : end + 2]
    if follows and rules.has("occupation", follows[0].word):
        return  # the next one is the head: "engineering manager"
    if (
        len(follows) > 1
        and rules.has("of", follows[0].word)
        and (rules.has("article", follows[1].word) or follows[1].large)
    ):
        return  # "manager of the youth team"
    value = frozenset(one.word for one in tokens[start:end])
    form: Form = "moves" if phrase.meaning == "becomes" else "holds"
    where = (phrase.start, start, end)
    yield _condition(clause, "profession", where, frozenset(), form=form, value=value)


def _condition(
    clause: Clause,
    key: str,
    places: tuple[int, int, int],
    bearer: frozenset[str],
    *,
    form: Form = "holds",
    value: frozenset[str] | None = None,
) -> Claim:
    """The claim of a condition; `value` where it is no number, `places` of its verb, of its beginning and its end."""
    verb, start, end = places
    shown: Sequence[WordToken] = clause.tokens[start:end]
    positive, over = clause.polarity.at(clause.places, clause.tokens, verb, start, end)
    return Claim(
        key=key, label=key, one=attributes()[key].one if key in attributes() else "always",
        kind="number" if value is None else "text", form=form, bearer=bearer,
        value=words_of(shown) if value is None else value, shown=shown_as(shown), firm=True, positive=positive, over=over,
        old=frozenset(), start=verb, end=end, words=words_of(clause.tokens[verb:end]),
    )  # fmt: skip


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
    if not noun or done or len(noun) > MOST_COUNTED_WORDS or any(number_of(one.word, rules) for one in noun):
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
