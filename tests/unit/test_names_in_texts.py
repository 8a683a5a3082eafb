"""Names in texts: what is found, in several languages and spellings, and that no text breaks it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from uuid import uuid4

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.domain.entity import Mention, TextPiece
from engine.domain.names import name_key
from engine.domain.shown import beginning
from engine.naming.mentions import text_of
from engine.naming.names import names_in
from engine.naming.spelling import KnownNames, runs_of


def read(text: str, *, speaker: str = "", title: str = "", known: dict[str, str] | None = None) -> list[Mention]:
    return names_in([TextPiece(text, speaker, title)], known or {})[0]


def names(mentions: Sequence[Mention]) -> list[str]:
    return [one.name for one in mentions if one.sure and one.form == "name"]


def kinds(mentions: Sequence[Mention]) -> dict[str, str]:
    return {one.name: one.kind for one in mentions if one.form == "name"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The bridge was planned by Ove Lindgren of Lisbon.", ["Ove Lindgren", "Lisbon"]),
        ("She studied at the University of Coimbra and at Oxford.", ["University of Coimbra", "Oxford"]),
        ("Colonel Harriet Vance and Dr. Paul Abara met Sir Edwin Moss.", ["Harriet Vance", "Paul Abara", "Sir Edwin Moss"]),
        ("He told Professor Nadia Rahimi's brother.", ["Nadia Rahimi"]),
        ("In May, a Swedish firm, Norrvik AB, opened on Monday.", ["Norrvik AB"]),
        ("They speak Portuguese and Catalan with German friends.", []),
        ("The novel \"A Lamp in the Harbour\" won.", ["A Lamp in the Harbour"]),
        ("We read *The Salt Road* together.", ["The Salt Road"]),
        ("It was the World Meteorological Organization (WMO) that paid.", ["World Meteorological Organization", "WMO"]),
        ("It belongs to Tollan Mills, Inc. and to J. R. Pardoe Jr.", ["Tollan Mills, Inc.", "J. R. Pardoe Jr."]),
        ("He was King of Norway, the son of Ragna de la Cruz.", ["Norway", "Ragna de la Cruz"]),
        ("Rosalind \"Roz\" Keller wrote it.", ["Rosalind \"Roz\" Keller"]),
        ("Selkirk is a hamlet. Attacks on it were rare.", ["Selkirk"]),
        ("A mill was founded by August Hallberg in August 1901, after the War of 1812.", ["August Hallberg", "War of 1812"]),
        ("Everything OK at 5 PM on TV?", []),
        ("We moved from Porto\nLisbon is larger.", ["Porto", "Lisbon"]),
        ("El año pasado Lucía Fernández fue a Sevilla con Pedro.", ["Lucía Fernández", "Sevilla", "Pedro"]),
        ("A minha irmã Teresa mora no Porto com João.", ["Teresa", "Porto", "João"]),
        ("Hier, Camille Laurent est partie à Lyon.", ["Camille Laurent", "Lyon"]),
        ("12.2 If Robert Tarn dies, see 9.1. Roof and floor stay.", ["Robert Tarn"]),
        ("## 7. Machines\nNo machines at night. Best 9. Slip bobber, 46 °F. Both knees wet, by the water at 9. Water is cold.", []),
        ("Happy New Year to all, and a Merry Christmas.", []),
        ("It was Franklin D. Roosevelt, the 32nd President, who came.", ["Franklin D. Roosevelt"]),
        ("It went to Marcus Gallagher Jr. In spring he left.", ["Marcus Gallagher Jr."]),
        ("Write to Ann@Example.org or see https://Some.Site/Page, #Topic.", []),
    ],
)  # fmt: skip
def test_names_of_a_passage(text: str, found: list[str]) -> None:
    assert names(read(text)) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Thanks Nadia! Wow, great news. Pottery is fun.", ["Nadia"]),
        ("Sounds good. Totally! Working late again.", []),
        ("Had lunch with Tamsin from Brightwater Labs.", ["Tamsin", "Brightwater Labs"]),
        ("Researching schools. I'm off to Leeds, I think.", ["Leeds"]),
        ("WOW THAT IS AMAZING", []),
        ("Zorina said no.", []),
        ("So Walter's Delta comes to you, and then to Ellen's Owen.", ["Walter", "Delta", "Ellen", "Owen"]),
        ("We met at Joan's Bakery on Valentine's Day.", ["Joan's Bakery", "Valentine's Day"]),
    ],
)
def test_names_of_a_turn(text: str, found: list[str]) -> None:
    assert names(read(text, speaker="Ola")) == found


def test_a_thing_of_somebody_is_no_person() -> None:
    assert kinds(read("He restored Walter's Delta in the shed.")) == {"Walter's Delta": "thing"}
    assert kinds(read("We put in the bar at Copper Loon Brewing.")) == {"Copper Loon Brewing": "organization"}


def test_a_title_of_first_words_is_no_name() -> None:
    """As MCP gives a text without one; the title of a passage is a name."""
    said = "Yuki Tanaka met Omar Haddad at the harbor. They spoke of the red boat that Omar had bought in Lisbon."
    read_as = {title: text_of(uuid4(), said, "", title, None).piece for title in (beginning(said), said, "Yuki Tanaka")}
    assert [names(names_in([piece], {})[0])[:2] for piece in read_as.values()] == [["Yuki Tanaka", "Omar Haddad"]] * 3
    assert [piece.title for piece in read_as.values()] == ["", "", "Yuki Tanaka"]


def test_texts_of_a_batch_vouch_for_each_other() -> None:
    first, second = names_in([TextPiece("Zorina said no.", "Ola"), TextPiece("I asked Zorina twice.", "Ola")], {})
    assert names(first) == names(second) == ["Zorina"]
    [alone] = names_in([TextPiece("Zorina said no to Leeds.", "Ola")], {})
    assert [(one.name, one.sure) for one in alone if one.form == "name"] == [("Zorina", False), ("Leeds", True)]
    small, large = names_in([TextPiece("The clay is dry.", "Ola"), TextPiece("Clay is dry.", "Ola")], {})
    assert names(small) == names(large) == []


def test_a_speaker_is_a_mention_outside_of_the_text() -> None:
    assert read("Fine.", speaker="Ola Berg") == [Mention("Ola Berg", 0, 0, "person", "speaker")]
    assert read("Fine.", speaker="assistant") == []
    greeted = names_in([TextPiece("Morning, Berg!", "Tam"), TextPiece("Fine.", "Ola Berg")], {})[0]
    assert names(greeted) == ["Berg"]


def test_the_title_of_a_document_is_found_in_its_text() -> None:
    text = (
        "Salt, Smoke and Other Small Things is a novel. Two years later Salt, Smoke and Other Small Things was filmed."
    )
    found = read(text, title="Salt, Smoke and Other Small Things (novel)")
    assert names(found) == ["Salt, Smoke and Other Small Things"] * 2
    assert {one.kind for one in found} == {"work"}


def test_german_nouns_are_no_names() -> None:
    text = "Meine Schwester hat den Kuchen mit Zucker gebacken, und Jonas hat die Wohnung in Leipzig gesehen. Frau Örtel kommt am Montag."
    assert names(read(text, speaker="Mira")) == ["Jonas", "Leipzig", "Örtel"]
    assert names(read("Der Bruder von meinem Kollegen heißt Thoralf und wohnt in der Kastanienallee.")) == [
        "Thoralf",
        "Kastanienallee",
    ]


def test_known_names_are_found_where_capitals_say_nothing() -> None:
    known = {name_key(name): kind for name, kind in {
        "Tamsin": "person", "Halfmoon Lake": "place", "山田太郎": "person", "नेहा": "person", "Ayşe": "person", "Rose": "person",
    }.items()}  # fmt: skip
    assert kinds(read("went to halfmoon lake with tamsin", known=known)) == {
        "halfmoon lake": "place",
        "tamsin": "person",
    }
    assert names(read("昨日、山田太郎と話した。", known=known)) == ["山田太郎"]
    assert names(read("मैं नेहा से मिला", known=known)) == ["नेहा"]
    assert names(read("Dün Ayşe'nin evindeydik.", known=known)) == ["Ayşe"]
    assert names(read("i bought a rose", known=known)) == []
    assert names(read("昨日、山田太郎と話した。")) == [] and names(read("went to leeds with dave")) == []
    assert read("See Tamsin.", known=known) == names_in([TextPiece("See Tamsin.")], KnownNames.of(known))[0]


def test_a_known_name_may_begin_with_a_number() -> None:
    assert names(
        read("They met at the 60th parallel Institute.", known={name_key("60th parallel Institute"): "organization"})
    ) == ["60th parallel Institute"]


def test_a_side_and_a_nationality_are_no_name_because_a_title_has_the_side() -> None:
    found = names_in(
        [TextPiece("Pierre lies here.", "", "South Dakota"), TextPiece("He met South Korean friends.")], {}
    )
    assert names(found[1]) == []


def test_a_known_name_in_decomposed_letters_is_found() -> None:
    assert names(read("then jose\u0301 called", known={name_key("José"): "person"})) == ["jose\u0301"]


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("We heard W. H. Brannoch read.", "W. H. Brannoch", "person"),
        ("They sailed with the U.S. Tolvan crew.", "U.S. Tolvan", "thing"),
        ("I met Dr. Okonjo there.", "Okonjo", "person"),
        ("My cousin Wibke is here.", "Wibke", "person"),
        ("The film was directed by Tove Arnqvist.", "Tove Arnqvist", "person"),
        ("We bank at Prairie Credit Union.", "Prairie Credit Union", "organization"),
        ("It was made by Tollan Mills LLC.", "Tollan Mills LLC", "organization"),
        ("The band Quiet Harbour plays.", "Quiet Harbour", "organization"),
        ("They live near Lake Ellis.", "Lake Ellis", "place"),
        ("We drove to Orange County.", "Orange County", "place"),
        ("She flew to Portugal.", "Portugal", "place"),
        ("Brack is a village in the north.", "Brack", "place"),
        ("He fell in the Battle of Kolin.", "Battle of Kolin", "event"),
        ('She wrote the novel "Cold Iron".', "Cold Iron", "work"),
        ("We have a dog named Bolota.", "Bolota", "animal"),
    ],
)
def test_kinds(text: str, name: str, kind: str) -> None:
    assert kinds(read(text, title="Brack" if "Brack" in text else ""))[name] == kind


def test_a_surname_has_the_kind_of_the_full_name() -> None:
    assert kinds(read("Ingrid Solvang sang. Later Solvang moved."))["Solvang"] == "person"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I called my sister and my older brother.", ["my sister", "my older brother"]),
        ("My sister Ellen came.", []),
        ("Mein Chef war da, mi hermana también, ma sœur aussi.", ["Mein Chef", "mi hermana", "ma sœur"]),
        ("Mom says hi. His Mom too.", ["Mom"]),
        ("my sisterhood, my mother-in-law", ["my mother-in-law"]),
    ],
)
def test_people_without_a_name(text: str, found: list[str]) -> None:
    kin = [one for one in read(text, speaker="Ola") if one.form == "kinship"]
    assert [one.name for one in kin] == found and all(one.kind == "person" for one in kin)


PIECES = st.lists(
    st.builds(
        TextPiece,
        st.one_of(st.text(max_size=200), st.text(alphabet="Aab. '’\"-I,\n&ÉßİǅΣ\u0301*_`1", max_size=200)),
        st.sampled_from(["", "Ola", "assistant", "İ. Ǆ", "\u0301"]),
        st.sampled_from(["", "A b", "Ola (film)", "İ", "( "]),
    ),
    max_size=3,
)


@settings(max_examples=150)
@given(PIECES, st.dictionaries(st.text(max_size=6).map(name_key), st.just("person"), max_size=3))
@example([TextPiece("İ Aa's 'Aa' \"Aa\" Aa")], {"": "thing", "aa": "person"})
def test_any_text_gives_spans_that_lie_apart_inside_of_it(pieces: list[TextPiece], known: dict[str, str]) -> None:
    found = names_in(pieces, known)
    assert len(found) == len(pieces) and found == names_in(pieces, known)
    for piece, mentions in zip(pieces, found, strict=True):
        spans = [one for one in mentions if one.form != "speaker"]
        assert all(piece.text[one.start : one.end] == one.name and one.name.strip() for one in spans)
        assert all(one.end <= other.start for one, other in pairwise(spans))


@pytest.mark.parametrize(
    "unit",
    ["A", "A ", "Ab ", "Ab of the ", "A.", "\"A ", "'", "“Ab", "* ", "my sister ", "Ab's ", "``A''", "( ", "-A", "Ab, ", "ab ", "İ ", "Frau ", "é\u0301", "St. ", "I ", "山"],
)  # fmt: skip
def test_long_texts_of_any_kind_are_read(unit: str) -> None:
    """Patterns that go back and forth would take minutes here."""
    text = (unit * (50_000 // len(unit) + 1))[:50_000]
    found = read(text, known={"ab": "person", "ab ab": "person", "山": "place"})
    assert all(text[one.start : one.end] == one.name for one in found)


@pytest.mark.parametrize("unit", ["A-", "A&", "A’", "A\u0301"])
def test_a_word_has_few_pieces_so_that_none_is_read_again_from_each_of_them(unit: str) -> None:
    """A word that an @ ends is none: without a limit the search for its end began anew behind every hyphen."""
    words = [word for run in runs_of(unit * 100_000 + "A@example") for word in run.words]
    assert all(len(word.text) <= 9 * len(unit) for word in words)
    assert words or unit == "A\u0301"
    assert [word.text for run in runs_of("Jean-Paul-Marie and AT&T") for word in run.words] == [
        "Jean-Paul-Marie",
        "AT&T",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Gestern kam der Herr " + "A" * 10_000 + " zu uns und ist nicht mehr gegangen.",
        "Gestern war ich bei der " + "A" * 10_000 + " GmbH und habe nicht lange gewartet.",
        "Yesterday he met Mr. " + "A" * 10_000 + " and left.",
        'He calls himself Ann "Annie" ' + "A" * 10_000 + " today.",
    ],
)
def test_what_is_longer_than_a_name_is_none(text: str) -> None:
    assert all(len(one.name) <= 200 for one in read(text))


@pytest.mark.parametrize("turned", [False, True])
def test_a_title_without_brackets_tells_more_and_titles_that_differ_tell_nothing(turned: bool) -> None:
    titles = ["Tarnwood (band)", "Tarnwood", "Velloria (album)", "Velloria (river)", "Kestrel Row (album)"]
    pieces = [
        TextPiece(f"{title.partition(' (')[0]} was there.", title=title) for title in titles[:: -1 if turned else 1]
    ]
    found = {name: kind for one in names_in(pieces, {}) for name, kind in kinds(one).items()}
    assert found == {"Tarnwood": "thing", "Velloria": "thing", "Kestrel Row": "work"}


def test_what_is_read_is_the_same_in_every_process() -> None:
    program = (
        "import sys; from engine.domain.entity import TextPiece; from engine.naming.names import names_in\n"
        "from engine.relations.rules import Relating\n"
        "from engine.naming.configuration import load_domain\n"
        "texts = sys.stdin.read().splitlines()\n"
        "pieces = [TextPiece(text, title=text.split(' ', 1)[0] + end) for text in texts for end in (' (film)', ' (band)', '')]\n"
        "found = names_in(pieces, {'ann': 'person', 'porto': 'place'})\n"
        "print(found, Relating(load_domain()).drafts(pieces, found))"
    )
    texts = "\n".join(
        [
            "Madrigal was sung by Ann Stone, the sister of Ben Stone, who works at Norrvik AB in Porto.",
            "Tarnwood, a Swedish film, was directed by Lucía Fernández; Ann and Ben are married.",
            "Velloria by Tarnwood was played in Leeds, England, and Tarnwood came from Porto.",
        ]
    )
    read = {
        subprocess.run(
            [sys.executable, "-c", program],
            input=texts,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "1234"
    }
    assert len(read) == 1
