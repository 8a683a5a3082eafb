"""Aliases that the user gives entities: names and addresses; through Python, REST and the shell."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from engine.domain.entity import AliasType, Entity, alias_key
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.domain.principal import Principal
from engine.errors import AliasTaken, Conflict, InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.statements import cypher
from tests.door import new_door
from tests.hierarchy.test_graph_commands import Shell

pytestmark = pytest.mark.usefixtures("few_nodes")


async def say(memory: Memory, text: str, node_id: UUID | None = None) -> None:
    turn = Turn("Bob", text, datetime(2024, 5, 1, tzinfo=UTC))
    await memory.records.remember(Conversation(str(uuid4()), (turn,)), node_id=node_id or memory.principal.user_id)


async def entity(memory: Memory, name: str) -> Entity:
    [found] = await memory.entities.list(name=name)
    return await memory.entities.get(found.entity_id)


@pytest.fixture
async def daves(memory: Memory) -> tuple[UUID, UUID]:
    await say(memory, "Dave Kowalski called. We also met Dave Lindqvist at the lake.")
    return (await entity(memory, "kowalski")).entity_id, (await entity(memory, "lindqvist")).entity_id


async def mentions(memory: Memory, entity_id: UUID) -> int:
    return (await memory.entities.get(entity_id)).mentions


@pytest.mark.ledger("F07", "A08")
async def test_a_verified_name_decides_whom_a_text_means(
    engine: Engine, memory: Memory, daves: tuple[UUID, UUID]
) -> None:
    kowalski, lindqvist = daves
    await say(memory, "Yesterday Dave sang.")
    assert (await mentions(memory, kowalski), await mentions(memory, lindqvist)) == (1, 1), "either can be meant"
    alone = [one for one in await memory.entities.list(name="dave") if one.entity_id not in daves]
    assert [one.name for one in alone] == ["Dave"]
    with pytest.raises(AliasTaken, match="Dave"):
        await memory.entities.add_alias(lindqvist, "name", "Dave")
    merge = await memory.entities.merge(lindqvist, alone[0].entity_id)
    given = await memory.entities.verify_alias(lindqvist, "name", "dave")
    assert (given.value, given.type, given.verified) == ("Dave", "name", True)
    await say(memory, "And Dave danced.")
    assert (await mentions(memory, kowalski), await mentions(memory, lindqvist)) == (1, 3)
    await memory.entities.undo_merge(merge.merge_id)
    assert await mentions(memory, lindqvist) == 1, "the name stays with the entity that had it first"
    assert [one for one in await engine.doctor.examine() if one.node_id == memory.principal.user_id] == []


@pytest.mark.ledger("F07", "A08")
async def test_a_name_that_is_taken_away_is_free_for_another_entity(
    engine: Engine, memory: Memory, daves: tuple[UUID, UUID]
) -> None:
    kowalski, lindqvist = daves
    await memory.entities.add_alias(kowalski, "name", "Big D")
    assert "Big D" in (await memory.entities.get(kowalski)).names
    await memory.entities.remove_alias(kowalski, "name", "big d")
    assert "Big D" not in {one.value for one in await memory.entities.aliases(kowalski)}
    assert "Big D" not in (await memory.entities.get(kowalski)).names
    assert [one for one in await engine.doctor.examine() if one.node_id == memory.principal.user_id] == []
    await memory.entities.add_alias(lindqvist, "name", "Big D")
    await say(memory, "Later Big D called.")
    assert (await mentions(memory, kowalski), await mentions(memory, lindqvist)) == (1, 2)
    with pytest.raises(Conflict, match="display name"):
        await memory.entities.remove_alias(kowalski, "name", "Dave Kowalski")
    with pytest.raises(NotFound):
        await memory.entities.remove_alias(kowalski, "name", "Big D")
    with pytest.raises(NotFound):
        await memory.entities.verify_alias(kowalski, "name", "Nobody")


@pytest.mark.ledger("F07", "A08")
@pytest.mark.parametrize(
    ("alias_type", "given", "written"),
    [
        ("email", "Dave@Example.org", "The invoice came from dave@example.org."),
        ("phone", "+49 (171) 234-5678", "Call 0049 171 2345678 before noon."),
        ("handle", "davek", "The picture is by @DaveK, I think."),
        ("url", "https://www.kowalski.example/", "It stands on http://kowalski.example now."),
    ],
)
async def test_an_address_in_a_text_is_a_mention(
    memory: Memory, daves: tuple[UUID, UUID], alias_type: str, given: str, written: str
) -> None:
    kowalski, _ = daves
    await say(memory, written)
    assert await mentions(memory, kowalski) == 1
    before = {one.entity_id for one in await memory.entities.list(everything=True)}
    await memory.entities.add_alias(kowalski, alias_type, given)
    await say(memory, written)
    found = await memory.entities.get(kowalski)
    assert found.mentions == 2 and {one.entity_id for one in await memory.entities.list(everything=True)} == before
    assert "Dave Kowalski" in found.names and given not in found.names
    [place] = [span for one in found.latest for span in one.spans if not one.names]
    start, end = (int(number) for number in place.rpartition(":")[2].split("-"))
    assert written[start:end].strip(".,") in written and end - start >= len("@DaveK")


@pytest.mark.ledger("F07", "A08")
async def test_an_address_decides_the_name_that_stands_with_it(memory: Memory, daves: tuple[UUID, UUID]) -> None:
    kowalski, lindqvist = daves
    await memory.entities.add_alias(lindqvist, "email", "dave@example.org")
    await say(memory, "I wrote to Dave <dave@example.org> and to Globex (dave@example.org).")
    found = await memory.entities.get(lindqvist)
    assert (await mentions(memory, kowalski), found.mentions) == (1, 2)
    assert any("dave" in one.names for one in found.latest)
    [globex] = await memory.entities.list(name="globex")
    assert globex.entity_id != lindqvist, "a name that is not like his is not his"


@pytest.mark.ledger("F07")
async def test_the_first_of_many_gets_an_alias(memory: Memory, daves: tuple[UUID, UUID]) -> None:
    kowalski, lindqvist = daves
    for _ in range(2):
        await memory.entities.add_alias(kowalski, "email", "dave@example.org")
    with pytest.raises(AliasTaken, match="Dave Kowalski"):
        await memory.entities.add_alias(lindqvist, "email", "DAVE@example.org")
    asks = [memory.entities.add_alias(one, "id", "7") for _ in range(4) for one in daves]
    outcomes = await asyncio.gather(*asks, return_exceptions=True)
    given = [one for one in outcomes if not isinstance(one, BaseException)]
    assert len({one.entity_id for one in given}) == 1 and len(given) == 4
    assert {type(one) for one in outcomes if isinstance(one, BaseException)} == {AliasTaken}


@pytest.mark.ledger("F07", "N31")
async def test_aliases_are_the_users_alone(engine: Engine, memory: Memory) -> None:
    node = await memory.nodes.provision(NewNode(memory.principal.user_id, "Family"))
    await say(memory, "Dave Kowalski called.", node.node_id)
    dave = (await entity(memory, "kowalski")).entity_id
    await memory.entities.add_alias(dave, "name", "The Cheat")
    await memory.entities.add_alias(dave, "email", "dave@example.org")
    persona = await memory.nodes.provision(NewNode(node.node_id, "Assistant", node_type="persona"))
    await memory.grants.give(NewGrant(node.node_id, "persona", persona.node_id, "read_write"))
    reader = engine.memory_as(Principal("persona", persona.node_id, memory.principal.user_id))
    seen = await reader.entities.get(dave)
    assert (seen.name, seen.names) == ("Dave Kowalski", ("Dave Kowalski",))
    assert await reader.entities.list(name="cheat") == ()
    await say(reader, "The Cheat wrote from dave@example.org.", node.node_id)
    assert await mentions(memory, dave) == 1, "whoever cannot read of an alias does not write of its entity by it"
    await say(memory, "The Cheat wrote from dave@example.org.")
    assert await mentions(memory, dave) == 2 and (await reader.entities.get(dave)).mentions == 1
    for ask in (
        lambda: reader.entities.aliases(dave),
        lambda: reader.entities.add_alias(dave, "email", "x@example.org"),
        lambda: reader.entities.remove_alias(dave, "email", "dave@example.org"),
        lambda: memory.entities.add_alias(uuid4(), "email", "x@example.org"),
    ):
        with pytest.raises(NotFound):
            await ask()
    for alias_type, value in (("email", "nobody"), ("phone", "12"), ("handle", "two words"), ("url", "two words")):
        with pytest.raises(InvalidInput):
            await memory.entities.add_alias(dave, alias_type, value)


@pytest.mark.ledger("F07", "U02", "U05")
async def test_the_doors(engine: Engine, user: User, memory: Memory, daves: tuple[UUID, UUID], tmp_path: Path) -> None:
    kowalski, lindqvist = daves
    alias = {"type": "email", "value": "dave@example.org"}
    transport = httpx.ASGITransport(new_door(engine.settings, engine=engine), client=("127.0.0.1", 50000))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        path = f"/v1/users/{user.user_id}/entities"
        answer = await door.post(f"{path}/{kowalski}/aliases", json=alias)
        assert answer.status_code == 201 and answer.json()["verified"]
        answer = await door.post(f"{path}/{lindqvist}/aliases", json=alias)
        assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (409, "alias-taken")
        listed = (await door.get(f"{path}/{kowalski}/aliases")).json()
        assert [(one["type"], one["value"]) for one in listed] == [
            ("email", "dave@example.org"),
            ("name", "Dave Kowalski"),
        ]
        answer = await door.post(f"{path}/{kowalski}/aliases/verify", json={"type": "name", "value": "dave kowalski"})
        assert answer.json()["verified"]
        assert (await door.post(f"{path}/{kowalski}/aliases/remove", json=alias)).status_code == 200
        assert (await door.post(f"{path}/{kowalski}/aliases/remove", json=alias)).status_code == 404
        assert (await door.post(f"{path}/{kowalski}/aliases", json=alias | {"type": "smell"})).status_code == 422
    shell = Shell(engine, tmp_path, user.handle)
    who = "Dave Kowalski"
    assert "is an alias of it" in await shell.prints("entity", "alias", "add", who, "phone", "+49 171 234567")
    assert "verified" in await shell.prints("entity", "alias", "list", who)
    assert (await shell.answers("entity", "alias", "verify", who, "phone", "0049171234567"))["verified"]
    assert "no alias" in await shell.prints("entity", "alias", "remove", who, "phone", "+49 171 234567")
    assert "An alias is one of" in await shell.refuses("entity", "alias", "add", who, "smell", "x")


@pytest.mark.ledger("F07")
@pytest.mark.parametrize(("alias_type", "value"), [("email", "dave@example.org"), ("name", "The Cheat")])
async def test_decisions_of_an_alias_count_by_their_times(
    engine: Engine, memory: Memory, daves: tuple[UUID, UUID], alias_type: AliasType, value: str
) -> None:
    """Whenever they are applied, and however often: one that comes late, or again, changes nothing."""
    kowalski, lindqvist = daves

    async def decided(entity_id: UUID, second: int, *, given: bool) -> None:
        at = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)).isoformat()
        row = {
            "entity_id": str(entity_id),
            "user_id": str(memory.principal.user_id),
            "type": alias_type,
            "given": given,
        }
        row |= {"key": alias_key(alias_type, value), "value": value, "at": at}
        await engine.neo4j.write(cypher("entity/alias_decided"), decision=row)

    async def held(entity_id: UUID) -> list[bool]:
        return [one.verified for one in await memory.entities.aliases(entity_id) if one.value == value]

    async def names(entity_id: UUID) -> bool:
        return value in (await memory.entities.get(entity_id)).names

    is_name = alias_type == "name"
    await decided(kowalski, 10, given=True)
    assert (await held(kowalski), await names(kowalski)) == ([True], is_name)
    await decided(kowalski, 20, given=False)
    for _ in range(2):
        await decided(kowalski, 10, given=True)
        assert (await held(kowalski), await names(kowalski)) == ([], False)
    await decided(lindqvist, 30, given=True)
    await decided(kowalski, 20, given=False)
    await decided(kowalski, 15, given=True)
    assert (await held(kowalski), await held(lindqvist)) == ([], [True])
    await decided(lindqvist, 40, given=False)
    await decided(kowalski, 50, given=False)  # before what it takes away was given
    await decided(kowalski, 45, given=True)
    assert (await held(kowalski), await held(lindqvist)) == ([], [])
    assert (await memory.entities.add_alias(kowalski, alias_type, value)).value == value
    assert (await held(kowalski), await names(kowalski)) == ([True], is_name)
    for given in (False, True, False):  # in one moment: the later commit counts
        for _ in range(2):
            await decided(kowalski, 3_000_000_000, given=given)
        assert await held(kowalski) == [True] * given
    assert await engine.doctor.examine() == []


@pytest.mark.ledger("F07")
async def test_of_an_address_that_is_removed_nothing_is_kept_but_that(
    engine: Engine, memory: Memory, daves: tuple[UUID, UUID]
) -> None:
    await memory.entities.add_alias(daves[0], "email", "Dave@example.org")
    await memory.entities.remove_alias(daves[0], "email", "dave@example.org")
    [left] = await engine.neo4j.read(
        "MATCH (a:Alias {user_id: $user_id, type: 'email'}) RETURN a.value AS value, a.name AS name, a.user_key AS user_key, a.verified AS verified",
        user_id=str(memory.principal.user_id),
    )
    assert left == {"value": None, "name": None, "user_key": None, "verified": False}
    await memory.entities.add_alias(
        daves[1], "email", "DAVE@example.org"
    )  # the normal form is kept, so it is the same one
    [again] = await engine.neo4j.read(
        "MATCH (a:Alias {user_id: $user_id, type: 'email'}) RETURN a.value AS value, a.key AS key, a.verified AS verified",
        user_id=str(memory.principal.user_id),
    )
    assert again == {"value": "DAVE@example.org", "key": "dave@example.org", "verified": True}


@pytest.mark.ledger("F07")
async def test_a_name_that_was_taken_away_before_anyone_had_it_is_whole_when_a_text_uses_it(
    engine: Engine, memory: Memory, daves: tuple[UUID, UUID]
) -> None:
    row = {"entity_id": str(daves[0]), "user_id": str(memory.principal.user_id), "type": "name", "given": False}
    row |= {"key": "fredda holm", "value": "Fredda Holm", "at": "2026-01-01T00:00:00Z"}
    await engine.neo4j.write(cypher("entity/alias_decided"), decision=row)
    await memory.records.remember(Conversation("c9", (Turn("Bob", "We met Fredda Holm today."),)))
    [found] = await memory.entities.list(name="fredda")
    assert "Fredda Holm" in found.names
    assert [one.value for one in await memory.entities.aliases(found.entity_id)] == ["Fredda Holm"]
