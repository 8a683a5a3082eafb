"""What the object store must hold after files were taken in, whatever kind it is."""

from __future__ import annotations

import gzip

from engine.domain.history import Conversation, Turn
from engine.domain.node import NewNode, User
from engine.neurigraph import Engine


async def one_compressed_object_a_file(engine: Engine, user: User) -> None:
    """Two files in a node of layer 2: one object each, gzip, at the node's path, the file's id and its name."""
    memory = engine.memory(user.user_id)
    family = await memory.nodes.provision(NewNode(user.user_id, "Family"))
    sisters = await memory.nodes.provision(NewNode(family.node_id, "Älteste Schwestern"))
    files = {}
    for name in ("c1", "c2"):
        said = f"The walleye of Loon Lake, {name}."
        report = await memory.records.remember(Conversation(name, (Turn("Ann", said),)), node_id=sisters.node_id)
        files[str(report.records[0].file_id)] = said
    root = (await memory.nodes.shell(user.user_id)).schema_name
    keys = [entry.key async for entry in engine.objects.listing(f"{root}/")]
    assert sorted(key.split("/")[3] for key in keys) == sorted(files)
    for key in keys:
        *place, file_id, name = key.split("/")
        assert place == [root, "family", "alteste_schwestern"] and name.endswith(".gz")
        packed = b"".join([block async for block in engine.objects.read(key)])
        assert files[file_id] in gzip.decompress(packed).decode()
