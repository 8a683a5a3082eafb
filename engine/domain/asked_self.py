"""Whether a question is about the one who asks it: "Where do I work?", "Wie heißt mein Arzt?". Pure; for some languages."""

from __future__ import annotations

import re
from collections.abc import Collection

_WORDS = {
    "en": r"i|i['’](?:m|ve|d|ll)|me|my|mine|myself",
    "de": r"ich|mich|mir|mein\w{0,2}",
    "es": r"yo|me|mí|mi|mis|mío|mía|míos|mías|conmigo",
    "pt": r"eu|me|mim|meu|minha|meus|minhas|comigo",
    "fr": r"je|j['’]\w+|me|m['’]\w+|moi|mon|ma|mes",
}
_VERBS = re.compile(
    r"^\W*(?:\w+\s+){0,2}(?:(?:a|con|para|por|em|com)\s+)?(?:qu[eé]|qui[eé]n|quem|d[oó]nde|onde|cu[aá]ndo|quando|c[oó]mo|como|cu[aá]nt\w+|quant\w+)\s+"
    r"(?:no\s+|não\s+)?(?:vivo|trabajo|trabalho|moro|tengo|tenho|soy|sou|estoy|estou|gano|ganho|tomo|como|bebo|puedo|posso|debo|devo)\b",
    re.IGNORECASE,
)
"""Spanish and Portuguese say I by the verb: "¿Dónde trabajo?"."""
_ADDRESSED = re.compile(
    r"\b(?:(?:tell|show|give|remind|help|let|send|read|find)\s+me|(?:sage?|zeige?|nenne|gib|erzähle?)\s+mir|(?:dis|montre|donne)-moi)\b",
    re.IGNORECASE,
)
"""What is asked of the one who answers says nothing of who is asked about: "Tell me where Ellen lives"."""
_PATTERNS = {language: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for language, words in _WORDS.items()}


_UNSPACED = re.compile(r"我(?![们們国國方])")
"""Chinese, which has no spaces between words."""


def asks_for_self(question: str, languages: Collection[str]) -> bool:
    """`languages`: those that the question may be in; of all that are known where none of these is, as for a short one."""
    text = _ADDRESSED.sub(" ", question)
    spoken = _PATTERNS.keys() & set(languages) or _PATTERNS.keys()
    if _UNSPACED.search(text):
        return True
    return any(_PATTERNS[one].search(text) for one in spoken) or (
        not spoken.isdisjoint(("es", "pt")) and _VERBS.search(text) is not None
    )
