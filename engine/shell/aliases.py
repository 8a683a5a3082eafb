"""entity alias: names and addresses that decide whom a text means."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from engine.domain.entity import AliasType
from engine.errors import InvalidInput
from engine.shell.entities import Who, entities, named
from engine.shell.options import Handle
from engine.shell.session import Commands, Session
from engine.shell.tables import print_list

aliases = Commands("alias", "Names and addresses of an entity, which decide whom a text means.")
commands = entities
commands.add_typer(aliases)
_TYPES: tuple[AliasType, ...] = get_args(AliasType)
_Entity = Annotated[str, Who]
_Type = Annotated[str, typer.Argument(metavar="TYPE", help=f"{', '.join(_TYPES)}.")]
_Value = Annotated[str, typer.Argument(metavar="VALUE", help="The alias, as dave@example.org.")]


@aliases.async_command("list", as_json=True)
async def list_aliases(here: Session, entity: _Entity, user: Handle = None) -> None:
    """List the aliases of an entity."""
    async with here.memory(user) as memory:
        found = await memory.entities.aliases(await named(memory, entity))
    rows = [(one.type, one.value, "verified" * one.verified, f"{one.known_from:%Y-%m-%d}") for one in found]
    print_list(here, {"aliases": found}, ("type", "alias", "", "known since"), rows, "It has no alias.")


@aliases.async_command("add", as_json=True)
async def add(here: Session, entity: _Entity, alias_type: _Type, value: _Value, user: Handle = None) -> None:
    """Give an entity an alias: where a text has it, that entity is meant."""
    async with here.memory(user) as memory:
        found = await memory.entities.add_alias(await named(memory, entity), _type(alias_type), value)
    here.answer(found, f"{found.value} ({found.type}) is an alias of it.")


@aliases.async_command("verify", as_json=True)
async def verify(here: Session, entity: _Entity, alias_type: _Type, value: _Value, user: Handle = None) -> None:
    """Vouch for an alias that the entity has."""
    async with here.memory(user) as memory:
        found = await memory.entities.verify_alias(await named(memory, entity), _type(alias_type), value)
    here.answer(found, f"{found.value} ({found.type}) is verified.")


@aliases.async_command("remove", as_json=True)
async def remove(here: Session, entity: _Entity, alias_type: _Type, value: _Value, user: Handle = None) -> None:
    """Take an alias from an entity: it is free for another one."""
    async with here.memory(user) as memory:
        found = await memory.entities.remove_alias(await named(memory, entity), _type(alias_type), value)
    here.answer(found, f"{found.value} ({found.type}) is no alias of it any more.")


def _type(written: str) -> AliasType:
    """Raises InvalidInput."""
    for one in _TYPES:
        if one == written:
            return one
    raise InvalidInput(f"An alias is one of {', '.join(_TYPES)}.")
