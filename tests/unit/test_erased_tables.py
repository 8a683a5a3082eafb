"""Every table that the catalogue of personal data takes with records, or changes with them, has a statement that erases them there."""

from __future__ import annotations

import re
from pathlib import Path

from engine.forgetting import rows
from engine.forgetting.personal_data import personal_data
from engine.stores.statements import sql_names, sql_source

WRITES = re.compile(r"\b(?:INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:\{schema\}|engine)\.(\w+)")


def test_every_table_with_something_of_a_record_is_erased_there() -> None:
    given = set(re.findall(r'"(forgetting/\w+)"', Path(rows.__file__).read_text(encoding="utf-8")))
    assert given <= set(sql_names())
    written = {table for name in given for table in WRITES.findall(sql_source(name))} | {"term_counts"}
    wanted = {
        place.name.partition(".")[2]
        for place in personal_data().places
        if place.store == "tables" and (place.goes_with | place.changed_with) & {"item", "record", "source"}
    }
    assert wanted - written == {"forgettings"}, "the forgetting itself is emptied once it is done"
