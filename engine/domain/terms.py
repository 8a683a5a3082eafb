"""Words of a text as BM25 sees them, in every script, and their weights as a sparse vector.

A stored weight depends on the text and its unit alone: the length that BM25 divides by is a constant, so
weights written years apart compare. How rare a word is belongs to the question: it is put into the query
vector from the document counts of the nodes that are searched.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Literal

from pgvector import SparseVector

from engine.language.detection import STEMMED, languages_of, stem, stop_words
from engine.language.tables import all_listed

Unit = Literal["turn", "passage", "record"]
"""What counts as one document: a turn of a conversation, a passage of a file, a whole record."""

DIMENSION = 1_000_000
MOST_TERMS = 700
"""Terms kept of one text; the heaviest stay. An index over sparse vectors takes up to 1,000."""
LONGEST_KEPT = 4000
"""Characters of a text whose words are kept at hand for a while."""
LONGEST_WORD = 64
"""Characters of a word that count; the rest of a longer one is ignored."""

K1 = 0.9
B = 0.4
REFERENCE_LENGTH: Mapping[Unit, float] = {"turn": 12.0, "passage": 50.0, "record": 255.0}
"""Average number of words of a document, fitted once on public chats and passages and never changed."""

STOP_WORDS = frozenset(all_listed("search", "stop_words"))

# Combining marks are part of a word: without them Hindi, Arabic with vowels or Thai fall into single letters.
_MARKS = "".join(chr(c) for c in range(0x300, 0x11F00) if unicodedata.category(chr(c)).startswith("M"))
_WORD = re.compile(rf"[^\W_](?:[^\W_]|[{re.escape(_MARKS)}])*")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
"""The same in folded ASCII text, where it takes half as long."""
# Scripts that are written without spaces: Thai, Lao, Myanmar, Khmer, kana, Han.
_UNSPACED = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\U00020000-\U0003ffff]+"
)


LONGEST_UNSPACED = 10
"""Characters of a question in a script without spaces that is taken for one word: "ร้านกาแฟ" has eight."""


def unspaced_word(text: str) -> bool:
    """Whether the text is one short stretch of a script without spaces, as "绿茶"."""
    found = _WORD.findall(folded(text))
    return len(found) == 1 and len(found[0]) <= LONGEST_UNSPACED and _UNSPACED.fullmatch(found[0]) is not None


def words(text: str) -> list[str]:
    """The words that carry meaning, folded and stemmed, in order; empty when there are none.

    Runs of scripts without spaces become overlapping pairs of characters. Never raises, whatever the text holds.
    """
    return list(_words(text) if len(text) <= LONGEST_KEPT else _words.__wrapped__(text))


@lru_cache(maxsize=1024)  # assignment, weights and counts all ask for the words of the same turns
def _words(text: str) -> tuple[str, ...]:
    whole = folded(text)
    if whole.isascii():
        return tuple(_stem(token[:LONGEST_WORD]) for token in _ASCII_WORD.findall(whole) if token not in STOP_WORDS)
    return tuple(word for word, _ in words_at(whole))


def folded(text: str) -> str:
    """The text as its words are looked for: one width, one case."""
    return unicodedata.normalize("NFKC", text).casefold()


def plain_words(text: str, least: int) -> set[str]:
    """The words of a text as they stand there, folded and not stemmed, of at least so many characters; of scripts without spaces
    all stretches of three, and shorter runs whole."""
    whole = folded(text)
    if whole.isascii():
        return {token[:LONGEST_WORD] for token in _ASCII_WORD.findall(whole) if len(token) >= least}
    found: set[str] = set()
    for token in _WORD.findall(whole):
        end = 0
        for run in _UNSPACED.finditer(token):
            found.add(token[end : run.start()][:LONGEST_WORD])
            found.update(_threes(run.group()))
            end = run.end()
        found.add(token[end:][:LONGEST_WORD])
    return {word for word in found if len(word) >= least or _UNSPACED.fullmatch(word)} - {""}


def _threes(run: str) -> list[str]:
    return [run] if len(run) <= 3 else [run[i : i + 3] for i in range(len(run) - 2)]


def words_at(folded_text: str) -> Iterator[tuple[str, int]]:
    """The words of a folded text, each with the place where its token begins."""
    for match in _WORD.finditer(folded_text):
        token = match.group()
        if not token.isascii():
            yield from ((part, match.start()) for part in _parts(token))
        elif token not in STOP_WORDS:
            yield _stem(token[:LONGEST_WORD]), match.start()


def _parts(token: str) -> list[str]:
    """A token as words: stretches without spaces as pairs, what lies between them as it is."""
    parts: list[str] = []
    end = 0
    for run in _UNSPACED.finditer(token):
        parts.extend(part for part in [token[end : run.start()][:LONGEST_WORD]] if part)
        parts.extend(_pairs(run.group()))
        end = run.end()
    parts.extend(part for part in [token[end:][:LONGEST_WORD]] if part)
    return parts


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


def stored_words(text: str) -> list[str]:
    """The words that a stored text is found by: all of `words`, and stems in the language of the text.

    All of `words` stay, so that a wrong guess of the language loses nothing, and what was stored before stems were is found as
    ever; stems take the terms that they leave.
    """
    found = words(text)
    stems = _stems(text, languages_of(text))
    kept = set(list(dict.fromkeys(stems))[: max(0, MOST_TERMS - len(set(found)))]) if stems else ()
    return found + [one for one in stems if one in kept]


def asked_words(question: str) -> list[str]:
    """The words that a question looks for: `words`, and stems in its language; in every one where none is detected."""
    return words(question) + _stems(question, languages_of(question) or STEMMED)


def _stems(text: str, languages: Sequence[str]) -> list[str]:
    """Stems in these languages that differ from the words themselves, without those of stop words."""
    others = [language for language in languages if language != "en"]  # the words are stemmed as English ones
    if not others:
        return []
    stems: list[str] = []
    for token in _WORD.findall(folded(text)):
        if _UNSPACED.search(token):
            continue
        token = token[:LONGEST_WORD]
        own = _stem(token) if token.isascii() else token
        found = dict.fromkeys(stem(token, language) for language in others if token not in stop_words(language))
        stems += [one for one in found if one != own]
    return stems


@lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    return stem(word, "en")


@lru_cache(maxsize=1 << 16)
def term_id(word: str) -> int:
    """The dimension of a word, 1 to 1,000,000, the same on every machine for ever."""
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % DIMENSION + 1


def weights(found: Sequence[str], unit: Unit) -> dict[int, float]:
    """BM25 weights of a document's words by term, without their rarity; the heaviest `MOST_TERMS` of them."""
    length = len(found) / REFERENCE_LENGTH[unit]
    damping = K1 * (1 - B + B * length)
    counts = Counter(term_id(word) for word in found)
    kept = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:MOST_TERMS]
    return {term: count * (K1 + 1) / (count + damping) for term, count in kept}


def sparse(text: str, unit: Unit) -> SparseVector:
    """The text's weights as the vector that is stored beside it."""
    return sparse_of(weights(words(text), unit))


def sparse_of(by_term: Mapping[int, float]) -> SparseVector:
    """Weights by term as a sparse vector; the vector's places count from 0, terms from 1."""
    return SparseVector({term - 1: weight for term, weight in by_term.items()}, DIMENSION)


def terms_of(stored: SparseVector) -> tuple[int, ...]:
    """The terms of a vector as it is stored."""
    return tuple(place + 1 for place in stored.indices())


def rarity(total: int, documents: int) -> float:
    """BM25's inverse document frequency of a term found in `documents` of `total`; never negative."""
    return math.log(1 + max(0.0, total - documents + 0.5) / (documents + 0.5))
