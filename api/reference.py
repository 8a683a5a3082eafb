"""The OpenAPI document as an HTML page, without scripts and external resources, and its examples: one for every request and every
answer, built from its own schemas.

A field gets the example of its model, else the usual value for its name (`usual.json`), else the simplest value of its
type. So a new route gets examples that fit its schema without any code.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

Document = Mapping[str, Any]

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1d2733}
@media (prefers-color-scheme:dark){body{background:#14181d;color:#dfe6ee}}
h2{margin-top:2.5rem}details{border-top:1px solid #8884;padding:.5rem 0}summary{cursor:pointer}
code,pre{font:14px/1.45 ui-monospace,monospace}pre{overflow:auto;background:#8881;padding:.7rem;border-radius:.4rem}
b{display:inline-block;min-width:3.5rem}td{padding:.1rem 1rem .1rem 0;vertical-align:top}"""
CODE = re.compile(r"`([^`]+)`")
POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'sha256-{}'"
Schema = Mapping[str, Any]

USUAL: Mapping[str, Any] = json.loads((Path(__file__).parent / "usual.json").read_text(encoding="utf-8"))
_ID = "2f1d8a52-5f4e-4f4e-9f0e-6a9d0a4b7c11"
_TIME = "2026-03-01T18:00:00Z"
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    "string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict,
}  # fmt: skip
_JSON = ("application/json", "text/event-stream")


async def reference(request: Request) -> HTMLResponse:
    """The page."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    return HTMLResponse(page(request.app.openapi()), headers={"Content-Security-Policy": POLICY.format(digest)})


def page(document: Document) -> str:
    """The document in HTML; all text is escaped."""
    info = document["info"]
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(info["title"])} REST</title>'
        '<meta name="viewport" content="width=device-width"><style>'
        + STYLE
        + f"</style><h1>{escape(info['title'])}</h1>"
        + _paragraphs(info["description"])
        + f'<p>For tools: <a href="/v1/openapi.json">openapi.json</a></p>{"".join(_listed(document))}</html>'
    )


def _paragraphs(markdown: str) -> str:
    return "".join(f"<p>{_text(one)}</p>" for one in markdown.strip().split("\n\n"))


def _text(markdown: str) -> str:
    """The only Markdown that descriptions have: code between backticks."""
    return CODE.sub(r"<code>\1</code>", escape(markdown))


def _listed(document: Document) -> Iterator[str]:
    group = ""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if operation["tags"][0] != group:
                group = operation["tags"][0]
                yield f"<h2>{escape(group)}</h2>"
            yield (
                f"<details><summary><b>{method.upper()}</b> <code>{escape(path)}</code></summary>"
                f"{_paragraphs(operation['description'])}{_parameters(operation)}{_body(operation)}"
                f"<table>{_answers(operation, document['components']['responses'])}</table></details>"
            )


def _parameters(operation: Document) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(one['name'])}</code><td>{one['in']}<td>{_text(one.get('description', ''))}"
        for one in operation.get("parameters", ())
    )
    return f"<table>{rows}</table>" if rows else ""


def _body(operation: Document) -> str:
    if "requestBody" not in operation:
        return ""
    [body] = operation["requestBody"]["content"].values()
    example = body["example"]
    text = (
        example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)
    )  # lines as they are
    return f"<pre>{escape(text)}</pre>"


def _answers(operation: Document, shared: Document) -> str:
    named = {
        status: shared.get(one.get("$ref", "").rpartition("/")[2], one)
        for status, one in operation["responses"].items()
    }
    return "".join(f"<tr><td>{status}<td>{_text(answer['description'])}" for status, answer in sorted(named.items()))


def add_examples(document: dict[str, Any]) -> None:
    """Adds an example to every required parameter, every body and every answer of the document."""
    schemas = document["components"]["schemas"]
    for operation in _operations(document):
        for parameter in operation.get("parameters", ()):
            if parameter["required"]:
                parameter.setdefault("example", _value(schemas, parameter["schema"], parameter["name"]))
        for content in operation.get("requestBody", {}).get("content", {}).values():
            content.setdefault("example", request_example(schemas, content["schema"]))
        for answer in operation["responses"].values():
            for media, content in answer.get("content", {}).items():
                example = _value(schemas, content["schema"], "") if media in _JSON else USUAL["content"]
                content.setdefault("example", example)


def request_example(schemas: Mapping[str, Schema], schema: Schema) -> Any:
    """A body: the model's own example, else one with its required fields and the fields that have an example."""
    model = _resolved(schemas, schema)
    if "examples" in model:
        return model["examples"][0]
    required = model.get("required", ())
    fields = model.get("properties", {}).items()
    return {name: _value(schemas, field, name) for name, field in fields if name in required or "examples" in field}


def _operations(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in document["paths"].values():
        yield from methods.values()


def _resolved(schemas: Mapping[str, Schema], schema: Schema) -> Schema:
    return schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _value(schemas: Mapping[str, Schema], schema: Schema, name: str, owner: str = "") -> Any:
    """An example of a model's field with this name."""
    schema = _resolved(schemas, schema)
    usual = USUAL.get(f"{owner}.{name}", USUAL.get(name))
    if "examples" in schema:
        return schema["examples"][0]
    if "anyOf" in schema:
        choices = [one for one in schema["anyOf"] if one.get("type") != "null"]
        if usual is None and name in USUAL and len(choices) < len(schema["anyOf"]):
            return None
        return _value(schemas, choices[0], name, owner)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return usual if usual in schema["enum"] else schema["enum"][0]
    if "type" not in schema or (_is(usual, schema["type"]) and _is_plain(schema)):
        return usual
    return _simplest(schemas, schema, name)


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and isinstance(value, bool) == (kind == "boolean")


def _is_plain(schema: Schema) -> bool:
    """Whether the usual value may be used; a schema with its own structure gets an example built from it."""
    inner = schema.get("items", schema.get("additionalProperties", {}))
    shaped = isinstance(inner, Mapping) and ("$ref" in inner or "enum" in inner)
    return not shaped and "properties" not in schema and schema.get("format") != "uuid"


def _simplest(schemas: Mapping[str, Schema], schema: Schema, name: str) -> Any:
    match schema["type"]:
        case "object" if "properties" in schema:
            owner = schema.get("title", "")
            return {field: _value(schemas, inner, field, owner) for field, inner in schema["properties"].items()}
        case "object":
            inner = schema.get("additionalProperties")
            return {"title": _value(schemas, inner, "title")} if isinstance(inner, Mapping) and "$ref" in inner else {}
        case "array" if "prefixItems" in schema:
            return [_value(schemas, inner, name) for inner in schema["prefixItems"]]
        case "array":
            return [_value(schemas, schema.get("items", {}), name)]
        case "string":
            return {"uuid": _ID, "date-time": _TIME}.get(schema.get("format", ""), "")
        case "boolean":
            return False
        case "integer":
            return schema.get("minimum", 1)
        case _:
            return 0.5
