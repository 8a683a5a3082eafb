"""Each statement that reads for a person takes the principal and filters every node that it tells of.

Community has no roles: the filters are parts (`cypher/engine/parts/`), and every statement is read for where it uses them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.stores.statements import CYPHER_FOLDER, sql_source

ROOT = Path(__file__).resolve().parents[2]
FOLDERS_OF_THE_SERVICE = {
    "schema",
    "doctor",
    "access",
    "lifecycle",
    "embedding",
    "bench",
    "leaks",
    "forget",
    "trace",
    "archive",
}
WRITES_OF_THE_OUTBOX = {
    "node/provision.cypher", "node/revised.cypher", "record/apply.cypher", "record/revised.cypher", "edge/revised.cypher",
    "entity/mentioned.cypher", "entity/merged.cypher", "entity/merge_undone.cypher", "entity/related.cypher", "entity/apart.cypher",
    "entity/retracted.cypher", "entity/reworded.cypher", "entity/decided.cypher", "entity/corrected.cypher", "entity/alias_decided.cypher", "entity/intention_decided.cypher",
    "fact/stated.cypher",
}  # fmt: skip
"""Their rows come from a commit that Postgres accepted under the principal's policies."""

STATEMENTS = sorted(
    name
    for path in CYPHER_FOLDER.rglob("*.cypher")
    if (name := path.relative_to(CYPHER_FOLDER).as_posix()) not in WRITES_OF_THE_OUTBOX
    and name.split("/")[0] not in FOLDERS_OF_THE_SERVICE | {"parts"}
)

FOR_THE_USER_ONLY = {
    "node/state.cypher", "node/tree.cypher", "node/timeline.cypher", "edge/between.cypher", "edge/by_id.cypher", "edge/ends.cypher",
    "entity/aliases.cypher", "entity/described.cypher", "entity/intentions.cypher", "entity/mentioned_together.cypher", "entity/merges.cypher", "entity/of_user.cypher", "entity/pair.cypher", "entity/pairs.cypher", "entity/relations.cypher", "entity/stated_by.cypher", "entity/stated_by_facts.cypher",
    "record/of_source.cypher", "record/places.cypher",
    "community/entities.cypher", "community/joined.cypher", "community/named.cypher", "community/relations.cypher", "community/records.cypher", "community/page.cypher", "community/holding.cypher",
}  # fmt: skip
"""Only the user shapes a graph and sees all of it: what is about to change is read for nobody else."""

FILTER = re.compile(r"part\.(?:readable|opened|writable|mentioned|known_by)\((\w+)(?:, [\w']+)?\)")
"""The parts that ask whether the principal has a right to a node."""
COLLECTED = re.compile(
    r"CASE WHEN \$principal = \$user_id THEN \[\] ELSE COLLECT {\s+MATCH \(r:Node {user_id: \$user_id}\)\s+"
    r"WHERE r\.name_key IS NOT NULL AND part\.readable\(r\)\s+RETURN r\.node_id\s+} END AS readable"
)
"""What others than the user may read, collected once in a statement that filters often."""
LISTED = re.compile(r"\(\$principal = \$user_id OR (\w+)\.node_id IN readable\)")
"""The filter of one variable by what was collected."""


def filtered(text: str) -> set[str]:
    """The variables that a statement filters."""
    return set(FILTER.findall(text)) | (set(LISTED.findall(text)) if COLLECTED.search(text) else set())


def without_filters(text: str) -> str:
    """The text without its filters; those by a list that was not collected as it has to be stay."""
    if COLLECTED.search(text):
        text = LISTED.sub("", COLLECTED.sub("", text))
    return FILTER.sub("", text)


def body(name: str) -> str:
    text = (CYPHER_FOLDER / name).read_text(encoding="utf-8")
    return "\n".join(line for line in text.splitlines() if not line.startswith("//"))


