"""Rate limit: a token bucket for each key, refilled evenly, one token a request. Memory is bounded."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable

MOST_BUCKETS = 10_000
"""Beyond it the key with the oldest request is dropped; it starts again with a full bucket."""


class RateLimit:
    """At most `per_minute` requests a minute for each key on average, with bursts of as many; 0: no limit."""

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._size, self._now = float(per_minute), now
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def wait(self, key: Hashable) -> int:
        """Whole seconds until a request of the key is accepted; 0: now. Takes no token."""
        if not self._size:
            return 0
        left = self._left(key)
        return 0 if left >= 1 else math.ceil((1 - left) * 60 / self._size)

    def take(self, key: Hashable) -> int:
        """Takes a token for a request of the key. Returns what `wait` does; a refused request takes none."""
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
