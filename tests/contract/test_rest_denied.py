"""What is hidden and what is nowhere get one answer: every request that takes an id, by each kind of stranger, id by id.

The requests are those of the OpenAPI page: a new one is asked by itself, or fails here where no id of its kind is there.
"""

from __future__ import annotations

import copy
import itertools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from mcp import MCPError
from pydantic import SecretStr

from api.mcp.resources import TEMPLATES
from api.mcp.server import NOTHING_THERE
from api.mcp.tools import TOOLS
from engine.domain.grant import NewGrant
from engine.domain.history import Conversation, History, HistoryFile, Turn
from engine.domain.node import NewNode
from engine.domain.principal import NewToken
from engine.domain.retention import HoldSubject
from engine.neurigraph import Engine
from engine.wiring.job_catalogue import CATALOGUE
from engine.wiring.open_engine import open_engine
from tests.contract.conftest import OPERATOR, House, OpenDoor
from tests.contract.test_mcp import over_http
from tests.contract.test_rest_slow_clients import TOKEN, serving
from tests.faults.half_way import newest

PAGE = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())
SCHEMAS = PAGE["components"]["schemas"]
OF_A_KIND = {
    "source_id": "node_id", "target_id": "node_id", "to_node_id": "node_id", "parent_id": "node_id", "nodes": "node_id",
    "principal_id": "node_id", "merged_id": "entity_id", "ids": "item_id", "subject_id": "record_id", "subject": "record_id",
}  # fmt: skip
"""What a field or parameter names whose own name is not that of the id."""
LISTS = {"nodes", "ids"}
NOT_IDS = {"name", "handle", "version", "run_id"}
"""Of the operator's, or given by what stands beside the id."""
CURSORS = {"after", "before"}
"""Where a page begins: a place in an order, whether anything is there or not."""
OTHERS = {"entry_id": "987654321987", "conversation_id": "morning"}
"""Nowhere, where an id is no UUID."""
OF_ITS_OWN = {("user at home", "conversation_id")}
"""Names that every user gives."""
LEFT_OUT = {"date", "content-length", "trace-id", "x-request-id"}
Ids = dict[str, set[str]]


async def filled(engine: Engine, owner: httpx.AsyncClient, house: House, tmp_path: Path) -> Ids:
    """All ids that the owner has, by the names of parameters, after something of every kind was stored at the node Family."""
    home, hidden, root = house.home, str(house.nodes["Family"]), house.user.user_id

    async def made(path: str, body: Any) -> Any:
        answer = await owner.post(home + path, json=body)
        assert answer.status_code < 300, (path, answer.text)
        return answer.json()

    turns = [{"speaker": "Bob", "text": text} for text in (
        "My brother Tom Ashby works at Larkin Freight in Hull.", "Ines Moreau and Tom Ashby met at Larkin Freight.",
        "Dr. Ines Moreau lives in Lyon.", "Tom Ashby is married to Ines Moreau.", "My boss Nils called.", "My brother Nils called.")]  # fmt: skip
    for n in range(2):
        await made("/records", {"node_id": hidden, "conversation": {"id": f"talk {n}", "turns": turns}})
    await made("/records", {"node_id": hidden, "text": "# Rent\n\nMrs. Quill pays 900.", "source_id": "lease"})
    gone = await made("/records", {"node_id": hidden, "text": "My friend Wanda Ferris lives in Leeds."})
    await made("/retractions", {"kind": "record", "subject": gone["records"][0]["record_id"]})
    dropped = await made("/records", {"node_id": hidden, "text": "The lease of Mr. Penhale ended."})
    await made("/forgettings", {"kind": "record", "subject": dropped["records"][0]["record_id"]})
    await made("/retention", {"older_than_days": 365, "node_id": hidden})
    for town in ("Hull", "Leeds"):
        await made("/facts", {"text": f"Tom Ashby lives in {town}.", "node_id": hidden})
    await made("/conversations/evening/turns", {"turns": turns, "node_id": hidden})
    entities = {one["name"]: one["entity_id"] for one in (await owner.get(f"{home}/entities?all=true")).json()}
    await made(f"/entities/{entities['Larkin Freight']}/merges", {"merged_id": entities["Lyon"]})
    await made("/replays", {})
    ids = defaultdict(
        set, {"proposal_id": {(await made("/node-proposal", {"nodes": [{"path": ["Cats"]}]}))["proposal_id"]}}
    )
    async with open_engine(engine.settings.model_copy(update={"intentions": True}), warming=False) as keeping:
        said = Conversation("boat", (Turn("Bob", "I want to sell the boat by 12 June 2027."),))
        await keeping.memory(root).records.remember(said, node_id=house.nodes["Family"])
    unreadable = tmp_path / "notes.txt"
    unreadable.write_bytes(b"\xff")
    await engine.memory(root).ingests.history(
        History("bob", "Bob", (), (HistoryFile("one", unreadable, "text/plain"),))
    )
    [communities] = [one for one in CATALOGUE if one.name == "communities"]
    await communities.work(engine)
    ids["commit_id"].add(str(await newest(engine, root)))
    spare = await engine.workspace.tokens.create(NewToken("user", root, "spare"))
    ids["token_id"].add(str(spare.token.token_id))
    held = await engine.workspace.holds.set(house.user.user_id, HoldSubject("node", hidden), "Case 12")
    ids["hold_id"].add(str((await engine.workspace.holds.release(held.hold_id, "Closed")).hold_id))
    await read(owner, house, ids)
    return ids


