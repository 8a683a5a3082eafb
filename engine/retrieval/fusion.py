"""The weighted sum of each candidate's signals. Pure arithmetic on what the stores returned.

Each family has its own weights. A signal that does not apply is 0 for every candidate: no speaker is named, or all
of them alike, or no time is asked for.

Newer states come first: a turn that speaks of the same matter as one of the best turns, later, is placed above it. Nothing says
that the later turn replaces the earlier one: they are taken for states of one matter when their tokens are more alike than those
of other later turns by far, and when the later one answers to the question half as well at least.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from engine.domain.terms import STOP_WORDS
from engine.domain.utterance import named_dates
from engine.language.dates import agreement
from engine.language.tables import all_listed
from engine.retrieval.candidate import (
    ASKS,
    FIRST_PERSON,
    FOLLOWS_QUESTION,
    OPENS_SESSION,
    Candidate,
    Coverage,
    Floats,
    Signs,
    Values,
    coverage,
    family_offsets,
    z_scores,
)
from engine.retrieval.query import Question
from engine.retrieval.walk import Link, Walked, walk
from engine.retrieval.weights import NewerWeights, Weighed, Weights

APART = timedelta(hours=1)
"""Turns of other conversations that were said at about the same time are no newer states."""
FEW = 10
"""Fewer later turns than this say too little about how alike turns are: they lean on what is usual."""
_STORED = (
    "words", "words_previous", "words_previous2", "words_next", "meaning", "meaning_previous", "meaning_next", "record_words",
)  # fmt: skip
_FLAGS = (
    ("is_question", ASKS),
    ("previous_has_question", FOLLOWS_QUESTION),
    ("first_of_session", OPENS_SESSION),
    ("first_person", FIRST_PERSON),
)
_AMONG = ("covered_window", "covered_next", "graph", "hop")
"""What a candidate is among the others."""
SIGNALS = (
    *_STORED, *(name for name, _ in _FLAGS), "speaker_named", "assistant", "log_words", "time_expressions", "date_match",
    "anchor", "words_other_language", "words_unspaced", *_AMONG,
)  # fmt: skip
NEWER_STATE = "newer_state"
"""The signal of a turn that was placed above an older state of its matter."""
FAMILY = "family"
"""The signal that places families beside each other (see `retrieval.candidate`)."""
ABOVE = 0.01
"""By how much it is placed above it."""
MOST_TIME_EXPRESSIONS = 2
_ASSISTANT = ("assist", "asist")
"""How the word for an assistant begins in the languages that are distinguished: what stored chats call the one who answers."""
STATE = 0.25
"""Weight of a matching date for what was said before the end of the period in which a state is asked for."""
SESSION_DAY = 0.5
"""Weight of a matching date that is only the day on which something was said."""


def newer_states(
    candidates: Sequence[Candidate], signs: Signs, scores: Values, weights: NewerWeights, until: datetime | None = None
) -> dict[int, int]:
    """By candidate the newer state of its matter, for the best of them, the earliest first; none without vectors of tokens.

    `until`: states of before alone.
    """
    states = [
        place
        for place, one in enumerate(candidates)
        if signs.sizes[place] and _states(one) and (until is None or _when(one) < until.timestamp())
    ]
    turns = [place for place in np.argsort(-scores, kind="stable").tolist() if candidates[place].family == "turn"]
    best = set(turns[: weights.best])  # not of passages, too, whose scores are of another scale
    found: dict[int, int] = {}
    for place in sorted(best & set(states), key=lambda one: _when(candidates[one])):
        later = [other for other in states if _later(candidates[other], candidates[place])]
        if not later:
            continue
        alike = _spreads_above(signs.alike(place)[later], weights)
        nearest = int(np.argmax(alike + z_scores(scores[later])))
        if alike[nearest] >= weights.alike and scores[later[nearest]] >= weights.share * scores[place]:
            found[place] = later[nearest]
    return found


def _spreads_above(alike: Values, weights: NewerWeights) -> Values:
    """By how many spreads each is above their mean."""
    known = min(1.0, len(alike) / FEW)
    mean = known * alike.mean() + (1 - known) * weights.usual
    spread = known * alike.std() + (1 - known) * weights.usual_spread
    return np.asarray((alike - mean) / max(spread, 1e-9))


def _states(turn: Candidate) -> bool:
    """Whether it can hold a state: a dated turn that does not end by asking."""
    return turn.family == "turn" and turn.occurred_at is not None and not turn.flags & ASKS


def _when(turn: Candidate) -> float:
    return turn.occurred_at.timestamp() if turn.occurred_at is not None else 0.0


def _later(turn: Candidate, before: Candidate) -> bool:
    return turn.session != before.session and _when(turn) > _when(before) + APART.total_seconds()


@dataclass(frozen=True, slots=True)
class Reached:
    """The way to a passage: the passage that it starts at (None: the question), and the number of the entity."""

    start: Candidate | None
    entity: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and what each signal added to it, in the order of SIGNALS."""

    candidate: Candidate
    score: float
    parts: NDArray[np.float64]
    values: NDArray[np.float64]
    """The signals before they were weighed."""
    weights: Weighed
    """By which section of weights."""
    link: Reached | None = None
    """Over which entity a passage was reached."""
    raised: float = 0.0
    """What was added to place it above an older state of its matter."""
    newer: Candidate | None = None
    """A newer state of its matter, which was placed above it."""
    beside: float = 0.0
    """What was added to its family, to compare it with others."""

    @property
    def signals(self) -> dict[str, float]:
        """What each signal added; signals that added nothing are left out."""
        named = zip((*SIGNALS, NEWER_STATE, FAMILY), (*self.parts.tolist(), self.raised, self.beside), strict=True)
        return {signal: round(part, 4) for signal, part in named if part}


