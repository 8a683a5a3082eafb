"""Opens the one file that a search answer identifies, and finds the best passage."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

from engine.domain.search import Hit, SearchAnswer
from engine.errors import DamagedFile, ProviderUnavailable
from engine.shell.passage import MOST_PARAGRAPHS, Paragraph, paragraphs, standardised, surrounded, worded

if TYPE_CHECKING:
    from engine.memory import Memory
    from engine.providers.embedder import Embedder


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """The opened file; its hash was verified. `part`: only the passages at the node of the hit."""

    file_id: UUID
    name: str
    content_type: str
    size_bytes: int
    part: bool = False


@dataclass(frozen=True, slots=True)
class OpenedText:
    """The opened file; `passage` is None if it is not a text. `hit` identified the file; `rank`: its place in the
    answer, from 1."""

    file: OpenedDocument
    hit: Hit
    passage: Paragraph | None
    rank: int = 1


def file_hit(hits: Sequence[Hit]) -> Hit | None:
    """The hit whose file to open: the best hit in a document, else the best hit with a file.

    Documents come first because the answer already has the turns of a conversation whole.
    """
    with_file = [hit for hit in hits if hit.file_id is not None]
    documents = [hit for hit in with_file if hit.content_type == "file_upload"]
    return next(iter(documents or with_file), None)


async def open_best(memory: Memory, embedder: Embedder, answer: SearchAnswer) -> OpenedText | None:
    """Opens exactly one file; None if no hit has one.

    Raises NotFound, DamagedFile, StoreUnavailable.
    """
    hit = file_hit(answer.hits)
    if hit is None or hit.file_id is None:
        return None
    try:
        async with memory.files.open(hit.node_id, hit.file_id) as file:
            content = await asyncio.to_thread(file.content.read)
            document = OpenedDocument(file.file_id, file.name, file.content_type, file.size_bytes, file.part)
    except DamagedFile as error:
        named = hit.file_name or hit.file_id
        raise DamagedFile(f"{named}: {error.detail} `neurigraph doctor --deep` lists the damage.") from error
    passage = None
    if document.content_type.startswith("text/"):
        passage = await best_passage(content.decode("utf-8", "replace"), answer.query, embedder)
    return OpenedText(document, hit, passage, 1 + list(answer.hits).index(hit))


async def best_passage(text: str, question: str, embedder: Embedder) -> Paragraph | None:
    """The passage closest to the question, by words and meaning, or by words alone if no model answers; None for a text
    of white space."""
    pieces = paragraphs(text)
    if not pieces:
        return None
    by_words = worded(pieces, question)
    chosen = sorted(np.argsort(-by_words, kind="stable")[:MOST_PARAGRAPHS].tolist())
    try:
        made = await embedder.embed_documents([f"{pieces[at].section}. {pieces[at].text}" for at in chosen])
        by_meaning = np.stack([one.vector for one in made]) @ (await embedder.embed_query(question)).vector
    except ProviderUnavailable:
        return surrounded(pieces, chosen[int(np.argmax(by_words[chosen]))])
    scores = standardised(by_words[chosen]) + standardised(by_meaning.astype(np.float64))
    return surrounded(pieces, chosen[int(np.argmax(scores))])
