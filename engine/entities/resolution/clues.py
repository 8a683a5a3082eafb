"""What texts tell of the person that they name: a woman or a man, a child; and whether names are inflected there. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from engine.entities.resolution.word_lists import section
from engine.language.detection import language_of
from engine.language.tables import each, table

_LANGUAGES_SLAVIC = re.compile(r"[ęąłśźżćńřěůОо\u0400-\u04ff]")
_CLUES = section("clues", "age")
_AGE = re.compile(rf"(?<!\d)(\d{{1,2}})[ -]?(?:{_CLUES['unit']})", re.I)
_AGED = re.compile(rf"\b(?:{'|'.join(_CLUES['small'].split())}) (?:{_CLUES['written']})", re.I)
_CHILD = re.compile(rf"\b(?:{_CLUES['child']})\b|{_CLUES['child_unspaced']}", re.I)
_RUSSIAN = (re.compile(r"(?<!\w)(?:она|её|ей)(?!\w)", re.I), re.compile(r"(?<!\w)(?:он|его|ему)(?!\w)", re.I))
_PRONOUNS: Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    code: (re.compile(rf"\b{she}\b", re.I), re.compile(rf"\b{table(code, 'pronouns')['he']}\b", re.I))
    for code, she in each("pronouns", "she")
}
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_RUSSIAN_VERB = re.compile(r"\A\s+(?:\w+\s)?(\w+?)(ла|лась|л|лся)(?!\w)")
_POLISH_VERB = re.compile(r"\A\s+(\w+?)(ła|ł)\b")
_CJK = (re.compile("她|彼女|그녀"), re.compile("他(?!们|们的)|彼(?!女)"))


@lru_cache(maxsize=1 << 10)
def gender_told(texts: tuple[str, ...], mention: str) -> str:
    """`f` or `m` where the first pronoun behind the mention tells; empty where nothing does."""
    for text in texts:
        behind = text[text.find(mention) + len(mention) :] if mention in text else text
        if _CYRILLIC.search(behind):
            if verb := _RUSSIAN_VERB.match(behind):
                return "f" if verb[2].startswith("ла") else "m"
            return _first(behind, *_RUSSIAN)
        if found := _first(behind, *_CJK):
            return found
        language = language_of([text])
        if language == "pl" and (verb := _POLISH_VERB.match(behind)):
            return "f" if verb[2] == "ła" else "m"
        if found := _first(behind, *_PRONOUNS.get(language, (None, None))):
            return found
    return ""


def _first(text: str, woman: re.Pattern[str] | None, man: re.Pattern[str] | None) -> str:
    she, he = woman.search(text) if woman else None, man.search(text) if man else None
    if she and (not he or she.start() < he.start()):
        return "f"
    return "m" if he else ""


@lru_cache(maxsize=1 << 10)
def child_told(texts: tuple[str, ...]) -> bool:
    """Whether a text tells of a child of twelve or less."""
    for text in texts:
        if _CHILD.search(text) or _AGED.search(text):
            return True
        if any(int(match[1]) <= 12 for match in _AGE.finditer(text)):
            return True
    return False


@lru_cache(maxsize=1 << 10)
def slavic(texts: tuple[str, ...], names: tuple[str, ...]) -> bool:
    """Whether names are inflected there: by letters, else by the language of the texts."""
    joined = " ".join((*texts, *names))
    return bool(_LANGUAGES_SLAVIC.search(joined)) or bool(texts and language_of(list(texts)) in ("pl", "cs"))
