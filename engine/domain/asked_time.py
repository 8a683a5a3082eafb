"""Whether a question asks for what was, or for what is now: by words and forms of verbs, for some languages. Pure."""

from __future__ import annotations

import re
from typing import Literal

from engine.domain.languages import language_of

AskedTime = Literal["past", "present", "open"]
"""`open`: the question says neither; it is read as a question for the present state."""

_PAST = {
    "en": r"was|were|did|had|has|have|been|used to|ever|would|could|might|may|before|previous(?:ly)?|former(?:ly)?|originally"
    r"|initially|at first|earlier|ago|back then|yesterday"
    r"|last (?:night|week|weekend|month|year|spring|summer|autumn|fall|winter)",
    "de": r"war(?:en|st|t)?|hatte\w*|wurde\w*|wollte\w*|musste\w*|sollte\w*|konnte\w*|früher\w*|vorher\w*|damals|ursprünglich\w*"
    r"|zuerst|anfangs|zuvor|gestern|letzte[nrsm]? (?:woche|monat|jahr|sommer|winter)"
    r"|vor \w+ (?:jahr|monat|woche|tag)e?n?|ehemalig\w*",
    "es": r"era[ns]?|fue(?:ron)?|estaba\w*|había\w*|tenía\w*|antes|(?:al|en un|en el) principio|inicialmente|originalmente"
    r"|anterior\w*|ayer|hace \w+ (?:años?|mes(?:es)?|semanas?|días?)|(?:año|mes|verano|semana) pasad[oa]"
    r"|\w{3,}(?:aba[ns]?|ábamos|aste|asteis|aron|ieron|iste|isteis)",
    "pt": r"era[ms]?|foi|foram|estava\w*|tinha\w*|havia\w*|antes|antigamente|no (?:começo|início|princípio)|inicialmente"
    r"|originalmente|anterior\w*|ontem|há \w+ (?:anos?|mês|meses|semanas?|dias?)|(?:ano|mês|verão|semana) passad[oa]"
    r"|\w{3,}(?:ava[ms]?|ávamos|aram|eram|iram|aste|este|iste)",
    "fr": r"étai\w+|avai\w+|fu(?:t|rent)|avant|auparavant|autrefois|à l['’]origine|au (?:début|départ)|initialement|précéde\w+"
    r"|hier|ancien\w*|il y a \w+ (?:ans?|mois|semaines?|jours?)|(?:année?|mois|été|semaine) (?:passée?|dernière?|dernier)"
    r"|\w{3,}(?:ait|aient)",
    "it": r"era(?:no|vamo)?|fu(?:rono)?|aveva\w*|stava\w*|prima|all['’]inizio|inizialmente|in origine|precedent\w+|ieri"
    r"|(?:anno|mese|settimana) scors[oa]|(?:\d+|un[oa]?|due|tre|quattro|cinque|sei|dieci|qualche|poch[ie]|alcun[ie]) \w+ fa"
    r"|\w{3,}(?:avano|evano|ivano)",
    "nl": r"was|waren|had(?:den)?|werd(?:en)?|vroeger|eerst|eerder|destijds|oorspronkelijk|gisteren|voorheen|geleden|vorige?",
}
_PRESENT = {
    "en": r"now|current(?:ly)?|nowadays|these days|today|at the moment|at present|latest|still",
    "de": r"jetzt|zurzeit|derzeit\w*|aktuell\w*|momentan|gegenwärtig\w*|heute|inzwischen|noch",
    "es": r"ahora|actual(?:es|mente)?|hoy|todavía|aún",
    "pt": r"agora|atual(?:mente)?|atuais|hoje|ainda",
    "fr": r"maintenant|actuel\w*|aujourd['’]hui|encore|en ce moment|désormais",
    "it": r"ora|adesso|attual\w+|oggi|ancora",
    "nl": r"nu|momenteel|tegenwoordig|huidige?|vandaag|nog",
}


def _patterns(words: dict[str, str]) -> dict[str, re.Pattern[str]]:
    return {language: re.compile(rf"\b(?:{choices})\b", re.IGNORECASE) for language, choices in words.items()}


_PAST_PATTERNS, _PRESENT_PATTERNS = _patterns(_PAST), _patterns(_PRESENT)


def asked_time(question: str) -> AskedTime:
    """What a question asks for. Words for the present outweigh forms of the past: "what has become of it now"."""
    languages = {language_of([question])}  # English where it has no stop words
    if any(_PRESENT_PATTERNS[one].search(question) for one in languages & _PRESENT_PATTERNS.keys()):
        return "present"
    if any(_PAST_PATTERNS[one].search(question) for one in languages & _PAST_PATTERNS.keys()):
        return "past"
    return "open"
