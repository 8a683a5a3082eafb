"""Questions with known evidence, and how well a ranking finds it: the figures that all evaluations of the search share.

All figures are fractions. A question without evidence is one that nothing stored answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from engine.lab.evaluation.metrics import mean, ndcg, percentile, recall

ADVERSARIAL = "adversarial"
"""The category of questions that name the wrong person or thing: shown by itself, not part of the averages."""
CURRENT = "now"
"""The category of questions for the present state of what has changed."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the memory of the user with a handle: the sources that contain its answer, those with an outdated one."""

    handle: str
    text: str
    category: str
    evidence: frozenset[str]
    stale: frozenset[str] = frozenset()

    @property
    def answerable(self) -> bool:
        return bool(self.evidence) and self.category != ADVERSARIAL


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was found for a question, best first, each source once, and the score of the first (0 of nothing)."""

    question: Question
    found: tuple[str, ...]
    best: float


def figures(rankings: Sequence[Ranking], depths: Sequence[int]) -> dict[str, Any]:
    """The averages in total, by category, and spread over users; current states first; scores of what nothing answers."""
    answerable = [one for one in rankings if one.question.answerable]
    shown = [one for one in rankings if one.question.evidence]
    categories = sorted({one.question.category for one in shown})
    parts: dict[str, Any] = {
        **averages(answerable, depths),
        "by_category": {
            name: averages([one for one in shown if one.question.category == name], depths) for name in categories
        },
    }
    if len({one.question.handle for one in answerable}) > 1:
        parts["spread"] = _spread(answerable, depths)
    changed = [one for one in answerable if one.question.category == CURRENT and one.question.stale]
    if changed:
        parts["current_first"] = {"questions": len(changed), "right": sum(map(_current_first, changed))}
    if len(answerable) < len(rankings):
        unanswerable = [one.best for one in rankings if not one.question.answerable]
        parts["unanswerable"] = told_apart([one.best for one in answerable], unanswerable)
    return parts


def averages(rankings: Sequence[Ranking], depths: Sequence[int]) -> dict[str, float | int]:
    """found@k: some of the evidence is among the first k; recall@k; strict@k: all of it; ndcg@k."""
    values: dict[str, float | int] = {"questions": len(rankings)}
    for depth in depths:
        recalls = [recall(one.found, one.question.evidence, depth) for one in rankings]
        values[f"found@{depth}"] = mean([float(value > 0) for value in recalls])
        values[f"recall@{depth}"] = mean(recalls)
        values[f"strict@{depth}"] = mean([float(value == 1) for value in recalls])
        values[f"ndcg@{depth}"] = mean([ndcg(one.found, one.question.evidence, depth) for one in rankings])
    return values


def _spread(rankings: Sequence[Ranking], depths: Sequence[int]) -> dict[str, Any]:
    """Recall of each user, and its mean, least and greatest over users."""
    handles = dict.fromkeys(one.question.handle for one in rankings)
    users = {handle: averages([one for one in rankings if one.question.handle == handle], depths) for handle in handles}
    spread: dict[str, Any] = {}
    for name in (f"recall@{depth}" for depth in depths):
        values = [float(user[name]) for user in users.values()]
        spread[name] = {"mean": mean(values), "min": min(values), "max": max(values)}
    return spread | {"users": users}


def _current_first(ranking: Ranking) -> bool:
    """Whether a source with the current answer was found, above all with an outdated one."""
    ranks = {ref: rank for rank, ref in enumerate(ranking.found)}
    best = min((ranks[ref] for ref in ranking.question.evidence if ref in ranks), default=None)
    return best is not None and all(ranks.get(ref, best + 1) > best for ref in ranking.question.stale)


def told_apart(answerable: Sequence[float], unanswerable: Sequence[float]) -> dict[str, Any]:
    """How well the best score separates questions that something answers from those that nothing answers.

    `auc`: how often an answerable one scores higher, ties count half. `threshold`: the score from which to answer that is
    right for most of both; `answered`, `refused`: the shares that it treats rightly.
    """
    pairs = [float(high > low) + float(high == low) / 2 for high in answerable for low in unanswerable]
    parts: dict[str, Any] = {
        "answerable": _scores(answerable),
        "unanswerable": _scores(unanswerable),
        "auc": mean(pairs),
    }
    if answerable:
        threshold = max(sorted(answerable), key=lambda value: sum(_treated(answerable, unanswerable, value)))
        answered, refused = _treated(answerable, unanswerable, threshold)
        parts |= {"threshold": round(threshold, 4), "answered": round(answered, 4), "refused": round(refused, 4)}
    return parts


def _treated(answerable: Sequence[float], unanswerable: Sequence[float], threshold: float) -> tuple[float, float]:
    answered = sum(score >= threshold for score in answerable) / max(len(answerable), 1)
    return answered, sum(score < threshold for score in unanswerable) / max(len(unanswerable), 1)


def _scores(values: Sequence[float]) -> dict[str, float | int]:
    shares = {"p10": 0.1, "p50": 0.5, "p90": 0.9}
    return {"questions": len(values), **{name: percentile(values, share) for name, share in shares.items()}}
