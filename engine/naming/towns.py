"""Towns by their names, and how far they are from each other, as `engine/language/data/names/towns.txt` has them. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from math import cos, hypot, radians

from engine.naming.words import listed_lines

Places = tuple[tuple[float, float], ...]
"""Latitudes and longitudes of the towns of one name: Boston is in Massachusetts and in Lincolnshire."""
KM_OF_DEGREE = 111.2
FAR_KM = 30.0
"""Nearer ones may be one place, told more and less exactly: Brooklyn and New York, Potsdam and Berlin."""


@lru_cache(maxsize=1)
def towns() -> Mapping[str, Places]:
    """Where the towns of each name are, as it is written; nowhere for one that is also a region."""
    found: dict[str, Places] = defaultdict(tuple)
    for line in listed_lines("towns.txt"):
        at, _, names = line.partition(": ")
        latitude, _, longitude = at.partition(" ")
        place: Places = () if at == "-" else ((float(latitude), float(longitude)),)
        for name in names.split("; "):
            found[name] += place
    return dict(found)


def far_apart(one: Places, other: Places) -> bool:
    """Whether all towns of two names are far from each other."""
    return bool(one and other) and all(_km(*pair) >= FAR_KM for pair in product(one, other))


def _km(one: tuple[float, float], other: tuple[float, float]) -> float:
    east = abs(one[1] - other[1])
    east = min(east, 360 - east) * cos(radians((one[0] + other[0]) / 2))
    return hypot(one[0] - other[0], east) * KM_OF_DEGREE
