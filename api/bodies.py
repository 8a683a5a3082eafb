"""JSON bodies, read strictly: UTF-8, one value, no text that a database could not hold."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
from inspect import Parameter, Signature, signature
from typing import Any, NoReturn, get_type_hints

from fastapi import Body
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from engine.errors import InvalidText, WrongContentType
from engine.turns import computed

AT_ONCE = 1 << 16
"""Bytes that are parsed at once; larger bodies are queued for processor time."""

_ESCAPED = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
"""Only these escapes can produce NUL or half a surrogate pair."""
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class JsonRoute(APIRoute):
    """A route whose body, if it takes one, must be JSON; no body is `{}` where no field is required."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **more: Any) -> None:
        endpoint.__signature__ = _with_default_body(endpoint)  # type: ignore[attr-defined]
        super().__init__(path, endpoint, **more)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler; it gets the body already read and parsed."""
        handle = super().get_route_handler()

        async def read_and_handle(request: Request) -> Response:
            if request.method not in ("POST", "PUT", "PATCH"):
                return await handle(request)
            parsed = JsonRequest(request.scope, request.receive)
            needed = self.body_field is not None and self.body_field.field_info.is_required()
            if needed or await parsed.body():  # `curl -X POST` sends neither a body nor its type
                check_content_type(request)
                await parsed.json()
            return await handle(parsed)

        return read_and_handle


def _with_default_body(endpoint: Callable[..., Any]) -> Signature:
    """What an endpoint takes, with a default for a body without required fields: FastAPI documents it as not required, too."""
    taken, types = signature(endpoint), get_type_hints(endpoint)
    parameters = []
    for one in taken.parameters.values():
        model = types[one.name]
        if (
            isinstance(model, type)
            and issubclass(model, BaseModel)
            and not any(field.is_required() for field in model.model_fields.values())
        ):
            one = one.replace(default=Body(default_factory=model))
        parameters.append(one.replace(kind=Parameter.KEYWORD_ONLY))  # where those without a default may follow
    return taken.replace(parameters=parameters)


class JsonRequest(Request):
    """A request whose JSON is parsed by the rules of this module."""

    async def json(self) -> Any:
        """The parsed body; raises HTTPException (400) and InvalidText."""
        if not hasattr(self, "_parsed"):
            body = await self.body()
            self._parsed = parsed_json(body) if len(body) <= AT_ONCE else await computed(parsed_json, body)
        return self._parsed


def check_content_type(request: Request, expected: str = "application/json") -> None:
    """Raises WrongContentType for anything but this media type, plain, in UTF-8."""
    media_type, _, parameters = request.headers.get("content-type", "").partition(";")
    charset = re.search(r"charset=\"?([^\s;\"]+)", parameters, re.IGNORECASE)
    if media_type.strip().lower() != expected or (charset and charset[1].lower() not in ("utf-8", "utf8")):
        raise WrongContentType(f"This body is {expected} in UTF-8.")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise WrongContentType("Bodies are sent uncompressed.")


def parsed_json(body: bytes) -> Any:
    """The value of a JSON text. Raises HTTPException (400) saying where it is malformed, InvalidText saying
    which string cannot be stored."""
    try:
        text = body.decode("utf-8")
        value = json.loads(text, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise HTTPException(400, f"The body is not UTF-8: byte {error.start} cannot be read.") from error
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise HTTPException(400, f"The body is not JSON: {error.msg} ({place}).") from error
    except RecursionError as error:
        raise HTTPException(400, "The body is nested too deeply.") from error
    except ValueError as error:
        raise HTTPException(400, f"The body holds a number that cannot be read: {error}.") from error
    if _ESCAPED.search(text):
        _check_strings(value)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _check_strings(value: Any) -> None:
    """Raises InvalidText for the first string, key or value, with NUL or half a surrogate pair."""
    waiting = [(value, "body")]
    while waiting:
        part, place = waiting.pop()
        if isinstance(part, str) and (found := _UNSTORABLE.search(part)):
            what = "a NUL character" if found[0] == "\x00" else "half a surrogate pair"
            raise InvalidText(f"{place} holds {what} (character {found.start() + 1}).")
        if isinstance(part, list):
            waiting.extend((entry, f"{place}[{index}]") for index, entry in enumerate(part))
        elif isinstance(part, dict):
            waiting.extend((key, f"a key of {place}") for key in part)
            waiting.extend((entry, f"{place}.{key}") for key, entry in part.items() if not _UNSTORABLE.search(key))
