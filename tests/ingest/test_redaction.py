"""With redaction configured, nothing that was planted stands in any store afterwards; without it, all of it does."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest
from psycopg import sql

from engine.domain.history import Conversation, History, HistoryFile, PlannedEdge, PlannedNode, Turn
from engine.domain.node import NewNode, User
from engine.domain.scope import MemoryScope
from engine.domain.search import SearchRequest
from engine.domain.stream import StreamedTurn
from engine.domain.terms import term_id, words
from engine.errors import IdempotencyMismatch, InvalidName, SettingsError
from engine.ingest.cleaning import fingerprint
from engine.memory import Memory
from engine.neurigraph import Engine
from engine.settings import Settings
from engine.wiring.open_engine import open_engine
from tests.door import new_door

PLANTED = {
    "email": "zyxquill@vorplex.example",
    "speaker": "blenkard@vorplex.example",
    "title": "wozzit@vorplex.example",
    "id": "kwimble@vorplex.example",
    "ref": "frandle@vorplex.example",
    "file": "snorpel@vorplex.example",
    "heading": "gribbet@vorplex.example",
    "summary": "dwindor@vorplex.example",
    "keyword": "mizzock@vorplex.example",
    "alias": "plovvert@vorplex.example",
    "edge": "quennip@vorplex.example",
    "phone": "415-555-2671",
    "card": "4111 1111 1111 1111",
    "iban": "DE89 3704 0044 0532 0130 00",
    "ssn": "123-45-6789",
    "ip": "203.0.113.77",
    "secret": "sk-live-zq81Xnv55TrPwq02LmBd",
    "url_credentials": "harlan:walleye77",
}
WHEN = datetime(2025, 3, 1, 18, 0, tzinfo=UTC)


@pytest.fixture(scope="module")
async def redacting(engine: Engine, settings: Settings) -> AsyncIterator[Engine]:
    """A second engine on the session's servers that redacts everything it knows."""
    async with open_engine(settings.model_copy(update={"redact": ("all",)})) as opened:
        yield opened


def history(handle: str, folder: Path) -> History:
    """A history with something planted at every place where content can stand."""
    note = folder / f"{PLANTED['file']}.md"
    note.write_text(
        f"# The lawyer {PLANTED['heading']}\n\nThe boat license was renewed from {PLANTED['ip']}.\n\n"
        f"The database is postgres://{PLANTED['url_credentials']}@localhost/boats and the account {PLANTED['iban']}.\n",
        encoding="utf-8",
    )
    turns = (
        Turn(PLANTED["speaker"], f"Write to me at {PLANTED['email']} about the boat.", WHEN, PLANTED["ref"]),
        Turn("Iris", f"I paid the marina with {PLANTED['card']} and called {PLANTED['phone']}."),
        Turn("Bob", f"The ferry company wanted {PLANTED['ssn']} and the key {PLANTED['secret']}."),
    )
    nodes = (
        PlannedNode(
            ("Boats",), summary=f"Boats; ask {PLANTED['summary']}",
            keywords=("boat", PLANTED["keyword"]), aliases=("Ships", PLANTED["alias"]),
        ),
        PlannedNode(("Lawyers",)),
    )  # fmt: skip
    return History(
        handle,
        "Bob Harlan",
        (Conversation(PLANTED["id"], turns, f"With {PLANTED['title']}", WHEN, ("Boats",)),),
        (HistoryFile(f"notes/{note.name}", note, "text/markdown", node=("Lawyers",)),),
        nodes,
        (PlannedEdge(("Boats",), ("Lawyers",), "concerns", {"note": PLANTED["edge"]}),),
    )


async def stored(engine: Engine, user_id: UUID) -> str:
    """Everything that the three stores hold of a user, as one text."""
    found: list[str] = []
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute("SELECT schema_name FROM engine.nodes WHERE user_id = %s", (user_id,))
        schemas = [row["schema_name"] for row in await cursor.fetchall()]
        cursor = await connection.execute(
            "SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema = ANY (%s)",
            ([*schemas, "engine"],),
        )
        for table in await cursor.fetchall():
            name = sql.Identifier(table["table_schema"], table["table_name"])
            rows = await connection.execute(sql.SQL("SELECT to_jsonb(t)::text AS row FROM {} AS t").format(name))
            texts = [row["row"] for row in await rows.fetchall()]
            found += [row for row in texts if table["table_schema"] != "engine" or str(user_id) in row]
    assert len(schemas) >= 1 and len(found) > 10
    for of in ("(n {user_id: $user})", "(:Node {user_id: $user})-[n]-()"):
        rows = await engine.neo4j.read(f"MATCH {of} RETURN properties(n) AS of", user=str(user_id))
        found += [json.dumps(row["of"], default=str) for row in rows]
    root = next(
        schema for schema in schemas if not any(other != schema and schema.startswith(other) for other in schemas)
    )
    async for entry in engine.objects.listing(f"{root}/"):
        content = b"".join([block async for block in engine.objects.read(entry.key)])
        found += [entry.key, gzip.decompress(content).decode()]
    assert found[-2].endswith(".gz")
    return "\n".join(found)


