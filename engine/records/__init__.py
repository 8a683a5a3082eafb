"""The records of nodes and their items: what differs between a record and its source (`diff`), and its one writer (`writer`).

First writes, new versions of documents, readings again, replays, changes by hand and retractions go through it; `slices` holds
what a record or item says at any time, and the chain of its changes.
"""