async def read(door: httpx.AsyncClient, house: House, ids: Ids) -> None:
    """All ids that a door shows, by what the answers name and lead to."""
    asked: set[str] = set()
    for _ in range(2):
        for path, methods in PAGE["paths"].items():
            if "get" in methods and "{user_id}" in path and not path.endswith("/events"):
                for here in addresses(path, ids, str(house.user.user_id)):
                    if here not in asked:
                        asked.add(here)
                        answer = await door.get(here)
                        if answer.headers.get("content-type") == "application/json":
                            gather(answer.json(), ids)


def addresses(path: str, ids: Ids, user: str) -> Iterator[str]:
    names = re.findall(r"\{(\w+)\}", path)[1:]
    for chosen in itertools.product(*(sorted(ids.get(name, ()))[:4] for name in names)):
        here = path.replace("{user_id}", user)
        for name, value in zip(names, chosen, strict=True):
            here = here.replace(f"{{{name}}}", value)
        yield here


def gather(part: Any, ids: Ids) -> None:
    for name, value in part.items() if isinstance(part, dict) else ():
        if isinstance(value, str | int) and value and (name.endswith("_id") or name == "version"):
            ids[name].add(str(value))
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        gather(inner, ids)


Put = tuple[str, str, str, str]
"""Method, path, and where an id is put: in the path, the query or the body, and under which name."""


def requests_with_an_id() -> Iterator[Put]:
    for path, methods in PAGE["paths"].items():
        for method, operation in methods.items():
            yield from ((method, path, "path", name) for name in re.findall(r"\{(\w+)\}", path) if name not in NOT_IDS)
            for one in operation.get("parameters", ()):
                if one["in"] == "query" and names_something(one["name"], one["schema"]):
                    yield method, path, "query", one["name"]
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            model = SCHEMAS[content["schema"]["$ref"].rpartition("/")[2]] if content else {}
            for name, field in model.get("properties", {}).items():
                if names_something(name, field):
                    yield method, path, "body", name


def names_something(name: str, schema: Any) -> bool:
    return name not in CURSORS and ('"uuid"' in json.dumps(schema) or name == "subject")


def request(put: Put, value: str, user: str, ids: Ids) -> tuple[str, dict[str, Any]]:
    """The address and what goes with it: the page's example, ids that who asks sees, else the owner's, and the value in its place."""
    method, path, where, name = put
    operation, here = PAGE["paths"][path][method], path
    for one in re.findall(r"\{(\w+)\}", path):
        own = user if one == "user_id" else "1" if one == "version" else min(ids.get(one, {"none"}))
        here = here.replace(f"{{{one}}}", value if (where, name) == ("path", one) else own)
    needed = [one for one in operation.get("parameters", ()) if one["in"] == "query" and one["required"]]
    query = {one["name"]: one["example"] for one in needed} | ({"wait": 0} if path.endswith("/events") else {})
    sent: dict[str, Any] = {}
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        body = copy.deepcopy(content["example"])
        if where == "body":
            body[name] = [value] if name in LISTS else value
        sent = {"json": body} if media == "application/json" else {"content": body, "headers": {"content-type": media}}
    return here, sent | {"params": query | ({name: value} if where == "query" else {})}


async def answered(door: httpx.AsyncClient, put: Put, value: str, user: str, ids: Ids) -> tuple[Any, ...]:
    """All of an answer but the id that was asked for, times and what is new in each answer."""
    here, sent = request(put, value, user, ids)
    answer = await door.request(put[0], here, **sent)
    headers = {name: one for name, one in answer.headers.items() if name not in LEFT_OUT}
    return answer.status_code, same(answer.text, value), same(json.dumps(headers), value)


def same(text: str, value: str) -> str:
    text = re.sub(rf"\b{re.escape(value)}\b", "ID", text)  # an entry of a log may be number 4, which no 404 is
    text = re.sub(r'"timings_ms":\{[^}]*\}', "", text)
    return re.sub(r"\d{4}-\d\d-\d\dT[0-9:.]+Z|[0-9a-f]{8}-[0-9a-f-]{27}|ID", "…", text)


@pytest.fixture
async def strangers(engine: Engine, own_house: House) -> dict[str, tuple[str, str]]:
    """Who asks: the secret, and whose graph is asked for."""
    memory, neighbour = engine.memory(own_house.user.user_id), own_house.neighbour.user_id
    writer = (await memory.nodes.provision(NewNode(own_house.user.user_id, "Writer", "persona"))).node_id
    own_house.nodes["Writer"] = writer
    await memory.grants.give(NewGrant(own_house.nodes["Cases"], "persona", writer, "read_write"))
    tokens = NewToken("user", neighbour, "neighbour"), NewToken("persona", writer, "writer")
    user, persona = [(await engine.workspace.tokens.create(token)).secret for token in tokens]
    owner = str(own_house.user.user_id)
    return {
        "user at home": (user, str(neighbour)),
        "user in another graph": (user, owner),
        "persona": (persona, owner),
        "integration": (own_house.secrets["third_party"], owner),
    }