def traces(dump: str, folder: Path) -> set[str]:
    """Which of the planted things can be seen, as text, as a word, as a term, or by a hash of the original."""
    given = history("x", folder)
    seen = {name for name, value in PLANTED.items() if value.casefold() in dump.casefold()}
    slugs = {name for name, value in PLANTED.items() if re.sub(r"[^a-z0-9]", "_", value.casefold()) in dump}
    rare = {word for value in PLANTED.values() for word in words(value) if len(word) > 6 and not word.isdigit()}
    rare |= {"415555267", *words("zq81Xnv55TrPwq02LmBd")}
    terms = {word for word in rare if re.search(rf'"term": {term_id(word)}\b|[{{,]{term_id(word)}:', dump)}
    originals = [fingerprint(given.conversations[0]), *(file_hash(file.path) for file in given.files)]
    originals += [hashlib.sha256(turn.text.encode()).digest() for turn in given.conversations[0].turns]
    hashes = {f"hash {number}" for number, digest in enumerate(originals) if digest.hex() in dump}
    return seen | slugs | terms | hashes


def file_hash(path: Path) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest()


@pytest.mark.ledger("F12")
async def test_nothing_that_was_planted_is_kept_in_any_store(redacting: Engine, tmp_path: Path) -> None:
    handle = f"r{uuid4().hex[:12]}"
    report = await redacting.ingest(history(handle, tmp_path))
    assert (report.turns, report.files, report.skipped) == (3, 1, ())
    assert report.redacted == {
        "email": 8, "card": 1, "phone": 1, "ssn": 1, "secret": 1, "ip": 1, "url_credentials": 1, "iban": 1
    }  # fmt: skip
    dump = await stored(redacting, report.user_id)
    assert "With [email]" in dump and "wanted [ssn] and the key [secret]" in dump
    assert traces(dump, tmp_path) == set()


async def test_without_it_every_one_of_them_is_found_where_the_first_test_looks(engine: Engine, tmp_path: Path) -> None:
    report = await engine.ingest(history(f"r{uuid4().hex[:12]}", tmp_path))
    assert report.redacted == {}
    seen = traces(await stored(engine, report.user_id), tmp_path)
    assert seen >= {
        *PLANTED,
        "zyxquil" if "zyxquil" in seen else "zyxquill",
        *(f"hash {number}" for number in range(5)),
    }


@pytest.mark.ledger("F12")
async def test_what_is_left_is_found_by_its_other_words_and_the_same_again_changes_nothing(
    redacting: Engine, tmp_path: Path
) -> None:
    given = history(f"r{uuid4().hex[:12]}", tmp_path)
    first = await redacting.ingest(given)
    memory = redacting.memory(first.user_id)
    answer = await memory.search(SearchRequest("Who paid the marina?", limit=1))
    assert answer.hits[0].content == "I paid the marina with [card] and called [phone]."
    assert (await memory.nodes.anchors("Ships"))[0].name == "Boats" and not await memory.nodes.anchors(PLANTED["alias"])
    text = (await memory.files.read(first.records[1].node_id, first.records[1].file_id)).decode()
    assert "from [ip]" in text and "postgres://[url_credentials]@localhost/boats" in text
    again = await redacting.ingest(given)
    assert (again.records, again.redacted, [skip.reason for skip in again.skipped]) == ((), {}, ["Stored already."] * 2)
    longer = Conversation(
        given.conversations[0].source_id, (*given.conversations[0].turns, Turn("Bob", "Call 415-555-2672."))
    )
    more = await memory.records.remember(longer, node_id=first.records[0].node_id)
    assert (more.turns, more.redacted) == (1, {"phone": 1})
    assert (await memory.records.remember(longer, node_id=first.records[0].node_id)).skipped[
        0
    ].reason == "Stored already."


async def test_a_conversation_from_before_goes_on_with_its_rest_redacted(engine: Engine, redacting: Engine) -> None:
    user = await engine.workspace.users.create(f"r{uuid4().hex[:12]}", "Bob")
    turns = (Turn("Bob", "I am bob@example.org."), Turn("Bob", "And ann@example.org is my sister."))
    await engine.memory(user.user_id).records.remember(Conversation("c", turns[:1]))
    for _ in range(2):
        report = await redacting.memory(user.user_id).records.remember(Conversation("c", turns))
    assert report.skipped[0].reason == "Stored already."
    answer = await redacting.memory(user.user_id).search(SearchRequest("sister", limit=5))
    assert {hit.content for hit in answer.hits} >= {"And [email] is my sister."}


async def test_names_that_hold_something_are_refused_everywhere(redacting: Engine) -> None:
    user = await redacting.workspace.users.create(f"r{uuid4().hex[:12]}", "Bob")
    memory = redacting.memory(user.user_id)
    node = await memory.nodes.provision(NewNode(user.user_id, "Boats"))
    for attempt in (
        memory.nodes.provision(NewNode(user.user_id, PLANTED["email"])),
        memory.nodes.provision_path(("People", PLANTED["email"])),
        memory.edges.make(user.user_id, node.node_id, PLANTED["email"]),
    ):
        with pytest.raises(InvalidName, match="email") as error:
            await attempt
        assert "zyxquill" not in str(error.value)
    assert [child.name for child in (await memory.nodes.shell(user.user_id)).children] == ["Boats"]


