"""Chat histories and text files, whatever their shape, as values of `engine.domain.history`.

`reading` recognises what a path holds; `native` and `locomo` know one shape each; `source` is the only module that touches the
disk, and says where in a document something is wrong.
"""

from engine.connectors.reading import read_history

__all__ = ["read_history"]
