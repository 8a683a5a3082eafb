"""Language models behind a key, through the official SDKs as neo4j-graphrag wraps them.

`ServiceModel.llm` is that library's own interface, so whatever takes one can use the engine's model; and a model that came
as such an interface works for the engine. The SDKs repeat what failed for a moment (with growing, jittered pauses, or as
long as Retry-After says); how many calls run at once, and how long a call may take in all, is bounded here.

Loaded only when a model is configured: the import is slow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextvars import ContextVar
from time import monotonic
from typing import Any, cast

import anthropic
import openai
from anthropic.types import MessageParam
from neo4j_graphrag.exceptions import LLMGenerationError
from neo4j_graphrag.llm import AnthropicLLM, LLMResponse, OpenAILLM
from neo4j_graphrag.llm.base import LLMBase
from neo4j_graphrag.types import LLMMessage
from neo4j_graphrag.utils.rate_limit import NoOpRateLimitHandler

from engine.errors import CutAnswer, ProviderUnavailable, RequestRefused, UnusableAnswer
from engine.providers.language import Answer, Form, Prompt, read_answer, schema_of, system_message
from engine.telemetry.stages import handed_on

MOST_ANSWER_TOKENS = 16_000
"""Most tokens of one answer of Anthropic's models, whose API requires a limit."""
PAUSES = 30.0
"""Seconds that the pauses between the attempts of one call may add to it."""
FAILURES = 3
REST = 30.0
"""After so many failed calls in a row the service is not called for so many seconds."""

_CUT = ("length", "max_tokens", "model_context_window_exceeded")
_ENDED: ContextVar[str] = ContextVar("ended", default="")
"""Why the answer of this task's last call ended."""

Limits = tuple[float, int, int]
"""Seconds an attempt, attempts after the first, calls at once."""


def openai_model(model: str, key: str, base_url: str | None, limits: Limits) -> ServiceModel:
    """A model of OpenAI, or of any service that speaks the chat completions protocol."""
    return ServiceModel(f"openai:{model}", OpenAILLM(model, **_options(key, base_url, limits)), limits)


def anthropic_model(model: str, key: str, base_url: str | None, limits: Limits) -> ServiceModel:
    """A model of Anthropic, or of any service that speaks the messages protocol."""
    options = _options(key, base_url, limits) | {"open_telemetry": False}  # its spans name the service's addresses
    llm = _Messages(model, {"max_tokens": MOST_ANSWER_TOKENS}, **options)
    return ServiceModel(f"anthropic:{model}", llm, limits)


def _options(key: str, base_url: str | None, limits: Limits) -> dict[str, Any]:
    timeout, retries, _ = limits
    client = {"base_url": base_url, "api_key": key, "timeout": timeout, "max_retries": retries}
    return {"rate_limit_handler": NoOpRateLimitHandler(), **client}


class _Messages(AnthropicLLM):
    """The library's class, except for how messages are made: its own way does not fit the SDK's present types."""

    def get_messages_v2(self, input: list[LLMMessage]) -> tuple[str | anthropic.Omit, Iterable[MessageParam]]:
        system = [message["content"] for message in input if message["role"] == "system"]
        said = [message for message in input if message["role"] != "system"]
        messages = [cast("MessageParam", {"role": message["role"], "content": message["content"]}) for message in said]
        return (system[-1] if system else anthropic.omit), messages


def _watch_ends(llm: LLMBase) -> None:
    """Notes why each answer ended: the library's answers do not say it."""
    calls: Any
    if isinstance(llm, AnthropicLLM):
        calls = llm.async_client.messages
    elif isinstance(llm, OpenAILLM):
        calls = llm.async_client.chat.completions
    else:
        return
    create = calls.create

    async def watched(*args: Any, **given: Any) -> Any:
        answer = await create(*args, **given)
        choices = getattr(answer, "choices", None)
        _ENDED.set(str(choices[0].finish_reason if choices else getattr(answer, "stop_reason", "")))
        return answer

    calls.create = watched


