"""Searching beyond the anchors, so that nodes make a search faster and never hide an answer.

Where all that may be read is little, all of it is searched; nodes with a rare word of the question that the anchors do not hold
are searched beside them: the scan itself decides both by the counts of words. A weak best hit is known after it only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.domain.explanation import WidenedBy
from engine.retrieval.candidate import Candidate
from engine.retrieval.fusion import Ranked
from engine.retrieval.scoped_search import Scanned, Scope
from engine.retrieval.weights import WideningWeights

EVERYTHING: frozenset[WidenedBy | None] = frozenset(("few_items", "weak_hit", "nothing_found"))
"""Reasons to search all nodes."""
SEEN_AFTER: frozenset[WidenedBy | None] = frozenset(("weak_hit", "nothing_found"))
"""Those of them that are known after the scan, which is then repeated."""


@dataclass(frozen=True, slots=True)
class ScannedNodes:
    """What was scanned in the end, and why it was more than the anchors lead to."""

    scope: Scope
    scanned: Scanned
    ranked: list[Ranked]
    widened_by: WidenedBy | None


def widening(
    by_scan: WidenedBy | None, found: Sequence[Candidate], *, by_anchors: bool, weights: WideningWeights | None
) -> WidenedBy | None:
    """Why more is searched than the anchors lead to; None where it is not. `by_scan`: what the scan decided; `by_anchors`: there
    was none; `weights`: None where the anchors do not decide where to search."""
    if weights is not None and by_scan != "few_items" and (hides := hides_answer(found, weights)):
        return hides
    return by_scan or ("no_anchor" if by_anchors else None)


def hides_answer(found: Sequence[Candidate], weights: WideningWeights) -> WidenedBy | None:
    """Why what was found at the anchors is not enough, if it is not. Nearness is that of vectors, without them of words."""
    if not found:
        return "nothing_found"
    near = [one.meaning_overall for one in found if one.cosine is not None]
    return "weak_hit" if max(near or [one.words_overall for one in found]) < weights.weak_hit else None
