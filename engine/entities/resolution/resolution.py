"""Which entity each new name belongs to: a known one, one of the same batch, or a new one. Pure and deterministic.

Merges are careful: what may be the same stays apart and is handed over for review. What becomes of a name that may be of a known
entity when something else decides:

same        the name is the entity's
different   both stay apart, and are no pair
unsure      both stay apart, and the user is asked
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from engine.domain.entity import UNKNOWN_KIND, NameForm
from engine.domain.names import name_key
from engine.entities.resolution.kin import kin_of
from engine.entities.resolution.likeness import by_names, decide, decide_names
from engine.entities.resolution.name_likeness import NameDecision, NamedThing, full_forms, name_likeness
from engine.entities.resolution.name_parts import is_of_another, parts_of
from engine.entities.resolution.namesakes import NO_CLUES, Clues, Excerpt, clues_in, why_apart
from engine.entities.resolution.pool import Pool, PooledEntity
from engine.naming.words import GIVEN_NAMES

PERSON = "person"
SameEntity = Literal["same", "different", "unsure"]
MOST_DOUBTS = 20
"""Pairs of one batch that something else decides; rules saw most in them."""


def readily(thing: NamedThing, entity: PooledEntity, full: dict[str, set[str]], *, here: bool) -> bool:
    """Whether a name joins an entity near it without more evidence: its first name, short form, letters or other spelling.

    `here`: the same record mentions it. Only there a word of a longer name is enough where nothing tells that it is a person.
    """
    if decide_names(thing, NamedThing(entity.name, entity.kind)) or kin_of(thing.name) or kin_of(entity.name):
        return False
    mine, its = parts_of(thing.name), parts_of(entity.name)
    if not mine.words or not its.words or mine.common or its.common or mine.capital != its.capital:
        return False
    like = name_likeness(thing.name, entity.name)
    if like.relation in ("acronym", "place"):
        return True
    if like.relation in ("equal", "variant"):
        return "spelling" not in like.reason or like.words > 1
    if like.relation != "extends" or like.score < 0.6 or (not here and PERSON not in (thing.kind, entity.kind)):
        return False
    if PERSON not in (thing.kind, entity.kind) and not _like_a_person(thing, entity):
        return False
    if is_of_another(thing.name, entity.name):
        return False
    if len(mine.words) > 1 and len(its.words) > 1:
        return mine.words[-1] == its.words[-1]
    one, other = mine.words[0], its.words[0]
    if "short form" in like.reason and one not in full_forms(other) and other not in full_forms(one):
        return False  # Jack and Jon are only both short for John
    long = mine if len(mine.words) > 1 else its
    bare = its if long is mine else mine
    return long is its or len(full.get(bare.words[0], set()) | full.get(long.words[0], set())) < 2


def _like_a_person(thing: NamedThing, entity: PooledEntity) -> bool:
    """Two names of unknown kind: one word, and two or three words that look like first and family names."""
    if (thing.kind, entity.kind) != (UNKNOWN_KIND, UNKNOWN_KIND):
        return False
    long, bare = sorted((thing.name.split(), entity.name.split()), key=len, reverse=True)
    return (
        len(bare) == 1
        and 2 <= len(long) <= 3
        and (bare[0] == long[-1] or (bare[0] == long[0] and bare[0].casefold() in GIVEN_NAMES))
        and all(word[:1].isupper() for word in long)
    )


MOST_WEIGHED = 8
"""Candidates of one name whose texts are compared with its own: the likest by name."""
_WORTH_A_LOOK = 0.35


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name as one record uses it. `speaker`: who spoke, for `my sister`; `contact`: the normal form of an address beside it,
    or of what is no name but an address; `clues`: what texts tell beside it; `others`: of others of that name in the record."""

    name: str
    record: str
    kind: str = UNKNOWN_KIND
    form: NameForm = "name"
    texts: tuple[str, ...] = ()
    speaker: str = ""
    contact: str = ""
    clues: Clues = NO_CLUES
    others: Clues = NO_CLUES


