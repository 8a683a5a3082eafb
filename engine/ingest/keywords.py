"""Keywords of a record without a model, as columns: entities, topics, dates, relationships, source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from engine.domain.record import ItemDraft, Keywords
from engine.domain.terms import STOP_WORDS

MOST = 24
_SENTENCE_START = re.compile(r"(?:^|[.!?\n:;\"“]\s*)$")
_NAME = re.compile(r"\b[A-Z][\w'’]+(?:\s+(?:(?:of|the|de|van|von|&)\s+)?[A-Z][\w'’]+){0,3}")
_WORD = re.compile(r"[^\W\d_][\w'’-]{2,}")
RELATIONSHIPS = frozenset(
    "accountant aunt boss boyfriend brother brother-in-law client colleague cousin coworker customer dad daughter"
    " daughter-in-law doctor employee father father-in-law fiancé fiancée foreman friend girlfriend grandfather"
    " grandmother grandson granddaughter husband landlord lawyer manager mentor mom mother mother-in-law neighbor"
    " neighbour nephew niece parent partner sister sister-in-law sibling son son-in-law spouse stepbrother stepsister"
    " supplier teacher teammate tenant uncle wife".split()
)


def keywords(items: Sequence[ItemDraft], source: str) -> Keywords:
    """Keywords of the items of one record; each column has at most 24 entries, the most frequent first."""
    texts = [item.content for item in items]
    entities = Counter(item.speaker for item in items if item.speaker)
    entities.update(name for text in texts for name in names(text))
    folded = Counter(word for text in texts for word in plain_words(text))
    in_names = {part.casefold() for name in entities for part in name.split()}
    topics = Counter({word: count for word, count in folded.items() if word not in in_names and word not in STOP_WORDS})
    related = Counter({word: count for word, count in folded.items() if word in RELATIONSHIPS})
    return Keywords(
        entities=_top(entities),
        topics=_top(topics),
        dates=tuple(dict.fromkeys(date for item in items for date in item.dates))[:MOST],
        relationships=_top(related),
        source=source,
    )


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
