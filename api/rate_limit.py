"""How often somebody may ask: a bucket for each, filled evenly, emptied by one a request. Memory is bounded."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

MOST_BUCKETS = 10_000
"""Who asked longest ago is forgotten beyond it, and starts with a full bucket."""


class RateLimit:
    """At most `per_minute` requests of each key in any minute on the average, as many at once; 0 is no limit."""

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._size, self._now = float(per_minute), now
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def wait(self, key: Hashable) -> int:
        """Whole seconds until a request of that key is let in; 0 when it is now. Takes nothing."""
        if not self._size:
            return 0
        left = self._left(key)
        return 0 if left >= 1 else math.ceil((1 - left) * 60 / self._size)

    def take(self, key: Hashable) -> int:
        """Counts a request of that key; as `wait`, and a request that has to wait is not counted."""
        seconds = self.wait(key)
        if self._size and not seconds:
            self._buckets[key] = (self._left(key) - 1, self._now())
            self._buckets.move_to_end(key)
            if len(self._buckets) > MOST_BUCKETS:
                self._buckets.popitem(last=False)
        return seconds

    def _left(self, key: Hashable) -> float:
        left, at = self._buckets.get(key, (self._size, self._now()))
        return min(self._size, left + (self._now() - at) * self._size / 60)
