"""What a name is made of: words, titles, forms of companies, marks of generation. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from engine.entities.resolution.romanized import (
    EAST_ASIAN,
    HANGUL,
    japanese_names,
    korean_surnames,
    romanized,
    section,
    word_set,
)

_WORD = re.compile(r"[^\W_]+(?:['’`.\-‐&+][^\W_]+)*\.?", re.UNICODE)
_POSSESSIVE = re.compile(rf"['’](?:{'|'.join(sorted(word_set('parts', 'possessive')))})$")
_INITIALS = re.compile(r"(?:[^\W\d_]\.){1,4}[^\W\d_]?\.?")
_MOST_WORDS = 12


@dataclass(frozen=True, slots=True)
class NameParts:
    """A name taken apart. `words` are romanized and folded, `written` the same words in their own script."""

    words: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    titles: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    gender: str = ""
    adult: bool = False
    generation: str = ""
    company: bool = False
    legal: frozenset[str] = frozenset()
    """The legal forms of a company, one word each: `limited` is `ltd`. A group or a holding is no form."""
    teknonym: bool = False
    acronym: str = ""
    common: bool = False
    """Nothing but ordinary words: `the president`, `biscuit`, and titles alone."""
    east_asian: bool = False
    capital: bool = True


@lru_cache(maxsize=1 << 14)
def parts_of(name: str) -> NameParts:
    """Never raises, whatever the name holds; a name of nothing but titles has no words."""
    text = " ".join(unicodedata.normalize("NFKC", name).split())
    if EAST_ASIAN.search(text):
        return _east_asian(text)
    if "," in text and (turned := _turned(text)):
        text = turned
    written = [match.group() for match in _WORD.finditer(text)][:_MOST_WORDS]
    tokens = [token for place, one in enumerate(written) for token in _opened(one, last=0 < place == len(written) - 1)]
    tokens = tokens[:_MOST_WORDS]
    return _sorted_out(tokens, text)


def _turned(text: str) -> str:
    """`Orlova, Anna` the other way round; a form of a company behind the comma stays."""
    last, _, first = text.partition(",")
    rest = romanized(first).replace(".", " ").split()
    known = word_set("parts", "legal") | _generations().keys()
    return f"{first.strip()} {last}" if rest and not set(rest) & known and "," not in first else ""


def _opened(token: str, *, last: bool) -> list[str]:
    """`A.S.` as two initials, but as one word behind the name of a company, `Lumen S.A.`; a possessive ending goes."""
    if last and token.count(".") > 1 and token.replace(".", "").casefold() in word_set("parts", "legal"):
        return [token.replace(".", "")]
    if _INITIALS.fullmatch(token) and token.count(".") > 1:
        return [f"{letter}." for letter in token.split(".") if letter]
    return [_POSSESSIVE.sub("", token)]


def _sorted_out(tokens: list[str], text: str) -> NameParts:
    words: list[tuple[str, str]] = []
    titles: set[str] = set()
    generation, company, legal = "", False, set[str]()
    for place, token in enumerate(tokens):
        latin = romanized(token).strip(".'’`") or token.casefold()  # a sign that has no sound: Ъ
        bare = latin.replace(".", "")
        last = place == len(tokens) - 1
        if (
            place == 0
            and bare in word_set("parts", "articles")
            and (token != token.upper() or len(token) == 1)
            and len(tokens) > 1
        ):
            continue
        if (words or place) and bare in _generations() and (last or len(bare) > 1 or not token.endswith(".")):
            generation = generation or _generations()[bare]
        elif (
            bare in word_set("parts", "legal")
            and (words or place)
            and not (bare in word_set("parts", "common_legal") and token.islower())
        ):
            company = True
            legal.add(bare)
        elif _is_title(bare, token, last, words):
            titles.add(bare)
        elif not (words and bare in word_set("parts", "particles") and (token.islower() or token in "&")):
            words.append((bare, unicodedata.normalize("NFC", token).casefold().strip(".")))
    ordinary = [token for token in tokens if not token.islower()]
    lead = bool(words) and words[0][1] in word_set("parts", "teknonyms")
    single = len(words) == 1 and words[0][1] != "x" and 2 <= len(words[0][1].replace(".", "")) <= 6
    letters = words[0][0].replace(".", "").replace("&", "") if single else ""
    upper = any(token.strip(".").replace(".", "").replace("&", "").isupper() for token in tokens)
    return NameParts(
        words=tuple(latin for latin, _ in words),
        written=tuple(written for _, written in words),
        titles=frozenset(titles),
        gender=_gender(titles),
        adult=bool(titles & word_set("parts", "titles", "adult")),
        generation=generation,
        company=company,
        legal=_forms(legal),
        teknonym=lead,
        acronym=letters if upper else "",
        common=not words or ((not ordinary[1:] if _article_first(tokens) else not ordinary) and _cased(text)),
        capital=not _cased(text)
        or any(token[:1].isupper() for token in tokens if _plain(token) in {w for w, _ in words}),
    )


def _plain(token: str) -> str:
    return romanized(_POSSESSIVE.sub("", token)).strip(".'’`").replace(".", "")


def _article_first(tokens: list[str]) -> bool:
    return len(tokens) > 1 and romanized(tokens[0]) in word_set("parts", "articles") and not tokens[0].islower()


def _cased(text: str) -> bool:
    return text.lower() != text.upper()


def _is_title(bare: str, token: str, last: bool, words: list[tuple[str, str]]) -> bool:
    if bare in word_set("parts", "polite") and words:
        return True
    if bare not in _titles():
        return False
    if len(bare) <= 2 and not words and not last and token.isupper() and not token.endswith("."):
        return bare in word_set("parts", "capital_titles")
    if bare in ("m", "d") and not token.endswith("."):
        return False
    return not words or token.islower() or token.endswith(".")


def _forms(written: set[str]) -> frozenset[str]:
    same = {word: form for form, words in section("parts", "forms").items() for word in words.split()}
    return frozenset(form for word in written if (form := same.get(word, word)) != "none")


@cache
def _titles() -> frozenset[str]:
    return frozenset().union(*(word_set("parts", "titles", key) for key in ("f", "m", "any")))


@cache
def _generations() -> dict[str, str]:
    rows = section("parts", "generation")
    found = {word.strip("."): key for key in ("elder", "younger") for word in rows[key].split()}
    return (
        {word: key for word, key in found.items() if len(word) > 1}
        | {one: one for one in rows["numerals"].split() if one not in "ivx"}
        | {
            "i": "i",
            "v": "v",
        }
    )


def _gender(titles: set[str]) -> str:
    women = titles & (word_set("parts", "titles", "f") | word_set("parts", "suffixes", "f"))
    men = titles & (word_set("parts", "titles", "m") | word_set("parts", "suffixes", "m"))
    return "f" if women and not men else "m" if men and not women else ""


def _east_asian(text: str) -> NameParts:
    bare, titles = text.replace("ー", "ー").strip(), set[str]()
    company = False
    for form in section("parts", "legal")["native"].split():
        if form in bare and bare != form:
            bare, company = bare.replace(form, "").strip(), True
    for suffix in _suffixes():
        if len(bare) > len(suffix) and bare.endswith(suffix):
            bare = bare[: -len(suffix)].strip()
            titles.add(suffix)
            break
    words = _east_asian_words(bare)
    return NameParts(
        words=tuple(latin for latin, _ in words),
        written=tuple(written for _, written in words),
        titles=frozenset(titles),
        roles=frozenset(titles & word_set("parts", "suffixes", "role")),
        gender=_gender(titles),
        adult=bool(titles & word_set("parts", "titles", "adult")),
        company=company,
        east_asian=True,
    )


@cache
def _suffixes() -> tuple[str, ...]:
    rows = section("parts", "suffixes")
    return tuple(
        sorted({one for key in ("ja", "zh", "ko") for one in rows[key].split()}, key=lambda one: (-len(one), one))
    )


def _east_asian_words(bare: str) -> list[tuple[str, str]]:
    if " " in bare or "・" in bare or "·" in bare:
        return [(romanized(part) or part, part) for part in re.split(r"[ ・·]+", bare) if part]
    if HANGUL.fullmatch(bare[:1]) and 2 < len(bare) <= 4 and romanized(bare[0]) in korean_surnames():
        return [(romanized(bare[0]), bare[0]), (romanized(bare[1:]), bare[1:])]
    for length in (3, 2, 1):
        if (
            len(bare) > length
            and bare[:length] in japanese_names()
            and (length > 1 or bare[length:] in japanese_names())
        ):
            return [(romanized(part) or part, part) for part in (bare[:length], bare[length:])]
    if bare in japanese_names() or not re.fullmatch(r"[\u3400-\u9fff]{2,4}", bare):
        return [(romanized(bare) or bare, bare)] if bare else []
    cut = 2 if bare[:2] in word_set("parts", "compound_surnames") and len(bare) > 2 else 1
    return [(romanized(part) or part, part) for part in (bare[:cut], bare[cut:])]


def is_of_another(one: str, other: str) -> bool:
    """Whether one of two names that share a word has a place behind it, as a title, or is a thing of the other: Ann's Diner."""
    short, long = sorted((name.casefold().replace("’", "'") for name in (one, other)), key=len)
    return any("," in name or " of " in name for name in (short, long)) or long.startswith(f"{short}'s ")
