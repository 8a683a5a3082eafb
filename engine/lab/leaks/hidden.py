"""A memory with a node that readers may read and one that they may not, and every kind of change at the hidden one.

All of it is `org`, so that nothing but the node hides it; the user alone changes it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from engine.domain.delta import Change
from engine.domain.fact import Fact, WrittenFact
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode
from engine.domain.occasion import NewEvent, Occasion
from engine.domain.principal import Principal
from engine.domain.retraction import RetractionSubject
from engine.domain.stream import StreamedTurn

if TYPE_CHECKING:
    from engine.memory import Memory
    from engine.neurigraph import Engine

BEGAN, SAID = datetime(2021, 3, 1, tzinfo=UTC), datetime(2023, 5, 4, tzinfo=UTC)
KNOWN = (
    "Ellen lives in Duluth.", "Ellen works at Globex.", "Ellen drinks tea.", "Ellen's sister is Nora.",
    "Ellen is a member of the Rowing Club.", "Ellen plans to move to Oslo.",
)  # fmt: skip
"""What the readers know."""


@dataclass(slots=True)
class Ground:
    """The memory, its two nodes and its readers; `made`: ids of what was written at the hidden node, by what it is."""

    owner: Memory
    shared: UUID
    hidden: UUID
    readers: Mapping[str, Memory]
    facts: tuple[UUID, ...] = ()
    made: dict[str, UUID] = field(default_factory=dict)

    async def entity(self, name: str) -> UUID:
        """An entity, by one of its names."""
        return (await self.owner.entities.list(name=name, everything=True))[0].entity_id

    async def say(self, text: str, at: datetime = SAID) -> Fact:
        """States a fact at the hidden node."""
        return (await self.owner.facts.write(WrittenFact(text, at=at), node_id=self.hidden))[0]


Hidden = Callable[[Ground], Awaitable[None]]
HIDDEN: dict[str, Hidden] = {}
"""Changes at the hidden node, by their names, in the order in which they are made: six in a row undo nothing of each other."""


async def prepared(engine: Engine) -> Ground:
    """A memory with its readers, and what these know."""
    user = await engine.workspace.users.create(f"n{uuid4().hex[:12]}", "Bob Harlan")
    owner = engine.memory(user.user_id)

    async def node(name: str, above: UUID, *, persona: bool = False) -> UUID:
        return (await owner.nodes.provision(NewNode(above, name, "persona" if persona else "concept"))).node_id

    hidden = await node("Therapy", user.user_id)
    assistant, household = [await node(name, user.user_id, persona=True) for name in ("Assistant", "Household")]
    shared = await node("Shared", household)
    app = (await engine.workspace.integrations.create(f"calendar {uuid4().hex[:8]}")).integration_id
    await owner.grants.give(NewGrant(shared, "third_party", app, past=True))
    await owner.grants.give(NewGrant(shared, "persona", assistant, mode="read_write"))
    readers = {
        "integration": Principal("third_party", app, user.user_id),
        "persona with read_write": Principal("persona", assistant, user.user_id),
        "persona above": Principal("persona", household, user.user_id),
    }
    ground = Ground(owner, shared, hidden, {name: engine.memory_as(one) for name, one in readers.items()})
    stated = [(await owner.facts.write(WrittenFact(text, at=BEGAN), node_id=shared))[0] for text in KNOWN]
    ground.facts = tuple(one.fact_id for one in stated)
    turns = (Turn("Bob", "Ellen Harlan works at Globex with Nora."), Turn("Ann", "She moved to Duluth in 2019."))
    await owner.records.remember(Conversation(uuid4().hex, turns, "Ellen", started_at=BEGAN), node_id=shared)
    return ground


def hidden(change: Hidden) -> Hidden:
    """Enters a kind of change."""
    HIDDEN[change.__name__.replace("_", " ")] = change
    return change


@hidden
async def a_fact_that_replaces(ground: Ground) -> None:
    """What readers know has another value."""
    fact = await ground.say("Ellen lives in Berlin.")
    ground.made |= {"fact": fact.fact_id, "record of the fact": fact.record_id}


@hidden
async def facts_that_deny_or_say_again(ground: Ground) -> None:
    """What readers know is denied, doubted and confirmed."""
    for text in ("Ellen no longer works at Globex.", "Ellen's sister is Ida.", "Ellen drinks tea."):
        await ground.say(text)


@hidden
async def a_fact_of_before(ground: Ground) -> None:
    """What was so before what readers know."""
    await ground.say("Ellen lives in Fargo.", datetime(2018, 2, 1, tzinfo=UTC))


@hidden
async def a_conversation(ground: Ground) -> None:
    """The same, said in a conversation."""
    turns = (Turn("Bob", "Ellen Harlan moved to Lima and works at Initech now."), Turn("Ann", "She drinks no tea."))
    told = Conversation(uuid4().hex, turns, "Ellen", started_at=SAID)
    report = await ground.owner.records.remember(told, node_id=ground.hidden)
    ground.made["record"] = report.records[0].record_id


@hidden
async def a_document_and_its_next_version(ground: Ground) -> None:
    """A document, then one that replaces it."""
    for text in ("Ellen Harlan-Marsh lives in Lyon.", "ELLEN lives in Metz, and Nora is her sister."):
        await ground.owner.records.remember_text("Ellen", text, source_id="a lease", node_id=ground.hidden)


@hidden
async def a_decision_that_both_hold(ground: Ground) -> None:
    """A pair in doubt is decided."""
    ground.made["older"] = (await ground.owner.facts.doubts())[0].older.fact_id
    await ground.owner.facts.decide(ground.made["older"], "both")


@hidden
async def a_correction_of_case(ground: Ground) -> None:
    """The user's name for one whom readers know, of the same letters."""
    await ground.owner.entities.correct(await ground.entity("ellen"), name="ELLEN HARLAN")


