"""What a language model is: one call that takes a prompt, a text and the form of the answer.

No read depends on a model: it is called when content is stored, never for a search.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from engine.errors import CutAnswer, UnusableAnswer

MOST_FAILURES = 200
"""Places that are tried as the start of an object and are none."""
_NAMES = r"[\w:-]{0,20}(?:think|thought|reason|reflect|scratch|analy[sz]|draft|plan|monologue|deliberat)[\w-]{0,20}"
_MARK = re.compile(
    rf"(?P<close>[<\[◁]/{_NAMES}[>\]▷]|<\|end_of_{_NAMES}\|>|<\|channel\|>final)"
    rf"|[<\[◁]{_NAMES}[>\]▷]|<\|begin_of_{_NAMES}\|>|<\|channel\|>analysis|(?P<object>\{{)",
    re.IGNORECASE,
)
"""Where reasoning begins and ends, as models mark it, and where an object may begin."""
_DECODER = json.JSONDecoder(strict=False)


def answer_objects(text: str) -> tuple[list[dict[str, Any]], int, int]:
    """The whole objects outside of reasoning in their order, where the last one ends, and how many were begun that are none.

    What stands before an end of reasoning without a beginning is reasoning, too: some services leave out the first mark:

        <think>A draft: {"facts": ["Ida lives in Oslo."]}</think>{"facts": ["Ida lives in Bergen."]}    gives the second one
    """
    found: list[dict[str, Any]] = []
    last = failed = place = inside = 0
    while (mark := _MARK.search(text, place)) and failed < MOST_FAILURES:
        place = mark.end()
        if mark["close"]:
            found, failed, last = (found, failed, last) if inside else ([], 0, place)
            inside = max(inside - 1, 0)
        elif not mark["object"]:
            inside += 1
        elif not inside:
            try:
                one, place = _DECODER.raw_decode(text, mark.start())
                found.append(one)
                last = place
            except (ValueError, RecursionError):
                failed += 1
    return found, last, failed


Form = TypeVar("Form", bound=BaseModel)

_LIMITS = frozenset(
    "title default minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength minItems maxItems pattern format".split()
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """Instructions for a model. A changed text needs another version: kept answers are identified by it."""

    name: str
    version: int
    text: str

    def __str__(self) -> str:
        return f"{self.name}-{self.version}"


@dataclass(frozen=True, slots=True)
class Answer(Generic[Form]):
    """A valid answer and the tokens that it took, as the service counts them."""

    value: Form
    input_tokens: int
    output_tokens: int


def system_message(prompt: Prompt, form: type[BaseModel]) -> str:
    """The system message for a model: the prompt and the form of the answer."""
    schema = json.dumps(schema_of(form))
    return f"{prompt.text}\n\nAnswer with one JSON object of this schema and nothing else:\n{schema}"


class LanguageModel(Protocol):
    """Answers in a form. Real implementations: OpenAI's and Anthropic's services, and those that speak their protocols."""

    @property
    def name(self) -> str:
        """Provider and model, as `openai:gpt-5-mini`."""

    async def answer(self, prompt: Prompt, text: str, form: type[Form]) -> Answer[Form]:
        """The answer to one text, checked. Raises ProviderUnavailable, UnusableAnswer."""

    async def close(self) -> None:
        """Closes the connections."""


def schema_of(form: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a form in the subset that services constrain a model with: closed objects, no limits of values.

    What the schema leaves out is checked when the answer is read.
    """
    closed = _closed(form.model_json_schema())
    assert isinstance(closed, dict)
    return closed


def _closed(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: {name: _closed(part) for name, part in value.items()} if key in ("properties", "$defs") else _closed(value)
        for key, value in schema.items()
        if key not in _LIMITS
    }
    if "properties" in kept:
        kept |= {"additionalProperties": False, "required": list(kept["properties"])}
    return kept


def read_answer(text: str, form: type[Form], *, cut: bool = False) -> Form:
    """The form in an answer: the last whole object outside of reasoning that fits. `cut`: the service ended it at its limit, so
    it counts only where no object is left open. Raises UnusableAnswer, CutAnswer."""
    found, last, failed = answer_objects(text)
    if cut and (failed or not found or "{" in text[last:]):
        raise CutAnswer("The model's answer was cut at the limit of its length.")
    for candidate in reversed(found):
        try:
            return form.model_validate(candidate)
        except ValidationError:
            continue
    fault = "does not have the form that was asked for" if found else "holds no JSON"
    raise UnusableAnswer(f"The model's answer {fault}.")
