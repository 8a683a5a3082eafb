"""A real Neo4j and a real Postgres with pgvector on this machine, from pip packages and locked jars alone.

attachment  what callers use        supervisor  the one process that runs both servers
downloads, neo4j_server   what is fetched or made once, in the cache
"""

from engine.embedded.attachment import attached, keep_running, stop
from engine.embedded.downloads import ENCODER_NAMES, encoder_folder
from engine.embedded.reach import Stack, StackStatus, status

__all__ = ["ENCODER_NAMES", "Stack", "StackStatus", "attached", "encoder_folder", "keep_running", "status", "stop"]
