"""Words for relations between people, in several languages: they distinguish namesakes, and find a person who is not named.

"My brother" speaks for the node whose aliases, name or summary call it a brother, in whatever language. A word that is
also a title or an everyday word (German "Frau", French "son") counts only after a possessive.
"""

from __future__ import annotations

import re

_RELATIONS = {
    "mother": "mother mom mum mama mamma mami maman mutter mutti madre mère mãe moeder mommy mummy",
    "father": "father dad daddy papa papá vater vati padre père pai vader babbo",
    "sister": "sister schwester hermana sœur soeur irmã sorella zus",
    "brother": "brother bruder hermano frère irmão fratello broer",
    "wife": "wife frau ehefrau esposa mujer femme épouse mulher moglie",
    "husband": "husband ehemann mann marido esposo mari marito",
    "daughter": "daughter tochter hija fille filha figlia dochter",
    "son": "son sohn hijo fils filho figlio zoon",
    "brother-in-law": "brother-in-law schwager cuñado beau-frère cunhado cognato zwager",
    "sister-in-law": "sister-in-law schwägerin cuñada belle-sœur cunhada cognata schoonzus",
    "mother-in-law": "mother-in-law schwiegermutter suegra belle-mère sogra suocera schoonmoeder",
    "father-in-law": "father-in-law schwiegervater suegro beau-père sogro suocero schoonvader",
    "grandmother": "grandmother grandma granny oma großmutter abuela yaya avó grand-mère mamie nonna",
    "grandfather": "grandfather grandpa granddad opa großvater abuelo avô grand-père papi nonno",
    "aunt": "aunt auntie tante tía zia",
    "uncle": "uncle onkel tío oncle zio oom",
    "cousin": "cousin cousine primo prima cugino cugina neef",
    "niece": "niece nichte sobrina nièce sobrinha",
    "nephew": "nephew neffe sobrino neveu sobrinho",
    "boss": "boss manager chef chefin jefe jefa patron patronne capo baas",
    "landlord": "landlord landlady vermieter vermieterin casero casera propriétaire senhorio",
    "flatmate": "flatmate roommate housemate mitbewohner mitbewohnerin colocataire",
    "trainee": "trainee intern apprentice azubi praktikant praktikantin lehrling stagiaire becario",
}
_POSSESSIVE = (
    "my|your|our|his|her|their|mein(?:e[mnrs]?)?|dein(?:e[mnrs]?)?|unser(?:e[mnrs]?)?|sein(?:e[mnrs]?)?|ihr(?:e[mnrs]?)?"
    "|mis?|tus?|sus?|nuestr[oa]|mon|ma|mes|ton|ta|tes|son|sa|ses|notre|votre|leur|meu|minha|teu|tua|seu|sua|noss[oa]"
    "|mi[oa]|tu[oa]|su[oa]|mijn|jouw|zijn|haar"
)
_ARTICLE = "the|an?|der|die|das|den|dem|des|eine[mnrs]?|ein|el|la|los|las|una?|le|les|l|une|du|de|os?|as|uma?|il|lo|gli|het|een"
_NEGATION = "not|isn['’]t|wasn['’]t|nicht|kein(?:e[mnrs]?)?|non|pas|não|nem|niet|geen"
_KIN = {word: relation for relation, words in _RELATIONS.items() for word in words.split()}
_AMBIGUOUS = frozenset("frau mann femme mujer mulher son chef".split())
_CHOICES = "|".join(re.escape(word) for word in sorted(_KIN, key=len, reverse=True))
_FOUND = re.compile(rf"(?P<whose>\b(?:{_POSSESSIVE})\s+)?(?<![\w-])(?P<word>{_CHOICES})(?![\w-])")
_LEADING = re.compile(rf"^(?:(?:{_POSSESSIVE}|{_ARTICLE})(?:\s+|['’]))+(?=\S)")
_NEGATED = re.compile(rf"\b(?:{_NEGATION})\s+(?:(?:{_POSSESSIVE}|{_ARTICLE}|in|im|with|mit|con|avec)(?:\s+|['’]))*$")
_DENIAL = re.compile(r"\W*(?:no|nope|nein|nee|non|não|nao)\b", re.IGNORECASE)
_LOOKED_BACK = 40
"""Characters before a name in which it can be negated."""


def relations(folded_text: str) -> dict[str, str]:
    """The relations that a folded text speaks of, with the word for each; one that is negated is left out."""
    return {
        _KIN[match["word"]]: match["word"]
        for match in _FOUND.finditer(folded_text)
        if (match["whose"] or match["word"] not in _AMBIGUOUS) and not negated(folded_text, match.start())
    }


def bare(folded_name: str) -> str:
    """A name without the possessives and articles before it: "meine Mutter" is also called "deine Mutter". Where only a word with
    other meanings would be left ("meine Frau", which is also a title), nothing: the relation speaks for it."""
    left = _LEADING.sub("", folded_name)
    return "" if left != folded_name and left in _AMBIGUOUS else left


def denies(text: str) -> bool:
    """Whether a reply begins by denying what was asked."""
    return _DENIAL.match(text) is not None


def negated(folded_text: str, start: int) -> bool:
    """Whether what begins there is denied: "not the cat". A comma or a full stop between ends a negation."""
    return _NEGATED.search(folded_text, max(0, start - _LOOKED_BACK), start) is not None
