"""Compares what the engine finds in texts with the labels of a reader: names, and in sections of their own what is made of them.

A section takes the labels and gives tables of figures; `SECTIONS` lists them. Another one needs a function and a line there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.lab.evaluation.entity_answers import RecordedAnswer, measured_answers
from engine.lab.evaluation.entity_names import measured_names
from engine.lab.evaluation.entity_relations import measured_relations
from engine.lab.evaluation.entity_resolution import measured_resolution
from engine.lab.evaluation.figures import Figures
from engine.lab.evaluation.labels import Labels

Section = Callable[[Labels], Sequence[Figures]]
SECTIONS: Mapping[str, Section] = {
    "names": measured_names,
    "resolution": measured_resolution,
    "relations": measured_relations,
}
"""What is measured, by name, in the order of the output."""


@dataclass(frozen=True, slots=True)
class EntityReport:
    """The tables of all sections, with the name of the labels."""

    data: str
    sections: Mapping[str, Sequence[Figures]]


def evaluate_entities(data: str, labels: Labels, answers: Sequence[RecordedAnswer] = ()) -> EntityReport:
    """Measures every section; with a model's recorded answers one more, of what they add to names and relations."""
    sections = {name: section(labels) for name, section in SECTIONS.items()}
    return EntityReport(data, sections | ({"model": measured_answers(labels, answers)} if answers else {}))
