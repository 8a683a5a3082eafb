"""Persons who are named by what they are to another one: `my sister`, `Tom's ex-wife`, `Min farmor`; and what texts tell of the
person that they name: a woman or a man, a child; and whether names are inflected there. Pure.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise

from engine.entities.resolution.romanized import romanized, section, word_set
from engine.language.detection import language_of
from engine.language.tables import all_listed, each, table

_TOKEN = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*(?:['’]s\b)?")
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


@dataclass(frozen=True, slots=True)
class Kin:
    """A relation, of whom, and what tells it from others of the same relation."""

    relation: str
    owner: str = ""
    side: str = ""
    age: str = ""
    former: bool = False
    order: str = ""
    name: str = ""

    @property
    def gender(self) -> str:
        for gender, listed in (("f", "female"), ("m", "male")):
            if self.relation in word_set("kin", listed):
                return gender
        return ""

    @property
    def single(self) -> bool:
        return self.relation in word_set("kin", "single") and not self.former


@lru_cache(maxsize=1 << 12)
def kin_of(name: str) -> Kin | None:
    """The relation that a mention names; None for a name like any other."""
    tokens = _TOKEN.findall(unicodedata.normalize("NFC", name))[:12]
    found: list[tuple[int, str]] = []
    for place, token in enumerate(tokens):
        if relation := relation_of(token.lower() if place == 0 else token):
            found.append((place, relation))
    if not found or (len(tokens) == 1 and tokens[0][:1].isupper() and not tokens[0].isascii() and len(tokens[0]) < 3):
        return None
    place, relation = found[-1]
    first = found[-2] if len(found) > 1 else found[0]
    if len(found) > 1 and re.search(r"['’]s$", tokens[first[0]]):
        relation = section("kin", "pairs").get(f"{first[1].split('_')[0]}_{relation.split('_')[0]}", relation)
    said = [_latin(token) for token in tokens]
    my = any(word in word_set("kin", "owners", "my") for word in said)
    others = [t for i, t in enumerate(tokens) if i not in dict(found) and said[i] not in _small() and t[:1].isupper()]
    owner = next((_latin(t) for t in others if re.search(r"['’]s$", t)), "my" if my else "")
    named = " ".join(t for t in others if not re.search(r"['’]s$", t))
    if (
        not my
        and not owner
        and (relation.split("_")[0] not in word_set("kin", "addressed") or (not named and len(tokens) > 2))
    ):
        return None
    return _kin(relation, owner, named, said, tokens[place])


def _kin(relation: str, owner: str, named: str, said: Sequence[str], token: str) -> Kin:
    rows = {key: word_set("kin", "modifiers", key) for key in section("kin", "modifiers")}
    told = {key for key, words in rows.items() if any(word in words for word in said)}
    base, _, rest = relation.partition("_") if relation.endswith(("ternal", "elder", "younger")) else (relation, "", "")
    if "elder" in told and "younger" not in told:
        rest = rest or "elder"
    elif "younger" in told:
        rest = rest or "younger"
    side = next((one for one in ("maternal", "paternal") if one in told or rest == one), "")
    former = "former" in told or _latin(token).startswith("ex-")
    return Kin(
        base,
        owner,
        side,
        rest if rest in ("elder", "younger") else "",
        former,
        "second" if "second" in told else "",
        named,
    )


def relation_of(token: str) -> str:
    """What a word says someone is to another; empty for other words. Capitals count: `Frau` is a word, `Frank` is none."""
    table = _relations()
    native = token.casefold().removesuffix("'s").removesuffix("’s")
    latin = _latin(token)
    for form in (
        native,
        latin,
        latin.removeprefix("ex-"),
        latin[:-1] if latin.endswith("s") and len(latin) > 5 else latin,
    ):
        if form in table:
            return table[form]
    return ""


def role_of(token: str) -> str:
    """The same with roles that are no kinship: `dentist`, and any occupation: `midwife`. Sides and ages are left out, and a
    girlfriend, who may become a wife, is a partner, too."""
    latin = _latin(token).removeprefix("ex-")
    role = _roles().get(latin) or relation_of(token) or (latin if latin in _occupations() else "")
    role = re.sub(r"_(?:elder|younger|paternal|maternal)$", "", role)
    return "partner" if role in word_set("kin", "partners") else role


@cache
def _roles() -> dict[str, str]:
    return {word: role for role, words in section("kin", "roles").items() for word in words.split()}


@cache
def _occupations() -> frozenset[str]:
    return frozenset(map(romanized, all_listed("signs", "occupation")))


def _latin(token: str) -> str:
    return romanized(re.sub(r"['’]s$", "", token))


@cache
def _relations() -> dict[str, str]:
    table: dict[str, str] = {}
    for relation, words in section("kin", "relations").items():
        for word in words.split():
            table.setdefault(romanized(word) if word.isascii() else word, relation)
            if ord(word[0]) < 0x250:  # in other scripts the Latin form would meet short words like "my"
                table.setdefault(romanized(word), relation)
    # Words that are commoner in another meaning.
    for word in word_set("kin", "commoner"):
        table.pop(word, None)
    return table


@cache
def _small() -> frozenset[str]:
    rows = section("kin", "modifiers")
    modifiers = frozenset(word for key in rows for word in rows[key].split())
    return modifiers | word_set("kin", "owners", "my") | word_set("parts", "articles")


def side_told(texts: Sequence[str], mention: str) -> str:
    """Through whom someone is kin, where the text says it: the word of kinship after `my`, beside the mention itself."""
    for text in texts:
        tokens = _TOKEN.findall(text.replace(mention, " ", 1))
        for mine, token in pairwise(tokens):
            if _latin(mine) in word_set("kin", "owners", "my") and (relation := relation_of(token)):
                return section("kin", "sides").get(relation, relation)
    return ""


def uncertain(relation: str) -> bool:
    """Whether people have several of that relation that only the side tells apart."""
    return relation in word_set("kin", "uncertain")


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
