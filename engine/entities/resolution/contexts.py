"""What the texts around two names have in common, and what they say against each other. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

import stopwordsiso

from engine.entities.resolution.kin import relation_of
from engine.entities.resolution.name_likeness import place_of
from engine.entities.resolution.romanized import romanized, sound, word_set
from engine.language.detection import stop_words
from engine.language.tables import all_listed

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_UNSPACED = re.compile(r"[\u3400-\u9fff]{2,}|[\u30a0-\u30ff]{2,}")
_STOPPED = "en de es pt fr it nl pl sv da tr cs ru uk el ar he ko hu no fi ro".split()
_SENTENCE = re.compile(r"[^.!?。！？]+")
_DIGITS = re.compile(r"\d{2,4}")
_START, _LEAST_SOUND = 4, 3
"""Letters that words of one stem share at least, and consonants of names that sound the same."""
_MOST_ALIKE = 16
"""Words with the same first letters that one is compared with."""


@dataclass(frozen=True, slots=True)
class SharedContext:
    """`support`: how much the texts share; `against`: what they say that cannot be true of one, in plain words."""

    support: float
    shared: tuple[str, ...]
    against: tuple[str, ...]
    texts: bool
    """Whether both have a text at all."""
    unrelated: bool = False
    """Whether both texts have names beside, and share none of them."""


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    latin: str
    proper: bool
    sentence: int
    place: int


_Followers = Mapping[str, _Word | None]


@dataclass(frozen=True, slots=True)
class _Index:
    """The words of texts by what `_same` compares, so that a word is compared with those few that can be the same."""

    words: tuple[_Word, ...]
    latin: Mapping[str, list[_Word]]
    starts: Mapping[str, list[_Word]]
    places: Mapping[int, list[_Word]]
    sounds: Mapping[str, list[_Word]]

    def like(self, one: _Word, names: frozenset[str]) -> Iterator[tuple[_Word, float]]:
        """The words that say the same as one, with how surely, but for those of the names."""
        near = [*self.latin.get(one.latin, ()), *self.starts.get(one.latin[:_START], ())[:_MOST_ALIKE]]
        if self.places and (number := place_of(one.text)) >= 0:
            near += self.places.get(number, ())
        if self.sounds and len(spoken := sound(one.latin)) >= _LEAST_SOUND:
            near += self.sounds.get(spoken, ())
        return ((other, weight) for other in near if other.latin not in names and (weight := _same(one, other)) > 0)


def evidence(texts_a: Sequence[str], texts_b: Sequence[str], names: frozenset[str]) -> SharedContext:
    """Compares the texts without the words of the names themselves."""
    indexed = _indexed(tuple(texts_a)), _indexed(tuple(texts_b))
    left, right = ([word for word in index.words if word.latin not in names] for index in indexed)
    doubtful = _of_relatives(texts_a, texts_b) | _of_relatives(texts_b, texts_a)
    shared: dict[str, float] = {}
    for one in left:
        for other, weight in indexed[1].like(one, names):
            if weight > shared.get(one.latin, 0.0) and one.latin not in doubtful and other.latin not in doubtful:
                shared[one.latin] = weight
    against: list[str] = []
    followers = _followers(left), _followers(right)
    for word in list(shared):
        if clash := _clash(word, followers, indexed, names):
            against.append(clash)
            del shared[word]
    for before, after in pairwise(left):
        # The words of one longer name tell no more than one: São Paulo.
        together = before.proper and after.proper and after.place == before.place + 1
        if together and before.latin in shared and after.latin in shared:
            shared[after.latin] = min(shared[after.latin], 0.3)
    unrelated = _unrelated(left, right, indexed[1], names)
    return SharedContext(sum(shared.values()), tuple(sorted(shared)), tuple(against), bool(left and right), unrelated)


def _unrelated(left: Sequence[_Word], right: Sequence[_Word], index: _Index, names: frozenset[str]) -> bool:
    names_a, names_b = _proper(left), _proper(right)
    if not names_a or not names_b:
        return False
    return not any(other.proper and other.place for one in names_a for other, _ in index.like(one, names))


def _proper(words: Sequence[_Word]) -> list[_Word]:
    """Names within sentences: the first word of one has a capital anyway."""
    return [word for word in words if word.proper and word.place]


@lru_cache(maxsize=1 << 10)
def _indexed(texts: tuple[str, ...]) -> _Index:
    latin, starts, sounds = (defaultdict[str, list[_Word]](list) for _ in range(3))
    places = defaultdict[int, list[_Word]](list)
    words = _words(texts)
    for (form, _, proper), word in {(one.latin, one.text, one.proper and one.place > 0): one for one in words}.items():
        latin[form].append(word)
        if len(form) >= _START:
            starts[form[:_START]].append(word)
        if proper and (number := place_of(word.text)) >= 0:
            places[number].append(word)
        if len(spoken := sound(form)) >= _LEAST_SOUND:
            sounds[spoken].append(word)
    return _Index(words, latin, starts, places, sounds)


@lru_cache(maxsize=1 << 10)
def _words(texts: tuple[str, ...]) -> tuple[_Word, ...]:
    found: list[_Word] = []
    number = 0
    for text in texts:
        for sentence in _SENTENCE.findall(unicodedata.normalize("NFC", text)[:2000]):
            number += 1
            for place, match in enumerate(_WORD.finditer(sentence)):
                found.extend(_kept(match.group(), number, place))
    return tuple(found[:300])


def _kept(token: str, sentence: int, place: int) -> list[_Word]:
    if runs := _UNSPACED.findall(token):
        pairs = [run[i : i + 2] for run in runs for i in range(len(run) - 1)]
        pairs += _DIGITS.findall(token)
        return [_Word(pair, pair, place_of(pair) >= 0, sentence, place) for pair in pairs]
    latin = romanized(token)
    # A name within a sentence is none of the stop words of some other language: Maine, mâine.
    named = token[:1].isupper() and place > 0
    stopped = token.casefold() in stop_words("en") | stop_words("de") if named else {token.casefold(), latin} & _stops()
    if (len(latin) < 3 and not token.isdigit()) or (stopped and not token[:1].isdigit()):
        return []
    return [_Word(token, latin, token[:1].isupper() or place_of(token) >= 0, sentence, place)]


@cache
def _stops() -> frozenset[str]:
    words = frozenset(word for language in _STOPPED for word in stopwordsiso.stopwords(language))
    return words | {romanized(word) for word in words} | frozenset(all_listed("names", "said_of_many"))


def _same(one: _Word, other: _Word) -> float:
    if one.latin == other.latin:
        return 0.5 if relation_of(one.text) else 1.0
    if one.proper and other.proper and place_of(one.text) >= 0 and place_of(one.text) == place_of(other.text):
        return 1.0
    if (
        one.text.isascii() != other.text.isascii()
        and (one.proper or other.proper)
        and len(sound(one.latin)) >= _LEAST_SOUND
        and sound(one.latin) == sound(other.latin)
    ):
        return 1.0
    shared = 0
    for x, y in zip(one.latin, other.latin, strict=False):
        if x != y:
            break
        shared += 1
    longest = max(len(one.latin), len(other.latin))
    return 0.8 if shared >= _START and shared >= 0.6 * longest and not one.latin[0].isdigit() else 0.0


def _of_relatives(texts: Sequence[str], others: Sequence[str]) -> set[str]:
    """Words of sentences about the father, mother or child of the one named, where the other text does not speak of such."""
    told = _relatives(tuple(texts))
    spoken = _relations(tuple(others)) if told else frozenset()
    return {word for relation, words in told if relation not in spoken for word in words}


@lru_cache(maxsize=1 << 10)
def _relatives(texts: tuple[str, ...]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Sentences that begin with a relative of the one named: the relation, and the words."""
    found: list[tuple[str, frozenset[str]]] = []
    for text in texts:
        for sentence in _SENTENCE.findall(text):
            tokens = _WORD.findall(sentence)[:2]
            if len(tokens) == 2 and tokens[0].lower() in word_set("clues", "possessive"):
                relation = relation_of(tokens[1])
                if relation:
                    found.append((relation, frozenset(word.latin for word in _words((sentence,)))))
    return tuple(found)


@lru_cache(maxsize=1 << 10)
def _relations(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(relation_of(token) for text in texts for token in _WORD.findall(text))


def _clash(
    word: str, followers: tuple[_Followers, _Followers], indexed: tuple[_Index, _Index], names: frozenset[str]
) -> str:
    """The same word followed by two different names or years: borders Florida, borders Armenia."""
    if word.isdigit():
        return ""
    one, other = followers[0].get(word), followers[1].get(word)
    if one is None or other is None or one.proper != other.proper:
        return ""
    if any(indexed[1].like(one, names)) or any(indexed[0].like(other, names)):
        return ""
    return f"one text has {one.text} where the other has {other.text}"


def _followers(words: Sequence[_Word]) -> _Followers:
    """The name or year behind the first use of every ordinary word."""
    found: dict[str, _Word | None] = {}
    for place, one in enumerate(words):
        if not one.proper and one.latin not in found:
            near = (w for w in words[place + 1 : place + 3] if w.sentence == one.sentence and w.place - one.place <= 3)
            found[one.latin] = next((w for w in near if w.proper or (w.text.isdigit() and len(w.text) == 4)), None)
    return found
