"""A memory as a retriever of neo4j-graphrag.

    with opened_retriever("bob") as retriever:
        GraphRAG(retriever, llm).search("Where does Ellen live?")

`api.client.graphrag` has the same over REST.
"""

from engine.graphrag.retriever import MemoryRetriever, opened_retriever

__all__ = ["MemoryRetriever", "opened_retriever"]
