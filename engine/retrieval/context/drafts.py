"""Which pieces a context may have, in the order in which they take its tokens. Pure.

    asked relations → the user and the named entities → current facts → hits, the best first, each with the neighbours that help

No duplicates: an item, or the same words of one speaker, stand once; a fact or an observation and the turn that it was read
from take one place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import UUID, uuid5

from engine.domain.context import ContextItem, Piece
from engine.domain.search import Hit
from engine.retrieval.context.about import About, FactPlace

Section = Literal["profile", "facts", "passages"]
SAYS_MORE = 2.0
"""A turn with more than so many times the tokens of the facts that were read from it says more than they do, and takes their
place."""
SHORT = 6
"""A turn of at most so many words is read with the one before it."""
PARTS = 4
"""Pieces of a long turn that are looked for beside a hit."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A piece before it has its mark. `group`: the conversation or document, `place`: within it; `asked`: the question asks for
    just this."""

    piece: Piece
    section: Section
    group: UUID | None = None
    place: tuple[int, int, str] = (0, 0, "")
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """A conversation or a document: how it is called, how well its best hit answers."""

    heading: str
    score: float
    date: str


@dataclass(frozen=True, slots=True)
class Drafts:
    """The pieces in the order in which they take tokens, and the groups that they belong to."""

    pieces: tuple[Draft, ...]
    groups: Mapping[UUID, Group] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """What was gathered: hits, what is known, who the user is, the items behind all of it, and the lines of relations that the
    question asks for."""

    hits: Sequence[Hit]
    about: About
    of_user: Sequence[FactPlace]
    items: Mapping[UUID, ContextItem]
    asked: Sequence[Piece] = ()


def beside(hit: Hit) -> Iterator[UUID]:
    """The ids of the turns before and after a hit, where it is a turn: ids follow from the places."""
    if hit.kind == "turn":
        for position in (hit.position - 1, hit.position + 1):
            yield from (uuid5(hit.session, f"{position}:{part}") for part in range(PARTS) if position >= 0)


def drafted(found: Found, count_tokens: Callable[[str], int]) -> Drafts:
    """The pieces for what was found."""
    facts = {item.item_id: item for item in _facts(found)}
    passages = [hit for hit in found.hits if hit.kind != "fact"]
    taken, also = _one_place(passages, facts, found.items, count_tokens)
    profile = {one.fact_id for one in found.of_user}
    told = [_fact(item, found, also) for item in facts.values() if item.item_id not in taken]
    told, asked = _asked_first(told, found.asked)
    of_user = [replace(one, section="profile") for one in told if one.piece.item_id in profile]
    others = [one for one in told if one.piece.item_id not in profile]
    kept = [hit for hit in passages if hit.item_id not in taken]
    texts = "\n".join([one.piece.text for one in told] + [hit.content for hit in kept]).casefold()
    lines = [line for line in found.about.lines if _plain(line) not in texts]
    beside_hits = _with_neighbours(kept, found.items, {*taken, *(hit.item_id for hit in kept)})
    said = [_passage(hit, also) if isinstance(hit, Hit) else _neighbour(hit) for hit in beside_hits]
    pieces = _unlike([*asked, *of_user, *(Draft(line, "profile") for line in lines), *others, *said])
    return Drafts(tuple(pieces), _groups(kept, pieces))


def _asked_first(facts: Sequence[Draft], lines: Sequence[Piece]) -> tuple[list[Draft], list[Draft]]:
    """The facts, those that say what a line of a relation says first among them, and the lines that no fact says."""
    texts = {_plain(line): line for line in lines}
    said = {text for text in texts for fact in facts if text in _plain(fact.piece)}
    marked = [replace(fact, asked=any(text in _plain(fact.piece) for text in said)) for fact in facts]
    left = [Draft(line, "profile", asked=True) for text, line in texts.items() if text not in said]
    return sorted(marked, key=lambda fact: not fact.asked), left


def _plain(piece: Piece) -> str:
    return piece.text.rstrip(".").casefold()


def _facts(found: Found) -> Iterator[ContextItem]:
    """The user's own, then those that were found, then the others about the named entities; each with its text."""
    hits = [hit.item_id for hit in found.hits if hit.kind == "fact"]
    about = {one.fact_id for one in found.about.facts}
    found_about = [one for one in hits if one in about]
    order = [one.fact_id for one in found.of_user] + found_about + hits + [one.fact_id for one in found.about.facts]
    yield from (found.items[one] for one in dict.fromkeys(order) if one in found.items)


