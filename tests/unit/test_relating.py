"""Relations drawn from texts: what is stated, in which direction, since when, and above all what is not stated."""

from __future__ import annotations

import re
import time
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain.entity import Mention, TextPiece
from engine.domain.relation import RelationDraft
from engine.naming.configuration import load_domain
from engine.relations.masking import MARK
from engine.relations.patterns import patterns_of
from engine.relations.rules import Relating

pytestmark = pytest.mark.ledger("M05")

RELATING = Relating(load_domain())
KINDS = {
    "": "person", "o": "organization", "l": "place", "w": "work", "a": "animal", "t": "thing", "e": "event",
    "k": "person",
}  # fmt: skip


def piece_of(marked: str, speaker: str = "") -> tuple[TextPiece, list[Mention]]:
    """A text whose mentions stand in brackets, with a letter for the kind: "[Ann] works at [Acme|o]"."""
    text = ""
    mentions = [Mention(speaker, 0, 0, "person", "speaker")] if speaker else []
    for part in re.split(r"(\[[^\]]*\])", marked):
        name, _, kind = part.strip("[]").partition("|")
        if part.startswith("["):
            form = "kinship" if kind == "k" else "name"
            mentions.append(Mention(name, len(text), len(text) + len(name), KINDS[kind], form))
            text += name
        else:
            text += part
    return TextPiece(text, speaker), mentions


def drafts(marked: str, speaker: str = "Bob", said_at: datetime | None = None) -> list[RelationDraft]:
    piece, mentions = piece_of(marked, speaker)
    return RELATING.drafts([piece], [mentions], [said_at])


