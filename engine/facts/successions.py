"""Whether somebody or something took the place of another: "Tess took over from Dale as coach of the Rovers", "moved her accounts
from Norwell to Castlebank", or an office or a relationship is over. Pure."""

from __future__ import annotations

from engine.facts.occasions import EventPair, names_another
from engine.language.detection import stem
from engine.statements.parts import CONCEPT, Part, StatementParts


def _leading(parts: StatementParts, pair: EventPair) -> set[str]:
    """What office a statement names, by its role; "lead" for a verb of leading."""
    words = [one.word for one in parts.tokens]
    verbs = {"lead" for word in words if pair.words.has("leads", word) or pair.rules.has("leading", word)}
    return verbs | {pair.rules.roles[word] for word in words if word in pair.rules.roles}


def handed_over(pair: EventPair) -> bool:
    """ "Tess took over from Dale": Dale has the office of the older one."""
    before, after = _leading(pair.before, pair), _leading(pair.after, pair)
    if not before or (after and not (before & after) and "lead" not in before | after):
        return False
    for part in pair.after.parts:
        if "handover" not in part.events or part.denies("handover") or part.temporary or "short" in part.events:
            continue
        dates = pair.rules.dates.get("day", frozenset[str]()) | pair.rules.dates.get("weekday", frozenset[str]())
        if any(word in dates for one in part.times for word in one.split()) and not pair.rules.large_nouns:
            continue
        if _takes(part, pair) or _of_a_thing(part, pair):
            continue
        if _newcomer(pair) and (_named(pair) or _hands_on(part, pair)):
            return True
    return False


def _takes(part: Part, pair: EventPair) -> bool:
    """Whether the person of the older one is who takes over something: "Owen took over from Kim as head of the academy"."""
    names = _named(pair)
    first = next((one.word for one in part.tokens if not _before_a_name(one.word, pair)), "")
    return first in names and "handing" not in part.events


def _before_a_name(word: str, pair: EventPair) -> bool:
    return pair.words.has("title", word) or pair.rules.has("article", word)


def _of_a_thing(part: Part, pair: EventPair) -> bool:
    """Whether it is a thing that is handed over: "handed the trophy of the Rovers to Lucy"."""
    things = {
        topic
        for place, topic in part.matter("handover", "appointed", "leads").items()
        if not (_a_name(part, place, pair) or _of_office(part.tokens[place].word, pair))
    }
    return bool(pair.of_older(things)[1])


def _a_name(part: Part, place: int, pair: EventPair) -> bool:
    """Whether a word may be a name; where every noun has a capital, no article stands before it."""
    before = part.tokens[place - 1].word if place else ""
    return part.tokens[place].large and not (pair.rules.large_nouns and pair.rules.has("article", before))


def _of_office(word: str, pair: EventPair) -> bool:
    """Whether a word means an office, or stands for it: "the baton"."""
    return word in pair.rules.roles or pair.words.has("insignia", word) or pair.words.has("office", word)


def _named(pair: EventPair) -> set[str]:
    """Whom both statements name."""
    roles = {stem(word, pair.rules.code) for word in pair.rules.roles}
    heads = {one.tokens[0].word for one in pair.before.parts if one.tokens[0].large}
    names = {one for one in pair.before.large | heads if stem(one, pair.rules.code) not in roles and one.isalpha()}
    own = frozenset(pair.older.subject.split())
    if pair.rules.large_nouns:
        names = {one for one in names if _stands_alone(one, pair)}
    return {one for one in names - own if one in pair.after.words and not pair.rules.has("article", one)}


def _hands_on(part: Part, pair: EventPair) -> bool:
    """ "Ian leads the scouts"; "Ian has handed the scouts over to Kelly": of the subject, and of nothing else."""
    known, others = pair.of_older(part.matter("handover").values())
    new = {stem(one, pair.rules.code) for one in pair.after.large - pair.before.words}
    begun = pair.older.begins and pair.newer.begins and part.own and not pair.rules.large_nouns
    return begun and bool(known) and bool(others) and others <= new


def _stands_alone(name: str, pair: EventPair) -> bool:
    """Whether no article and no preposition stands before a name: "ist Bernd Kolb", not "beim TV Horn"."""
    tokens = pair.before.tokens
    place = next((at for at, one in enumerate(tokens) if one.word == name), 0)
    while place > 0 and tokens[place - 1].large:
        place -= 1
    return place == 0 or not any(
        pair.rules.has(kind, tokens[place - 1].word) for kind in ("article", "value_end", "of")
    )


