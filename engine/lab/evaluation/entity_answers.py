"""A language model's recorded answers about labelled texts: what they add to what rules find. No model is called.

    {"answers": [{"sources": ["D1:1", "D1:2"], "answer": {"entities": [...], "relations": [...]}}]}

An answer has the form of `engine.ingest.extraction.form`; summary and facts may be missing. Its lines count the sources, from 0.
Each answer is taken as one record.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import NAMESPACE_URL, UUID, uuid5

from engine.domain.entity import Mention, TextPiece
from engine.domain.extraction import UNASKED, ModelReading, NamedByModel, StatedByModel
from engine.domain.names import name_key
from engine.errors import UNREADABLE, InvalidInput, unreadable
from engine.ingest.extraction.form import Extracted
from engine.knowledge.record_names import known_names, marked, stated
from engine.lab.evaluation.entity_names import kind_figures, span_figures
from engine.lab.evaluation.entity_relations import entity_at, folded, relation_figures
from engine.lab.evaluation.figures import Figures
from engine.lab.evaluation.labels import Labels
from engine.naming.configuration import load_domain
from engine.naming.mentions import SourceText
from engine.naming.names import names_in

DOMAIN = load_domain()


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """What a model said of some sources, as of one record."""

    sources: tuple[str, ...]
    reading: ModelReading


def answers_of(path: Path, labels: Labels) -> list[RecordedAnswer]:
    """The answers of a file. Raises InvalidInput for another form, and for sources that the labels do not have."""
    try:
        raw = json.loads(path.read_text("utf-8"))["answers"]
        answers = [RecordedAnswer(tuple(one["sources"]), _reading(one["sources"], one["answer"])) for one in raw]
    except UNREADABLE as error:
        raise unreadable(path, "recorded answers", error) from error
    for one in answers:
        if missing := [
            source for source in one.sources if source not in labels.turns and source not in labels.passages
        ]:
            raise InvalidInput(f"{path} answers for {missing[0]}, which the labels do not have.")
    return answers


def measured_answers(labels: Labels, answers: Sequence[RecordedAnswer]) -> list[Figures]:
    """The tables of names and relations with these answers beside the rules."""
    turns, passages = (_found(pieces, answers) for pieces in (labels.turns, labels.passages))
    read = {"turns": turns, "passages": passages}
    drawn = {"turns": (labels.turns, turns), "passages": (labels.passages, passages)}
    more = {name: list(_related(labels, found, answers)) for name, (_, found) in drawn.items()}
    return [
        span_figures("names with a model", read, labels),
        kind_figures("kinds with a model", read, labels),
        *relation_figures(labels, drawn, more, " with a model"),
    ]


def _reading(sources: Sequence[str], answer: Mapping[str, object]) -> ModelReading:
    said = Extracted.model_validate({"summary": "", "facts": []} | dict(answer))
    entities = [NamedByModel(one.name, one.kind, tuple(one.also), one.role) for one in said.entities if one.kind]
    relations = [
        StatedByModel(one.source, one.type, one.target, _id(sources[min(one.line, len(sources) - 1)]))
        for one in said.relations
    ]
    return ModelReading(tuple(entities), tuple(relations))


def _id(source: str) -> UUID:
    return uuid5(NAMESPACE_URL, source)


def _found(pieces: Mapping[str, TextPiece], answers: Sequence[RecordedAnswer]) -> dict[str, list[Mention]]:
    """The mentions of every source, with what the answer about it says of them."""
    readings = {source: one.reading for one in answers for source in one.sources}
    known = known_names([one.reading for one in answers if set(one.sources) <= pieces.keys()], DOMAIN)
    found = zip(pieces, names_in(list(pieces.values()), known), strict=True)
    return {source: marked(own, readings.get(source, UNASKED), DOMAIN) for source, own in found}


def _related(
    labels: Labels, found: Mapping[str, Sequence[Mention]], answers: Sequence[RecordedAnswer]
) -> Iterator[tuple[str, str, str] | None]:
    """The relations of the answers between entities of the labels; None for one that touches none."""
    for one in answers:
        if not all(source in found for source in one.sources):
            continue
        pieces = {source: labels.turns.get(source) or labels.passages[source] for source in one.sources}
        texts = [SourceText(_id(source), piece) for source, piece in pieces.items()]
        mentions = [found[source] for source in one.sources]
        named = {
            name_key(mention.name): (source, mention) for source in one.sources for mention in reversed(found[source])
        }
        for said in stated(texts, mentions, one.reading, DOMAIN):
            ends = [named.get(key) for key, _ in (said.source, said.target)]
            if ends[0] is None or ends[1] is None:
                continue
            source, target = (entity_at(labels, *end) for end in ends if end is not None)
            yield folded(source, said.type, target) if source and target else None
