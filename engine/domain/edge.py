"""Types of edges between nodes. Owners call an edge what they like; those that are listed have a type of their own in Neo4j."""

from __future__ import annotations

EDGE_TYPES = tuple(
    """
    SAME_PERSON SAME_PLACE SAME_THING SIMILAR_TO BELONGS_TO DEPENDS_ON LEADS_TO COVERED_BY
    ANSWERED_BY FINANCED_BY SOLD_TO LOOKED_AFTER_BY INHERITED_FROM SHARED_WITH MANAGED_BY REPLACED_BY
    """.split()
)
"""As in the parts `edge` and `edge_type` of Cypher. All other edges are RELATED; each keeps its type as it was written, too."""