TOLD = re.compile(r"\b(\w+) ?(?:\.|{\.)(?:node_id|name|parent_id|summary|keywords|aliases)\b")
"""A variable whose data goes out, or is compared."""
PARAMETERS_OF_LISTS = {"one", "finding", "anchor"}
"""Maps that carry nodes which were filtered where they were found. `s` and `was` are past states of filtered nodes."""
FILTERED_ELSEWHERE = {
    ("entity/of_user.cypher", "root"): "the user's own name, for the user alone: the WHERE beside it says so",
    ("node/of_user.cypher", "root"): "the user's root: only its schema's name is taken, for the keys of files",
    ("node/of_user.cypher", "p"): "place holds all names on the way, for the keys of files; path is filtered",
    ("search/anchors.cypher", "root"): "the user's root, from which every way down begins; nothing of it is told",
    ("search/anchors.cypher", "node"): "the full-text index gives it; filtered by the same name",
    (
        "entity/relations_then.cypher",
        "relation",
    ): "told where a record speaks for it that may be read, and is between entities that are filtered",
    ("entity/why.cypher", "relation"): "told where a record speaks for it that may be read",
}


@pytest.mark.ledger("N31", "X01")
@pytest.mark.parametrize("name", STATEMENTS)
def test_every_node_that_is_told_is_filtered(name: str) -> None:
    text = body(name)
    assert ("$principal" in text or FILTER.search(text)) and "$user_id" in text
    if name in FOR_THE_USER_ONLY:
        assert "WHERE $principal = $user_id AND trim($kind) = 'user' AND n.user_id = $user_id" in text
        return
    outside = without_filters(text)
    nodes = {variable for variable in re.findall(r"\((\w+):Node\b", outside)}
    nodes |= set(TOLD.findall(outside)) - {"e", "r", "s", "was"} - PARAMETERS_OF_LISTS
    assert nodes or filtered(text)
    for variable in sorted(nodes):
        assert variable in filtered(text) or (name, variable) in FILTERED_ELSEWHERE, f"{variable} is not filtered"


@pytest.mark.ledger("N31", "X01")
@pytest.mark.parametrize("name", STATEMENTS)
def test_every_question_for_rights_is_a_part(name: str) -> None:
    """Nothing asks in other words, and rights are looked up by their part alone."""
    text = body(name)
    outside = without_filters(text)
    assert "GRANTED" not in outside and "Persona" not in outside and "Subject" not in outside
    assert ("part.rights() AS rights" in text) == bool(FILTER.search(text)) and text.count(" AS rights") <= 1
    for asked in () if name in FOR_THE_USER_ONLY else re.findall(r".{0,12}\$principal = \$user_id.{0,40}", outside):
        assert re.search(
            r"CASE WHEN \$|WHERE \$|\(\$principal = \$user_id OR coalesce\(r\.(?:privacy|moved_at)", asked
        ), asked


KEPT = {"entity/page": 3}
"""Ways to records by what the graph keeps counted, in two parts that are for the user of the graph alone."""


@pytest.mark.ledger("N31", "X01")
@pytest.mark.parametrize(
    "name",
    [
        "entity/page",
        "entity/shown",
        "entity/relations_then",
        "entity/why",
        "parts/called",
        "parts/mentioned",
        "parts/names_used",
    ],
)
def test_what_is_told_of_an_entity_comes_from_records_that_may_be_read(name: str) -> None:
    """Every way to a record asks for its link, for the record, and for its node."""
    text = re.sub(r"\(@?\w+\)-\[", "-[", body(f"{name}.cypher"))
    ways = re.findall(r"-\[(\w+):(?:MENTIONS|EVIDENCE)[^\]]*\]-\((\w+):Record\)<-\[:HOLDS\]-\((\w+):Node\)", text)
    assert ways
    for link, record, node in ways:
        asked = f"part.holds({link}) AND part.shown({record}) AND part.opened({node}, 'records')"
        assert asked in text
    others = len(re.findall(r":(?:MENTIONS|EVIDENCE)\b(?!\()", text)) - len(ways)
    newest = "UNWIND newest AS r\n  MATCH (member)<-[m:MENTIONS]-(r)"
    kept = KEPT.get(name, 0)
    assert text.count("WHERE $principal = $user_id AND $kept AND") == min(kept, 2)
    assert others - kept == (newest in body(f"{name}.cypher")), "the mentions of records that were found so"


