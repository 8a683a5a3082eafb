"""Keys under which names that can be one are found without comparing all pairs. Pure."""

from __future__ import annotations

from functools import lru_cache

from engine.domain.names import name_key
from engine.entities.resolution.kin import kin_of
from engine.entities.resolution.name_likeness import full_forms, place_of, umlauts
from engine.entities.resolution.name_parts import parts_of
from engine.entities.resolution.romanized import bare_sound, sound
from engine.entities.resolution.word_lists import word_set


@lru_cache(maxsize=1 << 15)
def blocking_keys(name: str) -> frozenset[str]:
    """Two names that `name_likeness` can match share at least one of these, but for inflected forms outside of the lists."""
    parts = parts_of(name)
    keys = {f"=:{name_key(name)}"}
    for word, written in zip(parts.words, parts.written, strict=True):
        if len(word) > 1 and word not in _ordinary():
            keys |= {f"w:{word}", f"w:{umlauts(written)}", f"s:{sound(word, voiceless=True)}", f"b:{bare_sound(word)}"}
            keys |= {f"n:{full}" for full in full_forms(word)}
    if parts.acronym or len(parts.words) > 1:
        keys.add(f"a:{parts.acronym or ''.join(word[0] for word in parts.words)}")
    if parts.acronym and len(parts.words) > 1:
        keys.add(f"a:{''.join(word[0] for word in parts.words)}")
    if place_of(name) >= 0:
        keys.add(f"p:{place_of(name)}")
    if place_of(name, "renamed") >= 0:
        keys.add(f"r:{place_of(name, 'renamed')}")
    if kin := kin_of(name):
        keys.add(f"k:{kin.relation}")
    return frozenset(keys - {"s:", "b:", "w:"})


def _ordinary() -> frozenset[str]:
    return word_set("parts", "heads") | word_set("parts", "generic")