def drawn(marked: str, speaker: str = "Bob") -> set[str]:
    return {f"{one.source.name} {one.type} {one.target.name}" for one in drafts(marked, speaker)}


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("My sister [Ellen] called.", {"Ellen SIBLING_OF Bob"}),
        ("I asked [Ellen], my sister, about it.", {"Ellen SIBLING_OF Bob"}),
        ("[Ellen] is my older sister.", {"Ellen SIBLING_OF Bob"}),
        ("[Ellen]'s my sister and she knows.", {"Ellen SIBLING_OF Bob"}),
        ("[Dave], [Ellen]'s husband, came along.", {"Dave MARRIED_TO Ellen"}),
        ("Our son [Tom] is nine.", {"Bob PARENT_OF Tom"}),
        ("My sons [Tom] and [Max] are nine.", {"Bob PARENT_OF Tom", "Bob PARENT_OF Max"}),
        ("My parents [Ann] and [Karl] moved.", {"Ann PARENT_OF Bob", "Karl PARENT_OF Bob"}),
        ("[Tom] is the son of [Ann].", {"Ann PARENT_OF Tom"}),
        ("[Tom], son of [Ann] and [Ben], sings.", {"Ann PARENT_OF Tom", "Ben PARENT_OF Tom"}),
        ("[Ann] has two daughters, [Eva] and [Ida].", {"Ann PARENT_OF Eva", "Ann PARENT_OF Ida"}),
        ("My dog [Biscuit|a] barked.", {"Bob HAS_PET Biscuit"}),
        ("My cat's name is [Minka|a].", {"Bob HAS_PET Minka"}),
        ("I have a dog named [Biscuit|a].", {"Bob HAS_PET Biscuit"}),
        ("My dentist Dr. [Moss] was kind.", {"Bob TREATED_BY Moss"}),
        ("[Joan Low] is my lawyer.", {"Bob CLIENT_OF Joan Low"}),
        ("My boss is [Karen].", {"Karen MANAGES Bob"}),
        ("My boss is called [Karen].", {"Karen MANAGES Bob"}),
        ("[Dave] and his wife [Ida] came.", {"Ida MARRIED_TO Dave"}),
        ("[My brother|k] phoned.", {"My brother SIBLING_OF Bob"}),
        ("[Karl] is [my brother|k].", {"Karl SIBLING_OF Bob"}),
        ("I live with [my mother|k].", {"my mother PARENT_OF Bob", "Bob LIVES_WITH my mother"}),
        ("[Ann] and [Ben] got married.", {"Ann MARRIED_TO Ben"}),
        ("[Paris|l] is the capital of [France|l].", {"Paris CAPITAL_OF France"}),
        ("[Peru|l]'s capital is [Lima|l].", {"Lima CAPITAL_OF Peru"}),
    ],
)
def test_a_noun_of_kinship_or_role_tells_who_is_what_to_whom(marked: str, expected: set[str]) -> None:
    assert drawn(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("[Dave] works at [Bolt Works|o].", {"Dave WORKS_AT Bolt Works"}),
        ("I work as a nurse at [Bolt Works|o].", {"Bob WORKS_AT Bolt Works"}),
        ("[Dave] works for me.", {"Dave WORKS_FOR Bob"}),
        ("[Dave], who lives in [Leeds|l], called.", {"Dave LIVES_IN Leeds"}),
        (
            "[Dave] married [Ida] in 2003 and moved to [Leeds|l].",
            {"Dave MARRIED_TO Ida", "Dave LIVES_IN Leeds"},
        ),
        ("[Dave] married my sister [Ida].", {"Ida SIBLING_OF Bob", "Dave MARRIED_TO Ida"}),
        ("[Ann] and [Ben] live in [Leeds|l].", {"Ann LIVES_IN Leeds", "Ben LIVES_IN Leeds"}),
        ("[Ann] was born in 1990 in [Leeds|l].", {"Ann BORN_IN Leeds"}),
        ("[Ann] (born 3 May 1990 in [Leeds|l]) sings.", {"Ann BORN_IN Leeds"}),
        ("[Ann] founded [Bolt Works|o].", {"Ann FOUNDED Bolt Works"}),
        ("[Bolt Works|o] was founded in 1999 by [Ann].", {"Ann FOUNDED Bolt Works"}),
        ("[Ann] joined [Bolt Works|o].", {"Ann MEMBER_OF Bolt Works"}),
        ("[Ann] plays for [Leeds United|o].", {"Ann PLAYS_FOR Leeds United"}),
        ("[Ann] is a carpenter who works at [Bolt Works|o].", {"Ann WORKS_AT Bolt Works"}),
        ("[Leeds|l] is a city in [England|l].", {"Leeds LOCATED_IN England"}),
        ("They met in [Leeds|l], [England|l], again.", {"Leeds LOCATED_IN England"}),
        (
            "[Slow Rain|w] is a 1995 film directed by [Ann Low] and starring [Ben Moss], [Cy Nye] and [Di Orr].",
            {f"{one} PERFORMED_IN Slow Rain" for one in ("Ben Moss", "Cy Nye", "Di Orr")}
            | {"Ann Low DIRECTED Slow Rain"},
        ),
        ('"[Slow Rain|w]" is an album by the British band [Low Tide|o].', {"Low Tide CREATED Slow Rain"}),
    ],
)  # fmt: skip
def test_verbs_relate_a_subject_to_its_objects(marked: str, expected: set[str]) -> None:
    assert drawn(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("Meine Schwester [Eva] arbeitet seit 2019 bei [Bolt|o].", {"Eva SIBLING_OF Bob", "Eva WORKS_AT Bolt"}),
        ("[Eva] ist die Tochter von [Hans].", {"Hans PARENT_OF Eva"}),
        ("Ich wohne in [Ulm|l].", {"Bob LIVES_IN Ulm"}),
        ("[Karsten], mein Chef, rief an.", {"Karsten MANAGES Bob"}),
        ("Mi hermana mayor [Elena] vive en [Cádiz|l].", {"Elena SIBLING_OF Bob", "Elena LIVES_IN Cádiz"}),
        ("Vivo en [Cádiz|l].", {"Bob LIVES_IN Cádiz"}),
        ("[Elena] nació en [Cádiz|l].", {"Elena BORN_IN Cádiz"}),
        ("Minha irmã [Ana] mora em [Faro|l].", {"Ana SIBLING_OF Bob", "Ana LIVES_IN Faro"}),
        ("Moro em [Faro|l].", {"Bob LIVES_IN Faro"}),
        ("[Ana] é a filha de [Rui].", {"Rui PARENT_OF Ana"}),
        ("Meine Exfrau [Eva] rief an.", {"Eva MARRIED_TO Bob"}),
        ("Ma petite sœur [Anne] habite à [Lille|l].", {"Anne SIBLING_OF Bob", "Anne LIVES_IN Lille"}),
        ("[Anne] est la fille de [Paul].", {"Paul PARENT_OF Anne"}),
    ],
)
def test_other_languages_where_it_is_sure(marked: str, expected: set[str]) -> None:
    assert drawn(marked) == expected


