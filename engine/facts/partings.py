"""Whether a statement says that something is over, or that it goes on. Pure.

parted      somebody gave up a habit or a wish, sold a thing, left a group, finished a work
still has   left for the day, gave up a part of it, or began again
called off  a plan, an appointment or a validity
goes on     a clause of a newer statement says it of what an older one tells of
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from engine.domain.fact import FactRelation
from engine.language.detection import stem
from engine.statements.claim import DATED, Claim
from engine.statements.parts import Part, akin, parts_of
from engine.statements.rules import LanguageRules, event_words_of, rules_of
from engine.statements.statement import Statement, statement
from engine.statements.tokens import PUNCTUATION, Match, WordToken, tokens_of

_SAYS_ONE_HAS = {"sold": "owning", "left_group": "belonging", "handed": "leading", "completed": "making"}
"""The words of having what is given up, by the words of giving it up."""
_JOINS = ("and", "but", "because")


def resumed(older: Statement, newer: Statement) -> bool:
    """ "gave up coffee last year but is back on it", "stopped taking it before the surgery and resumed after"."""
    if _has_sign("resumed", newer):
        return True
    code = newer.language
    known = parts_of(older.said, older.subject, code).topics
    return any(
        _taken_up(part, known, code, first=not place)
        for place, part in enumerate(parts_of(newer.said, newer.subject, code).parts)
    )


def _taken_up(part: Part, known: Set[str], code: str, *, first: bool) -> bool:
    """Whether a part says that what is known began again; not "left Acme and resumed her studies"."""
    rules, words = rules_of(code), event_words_of(code)
    old = {place for place, topic in part.topics.items() if any(akin(topic, one) for one in known)}
    new = {place for place in part.topics if place not in old}
    new = {place for place in new if not rules.has("span", part.tokens[place].word)}  # "restarted a week later"
    matches = [
        one for one in words.signs.longest(part.tokens, ("taken_up",)) if not first or any(at >= one.end for at in old)
    ]  # "resumed aspirin after she had stopped"
    if any(not _names_other(part, one, new, rules) for one in matches):
        return True
    again = next(iter(words.signs.longest(part.tokens, ("again",))), None)
    if again is None or first:  # "left Acme again"
        return False
    new -= {*range(again.start, again.end)}
    if rules.large_nouns:  # "und danach wieder genommen", of "nimmt": only a noun tells of something else
        new = {place for place in new if part.tokens[place].large}
    return not new and (bool(part.topics) or rules.has("but", part.tokens[0].word))  # "nimmt es aber wieder"


def _names_other(part: Part, match: Match, new: Set[int], rules: LanguageRules) -> bool:
    """Whether something else was taken up: "resumed her studies", "returned to Hull", "went back to work"; not "resumed soon"."""
    end = match.end
    while end < len(part.tokens) and rules.has("article", part.tokens[end].word):
        end += 1
    leads = rules.has("to", part.tokens[match.end - 1].word)
    named = [place for place in (*match.skipped, end) if place in new]
    behind = any(leads or part.tokens[one].large or rules.has("article", part.tokens[one - 1].word) for one in named)
    return behind or (rules.large_nouns and match.start - 1 in new and _is_object(part, match.start - 1, rules))


def _is_object(part: Part, place: int, rules: LanguageRules) -> bool:
    """ "das Studium" of "und das Studium wieder aufgenommen"; not "Juni" of "und im Juni wieder aufgenommen"."""
    begin = place
    while begin > 0 and rules.has("article", part.tokens[begin - 1].word):
        begin -= 1
    before = part.tokens[begin - 1].word if begin else ""
    return begin < place and (
        rules.has("and", before) or not any(rules.has(one, before) for one in ("to", "value_end"))
    )


def left_just_now(newer: Statement) -> bool:
    """ "has just left Acme", which may be for the day."""
    return _has_sign("just", newer)


def still_there(older: Claim, newer: Claim, after: Statement) -> bool:
    """Whether what ends is no office and no work: "handed over the chair's report", "quit Acme's pension scheme"."""
    more = older.value < newer.value
    if newer.key == "role":
        return more and "'s" in newer.words
    return newer.key == "employer" and (more or f"{newer.shown}'s" in after.said or left_just_now(after))


def of_another_one(part: Part, known: Set[str], code: str) -> bool:
    """Whether a part speaks of another one than what is known: "sold his old scooter", "vendió la moto vieja", "sold one of his
    scooters"; where the older statement says "old", too, it is that one."""
    rules, words = rules_of(code), event_words_of(code)
    before = [part.tokens[place - 1] for place in part.topics if place]
    after = [one for place in part.topics for one in part.tokens[place + 1 : place + 2] if rules.noun_first]
    beside = {one.word for one in (*before, *after)}
    beside |= {word for one in before for word in one.text.casefold().split()}  # "a segunda mota" names no Monday
    one_of = any(True for _ in words.signs.longest(part.tokens, ("one_of",)))
    return one_of or any(words.has("another_one", one) for one in beside - known)