@dataclass(frozen=True, slots=True)
class Among:
    """What the candidates are beside each other: how they cover the question, how a walk over entities reaches them."""

    covered: Coverage
    walked: Walked


def among(
    candidates: Sequence[Candidate], tokens: Floats | None, named: Collection[int], passages: int, weights: Weights
) -> Among:
    """`tokens`: the question's token vectors; `named`: its entities; `passages`: how many were searched."""
    return Among(coverage(candidates, tokens), walk(candidates, named, passages, weights.walk, weights.limits.shrink))


def fuse(
    candidates: Sequence[Candidate],
    question: Question,
    anchors: Mapping[UUID, float],
    weights: Weights,
    beside: Among | None = None,
    asker: Collection[int] = (),
) -> list[Ranked]:
    """All candidates, best first; equal scores in the order of the candidates, the earliest first. `anchors`: strength by node;
    `asker`: the user's numbers, where it says "I"."""
    if not candidates:
        return []
    beside = beside or among(candidates, None, (), 0, weights)
    speakers = {candidate.speaker for candidate in candidates}
    named, answering = named_speakers(speakers, question), assistants(speakers, question)
    candidates = [_as_if_named(one, asker, weights.scale.self_named) for one in candidates]
    own = np.array([_signals(candidate, question, named, answering, anchors) for candidate in candidates])
    covered, walked = beside.covered, beside.walked
    matrix = np.column_stack((own, covered.window, covered.next, walked.graph, walked.hop))
    sections = {name: np.array([section[signal] for signal in SIGNALS]) for name, section in weights.sections.items()}
    weighed = [_weighed(candidate, tokens=covered.signs is not None) for candidate in candidates]
    parts = matrix * np.array([sections[name] for name in weighed])
    offsets = np.array([weights.sections[name]["offset"] for name in weighed])
    weighed_scores = parts.sum(axis=1) + offsets
    newer = _newer(candidates, covered, weighed_scores, question, weights)
    placed = _placed_above(weighed_scores, newer)
    offset = family_offsets(candidates, placed, weights.scale, by_words=question.unspaced_word)
    scores = placed + offset
    order = np.argsort(-scores, kind="stable").tolist()
    ways = {place: _reached(candidates, link) for place, link in walked.links.items()}
    states = {older: candidates[other] for older, other in newer.items()}
    raised = (placed - weighed_scores).tolist()
    return [
        Ranked(
            candidates[i],
            float(scores[i]),
            parts[i],
            matrix[i],
            weighed[i],
            ways.get(i),
            raised[i],
            states.get(i),
            float(offset[i]),
        )
        for i in order
    ]


def _newer(
    candidates: Sequence[Candidate], covered: Coverage, scores: Values, question: Question, weights: Weights
) -> dict[int, int]:
    """By candidate the newer state of its matter, of those before the end of a period for which it asks; none for another
    question that asks for the past."""
    until = question.state_in[1] if question.state_in is not None else None
    if (question.asked_time == "past" and until is None) or covered.signs is None:
        return {}
    return newer_states(candidates, covered.signs, scores, weights.newer, until)


