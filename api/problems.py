"""Problem details (RFC 9457): the format of all errors of the API, and the table that maps errors to them."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match, Route

from api.headers import SECURITY_HEADERS
from api.observing import TRACE_ID, route_of
from engine import errors
from engine.domain.problems import TABLE, UNEXPECTED, ProblemKind, kind_of, members_of

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
MOST_ERRORS = 20
LONGEST_PLACE = 200
PROVIDER_RETRY = 5.0
"""Seconds after which a request to a model service may be retried."""


BY_NAME = {
    "user_id": "a user is found by handle with GET /v1/users/by-handle/HANDLE.",
    "node_id": "nodes are found by name with GET /v1/users/USER_ID/anchors?name=NAME.",
    "entity_id": "entities are found by name with GET /v1/users/USER_ID/entities?name=NAME.",
}
"""Requests that give the ids which these fields take."""
INVALID = TABLE[errors.InvalidInput]
_HTTP = {
    400: ProblemKind(400, "malformed", "The request cannot be read."),
    401: ProblemKind(401, "unauthenticated", "A valid bearer token is needed."),
    403: ProblemKind(403, "local-only", "Without a token the API serves only its own machine."),
    404: TABLE[errors.NotFound],
    405: ProblemKind(405, "method-not-allowed", "This resource does not support the method."),
    408: ProblemKind(408, "too-slow", "The body of the request did not arrive in time."),
    409: TABLE[errors.Conflict],
    412: TABLE[errors.Outdated],
    413: TABLE[errors.TooLarge],
    415: TABLE[errors.WrongContentType],
    422: INVALID,
    429: ProblemKind(429, "too-many-requests", "Too many requests; retry after the time in Retry-After."),
    500: UNEXPECTED,
    503: TABLE[errors.StoreUnavailable],
    507: TABLE[errors.StoreFull],
}
_HEADERS: Mapping[int, Mapping[str, str]] = {
    401: {"WWW-Authenticate": "How to authenticate."},
    409: {"Retry-After": "Seconds after which to retry, if the same request is still in progress."},
    **{status: {"Retry-After": "Seconds after which to retry."} for status in (429, 503, 507)},
}


def problem(
    kind: ProblemKind, instance: str, detail: str = "", *, headers: Mapping[str, str] | None = None, **members: Any
) -> JSONResponse:
    """The response for a problem; other members are added to the standard ones."""
    content = members_of(kind, instance, detail or kind.title)
    return JSONResponse(content | members, kind.status, dict(headers or {}), MEDIA_TYPE)


def http_kind(status: int) -> ProblemKind:
    """The kind of problem for a plain HTTP status."""
    return _HTTP.get(status) or ProblemKind(status, "http", HTTPStatus(status).phrase)


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI responses of these problem statuses."""
    schema = {"$ref": "#/components/schemas/Problem"}
    documents: dict[int | str, dict[str, Any]] = {}
    for status in statuses:
        kind = http_kind(status)
        content = {MEDIA_TYPE: {"schema": schema, "example": members_of(kind, "/v1/users", kind.title)}}
        documents[status] = {"description": kind.title, "content": content}
        if status in _HEADERS:
            documents[status]["headers"] = {
                name: {"description": about, "schema": {"type": "string"}} for name, about in _HEADERS[status].items()
            }
    return documents


