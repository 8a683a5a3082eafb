"""The methods of the Python client, made from the OpenAPI document.

`python -m tests.contract.client` writes `api/client/operations.py` anew; a test compares.
"""

from __future__ import annotations

import inspect
import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from api.app import create_app
from api.client import sending
from api.client.requests import HEADERS, WITH_BODY
from api.client.requests import ONCE as ONCE_HEADER
from engine.settings import Settings

FILE = Path(sending.__file__).with_name("operations.py")
EVENTS = {"followIngest": "IngestSession", "followFile": "FileStatus"}
"""What the events of a stream hold: OpenAPI has no word for it."""
REPEATABLE = {"search", "searchDecayed", "context", "answer", "touch", "createUser", "createIntegration"}
"""Operations by POST that change nothing when they are repeated, beside those with an idempotency key."""
ONCE = {"isAlive", "isReady"}
"""Operations that say how it is now: their refusal is an answer."""
BY_HAND = {"importLines", "exportLines"}
"""Operations that `api/client/bulk.py` has: they send and read lines."""
_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_FORMATS = {"uuid": "UUID | str", "date-time": "datetime | str", "date": "date | str"}


@dataclass
class Maker:
    """Makes the methods of a client and notes the classes that they name."""

    schemas: dict[str, Any]
    classes: dict[str, str]
    used: set[str] = field(default_factory=set)

    def method(self, verb: str, path: str, operation: dict[str, Any]) -> str:
        name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", operation["operationId"]).lower()
        parameters = operation.get("parameters", [])
        found = {one["name"]: self._parameter(one) for one in parameters if one["in"] == "path"}
        in_path = [found[one] for one in re.findall(r"{([^}:]*)[^}]*}", path)]
        query = [self._parameter(one) for one in parameters if one["in"] == "query"]
        headers = [self._parameter(one) for one in parameters if one["in"] == "header"]
        body = self._body(operation)
        needed = [one for one in (body or []) + query + headers if one.needed]
        other = [one for one in (body or []) + query + headers if not one.needed]
        given = ", ".join(["self", *(f"{one.name}: {one.type}" for one in in_path), *(["*"] if needed or other else []),
                           *(f"{one.name}: {one.type}" for one in needed), *(f"{one.name}: {one.type} = OMIT" for one in other)])  # fmt: skip
        kind, shape = self._answer(operation)
        assert {one.name for one in headers} <= HEADERS.keys(), "a header that the client has no name for"
        assert all(one.sent == one.name.rstrip("_") for one in (body or []) + query), (
            "a name that cannot be a parameter"
        )
        call = [f'"{verb.upper()}"', f'"{re.sub(r":[^}]*}", "}", path)}"']
        if verb.upper() in WITH_BODY and query:
            call.append(f'query="{" ".join(one.sent for one in query)}"')
        assert verb.upper() in WITH_BODY or body is None, "a body that the client would send in the query"
        changes = verb in ("post", "patch") and not any(one.sent == ONCE_HEADER for one in headers)
        if operation["operationId"] in ONCE or (changes and operation["operationId"] not in REPEATABLE):
            call.append("repeats=False")
        return self._text(name, given, kind, shape, call, operation["description"])

    def _text(self, name: str, given: str, kind: str, shape: str, call: list[str], about: str) -> str:
        paragraphs = "\n\n".join(textwrap.fill(part, 110) for part in about.split("\n\n"))
        docstring = textwrap.indent(f'"""{paragraphs}"""', "        ")
        answer, read = {
            "value": (shape, f"as_value({shape})"),
            "page": (f"Page[{shape}]", f"as_page({shape})"),
            "none": ("object", "as_value(object)"),
            "bytes": ("bytes", "as_bytes"),
            "file": (f"bytes | {shape}", f"as_file({shape})"),
            "events": (shape, f"as_value({shape})"),
        }[kind]
        call.insert(2, read)
        decorator = "followed" if kind == "events" else "operation"
        return f"    @{decorator}({', '.join(call)})\n    def {name}({given}) -> {answer}:\n{docstring}\n"

    def _parameter(self, one: dict[str, Any]) -> Parameter:
        return Parameter.of(one["name"], self._type(one["schema"]), one.get("required", False))

    def _body(self, operation: dict[str, Any]) -> list[Parameter] | None:
        if "requestBody" not in operation:
            return None
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        schema = self.schemas[schema["$ref"].rpartition("/")[2]]
        needed = schema.get("required", ())
        return [
            Parameter.of(name, self._type(one), name in needed) for name, one in schema.get("properties", {}).items()
        ]

    def _answer(self, operation: dict[str, Any]) -> tuple[str, str]:
        answers = {
            status: one["content"]
            for status, one in operation["responses"].items()
            if status < "3" and one.get("content")
        }
        kinds = {kind for content in answers.values() for kind in content}
        if operation["operationId"] in EVENTS:
            return "events", self._class(EVENTS[operation["operationId"]])
        shapes = [
            one["schema"] for content in answers.values() for kind, one in content.items() if kind == "application/json"
        ]
        if "application/octet-stream" in kinds:
            return ("file", self._type(shapes[0], answer=True)) if shapes else ("bytes", "")
        schema = next((one for one in shapes if one), {})
        if schema.get("type") == "array":
            return "page", self._type(schema["items"], answer=True)
        return ("value", self._type(schema, answer=True)) if schema else ("none", "")

    def _type(self, schema: dict[str, Any], *, answer: bool = False) -> str:
        if "$ref" in schema:
            name = self._class(schema["$ref"].rpartition("/")[2])
            return name if answer else f"{name} | Mapping[str, Any]"
        if "anyOf" in schema:
            return " | ".join(dict.fromkeys(self._type(one, answer=answer) for one in schema["anyOf"]))
        if "enum" in schema or "const" in schema:
            return f"Literal[{', '.join(_quoted(one) for one in schema.get('enum', [schema.get('const')]))}]"
        kind = schema.get("type")
        if kind == "array":
            return f"Sequence[{self._type(schema.get('items', {}), answer=answer)}]"
        if kind == "object":
            inner = schema.get("additionalProperties")
            return f"{'dict' if answer else 'Mapping'}[str, {self._type(inner, answer=answer) if isinstance(inner, dict) and inner else 'Any'}]"
        return _FORMATS.get(schema.get("format", ""), _PLAIN.get(str(kind), "Any"))

    def _class(self, name: str) -> str:
        self.used.add(name)
        return name


