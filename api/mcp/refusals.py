"""Answers to what is no message of the protocol: the library reads JSON strictly, and says nothing to what it cannot read."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
from pydantic import ValidationError
from pydantic_core import from_json


def refused(error: ValidationError) -> types.JSONRPCError | None:
    """The answer to a line that is no message; None for a notification, which is never answered."""
    given = [one["input"] for one in error.errors(include_url=False, include_context=False)]
    whole = next((one for one in given if isinstance(one, dict) and "jsonrpc" in one), given[0])
    return _refusal(_read(whole) if isinstance(whole, str) else whole)


def unreadable(body: bytes) -> types.JSONRPCError | None:
    """The answer to a body that is no message; None where it is one, or a notification."""
    try:
        types.jsonrpc_message_adapter.validate_python(from_json(body), by_name=False)
    except ValueError:
        return _refusal(_read(body.decode("utf-8", "replace")))
    return None


def _read(text: str) -> Any:
    """Read leniently: half of a surrogate pair is taken."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _refusal(sent: Any) -> types.JSONRPCError | None:
    if isinstance(sent, dict) and "method" in sent and "id" not in sent:
        return None
    number = sent.get("id") if isinstance(sent, dict) else None
    known = isinstance(number, int | str) and not isinstance(number, bool) and _is_unicode(number)
    code = types.PARSE_ERROR if sent is None else types.INVALID_REQUEST
    error = types.ErrorData(code=code, message=_problem(sent))
    return types.JSONRPCError(jsonrpc="2.0", id=number if known else None, error=error)


def _problem(sent: Any) -> str:
    if sent is None:
        return "This is not JSON."
    if not _is_unicode(sent):
        return "The message is not valid Unicode: it holds half of a surrogate pair (\\ud800 to \\udfff alone)."
    return "This is no message of JSON-RPC 2.0."


def _is_unicode(sent: Any) -> bool:
    try:
        json.dumps(sent, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