@pytest.mark.ledger("N31", "X01")
def test_rights_are_asked_in_one_part_that_three_use() -> None:
    text = body("parts/reached.cypher")
    assert text.startswith("$principal = $user_id OR EXISTS { (@node)<-[way:HAS_CHILD*0..5]-(top:Node)")
    moment = "all(step IN way WHERE coalesce(endNode(step).placed_at <= $earliest, true))"
    assert moment in text, "what was moved there is shown from then on"
    assert "any(right IN rights WHERE right.node_id = top.node_id AND right.depth >= size(way) AND @also)" in text
    conditions = {"readable": "true", "opened": "@field IN right.fields", "writable": "right.mode = 'read_write'"}
    for name, also in conditions.items():
        assert body(f"parts/{name}.cypher").strip() == f"part.reached(@node, {also})"


@pytest.mark.ledger("N31")
@pytest.mark.parametrize("name", STATEMENTS)
def test_no_variable_of_a_statement_is_hidden_by_the_filters_own(name: str) -> None:
    """The filters bind way and top: a statement that uses these names outside would be asked about itself."""
    assert not re.search(r"[(\[](?:top|way|g)[:)\]]", without_filters(body(name)))


# statements of Postgres that are sent with a principal ---------------------------------------------------

DEFINERS_FOR_A_PRINCIPAL = {
    "nodes_apart": "asks can(): of nodes that the principal may read, those that others may not read",
    "doubts_shown": "only the user's own facts",
    "owns": "whether the caller is the user of the node's graph",
    "active_embeddings": "the name of a model",
    "archive_node": "asks owns()",
    "audience": "answers the node's user only",
    "begin_retraction": "the user's own graph, records at its own nodes",
    "begin_ingest": "a session of the principal's own graph, taken up again by whoever began it",
    "can": "the rules",
    "claim_file": "asks schema_of_file(), which asks can() and owns()",
    "commit_is_set_aside": "yes or no about a commit whose id the caller has",
    "commit_is_pending": "yes or no about a commit whose id the caller has",
    "end_ingest": "sessions that the principal began",
    "end_retraction_step": "the user's own retractions only",
    "attributes_shown": "the user's own graph, nothing for anyone else",
    "enter_attributes": "asks can() and owns() for each fact; what is missing or forbidden is passed over",
    "enter_facts": "asks can() and owns() for each fact; one answer for what is missing and what is forbidden",
    "fact_groups": "the user's own graph, nothing for anyone else",
    "follow_items": "the user's own facts only, nothing for anyone else",
    "fact_texts": "the user's own graph, nothing for anyone else",
    "facts_around": "the user's own graph, nothing for anyone else",
    "facts_behind": "the user's own graph, nothing for anyone else",
    "facts_chained": "asks can(), owns() for what is private; what is over only where the principal may write",
    "facts_held": "asks can() of who may write there, leaves out what is private unless owns()",
    "facts_near": "asks can(), leaves out what is private unless owns()",
    "facts_described": "the user's own graph, nothing for anyone else",
    "facts_shown": "the user's own graph, nothing for anyone else",
    "is_forgotten": "the principal's own keys in the graph that it belongs to only",
    "file_state": "asks schema_of_file(), which asks can() and owns()",
    "finish_commit": "asks may_commit()",
    "grant_node": "asks owns()",
    "log_failure": "adds to the log of the principal's own graph, tells nothing",
    "move_record": "asks can() at both nodes, and owns() for what is private",
    "note_ingested": "sessions that the principal began",
    "note_due": "asks can(), tells nothing",
    "note_readings": "asks can(), tells nothing",
    "note_refused": "adds to the log, tells nothing",
    "part_files": "asks can(), nothing for the user, and leaves out what is private or ended before the right",
    "part_passages": "asks part_files()",
    "provision_node": "asks owns(), then can()",
    "reads_from": "the rules",
    "record_passages": "asks can(), leaves out what is private unless owns(), and other parts of a document, too",
    "require_embeddings": "whether a model is the active one",
    "restate_facts": "the user's own facts only; one answer for what is missing and what is another's",
    "retraction_step": "the user's own retractions only",
    "retractions_shown": "the user's own retractions only",
    "review_file_state": "entries about the user's own graph only",
    "revise_node": "asks owns()",
    "revoke_grant": "its own user's grants only",
    "settle_failure": "entries about the user's own graph only",
    "sources_held": "the principal's own keys in the graph that it belongs to only",
    "store_again": "tombstones of the principal's own keys in the graph that it belongs to only",
    "sleep_file": "asks schema_of_file() for the right to write",
    "subject_deltas": "asks can(), and owns() for what is private",
    "undo_retraction": "the user's own retractions only",
    "hold_writes": "says of a user nothing but that the user is being forgotten",
    "nodes_within": "the rules of can() for all nodes; said by the principal of the transaction",
    "principal_graph": "says whose graph the principal belongs to, nothing else",
    "subject_name": "subjects of the user's own grants only",
    "workspace_of": "of the graph that the principal belongs to only",
}
"""Functions that run with the owner's rights and that a statement for a principal may name, with what guards each."""
CALLERS_OWN_RIGHTS = {
    "claim_request",
    "accept_commit",
    "advance_source",
    "search_widened",
    "append_turns",
    "context_items",
    "context_records",
    "damaged_nodes",
    "facts_read",
    "end_conversation",
    "principal_id",
    "settle_conversation",
    "path_at",
    "grant_preview",
    "item_excerpts",
    "facts_in_doubt",
    "turns_sampled",
    "reads_whole_past",
    "subjects_changed",
    "template_version",
    "search_nodes",
    "search_younger_nodes",
    "search_counts",
    "search_vectors",
    "search_scan",
    "search_contents",
    "search_decayed",
    "record_holds",
    "record_title",
    "records_after",
    "records_there",
    "replay_counts",
    "replayed_outdated",
}


