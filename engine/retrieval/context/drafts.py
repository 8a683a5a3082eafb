"""Which pieces a context may have, of what was gathered for it, in the order in which they take its tokens. Pure.

    asked relations → the user and the named entities → current facts → hits, the best first, each with the neighbours that help
    → what is known and has nothing of the question; before the hits where nothing known has ("my job", of who works at a studio)

No duplicates: an item, or the same words of one speaker, stand once; a fact or an observation and the turn that it was read
from take one place. Ids of turns follow from places, so what stands beside a hit is found without another read, and the parts of
a long turn are put in order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import UUID, uuid5

from engine.domain.context import ContextItem, Piece
from engine.domain.fact import DoubtMark
from engine.domain.search import Hit
from engine.domain.terms import words
from engine.domain.utterance import spoken_at
from engine.facts.about import DoubtShown, marks_of, newer_first
from engine.language.questions import Period
from engine.retrieval.context.about import About, FactPlace

OF_USER = 8
"""Facts that say who the user is."""
PARTS = 4
"""Parts of a long turn that are looked for."""
Section = Literal["profile", "facts", "passages"]
SAYS_MORE = 2.0
"""A turn with more than so many times the tokens of the facts that were read from it says more than they do, and takes their
place."""
SHORT = 6
"""A turn of at most so many words is read with the one before it."""


@dataclass(frozen=True, slots=True)
class Found:
    """What was gathered: hits, what is known, who the user is, the items behind all of it, and the lines of relations that the
    question asks for."""

    hits: Sequence[Hit]
    about: About
    of_user: Sequence[FactPlace]
    items: Mapping[UUID, ContextItem]
    asked: Sequence[Piece] = ()
    doubts: Sequence[DoubtShown] = ()
    words: frozenset[str] = frozenset()
    """Those of the question."""
    state_in: Period | None = None
    """The period for which it asks what held in it."""


def facts_in_order(found: Found) -> Iterator[ContextItem]:
    """The user's own, then those that were found, then the others about the named entities; each with its text. What shares words
    with the question, or was found by it, comes before what was said more often."""
    hits = [hit.item_id for hit in found.hits if hit.kind == "fact"]
    about = [one.fact_id for one in found.about.facts]
    found_about = [one for one in hits if one in {*about}]
    others = _best_first(found, dict.fromkeys([*found_about, *hits, *about]))
    order = [*lines_of_user(found), *sorted(others, key=lambda one: _stands_behind(found, one))]
    known = [found.items[one] for one in dict.fromkeys(order) if one in found.items]
    doubts = found.doubts if found.state_in is None else ()  # else what held in the period comes before what is newer
    yield from newer_first(known, doubts, lambda item: item.item_id)


def lines_of_user(found: Found) -> list[UUID]:
    """The lines that say who the user is: no plan whose day has passed."""
    best = _best_first(found, (one.fact_id for one in found.of_user))
    return [one for one in best if one not in found.items or not found.items[one].passed][:OF_USER]


def _best_first(found: Found, facts: Iterable[UUID]) -> list[UUID]:
    """Facts that held in the period that is asked for first, then those that share most words with the question, then the best
    hit and the other hits: among lower ones the given order says more, what changes before what was said often."""
    hits = {hit.item_id for hit in found.hits}
    best = {hit.item_id for hit in found.hits[:1]}

    def place(fact_id: UUID) -> tuple[bool, int, bool, bool]:
        item = found.items.get(fact_id)
        held, shared = (False, 0) if item is None else (_held_in(item, found.state_in), _shared(item, found))
        return not held, -shared, fact_id not in best, fact_id not in hits

    return sorted(facts, key=place)


def _shared(item: ContextItem, found: Found) -> int:
    """How many words of the question a fact has."""
    return len(found.words.intersection(words(item.content)))


def _stands_behind(found: Found, fact_id: UUID) -> bool:
    """Whether a fact did not hold in the period that is asked for; where none is, whether it is a plan whose day has passed."""
    item = found.items.get(fact_id)
    if found.state_in is None:
        return item is not None and item.passed is not None
    return not _held_in(item, found.state_in)


def _held_in(item: ContextItem | None, period: Period | None) -> bool:
    """Whether a fact held in the period that is asked for; all do where none is."""
    if item is None or period is None:
        return True
    began = item.valid_from or item.occurred_at
    return (began is None or began < period[1]) and (item.valid_to is None or item.valid_to > period[0])


def is_asked_about(piece: Piece, found: Found) -> bool:
    """Whether the question speaks of what a line says: it is the best hit, stands for a turn that was found, or has a word of the
    question."""
    best = {hit.item_id for hit in found.hits[:1]}
    return piece.item_id in best or bool(piece.also) or not found.words.isdisjoint(words(piece.text))


def beside(hit: Hit) -> Iterator[UUID]:
    """The ids of the turns before and after a hit, where it is a turn: ids follow from the places."""
    if hit.kind == "turn":
        for position in (hit.position - 1, hit.position + 1):
            yield from _parts(hit.session, position) if position >= 0 else ()


def _parts(session: UUID, position: int) -> list[UUID]:
    return [uuid5(session, f"{position}:{part}") for part in range(PARTS)]


def place_of(one: Hit | ContextItem) -> tuple[int, int, int]:
    """Where it stands in its conversation or document: parts of a long turn in order, a derived text behind its turn."""
    if one.kind != "turn":
        return one.position, int(one.kind in ("observation", "summary")), 0
    parts = _parts(one.session, one.position)
    return one.position, 0, parts.index(one.item_id) if one.item_id in parts else PARTS


@dataclass(frozen=True, slots=True)
class Draft:
    """A piece before it has its mark. `group`: the conversation or document, `place`: within it; `asked`: the question asks for
    just this; `found`: a line of what is known that is the best hit, stands for a turn that was found, or shares words with
    the question. Of lower hits it says little: where little is stored, every fact of the user is one (a birthday, for "Where do I
    live?")."""

    piece: Piece
    section: Section
    group: UUID | None = None
    place: tuple[int, int, int] = (0, 0, 0)
    asked: bool = False
    found: bool = False


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


def drafted(found: Found, count_tokens: Callable[[str], int]) -> Drafts:
    """The pieces for what was found."""
    facts = {item.item_id: item for item in facts_in_order(found)}
    passages = [hit for hit in found.hits if hit.kind != "fact"]
    taken, also = _one_place(passages, facts, found.items, count_tokens)
    profile = set(lines_of_user(found))
    marks = marks_of(found.doubts)
    told = [_fact(item, found, also, marks.get(item.item_id)) for item in facts.values() if item.item_id not in taken]
    told = [replace(one, found=is_asked_about(one.piece, found)) for one in told]
    told, asked = _asked_first(told, found.asked)
    of_user = [replace(one, section="profile") for one in told if one.piece.item_id in profile]
    facts_of_others = [one for one in told if one.piece.item_id not in profile]
    kept = [hit for hit in passages if hit.item_id not in taken]
    texts = "\n".join([one.piece.text for one in told] + [hit.content for hit in kept]).casefold()
    lines = [Draft(line, "profile") for line in found.about.lines if _plain(line) not in texts]
    known = [*of_user, *(replace(line, found=is_asked_about(line.piece, found)) for line in lines), *facts_of_others]
    beside_hits = _with_neighbours(kept, found.items, {*taken, *(hit.item_id for hit in kept)})
    said = [_passage(hit, found.items, also) if isinstance(hit, Hit) else _neighbour(hit) for hit in beside_hits]
    first = [one for one in known if one.asked or one.found]
    others = [one for one in known if one not in first]
    pieces = _unlike([*asked, *first, *said, *others] if asked or first else [*others, *said])
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


def _fact(
    item: ContextItem, found: Found, also: Mapping[UUID, Sequence[UUID]], doubt: DoubtMark | None = None
) -> Draft:
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
            doubt=doubt,
            passed=item.passed,
        ),
        "facts",
    )


def _piece(item: ContextItem, also: Sequence[UUID] = ()) -> Piece:
    return Piece(
        0, item.kind, item.content, item.record_id, item.node_id, item.item_id, item.title, item.section, item.speaker,
        spoken_at(item.occurred_at, item.dates), also=tuple(also),
    )  # fmt: skip


def _neighbour(item: ContextItem) -> Draft:
    return Draft(replace(_piece(item), neighbour=True), "passages", item.session, place_of(item))


def _passage(hit: Hit, items: Mapping[UUID, ContextItem], also: Mapping[UUID, Sequence[UUID]]) -> Draft:
    derived = hit.kind in ("observation", "summary")
    own = items.get(hit.item_id)
    said_at = spoken_at(hit.occurred_at, own.dates if own else ())  # "yesterday" is read by the day beside it
    piece = Piece(
        0, hit.kind, hit.content, hit.record_id, hit.node_id, hit.item_id, hit.record_title, "" if derived else hit.section,
        hit.speaker, said_at, also=tuple(also.get(hit.item_id, ())), score=hit.score,
    )  # fmt: skip
    return Draft(piece, "passages", hit.session, place_of(hit))


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