@pytest.mark.ledger("N31", "N28", "N29", "N30")
async def test_what_is_hidden_and_what_is_nowhere_get_one_answer(
    engine: Engine, own_house: House, open_door: OpenDoor, tmp_path: Path, strangers: dict[str, tuple[str, str]]
) -> None:
    house, settings = own_house, {"api_token": SecretStr(OPERATOR), "rate_limit_per_minute": 0}
    ids = await filled(engine, open_door(house.secrets["user"], **settings), house, tmp_path)
    differ, asked = [], Counter[int]()
    for kind, (secret, user) in strangers.items():
        door = open_door(secret, **settings)
        seen: Ids = defaultdict(set, {"node_id": {str(house.nodes[name]) for name in ("Cases", "Lawyer", "Writer")}})
        await read(door, house, seen)
        shown = set[str]().union(*seen.values())
        for put in requests_with_an_id():
            if (put[-1] == "user_id") != (kind == "user in another graph") or (kind, put[-1]) in OF_ITS_OWN:
                continue  # in another graph everything is like this; their own graph the others know
            hidden = (
                str(house.user.user_id) if put[-1] == "user_id" else max(ids[OF_A_KIND.get(put[-1], put[-1])] - shown)
            )
            nowhere = OTHERS.get(put[-1], str(uuid4()))
            there, missing = [await answered(door, put, value, user, {**ids, **seen}) for value in (hidden, nowhere)]
            asked[there[0]] += 1
            if there != missing:
                differ.append((kind, put, there, missing))
    assert differ == [] and asked[404] > 400, asked


MEMORY = ("record/{node_id}/{record_id}", "item/{node_id}/{item_id}")
OF_TOOLS = {
    "add_memory": ({"text": "A boat."}, {"node_id": ("{node_id}",)}),
    "add_fact": ({"text": "Nils owns a boat."}, {"node_id": ("{node_id}",)}),
    "list_memories": ({}, {"node_id": ("{node_id}",)}),
    "get_memory": ({}, {"memory_id": MEMORY}),
    "update_memory": ({"content": "A boat."}, {"memory_id": MEMORY}),
    "delete_memory": ({}, {"memory_id": MEMORY}),
    "get_entity": ({}, {"entity_id": ("{entity_id}",)}),
    "explain": ({}, {"relation_id": ("{relation_id}",)}),
    "undo": (
        {},
        {"id": ("merge/{merge_id}", "retraction/{retraction_id}", f"change/{MEMORY[0]}/2", f"change/{MEMORY[1]}/2")},
    ),
}
"""Tools with an id: the arguments beside it, and what is put in."""


def test_every_tool_with_an_id_is_asked() -> None:
    names = {
        name
        for name, tool in TOOLS.items()
        if any(re.search(r"(^|_)id$", one) for one in tool.parameters["properties"])
    }
    assert names == OF_TOOLS.keys()


@pytest.mark.ledger("N31", "U04")
async def test_tools_and_resources_of_assistants_do_the_same(
    engine: Engine, own_house: House, open_door: OpenDoor, tmp_path: Path, strangers: dict[str, tuple[str, str]]
) -> None:
    ids = await filled(engine, open_door(own_house.secrets["user"], api_token=SecretStr(OPERATOR)), own_house, tmp_path)
    hidden = {name: max(ids[name]) for name in ids} | {"node_id": str(own_house.nodes["Family"])}
    nowhere, differ = {name: str(uuid4()) for name in ids}, []
    async with serving(engine, api_token=SecretStr(TOKEN)) as port:
        for kind in ("user at home", "persona", "integration"):
            secret, user = strangers[kind]
            async with over_http(port, secret, f"/v1/users/{user}/mcp") as session:
                for name, (beside, put) in OF_TOOLS.items():
                    for argument, shape in ((argument, shape) for argument, shapes in put.items() for shape in shapes):
                        given = [shape.format_map(one) for one in (hidden, nowhere)]
                        calls = [await session.call_tool(name, {**beside, argument: one}) for one in given]
                        there, missing = [
                            same(call.model_dump_json(), one) for call, one in zip(calls, given, strict=True)
                        ]
                        allowed = name != "add_fact" or kind == "user at home"
                        if there != missing or (NOTHING_THERE not in there and allowed):
                            differ.append((kind, name, there, missing))
                for template in TEMPLATES:
                    one = {"entities": "entity_id", "nodes": "node_id", "documents": "document_id"}[template.name]
                    for values in (hidden, nowhere):
                        with pytest.raises(MCPError, match="Not found"):
                            await session.read_resource(template.uri_template.replace("{id}", values[one]))
    assert differ == []
