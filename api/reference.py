"""The OpenAPI document as an HTML page: no scripts, no external resources."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from html import escape
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
        + f'<p>For tools: <a href="/v1/openapi.json">openapi.json</a></p>{"".join(_operations(document))}</html>'
    )


def _paragraphs(markdown: str) -> str:
    return "".join(f"<p>{_text(one)}</p>" for one in markdown.strip().split("\n\n"))


def _text(markdown: str) -> str:
    """The only Markdown that descriptions have: code between backticks."""
    return CODE.sub(r"<code>\1</code>", escape(markdown))


def _operations(document: Document) -> Iterator[str]:
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
