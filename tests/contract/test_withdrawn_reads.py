"""No read of any door shows what was withdrawn, ended or changed: every read there is, after every kind of change there is.

Both lists are made from the declarations: a new read is asked by itself or fails here, and a new write that changes what was
stored has to say which text is gone after it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from mcp import ClientSession, MCPError
from pydantic import SecretStr

from api.mcp.resources import PROMPTS, TEMPLATES
from api.mcp.tools import TOOLS
from engine.domain.grant import NewGrant
from engine.domain.node import NewNode
from engine.domain.principal import NewToken
from engine.neurigraph import Engine
from engine.operations.declaring import OPERATIONS
from engine.shell.application import command
from tests.commands import typed
from tests.contract.operations import at_door, commands, commands_of, requests
from tests.contract.test_mcp import over_http
from tests.contract.test_rest_slow_clients import TOKEN, serving
from tests.contract.withdrawn import KINDS, NEVER_HELD, OF_THE_PAST, OLDER_VERSION, Leaks, Life, lived, requests_for

WORKSPACE = {"embeddings", "integrations", "jobs", "tokens", "users", "workspace"}
"""Subjects of the operator's: they hold nothing that was stored."""


WRITES_THAT_HIDE_NOTHING = dict.fromkeys(
    "conversations.append conversations.end records.remember records.remember_occasion facts.write events.write"
    " ingests.history ingests.lines ingests.many ingests.store".split(),
    "stores; a new version of a document, which all of them store alike, is `records.remember_text`",
) | dict.fromkeys(
    "edges.make entities.add_alias entities.archive_relation entities.correct entities.describe_relation entities.merge"
    " entities.remove_alias entities.restore_relation entities.tell_apart entities.undo_merge entities.verify_alias"
    " failures.dismiss failures.replay files.review files.sleep grants.give grants.revoke intentions.decide nodes.archive"
    " nodes.provision nodes.provision_path nodes.provision_whole nodes.unarchive proposals.make proposals.undo"
    " records.move replays.begin replays.build replays.discard replays.swap retractions.undo commits.retry".split(),
    "changes no text, and takes none away",
) | {"facts.decide": "ends a fact as a newer one does; its chain is read as that of the past"} | {"commits.discard": "takes away what no reader has seen"} | {
    "forgettings.forget": "withdraws, as `retractions.retract` does, and erases: see tests/forgetting",
    "retention.set": "sets a rule, which a job follows", "retention.remove": "takes a rule away, which a job follows",
}  # fmt: skip


def test_every_write_hides_something_or_says_why_not() -> None:
    writes = {name for name, one in OPERATIONS.items() if one.writes and name.partition(".")[0] not in WORKSPACE}
    assert writes == {operation for operation, _ in KINDS.values()} | set(WRITES_THAT_HIDE_NOTHING)


ASKED_ELSEWHERE = {
    "files.open": "`files.read` and the request for a file open it",
    "files.read": "the request for a file reads it",
    "files.wake": "answers a state",
    "exports.left_out": "answers counts",
    "forgettings.verify": "a POST, which answers counts",
    "nodes.writable": "names nodes alone",
    "nodes.touch": "answers nothing",
    "searching.search": "a POST, which is asked",
    "searching.search_decayed": "a POST, which is asked",
    "searching.context": "a POST, which is asked",
    "searching.answer": "made of the context, by a language model",
}


def test_every_read_has_a_request_that_is_asked() -> None:
    asked = at_door(requests())
    for name, one in OPERATIONS.items():
        if not one.writes and name.partition(".")[0] not in WORKSPACE:
            gets = [request for request in asked.get(name, []) if request.startswith("GET")]
            assert bool(gets) != (name in ASKED_ELSEWHERE), name


@pytest.fixture(scope="module")
async def life(engine: Engine) -> Life:
    """At the node of a persona, which reads all of it, and there granted to an integration, with the past."""
    user = await engine.workspace.users.create(f"w{uuid4().hex[:12]}", "Bob Harlan")
    memory = engine.memory(user.user_id)
    node = (await memory.nodes.provision(NewNode(user.user_id, "Coach", "persona"))).node_id
    app = (await engine.workspace.integrations.create(f"diary {node}")).integration_id
    await memory.grants.give(NewGrant(node, "third_party", app, past=True))
    one = await lived(user, memory, node)
    assert one.ids["node_id"] == {str(node), str(user.user_id)}, "all of it lies there"
    one.note(integration_id=app)
    return one


