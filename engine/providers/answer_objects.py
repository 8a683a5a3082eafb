"""The JSON objects of a model's answer, without those that it only considered.

<think>A draft: {"facts": ["Ida lives in Oslo."]}</think>{"facts": ["Ida lives in Bergen."]}    gives the second one
"""

from __future__ import annotations

import json
import re
from typing import Any

MOST_FAILURES = 200
"""Places that are tried as the start of an object and are none."""
_NAMES = r"[\w:-]{0,20}(?:think|thought|reason|reflect|scratch|analy[sz]|draft|plan|monologue|deliberat)[\w-]{0,20}"
_MARK = re.compile(
    rf"(?P<close>[<\[◁]/{_NAMES}[>\]▷]|<\|end_of_{_NAMES}\|>|<\|channel\|>final)"
    rf"|[<\[◁]{_NAMES}[>\]▷]|<\|begin_of_{_NAMES}\|>|<\|channel\|>analysis|(?P<object>\{{)",
    re.IGNORECASE,
)
"""Where reasoning begins and ends, as models mark it, and where an object may begin."""
_DECODER = json.JSONDecoder(strict=False)


def answer_objects(text: str) -> tuple[list[dict[str, Any]], int, int]:
    """The whole objects outside of reasoning in their order, where the last one ends, and how many were begun that are none.

    What stands before an end of reasoning without a beginning is reasoning, too: some services leave out the first mark.
    """
    found: list[dict[str, Any]] = []
    last = failed = place = inside = 0
    while (mark := _MARK.search(text, place)) and failed < MOST_FAILURES:
        place = mark.end()
        if mark["close"]:
            found, failed, last = (found, failed, last) if inside else ([], 0, place)
            inside = max(inside - 1, 0)
        elif not mark["object"]:
            inside += 1
        elif not inside:
            try:
                one, place = _DECODER.raw_decode(text, mark.start())
                found.append(one)
                last = place
            except (ValueError, RecursionError):
                failed += 1
    return found, last, failed
