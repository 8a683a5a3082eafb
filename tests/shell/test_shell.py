"""The real command, in a process of its own, on the session's stores; in a home of its own see test_shell_home.py."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from engine.demo.script import HISTORY, questions
from engine.settings import Settings
from tests.clean_environment import CLEAN
from tests.commands import PATIENCE, Run, command_line, commands_on, sentence, started
from tests.model_server import model_server


@pytest.fixture(scope="module")
def command(few_nodes: None, settings: Settings, cache: Path) -> list[str]:
    return command_line(settings.home, cache)


@pytest.fixture(scope="module")
def run(few_nodes: None, settings: Settings, tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Run:
    """In the workspace that commands take by default, which no other test uses."""
    return commands_on(settings.home, cache, tmp_path_factory.mktemp("elsewhere"))


NOWHERE = {
    "NEURIGRAPH_NEO4J_URL": "bolt://127.0.0.1:1",
    "NEURIGRAPH_NEO4J_PASSWORD": "x",
    "NEURIGRAPH_POSTGRES_URL": "postgresql://x:x@127.0.0.1:1/x",
    "NEURIGRAPH_CONNECT_TIMEOUT_S": "2",
}


@pytest.fixture(scope="module")
def unanswered(run: Run) -> Iterator[Future[subprocess.CompletedProcess[str]]]:
    """A question to stores that do not answer: it waits for them while the demo runs."""
    with ThreadPoolExecutor() as beside:
        yield beside.submit(run, "ask", "x", **NOWHERE)


@pytest.fixture(scope="module")
def demo(run: Run, unanswered: object) -> subprocess.CompletedProcess[str]:
    return run("demo")


@pytest.mark.ledger("U05", "U07", "N24", "N25")
def test_demo_shows_the_whole_path_and_checks_itself(demo: subprocess.CompletedProcess[str]) -> None:
    assert demo.returncode == 0, (demo.stdout[-2000:], demo.stderr)
    for question in questions():
        assert question.ask in demo.stdout
    assert demo.stdout.count("Took ") == 5
    assert demo.stdout.count("Opened ") == 1 and "workshop-lease.md" in demo.stdout and "150 days" in demo.stdout
    assert "✗" not in demo.stdout and "22 of 22 expectations were met." in demo.stdout
    assert (
        "Dave Kowalski is married to Ellen, since 2003" in demo.stdout and "Undone, they are two again." in demo.stdout
    )
    assert "\x1b" not in demo.stdout + demo.stderr  # no colours outside a terminal
    assert "Remember" in demo.stderr and "264 turns" in demo.stderr


@pytest.mark.ledger("U05", "U07")
@pytest.mark.usefixtures("demo")
def test_demo_waits_for_a_graph_that_does_not_answer_and_counts_what_it_stored_before(
    command: list[str], run: Run, tmp_path: Path
) -> None:
    servers = json.loads(run("status", "--json").stdout)["servers"]
    graph = next(server["pid"] for server in servers if server["name"] == "neo4j")
    os.kill(graph, signal.SIGSTOP)
    try:
        again = subprocess.Popen(
            [*command, "demo"],
            cwd=tmp_path,
            env=CLEAN | {"NEURIGRAPH_STATEMENT_TIMEOUT_S": "8"},
            stdout=(tmp_path / "out").open("w"),
            stderr=subprocess.PIPE,
            text=True,
        )
        assert again.stderr is not None
        told = again.stderr.readline()
    finally:
        os.kill(graph, signal.SIGCONT)
    told += again.communicate(timeout=PATIENCE)[1]
    shown = (tmp_path / "out").read_text(encoding="utf-8")
    assert again.returncode == 0, (shown[-2000:], told)
    assert told.startswith("Waiting for the stores, ") and "graph store" in told
    assert "22 of 22 expectations were met." in shown and "everything is stored" in shown
    history = json.loads(HISTORY.read_text(encoding="utf-8"))
    sources = len(history["conversations"]) + len(history["files"])
    assert f"In all 264 turns and {len(history['files'])} files; {sources} of {sources} sources" in shown
    assert f"{sources} sources stored before" in told


@pytest.mark.ledger("U05", "U06")
@pytest.mark.usefixtures("demo")
def test_the_same_history_twice_is_skipped_and_says_so(run: Run) -> None:
    again = run("ingest", str(HISTORY))
    assert again.returncode == 0 and "everything is stored; nothing was left to store" in again.stdout
    [entry] = json.loads(run("ingest", str(HISTORY), "--json").stdout)["histories"]
    report = entry["report"]
    assert (entry["user"], report["turns"], report["records"], report["nodes_created"]) == ("bob", 0, [], 0)
    assert {skip["reason"] for skip in report["skipped"]} == {"Stored already."}


@pytest.mark.ledger("F14", "U05")
@pytest.mark.usefixtures("demo")
def test_ask_as_text_and_as_json(run: Run, tmp_path: Path) -> None:
    text = run("ask", "When did Mom move into Cedar Court?", "--limit", "3")
    assert text.returncode == 0
    assert all(word in text.stdout for word in ("Family > Parents", "May 17", "why:", "total", "alias"))
    answer = json.loads(run("ask", questions()[4].ask, "--user", "bob", "--open", "--json").stdout)
    assert answer["hits"] and answer["anchors"] and answer["timings_ms"]["total"] > 0
    opened = answer["opened"]
    assert opened["file"]["name"] == "workshop-lease.md" and "150 days" in opened["passage"]["text"]
    assert opened["file"]["size_bytes"] == (HISTORY.parent / "files" / "workshop-lease.md").stat().st_size


@pytest.mark.ledger("N32", "U05", "U06")
@pytest.mark.usefixtures("demo")
def test_provision_and_a_second_user(run: Run, tmp_path: Path) -> None:
    first = json.loads(run("provision", "ann", "Garden", "Roses", "--keywords", "rose, thorn", "--json").stdout)
    assert (first["created"], first["layer"], first["path"][1:]) == (True, 2, ["Garden", "Roses"])
    again = run("provision", "ann", "Garden", "Roses")
    assert again.returncode == 0 and "was there already" in again.stdout and first["node_id"] in again.stdout
    note = tmp_path / "roses.md"
    note.write_text("# Roses\n\nThe rose by the gate is called Gertrude.\n", encoding="utf-8")
    assert run("ingest", str(note), "--user", "ann").returncode == 0
    found = run("ask", "What is the rose called?", "--user", "ann", "--open")
    assert "Gertrude" in found.stdout and "roses.md" in found.stdout
    assert "--user (ann, bob)" in sentence(run("ask", "Who?"))
    assert sentence(run("ask", "Who?", "--user", "nobody")) == "There is no user nobody in the workspace default."
    assert "layer 5" in sentence(run("provision", "ann", *"abcdef"))


@pytest.mark.ledger("A01", "U05")
@pytest.mark.usefixtures("demo")
def test_doctor_and_init_on_a_healthy_home(run: Run) -> None:
    result = run("doctor", "--json")
    assert (result.returncode, json.loads(result.stdout)) == (0, {"healthy": True, "findings": [], "mended": []})
    assert "ready" in run("init").stdout


@pytest.mark.ledger("U05")
@pytest.mark.usefixtures("demo")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_the_worker_ends_when_it_is_told_to(command: list[str], number: signal.Signals, code: int) -> None:
    process = started(command, "worker")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Working")
    time.sleep(1)
    process.send_signal(number)
    _, complaint = process.communicate(timeout=30)
    assert process.returncode == code and "Traceback" not in complaint, complaint


@pytest.mark.ledger("U08", "U05")
@pytest.mark.usefixtures("demo")
def test_a_worker_serves_its_metrics_on_this_machine(run: Run, command: list[str]) -> None:
    process = started(command, "worker", "--metrics-port", "0")
    try:
        assert process.stdout is not None and process.stdout.readline().startswith("Working")
        address = process.stdout.readline().removeprefix("Metrics at ").strip()
        assert address.startswith("http://127.0.0.1:")
        in_use = sentence(run("worker", "--metrics-port", str(httpx.URL(address).port)))
        assert in_use.startswith("Cannot listen on 127.0.0.1 port ") and in_use.endswith("Address already in use.")
        deadline = time.monotonic() + 60
        while 'pipeline="job"' not in (metrics := httpx.get(address, timeout=30).text):
            assert time.monotonic() < deadline, metrics
            time.sleep(1)  # the worker runs recovery every few seconds
        assert "process_cpu_seconds_total" in metrics and "neurigraph_file_reads_total" in metrics
    finally:
        process.send_signal(signal.SIGTERM)
        _, complaint = process.communicate(timeout=60)
    assert process.returncode == 0 and "Traceback" not in complaint, complaint
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)


@pytest.mark.usefixtures("demo")
@pytest.mark.ledger("N34", "U05")
def test_a_job_is_run_by_hand_and_logged(run: Run) -> None:
    before = run("job", "log").stdout.count("drift-check")
    result = run("job", "run", "drift-check")
    assert (result.returncode, result.stdout) == (0, "errors 0, warnings 0, details 0\n"), result.stderr
    listed = {job["name"]: job for job in json.loads(run("job", "list", "--json").stdout)}
    assert listed["drift-check"]["last"]["report"] == {"errors": 0, "warnings": 0, "details": []}
    assert listed["drift-check"]["runs"] >= 1 and listed["orphan-sweep"]["next_due"]
    assert "drift-check" in run("job", "list").stdout
    assert "drift-check" in run("job", "log", "--quiet").stdout
    assert run("job", "log").stdout.count("drift-check") == before  # it found nothing
    unknown = sentence(run("job", "run", "nonsense"))
    assert unknown == f"There is no such job. There are: {', '.join(sorted(listed))}."


def test_bad_files_are_told_in_one_sentence_and_start_nothing(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"format": "neurigraph-history/1",\n "user": {"handle": bob}}', encoding="utf-8")
    started = time.monotonic()
    assert "The path is empty" in run("ingest", "").stderr
    assert "missing.json was not found" in sentence(run("ingest", str(tmp_path / "missing.json")))
    assert "(line 2, column " in sentence(run("ingest", str(broken)))
    picture = tmp_path / "picture.png"
    picture.write_bytes(b"\x89PNG\r\n")
    assert "picture.png is not read" in sentence(run("ingest", str(picture), "--user", "bob"))
    assert time.monotonic() - started < 20


def test_bad_usage_is_exit_code_2(run: Run) -> None:
    for arguments in (
        ("nonsense",),
        ("ask",),
        ("ask", "x", "--limit", "0"),
        ("bench", "x"),
        ("up", "--no-such"),
    ):
        result = run(*arguments)
        assert result.returncode == 2 and "Traceback" not in result.stderr, arguments


def test_bad_settings_are_told_in_one_sentence(run: Run, unanswered: Future[subprocess.CompletedProcess[str]]) -> None:
    assert "NEURIGRAPH_PORT" in sentence(run("status", NEURIGRAPH_PORT="many"))
    one_price = sentence(run("status", NEURIGRAPH_LANGUAGE_MODEL_PRICES="1"))
    assert one_price.startswith("The setting NEURIGRAPH_LANGUAGE_MODEL_PRICES is invalid: Two prices"), one_price
    assert "NEURIGRAPH_POSTGRES_URL" in sentence(run("ask", "x", NEURIGRAPH_NEO4J_URL="bolt://127.0.0.1:1"))
    assert "does not answer" in sentence(unanswered.result())
    assert "managed servers" in sentence(run("up", **NOWHERE))


@pytest.mark.ledger("N29", "N30", "U05")
def test_a_grant_is_given_seen_and_ended(run: Run) -> None:
    assert run("provision", "grace", "Health").returncode == 0
    assert run("integration", "create", "calendar").returncode == 0
    given = run("grant", "give", "Health", "--user", "grace", "--integration", "calendar", "--expires", "30d", "--json")
    grant = json.loads(given.stdout)["grant_id"]
    viewers = json.loads(run("access", "who", "Health", "--user", "grace", "--json").stdout)["viewers"]
    assert [(viewer["subject_name"], viewer["reason"]) for viewer in viewers] == [
        ("grace", "owner"),
        ("calendar", "grant"),
    ]
    assert grant in run("grant", "list", "--user", "grace").stdout
    assert "ended" in run("grant", "revoke", grant, "--user", "grace").stdout
    listed = run("grant", "list", "--user", "grace").stdout
    assert listed.splitlines() == ["Nothing is granted.", "1 ended, not shown: --ended"]
    assert "revoked" in run("access", "log", "--user", "grace").stdout
    refused = run("grant", "give", "Health", "--user", "grace", "--integration", "calendar", "--mode", "read_write")
    assert refused.returncode == 1 and "never to write" in sentence(refused)
    preview = run("grant", "preview", "Health", "--user", "grace").stdout
    again = run("grant", "give", "Health", "--user", "grace", "--integration", "calendar")
    assert "it opens" in preview and again.stdout.startswith(preview) and "given." in again.stdout, again.stderr


@pytest.mark.ledger("N19", "N20", "U05")
@pytest.mark.usefixtures("demo")
def test_a_file_is_woken_and_put_to_sleep(run: Run, tmp_path: Path) -> None:
    note = tmp_path / "pike.md"
    note.write_text("# Pike\n\nThe pike hides in the reeds.\n", encoding="utf-8")
    assert run("provision", "hal", "Lake", "--keywords", "pike, reeds").returncode == 0
    assert run("ingest", str(note), "--user", "hal").returncode == 0
    [file] = json.loads(run("file", "state", "Lake", "--user", "hal", "--json").stdout)["files"]
    assert (file["file_name"], file["compression_state"]) == ("pike.md", "dormant")
    woken = run("file", "wake", "Lake", "pike.md", "--user", "hal")
    assert woken.returncode == 0 and "active, woken by hand." in woken.stdout
    swept = run("sweep", "--json")
    assert json.loads(swept.stdout)["dormancy"]["unused"] == 0
    state = json.loads(run("file", "state", "Lake", file["file_id"], "--user", "hal", "--json").stdout)
    assert (state["state"], state["by_hand"]) == ("active", True)
    assert "dormant." in run("file", "sleep", "Lake", "pike.md", "--user", "hal").stdout
    log = json.loads(run("file", "log", "--user", "hal", "--json").stdout)["entries"]
    assert [line["to_state"] for line in log] == ["dormant", "active", "rehydrating"]
    assert run("file", "log", "--user", "hal", "--to-review").stdout.strip() == "Nothing to review."
    assert "no file called trout.md" in sentence(run("file", "wake", "Lake", "trout.md", "--user", "hal"))
    assert run("file", "review", str(log[0]["entry_id"]), "--user", "hal").returncode == 1


@pytest.mark.ledger("L05")
@pytest.mark.usefixtures("demo")
def test_a_thread_is_taken_in_and_asked_within(run: Run, tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("The zander of the thread.", encoding="utf-8")
    note = str(tmp_path / "note.md")
    result = run("ingest", note, "--user", "thea", "--scope", "thread:t 1", "--source", "manual")
    assert result.returncode == 0, result.stderr
    ask = ("ask", "zander", "--user", "thea", "--json")
    assert json.loads(run(*ask).stdout)["hits"] == []
    [hit] = json.loads(run(*ask, "--scope", "workflow:w", "--scope", "thread:t 1", "--source", "manual").stdout)["hits"]
    assert (hit["scope"], hit["scope_id"], hit["source"]) == ("thread", "t 1", "manual")
    wrong = run("ingest", note, "--user", "thea", "--scope", "thread")
    assert wrong.returncode == 2 and "--scope" in wrong.stderr


@pytest.mark.ledger("N07")
def test_where_records_lie_is_listed_and_corrected(run: Run, tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("The hives stand well.", encoding="utf-8")
    assert run("ingest", str(tmp_path / "note.txt"), "--user", "beekeeper").returncode == 0
    assert run("provision", "beekeeper", "Bees").returncode == 0
    listed = run("assignments", "--user", "beekeeper", "--json")
    [line] = json.loads(listed.stdout)["assignments"]
    assert line["decided_by"] == "engine" and line["confidence"] < 0.5  # that there is no other node says little
    doubted = run("assignments", "--user", "beekeeper", "--below", "0.5", "--json")
    assert json.loads(doubted.stdout)["assignments"] == [line]
    moved = run("move-record", line["record_id"], "Bees", "--user", "beekeeper", "--reason", "about bees")
    assert (moved.returncode, moved.stdout) == (0, "Moved: revision 2.\n")
    table = run("assignments", "--user", "beekeeper", "--node", "Bees", "--by", "hand").stdout
    assert "about bees" in table and "(root)" in table
    assert "No such decision" in run("assignments", "--user", "beekeeper", "--below", "0.5").stdout
    assert run("assignments", "--by", "nobody").returncode == 2
    assert run("move-record", "nonsense", "Bees", "--user", "beekeeper").returncode == 1
    astray = run("move-record", line["record_id"], "Bees", "--from", line["node_id"], "--user", "beekeeper")
    assert astray.returncode == 1 and "Traceback" not in astray.stderr  # it lies there no longer
    assert run("provision", "beekeeper", "Garden").returncode == 0
    again = run("move-record", line["record_id"], "Garden", "--from", "Bees", "--user", "beekeeper")
    assert (again.returncode, again.stdout) == (0, "Moved: revision 3.\n")


@pytest.mark.ledger("X08")
def test_a_write_says_what_its_limits_left_out(run: Run, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The heron nests at the bay.")
    with model_server() as server:
        model = {"NEURIGRAPH_LANGUAGE_MODEL": "openai:small", "OPENAI_BASE_URL": server.openai}
        result = run("ingest", str(note), "--user", "limited", "--model-calls", "0", **model)
        assert server.requests == []
    assert result.returncode == 0, result.stderr
    assert "later, by a job: readings of 1 item. This operation may call models 0 times." in result.stdout


def test_statements_are_printed_as_they_are_sent(run: Run) -> None:
    listed = run("cypher").stdout
    first = [line.partition("  ")[0] for line in listed.splitlines()]
    assert first[0] == "for analysts" and {"activity", "timeline"} <= set(first) and "node/shell" not in listed
    assert "the life of an entity in the records" in listed and "--internal" in listed
    everything = [line.partition("  ")[0] for line in run("cypher", "--internal").stdout.splitlines()]
    assert everything[:9] == first[:9] and {"node/ (engine)", "node/shell", "search/anchors"} <= set(everything)
    assert not any("parts" in name for name in everything)
    sent = run("cypher", "node/shell").stdout
    assert "part." not in sent and "n.known_from > $known_at" in sent
    assert "There is no statement" in sentence(run("cypher", "nonsense"))