@hidden
async def a_retraction(ground: Ground) -> None:
    """The source of a fact that may end one is withdrawn."""
    done = await ground.owner.retractions.retract(RetractionSubject("record", str(ground.made["record of the fact"])))
    ground.made["retraction"] = done.retraction_id


@hidden
async def an_alias(ground: Ground) -> None:
    """One more name, which no record that readers know uses."""
    await ground.owner.entities.add_alias(await ground.entity("ellen"), "name", "Aunt Nell")


@hidden
async def a_merge(ground: Ground) -> None:
    """Somebody at the hidden node is taken as one whom readers know."""
    await ground.say("Odette Brun lives in Oslo.")
    one, other = await ground.entity("ellen"), await ground.entity("odette")
    ground.made["merge"] = (await ground.owner.entities.merge(one, other, "one woman")).merge_id


@hidden
async def a_move(ground: Ground) -> None:
    """A record goes to a node below, which an edge joins with the node that readers know."""
    made = await ground.owner.nodes.provision(NewNode(ground.hidden, "Notes"))
    await ground.owner.records.move(ground.made["record"], ground.hidden, made.node_id)
    await ground.owner.edges.make(made.node_id, ground.shared, "notes on")
    ground.made["node of the record"] = made.node_id


@hidden
async def a_title_and_a_text_that_change(ground: Ground) -> None:
    """New wordings of what was stored."""
    changes = [
        Change("record", ground.made["record"], {"title": "Nora in Lima"}, ground.made["node of the record"]),
        Change("item", ground.made["fact"], {"content": "Ellen lives in Bonn."}, ground.hidden),
    ]
    for one in changes:
        await ground.owner.history.change(one)


@hidden
async def the_undoing_of_a_retraction(ground: Ground) -> None:
    """It comes back."""
    await ground.owner.retractions.undo(ground.made["retraction"])


@hidden
async def a_decision_that_is_taken_back(ground: Ground) -> None:
    """It waits again."""
    await ground.owner.facts.decide(ground.made["older"], None)


@hidden
async def the_undoing_of_a_merge(ground: Ground) -> None:
    """They are two again."""
    await ground.owner.entities.undo_merge(ground.made["merge"])


@hidden
async def a_merge_into_somebody_hidden(ground: Ground) -> None:
    """One whom readers know is taken as somebody at the hidden node."""
    one, other = await ground.entity("odette"), await ground.entity("nora")
    await ground.owner.entities.merge(one, other, "her first name")


