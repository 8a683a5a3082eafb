"""Asks labelled questions of the engine's own search, and of the baselines over the same stored rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any, Literal
from uuid import UUID

from engine.domain.search import SearchAnswer, SearchRequest
from engine.lab.evaluation.baselines import Baselines, stored_items
from engine.lab.evaluation.metrics import mean, percentile, stage_times, unique
from engine.lab.evaluation.rankings import Question, Ranking, figures
from engine.neurigraph import Engine
from engine.progress import Progress, Silent

Widening = Literal["auto", "always", "never"]
TASK = "evaluation"


def user_of(name: str, path: Path) -> str:
    """The handle of the user who holds the content of a file: changed content is another user."""
    return f"{name}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions to stored users, whose ids are known by handle, and the depths at which rankings are judged."""

    engine: Engine
    users: Mapping[str, UUID]
    depths: tuple[int, ...]
    progress: Progress = field(default_factory=Silent)

    async def search(self, questions: Sequence[Question], widen: Widening = "auto") -> dict[str, Any]:
        """The figures of the search, with one way of widening, and what it cost.

        `milliseconds`: by stage, of the clock. `cpu_milliseconds`: of this process, so without the two servers.
        """
        rankings: list[Ranking] = []
        answers: list[SearchAnswer] = []
        spent: list[float] = []
        for question in questions:
            request = SearchRequest(question.text, limit=self._wanted, widen=widen)
            before = process_time()
            answer = await self.engine.memory(self.users[question.handle]).search(request)
            spent.append(1000 * (process_time() - before))
            rankings.append(self._ranking(question, [(hit.source_ref, hit.score) for hit in answer.hits]))
            answers.append(answer)
            self.progress.advance(TASK)
        return figures(rankings, self.depths) | {
            "widened": mean([float(answer.widened) for answer in answers]),
            "nodes_searched": mean([answer.nodes_searched for answer in answers]),
            "items_searched": mean([answer.items_searched for answer in answers]),
            "milliseconds": stage_times([answer.timings_ms for answer in answers]),
            "cpu_milliseconds": {"p50": percentile(spent, 0.5), "p95": percentile(spent, 0.95), "mean": mean(spent)},
        }

    async def baselines(self, questions: Sequence[Question]) -> dict[str, Any]:
        """The figures of each baseline, by its name."""
        by_user: dict[str, Baselines] = {}
        rankings: dict[str, list[Ranking]] = {}
        for question in questions:
            if question.handle not in by_user:
                by_user[question.handle] = Baselines(await stored_items(self.engine, self.users[question.handle]))
            vector = (await self.engine.embedder.embed_query(question.text)).vector
            found = by_user[question.handle].rankings(question.text, vector, self._wanted)
            for name, scored in found.items():
                rankings.setdefault(name, []).append(self._ranking(question, scored))
            self.progress.advance(TASK)
        return {name: figures(of_one, self.depths) for name, of_one in rankings.items()}

    @property
    def _wanted(self) -> int:
        """Hits requested: the items of one long turn or passage count once."""
        return 2 * self.depths[-1]

    def _ranking(self, question: Question, scored: Sequence[tuple[str | None, float]]) -> Ranking:
        found = unique([ref for ref, _ in scored])
        return Ranking(question, tuple(found), scored[0][1] if scored else 0.0)
