"""A condition of an SQL function about rights that is taken away is noticed by the leak fuzzer."""

from __future__ import annotations

import pytest

from engine.lab.leaks.model import World
from engine.neurigraph import Engine
from tests.access.mutations import EVERY_ROW, as_service, known, noticed

pytestmark = pytest.mark.usefixtures("guards")

SCAN = (
    "engine.search_scan(uuid[],text[],public.vector,text,public.sparsevec,public.sparsevec,text[],text[],text[],"
    "timestamp with time zone,timestamp with time zone,jsonb)"
)
GRANTED = "engine.granted_from(text,uuid[],text)"
GIVE = "engine.grant_node(uuid,uuid,text,uuid,text,integer,text[],text,timestamp with time zone,boolean)"
RULES: dict[str, tuple[str, str, str, str]] = {
    # name: function, condition as it stands in the database, what stands there instead, where it shows
    "expiry": (
        GRANTED,
        "(g.expires_at IS NULL OR g.expires_at > statement_timestamp())", "true", EVERY_ROW,
    ),
    "revocation": (GRANTED, "g.revoked_at IS NULL", "true", EVERY_ROW),
    "subject": (GRANTED, "g.subject_id = id", "true", EVERY_ROW),
    "subject kind": (
        GRANTED, "g.subject_kind = kind", "true", "search nodes",
    ),
    "depth": (
        GRANTED,
        "cardinality(p_lineage) - array_position(p_lineage, g.node_id) <= g.depth", "true", EVERY_ROW,
    ),
    "granted node": (
        GRANTED, "g.node_id = ANY (p_lineage)", "true", EVERY_ROW,
    ),
    "mode": (
        GRANTED,
        "(p_mode = 'read' OR g.mode = 'read_write')", "true", "insert into a node",
    ),
    "fields": (
        GRANTED,
        "(p_field IS NULL OR p_field = ANY (g.fields))", "true", "rows of a node",
    ),
    "user's own graph": (
        "engine.can(text,uuid,text)", "n.user_id = id", "true", "rows of a node",
    ),
    "persona's graph": (
        "engine.can(text,uuid,text)", "n.user_id = engine.principal_graph()", "true", EVERY_ROW,
    ),
    "persona's subtree": (
        "engine.can(text,uuid,text)", "id = ANY (n.lineage)", "true", EVERY_ROW,
    ),
    "persona's subtree is to read": (
        "engine.can(text,uuid,text)",
        "p_mode = 'read' AND id = ANY (n.lineage)", "id = ANY (n.lineage)", "insert into a node",
    ),
    "integrations read": (
        "engine.can(text,uuid,text)",
        "p_mode = 'read' AND engine.granted(p_mode, n.lineage, p_field)",
        "engine.granted(p_mode, n.lineage, p_field)", "insert into a node",
    ),
    "node asked for": ("engine.can(text,uuid,text)", "n.node_id = p_node", "true", EVERY_ROW),
    "unknown kinds": ("engine.can(text,uuid,text)", "ELSE false", "ELSE true", "rows of a node"),
    "private is the user's": (
        "engine.owns(uuid)", "kind = 'user'", "true OR kind = 'user'", "rows of a node",
    ),
    "owner's kind": ("engine.owns(uuid)", "kind = 'user'", "true", EVERY_ROW),
    "owner's node": ("engine.owns(uuid)", "n.user_id = id", "true", "give refused"),
    "a persona is a persona": (
        "engine.principal_graph()", "n.node_type = 'persona'", "true", EVERY_ROW,
    ),
    "user commits at home": ("engine.may_commit(uuid,text,jsonb)", "p_user = engine.principal_id()", "true", "commit"),
    "persona commits at home": (
        "engine.may_commit(uuid,text,jsonb)", "p_user = engine.principal_graph()", "true", "commit",
    ),
    "persona commits contents": (
        "engine.may_commit(uuid,text,jsonb)", "engine.change_writers(c.kind) = 'writers'", "true", "commit",
    ),
    "rows name the user of the commit": (
        "engine.may_accept(uuid,text,jsonb)", "r.part ->> 'user_id' IS DISTINCT FROM p_user::text", "false", "commit",
    ),
    "persona commits where it may write": (
        "engine.may_commit(uuid,text,jsonb)", "engine.can('write', (r.part ->> 'node_id')::uuid)", "true", "commit",
    ),
    "functions commit nodes": (
        "engine.may_accept(uuid,text,jsonb)", "engine.change_writers(c.kind) <> 'functions'", "true", "commit",
    ),
    "commits of older releases": (
        "engine.graph_changes(text,jsonb)", "coalesce(c.change ->> 'kind', p_kind)", "coalesce(c.change ->> 'kind', 'records')", "commit",
    ),
    "every change of a commit": (
        "engine.graph_changes(text,jsonb)",
        "WHEN jsonb_typeof(p_payload -> 'changes') = 'array' THEN p_payload -> 'changes'",
        "WHEN jsonb_typeof(p_payload -> 'changes') = 'array' THEN jsonb_build_array(p_payload -> 'changes' -> 0)", "commit",
    ),
    "persona's own keys": ("engine.own_keys()", "('persona:'::text || engine.principal_id())", "''::text", "shared rows"),
    "file is granted": (
        "engine.schema_of_file(text,uuid,uuid)", "engine.can(p_mode, p_node, 'files')", "true", "file state",
    ),
    "private file is the user's": (
        "engine.schema_of_file(text,uuid,uuid)", "r.privacy <> ''private'' AND NOT f.part", "NOT f.part", "file state",
    ),
    "who puts a file to sleep may write": ("engine.sleep_file(uuid,uuid,timestamp with time zone)", "'write'", "'read'", "file state"),
    "grantor owns": (
        GIVE,
        "NOT engine.owns(p_node)", "false", "give refused",
    ),
    "grantee is of the graph": (
        GIVE,
        "n.node_id = p_subject AND n.user_id = owner", "n.node_id = p_subject", "give refused",
    ),
    "grantee is a persona": (
        GIVE,
        "AND n.node_type = 'persona' AND n.state = 'live'", "", "give refused",
    ),
    "integration is of the workspace": (
        GIVE,
        "u USING (workspace_id)", "u ON true", "give refused",
    ),
    "revoked by its grantor": (
        "engine.revoke_grant(uuid,uuid)", "AND g.user_id = owner FOR UPDATE", "FOR UPDATE", "revoke refused",
    ),
    "audience for the owner": (
        "engine.audience(uuid,timestamp with time zone)", "AND n.user_id = engine.principal_user()", "", "audience",
    ),
    "parent is the owner's": (
        "engine.provision_node(uuid,uuid,text,text,text,text[],jsonb)",
        "NOT engine.owns(p_parent)", "false", "provision refused",
    ),
    "deltas for writers": (
        "engine.subject_deltas(uuid,uuid,integer,integer)", "NOT engine.can('write', p_node)", "false", "subject deltas",
    ),
    "private deltas for the owner": (
        "engine.subject_deltas(uuid,uuid,integer,integer)", "others OR engine.owns(p_node)", "true", "subject deltas",
    ),
    "names of own subjects": (
        "engine.subject_name(uuid)", "(g.user_id = engine.principal_user())", "true", "subject name",
    ),
    "a grant shows from its beginning": (
        GRANTED, "CASE WHEN g.past THEN '-infinity' ELSE g.granted_at END", "'-infinity'::timestamptz", "rows of a node, metadata",
    ),
    "with the past only where it says so": (GRANTED, "CASE WHEN g.past THEN", "CASE WHEN NOT g.past THEN", "rows of a node, metadata"),
    "what was moved below a granted node": (
        GRANTED, "engine.placed_below(p_lineage, g.node_id)", "'-infinity'::timestamptz", "metadata, search",
    ),
    "what was moved below a persona": (
        "engine.reads_from(uuid,text)", "THEN engine.placed_below(node.lineage, id) END", "THEN '-infinity'::timestamptz END",
        "metadata, search",
    ),
    "all of the past for its user": ("engine.reads_whole_past(uuid)", "RETURN engine.owns(p_node) OR", "RETURN true OR", "rows of a node"),
    "private rows for the owner": ("engine.shown_from(uuid,text)", "IF engine.owns(p_node) THEN", "IF true THEN", "rows of a node"),
    "ended rows from then on": (
        "engine.shown_from(uuid,text)", "ELSE greatest(since, oldest) + interval", "ELSE oldest + interval", "rows of a node"),
    "parts for those who read the record": (
        "engine.part_files(uuid)", "NOT engine.can('read', p_node, 'files')", "false", "metadata, file",
    ),
    "parts of what was shown": (
        "engine.file_is_shown(text,uuid,uuid,text)",
        "least(s.known_to, s.valid_to) > greatest(s.moved_at, $3)", "true", "older file",
    ),
    "deltas from then on": ("engine.subject_deltas(uuid,uuid,integer,integer)", "AND ($4 OR created_at >= $5)", "", "subject deltas"),
    "values from then on": (
        "engine.told_payload(jsonb,timestamp with time zone,text,timestamp with time zone)",
        "ELSIF p_effect < p_since THEN", "ELSIF false THEN", "history",
    ),
    "nodes in deltas": (
        "engine.told_payload(jsonb,timestamp with time zone,text,timestamp with time zone)",
        "CONTINUE WHEN engine.can(", "CONTINUE WHEN true OR engine.can(", "history",
    ),
    "reasons of others": (
        "engine.told_payload(jsonb,timestamp with time zone,text,timestamp with time zone)",
        "CASE WHEN own THEN told ELSE", "CASE WHEN true THEN told ELSE", "history",
    ),
    "authors of deltas": (
        "engine.subject_deltas(uuid,uuid,integer,integer)", "CASE WHEN $4 OR authored_by NOT LIKE", "CASE WHEN true OR authored_by NOT LIKE",
        "history",
    ),
    "versions where they may be read": (
        "engine.version_is_shown(uuid,integer)", "engine.can('read', node, 'records') AND", "", "shared rows",
    ),
    "what was moved in a search": (
        SCAN, "AND (moved_at > $11) IS NOT TRUE", "", "search",
    ),
    "a search's graph": (
        "engine.search_nodes(uuid,uuid[],timestamp with time zone,timestamp with time zone,integer)",
        "(n.user_id = search_nodes.p_user)", "true", "search nodes",
    ),
    "a search's scopes": (SCAN, "(scope = ''user'' OR scope || '':'' || scope_id = ANY ($10))", "true", "search"),
    "a search's sources": (SCAN, "i.source = ANY ($9)", "true", "search"),
    "a search's tags": (SCAN, "lower(i.tags::text)::text[] && $13", "true", "search"),
    "a search's entities": (SCAN, "i.entities && $14", "true", "search"),
    "a search's time": (SCAN, "i.occurred_at >= $15", "true", "search"),
}  # fmt: skip
REDUNDANT_RULES = {
    "granted node": "the depth is NULL for a node that is not on the way, and so not small enough",
    "integrations read": "granted('write') wants read_write, which no grant to an integration has (CHECK)",
    "persona commits at home": "can('write') holds for nodes of the persona's own graph only",
    "parent is the owner's": "provision_own_node asks can('write'), the engine refuses all but users, and a user's "
    "parent is looked up under the policies",
}
LETS_WRITE = {
    "owner's node",
    "grantor owns",
    "grantee is of the graph",
    "grantee is a persona",
    "integration is of the workspace",
    "revoked by its grantor",
}


@pytest.mark.ledger("X01")
@pytest.mark.parametrize("name", known(RULES, REDUNDANT_RULES, large=()))
async def test_a_condition_taken_away_is_noticed(engine: Engine, world: World, spoiled: World, name: str) -> None:
    function, condition, instead, kinds = RULES[name]
    async with engine.postgres.as_service() as connection:
        cursor = await connection.execute("SELECT pg_get_functiondef(%s::regprocedure) AS text", [function])
        text = (await cursor.fetchone())["text"]
    assert text.count(condition) >= 1, text
    at = text.rindex(condition) if name in ("integrations read",) else text.index(condition)
    try:
        await as_service(engine, text[:at] + instead + text[at + len(condition) :])
        forest = spoiled if name in LETS_WRITE else world
        found = await noticed(engine, forest, kinds, redundant=name in REDUNDANT_RULES)
    finally:
        await as_service(engine, text)
    assert bool(found) == (name not in REDUNDANT_RULES), (REDUNDANT_RULES.get(name), found)
