"""What the texts around two names have in common, and what they say against each other. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

import stopwordsiso

from engine.domain.languages import language_of, stop_words
from engine.knowledge.resolution.kin import relation_of
from engine.knowledge.resolution.name_likeness import place_of
from engine.knowledge.resolution.romanized import romanized, sound
from engine.knowledge.resolution.word_lists import section, word_set

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_UNSPACED = re.compile(r"[\u3400-\u9fff]{2,}|[\u30a0-\u30ff]{2,}")
_STOPPED = "en de es pt fr it nl pl sv da tr cs ru uk el ar he ko hu no fi ro".split()
_LANGUAGES_SLAVIC = re.compile(r"[ęąłśźżćńřěůОо\u0400-\u04ff]")
_SENTENCE = re.compile(r"[^.!?。！？]+")
_CLUES = section("clues", "age")
_AGE = re.compile(rf"(?<!\d)(\d{{1,2}})[ -]?(?:{_CLUES['unit']})", re.I)
_AGED = re.compile(rf"\b(?:{'|'.join(_CLUES['small'].split())}) (?:{_CLUES['written']})", re.I)
_CHILD = re.compile(rf"\b(?:{_CLUES['child']})\b|{_CLUES['child_unspaced']}", re.I)
_PRONOUNS = {
    "en": ("she", "he"), "de": ("", "er"), "es": ("ella", "él"), "pt": ("ela", "ele"), "fr": ("elle", "il"), "it": ("lei", "lui"),
    "nl": ("zij", "hij"), "pl": ("ona", "on"), "sv": ("hon", "han"), "da": ("hun", "han"), "cs": ("ona", "on"), "tr": ("", ""),
}  # fmt: skip
_RUSSIAN = (re.compile(r"(?<!\w)(?:она|её|ей)(?!\w)", re.I), re.compile(r"(?<!\w)(?:он|его|ему)(?!\w)", re.I))
_GERMAN_SHE = re.compile(r"\b[Ss]ie (?:ist|war|hat|hatte|wird|kann|will|muss|\w{2,}[^eu]t)\b")
_CJK = (re.compile("她|彼女|그녀"), re.compile("他(?!们|们的)|彼(?!女)"))


@dataclass(frozen=True, slots=True)
class Evidence:
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


def evidence(texts_a: Sequence[str], texts_b: Sequence[str], names: frozenset[str]) -> Evidence:
    """Compares the texts without the words of the names themselves."""
    left = [word for word in _words(tuple(texts_a)) if word.latin not in names]
    right = [word for word in _words(tuple(texts_b)) if word.latin not in names]
    doubtful = _of_relatives(texts_a, texts_b) | _of_relatives(texts_b, texts_a)
    shared: dict[str, float] = {}
    against: list[str] = []
    for one in left:
        for other in right:
            weight = _same(one, other)
            if weight > shared.get(one.latin, 0.0) and one.latin not in doubtful and other.latin not in doubtful:
                shared[one.latin] = weight
    for shared_word in list(shared):
        if clash := _clash(shared_word, left, right):
            against.append(clash)
            del shared[shared_word]
    for before, word in pairwise(left):
        # The words of one longer name tell no more than one: São Paulo.
        if (
            before.latin in shared
            and word.latin in shared
            and before.proper
            and word.proper
            and word.place == before.place + 1
        ):
            shared[word.latin] = min(shared[word.latin], 0.3)
    names_a, names_b = _proper(left), _proper(right)
    unrelated = bool(names_a and names_b) and not any(_same(x, y) > 0 for x in names_a for y in names_b)
    return Evidence(sum(shared.values()), tuple(sorted(shared)), tuple(against), bool(left and right), unrelated)


def _proper(words: Sequence[_Word]) -> list[_Word]:
    """Names within sentences: the first word of one has a capital anyway."""
    return [word for word in words if word.proper and word.place]


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
        pairs += re.findall(r"\d{2,4}", token)
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
    return (
        words
        | {romanized(word) for word in words}
        | {"year", "years", "name", "named", "called", "people", "city", "town", "company", "live", "lives", "lived"}
    )


def _same(one: _Word, other: _Word) -> float:
    if one.latin == other.latin:
        return 0.5 if relation_of(one.text) else 1.0
    if one.proper and other.proper and place_of(one.text) >= 0 and place_of(one.text) == place_of(other.text):
        return 1.0
    if (
        one.text.isascii() != other.text.isascii()
        and (one.proper or other.proper)
        and len(sound(one.latin)) >= 3
        and sound(one.latin) == sound(other.latin)
    ):
        return 1.0
    shared = 0
    for x, y in zip(one.latin, other.latin, strict=False):
        if x != y:
            break
        shared += 1
    longest = max(len(one.latin), len(other.latin))
    return 0.8 if shared >= 4 and shared >= 0.6 * longest and not one.latin[0].isdigit() else 0.0


def _of_relatives(texts: Sequence[str], others: Sequence[str]) -> set[str]:
    """Words of sentences about the father, mother or child of the one named, where the other text does not speak of such."""
    spoken = {relation_of(token) for text in others for token in _WORD.findall(text)}
    found: set[str] = set()
    for text in texts:
        for sentence in _SENTENCE.findall(text):
            tokens = _WORD.findall(sentence)[:2]
            if (
                len(tokens) == 2
                and tokens[0].lower() in word_set("clues", "possessive")
                and (relation := relation_of(tokens[1]))
                and relation not in spoken
            ):
                found |= {word.latin for word in _words((sentence,))}
    return found


def _clash(word: str, left: Sequence[_Word], right: Sequence[_Word]) -> str:
    """The same word followed by two different names or years: borders Florida, borders Armenia."""
    if word.isdigit():
        return ""
    one, other = _followed(word, left), _followed(word, right)
    if one is None or other is None or one.proper != other.proper:
        return ""
    if any(_same(one, word) > 0 for word in right) or any(_same(other, word) > 0 for word in left):
        return ""
    return f"one text has {one.text} where the other has {other.text}"


def _followed(word: str, words: Sequence[_Word]) -> _Word | None:
    for place, one in enumerate(words):
        if one.latin == word and not one.proper:
            near = (w for w in words[place + 1 : place + 3] if w.sentence == one.sentence and w.place - one.place <= 3)
            return next((w for w in near if w.proper or (w.text.isdigit() and len(w.text) == 4)), None)
    return None


# gender, age, language --------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 10)
def gender_told(texts: tuple[str, ...], mention: str) -> str:
    """`f` or `m` where the first pronoun behind the mention tells; empty where nothing does."""
    for text in texts:
        behind = text[text.find(mention) + len(mention) :] if mention in text else text
        if re.search(r"[\u0400-\u04ff]", behind):
            if verb := re.match(r"\s+(?:\w+\s)?(\w+?)(ла|лась|л|лся)(?!\w)", behind):
                return "f" if verb[2].startswith("ла") else "m"
            return _first(behind, *_RUSSIAN)
        if found := _first(behind, *_CJK):
            return found
        language = language_of([text])
        if language == "pl" and (verb := re.match(r"\s+(\w+?)(ła|ł)\b", behind)):
            return "f" if verb[2] == "ła" else "m"
        she, he = _PRONOUNS.get(language, ("", ""))
        woman = _GERMAN_SHE if language == "de" else re.compile(rf"\b{she}\b", re.I) if she else None
        man = re.compile(rf"\b{he}\b", re.I) if he else None
        if found := _first(behind, woman, man):
            return found
    return ""


def _first(text: str, woman: re.Pattern[str] | None, man: re.Pattern[str] | None) -> str:
    she, he = woman.search(text) if woman else None, man.search(text) if man else None
    if she and (not he or she.start() < he.start()):
        return "f"
    return "m" if he else ""


def child_told(texts: Sequence[str]) -> bool:
    """Whether a text tells of a child of twelve or less."""
    for text in texts:
        if _CHILD.search(text) or _AGED.search(text):
            return True
        if any(int(match[1]) <= 12 for match in _AGE.finditer(text)):
            return True
    return False


def slavic(texts: Sequence[str], names: Sequence[str]) -> bool:
    """Whether names are inflected there: by letters, else by the language of the texts."""
    joined = " ".join((*texts, *names))
    return bool(_LANGUAGES_SLAVIC.search(joined)) or bool(texts and language_of(list(texts)) in ("pl", "cs"))
