"""The tables of docs/personal-data.md, from `engine/forgetting/personal_data.toml`.

`python -m tests.contract.personal_data` writes them anew; the difference belongs into the commit that changed the catalogue.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from engine.forgetting.personal_data import PERSONAL, DataPlace, Holding, Store, Target, personal_data

PAGE = Path(__file__).resolve().parents[2] / "docs" / "personal-data.md"
HEAD = "## Where it lies\n"
SECTIONS: dict[str, tuple[Store, ...]] = {
    "Postgres": ("tables",),
    "Neo4j": ("labels", "relationships"),
    "The object store": ("objects",),
    "The home of embedded stores": ("home",),
}
INTRODUCTION = """Made from `engine/forgetting/personal_data.toml`, which has every column and every property. *Of*: what a row tells of, or names; what holds these
(the record of an item, the node, the user, the workspace) is not repeated. Where no column is named, there are ids alone, or that something is there. `template` stands for
the schema of each node, whose name has those of the user and the node. `*`: whatever stands there.
"""

WORDS: tuple[Holding, ...] = get_args(Holding)
TARGETS: tuple[Target, ...] = get_args(Target)


def shown(place: DataPlace) -> str:
    return {"labels": f"`:{place.name}`", "relationships": f"`-[:{place.name}]->`"}.get(place.store, f"`{place.name}`")


def named(place: DataPlace, *holdings: Holding) -> str:
    found = place.of(*holdings)
    return ", ".join(f"`{one}`" if one != "*" else "own properties" for one in found)


def is_personal(place: DataPlace) -> bool:
    return bool(place.goes_with or place.holds & PERSONAL)


def rows(stores: tuple[Store, ...]) -> Iterator[str]:
    places = [one for store in stores for one in personal_data().of(store) if is_personal(one)]
    columns = any(one.columns for one in places)
    yield "| | words and names | hashes and vectors | of | today |" if columns else "| | holds | of | today |"
    yield "|---|---|---|---|---|" if columns else "|---|---|---|---|"
    for one in places:
        held = [named(one, "text", "name"), named(one, "hash", "vector")]
        if not columns:
            held = [", ".join(holding for holding in WORDS if holding in one.holds)]
        cells = [
            shown(one),
            *held,
            ", ".join(target for target in TARGETS if target in one.goes_with | one.changed_with),
            one.today or "stays",
        ]
        yield f"| {' | '.join(cells)} |"


def tables() -> str:
    lines = [HEAD, INTRODUCTION]
    for title, stores in SECTIONS.items():
        lines += [f"### {title}", "", *rows(stores), ""]
        free = [shown(one) for store in stores for one in personal_data().of(store) if not is_personal(one)]
        lines += [f"Nothing of persons: {', '.join(free)}.", ""]
    return "\n".join(lines)


def page(text: str) -> str:
    return f"{text.partition(HEAD)[0].rstrip()}\n\n{tables()}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
