"""Documents and their versions: what stays from one version to the next, and what readers see of them; and texts into passages:
at headings where there are any, else at paragraphs and sentences. Pure rules.

A chunk is identified by its hash: SHA-256 over the headings above it and its text, which its vector is made from. So a
chunk that moved is the same chunk, and one whose heading was renamed is another.

A long section is first cut into runs, each of which begins at a paragraph (or sentence, where paragraphs are huge) that the text
itself picks by its hash. Packing starts anew there, so an edit changes the passages around it and not all that follow.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import UUID
from zlib import crc32

if TYPE_CHECKING:
    from langchain_text_splitters import TextSplitter

HASH_BYTES = 32

CHUNK = 900
"""Characters of a passage at most."""
LONG = 4 * CHUNK
"""Characters from which a section, or a paragraph, is cut into runs."""
EVERY_PARAGRAPH, EVERY_SENTENCE = 8, 32
"""One in so many begins a run."""

_LINE = re.compile(r"[^\n]*\n?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
_ATX = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r"\A {0,3}(?:(=+)|-{2,})[ \t]*$")
_NO_TITLE = re.compile(r"\A(?: {0,3}(?:[-*+>|]|\d+[.)])(?:\s|$)| {4}|\t)")
_PARAGRAPH = re.compile(r"\n[ \t\r]*\n\s*")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n")


def chunk_hash(section: str, text: str) -> bytes:
    """What a chunk is recognised by in the next version."""
    return hashlib.sha256(section.encode("utf-8") + b"\x00" + text.encode("utf-8")).digest()


def joined(hashes: Sequence[bytes]) -> bytes:
    """Hashes as they are kept: one after the other."""
    return b"".join(hashes)


def parted(hashes: bytes) -> list[bytes]:
    """Kept hashes as a list."""
    return [hashes[start : start + HASH_BYTES] for start in range(0, len(hashes), HASH_BYTES)]


def allotted(owners: Sequence[int | None]) -> list[int]:
    """To which of a document's parts each chunk of a new version goes: one that stayed (`owners`) to its own, a new one (None)
    to that of the chunk before it, at the beginning to that of the first that stayed; where none stayed to the first part."""
    last = next((owner for owner in owners if owner is not None), 0)
    return [last := owner if owner is not None else last for owner in owners]


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """What a write did to a document: chunks that stayed with id and vector, that are new, that ended."""

    document_id: UUID
    node_id: UUID
    version: int
    file_id: UUID
    kept: int
    added: int
    superseded: int


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A version on its way in. `source_id` is the key of its source, `chunks` all chunks with their hashes, in order."""

    document_id: UUID
    version: int
    source_id: str
    node_id: UUID
    title: str
    content_hash: bytes
    file_id: UUID
    file_name: str
    chunks: tuple[tuple[UUID, bytes], ...]
    added: int
    superseded: int = 0

    @property
    def kept(self) -> int:
        """Chunks that were there before."""
        return len(self.chunks) - self.added

    @property
    def change(self) -> DocumentChange:
        """The version as a report shows it."""
        counts = self.kept, self.added, self.superseded
        return DocumentChange(self.document_id, self.node_id, self.version, self.file_id, *counts)


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document as it is now. `document_id` is the id of its record, `node_id` where that lies."""

    document_id: UUID
    node_id: UUID
    source_id: str
    title: str
    version: int
    content_hash: str
    file_id: UUID
    file_name: str
    chunks: int
    created_at: datetime
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """One version: its file, its hash (SHA-256 of the text, in hex), how it came from the one before it (`previous`)."""

    document_id: UUID
    node_id: UUID
    version: int
    previous: int | None
    title: str
    content_hash: str
    file_id: UUID
    file_name: str
    chunks: int
    kept: int
    added: int
    superseded: int
    authored_by: str
    known_at: datetime


@dataclass(frozen=True, slots=True)
class DocumentChunk:
    """A passage of a version: its place in it, and what is known of it now. `span` is in characters, and only of the newest
    version; `superseded` says that the newest version has it no more."""

    item_id: UUID
    index: int
    content: str
    section: str
    token_count: int
    content_hash: str
    keywords: list[str]
    span: tuple[int, int] | None
    superseded: bool


def splitter(**options: Any) -> TextSplitter:
    """A splitter at the first of some separators that gives small enough pieces; its library loads slowly."""
    made: TextSplitter = import_module("langchain_text_splitters").RecursiveCharacterTextSplitter(**options)
    return made


_chunker = cache(
    partial(
        splitter,
        chunk_size=CHUNK,
        chunk_overlap=0,
        add_start_index=True,
        separators=["\n\n", "\r\n\r\n", "\n", ". ", "? ", "! ", "; ", ", ", " ", ""],
        keep_separator="end",
    )
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage of a document: its text, the headings above it, its place in characters."""

    text: str
    section: str
    start: int


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    title: str
    start: int
    end: int


def chunks(text: str) -> list[Chunk]:
    """Passages of at most 900 characters in their order; `text[start:]` begins with the passage."""
    found: list[Chunk] = []
    above: list[_Heading] = []
    start = 0
    for heading in [*_headings(text), None]:
        section = " > ".join(one.title for one in above)
        for begin, end in _runs(text, start, heading.start if heading else len(text)):
            for part in _chunker().create_documents([text[begin:end]]):
                found.append(Chunk(part.page_content, section, begin + int(part.metadata["start_index"])))
        if heading:
            above = [one for one in above if one.level < heading.level] + [heading]
            start = heading.end
    return found


def _headings(text: str) -> Iterator[_Heading]:
    """Headings of Markdown, with # or underlined; what stands in a code block is none."""
    fence = ""
    title: tuple[str, int] | None = None  # a line that an underline would make a heading
    blank = True
    for match in _LINE.finditer(text):
        line = match.group().rstrip("\r\n")
        mark = _FENCE.match(line)
        if fence:
            if mark and mark.group(1).startswith(fence) and not mark.group(2).strip():
                fence = ""
            title = None
        elif mark and not (mark.group(1)[0] == "`" and "`" in mark.group(2)):
            fence, title = mark.group(1), None
        elif (atx := _ATX.match(line)) and atx.group(2):
            yield _Heading(len(atx.group(1)), atx.group(2), match.start(), match.end())
            title, line = None, ""
        elif title and (under := _UNDERLINE.match(line)):
            yield _Heading(1 if under.group(1) else 2, title[0], title[1], match.end())
            title, line = None, ""
        else:
            title = (line.strip(), match.start()) if blank and line.strip() and not _NO_TITLE.match(line) else None
        blank = not line.strip()


def _runs(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The section's runs; a section that is not long is one."""
    if end - start <= LONG:
        yield start, end
        return
    begin = start
    for place in _beginnings(text, start, end):
        if place > begin:
            yield begin, place
            begin = place
    yield begin, end


def _beginnings(text: str, start: int, end: int) -> Iterator[int]:
    for first, last in _units(_PARAGRAPH, text, start, end):
        if _picked(text[first:last], EVERY_PARAGRAPH):
            yield first
        if last - first > LONG:
            for inner, inner_end in _units(_SENTENCE, text, first, last):
                if _picked(text[inner:inner_end], EVERY_SENTENCE):
                    yield inner


def _units(separator: re.Pattern[str], text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for match in separator.finditer(text, start, end):
        yield begin, match.start()
        begin = match.end()
    yield begin, end


def _picked(unit: str, every: int) -> bool:
    return crc32(unit.strip().encode("utf-8", "surrogatepass")) % every == 0
