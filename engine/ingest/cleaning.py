"""Redaction of content before it is drafted: later steps never see the original.

Everything is made from the redacted content: items, summaries, keywords, vectors, the graph's manifest, deltas and the
bytes of the file. So is the hash that recognises a source: with a hash of the original, a reader of the database could
guess the text behind a marker. Content that was stored before redaction was configured is recognised, too.

A binary file (a PDF, an image) cannot be rewritten. It is stored when no personal data was found in its extracted text;
otherwise the whole source is skipped: its text without its file would be a record that cannot be opened.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from engine.domain.history import Conversation, Turn, source_key
from engine.domain.record import FileDraft
from engine.domain.report import Skipped
from engine.errors import InvalidText, TooLarge
from engine.ingest.drafts import Document
from engine.privacy.redact import Counts, Redactor, total
from engine.records.files import is_native


@dataclass(frozen=True, slots=True)
class Cleaned:
    """Content as it may be stored, the counts of replacements in its title and in each turn (a document is one), and the
    original, which is used for comparisons only."""

    content: Conversation | Document
    original: Conversation | Document
    title: Counts
    units: Sequence[Counts]

    def replaced(self, start: int = 0) -> Counter[str]:
        """Counts of replacements in the title and from a unit on."""
        return total((self.title, *self.units[start:]))

    def knows(self, content_hash: bytes, units: int) -> bool:
        """Whether the hash is that of the first units, redacted or original; as earlier versions made it, too."""
        contents = (self.content, self.original)
        return any(
            fingerprint(one, units, as_came=came) == content_hash for one in contents for came in (False, True)
        ) or any(
            isinstance(content, Conversation) and turns_hash(content.turns[:units], as_came=True) == content_hash
            for content in contents
        )


def fingerprint(content: Conversation | Document, units: int | None = None, *, as_came: bool = False) -> bytes:
    """SHA-256 by which stored units are recognised as the start of this content; of turns, a chain with a link for each."""
    if isinstance(content, Conversation):
        return chained(b"", (turns_hash([turn], as_came=as_came) for turn in content.turns[:units]))
    return hashlib.sha256(content.text.encode("utf-8", "surrogatepass")).digest()


def chained(chain: bytes, digests: Iterable[bytes]) -> bytes:
    """The chain, prolonged by the hashes of further turns; empty without any. The database prolongs it in the same way."""
    for digest in digests:
        chain = hashlib.sha256(chain + digest).digest()
    return chain


def turns_hash(turns: Sequence[Turn], *, as_came: bool = False) -> bytes:
    """SHA-256 over speakers, texts and times in UTC, in order: of one turn, or, as earlier versions kept it, of all.
    `as_came`: with the offsets of the times, as an import once kept it."""
    digest = hashlib.sha256()
    for turn in turns:
        for part in (turn.speaker, turn.text, _time(turn.at, as_came=as_came)):
            data = part.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.digest()


def _time(moment: datetime | None, *, as_came: bool) -> str:
    if moment is None:
        return ""
    try:
        return (moment if as_came or moment.tzinfo is None else moment.astimezone(UTC)).isoformat()
    except OverflowError:  # outside of the years 1 to 9999: it is refused later
        return moment.isoformat()


def key_of(content: Conversation | Document, redactor: Redactor) -> str:
    """The id under which the engine remembers how far the content is stored."""
    source_id = redactor.identifier(content.source_id)
    return source_key(source_id) if isinstance(content, Conversation) else source_id


def check_text(text: str, where: str, most_bytes: int) -> None:
    """Raises InvalidText for a text that a database cannot hold, TooLarge; `where` names the text in the error."""
    if "\x00" in text:
        raise InvalidText(f"The text holds a NUL character ({where}).")
    try:
        size = len(text.encode("utf-8"))
    except UnicodeEncodeError as error:
        raise InvalidText(f"The text is not valid Unicode ({where}, character {error.start + 1}).") from error
    if size > most_bytes:
        raise TooLarge(f"{where} has {size} bytes; at most {most_bytes} are taken in.")


def cleaned(content: Conversation | Document, redactor: Redactor) -> Cleaned | Skipped:
    """The content as it may be stored; Skipped for a file that holds personal data and cannot be rewritten."""
    if not redactor:
        return Cleaned(content, content, {}, ())
    if isinstance(content, Conversation):
        return _conversation(content, redactor)
    return _document(content, redactor)


def _conversation(original: Conversation, redactor: Redactor) -> Cleaned:
    title: Counter[str] = Counter()
    units: list[Counts] = []
    turns: list[Turn] = []
    for turn in original.turns:
        counts: Counter[str] = Counter()
        speaker, text = redactor.text(turn.speaker, counts), redactor.text(turn.text, counts)
        turns.append(replace(turn, speaker=speaker, text=text, ref=turn.ref and redactor.identifier(turn.ref)))
        units.append(counts)
    conversation = replace(
        original,
        source_id=redactor.identifier(original.source_id),
        title=redactor.text(original.title, title),
        turns=tuple(turns),
    )
    return Cleaned(conversation, original, title, units)


def _document(original: Document, redactor: Redactor) -> Cleaned | Skipped:
    title, counts = Counter[str](), Counter[str]()
    source_id = redactor.identifier(original.source_id)
    text = redactor.text(original.text, counts)
    file = _file(original, text, redactor, counts)
    if file is None:
        found = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        return Skipped(source_id, f"Its text holds personal data ({found}), and a file of its type cannot be redacted.")
    document = replace(original, source_id=source_id, title=redactor.text(original.title, title), text=text, file=file)
    return Cleaned(document, original, title, [counts])


def _file(document: Document, text: str, redactor: Redactor, counts: Counter[str]) -> FileDraft | None:
    """The file with its bytes and name redacted; None where that cannot be done."""
    stem, dot, suffix = document.file.name.rpartition(".")
    file = replace(document.file, name=redactor.text(stem) + dot + redactor.text(suffix))
    written = _written(file)
    if written is None:
        return file if text == document.text else None
    if written == document.text:
        return replace(file, content=text.encode("utf-8", "surrogatepass")) if text != written else file
    inside: Counter[str] = Counter()  # markup holds what its text holds, and may hold more: addresses of links
    rewritten = redactor.text(written, inside)
    counts |= inside
    return replace(file, content=rewritten.encode("utf-8")) if rewritten != written else file


def _written(file: FileDraft) -> str | None:
    """The text of the file; None where it is not a text."""
    if not isinstance(file.content, bytes) or is_native(file.content_type):
        return None
    try:
        return file.content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