def _has_sign(kind: str, newer: Statement) -> bool:
    tokens = tokens_of(newer.said, rules_of(newer.language).contractions)
    return any(True for _ in event_words_of(newer.language).signs.longest(tokens, (kind,)))


def no_longer_wished(older: Statement, newer: Statement) -> bool:
    """ "wants to buy a flat", "no longer wants to buy a flat"."""
    wished = older.wished and newer.wished and older.positive and not newer.positive
    plain = [[one for one in each.frame if one != "1"] for each in (older, newer)]  # "un appartement", "d'appartement"
    return wished and plain[0] == plain[1] and not newer.times


def parted(older: Statement, newer: Statement) -> bool:
    """ "plays the cello", "gave up the cello"; "owns a van", "sold her van"; "is on the board", "left the board";
    "is writing her thesis", "finished her thesis"; "works in a bakery", "no longer works there"."""
    said = older.mood == newer.mood == "said" and older.positive and not (older.past or older.cancelled)
    if not said or older.times or newer.past or newer.beside or newer.temporary or narrow(newer):
        return False
    if any(one.key != "role" for one in older.claims) or any(
        one.key != "role" and one.positive for one in newer.claims
    ):
        return False
    by_words = any(
        _parted_from(older, kind, left, newer.language)
        and (kind != "sold" or (_in_order(older, newer) and not _has_another(older, newer)))
        for kind, left in newer.parted.items()
    )
    return by_words or _left_work(older, newer)


def _in_order(older: Statement, newer: Statement) -> bool:
    """Whether the words of both stand in one order: not "vendió una bici de la tienda", of "tiene una tienda de bicis"."""
    places = [
        place
        for one in newer.frame
        for place, other in enumerate(older.frame)
        if other == one or (len(one) > 3 and other.startswith(one))
    ]
    return all(one < other for one, other in pairwise(places))


def _has_another(older: Statement, newer: Statement) -> bool:
    """ "sold her second van", "sold one of her vans", "sold her van and bought it back"."""
    code = newer.language
    known = parts_of(older.said, older.subject, code).words
    parts = parts_of(newer.said, newer.subject, code).parts
    sold = [one for one in parts if any(True for _ in rules_of(code).signs.longest(one.tokens, ("sold",)))]
    regained = any("regained" in one.events and not one.negations for one in parts)
    return regained or any(of_another_one(one, known, code) for one in sold)


def elsewhere(older: Statement, newer: Statement) -> bool:
    """Whether they speak of two employers: "is head chef at the Lantern", "is no longer head chef at the Crown"."""
    places = [{word for one in each.claims if one.key == "employer" for word in one.value} for each in (older, newer)]
    return all(places) and not places[0] & places[1]


def _left_work(older: Statement, newer: Statement) -> bool:
    """ "works in a bakery", "no longer works there"; not "works on a novel"."""
    left = any(one.key == "employer" and one.over and not (one.value or one.bearer) for one in newer.claims)
    shop = len(older.frame) == 2 and rules_of(older.language).has("group_noun", older.plain[-1])
    return left and shop and not older.claims and older.frame[0] in newer.frame


def _parted_from(older: Statement, kind: str, parted_with: Set[str], language: str) -> bool:
    """Whether what is left of the older statement says just that one has it, does it, or belongs to it."""
    rules = rules_of(language)
    office = {stem(word, language) for word in rules.words.get("office", ())} & parted_with
    left = parted_with - office if kind == "handed" else parted_with
    there = {
        word: {one for one in older.frame if one == word or (len(word) > 3 and one.startswith(word))} for word in left
    }
    if not left or not all(there.values()):  # "raucht", "Rauchen"
        return False
    rest = [one for one in older.frame if one != "1" and not any(one in found for found in there.values())]
    if kind == "given_up":
        return not rest or (older.habit and rest == [*older.frame[:1]])
    if (kind == "handed" and not office) or any(rules.has("no_organization", word) for word in left):
        return False  # "left home"
    words = rules.words.get(_SAYS_ONE_HAS[kind], frozenset[str]())
    plain = [word for word, one in zip(older.plain, older.frame, strict=True) if one in rest]
    return all(word in words for word in plain) and (
        bool(rest) or older.habit or kind == "left_group" or older.counting
    )


def narrow(newer: Statement) -> bool:
    """Whether it speaks of a day or an hour: "left the club at five"."""
    dates = rules_of(newer.language).dates
    narrow = dates.get("weekday", frozenset[str]()) | dates.get("day", frozenset[str]())
    said = {word for one in newer.times for word in one.split()}
    return bool(said & narrow) or any(":" in word for word in said)


