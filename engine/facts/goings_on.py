"""Whether a clause of a newer statement says that what an older one tells of goes on. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.statements.parts import akin, parts_of
from engine.statements.rules import LanguageRules, event_words_of, rules_of
from engine.statements.statement import Statement, statement
from engine.statements.tokens import PUNCTUATION, Match, WordToken, tokens_of

_JOINS = ("and", "but", "because")


def goes_on(older: Statement, newer: Statement) -> bool:
    """ "moved to Graz for work but still lives in Vienna", "hat ihre Wohnung in Wien behalten", of "lives in Vienna"."""
    rules, words = rules_of(newer.language), event_words_of(newer.language)
    for clause in _clauses(tokens_of(newer.said, rules.contractions), rules):
        sign = next(iter(words.signs.longest(clause, ("goes_on", "not_given_up"))), None)
        if sign is None:
            continue
        whole, behind = (_read(newer, clause[at].start, clause[-1].end) for at in (0, sign.start))
        denied = sign.meaning == "goes_on" and not whole.positive  # "has stopped keeping rabbits"
        if not denied and (_says(whole, older) or _says(behind, older) or _has_the_other(clause, sign, newer)):
            return True  # behind: "moved to Graz without giving up her flat in Vienna"
    return False


def _has_the_other(clause: Sequence[WordToken], sign: Match, newer: Statement) -> bool:
    """ "sold a tractor and kept the other", "… und den anderen behalten"; not "kept the other tools"."""
    words = event_words_of(newer.language)
    rest = [one for place, one in enumerate(clause) if not sign.start <= place < sign.end or place in sign.skipped]
    others = [one for one in rest if words.has("another_one", one.word)]
    named = {one.start for one in rest if one not in others} & _topics(clause, newer)
    return bool(others) and not named


def _topics(clause: Sequence[WordToken], newer: Statement) -> set[int]:
    """Where in the statement the words of a clause stand that name something."""
    begin = clause[0].start
    parts = parts_of(newer.said[begin : clause[-1].end], newer.subject, newer.language).parts
    return {begin + part.tokens[place].start for part in parts for place in part.topics}


def _read(newer: Statement, start: int, end: int) -> Statement:
    return statement(newer.said[start:end], newer.subject, newer.said_at, newer.language)


def _clauses(tokens: Sequence[WordToken], rules: LanguageRules) -> Iterator[Sequence[WordToken]]:
    """The tokens between commas, "and", "but" and "because"; the second word of a clause breaks none: "wohnt aber weiter"."""
    clause: list[WordToken] = []
    for one in tokens:
        breaks = one.word in PUNCTUATION or any(rules.has(kind, one.word) for kind in _JOINS)
        if breaks and not (len(clause) == 1 and rules.has("but", one.word)):
            if clause:
                yield clause
            clause = []
        else:
            clause.append(one)
    if clause:
        yield clause


def _says(clause: Statement, older: Statement) -> bool:
    """Whether a clause says what the older statement does: of one attribute its value, else its own words; not "still works at
    Acme", of "lives in Ghent"."""
    if clause.claims and older.claims:
        return any(one.key == other.key and one.value & other.value for one in clause.claims for other in older.claims)
    rules = rules_of(clause.language)
    verbs = rules.stems.get("habit", frozenset[str]()) | rules.stems.get("owning", frozenset[str]())
    known = parts_of(older.said, older.subject, clause.language).topics
    known = known - verbs or known  # "still plays chess", of "plays football"; but "still smokes"
    stated = parts_of(clause.said, clause.subject, clause.language).topics
    return any(akin(topic, one) for topic in stated for one in known)