def _newcomer(pair: EventPair) -> bool:
    """Whether the newer one names somebody of whom the older one says nothing."""
    first = pair.after.tokens[0]
    opens = first.large and first.word not in pair.before.words and not pair.rules.has("article", first.word)
    return opens or bool(pair.after.large - pair.before.words)


def moved_over(pair: EventPair) -> bool:
    """ "banks with Norwell"; "moved her accounts from Norwell over to Castlebank"."""
    for part in pair.after.parts:
        places = [at for at, one in enumerate(part.tokens) if pair.rules.has("from", one.word) and at + 1 in part.large]
        switched = any(pair.rules.has("switch", one.word) or "raised" in part.events for one in part.tokens)
        for place in places:
            old = part.large[place + 1]
            to = [at for at in part.large if at > place + 1 and pair.rules.has("to", part.tokens[at - 1].word)]
            known, others = pair.of_older(topic for at, topic in part.topics.items() if at < place)
            moved = (
                switched
                and not part.negations
                and not part.temporary
                and bool(to)
                and part.large[to[0]] not in pair.before.words
            )
            if moved and old in pair.before.large and known and len(others) <= 1 and len(pair.before.large) == 1:
                return True
    return False


def successor(pair: EventPair) -> bool:
    """ "Dr Lamy has retired, Dr Besson treats us now"."""
    own = frozenset(pair.older.subject.split()) if pair.older.begins else frozenset[str]()
    names = _named(pair) | own
    before, after = _leading(pair.before, pair), _leading(pair.after, pair)
    held = any(pair.rules.has("is", one.word) for one in pair.before.tokens) or before
    gone = [
        one
        for one in pair.after.parts
        if "gone" in one.events
        and not (one.denies("gone") or one.temporary or _today(one, pair))
        and _leaves(one, pair)
    ]
    new = [
        one
        for one in pair.after.parts
        if (one.now or "appointed" in one.events)
        and "stand_in" not in one.events
        and set(one.large.values()) - pair.before.words
    ]
    left = [one for one in gone if {token.word for token in one.tokens} & names]
    if _named(pair) and held and new and any("appointed" in one.events for one in new) and before & after - {"lead"}:
        return True  # "voted in Fern as treasurer"
    led = bool(before) and (bool(before & after) or "lead" in before | after) if own and not _named(pair) else True
    return bool(held) and bool(left) and bool(new) and led


def _leaves(part: Part, pair: EventPair) -> bool:
    """Whether it is the work that somebody leaves: not "sold her car", "quit smoking", "is gone until Monday"."""
    names = {stem(one, pair.rules.code) for one in part.large.values()}
    _, others = pair.of_older(
        topic
        for place, topic in part.matter("gone", "lasting").items()
        if not (_of_office(part.tokens[place].word, pair) or pair.words.has("workplace", part.tokens[place].word))
    )
    return "stand_in" not in part.events and (pair.rules.large_nouns or not others - names)


def _today(part: Part, pair: EventPair) -> bool:
    """Whether it speaks of this day, or of a weekday: "left early today", "is gone until Monday"."""
    said = [word for one in part.times for word in one.split()]
    weekdays = pair.rules.dates.get("weekday", frozenset[str]())
    return any(pair.words.soon.get(word) == 0 or word in weekdays for word in said)


def separated(pair: EventPair) -> bool:
    """ "Sally and Ben are engaged"; "the engagement is over"."""
    couple = CONCEPT + "couple"
    if couple not in pair.before.topics:
        return False
    for part in pair.after.parts:
        if "split" not in part.events or part.denies("split") or pair.of_older(part.matter("split").values())[1]:
            continue  # "split up with the band"
        others = set() if pair.rules.large_nouns else pair.after.large - pair.before.words
        partner = pair.after.large & pair.before.large or couple in pair.after.topics
        if partner and not others:
            return True
    return False


def resigned(pair: EventPair) -> bool:
    """ "is treasurer of the club"; "handed back her treasurer's apron"."""
    roles = {pair.rules.roles[word]: word for word in pair.before.words if word in pair.rules.roles}
    said = {stem(word, pair.rules.code) for word in roles.values()}
    is_one = any(pair.rules.has("is", one.word) or pair.rules.has("auxiliary", one.word) for one in pair.before.tokens)
    for part in pair.after.parts:
        if "resigned" not in part.events or part.denies("resigned") or part.temporary or not is_one:
            continue
        matter = part.matter("resigned").values()
        known, others = pair.of_older(matter)
        role = any(pair.rules.roles.get(one.word) in roles for one in part.tokens) or (
            bool(known) and not roles and "office" in part.events
        )
        if role and known and not others and not names_another(part, pair):
            return True
        if known and not others and said & set(part.topics.values()):
            return True
    return False