@pytest.mark.parametrize(
    "marked",
    [
        "Does [Dave] work at [Bolt|o]?",
        "If [Dave] works at [Bolt|o], call him.",
        "Maybe [Dave] works at [Bolt|o].",
        "I wonder whether [Dave] lives in [Leeds|l].",
        "[Dave] would work at [Bolt|o] for free.",
        "[Dave] never worked at [Bolt|o].",
        "[Dave] doesn't work at [Bolt|o].",
        "[Dave] isn't married to [Ann].",
        "[Ana] não trabalha na [Bolt|o].",
        "[Eva] arbeitet nicht bei [Bolt|o].",
        "[Ellen] is not my sister.",
        "[Ellen] is my sister's friend.",
        "The friend of [Dave] works at [Bolt|o].",
        "A man from [Leeds|l] lives in [Hull|l].",
        "[Dave] works at [Bolt|o]'s rival.",
        "[Dave] lives in a [Leeds|l] suburb.",
        "[Dave] left [Leeds|l].",
        "[Leeds|l] works at [Bolt|o].",
        "[Bolt|o] is married to [Ann].",
        "I told my sister and [Ellen].",
        "[Ann] met [Ben] in [Leeds|l].",
        "She works at [Bolt|o].",
        "[Ann] saw [Ida]. She works at [Bolt|o].",
        "[Bolt Air|t] was established as [Bolt|o].",
        "It was made by [Ann] and starring [Ben].",
        "They flew to [Rome|l], [Oslo|l] and [Bern|l].",
    ],
)
def test_what_is_not_stated_is_not_drawn(marked: str) -> None:
    assert drawn(marked) == set()


def test_someone_who_is_spoken_to_is_not_who_is_spoken_of() -> None:
    first, first_mentions = piece_of("I called my sister, [Carla], and she came.", "Bob")
    second, second_mentions = piece_of("Good.", "Carla")
    assert RELATING.drafts([first, second], [first_mentions, second_mentions]) == []
    assert len(RELATING.drafts([first], [first_mentions])) == 1


@pytest.mark.parametrize(
    ("marked", "since", "until", "ended"),
    [
        ("[Dave] works at [Bolt|o] since 2012.", "2012", None, False),
        ("Since March 2012 [Dave] works at [Bolt|o].", "2012-03", None, False),
        ("[Dave] worked at [Bolt|o] from 2012 to 2019.", "2012", "2019", True),
        ("[Dave] used to work at [Bolt|o] until 2019.", None, "2019", True),
        ("[Dave] left [Bolt|o] in March 2019.", None, "2019-03", True),
        ("[Dave] no longer works at [Bolt|o].", None, None, True),
        ("[Dave] doesn't work at [Bolt|o] anymore.", None, None, True),
        ("[Dave] has worked at [Bolt|o] since 2012.", "2012", None, False),
        ("[Dave] married [Ida] on June 5, 2003.", "2003-06-05", None, False),
        ("[Dave] and me: [Dave] divorced [Ida] in 2010.", None, "2010", True),
        ("My ex-wife [Ida] called.", None, None, True),
        ("My late husband [Karl] liked it.", None, None, True),
        ("My late father [Karl] liked it.", None, None, False),
        ("[Karl] was my father.", None, None, False),
        ("[Karl] was my boss until 2015.", None, "2015", True),
        ("[Dave] moved to [Leeds|l] in June.", "2024-06", None, False),
        ("[Dave] lebt seit 2019 in [Ulm|l].", "2019", None, False),
        ("[Dave] married [Ida] and wept in 2003.", None, None, False),
        ("[Dave] (3 May 1868 – 6 June 1916) directed [Slow Rain|w].", None, None, False),
        ("[Slow Rain|w] was bought by [Dave] in 1998.", "1998", None, False),
        ("He practised in [Leeds|l], [England|l] from 1925 to 1930.", None, None, False),
    ],
)
def test_tense_and_dates_say_since_when_and_whether_it_is_over(
    marked: str, since: str | None, until: str | None, ended: bool
) -> None:
    [draft] = drafts(marked, said_at=datetime(2024, 8, 1, tzinfo=UTC))
    assert (draft.since, draft.until, draft.ended) == (since, until, ended)


