"""Communities, clusters, insights, and what is derived of entities: built by a job, read by the user of the graph."""
