"""How well names are found in texts: precision and recall of their spans, their kinds, and what it costs.

Names and aliases of the labels count; descriptions, pronouns and speakers do not. A found span that only touches an ambiguous
one counts neither way. Dates are no names for the engine: "with dates" shows the figures of who takes them for names.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from engine.domain.entity import UNKNOWN_KIND, Mention, TextPiece
from engine.lab.evaluation.figures import Figure, Figures, overlap, ratio, scores
from engine.lab.evaluation.labels import DATE, NAMES, Labels, Span
from engine.naming.names import names_in

TIMES = 5
"""How often texts are read to time it; the fastest counts."""
SAME_KIND: Mapping[str, str] = {"other": UNKNOWN_KIND, "group": "organization"}
"""Kinds of labels that the engine calls otherwise."""
Found = Mapping[str, Sequence[Mention]]


def measured_names(labels: Labels) -> list[Figures]:
    """The tables of names: spans, kinds, cost. Passages are read together, then each alone: some know their neighbours."""
    turns, passages = found_in(labels.turns), found_in(labels.passages)
    alone = {source: names_in([piece], {})[0] for source, piece in labels.passages.items()}
    read = {"turns": turns, "passages": passages, "passages alone": alone}
    return [
        span_figures("names", read, labels),
        kind_figures("kinds", read, labels),
        Figures("kinship", ("found", "right"), {name: _kinship(found, labels) for name, found in read.items()}),
        Figures("CPU", ("texts", "ms a text"), {
            "turns": (len(labels.turns), _cost(labels.turns)),
            "passages": (len(labels.passages), _cost(labels.passages)),
        }),
    ]  # fmt: skip


def span_figures(name: str, read: Mapping[str, Found], labels: Labels) -> Figures:
    """The table of spans."""
    columns = ("names", "found", "P", "R", "F1", "P overlap", "R overlap", "F1 overlap", "no entity")
    return Figures(name, columns, _span_rows(read, labels))


def kind_figures(name: str, read: Mapping[str, Found], labels: Labels) -> Figures:
    """The table of kinds."""
    columns = ("names found", "kind told", "right of told", "right")
    return Figures(name, columns, {part: _kinds(found, labels) for part, found in read.items()})


def found_in(pieces: Mapping[str, TextPiece]) -> dict[str, list[Mention]]:
    """The mentions of every source, read in one batch."""
    return dict(zip(pieces, names_in(list(pieces.values()), {}), strict=True))


def _span_rows(read: Mapping[str, Found], labels: Labels) -> dict[str, tuple[Figure, ...]]:
    rows: dict[str, tuple[Figure, ...]] = {}
    for name, found in read.items():
        rows[name] = _spans(found, labels, dates=False)
        if name != "turns":
            rows[f"{name}, with dates"] = _spans(found, labels, dates=True)
    return rows


def _spans(found: Found, labels: Labels, *, dates: bool) -> tuple[Figure, ...]:
    wanted = _by_source(
        [one for one in labels.mentions if one.form in NAMES and (dates or labels.kinds[one.entity] != DATE)]
    )
    neither = _by_source([
        *labels.ambiguous,
        *(one for one in labels.mentions if not dates and labels.kinds[one.entity] == DATE),
    ])  # fmt: skip
    refused = _by_source(labels.not_entities)
    named = {
        source: [
            one for one in _names(mentions)
            if overlap(*one, wanted.get(source, ())) or not overlap(*one, neither.get(source, ()))
        ]
        for source, mentions in found.items()
    }  # fmt: skip
    gold = [(source, span) for source in found for span in wanted.get(source, ())]
    shown = [(source, span) for source, spans in named.items() for span in spans]
    exact = sum(span in wanted.get(source, ()) for source, span in shown)
    touching = sum(overlap(*span, wanted.get(source, ())) for source, span in shown)
    touched = sum(overlap(*span, named[source]) for source, span in gold)
    errors = sum(overlap(*span, refused.get(source, ())) for source, span in shown)
    return (
        len(gold), len(shown), *scores(exact, len(shown), exact, len(gold)),
        *scores(touching, len(shown), touched, len(gold)), errors,
    )  # fmt: skip


def _kinds(found: Found, labels: Labels) -> tuple[Figure, ...]:
    """Over names found at the right place: how many kinds are told, and are right."""
    gold = {
        (one.source, one.start, one.end): SAME_KIND.get(kind, kind)
        for one in labels.mentions
        if one.form in NAMES and (kind := labels.kinds[one.entity]) != DATE
    }
    pairs = [
        (one.kind, gold[place])
        for source, mentions in found.items()
        for one in mentions
        if one.sure and one.form == "name" and (place := (source, one.start, one.end)) in gold
    ]
    told = [(kind, right) for kind, right in pairs if kind != UNKNOWN_KIND]
    right = sum(kind == right for kind, right in pairs)
    return (
        len(pairs),
        ratio(len(told), len(pairs)),
        ratio(sum(a == b for a, b in told), len(told)),
        ratio(right, len(pairs)),
    )


def _kinship(found: Found, labels: Labels) -> tuple[Figure, ...]:
    """Words of kinship that were found, and how many of them a reader marked as a description."""
    described = _by_source([one for one in labels.mentions if one.form == "description"])
    spans = [(source, one) for source, ones in found.items() for one in ones if one.form == "kinship"]
    return len(spans), ratio(sum(overlap(one.start, one.end, described.get(at, ())) for at, one in spans), len(spans))


def _names(mentions: Sequence[Mention]) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in mentions if one.form == "name" and one.sure and one.end]


def _by_source(spans: Sequence[Span]) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for span in spans:
        found.setdefault(span.source, []).append((span.start, span.end))
    return found


def _cost(pieces: Mapping[str, TextPiece]) -> float | None:
    """CPU milliseconds for a text, read one at a time."""
    fastest = float("inf")
    for _ in range(TIMES):
        began = time.process_time()
        for piece in pieces.values():
            names_in([piece], {})
        fastest = min(fastest, time.process_time() - began)
    return ratio(1000 * fastest, len(pieces))