def share_problems(document: dict[str, Any]) -> None:
    """Moves problems that several operations document in the same way to the components: else they are half of the document."""
    shared: dict[str, Any] = {}
    for methods in document["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                name = f"Problem{status}"
                if MEDIA_TYPE in answer.get("content", {}) and shared.setdefault(name, answer) == answer:
                    operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    document["components"]["responses"] = shared


WRITES = documented(400, 409, 413, 415, 507)
"""Why a request with a JSON body may be refused, beside what every request may be refused for (see `api.app`)."""


def answered(status: int, model: object, about: str) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI response of another success status."""
    return {status: {"model": model, "description": about}}


def replayable(*responses: dict[int | str, dict[str, Any]], created: bool = True) -> dict[int | str, dict[str, Any]]:
    """The OpenAPI responses of a write that takes an idempotency key: 201 where it creates something, and others."""
    merged: dict[int | str, dict[str, Any]] = {201: {}} if created else {}
    for response in responses:
        merged |= response
    header = {"description": "`true` if this is the kept answer of an earlier request.", "schema": {"type": "string"}}
    replayed = {"Idempotency-Replayed": header}
    return {status: about | {"headers": about.get("headers", {}) | replayed} for status, about in merged.items()}


async def engine_problem(request: Request, error: Exception) -> Response:
    """The response for an engine error. Messages of internal errors are not sent to the caller."""
    kind = kind_of(type(error))
    if not isinstance(error, errors.NeurigraphError) or kind is None:
        raise error  # a bug: logged with its traceback, answered by `unexpected_problem`
    if isinstance(error, errors.StoreFailed):
        log.error(
            "%s: %s", route_of(request.scope), error.detail, exc_info=error
        )  # the store's own message is only logged
    named = {name: str(value) for name in ("node_id", "commit_id") if (value := getattr(error, name, None))}
    return problem(kind, request.url.path, error.detail, headers=_retry(error), **named)


async def validation_problem(request: Request, error: Exception) -> Response:
    """The response for a request that does not fit its schema; it names the fields, never their values."""
    found = error.errors() if isinstance(error, RequestValidationError) else []
    texts = [(_place(entry["loc"]), _wrong(entry)) for entry in found[:MOST_ERRORS]]
    places = [{"location": location, "detail": detail} for location, detail in texts]
    first = ": ".join(texts[0]) if texts else ""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return problem(INVALID, request.url.path, first + more, errors=places)


async def http_problem(request: Request, error: Exception) -> Response:
    """The response for unknown paths and methods, and for refusals of the API itself."""
    assert isinstance(error, HTTPException)
    headers, kind = dict(error.headers or {}), http_kind(error.status_code)
    if error.status_code == 405:
        headers["Allow"] = ", ".join(sorted(_methods(request)))
    own_words = error.detail != HTTPStatus(error.status_code).phrase
    return problem(kind, request.url.path, error.detail if own_words else "", headers=headers)


async def gone_problem(request: Request, _: Exception) -> Response:
    """The response after the client disconnected while sending; it is not received."""
    return problem(http_kind(400), request.url.path, "The request ended before its body did.")


async def unexpected_problem(request: Request, _: Exception) -> Response:
    """The response for all other errors, without details; the traceback is logged. Sent outside all middleware; the server closes
    the connection after it, so it says so: a client that did not know would lose its next request."""
    known = {TRACE_ID: trace} if (trace := getattr(request.state, "trace_id", "")) else {}
    return problem(UNEXPECTED, request.url.path, headers={**SECURITY_HEADERS, **known, "Connection": "close"})


def _retry(error: errors.NeurigraphError) -> dict[str, str]:
    if isinstance(error, errors.StoreUnavailable | errors.Rehydrating | errors.InProgress):
        return {"Retry-After": str(max(1, math.ceil(error.retry_after)))}
    if isinstance(error, errors.ProviderUnavailable):
        return {"Retry-After": str(math.ceil(error.retry_after or PROVIDER_RETRY))}
    return {}


def _wrong(entry: Mapping[str, Any]) -> str:
    """What is wrong with a field; where a name stands for an id, the request that finds it by name."""
    if entry["type"] in ("uuid_parsing", "uuid_type") and (by_name := BY_NAME.get(entry["loc"][-1])):
        return f"This is not an id; {by_name}"
    return str(entry["msg"]).removeprefix("Value error, ")


def _place(location: Sequence[Any]) -> str:
    # A capitalised name is the chosen branch of a union, not a field of the request.
    parts = [part for part in location if not (isinstance(part, str) and part.isupper())]
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts)
    return text.removeprefix(".")[:LONGEST_PLACE]


def _methods(request: Request) -> set[str]:
    """The methods of all routes that match the path; a router reports only those of the first match."""
    found: set[str] = set()
    for route in request.app.state.routes:
        if isinstance(route, Route) and route.matches(dict(request.scope))[0] is not Match.NONE:
            found |= route.methods or set()
    return found - {"HEAD"}
