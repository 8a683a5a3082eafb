"""Names in Latin letters, and how they sound: what names of different scripts are compared by, and what the readable keys of
entities are made of, never one for two names. Pure, from tables of our own.

A word list tells the letters of alphabets and the commonest characters of Chinese and Japanese names; Korean syllables
and kana follow a rule. What no table knows stays as it is, and then only equals itself. All word lists that names are compared by
are data beside the code: read once, folded, never changed.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Container, Iterable, Mapping
from functools import cache, lru_cache

from engine.domain.names import name_key, slug
from engine.language.tables import FOLDER

Section = Mapping[str, str]
_HANGUL_FIRST = "g kk n d tt r m b pp s ss . j jj ch k t p h".split()
_HANGUL_MIDDLE = "a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i".split()
_HANGUL_LAST = ". k k k n n n t l k m p l l p l m p p t t ng t t k t p t".split()
_KANA = re.compile(r"(?:HIRAGANA|KATAKANA) LETTER (?:SMALL )?([A-Z]+)")
_INDIC = re.compile(r" (LETTER|VOWEL SIGN|SIGN) ([A-Z]+)")
_INDIC_SCRIPTS = ("DEVANAGARI", "BENGALI", "GUJARATI", "GURMUKHI", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM")
_GREEK_PAIRS = (
    ("ου", "ou"),
    ("μπ", "b"),
    ("ντζ", "ntz"),
    ("τζ", "tz"),
    ("γγ", "ng"),
    ("γκ", "g"),
    ("αυ", "av"),
    ("ευ", "ev"),
)
EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7af々]")
HANGUL = re.compile(r"[\uac00-\ud7af]")
UNVOCALISED = re.compile(r"[\u0590-\u06ff]")
LONGEST_READABLE, HASH_DIGITS = 80, 8
"""Characters of the readable part of a key, and of a hash in it."""


@cache
def section(file: str, name: str) -> Section:
    """A section of a list: its keys with their words."""
    found = _read(file)[name]
    return {key: str(value) for key, value in found.items()} if isinstance(found, dict) else {}


@cache
def sections(file: str) -> Mapping[str, Mapping[str, Section]]:
    """A list of two levels: language, gender, full name."""
    return {language: genders for language, genders in _read(file).items() if isinstance(genders, dict)}


@cache
def word_set(file: str, name: str, key: str = "words") -> frozenset[str]:
    """The words of one key of a section."""
    return frozenset(section(file, name).get(key, "").split())


@cache
def lines(file: str, name: str) -> tuple[tuple[str, ...], ...]:
    """A list of lines of names divided by bars."""
    found = _read(file)[name]
    return tuple(tuple(line.split("|")) for line in str(found).strip().splitlines() if line.strip())


@cache
def _read(file: str) -> dict[str, object]:
    return tomllib.loads((FOLDER / "likeness" / f"{file}.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1 << 15)
def romanized(text: str) -> str:
    """The text folded, without marks, in Latin letters as far as the tables reach."""
    composed = unicodedata.normalize("NFKC", text).casefold()
    out: list[str] = []
    place = 0
    composed = _greek(_japanese(composed))
    while place < len(composed):
        out.append(_letter(composed[place]))
        place += 1
    return _kana_long("".join(out))


def _letter(character: str) -> str:
    if character.isascii():
        return character
    table = _letters()
    if character in table:
        return table[character]
    if "\uac00" <= character <= "\ud7a3":
        return _hangul(ord(character) - 0xAC00)
    name = unicodedata.name(character, "")
    if kana := _KANA.fullmatch(name):
        return kana[1].lower()
    if name.startswith(_INDIC_SCRIPTS):
        return _indic(name)
    decomposed = unicodedata.normalize("NFD", character)
    if len(decomposed) > 1:
        return "".join(map(_letter, decomposed))
    return "" if unicodedata.combining(character) or unicodedata.category(character) == "Cf" else character


def _hangul(index: int) -> str:
    first, rest = divmod(index, 588)
    middle, last = divmod(rest, 28)
    return (_HANGUL_FIRST[first] + _HANGUL_MIDDLE[middle] + _HANGUL_LAST[last]).replace(".", "")


def _indic(name: str) -> str:
    found = _INDIC.search(name)
    if found is None or found[2] in ("VIRAMA", "NUKTA", "VISARGA"):
        return ""
    if found[2] in ("ANUSVARA", "CANDRABINDU"):
        return "n"
    letter = found[2].lower()
    # The inherent vowel of a consonant is mostly silent or short: the sound form leaves vowels out anyway.
    return letter if found[1] != "LETTER" or letter[0] in "aeiou" else letter.removesuffix("a")


def _kana_long(text: str) -> str:
    return text.replace("ー", "").replace("・", " ")


def _greek(text: str) -> str:
    if not re.search(r"[\u0370-\u03ff\u1f00-\u1fff]", text):
        return text
    bare = "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    for pair, latin in _GREEK_PAIRS:
        bare = bare.replace(pair, latin)
    return bare


def _japanese(text: str) -> str:
    """Known Japanese names as words: their characters sound differently in Chinese."""
    return japanese_names().get(text, text)


@cache
def japanese_names() -> Mapping[str, str]:
    """Common names of Japan: as they are written, in Latin letters."""
    return {
        written: latin for latin, all_forms in section("scripts", "japanese").items() for written in all_forms.split()
    }


@cache
def _letters() -> Mapping[str, str]:
    table: dict[str, str] = {}
    for pairs in section("scripts", "letters").values():
        for pair in pairs.split():
            letter, _, latin = pair.partition("=")
            table[letter] = latin
    table.update({c: sound for sound, characters in section("scripts", "han").items() for c in characters})
    return table


@cache
def korean_surnames() -> Mapping[str, frozenset[str]]:
    """Family names by their romanization, with the spellings that people use."""
    rows: Section = section("scripts", "korean")
    return {spoken: frozenset(forms.split()) for spoken, forms in rows.items()}


# sound ------------------------------------------------------------------------------------------------------

_SPELLINGS = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"shch|schtsch", "S"),
        (r"tsch|tch|tsh|cz|ch(?=[aeiouy])|ch$|tj", "C"),
        (r"ch", "C"),
        (r"sch|sh|sz", "S"),
        (r"dzh|dsch|dj|zh|dž", "J"),
        (r"tz|ts|ds|dz", "z"),
        (r"ph", "f"),
        (r"kh|gh(?=[aeiou])", "h"),
        (r"th", "t"),
        (r"ck|qu|q|c", "k"),
        (r"x", "ks"),
        (r"w", "v"),
    )
)
# Pinyin, Wade-Giles and Korean spellings write one sound as zh, ch, j, q and another as x, hs, sh.
_MANDARIN = tuple(
    (re.compile(pattern), one) for pattern, one in ((r"zh|ch|j|q", "C"), (r"hs|sh|x", "S"), (r"tz|ts|c", "z"))
)
_VOWELS = re.compile(r"[aeiouyj']+")
_REPEATED = re.compile(r"(.)\1+")
_VOICED = str.maketrans("gbdJz", "kptCC")


@lru_cache(maxsize=1 << 15)
def sound(latin: str, *, voiceless: bool = False) -> str:
    """The consonants of a Latin word in one spelling; `voiceless`: with g as k, b as p and so on, as in Korean and Chinese."""
    said = "".join(c for c in latin if c.isalnum())
    for pattern, one in _MANDARIN if voiceless else ():
        said = pattern.sub(one, said)
    for pattern, one in _SPELLINGS:
        said = pattern.sub(one, said)
    said = _VOWELS.sub("", _REPEATED.sub(r"\1", said[:1].replace("j", "J") + said[1:]))
    return said.translate(_VOICED) if voiceless else said


def sounds_alike(a: str, b: str) -> bool:
    """Whether two words, of which at least one was written in another script, can be one name."""
    left, right = romanized(a), romanized(b)
    if left == right:
        return True
    if EAST_ASIAN.search(a + b):
        one, other = sound(left, voiceless=True), sound(right, voiceless=True)
        return len(one) >= 2 and one == other and _first_vowel(left) == _first_vowel(right)
    if UNVOCALISED.search(a + b):
        one, other = bare_sound(left), bare_sound(right)
        return len(one) >= 2 and one == other
    one, other = sound(left), sound(right)
    return len(one) >= 2 and one == other and _first_vowel(left)[:1] in ("", *_near(_first_vowel(right)))


def bare_sound(latin: str) -> str:
    """Consonants that Arabic and Hebrew write for sure: without those that may stand for vowels."""
    spoken = sound(latin.replace("j", "g").replace("dh", "d").replace("gh", "g"))
    return re.sub("[hv]", "", spoken.replace("J", "g").replace("p", "f"))


def _near(vowel: str) -> str:
    """Vowels that spellings exchange."""
    return {"a": "ae", "e": "eaio", "i": "ie", "o": "ouae", "u": "uo"}.get(vowel, "aeiou")


def _first_vowel(latin: str) -> str:
    found = re.search(r"[aeiou]", latin)
    return found[0] if found else ""


def canonical_key(kind: str, name: str) -> str:
    """`person:dave-kowalski`: the kind and the name in a-z, 0-9 and hyphens; two names have one key if their `name_key` is one.

    Letters of other scripts are romanized. Where the readable part does not say all of the name, as for `C++` or `José`, a dot
    and the hash of the name follow: entities are joined by their key, so it must not be that of another name.
    """
    key = name_key(name)
    whole = slug(romanized(key) or key)
    readable = whole[:LONGEST_READABLE].strip("_").replace("_", "-")
    return f"{kind}:{readable}" if readable.replace("-", " ") == key else f"{kind}:{readable}.{_hashed(key)}"


def free_key(kind: str, name: str, taken: Container[str], batch: str) -> str:
    """The canonical key; where another entity has it, with a tilde and a hash behind it that no other batch gives."""
    key = base = canonical_key(kind, name)
    number = 1
    while key in taken:
        number += 1
        key = f"{base}~{_hashed(batch, base, str(number))}"
    return key


def is_key_of(key: str, names: Iterable[str]) -> bool:
    """Whether a key is that of one of these names."""
    base, kind = key.partition("~")[0], key.partition(":")[0]
    return any(canonical_key(kind, name) == base for name in names)


def words_of(key: str) -> str:
    """The words of the readable part of a key."""
    return re.split(r"[.~]", key.partition(":")[2])[0].replace("-", " ")


def _hashed(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:HASH_DIGITS]
