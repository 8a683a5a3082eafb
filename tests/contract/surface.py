"""The REST surface in lines that a reviewer can read: operations, and the fields of what they take and give.

`python -m tests.contract.surface` writes them anew into `surface.txt`, and the whole document into `docs/openapi.json`; the difference belongs
to the commit that changes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from api.app import create_app
from engine.domain.problems import TABLE
from engine.settings import Settings

FILE = Path(__file__).with_name("surface.txt")
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
WORDS = ("title", "description", "examples", "example", "summary")


def surface() -> list[str]:
    """One line for each operation, parameter, kind of problem and field; texts are left out."""
    page = document()
    problems = sorted({f"problem {kind.slug}: {kind.status}" for kind in TABLE.values()})
    return [*_operations(page["paths"]), *problems, *_fields(page["components"]["schemas"])]


def document() -> dict[str, Any]:
    """The OpenAPI document, as the server gives it."""
    return create_app(Settings(_env_file=None)).openapi()


def written(page: dict[str, Any]) -> str:
    return json.dumps(page, indent=1, ensure_ascii=False) + "\n"


def _operations(paths: dict[str, Any]) -> Iterator[str]:
    for path, methods in sorted(paths.items()):
        for method, operation in sorted(methods.items()):
            name = f"{method.upper()} {path}"
            yield f"{name} ({operation['operationId']}): {' '.join(sorted(operation['responses']))}"
            for one in sorted(operation.get("parameters", ()), key=lambda one: (one["in"], one["name"])):
                need = "required" if one.get("required") else "optional"
                yield f"{name} {one['in']} {one['name']} {need}: {_shape(one['schema'])}"
            contents = {"body": operation.get("requestBody", {}).get("content", {})}
            contents |= {status: answer.get("content", {}) for status, answer in operation["responses"].items()}
            for where, content in sorted(contents.items()):
                for kind, media in sorted(content.items()):
                    if not kind.startswith("application/problem"):
                        yield f"{name} {where} {kind}: {_shape(media.get('schema', {}))}"


def _fields(schemas: dict[str, Any]) -> Iterator[str]:
    for name, schema in sorted(schemas.items()):
        fields = schema.get("properties")
        if fields is None:
            yield f"{name}: {_shape(schema)}"
        for field, shape in sorted((fields or {}).items()):
            need = "required" if field in schema.get("required", ()) else "optional"
            yield f"{name}.{field} {need}: {_shape(shape)}"


def _shape(schema: dict[str, Any]) -> str:
    return json.dumps(_without_words(schema), sort_keys=True, ensure_ascii=False)


def _without_words(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: _without_words(value) for key, value in part.items() if key not in WORDS}
    return [_without_words(value) for value in part] if isinstance(part, list) else part


if __name__ == "__main__":
    FILE.write_text("\n".join(surface()) + "\n", encoding="utf-8")
    DOCUMENT.write_text(written(document()), encoding="utf-8")