def _placed_above(scores: Values, newer: Mapping[int, int]) -> Values:
    placed = scores.copy()
    for older, other in newer.items():  # the earliest first: the newest of three states ends on top
        placed[other] = max(placed[other], placed[older] + ABOVE)
    return placed


def _weighed(candidate: Candidate, *, tokens: bool) -> Weighed:
    """Which weights are those of a candidate. `tokens`: whether there are token vectors."""
    if candidate.cosine is None:
        return "without_vector"
    if candidate.family == "turn":
        return "turn" if tokens else "turn_without_tokens"
    return candidate.family


def _reached(candidates: Sequence[Candidate], link: Link) -> Reached:
    return Reached(None if link.start is None else candidates[link.start], link.entity)


def merged(ranked: Sequence[Ranked], namesakes: Iterable[frozenset[UUID]], limit: int) -> list[Ranked]:
    """The first `limit`, with a hit of every namesake that has a candidate.

    `namesakes`: the nodes of each anchor that shares its name with others. A question about a name that three
    nodes have is about all three: the best candidates of those without a hit take the last places.
    """
    chosen = list(ranked[:limit])
    missing: list[Ranked] = []
    for nodes in namesakes:
        if not any(one.candidate.node_id in nodes for one in chosen):
            missing.extend([one for one in ranked[limit:] if one.candidate.node_id in nodes][:1])
    missing = sorted(missing, key=lambda one: -one.score)[: max(0, limit - 1)]
    return chosen[: limit - len(missing)] + missing if missing else chosen


def named_speakers(speakers: Iterable[str], question: Question) -> frozenset[str]:
    """The speakers whom the question names, by any word of their name; none when it names all of them alike."""
    present = {speaker for speaker in speakers if speaker}
    named = {speaker for speaker in present if not question.tokens.isdisjoint(_name_words(speaker))}
    return frozenset() if named == present else frozenset(named)


def assistants(speakers: Iterable[str], question: Question) -> frozenset[str]:
    """The speakers who answer as an assistant; none where the question asks what one of them said."""
    found = frozenset(speaker for speaker in speakers if speaker.casefold().startswith(_ASSISTANT))
    asked = any(token.startswith(_ASSISTANT) for token in question.tokens)
    return frozenset() if asked or not question.tokens.isdisjoint(all_listed("pronouns", "you")) else found


def _name_words(speaker: str) -> set[str]:
    return {word for word in speaker.casefold().split() if len(word) > 1 and word not in STOP_WORDS}


def _signals(
    candidate: Candidate,
    question: Question,
    named: frozenset[str],
    answering: frozenset[str],
    anchors: Mapping[UUID, float],
) -> list[float]:
    stored = [float(getattr(candidate, name)) for name in _STORED]
    stored += [float(candidate.flags & bit > 0) for _, bit in _FLAGS]
    times = min(candidate.time_expressions, MOST_TIME_EXPRESSIONS) if question.asks_time else 0
    return [
        *stored,
        float(candidate.speaker in named),
        float(candidate.speaker in answering),
        math.log1p(candidate.word_count),
        float(times),
        _date_match(candidate, question),
        anchors.get(candidate.node_id, 0.0),
        candidate.words if question.other_language else 0.0,
        candidate.words if question.unspaced_word else 0.0,
    ]


def _as_if_named(candidate: Candidate, asker: Collection[int], nearer: float) -> Candidate:
    """A fact whose subject is the user, as near to the question as if that had the user's name in place of "I"."""
    about = zip(candidate.entities, candidate.aboutness or (), strict=False) if candidate.kind == "fact" else ()
    if not any(own and entity in asker for entity, own in about):
        return candidate
    return replace(candidate, meaning=candidate.meaning + nearer, meaning_overall=candidate.meaning_overall + nearer)


def _date_match(candidate: Candidate, question: Question) -> float:
    if not question.dates:
        return 0.0
    if question.state_in is not None:  # what held in October may have been said in July
        at = candidate.occurred_at
        return STATE if at is not None and at < question.state_in[1] else 0.0
    stated = agreement(question.dates, named_dates(candidate.dates))
    said_at = candidate.said_at
    if stated == 1.0 or said_at is None:
        return stated
    said = agreement(question.dates, (said_at.date().isoformat(),))
    return max(stated, SESSION_DAY * said)
