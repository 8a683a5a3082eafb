"""Each call of a model as a span and in the metrics: provider, model, tokens, cost; nothing of what it is given or says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from opentelemetry.trace import SpanKind

from engine.errors import UnusableAnswer
from engine.providers.language import Answer, Form, LanguageModel, Prompt
from engine.telemetry.metrics import MODEL_CALLS, MODEL_COST, MODEL_SECONDS, MODEL_TOKENS
from engine.telemetry.stages import Spanning, described


@contextmanager
def called(provider: str, model: str, use: str, **counts: int) -> Iterator[Spanning]:
    """A call of a model inside; `use`: `answer` or `embed`."""
    call = Spanning(f"model {use}", SpanKind.CLIENT)
    described(call.span, {"gen_ai.provider.name": provider, "gen_ai.request.model": model, **_own(counts)})
    outcome = "answered"
    try:
        with call:
            yield call
    except BaseException as error:
        outcome = type(error).__name__
        raise
    finally:
        MODEL_CALLS.labels(provider, model, use, outcome).inc()
        MODEL_SECONDS.labels(provider, model, use).observe(call.seconds)


def took(provider: str, model: str, tokens_in: int, tokens_out: int = 0) -> None:
    """Tokens that a service counted."""
    MODEL_TOKENS.labels(provider, model, "in").inc(tokens_in)
    if tokens_out:
        MODEL_TOKENS.labels(provider, model, "out").inc(tokens_out)


class ObservedModel:
    """A language model whose calls are counted. `prices`: of a million tokens in and out, or empty."""

    def __init__(self, inner: LanguageModel, prices: Sequence[float]) -> None:
        self.inner, self._prices = inner, prices
        provider, _, model = inner.name.partition(":")
        self._who = (provider, model or provider)

    @property
    def name(self) -> str:
        return self.inner.name

    async def answer(self, prompt: Prompt, text: str, form: type[Form]) -> Answer[Form]:
        with called(*self._who, "answer") as call:
            try:
                answer = await self.inner.answer(prompt, text, form)
            except UnusableAnswer as error:
                self._took(call, error.input_tokens, error.output_tokens)
                raise
            self._took(call, answer.input_tokens, answer.output_tokens)
            return answer

    def _took(self, call: Spanning, given: int, taken: int) -> None:
        took(*self._who, given, taken)
        facts: dict[str, float] = {"gen_ai.usage.input_tokens": given, "gen_ai.usage.output_tokens": taken}
        if self._prices:
            cost = (given * self._prices[0] + taken * self._prices[1]) / 1e6
            MODEL_COST.labels(*self._who).inc(cost)
            facts["neurigraph.cost"] = cost
        described(call.span, facts)

    async def close(self) -> None:
        await self.inner.close()


def _own(counts: dict[str, int]) -> dict[str, int]:
    return {f"neurigraph.{name}": count for name, count in counts.items()}
