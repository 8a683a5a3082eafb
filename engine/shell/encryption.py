"""encryption-key: the operator's keys, and the keys of users that they wrap."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from engine.progress import counted
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list

if TYPE_CHECKING:
    from engine.stores.encryption import UserKeys

keys = Commands("encryption-key", "Keys that encrypt files: one of each user, wrapped by the operator's.")


@keys.async_command("new", as_json=True)
async def new(here: Session) -> None:
    """Print a new random key for NEURIGRAPH_ENCRYPTION_KEYS. It is stored nowhere."""
    made = import_module("engine.stores.encryption").new_operator_key()  # late: it loads the ciphers
    if here.as_json:
        here.answer({"key": made}, "")
    else:
        here.out.out(made)


@keys.async_command("list", as_json=True)
async def list_keys(here: Session) -> None:
    """List the keys of users, and by which of the operator's keys each is wrapped."""
    found = await asyncio.to_thread(lambda: list(_keys(here).listing()))
    shown = [{"user": one.user, "wrapped_by": one.operator} for one in found]
    rows = [(one.user, one.operator) for one in found]
    print_list(here, {"keys": shown}, ("user", "wrapped by"), rows, "No user has a key yet.")


@keys.async_command("rewrap", as_json=True)
async def rewrap(here: Session) -> None:
    """Wrap the key of each user by the first of the operator's keys; no file of a user is touched."""
    number = await asyncio.to_thread(_keys(here).rewrap)
    here.answer({"rewrapped": number}, f"{counted(number, 'key')} wrapped anew.")


def _keys(here: Session) -> UserKeys:
    found: UserKeys = import_module("engine.wiring.addresses").keys_of_users(here.settings)  # late: it loads drivers
    return found
