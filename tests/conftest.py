"""The real stores, started once a session; every test works in users of its own.

`pytest --ledger` prints the table of capabilities with the tests that prove each.
"""

from __future__ import annotations

import gc
import os
import re
import signal
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from _pytest import fixtures
from hypothesis import settings as hypothesis_settings

from engine.domain.node import NewNode, User
from engine.errors import StoreUnavailable
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from engine.wiring.warming import warm_patiently
from tests.clean_environment import CACHE, JAVA
from tests.library import TEXT, Library, MovedClock
from tests.model_server import ModelServer, model_server
from tests.reader import ANSWER, reader
from tests.session_stores import empty, sync_nothing

os.environ.update(JAVA)
gc.disable()  # until all is imported and collected: see below
# The first examples load what they need, and a busy machine is slow.
hypothesis_settings.register_profile("untimed", deadline=None)
hypothesis_settings.load_profile("untimed")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # inherited from a shell, where it runs tests in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)

SETUP_PAUSES = (0, 2, 5, 10)
"""Seconds after each attempt to set up a fixture whose store did not answer."""
LEDGER = Path(__file__).resolve().parents[1] / "docs" / "ledger.md"


ORDER = (
    "test_crashes",
    "test_stores_hang",
    "test_lost_definitions",
    "test_warming",
    "test_embedding_versions",
    "test_restored_stores",
    "test_plans",
    "test_shell_home",
    "test_shell.py",
    "test_stack",
    "test_rest_openapi",
    "test_leaks_policies",
    "test_leaks_graph",
    "tests/access/test_leaks",
    "test_oracles",
    "test_withdrawn_reads",
    "tests/access/",
    "test_ingest_faults",
    "test_stores_stopped",
    "tests/faults/",
    "tests/embedded/",
    "tests/analysis/",
    "tests/communities/",
    "tests/derive/",
    "tests/entities/",
    "tests/evaluation/",
    "tests/facts/",
    "tests/forgetting/",
    "tests/hierarchy/",
    "tests/history/",
    "tests/ingest/",
    "tests/lifecycle/",
    "tests/relations/",
    "tests/retrieval/",
    "tests/shell/",
    "tests/stores/",
    "tests/contract/",
    "",
)
"""First what makes the session's Neo4j lose its plans of statements: a restart, a change of its indexes, emptied caches; after each of them it
plans anew what others had it plan. Then what takes longest, so that all processes end together; what empties the stores
stands before those that share a forest."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ledger", action="store_true", help="print which tests prove which capability")
    parser.addoption("--long", action="store_true", help="all tests, in their long forms (`make soak`)")


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    if not session.config.getoption("--long"):
        session.config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("long")])
        items[:] = [item for item in items if not item.get_closest_marker("long")]
    items.sort(key=lambda item: next(n for n, part in enumerate(ORDER) if part in item.nodeid))
    session.config.stash[_PROOFS] = proofs = {}
    for item in items:
        for mark in item.iter_markers("ledger"):
            for row in mark.args:
                proofs.setdefault(row, []).append(item.nodeid)


def pytest_collection_finish() -> None:
    """What was imported and collected stays to the end: it is not looked at again each time that memory is cleaned up."""
    gc.freeze()
    gc.enable()


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):  # one of several processes: all have collected the same
        session.config.workeroutput["proofs"] = session.config.stash.get(_PROOFS, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    if proofs := getattr(node, "workeroutput", {}).get("proofs"):
        node.config.stash[_PROOFS] = proofs


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailuresAtOnce(config))
        config.pluginmanager.register(Ends())


class FailuresAtOnce:
    """Names a failed test when it fails: a run that is stopped has no summary."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        terminal = self._config.pluginmanager.get_plugin("terminalreporter")
        if report.failed and terminal:
            last = report.longreprtext.rstrip().rpartition("\n")[2]
            terminal.ensure_newline()
            terminal.write_line(f"FAILED {report.nodeid} in its {report.when}: {last[:300]}")


