"""The description of a record without a model: summary, the vector of a summary, keywords."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.domain.record import ItemDraft, Keywords
from engine.domain.terms import STOP_WORDS, words
from engine.domain.utterance import named_dates
from engine.language.tables import all_listed, one_of

Vectors = NDArray[np.float32]

# summary ------------------------------------------------------------------------------------------------

MOST_SENTENCES = 2000
"""Sentences looked at; of a longer text an even sample."""
LONGEST_SENTENCE = 400
_SENTENCE = re.compile(r"[^.!?\n。！？]+[.!?。！？]*")
_NAME_INSIDE = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w'’-]+")


def summarize(text: str, *, target_words: int) -> str:
    """About `target_words` words of the text itself, an index of the content; the whole text when it is shorter.

    The sentences that carry most, in the order in which they were said. A sentence's score is the weight of its words: frequent
    words of this text and names count, the score is divided by a power of the length, and words that an earlier choice has
    covered do not count.
    """
    if len(text) <= LONGEST_SENTENCE or len(text.split(None, target_words)) <= target_words:
        return " ".join(text.split())
    sentences = _sampled([match.group().strip()[:LONGEST_SENTENCE] for match in _SENTENCE.finditer(text)])
    terms = [set(words(sentence)) for sentence in sentences]
    weight = _term_weights(terms)
    scores = [_score(sentence, found, weight) for sentence, found in zip(sentences, terms, strict=True)]
    return " ".join(sentences[index] for index in _chosen(sentences, terms, scores, target_words))


def _sampled(sentences: Sequence[str]) -> list[str]:
    kept = [sentence for sentence in sentences if sentence]
    step = max(1, math.ceil(len(kept) / MOST_SENTENCES))
    return kept[::step]


def _term_weights(terms: Sequence[set[str]]) -> dict[str, float]:
    counts = Counter(term for found in terms for term in found)
    return {term: math.log1p(count) for term, count in counts.items()}


def _score(sentence: str, found: set[str], weight: dict[str, float]) -> float:
    names = len(set(_NAME_INSIDE.findall(sentence)))
    score = sum(weight[term] for term in found) + names + sum(map(str.isdigit, sentence[:200])) * 0.2
    asks = 0.5 if sentence.endswith("?") else 1.0
    return asks * score / math.pow(8 + len(found), 0.7)


def _chosen(sentences: Sequence[str], terms: Sequence[set[str]], scores: Sequence[float], target: int) -> list[int]:
    """Greedy by score; a sentence whose words are mostly covered already is passed over."""
    covered: set[str] = set()
    chosen: list[int] = []
    length = 0
    for index in sorted(range(len(sentences)), key=lambda number: -scores[number]):
        new = terms[index] - covered
        if len(new) * 2 < len(terms[index]) or not new:
            continue
        chosen.append(index)
        covered |= terms[index]
        length += len(sentences[index].split())
        if length >= target:
            break
    return sorted(chosen)


def summary_vector(summary: str, contents: Sequence[str], vectors: Vectors) -> Vectors:
    """The mean of the items' vectors, each weighted by the words that it lends to the summary.

    An encoder that averages over tokens gives nearly the same for the summary as a text, and embedding every
    sentence a second time would cost more than all items (measured: 4.3 against 3.7 ms a turn).
    """
    quoted = set(words(summary))
    weights = np.array([1e-3 + len(quoted & set(words(content))) for content in contents], dtype=np.float32)
    centre = weights @ vectors
    unit: Vectors = (centre / max(float(np.linalg.norm(centre)), 1e-12)).astype(np.float32)
    return unit


# keywords -----------------------------------------------------------------------------------------------

MOST = 24
MOST_TAGS = 12
"""Keywords of one passage at most."""
_SENTENCE_START = re.compile(r"(?:^|[.!?\n:;\"“]\s*)$")
_NAME = re.compile(rf"\b[A-Z][\w'’]+(?:\s+(?:(?:{one_of('written_names', 'inside')}|&)\s+)?[A-Z][\w'’]+){{0,3}}")
_WORD = re.compile(r"[^\W\d_][\w'’-]{2,}")


@cache
def relationships() -> frozenset[str]:
    """Words for what people are to each other."""
    return frozenset(all_listed("relatives", "relationships"))


def keywords(items: Sequence[ItemDraft], source: str) -> Keywords:
    """Keywords of the items of one record by column: entities, topics, dates, relationships, source; at most 24 a column, the
    most frequent first."""
    texts = [item.content for item in items]
    entities = Counter(item.speaker for item in items if item.speaker)
    entities.update(name for text in texts for name in names(text))
    folded = Counter(word for text in texts for word in plain_words(text))
    in_names = {part.casefold() for name in entities for part in name.split()}
    topics = Counter({word: count for word, count in folded.items() if word not in in_names and word not in STOP_WORDS})
    related = Counter({word: count for word, count in folded.items() if word in relationships()})
    return Keywords(
        entities=_top(entities),
        topics=_top(topics),
        dates=tuple(dict.fromkeys(date for item in items for date in named_dates(item.dates)))[:MOST],
        relationships=_top(related),
        source=source,
    )


def tags(content: str) -> tuple[str, ...]:
    """Keywords of a passage: names, then topics."""
    found, folded = Counter(names(content)), Counter(plain_words(content))
    in_names = {part.casefold() for name in found for part in name.split()}
    topics = Counter({word: count for word, count in folded.items() if word not in in_names and word not in STOP_WORDS})
    return tuple(dict.fromkeys((*_top(found)[: MOST_TAGS // 2], *_top(topics))))[:MOST_TAGS]


def names(text: str) -> Iterable[str]:
    """Capitalised words inside sentences; at a sentence's start a capital is no evidence, unless more follow."""
    for match in _NAME.finditer(text):
        name = match.group().removesuffix("'s").removesuffix("’s")
        starts = _SENTENCE_START.search(text, max(0, match.start() - 3), match.start())
        if name.split("'")[0].split("’")[0].casefold() in STOP_WORDS or name == "I":
            continue
        if starts and " " not in name:
            continue
        yield name


def plain_words(text: str) -> Iterable[str]:
    """Words of more than three letters, folded, as keywords are given."""
    for match in _WORD.finditer(text):
        word = match.group().casefold().removesuffix("'s").removesuffix("’s")
        if len(word) > 3 and "'" not in word and "’" not in word:
            yield word


def _top(counts: Counter[str]) -> tuple[str, ...]:
    return tuple(entry for entry, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST])
