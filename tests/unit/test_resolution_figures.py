"""`eval entities`, how names are put together: its figures are right, on labels made by hand."""

from __future__ import annotations

from typing import Any

from engine.domain.entity import TextPiece
from engine.lab.evaluation.entity_resolution import measured_resolution
from engine.lab.evaluation.labels import Labels, Span

TEXTS = {"musique:0": "Greta Holm met Leeds United. Holm sang.", "musique:1": "Leeds is wet. Jan Holm swims."}
MARKED = [
    ("musique:0", "Greta Holm", "greta"),
    ("musique:0", "Leeds United", "team"),
    ("musique:1", "Leeds", "city"),
    ("musique:1", "Jan Holm", "greta"),
]


def _span(source: str, text: str, entity: str) -> Span:
    start = TEXTS[source].index(text)
    return Span(source, start, start + len(text), text, entity, "name")


def _side(text: str, mention: str) -> dict[str, Any]:
    return {"text": text, "mention": mention}


def _labels(raw: dict[str, Any]) -> Labels:
    mentions = tuple(_span(*one) for one in MARKED)
    passages = {source: TextPiece(text, title=source) for source, text in TEXTS.items()}
    kinds = {"greta": "person", "team": "organization", "city": "place"}
    return Labels(
        {}, passages, (("musique:0",), ("musique:1",)), kinds, dict.fromkeys(kinds, ""), mentions, (), (), raw
    )


def test_b_cubed_counts_merged_and_divided_entities() -> None:
    _, entities, _ = measured_resolution(_labels({}))
    # Four mentions; Greta Holm and Jan Holm are marked as one and stay two: recall (1/2 + 1/2 + 1 + 1) / 4.
    assert entities.rows["labelled spans, passages"] == (4, 3, 4, 1.0, 0.75, 0.8571, None)
    assert entities.rows["labelled spans, turns"][0] == 0


def test_cases_count_right_verdicts_and_merges() -> None:
    same = {
        "lang": "en",
        "topic": "title",
        "verdict": "same",
        "a": _side("", "Dr. Ida Falk"),
        "b": _side("", "Ida Falk"),
    }
    wrong = {**same, "topic": "trap", "verdict": "different"}
    missed = {**same, "b": _side("", "Ida")}
    cases, _, _ = measured_resolution(_labels({"resolution_cases": [same, wrong, missed]}))
    assert cases.rows["all"] == (3, 0.3333, 2, 0.5, 0.5, 1)
    assert cases.rows["topic trap"] == (1, 0.0, 1, 0.0, None, 0)
    assert cases.rows["lang en"] == cases.rows["all"]


def test_marked_pairs_are_counted_where_both_were_given_an_entity() -> None:
    spans = [_span(*one) for one in MARKED]
    side = [{"source": one.source, "start": one.start, "end": one.end} for one in spans]
    nowhere = {"source": "musique:0", "start": 30, "end": 31}
    raw = {
        "same_name_different": [{"a": side[1], "b": side[2]}, {"a": side[1], "b": nowhere}],
        "same_entity_different_name": [{"a": side[0], "b": side[3]}],
    }
    _, _, pairs = measured_resolution(_labels(raw))
    assert pairs.rows["labelled spans"] == (1, 1.0, 1, 0.0)
