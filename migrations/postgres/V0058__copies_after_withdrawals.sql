-- The copy of entities and relations for SQL shows nothing that was withdrawn or renamed since: it is empty until it is made again.

-- Uses functions: commit/may_withdraw, commit/drop_copied
CREATE TRIGGER drop_copied AFTER INSERT ON engine.outbox FOR EACH ROW EXECUTE FUNCTION engine.drop_copied();
