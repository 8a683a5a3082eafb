-- Purpose: takes from PUBLIC what makes and writes large objects, the one thing that every role may write. For a superuser. Parameters: none. Returns: nothing.
REVOKE EXECUTE ON FUNCTION pg_catalog.lo_creat(integer), pg_catalog.lo_create(oid), pg_catalog.lo_from_bytea(oid, bytea), pg_catalog.lo_put(oid, bigint, bytea),
    pg_catalog.lowrite(integer, bytea), pg_catalog.lo_truncate(integer, integer), pg_catalog.lo_truncate64(integer, bigint), pg_catalog.lo_unlink(oid) FROM PUBLIC
