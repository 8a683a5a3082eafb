"""Files for programs that draw the graph: a perspective for Neo4j Bloom, favourites and a style sheet for Neo4j Browser."""
