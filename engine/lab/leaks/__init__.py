"""The leak fuzzer: random forests, random questions of all principals, answers checked by the rules in plain Python.

model       the rules again, over dictionaries; queries no database
things      the values of the model
stored      nodes, edges and records, made through the public API;  rights: grants
forest      users, personas, integrations, nodes, edges, records, grants, made through the public API
past        past states: former names and titles, moves, older versions
expected    the expected answers of the public API, from the model
questions   and contents, people, attempts: questions and refused attempts through the public API
spoken      what records speak of: mentions, relations and merges, and who may know of them
rows        statements without a WHERE, and attempts to write, under the request role
changes     changes of the world between two batches of questions
fuzzer      runs batches, collects mismatches
hidden      a memory with a hidden node, and every kind of change there;  interference: the same reads before and after
"""
