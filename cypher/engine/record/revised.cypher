// Purpose: applies a change of a record in the graph: its present manifest line and its earlier slices; how many items it has where it was
//   renewed, and of a document's new version its file; a record that was moved, and what it mentions, hangs at another node then. Idempotent; an older change
//   that comes late adds its slices and leaves what is newer. The record, its slices and where it is moved to are of the user of the change.
// Parameters: revision {record_id, user_id, revision, own {title, occurred_at, times} or null (nothing holds any more), closed
//   [slice_id], closed_at, added [{slice_id, title, occurred_at, times}], items or null, document {version, file_id, file_name} or null,
//   moved_to: node or null}. Returns: record_id; no row when the manifest lacks it.
MATCH (r:Record {record_id: $revision.record_id})
WHERE r.user_id = $revision.user_id
SET r.since = coalesce(r.since, r.known_from)
WITH r, part.holds_now(r) AS held
FOREACH (row IN $revision.added |
  MERGE (p:Past {slice_id: row.slice_id})
  FOREACH (_ IN CASE WHEN coalesce(p.user_id = $revision.user_id, true) THEN [1] ELSE [] END |
    SET p.user_id = $revision.user_id, p.title = row.title, p.occurred_at = datetime(row.occurred_at),
        p.valid_from = datetime(row.valid_from), p.valid_to = datetime(row.valid_to), p.known_from = datetime(row.known_from),
        p.known_to = coalesce(p.known_to, datetime(row.known_to))
    MERGE (r)-[:WAS]->(p)))
FOREACH (slice_id IN $revision.closed |
  MERGE (p:Past {slice_id: slice_id}) ON CREATE SET p.user_id = $revision.user_id
  FOREACH (_ IN CASE WHEN coalesce(p.user_id = $revision.user_id, true) THEN [1] ELSE [] END |  // one that an older release closed early has none
    SET p.known_to = coalesce(p.known_to, datetime($revision.closed_at))))
FOREACH (own IN CASE WHEN coalesce(r.revision, 1) < $revision.revision AND $revision.own IS NOT NULL THEN [$revision.own] ELSE [] END |
  SET r.title = own.title, r.valid_from = datetime(own.valid_from), r.occurred_at = datetime(own.occurred_at),
      r.valid_to = datetime(own.valid_to), r.known_from = datetime(own.known_from), r.known_to = null,
      r.caption = CASE WHEN coalesce(datetime(own.valid_to) > datetime($revision.closed_at), true) THEN part.content_label(r.content_type) + ': ' + own.title END)
FOREACH (_ IN CASE WHEN coalesce(r.revision, 1) < $revision.revision AND $revision.own IS NULL THEN [1] ELSE [] END |
  SET r.known_to = datetime($revision.closed_at), r.caption = null)
FOREACH (_ IN CASE WHEN coalesce(r.revision, 1) < $revision.revision THEN [1] ELSE [] END | SET r.revision = $revision.revision)
WITH r, held
OPTIONAL MATCH (n:Node)-[:HOLDS]->(r)
FOREACH (_ IN CASE WHEN $revision.items IS NOT NULL AND coalesce(r.counted_revision, 1) < $revision.revision THEN [1] ELSE [] END |
  SET n.items = n.items + $revision.items - r.items,
      n.private_items = coalesce(n.private_items, 0) + CASE r.privacy WHEN 'private' THEN $revision.items - r.items ELSE 0 END,
      r.items = $revision.items, r.counted_revision = $revision.revision)
FOREACH (document IN CASE WHEN coalesce(r.version, 1) < $revision.document.version THEN [$revision.document] ELSE [] END |
  SET r.version = document.version, r.file_id = document.file_id, r.file_name = document.file_name)
WITH DISTINCT r, held
CALL (r) {
  MATCH (source:Node)-[held:HOLDS]->(r), (target:Node {node_id: $revision.moved_to})
  WHERE coalesce(r.moved_revision, 1) < $revision.revision AND target.user_id = $revision.user_id
  DELETE held
  CREATE (target)-[:HOLDS]->(r)
  SET source.records = source.records - 1, source.items = source.items - r.items,
      source.private_records = coalesce(source.private_records, 0) - CASE r.privacy WHEN 'private' THEN 1 ELSE 0 END,
      source.private_items = coalesce(source.private_items, 0) - CASE r.privacy WHEN 'private' THEN r.items ELSE 0 END,
      target.records = target.records + 1, target.items = target.items + r.items,
      target.private_records = coalesce(target.private_records, 0) + CASE r.privacy WHEN 'private' THEN 1 ELSE 0 END,
      target.private_items = coalesce(target.private_items, 0) + CASE r.privacy WHEN 'private' THEN r.items ELSE 0 END,
      target.state = CASE WHEN r.file_id IS NULL OR target.state_seq IS NOT NULL THEN target.state ELSE 'dormant' END,
      r.node_id = target.node_id, r.moved_revision = $revision.revision, r.moved_at = datetime($revision.closed_at)
  WITH r, source, target
  CALL (r, target) { MATCH (r)-[:STATES]->(f:Fact {record_id: r.record_id}) SET f.node_id = target.node_id }
  WITH r, source, target
  MATCH (r)-[m:MENTIONS]->(e:Entity)
  WHERE m.known_to IS NULL
  SET e.mentions = e.mentions  // takes the lock
  SET e.places = part.counted(e, source, -1)
  SET e.places = part.counted(e, target, 1)
  WITH DISTINCT e
  CALL (e) { part.anchored(e) }
}
CALL (r, held) {  // it was ended, or holds again
  MATCH (r)-[m:MENTIONS]->(e:Entity)
  WHERE part.holds_now(r) <> held AND m.known_to IS NULL
  WITH DISTINCT e, datetime($revision.closed_at) AS at
  CALL (e, at) { part.renamed_by_records(e, at) }
}
RETURN r.record_id AS record_id