async def test_over_rest_neither_the_kept_answer_nor_the_hash_of_the_request_tells(
    redacting: Engine, tmp_path: Path
) -> None:
    user = await redacting.workspace.users.create(f"r{uuid4().hex[:12]}", "Bob")
    transport = httpx.ASGITransport(new_door(redacting.settings, engine=redacting), client=("127.0.0.1", 50000))
    body = {"text": f"Write to {PLANTED['email']}, " + "at length. " * 20, "source_id": PLANTED["id"]}
    path, key = f"/v1/users/{user.user_id}/records", PLANTED["ref"]
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answers = [await client.post(path, json=body, headers={"Idempotency-Key": key}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[1].headers["Idempotency-Replayed"] == "true" and answers[0].json() == answers[1].json()
    assert answers[0].json()["redacted"] == {"email": 1}
    dump = await stored(redacting, user.user_id)
    asked = f"POST {path}\n".encode() + json.dumps(body, sort_keys=True).encode()
    assert hashlib.sha256(asked).hexdigest() not in dump and traces(dump, tmp_path) == set()


async def test_a_title_that_is_the_beginning_of_the_text_is_cut_after_redaction(redacting: Engine) -> None:
    user = await redacting.workspace.users.create(f"r{uuid4().hex[:12]}", "Bob")
    memory: Memory = redacting.memory(user.user_id)
    report = await memory.records.remember_text("", "y " * 36 + PLANTED["email"] + " is the address.")
    assert report.records[0].title.endswith("y [email]") or "[email" in report.records[0].title
    assert "zyxq" not in await stored(redacting, user.user_id)


async def test_a_kind_that_is_none_starts_nothing(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="url_credentials"):
        async with open_engine(settings.model_copy(update={"redact": ("names",), "home": tmp_path / "unused"})):
            pass
    assert not (tmp_path / "unused").exists()


@pytest.mark.ledger("L05")
async def test_a_thread_called_by_an_address_is_found_but_not_named(redacting: Engine) -> None:
    user = await redacting.workspace.users.create(f"r{uuid4().hex[:12]}", "Bob")
    thread = redacting.memory(user.user_id).within(MemoryScope("thread", PLANTED["email"]))
    await thread.records.remember_text("Note", "The walleye of the thread.")
    hit = (await thread.search(SearchRequest("walleye"))).hits[0]
    assert hit.scope == "thread" and hit.scope_id and "vorplex" not in hit.scope_id
    assert (await redacting.memory(user.user_id).search(SearchRequest("walleye"))).hits == ()


async def test_one_key_tells_requests_apart_that_differ_in_what_is_redacted(redacting: Engine, user: User) -> None:
    memory, said = redacting.memory(user.user_id).once("hello"), StreamedTurn("Bob", "Hello.")
    first = await memory.conversations.append("+49 171 2345678", said)
    assert first == await memory.conversations.append("+49 171 2345678", said)
    with pytest.raises(IdempotencyMismatch):
        await memory.conversations.append("+49 171 2345679", said)


async def test_lines_of_an_import_are_redacted_known_again_and_exported_as_stored(redacting: Engine) -> None:
    user = await redacting.workspace.users.create(f"u{uuid4().hex[:12]}")
    turns = [
        {"speaker": PLANTED["speaker"], "text": f"Write to {PLANTED['email']} about the boat.", "id": PLANTED["ref"]}
    ]
    file = [
        {"conversation": {"id": PLANTED["id"], "title": f"Of {PLANTED['title']}", "turns": turns}},
        {"text": f"Call {PLANTED['phone']} about the lease.", "source_id": PLANTED["file"]},
        {"text": f"The key is {PLANTED['secret']}."},
        {
            "fact": {
                "text": f"Iris has the address {PLANTED['email']}.",
                "about": ["Iris"],
                "category": PLANTED["keyword"],
            }
        },
    ]
    content = b"".join(json.dumps(line).encode() + b"\n" for line in file)
    headers, path = {"Content-Type": "application/x-ndjson"}, f"/v1/users/{user.user_id}"
    transport = httpx.ASGITransport(new_door(redacting.settings, engine=redacting))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as door:
        first, again = [(await door.post(f"{path}/import", content=content, headers=headers)).text for _ in range(2)]
        exported = await door.get(f"{path}/export")
        taken = (await door.post(f"{path}/import", content=exported.content, headers=headers)).text
    assert first.count('"status":"stored"') == 4 and again.count('"status":"skipped"') == 4, first + again
    assert '"lines":4,"failed":0' in exported.text and "[email]" in exported.text
    assert taken.count('"status":"skipped"') == 4, taken
    assert [value for value in PLANTED.values() if value in first + again + exported.text + taken] == []
