"""What is derived later: one declaration each, made node by node, told by the doctor; on the real stores."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from uuid import UUID

import pytest

from engine.commit.rows import due
from engine.commit.rows.due import DueNode
from engine.derive.catalogue import CATALOGUE
from engine.derive.derivations import ByNode, Derivation, Derivations, Made, raised
from engine.domain.delta import Change
from engine.domain.node import NewNode, User
from engine.errors import InvalidInput, ProviderUnavailable
from engine.memory import Memory
from engine.neurigraph import Engine

pytestmark = pytest.mark.usefixtures("few_nodes", "unknown")  # the doctor looks at all users
PAGES = 3
KILLED = {1: "proof-killed-between", PAGES: "proof-killed-before-the-end"}
OF_TESTS = (
    "DELETE FROM engine.due WHERE derivation LIKE 'proof-%'",
    "DELETE FROM engine.derivations WHERE name LIKE 'proof-%'",
)
LATE = "UPDATE engine.due SET since = since - interval '5 hours', reason = 'The node was in use.' WHERE derivation = 'stems'"


class Pages:
    """Makes something of every node in three pages; `spoilt` is called before each."""

    def __init__(self, engine: Engine, spoilt: Callable[[DueNode, int], None] = lambda node, page: None) -> None:
        self.engine, self.spoilt, self.made = engine, spoilt, list[tuple[UUID, int]]()

    async def page(self, node: DueNode) -> Made:
        page = node.after.int
        self.spoilt(node, page)
        if page == PAGES:
            return Made({})
        async with self.engine.postgres.as_service() as connection:
            await due.advance(connection, node, UUID(int=page + 1))
        self.made.append((node.node_id, page))
        return Made({"pages": 1}, UUID(int=page + 1))


def declared(
    pages: Pages, name: str = "proof", version: int = 1, late: float = 3600, needs: tuple[str, ...] = ()
) -> Derivation:
    return Derivation(name, "proofs of this test", ByNode(lambda _: pages), "prove", "* * * * *", version, late, needs)


@pytest.fixture
async def unknown(engine: Engine) -> AsyncIterator[None]:
    """The derivations of these tests are unknown before and after each."""
    await forgotten(engine)
    yield
    await forgotten(engine)


async def forgotten(engine: Engine) -> None:
    async with engine.postgres.as_service() as connection:
        for statement in OF_TESTS:
            await connection.execute(statement)


@pytest.fixture
async def nodes(engine: Engine, memory: Memory, user: User) -> list[UUID]:
    await engine.derivations.of_job("node-upgrade")  # of what other tests left
    made = [await memory.nodes.provision(NewNode(user.user_id, name)) for name in ("Oar", "Rope", "Sail")]
    return [one.node_id for one in made]


async def started(engine: Engine, *declarations: Derivation) -> Derivations:
    """As a start with these declarations leaves it."""
    await raised(engine.postgres, declarations)
    return Derivations(declarations, engine.derivations.means)


async def test_a_new_derivation_and_a_higher_version_are_noted_once_for_all_nodes(
    engine: Engine, nodes: list[UUID]
) -> None:
    for version in (1, 2):
        pages = Pages(engine)
        proofs = await started(engine, declared(pages, "proof-risen", version))
        await started(engine, declared(pages, "proof-risen", 1))  # an older process changes nothing
        report = await proofs.run("proof-risen")
        assert report["waiting"] == 0 and report["pages"] == PAGES * report["settled"]
        assert [page for node, page in pages.made if node == nodes[0]] == [0, 1, 2]
        await started(engine, declared(pages, "proof-risen", version))
        assert await proofs.waiting("proof-risen") == 0, "the same version is not noted again"


async def test_a_run_that_is_ended_between_two_pages_or_before_it_strikes_off_goes_on_there(
    engine: Engine, nodes: list[UUID]
) -> None:
    for end in (1, PAGES):
        killed = Pages(engine, lambda node, page: ended(node, page, nodes[0], end))  # noqa: B023 (called in this turn)
        proofs = await started(engine, declared(killed, KILLED[end]))
        with pytest.raises(KeyboardInterrupt):
            await proofs.run(KILLED[end])
        whole = Pages(engine)
        again = await started(engine, declared(whole, KILLED[end]))
        assert (await again.run(KILLED[end]))["waiting"] == 0
        made = [page for node, page in (*killed.made, *whole.made) if node == nodes[0]]
        assert made == [0, 1, 2], "each page once"


def ended(node: DueNode, page: int, at: UUID, end: int) -> None:
    if (node.node_id, page) == (at, end):
        raise KeyboardInterrupt


async def test_a_node_that_fails_keeps_its_reason_and_stops_no_other(engine: Engine, nodes: list[UUID]) -> None:
    def fails(node: DueNode, page: int) -> None:
        if node.node_id == nodes[1]:
            raise InvalidInput("The rope is wet.")

    proofs = await started(engine, declared(Pages(engine, fails), "proof-wet"))
    report = await proofs.run("proof-wet")
    assert (report["failed"], report["waiting"]) == (1, 1) and report["settled"] >= 2
    [left] = [one for one in await due.waiting(engine.postgres) if one.derivation == "proof-wet"]
    assert (left.reason, left.version, left.records) == ("The rope is wet.", 1, False)


async def test_a_silent_service_stops_its_derivation_and_not_the_others_of_the_job(
    engine: Engine, nodes: list[UUID]
) -> None:
    def silent(node: DueNode, page: int) -> None:
        raise ProviderUnavailable("The model is away.")

    well = Pages(engine)
    both = declared(Pages(engine, silent), "proof-silent"), declared(well, "proof-well")
    proofs = await started(engine, *both)
    with pytest.raises(ProviderUnavailable):
        await proofs.of_job("prove")
    assert await proofs.waiting("proof-well") == 0 and {node for node, _ in well.made} >= {*nodes}
    assert await proofs.waiting("proof-silent") >= len(nodes)


async def test_the_report_of_a_job_says_for_each_derivation_what_it_made(engine: Engine, nodes: list[UUID]) -> None:
    first, second = declared(Pages(engine), "proof-first"), declared(Pages(engine), "proof-second")
    proofs = await started(engine, first)
    await proofs.run("proof-first")
    report = await (await started(engine, first, second)).of_job("prove")
    assert report["proof-second_pages"] == PAGES * report["proof-second_settled"] > 0
    assert report == {name: count for name, count in report.items() if "second" in name} | {"proof-first_waiting": 0}


async def test_what_is_noted_while_it_is_made_is_made_again(engine: Engine, nodes: list[UUID]) -> None:
    pages = Pages(engine)
    proofs = await started(engine, declared(pages, "proof-noted"))
    await proofs.run("proof-noted")
    async with engine.postgres.as_service() as connection:
        await due.note(connection, "proof-noted", nodes[:1])
    [node] = [one async for one in due.due_nodes(engine.postgres, "proof-noted")]
    async with engine.postgres.as_service() as connection:
        await due.note(connection, "proof-noted", nodes[:1])
        assert await due.settle(connection, node) == 0
    assert await proofs.waiting("proof-noted") == 1
    await proofs.run("proof-noted")
    assert await proofs.waiting("proof-noted") == 0


async def test_what_a_derivation_needs_notes_the_nodes_at_which_it_changed(
    engine: Engine, memory: Memory, nodes: list[UUID]
) -> None:
    other, needing = Pages(engine), Pages(engine)
    needs = declared(needing, "proof-needing", needs=("content", "proof-other"))
    proofs = await started(engine, declared(other, "proof-other"), needs)

    async def made() -> set[UUID]:
        needing.made.clear()
        assert (await proofs.run("proof-needing"))["waiting"] == 0
        return {node for node, _ in needing.made}

    assert await made() >= {*nodes}, "all, by its first start"
    await proofs.run("proof-other")
    assert await made() >= {*nodes}, "what the other one made"
    assert await made() == set()
    report = await memory.records.remember_text("Oar", "The oar is broken.", node_id=nodes[0])
    assert await made() == {nodes[0]}
    record = report.records[0].record_id
    await memory.records.move(record, nodes[0], nodes[1])
    assert await made() == {*nodes[:2]}
    await memory.history.change(Change("record", record, {"ended": True}, nodes[1]))
    assert await made() == {nodes[1]}
    assert await made() == set()


async def test_a_run_does_not_strike_off_what_was_noted_anew_after_another_run_struck_it_off(
    engine: Engine, nodes: list[UUID]
) -> None:
    async def other(node: DueNode) -> None:
        if node.node_id == nodes[0]:
            async with engine.postgres.as_service() as connection:
                assert await due.settle(connection, node) == 1, "by another run"
                await due.note(connection, "proof-raced", nodes[:1])

    class Raced(Pages):
        async def page(self, node: DueNode) -> Made:
            if node.after.int == PAGES:
                await other(node)
            return await super().page(node)

    pages = Raced(engine)
    proofs = await started(engine, declared(pages, "proof-raced"))
    assert (await proofs.run("proof-raced"))["waiting"] == 1
    [left] = [one async for one in due.due_nodes(engine.postgres, "proof-raced")]
    assert (left.node_id, left.after) == (nodes[0], due.ALL), "all of the node is made again"


async def test_the_doctor_says_what_is_late_since_when_at_which_version_and_why(
    engine: Engine, nodes: list[UUID]
) -> None:
    async with engine.postgres.as_service() as connection:
        await due.note(connection, "stems", nodes[:1])
    assert not [one for one in await engine.doctor.examine() if "stems" in one.problem], "it is not late yet"
    async with engine.postgres.as_service() as connection:
        await connection.execute(LATE)
    [finding] = [one for one in await engine.doctor.examine() if "stems" in one.problem]
    assert (
        "stems of older items: due since" in finding.problem and "version 1 (The node was in use.)" in finding.problem
    )
    assert finding.subject == "1 node" and "the job node-upgrade" in finding.remedy
    await engine.derivations.of_job("node-upgrade")
    assert not [one for one in await engine.doctor.examine() if "stems" in one.problem]


def test_every_derivation_has_a_job_of_the_list_and_those_of_one_job_have_one_schedule() -> None:
    schedules = {(one.job, one.schedule) for one in CATALOGUE}
    assert len(schedules) == len({job for job, _ in schedules})
    assert len({one.name for one in CATALOGUE}) == len(CATALOGUE)