@dataclass(frozen=True)
class Parameter:
    """A parameter of a method. `sent`: its name in the request."""

    name: str
    sent: str
    type: str
    needed: bool

    @classmethod
    def of(cls, sent: str, kind: str, needed: bool) -> Parameter:
        name = sent.lower().replace("-", "_")
        return cls(name + "_" if keyword.iskeyword(name) else name, sent, kind, needed)


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _classes(schemas: dict[str, Any]) -> dict[str, str]:
    """The modules of the classes that OpenAPI names: of several with a name that with the fields of the schema."""
    found: dict[str, str] = {}
    for name, module in sorted(sys.modules.items()):
        if name.startswith(("engine.", "api.")) and not name.startswith("api.client"):
            for one in vars(module).values():
                if inspect.isclass(one) and one.__module__.startswith(("engine.", "api.")):
                    schema = schemas.get(one.__name__, {})
                    if schema.get("properties", {}).keys() == _fields(one):
                        found[one.__name__] = one.__module__
    return found


def _fields(one: Any) -> Any:
    return (getattr(one, "model_fields", None) or getattr(one, "__dataclass_fields__", {})).keys()


def _operations(page: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in page["paths"].items():
        for verb, operation in methods.items():
            if operation["operationId"] not in BY_HAND:
                yield verb, path, operation


HEAD = '''"""The operations of the REST API as methods; made by `python -m tests.contract.client` from the OpenAPI document."""

from __future__ import annotations

'''


def operations() -> str:
    """The text of `operations.py`."""
    page = create_app(Settings(_env_file=None)).openapi()
    maker = Maker(page["components"]["schemas"], _classes(page["components"]["schemas"]))
    methods = "\n".join(maker.method(*one) for one in _operations(page))
    imports = "".join(f"from {maker.classes[name]} import {name}\n" for name in sorted(maker.used))
    return formatted(
        HEAD
        + "from collections.abc import Mapping, Sequence\nfrom datetime import datetime\n"
        + "from typing import Any, Literal\nfrom uuid import UUID\n\n"
        + "from api.client.requests import OMIT, Page, as_bytes, as_file, as_page, as_value\n"
        + "from api.client.sending import followed, operation\n"
        + imports
        + '\n\nclass Operations:\n    """The operations of the REST API. They raise ApiError for a refusal, NotReached without an answer."""\n\n'
        + methods
    )


def formatted(text: str) -> str:
    """The text as `ruff` lays it out."""
    for command in (["check", "--select", "I,F401", "--fix-only", "--quiet"], ["format", "--quiet"]):
        run = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(FILE), "-"]
        text = subprocess.run(run, input=text, capture_output=True, text=True, check=True, timeout=60).stdout
    return text


if __name__ == "__main__":
    FILE.write_text(operations(), encoding="utf-8")
