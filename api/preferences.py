"""The header `Prefer` (RFC 7240): how long a client wants to wait for what takes time."""

from __future__ import annotations

from typing import Annotated

from fastapi import Header

Prefer = Annotated[
    str | None,
    Header(
        max_length=500,
        description="`wait=N`: the same as `wait`, which comes first; `respond-async`: does not wait. Others are ignored.",
        examples=["wait=10"],
    ),
]


def waited(wait: float | None, prefer: str | None, most: float) -> float | None:
    """Seconds to wait, at most `most`; None where the request names none. What cannot be parsed is ignored (RFC 7240)."""
    if wait is not None:
        return wait
    asked: list[float] = []
    for preference in (prefer or "").split(","):
        name, _, value = preference.partition(";")[0].partition("=")
        value = value.strip().strip('"')
        if name.strip().lower() == "respond-async":
            asked.append(0.0)
        elif name.strip().lower() == "wait" and value.isascii() and value.isdigit():
            asked.append(min(float(value), most))
    return max(asked, default=None)  # both: it answers at once what is not ready after that time
