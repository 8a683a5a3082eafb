"""Calls of a language model about texts: kept answers are used first, and a new answer is kept before it is used."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import ValidationError

from engine.domain.extraction import ExtractionReport
from engine.domain.principal import Principal
from engine.domain.report import DeferredKind
from engine.errors import CutAnswer, ProviderUnavailable, UnusableAnswer
from engine.ingest.allowance import Allowance
from engine.ingest.extraction.answers import FreshAnswer, ModelAnswers, answer_key
from engine.providers.language import Form, LanguageModel, Prompt, system_message

CUT = {"cut": True}
"""Kept in place of an answer that was cut, where less is asked for then: a repeat does not pay for it again."""


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """A text that a model is asked about, how many items that concerns, and what it is that a limit would leave out. `context`
    stands before the text. A kept answer is found without it, so what is known meanwhile does not make it useless; but what was
    made with a context is used again for the same `readers` only, as its words may come from there."""

    text: str
    items: int
    what: DeferredKind = "readings"
    context: str = ""
    readers: str = ""
    halved: bool = False
    """Whether less is asked for where the answer is cut."""

    @property
    def given(self) -> str:
        """What the model is given."""
        return f"{self.context}\n\n{self.text}" if self.context else self.text

    def keys(self, model: str, prompts: Sequence[Prompt]) -> list[bytes]:
        """Under which an answer may be kept, a new one under the first. `prompts`: the one that is asked, then earlier ones."""
        plain = [answer_key(model, one, self.text) for one in prompts]
        if not self.readers:
            return plain
        shared = answer_key(model, prompts[0], self.text, self.readers)
        return [shared, *plain] if self.context else [*plain[:1], shared, *plain[1:]]


@dataclass(frozen=True, slots=True)
class Reply(Generic[Form]):
    """The result of one question: the answer, or why there is none (empty where a limit left it out); its cost."""

    value: Form | None = None
    cached: bool = False
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reason: str = ""
    cut: bool = False
    """Whether the answer ended at the limit of its length: less of the text may be answered."""


class AskedModel:
    """A model with its kept answers. `prices`: of a million tokens in and out, or empty."""

    def __init__(self, model: LanguageModel, answers: ModelAnswers, prices: tuple[float, ...]) -> None:
        self._model, self._answers, self._prices = model, answers, prices

    @property
    def name(self) -> str:
        return self._model.name

    async def answers(
        self,
        principal: Principal,
        prompt: Prompt,
        questions: Sequence[ModelQuestion],
        form: type[Form],
        allowance: Allowance,
        earlier: Sequence[Prompt] = (),
    ) -> list[Reply[Form]]:
        """A reply to each question, all asked at once. A kept answer takes nothing of the allowance; one to an `earlier` prompt
        is used where none to this one is kept.

        Raises StoreUnavailable; model failures are not raised.
        """
        versions = [question.keys(self.name, (prompt, *earlier)) for question in questions]
        known = await self._answers.known(principal, [key for own in versions for key in own])
        kept = [next((known[key] for key in own if key in known), None) for own in versions]
        keys, pairs = [own[0] for own in versions], zip(questions, kept, strict=True)
        replies = await asyncio.gather(*(self._one(prompt, one, form, answer, allowance) for one, answer in pairs))
        fresh = [
            FreshAnswer(
                key,
                reply.value.model_dump(mode="json") if reply.value else CUT,
                reply.input_tokens,
                reply.output_tokens,
            )
            for reply, key, asked in zip(replies, keys, questions, strict=True)
            if not reply.cached and (reply.value is not None or (reply.cut and asked.halved))
        ]
        await self._answers.keep(principal, self.name, prompt, fresh)
        return replies

    async def _one(
        self, prompt: Prompt, question: ModelQuestion, form: type[Form], kept: Any, allowance: Allowance
    ) -> Reply[Form]:
        if kept == CUT:
            return Reply(cached=True, cut=True)
        try:
            return Reply(form.model_validate(kept), cached=True)
        except ValidationError:
            pass  # none is kept, or one of another form
        given = (system_message(prompt, form), question.given)
        try:
            answer = await allowance.answer(
                question.what, given, question.items, lambda: self._model.answer(prompt, question.given, form)
            )
        except UnusableAnswer as error:
            cut = isinstance(error, CutAnswer)
            return Reply(None, False, 1, error.input_tokens, error.output_tokens, error.detail, cut)
        except ProviderUnavailable as error:
            return Reply(calls=1, reason=error.detail)
        if answer is None:
            return Reply()
        return Reply(answer.value, False, 1, answer.input_tokens, answer.output_tokens)

    def report(self, replies: Sequence[Reply[Any]]) -> ExtractionReport:
        """Calls, tokens and cost of these replies."""
        given, taken = sum(reply.input_tokens for reply in replies), sum(reply.output_tokens for reply in replies)
        prices = self._prices
        return ExtractionReport(
            model=self.name,
            calls=sum(reply.calls for reply in replies),
            cached=sum(reply.cached for reply in replies),
            input_tokens=given,
            output_tokens=taken,
            cost=round((given * prices[0] + taken * prices[1]) / 1e6, 6) if prices else None,
        )