def test_a_pronoun_is_followed_where_one_person_can_be_meant() -> None:
    [sister, works] = drafts("My sister [Ida] is a nurse. She works at [Bolt|o].")
    assert (works.source.name, works.type) == ("Ida", "WORKS_AT")
    assert works.confidence < sister.confidence
    assert drawn("[Karl] came. He lives in [Ulm|l]. He works at [Bolt|o].") == {
        "Karl LIVES_IN Ulm",
        "Karl WORKS_AT Bolt",
    }
    assert drawn("[Karl] came. He lives in [Ulm|l]. She works at [Bolt|o].") == {"Karl LIVES_IN Ulm"}
    assert drawn("[Slow Rain|w] is long. The film was directed by [Ann].", "") == {"Ann DIRECTED Slow Rain"}


def test_an_unknown_kind_is_less_sure() -> None:
    [known], [unknown] = drafts("[Dave] works at [Bolt|o]."), drafts("[Dave] works at [Bolt|t].")
    assert unknown.confidence < known.confidence


def test_the_span_holds_the_words_that_say_so() -> None:
    text = "Well. As I said, [Dave] works at [Bolt|o] since 2012."
    [draft] = drafts(text)
    assert piece_of(text)[0].text[draft.start : draft.end] == "Dave works at Bolt"
    assert (draft.source.name, draft.source.start, draft.piece) == ("Dave", 17, 0)


@pytest.mark.parametrize("being", ["is", "were", "’s", "'m", "has been", "’ve been"])
def test_every_phrase_of_the_domain_is_found_where_it_begins(being: str) -> None:
    domain = load_domain()
    said = [
        (language, phrase.partition(" {")[0])
        for relation in domain.relations
        for words in (relation.phrases, relation.inverse_phrases, relation.past_phrases, relation.inverse_past_phrases)
        for language, phrases in words.items()
        for phrase in phrases
    ]
    assert len(said) > 300
    patterns = patterns_of(domain).languages
    for language, phrase in said:
        text = re.sub(r"\s*\*\s*", " ", phrase)
        text = re.sub("^is ", f"{being} ", text) if language == "en" else text
        found = patterns[language].phrases.match(f"Ann {text} {MARK}", 4)
        assert found and found[0].casefold() == text.casefold(), (language, phrase)


def test_words_of_an_own_domain_count() -> None:
    domain = load_domain()
    mentors = domain.types["TEACHES"].model_copy(
        update={"name": "GUIDES", "nouns": {"en": ("sherpa",)}, "inverse_nouns": {}, "phrases": {"en": ("guides",)}}
    )
    own = Relating(domain.model_copy(update={"relations": (mentors,)}))
    piece, mentions = piece_of("My sherpa [Ann] called. [Ben] guides [Ida]. [Ben] lives in [Ulm|l].", "Bob")
    assert {(one.source.name, one.type, one.target.name) for one in own.drafts([piece], [mentions])} == {
        ("Ann", "GUIDES", "Bob"),
        ("Ben", "GUIDES", "Ida"),
    }


WORDS = st.sampled_from(
    [
        "my", "sister", ",", "is", "the", "son", "of", "'s", "and", ".", "?", "(", ")", "born", "works at", "married", "in", "2003",
        "I", "his", "He", "who", "[Ann]", "[Leeds|l]", "[Bolt|o]", "[Slow Rain|w]", "[my dad|k]", "\ue000", "\n", '"', "no longer",
    ]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(WORDS, max_size=40), st.sampled_from(["", "Bob"]))
def test_any_words_are_read_and_spans_lie_in_the_text(words: list[str], speaker: str) -> None:
    piece, mentions = piece_of(" ".join(words), speaker)
    for draft in RELATING.drafts([piece], [mentions]):
        assert 0 <= draft.start < draft.end <= len(piece.text)
        assert 0 < draft.confidence <= 1
        assert draft.source.name != draft.target.name
        for end in (draft.source, draft.target):
            assert end.form == "speaker" or piece.text[end.start : end.end] == end.name


@pytest.mark.ledger("I10")
@pytest.mark.parametrize(
    "marked",
    [
        "If my sister [Lena] calls, tell her.",
        "They say my sister [Lena] moved away.",
        "I said [Lena]'s my sister and if she calls, tell her.",
        "Wenn meine Schwester [Lena] anruft, sag es ihr.",
        "Si mi hermana [Lena] llama, dile la verdad.",
        "Si ma soeur [Lena] appelle, dis-lui la vérité.",
        "Se a minha irmã [Lena] ligar, diz-lhe a verdade.",
    ],
)
def test_a_name_beside_its_noun_is_whose_it_is_whatever_is_supposed_of_it(marked: str) -> None:
    assert drawn(marked, "Bob") == {"Lena SIBLING_OF Bob"}


