"""Texts of a form: the graph has no type for them. Reading a row refuses another text, and the doctor finds it."""

from __future__ import annotations

import re
from typing import Annotated

ID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
SPAN = "[0-9]{1,9}-[0-9]{1,9}"
ITEM_SPAN = f"{ID}:{SPAN}"

IdText = Annotated[str, re.compile(ID)]
"""An id that stays a text."""
Span = Annotated[str, re.compile(SPAN)]
"""A place in a text: `start-end`, in characters."""
ItemSpan = Annotated[str, re.compile(ITEM_SPAN)]
"""A place in an item's text: `item:start-end`."""
