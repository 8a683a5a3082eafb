"""What opens something is opened by a clear yes alone: every boolean that a caller or a model gives is known here, and says which way
an unclear value goes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, get_args, get_origin, get_type_hints
from uuid import UUID

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from api.app import ROUTERS  # with them the bodies of all requests are there
from api.mcp.tools import TOOLS
from engine.domain.grant import NewGrant
from engine.domain.written import Body
from engine.errors import InvalidInput
from engine.ingest.extraction import form
from engine.memory import Memory

TEXT = {"text": "Ellen sold the boat."}
UNCLEAR = ("true", "True", "yes", "on", "1", 1, 1.0, "false", "no", 0, "", [], {}, [True])
OPENS = {
    "NewGrantBody.past": "the past of a node",
    "*.again": "what was forgotten, to be stored anew",
    "delete_memory.forever": "the way of no return",
    "RetentionRuleBody.everything": "all records, to be erased by age",
}
"""Booleans that open, store anew or erase, and what: only the JSON value true does so."""
OPENS_NOTHING = {
    "*.partial", "*.relations", "*.explain", "*.recall",  # the form of an answer
    "*.ended", "*.archived",  # what is shown to whom may see it anyway; changes that have their way back
    "*.correction",  # which time a change holds from
    "*.force",  # for the operator: vectors
}  # fmt: skip


def bodies(of: type[BaseModel] = Body) -> Iterator[type[BaseModel]]:
    for one in of.__subclasses__():
        yield one
        yield from bodies(one)


def booleans() -> dict[str, TypeAdapter[Any]]:
    """Every boolean in the body of a request, or among the arguments of a tool."""
    given: dict[str, Any] = {
        f"{one.__name__}.{name}": Annotated[field.annotation, field]
        for one in bodies()
        for name, field in one.model_fields.items()
    }
    for tool_name, tool in TOOLS.items():
        kinds = get_type_hints(tool.fn, include_extras=True)
        given |= {f"{tool_name}.{name}": kind for name, kind in kinds.items() if name != "return"}
    return {name: TypeAdapter(kind) for name, kind in given.items() if bool in (plain(kind), *get_args(plain(kind)))}


def plain(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def listed(name: str, among: Any) -> bool:
    return name in among or f"*.{name.split('.')[1]}" in among


FOUND = booleans()


def test_every_boolean_is_known() -> None:
    assert len(ROUTERS) > 20 and len(FOUND) > 15
    assert {name for name in FOUND if listed(name, OPENS) == listed(name, OPENS_NOTHING)} == set()


@pytest.mark.ledger("F12")
@pytest.mark.parametrize("name", sorted(name for name in FOUND if listed(name, OPENS)))
def test_what_is_unclear_opens_nothing(name: str) -> None:
    assert FOUND[name].validate_python(True) is True and FOUND[name].validate_python(False) is False
    for value in UNCLEAR:
        with pytest.raises(ValidationError):
            FOUND[name].validate_python(value)


@pytest.mark.parametrize("value", [value for value in UNCLEAR if not isinstance(value, float)])
def test_from_python_too(value: Any) -> None:
    with pytest.raises(InvalidInput):
        NewGrant(UUID(int=1), "persona", UUID(int=2), past=value).checked()
    with pytest.raises(InvalidInput):
        Memory.anew(None, value)  # type: ignore[arg-type]


@pytest.mark.ledger("F12")
@pytest.mark.parametrize(
    "value", [*(one for one in UNCLEAR if one not in ("false", "no", 0)), None, "perhaps", "privat", "n/a?", 2]
)
def test_what_a_model_calls_private_in_any_form_is_private(value: Any) -> None:
    assert form.ExtractedObservation.model_validate(TEXT | {"private": value}).private
    assert form.ExtractedObservation.model_validate(TEXT).private
    for clear in (False, 0, "false", "no", " No "):
        assert not form.ExtractedObservation.model_validate(TEXT | {"private": clear}).private
