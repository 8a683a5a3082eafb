"""Two people, or companies, of one name stay two, with a pair for the user, where a text tells them apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.domain.retraction import RetractionSubject
from engine.memory import Memory
from engine.neurigraph import Engine
from tests.model_server import ModelServer

pytestmark = pytest.mark.usefixtures("few_nodes")
WHEN = datetime(2025, 2, 3, 9, tzinfo=UTC)


async def say(memory: Memory, day: int, *texts: str, speaker: str = "Bob Harlan") -> None:
    turns = tuple(Turn(speaker, text) for text in texts)
    await memory.records.remember(Conversation(f"{day}", turns, f"Talk {day}", WHEN + timedelta(days=day)))


async def named(memory: Memory, name: str) -> list[str]:
    """The names of the entities that are called so."""
    return sorted(one.name for one in await memory.entities.list(everything=True) if name in one.name.split())


async def pairs(memory: Memory, name: str) -> int:
    return sum(name in one.name.split() or name in one.other_name.split() for one in await memory.entities.review())


ROLES = [
    ("My uncle Paul has a boat.", "My landlord Paul raised the rent.", "Paul"),
    ("My sister Clara moved to Hull.", "I saw Clara, my hairdresser, in town.", "Clara"),
    ("Ana's cousin Ben called.", "Ana's boss Ben was there.", "Ben"),
    ("Mein Onkel Peter wohnt in Kassel.", "Mein Vermieter Peter wohnt in Fulda.", "Peter"),
    ("Mi prima Elena vive en Burgos.", "Mi dentista, Elena, vive en Toledo.", "Elena"),
    ("O meu tio Carlos mora em Faro.", "O meu chefe Carlos mora em Beja.", "Carlos"),
    ("Mon oncle Marc habite à Lille.", "Mon voisin Marc habite ici.", "Marc"),
    ("Eric, 7, plays the drums.", "Eric is 61 years old and retired.", "Eric"),
]


@pytest.mark.parametrize(("first", "second", "name"), ROLES)
async def test_a_first_name_of_two_people_is_a_pair(memory: Memory, first: str, second: str, name: str) -> None:
    await say(memory, 0, first)
    await say(memory, 7, second)
    assert len(await named(memory, name)) == 2
    assert await pairs(memory, name) == 1


@pytest.mark.parametrize(("first", "second", "name"), ROLES[:3])
async def test_also_in_one_conversation(memory: Memory, first: str, second: str, name: str) -> None:
    await say(memory, 0, first, second)
    assert len(await named(memory, name)) == 2
    assert await pairs(memory, name) == 1


async def test_a_pair_is_listed_while_records_mention_both(memory: Memory) -> None:
    await say(memory, 0, "My uncle Paul has a boat.")
    turns = (Turn("Bob", "My landlord Paul raised the rent."),)
    [record] = (await memory.records.remember(Conversation("rent", turns, started_at=datetime.now(UTC)))).records
    assert await pairs(memory, "Paul") == 1
    withdrawn = await memory.retractions.retract(RetractionSubject("record", str(record.record_id)))
    assert await pairs(memory, "Paul") == 0
    await memory.retractions.undo(withdrawn.retraction_id)
    assert await pairs(memory, "Paul") == 1


async def test_what_is_said_later_goes_to_the_one_that_is_meant_or_to_none(memory: Memory) -> None:
    await say(memory, 0, "My uncle Paul lives in Kendal. Paul fishes a lot.", "My landlord Paul lives in Salford.")
    await say(memory, 3, "My uncle Paul came by.")
    await say(memory, 5, "Paul is getting married!")
    uncle, landlord, open_one = sorted(
        (one for one in await memory.entities.list(everything=True) if one.name == "Paul"),
        key=lambda one: -one.mentions,
    )
    homes = [await memory.entities.relations(one.entity_id, ended=True) for one in (uncle, landlord, open_one)]
    lives = [[one.other_name for one in of if one.relation_type == "LIVES_IN" and one.until is None] for of in homes]
    assert sorted(lives[:2] + lives[2:]) == [[], ["Kendal"], ["Salford"]], "neither home ends the other"
    assert uncle.mentions == 2 and lives[0] == ["Kendal"]
    assert await pairs(memory, "Paul") >= 3


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (("My boss Nora is strict.", "My boss Nora Winter called.", "My boss Nora is on leave."), "Nora"),
        (("My girlfriend Ida sings.", "My wife Ida sings."), "Ida"),
        (("My mum Ruth bakes.", "My mother Ruth bakes."), "Ruth"),
        (("My dentist Olga Brandt is kind.", "My neighbour Olga Brandt is kind."), "Olga"),
        (("My brother Hugo is here.", "Hugo has a dog."), "Hugo"),
    ],
)
async def test_one_role_or_a_name_that_fits_is_one(memory: Memory, texts: tuple[str, ...], name: str) -> None:
    for day, text in enumerate(texts):
        await say(memory, day, text)
    assert len(await named(memory, name)) == 1
    assert await pairs(memory, name) == 0


@pytest.mark.parametrize(
    ("texts", "made"),
    [
        (("Harrow Ltd was bought by Harrow Inc last year.",), 2),
        (("Keller GmbH delivered the motor.", "Keller AG delivered the cable."), 2),
        (("Lumen S.A. sent a bill.", "Lumen Corp. sent another bill."), 2),
        (("Tarn Limited called.", "I wrote to Tarn Ltd. today."), 1),
        (("Harrow Inc paid.", "Harrow Incorporated paid again."), 1),
    ],
)
async def test_legal_forms_tell_companies_apart(memory: Memory, texts: tuple[str, ...], made: int) -> None:
    for day, text in enumerate(texts):
        await say(memory, day, text)
    name = texts[0].split()[0]
    assert len(await named(memory, name)) == made
    assert await pairs(memory, name) == made - 1


async def test_of_whom_a_speaker_of_that_name_speaks_is_another(memory: Memory) -> None:
    await say(memory, 0, "I paint a lot.", "Karl lives in Wells, he is my uncle.", speaker="Karl Dorn")
    names = sorted(one.name for one in await memory.entities.list(everything=True) if "Karl" in one.name)
    assert names == ["Karl", "Karl Dorn"] and await pairs(memory, "Karl") == 1


@pytest.mark.parametrize(
    ("turns", "homes"),
    [
        (
            (("Vincent", "I live in Hull."), ("Ada Lind", "Have you met Vincent Blake? He lives in Derby.")),
            {"Vincent": ["Hull"], "Vincent Blake": ["Derby"]},
        ),
        (
            (("Stanley", "I live in Hull."), ("Stanley", "Stanley Marsh lives in Derby and is my cousin.")),
            {"Stanley": ["Hull"], "Stanley Marsh": ["Derby"]},
        ),
    ],
)
async def test_of_whom_is_spoken_to_one_of_that_name_has_a_home_of_his_own(
    memory: Memory, turns: tuple[tuple[str, str], ...], homes: dict[str, list[str]]
) -> None:
    await memory.records.remember(Conversation("talk", tuple(Turn(*turn) for turn in turns), "Talk", WHEN))
    found = {}
    for one in await memory.entities.list(everything=True):
        if one.name in homes:
            relations = await memory.entities.relations(one.entity_id, ended=True)
            found[one.name] = [each.other_name for each in relations if each.relation_type == "LIVES_IN"]
    assert found == homes
    assert await pairs(memory, turns[0][0]) == 1


async def test_one_who_is_two_things_to_somebody_is_one(memory: Memory) -> None:
    for day, text in enumerate(
        ("My cousin Evelyn is also my boss.", "My boss Evelyn called.", "Evelyn is my cousin.", "Evelyn is my nanny.")
    ):
        await say(memory, day, text)
        assert len(await named(memory, "Evelyn")) == (2 if "nanny" in text else 1)
    assert await pairs(memory, "Evelyn") == 1


@pytest.mark.parametrize(
    "fact",
    [
        {"text": "海尔加住在奥斯陆。", "subjects": ["海尔加"]},
        {"text": "Хельга живёт в Осло.", "subjects": ["Хельга"]},
        {"text": "Helgarina lives in Ansloga.", "subjects": ["Helgarina"]},
    ],
)
async def test_a_name_that_a_model_translates_is_no_entity(
    reads: Engine, user: User, server: ModelServer, fact: dict[str, object]
) -> None:
    """It counts where it stands in the record, or where an entity is known by it."""
    memory = reads.memory(user.user_id)
    others = [{"name": name, "kind": "person"} for name in fact["subjects"]]
    server.reply = lambda _: {"summary": "x", "facts": [fact], "entities": others}
    await say(memory, 0, "My sister Helga lives in Oslo.")
    names = {one.name for one in await memory.entities.list(everything=True)}
    assert names == {"Bob Harlan", "Helga", "Oslo"}