@dataclass(frozen=True, slots=True)
class KnownCandidate:
    """An entity that exists. `near`: the same conversation or graph mentions it; `records`: those of this batch that do;
    `corrected`: the user said what it is called or is, so texts that say otherwise may still name it; `verified`: normal forms
    of names and addresses that are its own, as the user said; `said`: some words around its name in each of some records."""

    key: str
    name: str
    kind: str = UNKNOWN_KIND
    aliases: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    near: bool = True
    records: frozenset[str] = frozenset()
    corrected: bool = False
    verified: frozenset[str] = frozenset()
    said: tuple[Excerpt, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewPair:
    """Another entity that may be the same."""

    candidate: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """Where a name belongs. `name` and `kind` are the entity's after the whole batch; `new`: it did not exist before."""

    key: str
    name: str
    kind: str
    new: bool
    reason: str
    reviews: tuple[ReviewPair, ...] = ()


def effective_name(found: FoundName) -> str:
    """`My sister`, said by Ana, is `Ana's sister`, and `Mom` is `Ana's mom`: the same words of two speakers name two people."""
    kin = kin_of(found.name) if found.speaker else None
    if kin is None:
        return found.name
    if kin.owner == "my":
        _, _, rest = found.name.partition(" ")
        return f"{found.speaker}'s {rest}" if rest else found.name
    return f"{found.speaker}'s {found.name.lower()}" if found.form == "kinship" and not kin.owner else found.name


def resolve(
    names: Iterable[FoundName], known: Sequence[KnownCandidate], batch: str = ""
) -> dict[FoundName, Resolution]:
    """An answer for every name. The order of the names and of the known entities makes no difference.

    `batch`: the texts of what will be stored. A second entity of one name has their hash in its key, so two batches, which may
    not see each other's entities, never make one of two; and the same texts have the same keys in every memory.
    """
    pool = Pool(batch)
    for one in sorted(known, key=lambda entity: entity.key):
        aliases = {one.name, *one.aliases}
        records, corrected = set(one.records), one.corrected
        clues = clues_in(aliases, one.said) if one.kind in (PERSON, UNKNOWN_KIND) else NO_CLUES
        known_as = (one.key, one.name, one.kind, aliases, one.texts, one.near, records, False, corrected)
        pool.add(PooledEntity(*known_as, clues))
        pool.verified.update(dict.fromkeys(one.verified, one.key))
    ordered = sorted(set(names), key=_rank)
    full = _extenders(ordered)
    chosen: dict[FoundName, tuple[PooledEntity, str, tuple[ReviewPair, ...]]] = {}
    for found in ordered:
        name = effective_name(found)
        entity, reason, reviews = _place(found, name, pool, full)
        if entity is None:
            entity = _new(found, name, pool)
        _join(entity, found, name, pool)
        chosen[found] = entity, reason, tuple(one for one in reviews if one.candidate != entity.key)
    return {
        found: Resolution(entity.key, entity.name, entity.kind, entity.new, reason, reviews)
        for found, (entity, reason, reviews) in chosen.items()
    }


def _rank(found: FoundName) -> tuple[object, ...]:
    """Speakers first, then full names, then known kinds: what tells most makes the entity that others join."""
    words = len(parts_of(found.name).words)
    return (
        found.form != "speaker",
        found.form == "kinship",
        -words,
        not found.clues,
        -len(found.clues.ties),  # who is my brother and my boss, before my brother and my boss
        found.kind == UNKNOWN_KIND,
        name_key(found.name),
        found.name,
        found.kind,
        found.record,
        found.form,
        found.speaker,
        found.texts,
        found.clues.order,
    )


def _extenders(names: Sequence[FoundName]) -> dict[str, set[str]]:
    """Full names of the batch by their first word: a bare name that two of them extend belongs to neither by itself."""
    found: dict[str, set[str]] = {}
    for one in names:
        words = parts_of(one.name).words
        if len(words) > 1 and one.kind in (PERSON, UNKNOWN_KIND):
            found.setdefault(words[0], set()).add(name_key(one.name))
    return found


def _place(
    found: FoundName, name: str, pool: Pool, full: dict[str, set[str]]
) -> tuple[PooledEntity | None, str, tuple[ReviewPair, ...]]:
    thing = NamedThing(name, found.kind, (), found.texts, found.speaker)
    if owner := pool.owner(name):
        return owner, "the user says that it is called so", ()
    if (owner := pool.owner(found.contact)) and by_names(thing, owner.thing()).verdict != "apart":
        return owner, "it stands with an address of it", ()
    exact = [
        one for one in pool.exact(name) if one.corrected or decide_names(thing, NamedThing(one.name, one.kind)) is None
    ]
    if found.form == "speaker":
        own = [one for one in exact if name_key(one.name) == name_key(name)] or exact
        return _nearest(own, found.record), "the speaker of that name", ()
    others = [one for one in pool.candidates(name, found.record) if one not in exact]
    alike = [one for one in others if readily(thing, one, full, here=found.record in one.records)]
    apart = {one.key: why for one in (*exact, *alike) if (why := _why_apart(found, name, one))}
    entity, reason, reviews = _joining(
        found, name, pool, *([one for one in listed if one.key not in apart] for listed in (exact, alike, others))
    )
    doubts = tuple(ReviewPair(key, 0.5, why) for key, why in sorted(apart.items())) if entity is None else ()
    return entity, next(iter(apart.values())) if doubts else reason, (*reviews, *doubts)


def _why_apart(found: FoundName, name: str, entity: PooledEntity) -> str:
    if entity.corrected:
        return ""
    return why_apart(name, {entity.name, *entity.aliases}, found.clues, entity.clues, found.others)


def _joining(
    found: FoundName,
    name: str,
    pool: Pool,
    exact: Sequence[PooledEntity],
    alike: Sequence[PooledEntity],
    others: Sequence[PooledEntity],
) -> tuple[PooledEntity | None, str, tuple[ReviewPair, ...]]:
    """The entity that a name joins. `exact`: those that are known by it; `alike`: those whose names it may be short for."""
    thing = NamedThing(name, found.kind, (), found.texts, found.speaker)
    here = [one for one in (*exact, *alike) if found.record in one.records]
    people = [one for one in here if one.kind == PERSON]
    whole = [one for one in exact if one in here and " " in name]
    here = whole if len(whole) == 1 else people if len(people) == 1 else here
    if len(here) == 1:
        return here[0], "the only one of that name in the record", ()
    others_so_called = [one for one in alike if one.near and one.kind == PERSON]
    if len(exact) == 1 and not (
        exact[0].clues.ties and not found.clues.ties and others_so_called
    ):  # else it may be another's first name
        return exact[0], "it is known by that name", ()
    own = [one for one in exact if name_key(one.name) == name_key(name)]
    if any(one.clues for one in exact):  # people who differ by these clues alone
        fitting = [one for one in exact if found.clues.fits(one.clues)]
        own = fitting or [one for one in own if not one.clues]
        own = own if len(own) == 1 else []
    if own:
        return _nearest(own, found.record), "it is known by that name", ()
    near = [one for one in (*exact, *alike) if one.near]
    if len(near) == 1 and len(here) == 0:
        return near[0], "the only one near that the name can mean", ()
    if len(exact) + len(near) > 1:
        reviews = (
            ReviewPair(one.key, 0.5, "several can be meant")
            for one in {one.key: one for one in (*exact, *near)}.values()
        )
        return None, "several can be meant", tuple(sorted(reviews, key=lambda one: one.candidate))
    return _decided(thing, others, pool)


def _decided(
    thing: NamedThing, others: Sequence[PooledEntity], pool: Pool
) -> tuple[PooledEntity | None, str, tuple[ReviewPair, ...]]:
    """By the texts of those with the likest names. The others stay apart, as pairs for the user."""
    seen = [(said, one) for one in others if (said := by_names(thing, one.thing())).verdict != "apart"]
    seen.sort(key=lambda pair: -pair[0].score)
    weighed = pool.take(min(len(seen), MOST_WEIGHED))
    decisions: list[tuple[NameDecision, PooledEntity]] = [
        (decide(thing, one.thing()), one) for _, one in seen[:weighed]
    ]
    decisions += seen[weighed:]
    same = sorted(
        (pair for pair in decisions if pair[0].verdict == "same"), key=lambda pair: (-pair[0].score, pair[1].key)
    )
    if same and (len(same) == 1 or same[0][0].score > same[1][0].score):
        return same[0][1], same[0][0].reason, ()
    doubtful = [*same, *(pair for pair in decisions if pair[0].verdict == "review" and pair[0].score >= _WORTH_A_LOOK)]
    reviews = sorted(
        (ReviewPair(one.key, round(said.score, 3), said.reason) for said, one in doubtful),
        key=lambda r: (-r.score, r.candidate),
    )
    return None, "no known entity has that name", tuple(reviews[:5])


def _nearest(entities: Sequence[PooledEntity], record: str) -> PooledEntity | None:
    return min(entities, key=lambda one: (record not in one.records, not one.near, one.key), default=None)


def _new(found: FoundName, name: str, pool: Pool) -> PooledEntity:
    entity = PooledEntity(
        pool.free_key(found.kind, name), name, found.kind, {name}, (), near=True, records=set(), new=True
    )
    pool.add(entity)
    return entity


def _join(entity: PooledEntity, found: FoundName, name: str, pool: Pool) -> None:
    entity.records.add(found.record)
    entity.texts = tuple(dict.fromkeys((*entity.texts, *found.texts)))[:8]
    entity.clues |= found.clues
    if entity.kind == UNKNOWN_KIND and not entity.corrected:
        entity.kind = found.kind
    if found.form == "contact":
        return
    if name not in entity.aliases:
        entity.aliases.add(name)
        pool.index(entity.key, name)
    mine, its = parts_of(name).words, parts_of(entity.name).words
    if (
        entity.kind == PERSON
        and not entity.corrected
        and found.form == "name"
        and 1 == len(its) < len(mine)
        and not parts_of(entity.name).titles
    ):
        entity.name = name


@dataclass(frozen=True, slots=True)
class NameDoubt:
    """A name of a new entity, and another entity that it may be of: by its key, name, kind, and texts of this batch."""

    found: FoundName
    kind: str
    candidate: str
    name: str
    candidate_kind: str
    texts: tuple[str, ...]
    known: bool


class NameJudge(Protocol):
    """Decides what rules leave open."""

    async def verdicts(self, doubts: Sequence[NameDoubt]) -> Sequence[SameEntity]:
        """A verdict on each. Raises StoreUnavailable."""


def doubts_of(resolved: Mapping[FoundName, Resolution], known: Sequence[KnownCandidate]) -> list[NameDoubt]:
    """The pairs that rules would leave to the user, the likeliest first."""
    there = {one.key: (one.name, one.kind, ()) for one in known}
    made = {
        one.key: (one.name, one.kind, found.texts)
        for found, one in sorted(resolved.items(), key=lambda item: (item[0].name, item[0].record))
        if one.new
    }
    pairs = [
        (review.score, found, one.kind, review.candidate)
        for found, one in resolved.items()
        if one.new
        for review in one.reviews
        if review.candidate in there or review.candidate in made
    ]
    pairs.sort(key=lambda pair: (-pair[0], name_key(pair[1].name), pair[1].record, pair[3]))
    return [
        NameDoubt(found, kind, candidate, *(there.get(candidate) or made[candidate]), known=candidate in there)
        for _, found, kind, candidate in pairs[:MOST_DOUBTS]
    ]


def joined(
    resolved: Mapping[FoundName, Resolution], doubts: Sequence[NameDoubt], verdicts: Sequence[SameEntity]
) -> dict[FoundName, Resolution]:
    """The entities of all names, with these verdicts. Of a name that is said to be of several, none is believed."""
    same: dict[str, set[str]] = {}
    apart: set[tuple[str, str]] = set()
    names: dict[str, tuple[str, str, bool]] = {one.key: (one.name, one.kind, one.new) for one in resolved.values()}
    for doubt, verdict in zip(doubts, verdicts, strict=False):
        key = resolved[doubt.found].key
        names.setdefault(doubt.candidate, (doubt.name, doubt.candidate_kind, False))
        if verdict == "same":
            same.setdefault(key, set()).add(doubt.candidate)
        elif verdict == "different":
            apart.add((key, doubt.candidate))
    into = {key: next(iter(of)) for key, of in same.items() if len(of) == 1}
    return {found: _with_decided(one, into, apart, names) for found, one in resolved.items()}


def _with_decided(
    one: Resolution,
    into: Mapping[str, str],
    apart: set[tuple[str, str]],
    names: Mapping[str, tuple[str, str, bool]],
) -> Resolution:
    key = _end(one.key, into)
    if key != one.key:
        name, kind, new = names[key]
        return Resolution(key, name, kind if kind not in ("", "thing") else one.kind, new, "a model says so")
    reviews = {
        end: replace(review, candidate=end)
        for review in one.reviews
        if (one.key, review.candidate) not in apart and (end := _end(review.candidate, into)) != key
    }
    return replace(one, reviews=tuple(reviews.values()))


def _end(key: str, into: Mapping[str, str]) -> str:
    """The entity that a key is joined to in the end."""
    seen = {key}
    while (following := into.get(key)) and following not in seen:
        key = following
        seen.add(key)
    return key
