"""How well relations are drawn from texts, with names as the engine finds them and as the reader marked them.

A draft counts where both its mentions touch mentions of the labels. "within reach" are relations whose both entities have a name,
or are the speaker, in a text that the reader gave as evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.domain.entity import Mention, TextPiece
from engine.domain.relation import RelationDraft
from engine.lab.evaluation.entity_names import SAME_KIND, found_in
from engine.lab.evaluation.figures import Figure, Figures, scores
from engine.lab.evaluation.labels import DATE, NAMES, Labels
from engine.naming.configuration import load_domain
from engine.relations.rules import Relating

SYMMETRIC = frozenset(
    """
    MARRIED_TO SIBLING_OF HALF_SIBLING_OF FRIEND_OF PARTNER_OF ENGAGED_TO BORDERS LOCATED_NEAR WORKED_WITH
    COLLABORATED_WITH ENEMY_OF PLAYED_AGAINST ASSOCIATED_WITH
    """.split()
)
"""Types of the labels whose direction says nothing."""
SAME_TYPE: Mapping[str, str] = {
    "ACTED_IN": "PERFORMED_IN",
    "WROTE": "CREATED",
    "PLAYED_FOR": "PLAYS_FOR",
    "LIVED_IN": "LIVES_IN",
    "RULER_OF": "LEADER_OF",
    "PRESIDENT_OF": "LEADER_OF",
    "FORMER_LEADER_OF": "LEADER_OF",
    "PATIENT_OF": "TREATED_BY",
    "RELEASED": "PUBLISHED",
    "DISTRIBUTED": "PUBLISHED",
}
"""Types that the labels and the shipped domain name differently."""
Relation = tuple[str, str, str]
Read = Mapping[str, Sequence[Mention]]


def measured_relations(labels: Labels) -> list[Figures]:
    """The tables of relations: with types, and without."""
    drawn = {
        "turns": (labels.turns, found_in(labels.turns)),
        "turns, marked names": (labels.turns, _marked(labels, labels.turns)),
        "passages": (labels.passages, found_in(labels.passages)),
        "passages, marked names": (labels.passages, _marked(labels, labels.passages)),
    }
    return relation_figures(labels, drawn)


def relation_figures(
    labels: Labels,
    drawn: Mapping[str, tuple[Mapping[str, TextPiece], Read]],
    more: Mapping[str, Sequence[Relation | None]] = {},
    beside: str = "",
) -> list[Figures]:
    """The tables of relations drawn by rules between these mentions. `more`: others, by row;
    None for one that touches no label."""
    columns = ("relations", "drawn", "unknown", "P", "R", "F1", "within reach", "R within reach")
    typed: dict[str, tuple[Figure, ...]] = {}
    untyped: dict[str, tuple[Figure, ...]] = {}
    for name, (pieces, read) in drawn.items():
        found, unknown = drawn_between(labels, pieces, read)
        found |= {one for one in more.get(name, ()) if one is not None}
        unknown += sum(one is None for one in more.get(name, ()))
        wanted, near = _wanted(labels, pieces)
        typed[name] = _row(wanted, near, found, unknown)
        untyped[name] = _row(_pairs(wanted), _pairs(near), _pairs(found), unknown)
    return [
        Figures(f"relations{beside}", columns, typed),
        Figures(f"relations without type{beside}", columns, untyped),
    ]


def drawn_between(labels: Labels, pieces: Mapping[str, TextPiece], read: Read) -> tuple[set[Relation], int]:
    """The relations drawn between entities of the labels, and how many drafts touch none."""
    sources = list(pieces)
    drafts = Relating(load_domain()).drafts(list(pieces.values()), [read[source] for source in sources])
    found: set[Relation] = set()
    unknown = 0
    for draft in drafts:
        relation = _relation(labels, sources[draft.piece], draft)
        if relation is None:
            unknown += 1
        else:
            found.add(relation)
    return found, unknown


def _relation(labels: Labels, source: str, draft: RelationDraft) -> Relation | None:
    ends = [entity_at(labels, source, mention) for mention in (draft.source, draft.target)]
    return folded(ends[0], draft.type, ends[1]) if ends[0] and ends[1] else None


def entity_at(labels: Labels, source: str, mention: Mention) -> str:
    """The entity of the labels that a mention touches; empty where it touches none."""
    if mention.form == "speaker":
        return _speaker(labels, mention.name)
    touching = (
        (one.form in NAMES, min(mention.end, one.end) - max(mention.start, one.start), one.entity)
        for one in labels.mentions
        if one.source == source and one.start < mention.end and mention.start < one.end
    )
    return max(touching, default=(False, 0, ""))[2]


def _speaker(labels: Labels, name: str) -> str:
    return next((key for key, known in labels.names.items() if known.casefold() == name.casefold()), "")


def folded(source: str, type_: str, target: str) -> Relation:
    """A relation as it is compared: of types that mean the same, and of a direction that says nothing, one."""
    type_ = SAME_TYPE.get(type_, type_)
    if type_ == "RELEASED_BY":
        source, type_, target = target, "PUBLISHED", source
    return (*sorted((source, target)), type_) if type_ in SYMMETRIC else (source, target, type_)  # type: ignore[return-value]


def _marked(labels: Labels, pieces: Mapping[str, TextPiece]) -> dict[str, list[Mention]]:
    """The names of the labels as mentions, with their kinds."""
    marked: dict[str, list[Mention]] = {source: [] for source in pieces}
    for one in labels.mentions:
        kind = labels.kinds[one.entity]
        if one.source in marked and one.form in NAMES and kind != DATE:
            marked[one.source].append(Mention(one.text, one.start, one.end, SAME_KIND.get(kind, kind)))
    return marked


def _wanted(labels: Labels, pieces: Mapping[str, TextPiece]) -> tuple[set[Relation], set[Relation]]:
    """The relations of the labels in these texts, and those within reach."""
    named = {(one.source, one.entity) for one in labels.mentions if one.form in NAMES}
    named |= {(source, _speaker(labels, piece.speaker)) for source, piece in pieces.items() if piece.spoken}
    wanted: set[Relation] = set()
    near: set[Relation] = set()
    for one in labels.raw["relations"]:
        if not any(source in pieces for source in one["evidence"]):
            continue
        relation = folded(one["source"], one["type"], one["target"])
        wanted.add(relation)
        if any({(source, one["source"]), (source, one["target"])} <= named for source in one["evidence"]):
            near.add(relation)
    return wanted, near


def _pairs(relations: set[Relation]) -> set[Relation]:
    return {(min(a, b), max(a, b), "") for a, b, _ in relations}


def _row(wanted: set[Relation], near: set[Relation], found: set[Relation], unknown: int) -> tuple[Figure, ...]:
    right = len(wanted & found)
    reached = scores(right, len(found), len(near & found), len(near))
    return len(wanted), len(found), unknown, *scores(right, len(found), right, len(wanted)), len(near), reached[1]