@pytest.mark.parametrize(
    "marked",
    [
        "If [Lena] was my sister, I would call.",
        "I wish [Lena] were my sister.",
        "Vielleicht ist [Lena] meine Schwester.",
    ],
)
def test_what_is_supposed_of_the_noun_itself_states_nothing(marked: str) -> None:
    assert drawn(marked, "Bob") == set()


@pytest.mark.parametrize(
    "marked",
    ["Estoy casada con [Lena].", "Me casé con [Lena].", "Sou casado com [Lena].", "Je suis marié avec [Lena]."],
)
def test_the_speaker_is_told_by_the_verb_alone(marked: str) -> None:
    assert drawn(marked, "Bob") & {"Bob MARRIED_TO Lena", "Lena MARRIED_TO Bob"}


def test_a_plan_is_no_relation() -> None:
    plan = "[Lena] marries [Tom] on May 3."
    assert not drafts(plan, said_at=datetime(2026, 4, 1, tzinfo=UTC))
    assert drafts(plan, said_at=datetime(2026, 5, 4, tzinfo=UTC))


@pytest.mark.parametrize(
    "marked",
    [
        "Suppose [Lena] works at [Orbis|o].",
        "Imagine [Lena] lives in [Oslo|l].",
        "I don't think [Lena] works at [Orbis|o].",
        "Rumour has it that [Lena] works at [Orbis|o].",
        "People say that [Lena] lives in [Oslo|l], but that is not true.",
        "Somebody told me that [Lena] is my cousin. She is not.",
        "[Lena] lives in [Oslo|l]. No, that's wrong.",
        "[Lena] would love it if she lived in [Oslo|l].",
        "We wanted to move to [Oslo|l].",
        "[Lena] moved from [Sales|o] to [Marketing|o].",
        "[Lena] didn't quit her job at [Orbis|o].",
        "[Lena] never stopped working at [Orbis|o].",
        "Angenommen, [Lena] arbeitet bei [Orbis|o].",
        "Man sagt, [Lena] wohnt in [Oslo|l], aber das stimmt nicht.",
        "Dicen que [Lena] vive en [Oslo|l], pero no es cierto.",
        "Dizem que a [Lena] mora em [Oslo|l], mas isso não é verdade.",
        "On dit que [Lena] habite à [Oslo|l], mais c'est faux.",
    ],
)
def test_what_is_supposed_or_taken_back_states_nothing(marked: str) -> None:
    assert drafts(marked) == []


@pytest.mark.ledger("I10")
@pytest.mark.parametrize(
    ("marked", "sole"),
    [
        ("[Lena] moved to [Oslo|l].", True),
        ("[Lena] lives in [Oslo|l].", True),
        ("[Lena] wohnt jetzt in [Leipzig|l].", True),
        ("[Lena] lives in [Oslo|l] for now.", False),
        ("[Lena] also lives in [Oslo|l].", False),
        ("[Lena] lives in [Merwede Street|l].", False),
        ("[Lena] is married to [Ben].", True),
    ],
)
def test_what_stands_beside_takes_the_place_of_nothing(marked: str, sole: bool) -> None:
    assert [one.sole for one in drafts(marked)] == [sole]


@settings(max_examples=200)
@given(st.text(max_size=120), st.lists(st.tuples(st.integers(-3, 130), st.integers(-3, 130)), max_size=6))
def test_nothing_raises_on_any_text_and_any_mentions(text: str, spans: list[tuple[int, int]]) -> None:
    mentions = [Mention(text[max(start, 0) : max(end, 0)], start, end) for start, end in spans]
    for draft in RELATING.drafts([TextPiece(text, "Bob")], [mentions]):
        assert 0 <= draft.start < draft.end <= len(text)


LONG = [
    "[Ann], ",
    "[Ann] and ",
    "my ",
    "[Ann] is a good ",
    "[Ann] (",
    "[Ann]'s sister ",
    "[Ann] works hard ",
    "[Ann] is a son of a ",
]


@pytest.mark.parametrize("unit", LONG)
def test_long_texts_take_linear_time(unit: str) -> None:
    """Sentences as long as they are read, many of them; then one that is far too long."""
    sentence = unit * (1500 // len(unit)) + "[Ben]. "
    for marked in (sentence * 20, unit * 5000, "!" * 50_000 + unit):
        piece, mentions = piece_of(marked, "Bob")
        began = time.process_time()
        RELATING.drafts([piece], [mentions])
        assert time.process_time() - began < 8, marked[:40]
