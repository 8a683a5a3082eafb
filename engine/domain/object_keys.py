"""Keys of objects that the engine makes: `root/…/<file id>/name` is a file, `root/…/<file id>/warm/<claim id>` a copy of it.

Other keys do not belong to this engine and are never touched.
"""

from __future__ import annotations

import re
from uuid import UUID

COPIES = "warm"
_ROOT = re.compile(r"[a-z0-9_]{1,63}")


def file_of(key: str) -> UUID | None:
    """The file id in an object's key; None for the key of a restored copy and for one that is not ours."""
    parts = key.split("/")
    return _id(parts[-2]) if len(parts) >= 3 and _ROOT.fullmatch(parts[0]) else None


def copy_of(key: str) -> tuple[UUID, UUID] | None:
    """File and claim of a restored copy's key; None for the key of anything else."""
    parts = key.split("/")
    if len(parts) < 4 or parts[-2] != COPIES or not _ROOT.fullmatch(parts[0]):
        return None
    file, claim = _id(parts[-3]), _id(parts[-1])
    return (file, claim) if file and claim else None


def user_of(key: str) -> str | None:
    """The part of a key that names whose object it is; None for a key that is not ours."""
    return key.partition("/")[0] if is_ours(key) else None


def is_ours(key: str) -> bool:
    """Whether the engine makes such keys."""
    return file_of(key) is not None or copy_of(key) is not None


def _id(part: str) -> UUID | None:
    try:
        found = UUID(part)
    except ValueError:
        return None
    return found if str(found) == part else None
