"""Addresses of Postgres: their parts, another role on the same server, TLS."""

from __future__ import annotations

from pathlib import Path

from psycopg import conninfo

from engine.errors import SettingsError


def url_parts(url: str) -> dict[str, str]:
    """Host, port, user, password, dbname and options, as far as the URL has them."""
    return {name: str(value) for name, value in conninfo.conninfo_to_dict(url).items() if value is not None}


def with_role(url: str, user: str, password: str) -> str:
    """The address of the same database for another role."""
    return conninfo.make_conninfo(url, user=user, password=password)


def encrypted(url: str, authority: Path | None) -> str:
    """The URL with TLS required and verified, by the authority and for the host name; raises SettingsError."""
    if authority is None:
        return url
    mode = url_parts(url).get("sslmode", "verify-full")
    if mode != "verify-full":
        raise SettingsError(f"NEURIGRAPH_POSTGRES_CA means sslmode=verify-full; the URL says sslmode={mode}.")
    # Kerberos would be tried before TLS, without the certificate
    return conninfo.make_conninfo(url, sslmode="verify-full", sslrootcert=str(authority), gssencmode="disable")
