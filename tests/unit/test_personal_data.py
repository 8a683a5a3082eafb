"""The catalogue of personal data is that of the definitions, both ways: what is new has a rule, and what is gone has none."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import get_args

import procrastinate
import pytest

from engine.derive.catalogue import DERIVATIONS
from engine.embedded.layout import HOME_NAMES, Home
from engine.forgetting.personal_data import FILE, WITHIN, CatalogueError, DataPlace, Store, Target, personal_data, read
from engine.knowledge.dictionary import described
from engine.lifecycle import installation, sweep
from engine.settings import Settings
from engine.shell.remote import SOCKET
from engine.stores import definitions
from engine.stores.migrations import FUNCTIONS
from engine.stores.objects import COPIES
from engine.stores.statements import ROOT, sql_source
from engine.stores.tier import UNFINISHED
from tests.contract import personal_data as page

TABLE = re.compile(r"^CREATE TABLE (?:IF NOT EXISTS )?([\w.]+) ?\((.*?)^\)", re.MULTILINE | re.DOTALL)
COLUMN = re.compile(r"^    ([a-z]\w*) ", re.MULTILINE)
OF_THE_HOUSE = ("engine.installation", "engine.forgetting_key")
"""Tables about no person: ids and a key of the installation."""
TARGETS: tuple[Target, ...] = get_args(Target)
PLACED_BY = {
    "taken-out-": "engine/lifecycle/mending/mend.py",
    ".replaced-": "engine/backup.py",
    ".restoring-": "engine/backup.py",
}
"""What stands in the name of files of a home that have a time or another name in theirs, and the module that names them."""


def made(text: str, schema: str = "") -> dict[str, set[str]]:
    """Tables with their columns, from a script that makes them."""
    return {f"{schema}{name}": {*COLUMN.findall(body)} for name, body in TABLE.findall(text)}


def tables() -> dict[str, set[str]]:
    """Every table of the databases, with its columns."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in definitions.expected():
        if one.kind in ("table", "column"):
            found[f"{one.schema_name}.{one.place}"] |= {one.name} - {""}
    library = Path(procrastinate.__file__).parent / "sql" / "schema.sql"
    return {
        **found,
        **made(library.read_text(encoding="utf-8"), "_queue."),
        **made(sql_source("schema/migrations_table")),
        **made(sql_source("schema/functions_table")),
    }


def columns_of(store: Store) -> dict[str, set[str]]:
    return {one.name: {*one.columns} for one in personal_data().of(store)}


def differences(found: dict[str, set[str]], wanted: dict[str, set[str]]) -> dict[str, set[str]]:
    """By place what stands on one side alone; a place without columns as itself."""
    whole = {name: {name} for name in found.keys() ^ wanted.keys()}
    return whole | {
        name: found[name] ^ wanted[name] for name in found.keys() & wanted.keys() if found[name] != wanted[name]
    }


def test_every_column_of_every_table_has_a_rule() -> None:
    assert len(tables()) > 60 and all(tables().values())
    assert differences(columns_of("tables"), tables()) == {}


@pytest.mark.parametrize(("store", "part"), [("labels", 0), ("relationships", 1)])
def test_every_property_of_the_graph_has_a_rule(store: Store, part: int) -> None:
    """Labels that stand beside others have those of the others."""
    kinds = [one for one in described()[part].values() if not one.of]
    wanted = {one.name: {*one.properties, *(["*"] if one.open else [])} for one in kinds}
    assert differences(columns_of(store), wanted) == {}


def test_every_kind_of_object_has_a_rule() -> None:
    keys = {
        "ROOT/NODES/FILE/NAME",
        f"ROOT/NODES/FILE/{COPIES}/CLAIM",
        f"{sweep.PREFIX}DAY/KEY",
        UNFINISHED,
        installation.KEY,
    }
    assert {one.name for one in personal_data().of("objects")} == keys


def test_every_file_of_a_home_has_a_rule() -> None:
    home = Home(Path("/home"))
    code = (ROOT / "engine" / "embedded" / "layout.py").read_text(encoding="utf-8")
    literal = {*re.findall(r'self\.folder / "([^"]+)"', code.partition("class Cache")[0])}
    plain = (
        {path.name for path in vars(home).values()} - {home.folder.name}
        | HOME_NAMES
        | literal
        | {SOCKET, f"{SOCKET}.lock"}
    )
    names = {one.name for one in personal_data().of("home")}
    assert {name for name in names if "*" not in name} == plain
    patterns = {name.replace("*", "").removesuffix(".json") for name in names if "*" in name}
    assert patterns == PLACED_BY.keys()
    for part, module in PLACED_BY.items():
        assert part in (ROOT / module).read_text(encoding="utf-8")


def test_what_makes_things_again_exists() -> None:
    functions = {f"function {file.parent.name}/{file.stem}" for file in FUNCTIONS.rglob("*.sql")}
    makers = {maker for one in personal_data().places for maker in one.makers}
    assert makers <= DERIVATIONS.keys() | functions and {"names", "communities"} <= makers


