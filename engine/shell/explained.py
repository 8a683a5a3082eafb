"""Prints how an answer was made: what was read, what found the candidates, the parts of each score, what was left out."""

from __future__ import annotations

from collections.abc import Iterator

from engine.domain.search import Explanation, HitExplanation, SearchAnswer
from engine.progress import counted
from engine.shell.session import Session

_REASONS = {
    "limit": "by the limit of hits", "tokens": "by the limit of tokens", "earlier_pages": "on earlier pages",
    "damaged": "at damaged nodes", "gone": "gone since", "damaged_nodes": "damaged nodes", "other_nodes": "other nodes",
}  # fmt: skip


def print_explanation(here: Session, answer: SearchAnswer) -> None:
    """Prints the explanation of an answer that has one."""
    if answer.explanation is None:
        return
    here.line("")
    for line in _lines(answer.explanation):
        here.line(line)
    for number, hit in enumerate(answer.hits, 1):
        if hit.explanation is not None:
            here.line(f"{number:>3}  {hit.score:.2f} = {_score(hit.explanation)}")


def _lines(one: Explanation) -> Iterator[str]:
    by_index = len(one.nodes_by_index)
    yield f"Read: {counted(one.items_read, 'item')}; {counted(one.nodes_exact, 'node')} as a whole, {by_index:,} by index"
    found = one.candidates
    yield (
        f"Candidates: {found.total:,}; {found.words:,} by words, {found.meaning:,} by meaning, {found.entities:,} by entities,"
        f" {found.neighbours:,} as neighbours"
    )
    left = [f"{count:,} {text}" for name, text in _REASONS.items() if (count := getattr(one.not_shown, name))]
    yield f"Not shown: {', '.join(left) or 'nothing'}"
    if one.recall is not None:
        yield f"Recall: {one.recall.found:,} of the {one.recall.exact:,} best of an exact search ({one.recall.share:.0%})"


def _score(one: HitExplanation) -> str:
    """The parts of a score, the greatest first; what was weighed by 0 is left to --json."""
    order = sorted(one.signals.items(), key=lambda part: -abs(part[1].share))
    shares = " ".join(
        f"{signal.share:+.2f} {name} ({signal.value:.2f} × {signal.weight:g})" for name, signal in order if signal.share
    )
    by = f"found by {' and '.join(one.found_by)}" if one.found_by else "beside one that was found"
    return f"{one.offset:.2f} {shares}; {by}"
