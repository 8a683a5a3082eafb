"""The table of all settings in docs/settings.md, from `engine/settings.py`.

`python -m tests.contract.reference` writes it anew; the difference belongs into the commit that changed a setting.
"""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from engine.settings import Settings

PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"
HEAD = "## All settings\n"
SIGNS = {"Ge": "≥ {}", "Gt": "> {}", "Le": "≤ {}", "Lt": "< {}"}


def descriptions() -> dict[str, str]:
    """The text below each field."""
    [body] = [one.body for one in ast.parse(inspect.getsource(Settings)).body if isinstance(one, ast.ClassDef)]
    return {
        field.target.id: " ".join(below.value.value.split())
        for field, below in pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }


def default(field: FieldInfo) -> str:
    value: Any = field.get_default(call_default_factory=True) if field.default_factory else field.default
    if isinstance(value, Path):
        value = "~" / value.relative_to(Path.home())
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value in (None, PydanticUndefined, (), {}) or isinstance(value, SecretStr) else str(value)


def limits(field: FieldInfo) -> str:
    bounds = [(type(one).__name__, one) for one in field.metadata]
    return ", ".join(SIGNS[name].format(getattr(one, name.lower())) for name, one in bounds if name in SIGNS)


def table() -> str:
    texts = descriptions()
    rows = [
        f"| `{field.validation_alias or f'NEURIGRAPH_{name.upper()}'}` | {default(field)} | {limits(field)} | {texts.get(name, '')} |"
        for name, field in Settings.model_fields.items()
    ]
    return "\n".join(
        [
            HEAD,
            "Made from `engine/settings.py`. *None*: the setting is left out.\n",
            "| setting | default | limits | |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def page(text: str) -> str:
    return f"{text.partition(HEAD)[0].rstrip()}\n\n{table()}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
