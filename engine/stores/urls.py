"""Addresses of managed stores: the parts of one of Postgres, another role on the same server, TLS by the operator's own
certificate authority. The store then must present a certificate of it that is valid for the host name."""

from __future__ import annotations

import ssl
from pathlib import Path

from psycopg import conninfo

from engine.errors import SettingsError


def url_parts(url: str) -> dict[str, str]:
    """Host, port, user, password, dbname and options, as far as the URL has them."""
    return {name: str(value) for name, value in conninfo.conninfo_to_dict(url).items() if value is not None}


def with_role(url: str, user: str, password: str) -> str:
    """The address of the same database for another role."""
    return conninfo.make_conninfo(url, user=user, password=password)


def in_database(url: str, database: str) -> str:
    """The address of the same role in a database of the same server."""
    return conninfo.make_conninfo(url, dbname=database)


def authority(file: Path | None, setting: str) -> Path | None:
    """The file of an authority, checked to hold certificates in PEM form. `setting` names it in the SettingsError."""
    if file is None:
        return None
    try:
        ssl.create_default_context(cafile=file)
    except ssl.SSLError as error:
        raise SettingsError(f"{setting}: {file} holds no certificate in PEM form.") from error
    except OSError as error:
        raise SettingsError(f"{setting}: {file} cannot be read ({error.strerror}).") from error
    return file


def encrypted(url: str, authority: Path | None) -> str:
    """The URL with TLS required and verified, by the authority and for the host name; raises SettingsError."""
    if authority is None:
        return url
    mode = url_parts(url).get("sslmode", "verify-full")
    if mode != "verify-full":
        raise SettingsError(f"NEURIGRAPH_POSTGRES_CA means sslmode=verify-full; the URL says sslmode={mode}.")
    # Kerberos would be tried before TLS, without the certificate
    return conninfo.make_conninfo(url, sslmode="verify-full", sslrootcert=str(authority), gssencmode="disable")