def _one_place(
    passages: Sequence[Hit],
    facts: Mapping[UUID, ContextItem],
    items: Mapping[UUID, ContextItem],
    count_tokens: Callable[[str], int],
) -> tuple[set[UUID], dict[UUID, list[UUID]]]:
    """The items whose place another one takes, and of that one whose it takes.

    The shorter wording stands, where it says most of the longer one: a fact in place of its turn, or the turn in place of its
    facts.
    """
    derived = [items[hit.item_id] for hit in passages if hit.kind == "observation" and hit.item_id in items]
    windows = [items[hit.item_id] for hit in passages if hit.kind == "summary" and hit.item_id in items]
    read_from: dict[tuple[UUID, int], list[ContextItem]] = defaultdict(list)
    for one in [*facts.values(), *derived, *windows]:
        for position in range(one.position, min(one.last_position, one.position + 1000) + 1):
            read_from[one.session, position].append(one)
    taken: set[UUID] = set()
    also: dict[UUID, list[UUID]] = defaultdict(list)
    for hit in (hit for hit in passages if hit.kind in ("turn", "chunk")):
        stated = [one for one in read_from[uuid5(hit.session, "derived"), hit.position] if one.item_id not in taken]
        first = [one for one in stated if one.kind != "summary" and one.position == hit.position]
        if first and count_tokens(hit.content) <= SAYS_MORE * sum(count_tokens(one.content) for one in first):
            taken.add(hit.item_id)
            also[first[0].item_id].append(hit.item_id)
        else:
            taken |= {one.item_id for one in stated}
            also[hit.item_id] += [one.item_id for one in stated]
    return taken, also


def _with_neighbours(
    hits: Sequence[Hit], items: Mapping[UUID, ContextItem], there: set[UUID]
) -> Iterator[Hit | ContextItem]:
    """Each hit, then what stands beside it and helps: the answer to a question, the question of an answer, what a short turn
    replies to. What two hits share stands once."""
    for hit in hits:
        yield hit
        own = items.get(hit.item_id)
        if own is None or hit.kind != "turn":
            continue
        wanted = [hit.position + 1] if own.is_question else []
        wanted += [hit.position - 1] if own.follows_question or own.word_count <= SHORT else []
        for one in (items[place] for place in beside(hit) if place in items and place not in there):
            if one.position in wanted:
                there.add(one.item_id)
                yield one


def _fact(item: ContextItem, found: Found, also: Mapping[UUID, Sequence[UUID]]) -> Draft:
    scores = {hit.item_id: hit.score for hit in found.hits}
    ended = item.item_id in found.about.ended
    piece = _piece(item, also.get(item.item_id, ()))
    return Draft(
        replace(
            piece,
            score=scores.get(item.item_id, 0.0),
            section="",
            valid_from=item.valid_from,
            valid_to=item.valid_to if ended else None,
        ),
        "facts",
    )


def _piece(item: ContextItem, also: Sequence[UUID] = ()) -> Piece:
    return Piece(
        0, item.kind, item.content, item.record_id, item.node_id, item.item_id, item.title, item.section, item.speaker,
        item.occurred_at, also=tuple(also),
    )  # fmt: skip


def _neighbour(item: ContextItem) -> Draft:
    return Draft(replace(_piece(item), neighbour=True), "passages", item.session, (item.position, 0, str(item.item_id)))


def _passage(hit: Hit, also: Mapping[UUID, Sequence[UUID]]) -> Draft:
    derived = hit.kind in ("observation", "summary")
    piece = Piece(
        0, hit.kind, hit.content, hit.record_id, hit.node_id, hit.item_id, hit.record_title, "" if derived else hit.section,
        hit.speaker, hit.occurred_at, also=tuple(also.get(hit.item_id, ())), score=hit.score,
    )  # fmt: skip
    return Draft(piece, "passages", hit.session, (hit.position, int(derived), str(hit.item_id)))


def _unlike(drafts: Iterable[Draft]) -> list[Draft]:
    """Without those that say what an earlier one says in the same words; a few words mean what stands beside them."""
    kept: dict[object, Draft] = {}
    for one in drafts:
        said = one.piece.text.casefold().split()
        kept.setdefault(" ".join(said) if len(said) > SHORT // 2 else one.piece.item_id or id(one), one)
    return list(kept.values())


def _groups(hits: Sequence[Hit], pieces: Sequence[Draft]) -> dict[UUID, Group]:
    dates: dict[UUID, list[str]] = defaultdict(list)
    for one in pieces:
        if one.group is not None and one.piece.occurred_at is not None:
            dates[one.group].append(f"{one.piece.occurred_at:%Y-%m-%d}")
    groups: dict[UUID, Group] = {}
    for hit in sorted(hits, key=lambda hit: -hit.score):
        date = min(dates[hit.session], default="")
        what = "Conversation" if hit.content_type == "conversation" else "Document"
        place = " > ".join(hit.path[1:]) or "/"
        heading = ", ".join(part for part in (f"{what} “{_short(hit.record_title)}”", date, f"at {place}") if part)
        groups.setdefault(hit.session, Group(f"{heading}:", hit.score, date))
    return groups


def _short(title: str, most: int = 80) -> str:
    plain = " ".join(title.split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"