READERS: dict[str, Callable[[Life], NewToken]] = {
    "owner": lambda life: NewToken("user", life.user.user_id, "reads"),
    "persona": lambda life: NewToken("persona", life.node_id, "reads"),
    "integration": lambda life: NewToken("third_party", UUID(*life.ids["integration_id"]), "reads"),
}
ANSWERS = {
    "owner": (200, 202, 404, 409),
    "persona": (200, 202, 404, 409, 422),
    "integration": (200, 202, 404, 409, 422),
}


async def _secret(engine: Engine, life: Life, reader: str) -> str:
    return (await engine.workspace.tokens.create(READERS[reader](life))).secret


@pytest.mark.parametrize("reader", READERS)
async def test_no_request_of_rest_shows_it(engine: Engine, life: Life, reader: str) -> None:
    document = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())
    leaks = Leaks()
    bearer = {"Authorization": f"Bearer {await _secret(engine, life, reader)}"}
    async with (
        serving(engine, api_token=SecretStr(TOKEN)) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, headers=bearer) as client,
    ):
        for path, methods in document["paths"].items():
            if "get" not in methods or "{user_id}" not in path or path in OF_THE_PAST:
                continue
            for here, query in requests_for(life, path):
                answer = await client.get(here, params=query)
                assert answer.status_code in ANSWERS[reader], (here, answer.text)
                leaks.look(
                    life,
                    path if not OLDER_VERSION.search(here) else here.replace(str(life.user.user_id), "u"),
                    answer.text,
                )
        home = f"/v1/users/{life.user.user_id}"
        for word in life.gone.values():
            for path, name in (("search", "query"), ("search/decayed", "query"), ("context", "question")):
                for text in (word, f"Where does Mrs. {word} live, and what does she do?"):
                    answer = await client.post(f"{home}/{path}", json={name: text})
                    assert answer.status_code == 200, answer.text
                    leaks.look(life, path, json.dumps(answer.json() | {name: ""}))
            # a fact that holds a whole input is found only where facts are asked for
            wanted = {"query": word, "limit": 100, "kinds": ["fact", "turn", "chunk", "observation", "summary"]}
            answer = await client.post(f"{home}/search", json=wanted)
            assert answer.status_code == 200, answer.text
            leaks.look(life, "search by kinds", json.dumps(answer.json() | {"query": ""}))
    assert leaks == {}


@pytest.mark.parametrize("reader", READERS)
async def test_what_never_held_is_shown_at_no_time(engine: Engine, life: Life, reader: str) -> None:
    """With `as_of` between the storing and the retraction: what was withdrawn, or corrected, did not hold then either."""
    document = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())
    leaks, home = Leaks(), f"/v1/users/{life.user.user_id}"
    bearer = {"Authorization": f"Bearer {await _secret(engine, life, reader)}"}
    paths = [path for path, each in document["paths"].items() if "as_of" in _parameters(each.get("get", {}))]
    assert {"entities", "metadata", "relations", "{record_id}", "{item_id}"} <= {
        one.rpartition("/")[2] for one in paths
    }
    async with (
        serving(engine, api_token=SecretStr(TOKEN)) as port,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60, headers=bearer) as client,
    ):
        for as_of in [*life.ids["held_at"], *sorted(life.ids["as_of"])[:: 2 if reader == "owner" else 4]]:
            for path in paths:
                for here, query in requests_for(life, path, as_of=as_of):
                    answer = await client.get(here, params=query)
                    assert answer.status_code in ANSWERS[reader], (here, answer.text)
                    leaks.look(life, path, answer.text)
            for name in NEVER_HELD:
                for path, question in (("search", "query"), ("search/decayed", "query"), ("context", "question")):
                    answer = await client.post(f"{home}/{path}", json={question: life.gone[name], "as_of": as_of})
                    assert answer.status_code == 200, answer.text
                    leaks.look(life, path, json.dumps(answer.json() | {question: ""}))
    shown = {read: kinds & NEVER_HELD for read, kinds in leaks.items()}
    assert {read: kinds for read, kinds in shown.items() if kinds} == {}
    assert leaks, "what ended later is shown at times at which it held"


def _parameters(operation: dict[str, Any]) -> set[str]:
    return {one.get("name", "") for one in operation.get("parameters", ())}


