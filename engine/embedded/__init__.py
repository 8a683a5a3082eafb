"""A real Neo4j and a real Postgres with pgvector on this machine, from pip packages and locked jars alone.

attachment  what callers use        supervisor  the one process that runs both servers
downloads, start_cache, encoder_files   what is fetched or made once, in the cache
"""

from engine.embedded.attachment import attached, keep_running, stop
from engine.embedded.encoder_files import ENCODER_NAMES, encoder_folder
from engine.embedded.reach import Stack, StackStatus
from engine.embedded.status import status

__all__ = ["ENCODER_NAMES", "Stack", "StackStatus", "attached", "encoder_folder", "keep_running", "status", "stop"]
