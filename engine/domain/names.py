"""Names of nodes: what is accepted, when two names are the same, and how a name becomes a schema's name. What a file is called.
And when two names can be taken for each other: handles of users, names of integrations.

A name of a node keeps any script, emoji and direction marks; the ASCII forms below are only for the databases.

Look-alikes are compared by a normal form in which case, width, invisible characters and letters of other scripts that look like
Latin ones make no difference (Unicode TS 39). Latin letters and digits of ASCII stay different: `l` and `1`, `o` and `0`.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import overload
from uuid import UUID

from engine.errors import InvalidName

MOST_CHARACTERS = 200
"""Length limit of a name, in code points after normalisation."""
MOST_SCHEMA_BYTES = 63
"""Longest identifier that Postgres keeps whole."""

# Normalising costs more than a name is worth: a longer raw text is refused unread. NFC shrinks at most 4 to 1.
_MOST_RAW = 2_000
# A key goes into B-tree indexes that hold some 2,700 bytes; compatibility forms can unfold to 18 characters each.
_MOST_KEY = 400
# Invisible, though their categories are those of letters and symbols: fillers, blank Braille.
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# Marks of direction and break that pasted text carries along. Joiners stay: they make emoji and Persian words.
_UNHEARD = dict.fromkeys(
    (0x00AD, 0x061C, 0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF)
)
_LATIN = re.compile(r"LATIN (?:SMALL|CAPITAL) (?:LETTER|LIGATURE) (?:DOTLESS )?([A-Z]{1,2})(?: WITH .+)?")
_SPECIAL = {"þ": "th", "ð": "d", "ə": "e"}
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_PLAIN = re.compile(r"[A-Za-z0-9]+(?:[ _-][A-Za-z0-9]+)*")
_IDENTIFIER = re.compile(r"[a-z0-9_]+")
_RESERVED = frozenset({"engine", "template", "public", "information_schema"})

_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def clean_name(raw: str) -> str:
    """The name as it is stored: NFC, without outer white space, inner runs of it as one space.

    Raises InvalidName unless 1 to 200 code points remain, none of them a control character, a line
    separator or half a surrogate pair, and at least one of them visible.
    """
    if len(raw) > _MOST_RAW:
        raise InvalidName(_too_long(len(raw)))
    name = unicodedata.normalize("NFC", raw).strip()
    for character in name:
        category = unicodedata.category(character)
        if category == "Cs":
            raise InvalidName("A name cannot hold half a surrogate pair.")
        if category in ("Cc", "Zl", "Zp"):
            raise InvalidName(f"A name cannot hold the control character U+{ord(character):04X}.")
    name = " ".join(name.split())
    if len(name) > MOST_CHARACTERS:
        raise InvalidName(_too_long(len(name)))
    if not any(map(_visible, name)):
        raise InvalidName(f"A name needs at least one visible character, and {MOST_CHARACTERS} at most.")
    return name


def name_key(name: str) -> str:
    """What names are compared by: equal for names that differ in case, width, white space or direction marks.

    At most 400 code points: a longer key, which only rare compatibility characters give, ends in its hash.
    """
    if name.isascii():  # nothing in it to normalize
        folded = name.casefold()
    else:
        folded = unicodedata.normalize("NFD", name.translate(_UNHEARD)).casefold()
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", folded).casefold())
    key = " ".join(folded.split())
    return key if len(key) <= _MOST_KEY else f"{key[: _MOST_KEY // 2]}#{_digest(key)}"


def slug(name: str) -> str:
    """The name in a-z, 0-9 and single underscores, as well as that can be done.

    Latin letters lose their marks; other scripts drop out. Where nothing remains the slug is "n" and
    eight hex digits of the key's hash; it is never empty.
    """
    decomposed = unicodedata.normalize("NFKD", name).casefold()
    ascii_only = "".join(map(_transliterated, unicodedata.normalize("NFKD", decomposed)))
    return _SEPARATORS.sub("_", ascii_only).strip("_") or f"n{_digest(name_key(name))[:8]}"


def schema_name(user_slug: str, path: Sequence[str], node_id: UUID, *, distinct: bool = False) -> str:
    """The name of a node's schema: the user's slug and the slugs of the path, as in `bob_family_sister_dave`.

    `path` holds names from layer 1 downwards. The readable form is used as it is where it fits 63 bytes and
    every name was plain (ASCII words joined by single spaces, hyphens or underscores). Otherwise the last
    eight hex digits of the node's id follow, and a long form loses its middle. Two plain paths can still meet
    ("a b" and "a", "b"): the caller sees that in the registry and calls again with `distinct`, which always
    appends the digits. The last digits are used because those of a time-ordered id are the random ones.
    """
    owner = user_slug if _IDENTIFIER.fullmatch(user_slug) else slug(user_slug)
    readable = "_".join((owner.strip("_") or slug(user_slug), *map(slug, path)))
    if readable[0].isdigit() or f"{readable}_".startswith("pg_"):
        readable = f"u_{readable}"
    lossless = all(_PLAIN.fullmatch(name) for name in path)
    if lossless and not distinct and len(readable) <= MOST_SCHEMA_BYTES and readable not in _RESERVED:
        return readable
    ending = f"_{node_id.hex[-8:]}"
    return _shortened(readable, MOST_SCHEMA_BYTES - len(ending)) + ending


def _shortened(readable: str, room: int) -> str:
    """At most `room` characters, cut in the middle: the user at the start and the node at the end say most."""
    if len(readable) <= room:
        return readable
    half = (room - 2) // 2
    return f"{readable[:half].rstrip('_')}__{readable[-half:].lstrip('_')}"


def is_blank(text: str) -> bool:
    """Whether a text has nothing to see: white space, joiners and marks alone."""
    return not any(_visible(character) and not character.isspace() for character in text)


def _visible(character: str) -> bool:
    # Unassigned code points count: a newer Unicode than this Python's may show them.
    unseen = character in _BLANK or 0xE0000 <= ord(character) <= 0xE0FFF
    return not unseen and unicodedata.category(character) not in ("Cf", "Mn", "Me", "Zs")


def _transliterated(character: str) -> str:
    if character.isascii():
        return character
    if character in _SPECIAL:
        return _SPECIAL[character]
    if unicodedata.category(character).startswith(("M", "Cf")):
        return ""
    letter = _LATIN.fullmatch(unicodedata.name(character, ""))
    return letter[1].lower() if letter else "_"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _too_long(length: int) -> str:
    return f"A name has at most {MOST_CHARACTERS} characters; this one has {length:,}."


# files ---------------------------------------------------------------------------------------------------

UNNAMED = "text.txt"
"""The stored name of a text that came without a file."""
MOST_SHOWN = 80
_NOT_IN_FILES = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029/\\:*?\"<>|]+")
"""What file systems and headers do not take."""
_UNSEEN_IN_FILES = re.compile(r"[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]+")
MOST_FILE_NAME = 200


def file_name(given: str) -> str:
    """A file's name as it is stored: the last part of a path, without signs that no file system takes, that turn a line or that
    nobody sees; `..` and names of nothing else are `text.txt`."""
    last = re.split(r"[/\\]", given.rstrip("/\\"))[-1]
    plain = _in_files(last)
    if not plain.strip(". "):
        return UNNAMED
    stem, dot, suffix = plain.rpartition(".")
    if len(plain) <= MOST_FILE_NAME:
        return plain
    return (
        f"{stem[: MOST_FILE_NAME - len(suffix) - 1]}.{suffix}" if dot and len(suffix) < 20 else plain[:MOST_FILE_NAME]
    )


def _in_files(text: str) -> str:
    return " ".join(_UNSEEN_IN_FILES.sub("", _NOT_IN_FILES.sub(" ", text)).split())


@overload
def shown_name(stored: str, title: str) -> str: ...


@overload
def shown_name(stored: None, title: str) -> None: ...


def shown_name(stored: str | None, title: str) -> str | None:
    """What a file is called where it is shown: its own name; for a text without one the title that its reader sees beside it.

    The title is not stored in the name: a reader who is not shown a former title would read it there. A title that is
    too long is not cut: half of an address would not be redacted.
    """
    if stored != UNNAMED:
        return stored
    name = _in_files(title).strip(". ")
    return f"{name}.txt" if 0 < len(name) <= MOST_SHOWN else UNNAMED


def look_alike_key(name: str) -> str:
    """What names are compared by: equal for names that look alike. At most 400 code points.

    A name that looks wholly like one of ASCII letters has the key of that one: the Greek capital in `Νina` looks like N, though
    its small form looks like v. In others case makes no difference, also where the two forms look different.
    """
    as_written = "".join(map(_as_written, filter(_is_seen, name)))
    if as_written.isascii():
        return name_key(as_written)
    shown = filter(_is_seen, unicodedata.normalize("NFKD", name))
    return name_key("".join(map(_prototype, shown)))


def _is_seen(character: str) -> bool:
    selects = 0xFE00 <= ord(character) <= 0xFE0F or 0xE0000 <= ord(character) <= 0xE0FFF
    return not selects and character not in _UNSEEN and unicodedata.category(character) != "Cf"


@cache
def _as_written(character: str) -> str:
    """What a character looks like in the case that it has; capitals that look like I and l are taken for I."""
    plain = unicodedata.normalize("NFKD", character)
    if plain.isascii():
        return plain.casefold()
    found = _looks_like(character).casefold()
    return "i" if found == "l" and character == character.upper() else found


@cache
def _prototype(character: str) -> str:
    """The letter that one stands for: an ASCII one where the small or the capital form looks like it."""
    if character.isascii():
        return character.casefold()
    small = character.casefold()
    for form in (small, character.upper()):
        if (found := _looks_like(form)).isascii():
            return found.casefold()
    return _looks_like(small)


def _looks_like(character: str) -> str:
    """The best known of the characters that look the same: the one that most others are compared with."""
    table = _table()
    candidates = [character, *table.get(character, ())]
    return min(candidates, key=lambda one: (-len(table.get(one, ())), one))


@cache
def _table() -> Mapping[str, tuple[str, ...]]:
    """The characters that look like one, both ways."""
    text = files("confusable_homoglyphs").joinpath("confusables.json").read_text(encoding="utf-8")
    return {character: tuple(one["c"] for one in others) for character, others in json.loads(text).items()}