def types() -> dict[str, dict[str, str]]:
    """By table the types of the columns, as their definitions give them."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for one in definitions.expected():
        if one.kind == "column":
            found[f"{one.schema_name}.{one.place}"][one.name] = one.statement.partition(" ADD COLUMN ")[2].partition(
                " "
            )[2]
    return found


def test_what_a_column_holds_fits_its_type() -> None:
    odd = []
    for table, columns in types().items():
        for name, column in personal_data().place("tables", table).columns.items():
            of_type = columns[name].removeprefix("public.")
            fits = {
                "uuid": ("id",),
                "vector": ("vector",),
                "sparsevec": ("hash",),
                "bytea": ("hash", "vector"),
                "timestamp": ("nothing",),
                "boolean": ("nothing",),
            }
            wanted = next((held for start, held in fits.items() if of_type.startswith(start)), None)
            if table not in OF_THE_HOUSE and wanted and column.holds not in wanted:
                odd.append((table, name, of_type, column.holds))
    assert odd == []


def test_a_row_that_refers_to_what_goes_goes_too_or_loses_the_reference() -> None:
    """Else the keys between tables would keep a user, or a node, that was forgotten. Of several references to a node `node_id` says
    where the row belongs; the others are of rows that stay."""
    referred: dict[str, Target] = {"users": "user", "workspaces": "workspace", "nodes": "node"}
    key = re.compile(r"FOREIGN KEY \((\w+)[^)]*\) REFERENCES \{schema\}\.(\w+)\(")
    found = 0
    for one in definitions.expected():
        for column, table in key.findall(one.statement) if one.kind == "constraint" else ():
            place = personal_data().place("tables", f"{one.schema_name}.{one.place}")
            if target := referred.get(table):
                found += 1
                belongs = column == f"{target}_id" or table == one.place
                goes = belongs and place.goes_with & WITHIN[target]
                assert goes or column in place.treated("emptied"), (place.name, column)
    assert found > 40


def test_who_did_something_is_no_more_named_when_that_one_went() -> None:
    """A persona is a node: what it did at others stays."""
    who = {"authored_by", "author", "actor", "actor_id"}
    named = [(one, column) for one in personal_data().of("tables") for column in who & one.columns.keys()]
    assert len(named) > 8
    assert [(one.name, column) for one, column in named if column not in one.treated("surrogate")] == []


def test_what_goes_with_a_thing_goes_with_what_holds_it() -> None:
    data = personal_data()
    order: tuple[Target, ...] = ("item", "record", "source", "node", "user", "workspace")
    gone = [{*map(named, data.gone_with(target))} for target in order]
    assert all(less < more for less, more in pairwise(gone))
    assert {*map(named, data.gone_with("entity"))} < gone[-2] and WITHIN["entity"] < WITHIN["user"]
    assert gone[-1] == {named(one) for one in data.places if one.goes_with}
    assert {*map(named, data.kept())} | gone[-1] == {*map(named, data.places)}
    assert ("tables", "engine.memory_items") not in gone[0] and ("tables", "template.memory_items") in gone[0]


def named(place: DataPlace) -> tuple[str, str]:
    return place.store, place.name


def test_what_a_later_step_asks() -> None:
    data = personal_data()
    items = data.place("tables", "template.memory_items")
    words = {*data.searched("tables")[items.name]}
    assert {"content", "speaker"} <= words and "item_id" not in words
    assert data.searched("labels")["Entity"] and "Migration" not in data.searched("labels")
    assert items.columns["entities"].by == "names" and items.treated("again") == ("entities", "about")
    log = data.place("tables", "template.delta_log")
    assert log in data.changed_with("item") and log in data.changed_with("record")
    assert log in data.gone_with("node") and log not in data.gone_with("source")
    assert log.columns["payload"].treatment == "emptied" and log.columns["created_at"].treatment == "stays" and log.kept
    assert all(one.kept for one in data.kept())


def test_nobody_is_kept_without_a_reason() -> None:
    """A row that stays whatever is forgotten holds no words, names or vectors but in columns that are emptied or hashed."""
    for one in personal_data().kept():
        stay = [name for name in one.of("text", "name", "hash", "vector") if one.columns[name].treatment == "stays"]
        assert stay == [], one.name


PLACE = '[labels.A]\ngoes_with = "item"\ntext = "a b"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[rooms.a]\nkept = "So."', "rooms is no store"),
        (PLACE + 'burnt = "a"', "labels.A: burnt is no rule"),
        (PLACE + 'nothing = "b"', "labels.A: b stands in two lists"),
        (PLACE + 'changed_with = "item"\nemptied = "a"\nsurrogate = "a"', "labels.A: a stands in two lists"),
        (PLACE + 'changed_with = "item"\nemptied = "c"', "labels.A: c is treated"),
        (PLACE + 'found = "c"', "labels.A: c is treated or found by"),
        (PLACE + 'emptied = "a"', "labels.A: changed_with stands there"),
        (PLACE + 'changed_with = "item"', "labels.A: changed_with stands there"),
        (PLACE + 'changed_with = "house"\nemptied = "a"', "labels.A: changed_with names house"),
        (PLACE + 'nothing = ["c"]', "labels.A: nothing is a text"),
        ('[labels.A]\ntext = "a"', "labels.A: it goes with nothing"),
        ('[objects.A]\nkept = "So."\ntext = "a"', "objects.A: text is no rule"),
        ('[objects.A]\nkept = "So."\nholds = "a"', "objects.A: holds names a"),
    ],
)
def test_a_rule_that_nobody_knows_is_named(text: str, told: str) -> None:
    with pytest.raises(CatalogueError, match=re.escape(told)):
        read(text)


def test_the_page_is_that_of_the_catalogue() -> None:
    """After a change that is meant: `python -m tests.contract.personal_data`."""
    shown = page.PAGE.read_text(encoding="utf-8")
    assert shown == page.page(shown)


def test_the_settings_that_are_named_exist() -> None:
    known = {str(one.validation_alias or f"NEURIGRAPH_{name.upper()}") for name, one in Settings.model_fields.items()}
    said = {*re.findall(r"NEURIGRAPH_\w+", FILE.read_text(encoding="utf-8"))}
    assert said and said <= known
