"""The leak fuzzer: random forests, random questions of everybody, every answer compared with the rules in plain Python.

model       the rules once more, over dictionaries; asks no database
forest      users, personas, integrations, nodes, edges, records, grants, made through the public API
expected    what a reader of the public API is to be told, from the model
operations  questions and refused attempts through the public API
rows        statements without a WHERE, and attempts to write, under the request role
changes     what changes the world between two batches of questions
fuzzer      runs batches, collects what did not match
"""