OF_THE_SERVICE = {
    "user/provision": "the user does not exist yet",
    "tombstone/enter": "the plan of a forgetting",
    "tombstone/records_of_user": "a mend",
}
IN_A_BLOCK = ("as_principal(", "units.begin(", "UnitOfWork", "from engine.stores.postgres import Connection")


def sent_for_a_principal() -> list[str]:
    """Statements named in Python beside a principal: by `fetch(principal`, `change(principal`, `call(principal` or in a request's
    block, or on a connection that a module is given."""
    found = set()
    for path in (ROOT / "engine").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(
            r"(?:\.fetch|\.change|\bcall)\(\s*principal,\s*sql_(?:text|in)\(\s*\"([\w/]+)\"", text
        ):
            found.add(match.group(1))
        if any(sign in text for sign in IN_A_BLOCK) and "as_service(" not in text:
            found.update(re.findall(r"sql_(?:text|in)\(\s*\"([\w/]+)\"", text))
    return sorted(found - OF_THE_SERVICE.keys())


@pytest.mark.ledger("N31", "X01")
@pytest.mark.parametrize("name", sent_for_a_principal())
def test_a_statement_for_a_principal_bypasses_nothing(name: str) -> None:
    text = sql_source(name)
    statement = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    called = set(re.findall(r"engine\.(\w+)\s*\(", statement))
    tables = {match for match in re.findall(r"(?:INTO|UPDATE) engine\.(\w+)", statement)}
    called -= tables
    assert called <= DEFINERS_FOR_A_PRINCIPAL.keys() | CALLERS_OWN_RIGHTS, called


@pytest.mark.ledger("N31", "X01")
async def test_the_request_role_may_call_no_other_function_that_bypasses(engine) -> None:
    """What the role may execute with the owner's rights is known by name, with its reason."""
    harmless = {
        "embedding_slot": "where a model's vectors lie",
        "granted": "the rules",
        "may_accept": "the rules",
        "may_commit": "the rules",
        "own_keys": "the rules",
        "owns": "the rules",
        "principal_graph": "the rules",
        "search_worded": "asks can(), and holds the rule of the policy in its statement: shown_rule()",
        "shown_from": "the rules",
        "version_is_shown": "the rules: asks can()",
    }
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute(
            "SELECT p.proname FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace"
            " WHERE n.nspname = 'engine' AND p.prosecdef AND has_function_privilege('neurigraph_request', p.oid, 'EXECUTE')"
        )
        definers = {row["proname"] for row in await cursor.fetchall()}
    assert definers == DEFINERS_FOR_A_PRINCIPAL.keys() | harmless.keys()
