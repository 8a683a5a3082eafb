"""Calls of a language model about texts: kept answers are used first, and a new answer is kept before it is used.

Answers are kept per user: the same model, prompt and content cost nothing again, also after a failed commit. Only the user's own
ingests use them: for content that another principal stores in the graph the model is called again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Generic

from pydantic import ValidationError

from engine.communities.insights import GivenInsights
from engine.domain.clock import Clock
from engine.domain.extraction import ExtractionReport
from engine.domain.principal import Principal
from engine.domain.report import DeferredKind
from engine.errors import CutAnswer, ProviderUnavailable, UnusableAnswer
from engine.ingest.allowance import Allowance
from engine.providers.active import ActiveModel
from engine.providers.language import Answer, Form, LanguageModel, Prompt, system_message
from engine.stores.postgres import Jsonb, Postgres
from engine.stores.statements import sql_text

CUT = {"cut": True}
"""Kept in place of an answer that was cut, where less is asked for then: a repeat does not pay for it again."""


def answer_key(model: str, prompt: Prompt, text: str, *more: str) -> bytes:
    """SHA-256 of the model's name, the prompt with its version, the content, and what else the answer depends on."""
    digest = hashlib.sha256()
    for part in (model, str(prompt), prompt.text, text, *more):
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


@dataclass(frozen=True, slots=True)
class Unasked:
    """Stands in for a model that is not called: its kept answers are found by its name; every new question is unanswered."""

    name: str

    async def answer(self, prompt: Prompt, text: str, form: type[Form]) -> Answer[Form]:
        """Raises ProviderUnavailable."""
        raise ProviderUnavailable("No answer to this is kept.")

    async def close(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True, slots=True)
class FreshAnswer:
    """An answer that was paid for, to be kept."""

    key: bytes
    answer: Mapping[str, Any]
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class _KeptAnswer:
    key: bytes
    answer: dict[str, Any]


class ModelAnswers:
    """The kept answers."""

    def __init__(self, postgres: Postgres, clock: Clock) -> None:
        self._postgres, self._clock = postgres, clock

    async def known(self, principal: Principal, keys: Sequence[bytes]) -> dict[bytes, Mapping[str, Any]]:
        """What is kept under these keys. Raises StoreUnavailable."""
        if not principal.owns or not keys:
            return {}
        known, parameters = sql_text("model/answers_known"), {"keys": list(keys)}
        found = await self._postgres.fetch(principal, known, parameters, row=_KeptAnswer)
        return {one.key: one.answer for one in found}

    async def keep(self, principal: Principal, model: str, prompt: Prompt, fresh: Sequence[FreshAnswer]) -> None:
        """Keeps answers, each once. Raises StoreUnavailable, StoreFull."""
        if not principal.owns or not fresh:
            return
        common = {"user_id": principal.user_id, "model": model, "prompt": str(prompt), "now": self._clock.now()}
        async with self._postgres.as_principal(principal) as connection:
            for one in fresh:
                row = common | asdict(one) | {"answer": Jsonb(dict(one.answer))}
                await connection.execute(sql_text("model/answer_keep"), row)


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


class AskedInsights:
    """One question for each build of a user."""

    def __init__(self, model: AskedModel, active: ActiveModel) -> None:
        self._model, self._active = model, active

    async def ask(self, principal: Principal, prompt: Prompt, text: str) -> GivenInsights | None:
        """The answer, or None where there is none. Raises StoreUnavailable."""
        questions = [ModelQuestion(text, 1)]
        [reply] = await self._model.answers(principal, prompt, questions, GivenInsights, Allowance(self._active))
        return reply.value