class ServiceModel:
    """A language model over an interface of neo4j-graphrag."""

    def __init__(self, name: str, llm: LLMBase, limits: Limits) -> None:
        self.name, self.llm = name, llm
        _watch_ends(llm)
        timeout, retries, at_once = limits
        self._longest = timeout * (retries + 1) + PAUSES
        self._gate = asyncio.Semaphore(at_once)
        self._constrained, self._told = True, False
        self._failures, self._rests_until = 0, 0.0

    async def answer(self, prompt: Prompt, text: str, form: type[Form]) -> Answer[Form]:
        async with self._gate:
            if monotonic() < self._rests_until:
                raise ProviderUnavailable(
                    f"{self.name} did not answer {self._failures} times; it is called again later."
                )
            try:
                response = await self._asked(prompt, text, form)
            except UnusableAnswer:
                self._failures = 0
                raise
            except ProviderUnavailable:
                self._failures += 1
                if self._failures >= FAILURES:
                    self._rests_until = monotonic() + REST
                raise
            self._failures = 0
        usage = response.usage
        spent = (usage.request_tokens or 0, usage.response_tokens or 0) if usage else (0, 0)
        try:
            return Answer(read_answer(response.content, form, cut=_ENDED.get() in _CUT), *spent)
        except UnusableAnswer as error:
            self._told = self._told or not isinstance(error, CutAnswer)
            raise type(error)(error.detail, input_tokens=spent[0], output_tokens=spent[1]) from error

    async def _asked(self, prompt: Prompt, text: str, form: type[Form]) -> LLMResponse:
        """One call with the form as a constraint; in the text in its place where the service does not know such constraints, and
        beside it once an answer did not keep to it: some services take a constraint and do nothing with it."""
        told: list[LLMMessage] = [
            {"role": "system", "content": system_message(prompt, form)},
            {"role": "user", "content": text},
        ]
        untold: list[LLMMessage] = [{"role": "system", "content": prompt.text}, told[1]]
        if self._constrained:
            try:
                constraint = self._constraint(prompt.name, schema_of(form))
                return await self._called(told if self._told else untold, constraint)
            except RequestRefused:
                answer = await self._called(told, None)
                self._constrained = False  # the constraint was the cause: without it the call succeeded
                return answer
        return await self._called(told, None)

    def _constraint(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        if isinstance(self.llm, AnthropicLLM):
            return {"format": {"type": "json_schema", "schema": schema}}
        return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}

    async def _called(self, messages: list[LLMMessage], constraint: dict[str, Any] | None) -> LLMResponse:
        _ENDED.set("")
        try:
            async with asyncio.timeout(self._longest):  # an SDK's own limit is for each silence and each attempt
                answer = await self.llm.ainvoke(messages, response_format=constraint, extra_headers=handed_on())
        except TimeoutError as error:
            raise ProviderUnavailable(f"{self.name} did not answer within {self._longest:g} s.") from error
        except LLMGenerationError as error:
            raise self._translated(error) from error
        except (TypeError, AttributeError, LookupError, ValueError) as error:  # an invalid body
            raise UnusableAnswer(f"{self.name} sent an invalid answer.") from error
        if not isinstance(answer.content, str) or not (answer.content.strip() or _ENDED.get() in _CUT):
            raise UnusableAnswer(f"{self.name} gave an empty answer.")
        return answer

    def _translated(self, error: LLMGenerationError) -> ProviderUnavailable:
        """The SDK's error in one sentence, without what was sent."""
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, openai.OpenAIError | anthropic.AnthropicError):
            cause = cause.__cause__ or cause.__context__
        if isinstance(cause, openai.BadRequestError | anthropic.BadRequestError):
            return RequestRefused(f"{self.name} refused the request (400).")
        if isinstance(cause, openai.APIStatusError | anthropic.APIStatusError):
            return ProviderUnavailable(f"{self.name} answered {cause.status_code}.")
        if cause is not None:
            return ProviderUnavailable(f"{self.name} did not answer.")
        return UnusableAnswer(f"{self.name} sent an invalid answer.")

    async def close(self) -> None:
        await self.llm.aclose()