def plan_ended(older: Statement, newer: Statement) -> FactRelation:
    """ "The trip to Oslo is off" ends the plan of a trip to Oslo, and no wish; "my passport has expired" ends until when it was
    valid."""
    if newer.cancelled:
        return _cancelled(older, newer)
    if newer.returned and not newer.done:
        return _back(older, newer)
    matter = newer.matter
    planned = (
        older.mood in ("said", "planned")
        and (older.positive or bool(older.opposed))
        and not (older.cancelled or older.done or older.past)
    )
    told = newer.mood == "said" and (newer.positive or newer.over) and not (newer.beside or newer.past)
    if not planned or not told or not (_of_itself(older) if not matter else matter <= set(older.frame)):
        return "none"
    if any(one.one == "always" and one.key not in DATED for one in older.claims if one.key not in ("deadline",)):
        return "none"  # a birthday comes again
    if not older.times and older.mood != "planned":
        return "none"
    early = older.day is not None and newer.said_at is not None and older.day > newer.said_at.date()
    doubtful = early or older.compound or older.beside != newer.beside or newer.temporary  # "is over for today"
    return "maybe" if doubtful else "ends"


def _back(older: Statement, newer: Statement) -> FactRelation:
    """ "is back from parental leave" ends that somebody is on it."""
    away = {stem(word, newer.language) for word in rules_of(newer.language).words.get("away", ())}
    said = older.mood in ("said", "planned") and older.positive and not older.past
    known = any(one.key not in DATED for one in older.claims)
    rules = rules_of(newer.language)
    matter = newer.matter - rules.words.get("value_end", frozenset[str]())  # "aus der Elternzeit"
    there = bool(matter & away) and matter <= set(older.frame) and len(older.frame) <= len(matter) + 1
    if matter and matter <= {stem(word, newer.language) for word in rules.words.get("work", ())}:  # "is back at work"
        there = bool(older.frame) and set(older.frame) <= away
    told = newer.mood == "said" and newer.positive and not (newer.beside or newer.past)
    return "ends" if said and told and there and not known else "none"


def not_going(older: Statement, newer: Statement) -> bool:
    """ "isn't going to Crete after all" calls off each plan of a trip there whose day has not passed."""
    planned = older.mood in ("said", "planned") and older.positive and not (older.past or older.cancelled)
    told = newer.mood in ("said", "planned") and not (newer.positive or newer.past or newer.beside or newer.times)
    passed = older.day is not None and newer.said_at is not None and older.day < newer.said_at.date()
    if not (older.trip and newer.trip and planned and told) or passed or not (older.times or older.mood == "planned"):
        return False
    joins = rules_of(newer.language).words.get("value_end", frozenset[str]())
    there = set(newer.frame) - newer.trips - joins
    return bool(there) and there <= set(older.frame) and set(older.frame) - older.trips - joins == there


def _of_itself(older: Statement) -> bool:
    """Whether the subject is what takes place: "the Tamar Festival is on 19 July"."""
    return any(one.key in DATED and not one.bearer and one.form != "past" for one in older.claims)


def _of_another_month(older: Statement, newer: Statement) -> bool:
    """ "the concert is on 4 October"; "the concert last May was cancelled"."""
    months = rules_of(newer.language).months
    before, after = (
        {months[word] for one in each.times for word in one.split() if word in months} for each in (older, newer)
    )
    return bool(before and after) and not before & after


def _cancelled(older: Statement, newer: Statement) -> FactRelation:
    """Ends no plan whose day has passed."""
    planned = older.mood in ("said", "planned") and older.positive and not older.cancelled
    if not planned or newer.mood != "said" or not newer.positive:
        return "none"
    if _of_another_month(older, newer):
        return "none"
    matter = newer.matter - rules_of(newer.language).words.get("value_end", frozenset())  # "aus der Reise wird nichts"
    if not matter:
        return "ends" if _of_itself(older) else "none"
    shared = matter & set(older.frame)
    trips = older.trip and newer.trip
    dated = bool(older.times) or older.mood == "planned"
    if matter <= set(older.frame) or (trips and matter - newer.trips <= set(older.frame) and matter - newer.trips):
        return "ends" if dated else "maybe"
    return "maybe" if shared and dated else "none"


def goes_on(older: Statement, newer: Statement) -> bool:
    """ "moved to Graz for work but still lives in Vienna", "hat ihre Wohnung in Wien behalten", of "lives in Vienna"."""
    rules, words = rules_of(newer.language), event_words_of(newer.language)
    for clause in _clauses(tokens_of(newer.said, rules.contractions), rules):
        sign = next(iter(words.signs.longest(clause, ("goes_on", "not_given_up"))), None)
        if sign is None:
            continue
        whole, behind = (_read(newer, clause[at].start, clause[-1].end) for at in (0, sign.start))
        denied = sign.meaning == "goes_on" and not whole.positive  # "has stopped keeping rabbits"
        if not denied and (_says_it(whole, older) or _says_it(behind, older) or _has_the_other(clause, sign, newer)):
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


def _says_it(clause: Statement, older: Statement) -> bool:
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
