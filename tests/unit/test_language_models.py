"""Language models behind a key: one behaviour for both SDKs, against a service that misbehaves over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from neo4j_graphrag.types import LLMMessage
from pydantic import BaseModel, Field, SecretStr

from engine.errors import CutAnswer, ProviderUnavailable, RequestRefused, SettingsError, UnusableAnswer
from engine.providers.language import Prompt, read_answer, schema_of
from engine.providers.services import FAILURES, ServiceModel
from engine.settings import Settings
from engine.wiring.models import language_model
from tests.model_server import (
    BROKEN,
    BUSY,
    CUT,
    ERROR_INSIDE,
    HANG,
    NOT_JSON,
    REFUSED,
    WRONG_FORM,
    Misbehaviour,
    ModelServer,
    model_server,
)

SOON_BROKEN, SOON_BUSY = Misbehaviour(500, retry_after="0.01"), Misbehaviour(429, retry_after="0.01")
PROMPT = Prompt("colours", 1, "Name the colour.")


class Inner(BaseModel):
    shade: str = ""
    share: float = Field(default=0.5, ge=0, le=1)


class Colour(BaseModel):
    colour: str
    inner: list[Inner] = []


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with model_server(lambda asked: {"colour": asked.text.upper(), "inner": []}) as running:
        yield running


def configured(server: ModelServer, provider: str, **changes: object) -> Settings:
    return Settings(
        _env_file=None,
        **{
            "language_model": f"{provider}:small",
            "openai_api_key": SecretStr("key"),
            "openai_base_url": server.openai,
            "anthropic_api_key": SecretStr("key"),
            "anthropic_base_url": server.anthropic,
            "language_model_timeout_s": 2,
            "language_model_retries": 2,
        }
        | changes,
    )


@pytest.fixture(params=["openai", "anthropic"])
async def model(request: pytest.FixtureRequest, server: ModelServer) -> AsyncIterator[ServiceModel]:
    service = language_model(configured(server, request.param))
    assert isinstance(service, ServiceModel)
    yield service
    await service.close()


async def test_an_answer_has_the_form_and_its_tokens(model: ServiceModel, server: ModelServer) -> None:
    answer = await model.answer(PROMPT, "red", Colour)
    assert (answer.value.colour, answer.input_tokens, answer.output_tokens) == ("RED", 100, 20)
    asked = server.requests[0]
    assert (asked.constrained, asked.model, asked.text) == (True, "small", "red")
    assert asked.system.startswith("Name the colour.")


async def test_the_model_is_an_interface_that_other_tools_take(model: ServiceModel) -> None:
    messages: list[LLMMessage] = [{"role": "user", "content": "blue"}]
    assert "BLUE" in (await model.llm.ainvoke(messages)).content
    assert "GREEN" in (await model.llm.ainvoke("green")).content


@pytest.mark.parametrize(
    "first", [BUSY, Misbehaviour(429, retry_after="0.01"), BROKEN, CUT], ids=["busy", "busy for a while", "500", "cut"]
)
async def test_what_fails_for_a_moment_is_tried_again(
    model: ServiceModel, server: ModelServer, first: Misbehaviour
) -> None:
    server.script = [first]
    assert (await model.answer(PROMPT, "red", Colour)).value.colour == "RED"
    assert len(server.requests) == 2


async def test_the_pause_is_as_long_as_the_service_says(model: ServiceModel, server: ModelServer) -> None:
    server.script = [Misbehaviour(429, retry_after="1.3")]  # longer than the first pause of its own
    await model.answer(PROMPT, "red", Colour)
    assert server.requests[1].at - server.requests[0].at >= 1.3


@pytest.mark.parametrize(
    "answers",
    [[SOON_BROKEN] * 3, [SOON_BUSY] * 3, [CUT] * 3, [Misbehaviour(401)], [Misbehaviour(404)]],
    ids=["500", "429", "cut", "401", "404"],
)
async def test_a_service_that_fails_for_good_is_one_error(
    model: ServiceModel, server: ModelServer, answers: list[Misbehaviour]
) -> None:
    server.script = list(answers)
    with pytest.raises(ProviderUnavailable) as caught:
        await model.answer(PROMPT, "red", Colour)
    assert not isinstance(caught.value, UnusableAnswer)
    assert len(server.requests) == len(answers)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_a_service_that_hangs_is_left(server: ModelServer, provider: str) -> None:
    service = language_model(configured(server, provider, language_model_timeout_s=0.2, language_model_retries=1))
    assert service is not None
    server.script = [HANG, HANG]
    with pytest.raises(ProviderUnavailable):
        await service.answer(PROMPT, "red", Colour)
    assert len(server.requests) == 2
    await service.close()


@pytest.mark.ledger("L02")
@pytest.mark.parametrize(
    "scripted",
    [ERROR_INSIDE, NOT_JSON, WRONG_FORM, Misbehaviour(body=b"{}"), Misbehaviour(content="")],
    ids=["an error inside", "prose", "another form", "nothing", "empty"],
)
async def test_an_answer_that_cannot_be_used_says_so(
    model: ServiceModel, server: ModelServer, scripted: Misbehaviour
) -> None:
    server.script = [scripted]
    with pytest.raises(UnusableAnswer) as caught:
        await model.answer(PROMPT, "red", Colour)
    assert len(server.requests) == 1
    paid = scripted in (NOT_JSON, WRONG_FORM)
    assert (caught.value.input_tokens, caught.value.output_tokens) == ((100, 20) if paid else (0, 0))
    assert "sorry" not in caught.value.detail


async def test_json_inside_prose_is_found(model: ServiceModel, server: ModelServer) -> None:
    server.script = [Misbehaviour(content='Sure {as you like}:\n```json\n{"colour": "red", "inner": []}\n```\nBye.')]
    assert (await model.answer(PROMPT, "red", Colour)).value.colour == "red"


FINAL = '{"colour": "red", "inner": []}'
DRAFT = '{"colour": "blue", "inner": []}'


@pytest.mark.parametrize(
    "answer",
    [
        f"<think>A draft: {DRAFT} no.</think>{FINAL}", f"{DRAFT} is wrong.</think>\n{FINAL}", f"{DRAFT}\nBetter: {FINAL}",
        f"<reasoning>{DRAFT}</reasoning> {FINAL}", f"[THINK]{DRAFT}[/THINK]{FINAL}", f"{FINAL}<thinking>or {DRAFT}</thinking>",
        "<think>" + "{x} " * 400 + f"</think>{FINAL}", f"{FINAL} <scratchpad> {DRAFT}",
        f"◁think▷{DRAFT}◁/think▷{FINAL}", f"<|begin_of_thought|>{DRAFT}<|end_of_thought|>{FINAL}",
    ],
)  # fmt: skip
def test_the_last_object_outside_of_reasoning_is_the_answer(answer: str) -> None:
    assert read_answer(answer, Colour).colour == "red"


@pytest.mark.parametrize("answer", [f"<think>{DRAFT}</think> I do not know.", f"<think>{DRAFT}", f"{DRAFT}</thought>"])
def test_a_draft_is_no_answer(answer: str) -> None:
    with pytest.raises(UnusableAnswer):
        read_answer(answer, Colour)


def test_a_mark_of_reasoning_inside_a_text_is_text() -> None:
    assert read_answer('{"colour": "</think> or <think>", "inner": []}', Colour).colour == "</think> or <think>"


@pytest.mark.parametrize("answer", [FINAL[:-5], f"{DRAFT} no, {FINAL[:-1]}", "", '{"inner": [{"shade": "x"}'])
async def test_an_answer_that_was_cut_says_so(model: ServiceModel, server: ModelServer, answer: str) -> None:
    server.script = [Misbehaviour(content=answer, at_limit=True)]
    with pytest.raises(CutAnswer, match="cut") as caught:
        await model.answer(PROMPT, "red", Colour)
    assert caught.value.output_tokens == 20 and len(server.requests) == 1


async def test_prose_behind_a_whole_answer_may_be_cut(model: ServiceModel, server: ModelServer) -> None:
    server.script = [Misbehaviour(content=f"{FINAL} I hope that", at_limit=True)]
    assert (await model.answer(PROMPT, "red", Colour)).value.colour == "red"


async def test_the_form_is_sent_once_until_a_service_does_not_keep_to_it(
    model: ServiceModel, server: ModelServer
) -> None:
    server.script = [Misbehaviour(content=FINAL), WRONG_FORM, Misbehaviour(content=FINAL)]
    await model.answer(PROMPT, "red", Colour)
    with pytest.raises(UnusableAnswer):
        await model.answer(PROMPT, "red", Colour)
    await model.answer(PROMPT, "red", Colour)
    assert [("schema" in asked.system, asked.constrained) for asked in server.requests] == [
        (False, True),
        (False, True),
        (True, True),
    ]


async def test_a_service_without_constraints_is_asked_without(model: ServiceModel, server: ModelServer) -> None:
    server.script = [REFUSED]
    assert (await model.answer(PROMPT, "red", Colour)).value.colour == "RED"
    assert [asked.constrained for asked in server.requests] == [True, False]
    await model.answer(PROMPT, "blue", Colour)
    assert not server.requests[2].constrained


async def test_a_request_that_is_refused_anyway_is_not_the_constraint(model: ServiceModel, server: ModelServer) -> None:
    server.script = [REFUSED, REFUSED]
    with pytest.raises(RequestRefused):
        await model.answer(PROMPT, "red", Colour)
    await model.answer(PROMPT, "red", Colour)
    assert server.requests[2].constrained


async def test_calls_at_once_are_bounded(server: ModelServer) -> None:
    service = language_model(configured(server, "openai", language_model_concurrency=3))
    assert service is not None
    server.pause = 0.1
    answers = await asyncio.gather(*(service.answer(PROMPT, f"c{number}", Colour) for number in range(12)))
    assert [answer.value.colour for answer in answers] == [f"C{number}" for number in range(12)]
    assert server.most_at_once == 3
    await service.close()


async def test_a_silent_service_is_left_alone_for_a_while(server: ModelServer) -> None:
    service = language_model(configured(server, "openai", language_model_retries=0))
    assert service is not None
    server.script = [BROKEN] * FAILURES
    for _ in range(FAILURES + 2):
        with pytest.raises(ProviderUnavailable):
            await service.answer(PROMPT, "red", Colour)
    assert len(server.requests) == FAILURES
    await service.close()


@pytest.mark.parametrize("name", ["gpt", "openai:", "other:model"])
def test_another_name_is_refused(server: ModelServer, name: str) -> None:
    with pytest.raises(SettingsError, match="openai:NAME"):
        language_model(configured(server, "openai", language_model=name))


def test_a_key_is_asked_for_unless_the_service_is_ones_own(server: ModelServer) -> None:
    with pytest.raises(SettingsError, match="ANTHROPIC_API_KEY"):
        language_model(configured(server, "anthropic", anthropic_api_key=None, anthropic_base_url=None))
    assert language_model(configured(server, "openai", openai_api_key=None)) is not None
    assert language_model(configured(server, "openai", language_model=None)) is None


def test_the_form_is_closed_for_those_who_constrain() -> None:
    schema = schema_of(Colour)
    assert schema["required"] == ["colour", "inner"] and schema["additionalProperties"] is False
    inner = schema["$defs"]["Inner"]
    assert inner["required"] == ["shade", "share"] and inner["additionalProperties"] is False
    assert inner["properties"]["share"] == {"type": "number"}


@pytest.mark.parametrize("text", ["{" * 10_000, '{"a":' * 5000, "", "[1, 2]", '{"colour": 1}', "nul\x00 {"])
def test_no_text_breaks_the_reading(text: str) -> None:
    with pytest.raises(UnusableAnswer):
        read_answer(text, Colour)