class Ends:
    """Says how long the last process worked alone: a long file that it ended with belongs further up in `ORDER`."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[float, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if node := getattr(report, "node", None):
            self._last[node.gateway.id] = (time.monotonic(), report.nodeid)

    def pytest_terminal_summary(self, terminalreporter) -> None:
        if len(self._last) > 1:
            (first, _), *_, (last, test) = sorted(self._last.values())
            terminalreporter.write_line(
                f"The last process ended {last - first:.0f} s after the first one, with {test}."
            )


_PROOFS = pytest.StashKey[dict[str, list[str]]]()


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    if not config.getoption("--ledger"):
        return
    proofs = config.stash.get(_PROOFS, {})
    failed = {report.nodeid for kind in ("failed", "error") for report in terminalreporter.stats.get(kind, ())}
    table = re.compile(r"^\| ([A-Z]\d\d) \| (.+?) \| (done|partly|not)\b.* \|$", re.MULTILINE)
    rows = table.findall(LEDGER.read_text(encoding="utf-8"))
    unknown = sorted(proofs.keys() - {row for row, *_ in rows})
    terminalreporter.section("ledger")
    for row, capability, state in rows:
        tests = proofs.get(row, [])
        proof = "FAILED" if failed & set(tests) else f"{len(tests)} tests" if tests else "-"
        terminalreporter.write_line(f"{row}  {state:6} {proof:9} {capability[:100]}")
    for row in unknown:
        terminalreporter.write_line(f"{row}  marked by a test, but not in docs/ledger.md", red=True)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Any:
    """Sets a fixture up again where a store did not answer in time, as on a machine that is busy: what a test itself asks is not
    repeated."""
    for pause in SETUP_PAUSES:
        try:
            return (yield) if pause == 0 else fixtures.pytest_fixture_setup(fixturedef, request)
        except StoreUnavailable:
            time.sleep(pause)
    return fixtures.pytest_fixture_setup(fixturedef, request)


@pytest.fixture(scope="session")
def long(pytestconfig: pytest.Config) -> bool:
    """Whether the long forms are asked for."""
    return pytestconfig.getoption("--long")


@pytest.fixture(scope="session")
def cache() -> Path:
    """Fetched jars and encoders, shared by all homes of this machine."""
    return CACHE


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Settings:
    """A home of this session's own; nothing of the person's environment.

    While one works on a test, `NEURIGRAPH_TEST_HOME` may name a home whose servers run: then nothing is started for each run.
    """
    kept = os.environ.get("NEURIGRAPH_TEST_HOME")
    home = Path(kept) if kept else tmp_path_factory.mktemp("home")
    given = {
        "workspace": "tests",
        "openai_api_key": None,
        "local_accounts": "any",
    }  # clients in this process have no account
    return Settings(_env_file=None, home=home, cache=cache, **given)


@pytest.fixture(scope="session")
async def engine(settings: Settings) -> AsyncIterator[Engine]:
    """The engine on the embedded servers, started once."""
    async with open_engine(settings, warming=False) as opened:
        with suppress(StoreUnavailable):  # a server that has just started plans for longer than some tests wait
            await warm_patiently(opened)
        await sync_nothing(opened)
        yield opened


@pytest.fixture(scope="module")
async def few_nodes(engine: Engine) -> None:
    """What other modules left is gone: for tests whose doctor or sweep looks at all users."""
    await empty(engine)


@pytest.fixture
async def user(engine: Engine) -> User:
    """A user whom no other test knows."""
    return await engine.workspace.users.create(f"u{uuid4().hex[:12]}", "Bob Harlan")


@pytest.fixture
def memory(engine: Engine, user: User) -> Memory:
    """The memory of that user."""
    return engine.memory(user.user_id)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """Answers everything with `ANSWER`, until it is told otherwise."""
    with model_server(lambda _: ANSWER) as running:
        yield running


@pytest.fixture
async def reads(engine: Engine, settings: Settings, server: ModelServer) -> AsyncIterator[Engine]:
    """An engine with that model, on the same stores."""
    async with reader(settings, server) as opened:
        yield opened


@pytest.fixture
async def clocked(settings: Settings) -> AsyncIterator[tuple[Engine, MovedClock]]:
    """An engine on the same stores with a clock of the test's own; every file of other tests sleeps."""
    clock = MovedClock(datetime.now(UTC) + timedelta(days=400))
    times = {"recompress_after_minutes": 10.0, "dormant_after_days": 30.0, "rehydrate_lease_s": 15.0}
    async with open_engine(settings.model_copy(update=times), clock=clock, warming=False) as opened:
        await opened.dormancy.run()
        clock.move(days=-400)
        yield opened, clock


@pytest.fixture
async def library(clocked: tuple[Engine, MovedClock]) -> Library:
    engine, clock = clocked
    user = await engine.workspace.users.create(f"f{uuid4().hex[:12]}", "Bob")
    memory = engine.memory(user.user_id)
    node = await memory.nodes.provision(NewNode(user.user_id, "Fishing"))
    report = await memory.records.remember_text("Dusk", TEXT, node_id=node.node_id)
    return Library(engine, clock, memory, node.node_id, report.records[0].file_id)
