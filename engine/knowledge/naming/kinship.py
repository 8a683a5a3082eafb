"""Words of kinship and role, and who "my sister" is. Pure, for English, German, Spanish, Portuguese, French."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

Group = Literal["family", "work", "friends", "others"]

_KIN = """
    mother mom mum father dad sister brother son daughter wife husband aunt uncle cousin nephew niece
    grandmother grandma grandfather grandpa grandson granddaughter mother-in-law father-in-law brother-in-law
    sister-in-law son-in-law daughter-in-law stepfather stepmother stepbrother stepsister fiancé fiancée partner
    girlfriend boyfriend mutter mama vater papa schwester bruder sohn tochter frau mann tante onkel cousine
    vetter neffe nichte oma opa großmutter großvater enkel enkelin schwager schwägerin schwiegermutter
    schwiegervater schwiegersohn schwiegertochter freundin verlobte verlobter madre mamá padre papá hermana
    hermano hijo hija esposa esposo marido tía tío primo prima sobrino sobrina abuela abuelo cuñado cuñada
    suegra suegro novia novio pareja mãe pai irmã irmão filho filha mulher tia tio sobrinho sobrinha avó avô
    cunhado cunhada sogra sogro namorada namorado mère maman père sœur soeur frère fils fille femme mari tante
    oncle neveu nièce grand-mère grand-père beau-frère belle-sœur belle-mère beau-père copine copain
""".split()
_ROLES = """
    boss manager colleague coworker client customer supplier supervisor assistant employee employer landlord
    lawyer accountant doctor dentist therapist coach teacher trainer mentor chef chefin kollege kollegin kunde
    kundin vermieter vermieterin anwalt anwältin ärztin arzt hausärztin hausarzt zahnarzt zahnärztin
    steuerberater steuerberaterin lehrer lehrerin trainer trainerin therapeut therapeutin mitarbeiter
    mitarbeiterin jefe jefa compañero compañera cliente casero abogado abogada médico médica doctora profesor
    profesora entrenador patrão colega chefe senhorio advogado advogada professora professor treinador contador
    contadora patron patronne collègue client cliente propriétaire avocat avocate médecin professeur
""".split()
_FRIENDS = """
    friend neighbour neighbor roommate flatmate freund nachbar nachbarin mitbewohner mitbewohnerin amigo amiga
    vecino vecina vizinho vizinha ami amie voisin voisine
""".split()
GROUP_OF: Mapping[str, Group] = {
    **dict.fromkeys(_KIN, "family"),
    **dict.fromkeys(_ROLES, "work"),
    **dict.fromkeys(_FRIENDS, "friends"),
}

RELATIONS = "|".join(sorted(map(re.escape, GROUP_OF), key=len, reverse=True))
NAME = r"[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ'’]+(?:-[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ]+)?"
FULL_NAME = rf"{NAME}(?: (?:de |da |do |van |von )?{NAME})?"
MY = r"(?:my|our|mein\w{0,2}|unser\w{0,2}|mi|mis|nuestr[oa]|meu|minha|nosso|nossa|mon|ma|notre)"
SAYS = (
    r"said|says|told|asked|thinks|wants|wanted|called|texted|wrote|married|laughed|agreed|promised|moved|"
    r"sagt|sagte|meint|meinte|erzählt|erzählte|fragt|fragte|will|wollte|findet|fand|hat|schreibt|schrieb|heiratet|"
    r"dijo|dice|quiere|preguntó|cree|llamó|disse|diz|quer|perguntou|acha|ligou|dit|veut|pense|demande"
)
_CALLED = re.compile(
    r"\b(?:Mom|Mum|Mommy|Mummy|Mama|Dad|Daddy|Papa|Grandma|Grandpa|Mamá|Papá|Maman|Mamãe|Oma|Opa)\b(?![’'-]?[A-Za-z]{2}| [A-Z])"
)
_OF_OTHERS = re.compile(
    r"(?:['’-]|\b(?:an?|the|his|her|your|their|die|der"
    r"|deine?r?|seine?r?|ihre?r?|la|el|sa|ta|votre|su|tu|sua) )$",
    re.IGNORECASE,
)
_OWN = frozenset(
    "my our mi mis nuestra nuestro meu minha nosso nossa mon ma notre".split()
    + [stem + ending for stem in ("mein", "unser") for ending in ("", "e", "en", "em", "er", "es")]
)
_MINE = re.compile(
    rf"\b(?i:{MY}) (?:(?i:big|little|older|younger|elder|late|new|best"
    r"|große[rn]?|kleine[rn]?|ältere[rn]?|jüngere[rn]?) )?"
    rf"(?i:(?P<relation>{RELATIONS}))\b(?!-)"
)


def relations_with_my(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a text speaks of people as "my sister" or "Mom", with the word of relation."""
    if not _OWN.isdisjoint(text.casefold().split()):
        for match in _MINE.finditer(text):
            yield match.start(), match.end(), match["relation"].casefold()
    for match in _CALLED.finditer(text):
        if _OF_OTHERS.search(text[max(0, match.start() - 8) : match.start()]):
            continue
        yield match.start(), match.end(), match[0].casefold()
