"""Where the three stores are: managed ones by their URLs, else the embedded servers."""

from __future__ import annotations

import hashlib
import hmac
from contextlib import AsyncExitStack
from dataclasses import dataclass

from pydantic import SecretStr

from engine.embedded import Stack, attached
from engine.errors import SettingsError
from engine.forgetting.receipts import ReceiptKey
from engine.progress import Progress
from engine.settings import Settings
from engine.stores.encryption import UserKeys, operator_keys
from engine.stores.roles import prepare_roles
from engine.stores.sql_roles import renew_views
from engine.stores.urls import authority, encrypted, in_database, url_parts, with_role


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the three stores are."""

    neo4j_url: str
    neo4j_user: str
    neo4j_password: str
    postgres_url: str
    request_url: str
    objects_url: str
    admin_url: str | None = None
    """Of the embedded Postgres: its superuser, who prepares the roles. A managed one is prepared by hand."""


async def addresses_of(settings: Settings, progress: Progress, stack: AsyncExitStack) -> Addresses:
    """Managed stores where URLs are set; the embedded servers for the others."""
    if settings.neo4j_url and settings.postgres_url:
        if settings.neo4j_password is None:
            raise SettingsError("NEURIGRAPH_NEO4J_URL needs NEURIGRAPH_NEO4J_PASSWORD.")
        url, request = postgres_urls(settings, settings.postgres_url)
        password = settings.neo4j_password.get_secret_value()
        return Addresses(settings.neo4j_url, settings.neo4j_user, password, url, request, objects_url_of(settings))
    if settings.neo4j_url or settings.postgres_url:
        raise SettingsError("Set both NEURIGRAPH_NEO4J_URL and NEURIGRAPH_POSTGRES_URL, or neither.")
    if settings.neo4j_ca or settings.postgres_ca:
        raise SettingsError(
            "NEURIGRAPH_NEO4J_CA and NEURIGRAPH_POSTGRES_CA are for managed stores: set their URLs too."
        )
    embedded = attached(settings.home, settings.cache, progress=progress, base_url=settings.jars_url)
    return embedded_addresses(settings, await stack.enter_async_context(embedded))


def keys_of_users(settings: Settings) -> UserKeys:
    """The keys that encrypt the files of users, in their folder. Raises SettingsError."""
    given = settings.encryption_keys.get_secret_value() if settings.encryption_keys else ""
    if (file := settings.encryption_key_file) is not None:
        try:
            given = f"{given}\n{file.read_text(encoding='ascii')}"
        except (OSError, ValueError) as error:
            raise SettingsError(f"NEURIGRAPH_ENCRYPTION_KEY_FILE: {file} cannot be read.") from error
    keys = operator_keys(given)
    if settings.encrypt and not keys:
        raise SettingsError(
            "NEURIGRAPH_ENCRYPT needs NEURIGRAPH_ENCRYPTION_KEYS or NEURIGRAPH_ENCRYPTION_KEY_FILE: "
            "`neurigraph encryption-key new` prints a key."
        )
    return UserKeys(settings.user_keys or settings.home / "user-keys", keys)


def key_of_receipts(settings: Settings) -> ReceiptKey:
    """The key that signs the receipts of forgettings, in its file."""
    return ReceiptKey(settings.receipt_key or settings.home / "receipt-key.pem")


def embedded_addresses(settings: Settings, servers: Stack) -> Addresses:
    """The embedded servers, as they were started."""
    return Addresses(
        servers.neo4j_url,
        servers.neo4j_user,
        servers.neo4j_password,
        servers.postgres_url,
        request_url(servers.postgres_url),
        objects_url_of(settings),
        servers.postgres_admin_url,
    )


def objects_url_of(settings: Settings) -> str:
    """Where the files lie: as set, else in the home."""
    folder = (settings.home / "objects").absolute().as_uri()
    return settings.objects_url.get_secret_value() if settings.objects_url else folder


def postgres_urls(settings: Settings, service_url: SecretStr) -> tuple[str, str]:
    """The URLs of both roles of a managed Postgres. Raises SettingsError where they contradict the authority."""
    trusted = authority(settings.postgres_ca, "NEURIGRAPH_POSTGRES_CA")
    url, own = encrypted(service_url.get_secret_value(), trusted), settings.postgres_request_url
    return url, encrypted(own.get_secret_value(), trusted) if own else request_url(url)


def administrator_url(settings: Settings, addresses: Addresses) -> str:
    """The URL of a role that may make others, in the engine's database. Raises SettingsError where none is known."""
    if addresses.admin_url is not None:
        return addresses.admin_url
    if settings.postgres_admin_url is None:
        raise SettingsError("Set NEURIGRAPH_POSTGRES_ADMIN_URL, for this command alone: the service may make no roles.")
    trusted = authority(settings.postgres_ca, "NEURIGRAPH_POSTGRES_CA")
    url = encrypted(settings.postgres_admin_url.get_secret_value(), trusted)
    return in_database(url, url_parts(addresses.postgres_url).get("dbname", ""))


async def prepare_managed(settings: Settings) -> int:
    """Prepares a managed Postgres as an administrator; how many schemas changed hands.

    Raises SettingsError, StoreUnavailable.
    """
    if settings.postgres_url is None or settings.postgres_admin_url is None:
        raise SettingsError("Set NEURIGRAPH_POSTGRES_URL and NEURIGRAPH_POSTGRES_ADMIN_URL.")
    url, request = postgres_urls(settings, settings.postgres_url)
    trusted = authority(settings.postgres_ca, "NEURIGRAPH_POSTGRES_CA")
    admin = encrypted(settings.postgres_admin_url.get_secret_value(), trusted)
    handed = await prepare_roles(admin, url, request)
    await renew_views(in_database(admin, url_parts(url).get("dbname", "")))
    return handed


def request_url(service_url: str) -> str:
    """The URL of the unprivileged role on the same server; its password is derived from the service's."""
    return with_role(service_url, "neurigraph_request", derived(service_url, b"neurigraph request role"))


def derived(service_url: str, purpose: bytes) -> str:
    """HMAC-SHA256 keyed with the service's password: it cannot be computed without that, and need not be stored."""
    password = url_parts(service_url).get("password", "")
    return hmac.new(password.encode(), purpose, hashlib.sha256).hexdigest()
