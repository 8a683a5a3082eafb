"""A summary without a model: the sentences that carry most, in the order in which they were said.

A sentence's score is the weight of its words: frequent words of this text and names count, the score is divided by a power
of the length, and words that an earlier choice has covered do not count. The summary is an index of the content.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from engine.domain.terms import words

_SENTENCE = re.compile(r"[^.!?\n。！？]+[.!?。！？]*")
_NAME = re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][\w'’-]+")
MOST_SENTENCES = 2000
"""Sentences looked at; of a longer text an even sample."""
LONGEST_SENTENCE = 400


def summarize(text: str, *, target_words: int) -> str:
    """About `target_words` words of the text itself; the whole text when it is shorter."""
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
    names = len(set(_NAME.findall(sentence)))
    score = sum(weight[term] for term in found) + names + sum(character.isdigit() for character in sentence[:200]) * 0.2
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