@pytest.mark.parametrize("reader", READERS)
async def test_no_read_of_an_assistant_shows_it(engine: Engine, life: Life, reader: str) -> None:
    leaks, user = Leaks(), life.user
    records = [f"record/{life.node_id}/{one}" for one in life.ids["record_id"]]
    items = [f"item/{life.node_id}/{one}" for one in life.ids["item_id"]]
    ids: dict[str, list[str]] = {
        "memory_id": [*records, *items],
        "entity_id": sorted(life.ids["entity_id"]),
        "relation_id": sorted(life.ids.get("relation_id", ())),
        "query": [f"What about {word}?" for word in life.gone.values()],
        "question": [f"What about {word}?" for word in life.gone.values()],
    }
    given = {"explain": ["query", "relation_id"], "list_entities": [], "get_status": [], "list_memories": []}
    secret, path = await _secret(engine, life, reader), f"/v1/users/{user.user_id}/mcp"
    async with serving(engine, api_token=SecretStr(TOKEN)) as port, over_http(port, secret, path) as session:
        for name, tool in TOOLS.items():
            if not tool.annotations or not tool.annotations.read_only_hint:
                continue
            wanted = given.get(name, tool.parameters.get("required", []))
            for argument in wanted:
                for value in ids[argument]:
                    answer = await session.call_tool(name, {argument: value})
                    leaks.look(life, name, answer.content[0].text.replace(value, ""))
            if not wanted:
                leaks.look(life, name, (await session.call_tool(name, {})).content[0].text)
        listed = await session.list_resources()
        leaks.look(life, "resources/list", listed.model_dump_json())
        places = [str(one.uri) for one in listed.resources]
        of = {"entities": "entity_id", "nodes": "node_id", "documents": "document_id"}
        for template in TEMPLATES:
            places += [template.uri_template.replace("{id}", one) for one in life.ids[of[template.name]]]
        for place in places:
            await _read(session, life, leaks, place)
        for prompt in PROMPTS:
            for question in ids["question"]:
                given_to = {"question": question} if prompt.arguments else {}
                made = (await session.get_prompt(prompt.name, given_to)).model_dump_json()
                leaks.look(life, prompt.name, made.replace(question, ""))
    assert leaks == {}


async def _read(session: ClientSession, life: Life, leaks: Leaks, place: str) -> None:
    try:
        leaks.look(life, place.rpartition("/")[0], (await session.read_resource(place)).model_dump_json())
    except MCPError as error:
        assert "Not found" in str(error)


SHELL_ELSEWHERE = {
    "file wake": "answers a state", "node touch": "answers nothing", "relation between": "takes two entities, which are shown alone",
    "relation together": "the request for entities-together is asked",
    "nodes propose": "proposes nodes for the turns that lie at the root", "export": "the request for an export gives the same lines",
    "ask": "a search by hand, as REST's", "retract": "writes; its `--dry-run` is the request for a preview",
    "forget": "erases; its `--dry-run` is the request for a preview", "receipt verify": "takes a file, and answers counts",
    "retention set": "sets a rule; its `--dry-run` is the request for a preview", "retention remove": "takes a rule away",
    "forgettings show": "of a forgetting, of which there is none", "forgettings receipt": "of a forgetting, of which there is none",
    "provision": "makes a node, and shows it", "grant give": "gives a grant, and shows what it opens",
    "file sleep": "puts a file to sleep", "community show": "of a job's build", "replay show": "of a replay, of which there is none",
}  # fmt: skip
SHELL_IDS = {
    "node": "node_id", "entity": "entity_id", "document": "document_id", "identity": "resource_id", "session_id": "session_id",
    "fact": "fact_id", "relation": "relation_id", "conversation": "conversation_id",
}  # fmt: skip


@pytest.mark.long
async def test_no_command_of_the_shell_shows_it(engine: Engine, life: Life, tmp_path: Path) -> None:
    leaks, reads = (
        Leaks(),
        {name for name, one in OPERATIONS.items() if not one.writes and name.partition(".")[0] not in WORKSPACE},
    )
    shell = at_door(commands())
    names = {one for operation in reads for one in shell.get(operation, [])}
    for name, one in commands_of("", command().commands):
        if name not in names or name in SHELL_ELSEWHERE or name in OF_THE_PAST:
            continue
        asked = [one.name for one in one.params if one.param_type_name == "argument" and one.required]
        for arguments in _arguments(life, asked):
            done = await typed(engine, tmp_path, life.user.handle, *name.split(), *arguments)
            assert done.returncode in (0, 1), done.stderr
            leaks.look(life, name, done.stdout)
    assert leaks == {}


def _arguments(life: Life, asked: list[str]) -> Iterator[list[str]]:
    """Arguments for a command, one list for each id there is."""
    if asked == ["kind", "subject"]:
        node = sorted(life.ids["node_id"])[0]
        for kind in ("record", "item"):
            yield from ([kind, one, "--node", node] for one in sorted(life.ids[f"{kind}_id"]))
    elif asked and asked[0] in SHELL_IDS:
        yield from ([one] for one in sorted(life.ids.get(SHELL_IDS[asked[0]], ())))
    else:
        yield ["Who teaches on Fridays?"] if asked == ["question"] else ["Bob"] if asked == ["name"] else []
