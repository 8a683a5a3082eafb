"""Names and summaries of communities and clusters, composed of what holds. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

TOKENS = 100
"""Of a summary."""
LONGEST_NAME = 80
NAMED, LISTED = 3, 8
"""Members in a name, and in a summary."""
Count = Callable[[str], int]


def community_name(members: Sequence[str]) -> str:
    """The names of the strongest members."""
    named = ", ".join(members[:NAMED])
    return shortened(f"{named}, …" if len(members) > NAMED else named)


def community_summary(members: Sequence[str], relations: Iterable[str], count_tokens: Count) -> str:
    """Members, then the strongest relations, as far as they fit: `Dave, Ellen Harlan; Dave married to Ellen Harlan`."""
    listed = ", ".join(members[:LISTED]) + (", …" if len(members) > LISTED else "")
    return _fitting([listed, *relations], count_tokens, "; ")


def cluster_name(subjects: Iterable[Sequence[str]], texts: Sequence[str]) -> str:
    """Whom or what most of the facts are about; where they name none, the strongest fact."""
    counted = Counter(name for names in subjects for name in dict.fromkeys(names) if name)
    often = [name for name, times in sorted(counted.items(), key=lambda one: (-one[1], one[0])) if times > 1]
    return shortened(", ".join(often[:NAMED]) or (texts[0] if texts else ""))


def cluster_summary(texts: Iterable[str], count_tokens: Count) -> str:
    """The strongest facts, one a line, as far as they fit."""
    return _fitting([" ".join(text.split()) for text in texts], count_tokens, "\n")


def shortened(text: str, longest: int = LONGEST_NAME) -> str:
    """The text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"


def _fitting(parts: Sequence[str], count_tokens: Count, between: str) -> str:
    """The parts that fit, in their order; the first one is cut to fit if it must be."""
    taken = [shortened(parts[0], TOKENS * 3)] if parts else []
    while taken and count_tokens(taken[0]) > TOKENS:
        taken[0] = shortened(taken[0], len(taken[0]) * 3 // 4)
    for part in parts[1:]:
        if part and count_tokens(between.join([*taken, part])) <= TOKENS:
            taken.append(part)
    return between.join(taken)
