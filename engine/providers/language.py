"""What a language model is: one call that takes a prompt, a text and the form of the answer; and the fields of such forms.

No read depends on a model: it is called when content is stored, never for a search.

In an answer what is odd costs its field, an odd entry costs that entry:

    tags: "a, b" → ["a", "b"]      summary: ["a", "b"] → "a b"      line: "3" → 3      private: "true", null → true

Only where nothing of a list that matters can be read, the answer has not the form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import isfinite
from typing import Annotated, Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from engine.errors import CutAnswer, UnusableAnswer
from engine.language.tables import all_listed

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

LONGEST_TEXT, LONGEST_NAME = 2000, 200
MOST_NAMES = 24
_NOTHING = frozenset(("none", "null", "n/a"))
"""Texts that a model writes for no text."""
_NO = frozenset(("false", "0", "public", *all_listed("negation", "answer")))
_LIST = re.compile(r"\s*[,;\n]\s*")
_NUMBER = re.compile(r"\s*\[?(\d{1,9})(?:\.0+)?\]?\s*")
_PLAIN_ENTRY = ("text", "fact", "statement", "observation", "content", "description", "summary", "value")
"""Names under which a model gives the text of an entry, the right one first."""


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


def text_of(value: Any, longest: int) -> str:
    """A text on one line without what no text column holds; empty where there is none."""
    if isinstance(value, list):
        value = " ".join(one for one in value if isinstance(one, str))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return ""
    clean = value.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8")
    return " ".join(clean.split())[:longest]


def _said(value: Any, longest: int) -> str:
    """A text that says something: a number is none, nor is "none"."""
    text = "" if isinstance(value, int | float) else text_of(value, longest)
    if not text or text.casefold().rstrip(".") in _NOTHING:
        raise ValueError("no text")
    return text


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        value = _LIST.split(value)
    if not isinstance(value, list):
        return []
    names = (text_of(name, LONGEST_NAME) for name in value if not isinstance(name, list))
    return list(dict.fromkeys(name for name in names if name))[:MOST_NAMES]


def _share(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return 0.5
    return min(1.0, max(0.0, number)) if isfinite(number) else 0.5


def number_of(value: Any) -> int | None:
    """A number of a line or an entry, also as text; None where it is none."""
    if isinstance(value, str) and (found := _NUMBER.fullmatch(value)):
        value = int(found[1])
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31 else None


def _number(value: Any) -> int:
    number = number_of(value)
    if number is None:
        raise ValueError("no number")
    return number


def _numbers(value: Any) -> list[int]:
    if isinstance(value, str):
        value = re.findall(r"\d{1,9}", value)
    found = (number_of(one) for one in (value if isinstance(value, list) else [value]))
    return list(dict.fromkeys(one for one in found if one is not None))[:1000]


def _yes(value: Any) -> bool:
    """Only what is clearly true."""
    return value is True or (isinstance(value, str) and value.strip().casefold() == "true")


def _not_no(value: Any) -> bool:
    """All but what is clearly false: what is unclear is private."""
    if isinstance(value, int | float):
        return value != 0
    return not (isinstance(value, str) and value.strip().casefold() in _NO)


Text = Annotated[str, BeforeValidator(lambda value: "" if isinstance(value, int) else text_of(value, LONGEST_TEXT))]
Said = Annotated[str, BeforeValidator(partial(_said, longest=LONGEST_TEXT))]
Name = Annotated[str, BeforeValidator(partial(text_of, longest=LONGEST_NAME))]
GivenName = Annotated[str, BeforeValidator(partial(_said, longest=LONGEST_NAME))]
Names = Annotated[list[str], BeforeValidator(_names)]
Share = Annotated[float, BeforeValidator(_share)]
Line = Annotated[int, BeforeValidator(lambda value: number_of(value) or 0)]
Number = Annotated[int, BeforeValidator(_number)]
Numbers = Annotated[list[int], BeforeValidator(_numbers)]
Yes = Annotated[bool, BeforeValidator(_yes)]
Private = Annotated[bool, BeforeValidator(_not_no), Field(validate_default=True)]


def entries(form: type[BaseModel], most: int, *, plain: str = "", needed: bool = False) -> Callable[[Any], Any]:
    """Reads a list entry by entry; what has not the form is left out. `plain`: the field that an entry of only a text fills;
    `needed`: a list of which nothing can be read, or no list, is a failure of the whole answer."""

    def read(value: Any) -> list[BaseModel]:
        given = [] if value is None else [value] if isinstance(value, dict | str) and value else value
        if not isinstance(given, list):
            given, value = [], given
        found = [one for entry in given if (one := _entry(form, entry, plain)) is not None]
        if needed and not found and value not in (None, [], ""):
            raise ValueError("nothing of the list can be read")
        return found[:most]

    return read


def _entry(form: type[BaseModel], entry: Any, plain: str) -> BaseModel | None:
    if plain and isinstance(entry, str):
        entry = {plain: entry}
    if plain == "text" and isinstance(entry, dict) and plain not in entry:
        entry = entry | {plain: next((entry[name] for name in _PLAIN_ENTRY if name in entry), None)}
    try:
        return form.model_validate(entry)
    except ValidationError:
        return None
