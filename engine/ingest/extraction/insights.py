"""Asks the language model, with its kept answers, for what is seen over summaries of communities and clusters."""

from __future__ import annotations

from engine.communities.insights import GivenInsights
from engine.domain.principal import Principal
from engine.ingest.allowance import Allowance
from engine.ingest.extraction.asked import AskedModel, ModelQuestion
from engine.providers.active import ActiveModel
from engine.providers.language import Prompt


class AskedInsights:
    """One question for each build of a user."""

    def __init__(self, model: AskedModel, active: ActiveModel) -> None:
        self._model, self._active = model, active

    async def ask(self, principal: Principal, prompt: Prompt, text: str) -> GivenInsights | None:
        """The answer, or None where there is none. Raises StoreUnavailable."""
        questions = [ModelQuestion(text, 1)]
        [reply] = await self._model.answers(principal, prompt, questions, GivenInsights, Allowance(self._active))
        return reply.value
