"""Whether a name is one by which people call an entity near it: first name, short form, letters, another spelling. Pure."""

from __future__ import annotations

from engine.domain.entity import UNKNOWN_KIND
from engine.entities.resolution.compared import NamedThing
from engine.entities.resolution.kin import kin_of
from engine.entities.resolution.likeness import decide_names
from engine.entities.resolution.name_likeness import full_forms, name_likeness
from engine.entities.resolution.name_parts import is_of_another, parts_of
from engine.entities.resolution.pool import PooledEntity
from engine.naming.words import GIVEN_NAMES

PERSON = "person"


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
