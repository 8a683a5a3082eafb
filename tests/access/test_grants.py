"""Users, personas and integrations: who reads what, by which right, and since when no more."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import psycopg
import pytest

from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.principal import Principal
from engine.domain.search import SearchRequest
from engine.errors import InvalidInput, NotFound
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.stores.migrations import migrations, statements

EVERYWHERE = "always"


@dataclass(frozen=True)
class Ground:
    """A graph: Work > Lawyer (persona) > Cases; Work > Marketer (persona); Family > Health. A text lies at every node."""

    owner: Memory
    nodes: dict[str, UUID]
    lawyer: Memory
    marketer: Memory
    mailbox: Memory
    integration: UUID


@pytest.fixture
async def ground(engine: Engine) -> Ground:
    user = await engine.workspace.users.create(f"g{uuid4().hex[:12]}", "Bob")
    owner = engine.memory(user.user_id)
    nodes = {"Bob": user.user_id}
    for parent, name, kind in (
        ("Bob", "Work", "concept"), ("Work", "Lawyer", "persona"), ("Lawyer", "Cases", "concept"),
        ("Work", "Marketer", "persona"), ("Bob", "Family", "concept"), ("Family", "Health", "concept"),
    ):  # fmt: skip
        nodes[name] = (await owner.nodes.provision(NewNode(nodes[parent], name, kind))).node_id
    for name, node in nodes.items():
        await owner.records.remember(Conversation(name, (Turn("Bob", f"The walleye of {name}."),)), node_id=node)
        await owner.records.remember_text(
            f"secret {name}", f"The hidden walleye of {name}.", node_id=node, privacy="private"
        )
    await owner.edges.make(nodes["Cases"], nodes["Health"], "CONCERNS")
    await owner.edges.make(nodes["Lawyer"], nodes["Cases"], "WORKS_ON")
    integration_id = uuid4()
    async with engine.postgres.as_service() as connection:
        await connection.execute(
            "INSERT INTO engine.integrations SELECT %s, workspace_id, %s FROM engine.users WHERE user_id = %s",
            [integration_id, f"mail {integration_id.hex}", user.user_id],
        )

    def acting(kind, principal):
        return engine.memory_as(Principal(kind, principal, user.user_id))

    return Ground(
        owner, nodes, acting("persona", nodes["Lawyer"]), acting("persona", nodes["Marketer"]),
        acting("third_party", integration_id), integration_id,
    )  # fmt: skip


async def found(memory: Memory) -> set[str]:
    """The texts that a search of everything finds."""
    answer = await memory.search(SearchRequest("walleye", widen=EVERYWHERE, limit=50))
    assert answer.items_searched >= len(answer.hits)  # what was revoked between the two trips is not shown
    return {hit.content for hit in answer.hits}


async def reads(memory: Memory, node: UUID) -> bool:
    """Whether the shell, the metadata and a search agree that the node is readable."""
    try:
        shell = await memory.nodes.shell(node)
    except NotFound:
        with pytest.raises(NotFound):
            await memory.nodes.metadata(node)
        return False
    assert [record.title for record in (await memory.nodes.metadata(node)).records] == [
        entry.title for entry in shell.manifest
    ]
    return True


@pytest.mark.ledger("N29")
async def test_a_persona_reads_its_own_subtree_and_nothing_else(ground: Ground) -> None:
    assert await found(ground.lawyer) == {"The walleye of Lawyer.", "The walleye of Cases."}
    readable = {name for name, node in ground.nodes.items() if await reads(ground.lawyer, node)}
    assert readable == {"Lawyer", "Cases"}
    cases = await ground.lawyer.nodes.shell(ground.nodes["Cases"])
    assert (cases.path, cases.schema_name, cases.records) == (("Lawyer", "Cases"), None, 1)
    assert [edge.other_name for edge in cases.edges] == ["Lawyer"]  # the edge to Health looks as if it were not there
    lawyer = await ground.lawyer.nodes.shell(ground.nodes["Lawyer"])
    assert (lawyer.parent_id, [child.name for child in lawyer.children]) == (None, ["Cases"])
    assert {(edge.source_name, edge.target_name) for edge in await ground.lawyer.edges.list()} == {("Lawyer", "Cases")}
    assert [anchor.path for anchor in await ground.lawyer.nodes.anchors("Cases")] == [("Lawyer", "Cases")]
    assert await ground.lawyer.nodes.anchors("Health") == ()


@pytest.mark.ledger("N28", "F12")
async def test_what_is_private_is_its_users_alone(ground: Ground) -> None:
    assert len(await found(ground.owner)) == 14
    assert (await ground.owner.nodes.shell(ground.nodes["Cases"])).records == 2
    for depth in (0, 5):
        await ground.owner.grants.give(NewGrant(ground.nodes["Bob"], "third_party", ground.integration, depth=depth))
        assert not any("hidden" in text for text in await found(ground.mailbox))
    assert len(await found(ground.mailbox)) == 7
    secret = next(
        r for r in (await ground.owner.nodes.metadata(ground.nodes["Cases"])).records if r.title.startswith("secret")
    )
    assert await ground.owner.files.read(ground.nodes["Cases"], secret.file_id) == b"The hidden walleye of Cases."
    with pytest.raises(NotFound):
        await ground.mailbox.files.read(ground.nodes["Cases"], secret.file_id)
    with pytest.raises(InvalidInput):
        await ground.lawyer.records.remember_text("x", "y", node_id=ground.nodes["Cases"], privacy="private")


@pytest.mark.ledger("N30")
async def test_an_integration_reads_one_granted_node_without_cascade_until_it_is_revoked(ground: Ground) -> None:
    assert await found(ground.mailbox) == set()
    given = await ground.owner.grants.give(NewGrant(ground.nodes["Family"], "third_party", ground.integration))
    again = await ground.owner.grants.give(NewGrant(ground.nodes["Family"], "third_party", ground.integration))
    assert (given.created, again.created, again.grant_id) == (True, False, given.grant_id)
    assert await found(ground.mailbox) == {"The walleye of Family."}
    family = await ground.mailbox.nodes.shell(ground.nodes["Family"])
    assert (family.path, family.children, family.edges, family.records) == (("Family",), (), (), 1)
    assert await ground.mailbox.files.read(
        family.node_id, (await ground.mailbox.nodes.metadata(family.node_id)).records[0].file_id
    )
    assert not await reads(ground.mailbox, ground.nodes["Health"]) and not await reads(
        ground.mailbox, ground.nodes["Bob"]
    )
    await ground.owner.grants.revoke(given.grant_id)
    await ground.owner.grants.revoke(given.grant_id)
    assert await found(ground.mailbox) == set() and not await reads(ground.mailbox, ground.nodes["Family"])


@pytest.mark.ledger("N30")
async def test_a_grant_ends_by_itself(ground: Ground) -> None:
    assert not await reads(ground.mailbox, ground.nodes["Health"]) and await found(ground.mailbox) == set()
    ends = datetime.now(UTC) + timedelta(seconds=6)  # statements are planned by now
    await ground.owner.grants.give(NewGrant(ground.nodes["Health"], "third_party", ground.integration, expires_at=ends))
    assert await reads(ground.mailbox, ground.nodes["Health"])
    await asyncio.sleep(max(0, (ends - datetime.now(UTC)).total_seconds()) + 0.2)
    assert not await reads(ground.mailbox, ground.nodes["Health"]) and await found(ground.mailbox) == set()


@pytest.mark.ledger("N29", "N30")
async def test_a_persona_may_be_granted_to_write_and_only_there(ground: Ground) -> None:
    talk = Conversation("minutes", (Turn("Lawyer", "The walleye was settled."),))
    for name in ("Health", "Cases"):  # not granted; its own, which it only reads
        with pytest.raises(NotFound):
            await ground.lawyer.records.remember(talk, node_id=ground.nodes[name])
    await ground.owner.grants.give(
        NewGrant(ground.nodes["Health"], "persona", ground.nodes["Lawyer"], mode="read_write")
    )
    report = await ground.lawyer.records.remember(talk, node_id=ground.nodes["Health"])
    assert (report.records[0].path, report.turns) == (("Health",), 1)
    assert "The walleye was settled." in await found(ground.lawyer) & await found(ground.owner)
    assert "The walleye was settled." not in await found(ground.marketer)
    assert (await ground.lawyer.records.remember(talk, node_id=ground.nodes["Health"])).records == ()
    assert (
        await ground.owner.records.remember(talk, node_id=ground.nodes["Health"])
    ).turns == 1  # its user's own id is free
    with pytest.raises(InvalidInput):
        await ground.lawyer.records.remember(talk)
    for attempt in (
        ground.lawyer.nodes.provision(NewNode(ground.nodes["Health"], "Teeth")),
        ground.lawyer.edges.make(ground.nodes["Health"], ground.nodes["Cases"], "X"),
        ground.lawyer.grants.give(NewGrant(ground.nodes["Cases"], "third_party", ground.integration)),
        ground.mailbox.records.remember(talk, node_id=ground.nodes["Health"]),
    ):  # fmt: skip
        with pytest.raises(NotFound):
            await attempt


async def test_depth_and_fields_when_the_owner_asks_for_them(ground: Ground) -> None:
    give = ground.owner.grants.give
    await give(NewGrant(ground.nodes["Bob"], "third_party", ground.integration, depth=1, fields=("records",)))
    assert await found(ground.mailbox) == set()  # what a search finds was not granted
    assert {name for name, node in ground.nodes.items() if await reads(ground.mailbox, node)} == {
        "Bob",
        "Work",
        "Family",
    }
    page = await ground.mailbox.nodes.metadata(ground.nodes["Work"])
    assert [(record.title, record.file_id) for record in page.records] == [("Work", None)]
    await give(NewGrant(ground.nodes["Cases"], "third_party", ground.integration, fields=()))
    cases = await ground.mailbox.nodes.shell(ground.nodes["Cases"])
    assert (cases.path, cases.manifest, cases.records, cases.items) == (("Bob", "Work", "Cases"), (), 0, 0)
    assert (await ground.mailbox.nodes.metadata(ground.nodes["Cases"])).records == ()


UNKNOWN_RULES = (
    [{"mode": "read_write"}, {"depth": 6}, {"depth": -1}, {"fields": ("items",)}, {"fields": ("nonsense",)},
     {"purpose": "x" * 501}, {"expires_at": datetime(2020, 1, 1, tzinfo=UTC)}, {"expires_at": datetime(2999, 1, 1)}]
)  # fmt: skip


async def test_a_grant_that_the_rules_do_not_know(ground: Ground) -> None:
    for wrong in UNKNOWN_RULES:
        new = NewGrant(ground.nodes["Family"], "third_party", ground.integration, **wrong)
        with pytest.raises(InvalidInput):
            await ground.owner.grants.give(new)


async def test_only_what_lies_within_reach_can_be_granted(engine: Engine, ground: Ground) -> None:
    other = await engine.workspace.users.create(f"g{uuid4().hex[:12]}")
    stranger = (await engine.memory(other.user_id).nodes.provision(NewNode(other.user_id, "Lawyer", "persona"))).node_id
    give = ground.owner.grants.give
    for new in (
        NewGrant(uuid4(), "third_party", ground.integration),
        NewGrant(other.user_id, "third_party", ground.integration),
        NewGrant(ground.nodes["Family"], "third_party", uuid4()),
        NewGrant(ground.nodes["Family"], "persona", stranger),
        NewGrant(ground.nodes["Family"], "persona", ground.nodes["Work"]),  # a concept is nobody
    ):
        with pytest.raises(NotFound):
            await give(new)
    with pytest.raises(NotFound):
        await ground.owner.grants.revoke(uuid4())


@pytest.mark.ledger("N30")
async def test_the_log_tells_grants_and_refusals_and_who_could_see_a_node_when(ground: Ground) -> None:
    grants, health = ground.owner.grants, ground.nodes["Health"]
    before = datetime.now(UTC)
    given = await grants.give(NewGrant(health, "third_party", ground.integration, purpose="reminders"))
    during = datetime.now(UTC)
    await grants.revoke(given.grant_id)
    assert not await reads(ground.mailbox, health)
    seen = [{viewer.reason for viewer in await grants.audience(health, at)} for at in (before, during, None)]
    assert seen == [{"owner"}, {"owner", "grant"}, {"owner"}]
    assert {viewer.subject_name for viewer in await grants.audience(ground.nodes["Cases"])} == {"Bob", "Lawyer"}
    with pytest.raises(NotFound):
        await ground.lawyer.grants.audience(ground.nodes["Cases"])
    events = [(entry.event, entry.node_id, entry.actor_kind) for entry in await grants.log()]
    assert [event for event in events if event[1] == health and event[2] == "user"] == [
        ("revoked", health, "user"), ("granted", health, "user"),
    ]  # fmt: skip
    assert ("refused", health, "third_party") in events
    for other in (ground.mailbox, ground.lawyer):
        with pytest.raises(NotFound):
            await other.grants.log()
    assert [grant.purpose for grant in await grants.list(node_id=health, ended=True)] == ["reminders"]
    assert await grants.list(node_id=health) == ()


@pytest.mark.ledger("N30", "N31")
async def test_after_a_revocation_no_reader_gets_the_node(engine: Engine, ground: Ground) -> None:
    """Sixteen readers ask all the time; no answer to a question that was asked after the acknowledgement has the node."""
    family = ground.nodes["Family"]
    ended = asyncio.Event()
    late: list[str] = []
    early = 0

    async def reader(number: int) -> None:
        nonlocal early
        while not ended.is_set() or number >= 0:
            asked_after = ended.is_set()
            try:
                seen = (
                    repr(await ground.mailbox.nodes.shell(family)) if number % 2 else repr(await found(ground.mailbox))
                )
            except NotFound:
                seen = ""
            if asked_after:
                late.append(seen)
                return
            early += "Family" in seen

    for _ in range(3):
        ended.clear()
        given = await ground.owner.grants.give(NewGrant(family, "third_party", ground.integration))
        readers = [asyncio.create_task(reader(number)) for number in range(16)]
        await asyncio.sleep(0.5)
        await ground.owner.grants.revoke(given.grant_id)
        ended.set()
        await asyncio.gather(*readers)
    assert early > 0, "nobody read while it was granted: the test proved nothing"
    assert len(late) == 48 and not any("Family" in seen for seen in late)


CHANGES_OF_THE_PAST = (
    ["UPDATE engine.access_log SET detail = ''", "DELETE FROM engine.access_log", "TRUNCATE engine.access_log",
     "DELETE FROM engine.grants", "TRUNCATE engine.grants CASCADE", "UPDATE engine.grants SET depth = 5"]
)  # fmt: skip


@pytest.mark.ledger("N30")
async def test_the_log_and_the_grants_only_grow_for_every_role(engine: Engine, ground: Ground) -> None:
    await ground.owner.grants.give(NewGrant(ground.nodes["Family"], "third_party", ground.integration))
    for statement in CHANGES_OF_THE_PAST:
        with pytest.raises(NotFound) as caught:
            async with engine.postgres.as_service() as connection:
                await connection.execute(statement)
        assert isinstance(caught.value.__cause__, psycopg.errors.InsufficientPrivilege), statement


@pytest.mark.ledger("N31", "X01")
async def test_a_grant_of_an_older_release_opens_nothing_until_it_is_migrated(engine: Engine, ground: Ground) -> None:
    """An older release wrote no subject and graph on the edge by which a right is looked up."""
    grant = NewGrant(ground.nodes["Health"], "third_party", ground.integration)
    given = await ground.owner.grants.give(grant)
    assert (await ground.mailbox.nodes.shell(ground.nodes["Health"])).name == "Health"
    await engine.neo4j.write(
        "MATCH ()-[g:GRANTED {grant_id: $id}]->() REMOVE g.subject_id, g.user_id", id=str(given.grant_id)
    )
    with pytest.raises(NotFound):
        await ground.mailbox.nodes.shell(ground.nodes["Health"])
    [migration] = [one for one in migrations("neo4j") if one.version == 6]
    for statement in statements(migration.text):
        await engine.neo4j.write(statement)
    assert (await ground.mailbox.nodes.shell(ground.nodes["Health"])).name == "Health"
