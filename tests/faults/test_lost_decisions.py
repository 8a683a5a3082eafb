"""Decisions of the user that the graph lacks, as after an older one was put back: named, and applied again in their order."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

import pytest

from engine.domain.history import Conversation, Turn
from engine.domain.node import User
from engine.domain.retraction import RetractionSubject
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine

pytestmark = pytest.mark.usefixtures("alone")

TEXT = (
    "Iris Whitcomb works at Harbor Lantern and lives in Lisbon.",
    "Marianne Kuhn met Iris Whitcomb in Lisbon. Marianne Kuhn works at Harbor Lantern.",
    "Tobias Brandt married Greta Solberg. Tobias Brandt lives in Porto.",
)


@dataclass(frozen=True)
class Decided:
    """A graph in which the user has decided something of each kind."""

    engine: Engine
    memory: Memory
    iris: UUID
    marianne: UUID
    tobias: UUID

    @property
    def user(self) -> str:
        return str(self.memory.principal.user_id)

    async def shown(self) -> dict[str, object]:
        """All that reads show of what was decided."""
        entities = self.memory.entities
        relations = [one for part in (self.iris, self.tobias) for one in await entities.relations(part)]
        return {
            "entities": sorted(
                (one.name, one.kind, str(one.entity_id)) for one in await entities.list(everything=True)
            ),
            "merges": [(one.merge_id, one.entity_id, one.merged_id) for one in await entities.merges()],
            "aliases": sorted((one.type, one.value, one.verified) for one in await entities.aliases(self.tobias)),
            "relations": sorted((str(one.relation_id), one.archived, str(one.properties)) for one in relations),
        }

    async def lost(self) -> list[str]:
        own = [one for one in await self.engine.doctor.examine() if one.node_id == self.memory.principal.user_id]
        return [one.problem for one in own]


@pytest.fixture
async def decided(engine: Engine, memory: Memory) -> Decided:
    for number, text in enumerate(TEXT):
        await memory.records.remember(Conversation(f"c{number}", (Turn("Ann", text),)))
    gone = await memory.records.remember(Conversation("gone", (Turn("Ann", "Viktor Holm lives in Bergen."),)))
    there = {one.name: one.entity_id for one in await memory.entities.list(everything=True)}
    iris, marianne, tobias = there["Iris Whitcomb"], there["Marianne Kuhn"], there["Tobias Brandt"]
    entities = memory.entities
    undone = await entities.merge(iris, tobias, "a slip")
    await entities.undo_merge(undone.merge_id)
    await entities.merge(iris, marianne, "a pen name")
    await entities.correct(tobias, name="Tobias Brandt-Solberg", kind="organization")
    await entities.add_alias(tobias, "email", "tobias@example.org")
    await entities.add_alias(tobias, "phone", "+47 555 0100")
    await entities.remove_alias(tobias, "phone", "+47 555 0100")
    first, *_ = await entities.relations(tobias)
    await entities.archive_relation(first.relation_id, "long ago")
    await entities.describe_relation(first.relation_id, {"where": "Oslo"})
    record = gone.records[0]
    await memory.retractions.retract(RetractionSubject("record", str(record.record_id)), "not true")
    return Decided(engine, memory, iris, marianne, tobias)


OLDER = {
    # what of the graph is as it was before the decision
    "merge": "MATCH (e:Entity {user_id: $user})-[s:SUPERSEDES]->(m) WHERE s.known_to IS NULL SET m.active = true DELETE s",
    "end of a merge": "MATCH (e:Entity {user_id: $user})-[s:SUPERSEDES]->(m) WHERE s.known_to IS NOT NULL SET s.known_to = null, m.active = false",
    "correction": "MATCH (e:Entity {user_id: $user, name: 'Tobias Brandt-Solberg'}) SET e.name = e.names_before[0], e.name_key = 'tobias brandt'"
    " REMOVE e.names_before, e.renamed",
    "corrected name": "MATCH (e:Entity {user_id: $user, name: 'Tobias Brandt-Solberg'}) SET e.name = 'Nobody', e.name_key = 'nobody'",
    "entity of an alias": "MATCH (a:Alias {user_id: $user, type: 'email'})-[names:NAMES]->() DELETE names",
    "entity of an alias that was taken away": "MATCH (a:Alias {user_id: $user, type: 'phone'}), (e:Entity {user_id: $user}) WHERE e.rekinded IS NOT NULL"
    " CREATE (a)-[:NAMES]->(e)",
    "kind": "MATCH (e:Entity {user_id: $user, kind: 'organization'}) WHERE e.rekinded IS NOT NULL REMOVE e:Organization, e.rekinded, e.kinds_before"
    " SET e.kind = 'person', e:Person",
    "corrected kind": "MATCH (e:Entity {user_id: $user, kind: 'organization'}) WHERE e.rekinded IS NOT NULL SET e.kind = 'person'",
    "corrected kind, and its label": "MATCH (e:Entity {user_id: $user, kind: 'organization'}) WHERE e.rekinded IS NOT NULL REMOVE e:Organization, e.kind SET e:Place",
    "alias": "MATCH (a:Alias {user_id: $user, type: 'email'}) DETACH DELETE a",
    "alias that was taken away": "MATCH (a:Alias {user_id: $user, type: 'phone'}) DETACH DELETE a",
    "archived relation": "MATCH (:Entity {user_id: $user})-[r]->() WHERE r.archivings IS NOT NULL REMOVE r.archivings, r.archived_reason",
    "properties of a relation": "MATCH (:Entity {user_id: $user})-[r]->() WHERE r.described_at IS NOT NULL REMOVE r.described_at, r.properties",
    "withdrawal": "MATCH (r:Record {user_id: $user})-[m:MENTIONS]->(e) WHERE m.retracted SET m.known_to = null, m.retracted = null, r.retraction_seen = null,"
    " e.mentions = e.mentions + 1",
}


@pytest.mark.parametrize("decision", OLDER)
async def test_a_decision_that_the_graph_lacks_is_named_and_applied_again(decided: Decided, decision: str) -> None:
    right = await decided.shown()
    await decided.engine.neo4j.write(OLDER[decision], user=decided.user)
    assert any("of the user missing in the graph" in problem for problem in await decided.lost())
    found = await decided.engine.doctor.examine()
    assert [one.failure for one in await decided.engine.remedies.fix(found) if one.failure] == []
    assert await decided.shown() == right
    assert await decided.lost() == []


UNDECIDED = {
    "pair told apart": "MATCH (:Entity {user_id: $user})-[p:POSSIBLY_SAME]->() REMOVE p.decided, p.decided_at",
    "intention": "MATCH (:Record {user_id: $user})-[i:INTENDS]->() SET i.state = 'open' REMOVE i.state_at, i.reason",
}


@pytest.mark.parametrize("by", ["doctor", "mend"])
async def test_decisions_on_pairs_and_intentions_come_back_into_an_older_graph(
    engine: Engine, settings: Settings, user: User, by: str
) -> None:
    said = ("We met Dave Kowalski.", "Dave Grohl plays tonight.", "Then Dave came by.", "I want to sell the boat.")
    async with open_engine(settings.model_copy(update={"intentions": True}), warming=False) as keeping:
        memory = keeping.memory(user.user_id)
        for number, text in enumerate(said):
            await memory.records.remember(Conversation(f"c{number}", (Turn("Bob", text),)), node_id=user.user_id)
        pair, *others = await memory.entities.review()
        await memory.entities.tell_apart(pair.pair_id)
        [boat] = await memory.intentions.list()
        await memory.intentions.decide(boat.intention_id, "done", "sold")
        right = (await memory.entities.review(), await memory.intentions.list())
        assert right[0] == tuple(others)
        for older in UNDECIDED.values():
            await keeping.neo4j.write(older, user=str(user.user_id))
        assert pair.pair_id in {one.pair_id for one in await memory.entities.review()}
        found = [one for one in await keeping.doctor.examine() if one.node_id == user.user_id]
        assert ["2 decisions of the user missing in the graph" in one.problem for one in found] == [True], found
        if by == "doctor":
            assert [one.failure for one in await keeping.remedies.fix(found) if one.failure] == []
        else:
            assert (await keeping.mending.run()).mended["decisions on entities"] == 2
        assert (await memory.entities.review(), await memory.intentions.list()) == right
        assert [one for one in await keeping.doctor.examine() if one.node_id == user.user_id] == []


async def test_mend_brings_every_decision_into_a_graph_that_lost_all_entities(decided: Decided) -> None:
    """Entities get their ids again, which decisions name, and decisions follow each other as they were made."""
    right = await decided.shown()
    for label in ("Entity", "Alias", "Record"):
        await decided.engine.neo4j.write(f"MATCH (n:{label} {{user_id: $user}}) DETACH DELETE n", user=decided.user)
    dry = await decided.engine.mending.run(dry_run=True)
    assert not dry.surplus
    report = await decided.engine.mending.run()
    assert report.mended["decisions on entities"] >= 8 and not report.left, report
    assert await decided.shown() == right
    assert await decided.lost() == []
    again = await decided.engine.mending.run()
    assert "decisions on entities" not in again.mended