@hidden
async def endings_of_states_and_relations(ground: Ground) -> None:
    """What readers know is said to be over, by facts and by a turn."""
    for text in (
        "Ellen is no longer a member of the Rowing Club.",
        "Ellen no longer lives in Duluth.",
        "Ellen cancelled her plan to move to Oslo.",
    ):
        await ground.say(text)
    left = Conversation(uuid4().hex, (Turn("Bob", "Ellen Harlan left the Rowing Club."),), "Club", started_at=SAID)
    await ground.owner.records.remember(left, node_id=ground.hidden)


@hidden
async def an_occasion_an_event_and_turns_one_by_one(ground: Ground) -> None:
    """The other ways in which something is stored."""
    meeting = Occasion("meeting", "Ellen", "Ellen Harlan quit Globex.", SAID, participants=("Ellen", "Nora"))
    await ground.owner.records.remember_occasion(meeting, node_id=ground.hidden)
    await ground.owner.events.write(NewEvent("visit", "Ellen came.", occurred_at=SAID, node_id=ground.hidden))
    turn, stream = StreamedTurn("Bob", "Ellen Harlan lives in Graz now."), uuid4().hex
    await ground.owner.conversations.append(stream, turn, started_at=SAID, node_id=ground.hidden)
    await ground.owner.conversations.end(stream)


@hidden
async def relations_that_are_archived_and_described(ground: Ground) -> None:
    """Decisions on relations that only records at the hidden node state."""
    ellen = await ground.entity("ellen")
    known = {one.relation_id for reader in ground.readers.values() for one in await reader.entities.relations(ellen)}
    own = [one.relation_id for one in await ground.owner.entities.relations(ellen) if one.relation_id not in known]
    ground.made["relation"] = own[0]
    await ground.owner.entities.archive_relation(own[0], "over")
    await ground.owner.entities.describe_relation(own[1], {"since_when": "school"})


@hidden
async def a_name_that_is_verified_and_one_of_hers_that_goes(ground: Ground) -> None:
    """Decisions on names that no record of the readers uses."""
    ellen = await ground.entity("ellen")
    await ground.owner.entities.add_alias(ellen, "email", "ellen@example.org")
    await ground.owner.entities.verify_alias(ellen, "email", "ellen@example.org")
    await ground.owner.entities.remove_alias(ellen, "name", "Aunt Nell")


@hidden
async def a_pair_that_is_told_apart(ground: Ground) -> None:
    """One of two at the hidden node, either of whom a first name may mean."""
    for text in ("We met Dexter Kowalski.", "Dexter Grohl plays tonight.", "Then Dexter came by."):
        await ground.say(text)
    pair, *_ = await ground.owner.entities.review()
    await ground.owner.entities.tell_apart(pair.pair_id)


@hidden
async def a_grant_of_the_hidden_node_and_its_end(ground: Ground) -> None:
    """Another one may read it for a while."""
    persona = await ground.owner.nodes.provision(NewNode(ground.owner.principal.user_id, "Doctor", "persona"))
    given = await ground.owner.grants.give(NewGrant(ground.hidden, "persona", persona.node_id))
    await ground.owner.grants.revoke(given.grant_id)


@hidden
async def a_node_that_is_archived_and_a_file_that_sleeps(ground: Ground) -> None:
    """What is at the hidden node is set aside."""
    node = ground.made["node of the record"]
    (record,) = (await ground.owner.nodes.metadata(node)).records
    assert record.file_id
    await ground.owner.files.sleep(node, record.file_id)
    await ground.owner.nodes.archive(node)


@hidden
async def a_relation_that_is_restored_and_a_node_that_is_back(ground: Ground) -> None:
    """Both come back."""
    await ground.owner.entities.restore_relation(ground.made["relation"], "again")
    await ground.owner.nodes.unarchive(ground.made["node of the record"])


@hidden
async def a_correction(ground: Ground) -> None:
    """The user's name and kind for one whom readers know."""
    await ground.owner.entities.correct(await ground.entity("ellen"), name="Helen of Duluth", kind="organization")


@hidden
async def an_end(ground: Ground) -> None:
    """A fact is ended by hand."""
    fact, node = ground.made["fact"], ground.hidden
    await ground.owner.history.change(Change("item", fact, {"ended": True}, node))


@hidden
async def a_deletion(ground: Ground) -> None:
    """A record is ended, as a deletion does."""
    record, node = ground.made["record"], ground.made["node of the record"]
    await ground.owner.history.change(Change("record", record, {"ended": True}, node))
