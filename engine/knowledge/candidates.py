"""Entities of the graph that names may belong to: the query that finds them by their words, and the form in which names are
compared with them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from engine.entities.resolution.keys import canonical_key
from engine.entities.resolution.resolution import KnownCandidate
from engine.knowledge.item_entities import KnownEntity

NAMED_PERSON = "person"
MOST_WORDS = 800
"""Words of a full-text query; the server takes 1,024 clauses."""


def candidates(known: Sequence[KnownEntity]) -> list[KnownCandidate]:
    """The entities of the graph as names are compared with them. The user is one of them from the first record on, under the
    full name of the memory and the first word of it."""
    entities = {one.key: one for one in known if one.key is not None}
    found = [
        KnownCandidate(
            key, one.name, one.kind, one.names, corrected=one.corrected, verified=frozenset(one.verified), said=one.said
        )
        for key, one in entities.items()
    ]
    for user in (one for one in known if one.key is None):
        key = canonical_key(NAMED_PERSON, user.name)
        if key not in entities:
            found.append(KnownCandidate(key, user.name, NAMED_PERSON, (user.name.split()[0],)))
    return found


def lucene_query(keys: Sequence[str], user_key: str) -> str:
    """A full-text query for aliases in one user's graph that share a word with one of the names.

    The words are letters and digits in quotes, and so cannot be operators. Without words it finds nothing.
    """
    words = {word for key in keys for word in "".join(c if c.isalnum() else " " for c in key).split()}
    choices = " ".join(f'key:"{word}"' for word in sorted(words)[:MOST_WORDS] or (user_key,))
    return f"+user_key:{user_key} +({choices})"
