"""How well names are put together to entities: hand-written pairs, B-cubed over labelled mentions, and the marked pairs.

Two rows for the texts: "labelled spans" takes the names that the reader marked, without their kinds beside those the engine finds
there; "names found" takes those of the engine, where the reader marked the same span. A session of the conversation is one record
and each passage is one; passages of one group belong together, and what other groups name is known but not near.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.domain.entity import UNKNOWN_KIND, Mention
from engine.entities.resolution.likeness import decide
from engine.entities.resolution.name_likeness import NamedThing
from engine.entities.resolution.resolution import FoundName, KnownCandidate, Resolution, resolve
from engine.lab.evaluation.entity_names import found_in
from engine.lab.evaluation.figures import Figure, Figures, f1, ratio
from engine.lab.evaluation.labels import DATE, NAMES, Labels, Span

Place = tuple[str, int, int]
Assigned = Mapping[Place, str]
"""The key of the entity that a span was given."""


def measured_resolution(labels: Labels) -> list[Figures]:
    """The tables of pairs, of entities, and of marked pairs of mentions."""
    found = {**found_in(labels.turns), **found_in(labels.passages)}
    gold = {(one.source, one.start, one.end): one for one in labels.mentions if _counts(one, labels)}
    kinds = {(source, one.start, one.end): one for source, ones in found.items() for one in ones}
    spans = [(place, kinds[place].kind if place in kinds else UNKNOWN_KIND) for place in sorted(gold)]
    matched = [(place, kinds[place].kind) for place in sorted(gold) if place in kinds and kinds[place].sure]
    assigned = {"labelled spans": _assigned(labels, spans, {}), "names found": _assigned(labels, matched, found)}
    rows = {
        f"{name}, {part}": _b_cubed({at: key for at, key in given.items() if at[0] in texts}, gold)
        for name, given in assigned.items()
        for part, texts in (("turns", labels.turns), ("passages", labels.passages))
    }
    pairs = {name: _pairs(given, labels.raw) for name, given in assigned.items()}
    cases = labels.raw.get("resolution_cases", ())
    columns = ("cases", "right", "merged", "merge P", "merge R", "for review")
    return [
        Figures("resolution cases", columns, {"all": _cases(cases), **_by(cases, "lang"), **_by(cases, "topic")}),
        Figures("entities (B-cubed)", ("mentions", "entities", "made", "P", "R", "F1", "merge P"), rows),
        Figures("marked pairs", ("same name, two", "kept apart", "two names, one", "joined"), pairs),
    ]


def _counts(one: Span, labels: Labels) -> bool:
    return one.form in NAMES and labels.kinds[one.entity] != DATE


# pairs ------------------------------------------------------------------------------------------------------


def _cases(cases: Sequence[Mapping[str, Any]]) -> tuple[Figure, ...]:
    verdicts = [(decide(_thing(one["a"]), _thing(one["b"])).verdict, one["verdict"] == "same") for one in cases]
    count = Counter(verdicts)
    merged = count["same", True] + count["same", False]
    right = sum(number for (verdict, same), number in count.items() if (verdict == "same") == same)
    same = sum(wanted for _, wanted in verdicts)
    review = count["review", True] + count["review", False]
    return (
        len(cases),
        ratio(right, len(cases)),
        merged,
        ratio(count["same", True], merged),
        ratio(count["same", True], same),
        review,
    )


def _by(cases: Sequence[Mapping[str, Any]], field: str) -> dict[str, tuple[Figure, ...]]:
    values = dict.fromkeys(str(one.get(field, "")) for one in cases)
    return {f"{field} {value}": _cases([one for one in cases if str(one.get(field, "")) == value]) for value in values}


def _thing(side: Mapping[str, Any]) -> NamedThing:
    return NamedThing(side["mention"], texts=(side["text"],))


# entities of texts ------------------------------------------------------------------------------------------


def _assigned(labels: Labels, spans: Iterable[tuple[Place, str]], found: Mapping[str, Sequence[Mention]]) -> Assigned:
    """Resolves the conversation, then each group of passages, with what came before as known."""
    by_source: dict[str, list[tuple[Place, str]]] = {}
    for place, kind in spans:
        by_source.setdefault(place[0], []).append((place, kind))
    grouped = {source for group in labels.groups for source in group}
    batches = [tuple(labels.turns), *labels.groups, *((one,) for one in labels.passages if one not in grouped)]
    known: list[KnownCandidate] = []
    given: dict[Place, str] = {}
    for batch in batches:
        names = {
            place: _found_name(labels, place, kind) for source in batch for place, kind in by_source.get(source, ())
        }
        speakers = [_speaker(labels, source) for source in batch if source in labels.turns]
        rest = [
            _mentioned(labels, source, one) for source in batch for one in found.get(source, ()) if one.sure and one.end
        ]
        answers = resolve([*names.values(), *speakers, *rest], known)
        given |= {place: answers[name].key for place, name in names.items()}
        known = _known(answers, known)
    return given


def _found_name(labels: Labels, place: Place, kind: str) -> FoundName:
    source, start, end = place
    piece = labels.turns.get(source) or labels.passages[source]
    return FoundName(piece.text[start:end], _record(source), kind)


def _mentioned(labels: Labels, source: str, one: Mention) -> FoundName:
    piece = labels.turns.get(source) or labels.passages[source]
    return FoundName(one.name, _record(source), one.kind, one.form, speaker=piece.speaker)


def _speaker(labels: Labels, source: str) -> FoundName:
    return FoundName(labels.turns[source].speaker, _record(source), "person", "speaker")


def _record(source: str) -> str:
    """A session of the conversation, or a passage."""
    return source.partition(":")[0] if source.startswith("D") else source


def _known(answers: Mapping[FoundName, Resolution], known: Sequence[KnownCandidate]) -> list[KnownCandidate]:
    """What later batches know, none of it near."""
    entities = {one.key: one for one in known}
    for found, answer in answers.items():
        former = entities.get(answer.key)
        aliases = {*(former.aliases if former else ()), found.name}
        entities[answer.key] = KnownCandidate(answer.key, answer.name, answer.kind, tuple(sorted(aliases)), near=False)
    return list(entities.values())


def _b_cubed(given: Assigned, gold: Mapping[Place, Span]) -> tuple[Figure, ...]:
    """B-cubed over the mentions, and the share of merged pairs that are one entity."""
    both = Counter((key, gold[place].entity) for place, key in given.items())
    made = Counter(given.values())
    wanted = Counter(gold[place].entity for place in given)
    precision = ratio(sum(n * n / made[key] for (key, _), n in both.items()), len(given))
    recall = ratio(sum(n * n / wanted[entity] for (_, entity), n in both.items()), len(given))
    merged = sum(n * (n - 1) for n in made.values())
    right = sum(n * (n - 1) for n in both.values())
    return len(given), len(wanted), len(made), precision, recall, f1(precision, recall), ratio(right, merged)


def _pairs(given: Assigned, raw: Mapping[str, Any]) -> tuple[Figure, ...]:
    """Marked pairs of which both mentions were given an entity."""
    different = _keys(given, raw.get("same_name_different", ()))
    same = _keys(given, raw.get("same_entity_different_name", ()))
    apart, joined = sum(a != b for a, b in different), sum(a == b for a, b in same)
    return len(different), ratio(apart, len(different)), len(same), ratio(joined, len(same))


def _keys(given: Assigned, pairs: Iterable[Mapping[str, Any]]) -> list[tuple[str, str]]:
    places = [[(pair[side]["source"], pair[side]["start"], pair[side]["end"]) for side in "ab"] for pair in pairs]
    return [(given[a], given[b]) for a, b in places if a in given and b in given]
