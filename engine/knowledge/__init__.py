"""The knowledge graph: names found in texts, the entities that they belong to, what is known of them."""
